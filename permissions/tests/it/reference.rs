//! Random rules and calls, judged by the crate and by a slow reference, which follows the documentation word by word. `TOOLC_CALLS` is the
//! number of calls.

use std::sync::Arc;

use serde_json::{Value, json};
use toolc::behaviour::{Approval, Behaviour};
use toolc_permissions::{NewParameter, NewRule, PermissionFile, PermissionSet, Trust, Verdict};

use crate::LINKS;

/// A generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % end
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    fn some(&mut self, list: &[&str], max: usize) -> Vec<String> {
        let count = 1 + self.below(max);
        (0..count).map(|_| self.pick(list).to_owned()).collect()
    }
}

const TOOLS: &[&str] = &["write_file", "read_file", "patch", "fetch", "mcp__git__log", "mcp__db__drop"];
const TOOL_PATTERNS: &[&str] =
    &["*", "write_file", "*_file", "mcp__*", "mcp__git__*", "p?tch", "[rw]*", "fetch", "nothing"];
const ENVIRONMENTS: &[&str] = &["local", "docker"];
const WORDS: &[&str] = &["main", "Main", "release/1", "", "a*b", "5", "true"];
const WORD_PATTERNS: &[&str] = &["main", "m*", "release/*", "*", "?", "a[*]b", "[a-m]*", "5"];
const PATHS: &[&str] = &[
    "src/a",
    "src",
    "SRC/b",
    "tests/x/y",
    "a",
    "../x",
    "link/x",
    "inside/a",
    "~/notes/n",
    "~/work/src/q",
    "/data/p/x",
    "/srv/data/p",
    ".",
    "src/gen/a",
    "\0",
];
const PATH_PATTERNS: &[&str] =
    &["src", "src/gen", ".", "~/notes", "/data", "/srv/data", "**/x", "*/gen", "/", "link", "tests", "inside"];
/// URLs, each with its host.
const URLS: &[(&str, Option<&str>)] = &[
    ("https://example.com/a", Some("example.com")),
    ("http://a.example.com.", Some("a.example.com")),
    ("https://example.com@evil.test", Some("evil.test")),
    ("EVIL.test", Some("evil.test")),
    ("http://0x7f.1", Some("127.0.0.1")),
    ("not a url", None),
    ("", None),
];
const HOSTS: &[&str] = &["example.com", "*.example.com", "evil.test", "*.test", "127.0.0.1", "*"];

fn value(random: &mut Random, name: &str) -> Value {
    let one = |random: &mut Random| match name {
        _ if random.below(12) == 0 => random.pick(&[json!(null), json!(5), json!({ "a": 1 }), json!(true), json!([])]),
        "path" => json!(random.pick(PATHS)),
        "url" => json!(random.pick(URLS).0),
        "word" => json!(random.pick(WORDS)),
        _ => random.pick(&[json!(0), json!(5), json!(5.0), json!(7.5), json!(-3), json!(10)]),
    };
    if random.below(5) == 0 { (0..random.below(3)).map(|_| one(random)).collect() } else { one(random) }
}

fn parameter(random: &mut Random) -> NewParameter {
    let name = random.pick(&["path", "url", "word", "number", "list.path", "list.word"]);
    let mut parameter = NewParameter::new(name);
    let kind = name.rsplit('.').next().unwrap_or(name);
    if random.below(8) == 0 {
        parameter.is = (0..=random.below(3)).map(|_| value(random, kind)).collect();
    }
    match kind {
        "path" => {
            if random.below(3) > 0 {
                parameter.within = random.some(PATH_PATTERNS, 2);
            }
            if random.below(3) == 0 {
                parameter.outside = random.some(PATH_PATTERNS, 2);
            }
        }
        "url" => {
            if random.below(2) == 0 {
                parameter.hosts = random.some(HOSTS, 2);
            } else {
                parameter.without_hosts = random.some(HOSTS, 2);
            }
        }
        "word" => {
            if random.below(3) > 0 {
                parameter.matches = random.some(WORD_PATTERNS, 2);
            }
            if random.below(3) == 0 {
                parameter.without = random.some(WORD_PATTERNS, 2);
            }
        }
        _ => {
            let bound = random.pick(&["minimum", "maximum", "exclusive_minimum", "exclusive_maximum"]);
            parameter.bounds.push((bound.to_owned(), random.pick(&[json!(0), json!(5), json!(7.5), json!(-3)])));
        }
    }
    parameter
}

fn rule(random: &mut Random, at: usize) -> NewRule {
    let verdict = random.pick(&[Verdict::Allow, Verdict::Ask, Verdict::Ask, Verdict::Deny]);
    let mut rule = NewRule::new(format!("r{at}"), "D.", verdict);
    rule.tools = random.some(TOOL_PATTERNS, 2);
    if random.below(4) == 0 {
        rule.without_tools = random.some(TOOL_PATTERNS, 1);
    }
    if random.below(5) == 0 {
        rule.toolsets = random.some(&["file", "mcp-*", "x"], 2);
    }
    if random.below(8) == 0 {
        rule.servers = random.some(&["git", "*", "d?"], 1);
    }
    if random.below(5) == 0 {
        rule.environments = random.some(ENVIRONMENTS, 1);
    }
    if random.below(5) == 0 {
        rule.annotations = vec![(random.pick(&["read_only", "destructive"]).to_owned(), random.below(2) == 0)];
    }
    if random.below(4) > 0 {
        rule.parameters.push(parameter(random));
    }
    if random.below(4) == 0 {
        let more = parameter(random);
        if rule.parameters.iter().all(|own| own.name != more.name) {
            rule.parameters.push(more);
        }
    }
    rule.no_other_parameters = random.below(8) == 0;
    if verdict == Verdict::Allow && random.below(2) == 0 {
        rule.exempts = (0..3).map(|other| format!("r{other}")).collect();
    }
    rule
}

/// A random call.
struct TestCall {
    tool: &'static str,
    read_only: bool,
    requires_approval: bool,
    environment: Option<&'static str>,
    arguments: Value,
}

fn call(random: &mut Random) -> TestCall {
    let mut arguments = serde_json::Map::new();
    for name in ["path", "url", "word", "number"] {
        if random.below(3) > 0 {
            arguments.insert(name.to_owned(), value(random, name));
        }
    }
    if random.below(3) == 0 {
        let item = |random: &mut Random| {
            let mut item = serde_json::Map::new();
            for name in ["path", "word"] {
                if random.below(3) > 0 {
                    item.insert(name.to_owned(), value(random, name));
                }
            }
            Value::Object(item)
        };
        arguments.insert("list".to_owned(), (0..random.below(3)).map(|_| item(random)).collect());
    }
    if random.below(4) == 0 {
        let lines: Vec<&str> = (0..random.below(3)).map(|_| random.pick(&["src/a", "a", "?"])).collect();
        arguments.insert("patch".to_owned(), json!(lines.join("\n")));
    }
    TestCall {
        tool: random.pick(TOOLS),
        read_only: random.below(3) == 0,
        requires_approval: random.below(2) == 0,
        environment: random.pick(&[None, Some("docker"), Some("local")]),
        arguments: Value::Object(arguments),
    }
}

/// The reference. Each function says what the documentation says, without any shortcut.
mod documented {
    use super::*;

    /// Whether a condition holds, or `None` if the value cannot be compared.
    type Holds = Option<bool>;

    fn glob(pattern: &[char], text: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('*', rest)) => (0..=text.len()).any(|at| glob(rest, &text[at..])),
            Some(('?', rest)) => !text.is_empty() && glob(rest, &text[1..]),
            Some(('[', rest)) if rest.contains(&']') => {
                let end = rest.iter().position(|c| *c == ']').expect("it is there");
                let class: String = rest[..end].iter().collect();
                let is_in = |c: char| match class.as_bytes() {
                    [low, b'-', high] => (char::from(*low)..=char::from(*high)).contains(&c),
                    _ => class.contains(c),
                };
                text.first().is_some_and(|c| is_in(*c)) && glob(&rest[end + 1..], &text[1..])
            }
            Some((own, rest)) => text.first() == Some(own) && glob(rest, &text[1..]),
        }
    }

    pub(super) fn matches(pattern: &str, text: &str) -> bool {
        let chars = |text: &str| text.chars().collect::<Vec<char>>();
        glob(&chars(pattern), &chars(text))
    }

    fn one(patterns: &[String], text: &str) -> bool {
        patterns.iter().any(|pattern| matches(pattern, text))
    }

    fn follow(path: &str) -> String {
        for (link, target) in LINKS {
            if path == *link || path.starts_with(&format!("{link}/")) {
                return follow(&path.replacen(link, target, 1));
            }
        }
        path.to_owned()
    }

    fn absolute(text: &str) -> String {
        let full = match text.strip_prefix("~") {
            Some(rest) => format!("/home/user{rest}"),
            None if text.starts_with('/') => text.to_owned(),
            None => format!("/work/{text}"),
        };
        let mut names: Vec<&str> = Vec::new();
        for name in full.split('/').filter(|name| !name.is_empty() && *name != ".") {
            if name == ".." {
                names.pop();
            } else {
                names.push(name);
            }
        }
        format!("/{}", names.join("/"))
    }

    fn inside(names: &[&str], path: &[&str]) -> bool {
        match names.split_first() {
            None => true,
            Some((&"**", rest)) => (0..=path.len()).any(|at| inside(rest, &path[at..])),
            Some((name, rest)) => path.first().is_some_and(|own| matches(name, own)) && inside(rest, &path[1..]),
        }
    }

    fn is_in(pattern: &str, path: &str, ignore_case: bool) -> bool {
        let fold = |text: &str| if ignore_case { text.to_lowercase() } else { text.to_owned() };
        let (pattern, path) = (fold(pattern), fold(path));
        let names = |text: &str| text.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        let (pattern, path) = (names(&pattern), names(&path));
        inside(
            &pattern.iter().map(String::as_str).collect::<Vec<_>>(),
            &path.iter().map(String::as_str).collect::<Vec<_>>(),
        )
    }

    /// A pattern with the links of its part without wildcards followed.
    fn followed(pattern: &str) -> String {
        let full = absolute(pattern);
        let at = full.split('/').position(|name| name.contains(['*', '?', '[']));
        let names: Vec<&str> = full.split('/').collect();
        let (plain, rest) = names.split_at(at.unwrap_or(names.len()));
        let plain = follow(&plain.join("/"));
        if rest.is_empty() { plain } else { format!("{plain}/{}", rest.join("/")) }
    }

    fn path(parameter: &NewParameter, text: &str, strict: bool) -> Holds {
        if text.contains('\0') {
            return None;
        }
        let path = follow(&absolute(text));
        let within = |pattern: &String| {
            let written = is_in(&absolute(pattern), &path, strict);
            written || (strict && is_in(&followed(pattern), &path, true))
        };
        let outside = |pattern: &String| {
            let written = is_in(&absolute(pattern), &path, !strict);
            !(written || (!strict && is_in(&followed(pattern), &path, true)))
        };
        Some(
            (parameter.within.is_empty() || parameter.within.iter().any(within))
                && parameter.outside.iter().all(outside),
        )
    }

    fn host(parameter: &NewParameter, value: &Value) -> Holds {
        let text = value.as_str()?;
        let (_, host) = URLS.iter().find(|(url, _)| *url == text)?;
        let host = (*host)?;
        let is_one = |patterns: &[String]| {
            patterns.iter().any(|pattern| match pattern.strip_prefix("*.") {
                _ if pattern == "*" => true,
                Some(domain) => host.ends_with(&format!(".{domain}")),
                None => pattern == host,
            })
        };
        Some((parameter.hosts.is_empty() || is_one(&parameter.hosts)) && !is_one(&parameter.without_hosts))
    }

    fn equal(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
            }
            _ => one == other,
        }
    }

    fn single(parameter: &NewParameter, value: &Value, strict: bool) -> Holds {
        let is_about_paths = !parameter.within.is_empty() || !parameter.outside.is_empty();
        let mut all = vec![Some(parameter.is.is_empty() || parameter.is.iter().any(|own| equal(own, value)))];
        if !parameter.matches.is_empty() || !parameter.without.is_empty() {
            let text = match value {
                Value::String(text) => Some(text.clone()),
                Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
                _ => None,
            };
            all.push(text.map(|text| {
                (parameter.matches.is_empty() || one(&parameter.matches, &text)) && !one(&parameter.without, &text)
            }));
        }
        if is_about_paths {
            all.push(value.as_str().and_then(|text| path(parameter, text, strict)));
        }
        if !parameter.hosts.is_empty() || !parameter.without_hosts.is_empty() {
            all.push(host(parameter, value));
        }
        for (kind, bound) in &parameter.bounds {
            let bound = bound.as_f64().expect("a number");
            all.push(value.as_f64().map(|number| match kind.as_str() {
                "minimum" => number >= bound,
                "maximum" => number <= bound,
                "exclusive_minimum" => number > bound,
                _ => number < bound,
            }));
        }
        if all.contains(&Some(false)) {
            Some(false)
        } else if all.contains(&None) {
            None
        } else {
            Some(true)
        }
    }

    /// The values of a parameter, flat. `None` is a missing one.
    fn values(arguments: &Value, name: &str) -> Vec<Option<Value>> {
        fn flat(value: &Value, into: &mut Vec<Option<Value>>) {
            match value {
                Value::Null => into.push(None),
                Value::Array(items) => items.iter().for_each(|item| flat(item, into)),
                value => into.push(Some(value.clone())),
            }
        }
        let mut found = Vec::new();
        match name.split_once('.') {
            None => {
                if let Some(value) = arguments.get(name) {
                    flat(value, &mut found);
                }
            }
            Some((first, rest)) => {
                for item in arguments.get(first).and_then(Value::as_array).into_iter().flatten() {
                    match item.get(rest) {
                        Some(value) => flat(value, &mut found),
                        None => found.push(None),
                    }
                }
            }
        }
        found
    }

    fn fulfils(parameter: &NewParameter, call: &TestCall, strict: bool) -> bool {
        let is_about_paths = !parameter.within.is_empty() || !parameter.outside.is_empty();
        let is_only =
            *parameter == NewParameter { is: parameter.is.clone(), ..NewParameter::new(parameter.name.clone()) };
        if is_only && parameter.is.is_empty() {
            return true;
        }
        if let Some(whole @ Value::Array(_)) = call.arguments.get(&parameter.name)
            && is_only
            && parameter.is.iter().any(|own| equal(own, whole))
        {
            return true;
        }
        let judge = |value: &Option<Value>| match value {
            Some(value) => single(parameter, value, strict),
            None if !strict => None,
            None if is_about_paths => path(parameter, ".", strict),
            None => Some(false),
        };
        let mut all: Vec<Holds> = values(&call.arguments, &parameter.name).iter().map(judge).collect();
        if is_about_paths && call.tool == "patch" && parameter.name == "path" {
            for line in call.arguments.get("patch").and_then(Value::as_str).into_iter().flat_map(str::lines) {
                all.push(if line == "?" { None } else { path(parameter, line, strict) });
            }
        }
        match (strict, all.is_empty()) {
            (true, true) => judge(&None) != Some(false),
            (true, false) => all.iter().any(|holds| *holds != Some(false)),
            (false, true) => false,
            (false, false) => all.iter().all(|holds| *holds == Some(true)),
        }
    }

    fn covers(rule: &NewRule, call: &TestCall) -> bool {
        let strict = rule.verdict != Verdict::Allow;
        let toolset = toolset(call.tool);
        let effect = |name: &str| if name == "read_only" { call.read_only } else { !call.read_only };
        let names = call.arguments.as_object().expect("an object");
        one(&rule.tools, call.tool)
            && !one(&rule.without_tools, call.tool)
            && (rule.toolsets.is_empty() || one(&rule.toolsets, &toolset))
            && (rule.servers.is_empty()
                || toolset.strip_prefix("mcp-").is_some_and(|server| one(&rule.servers, server)))
            && (rule.environments.is_empty()
                || rule.environments.iter().any(|kind| kind == call.environment.unwrap_or("local")))
            && rule.annotations.iter().all(|(name, value)| effect(name) == *value)
            && (!rule.no_other_parameters
                || names.keys().all(|name| rule.parameters.iter().any(|own| own.name == *name)))
            && rule.parameters.iter().all(|parameter| fulfils(parameter, call, strict))
    }

    pub(super) fn toolset(tool: &str) -> String {
        match tool {
            "mcp__git__log" => "mcp-git".to_owned(),
            "mcp__db__drop" => "mcp-db".to_owned(),
            "fetch" => String::new(),
            _ => "file".to_owned(),
        }
    }

    pub(super) fn judge(rules: &[NewRule], call: &TestCall) -> (Verdict, Vec<String>) {
        let matching: Vec<&NewRule> = rules.iter().filter(|rule| covers(rule, call)).collect();
        let of = |verdict| matching.iter().filter(move |rule| rule.verdict == verdict);
        if let Some(rule) = of(Verdict::Deny).next() {
            return (Verdict::Deny, vec![rule.name.clone()]);
        }
        let is_exempt = |name: &String| of(Verdict::Allow).any(|rule| rule.exempts.contains(name));
        let asked: Vec<String> =
            of(Verdict::Ask).map(|rule| rule.name.clone()).filter(|name| !is_exempt(name)).collect();
        let allowed: Vec<String> = of(Verdict::Allow).map(|rule| rule.name.clone()).collect();
        match (asked.is_empty(), allowed.is_empty()) {
            (false, _) => (Verdict::Ask, asked),
            (true, true) if call.requires_approval => (Verdict::Ask, Vec::new()),
            _ => (Verdict::Allow, allowed),
        }
    }
}

#[test]
fn random_calls_are_judged_as_the_documentation_says() {
    let calls: usize = std::env::var("TOOLC_CALLS").ok().map_or(20_000, |count| count.parse().expect("a number"));
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut judged, mut verdicts) = (0, [0_usize; 3]);
    while judged < calls {
        let rules: Vec<NewRule> = (0..=random.below(5)).map(|at| rule(&mut random, at)).collect();
        let text: String = rules.iter().map(NewRule::text).collect();
        // A rule that can never match is refused.
        let Ok(file) = PermissionFile::read("random", &text, Trust::Home) else { continue };
        let set = Arc::new(PermissionSet::new([&file]));
        for _ in 0..50 {
            let call = call(&mut random);
            let mut behaviour = Behaviour::DEFAULT;
            behaviour.annotations = behaviour.annotations.with_read_only(call.read_only);
            if call.requires_approval {
                behaviour.approval = Approval::ALWAYS;
            }
            let tool = crate::tool(call.tool, &documented::toolset(call.tool), behaviour);
            let found = crate::judge(&set, &tool, call.environment, &call.arguments);
            let names: Vec<String> = found.rules.iter().map(|rule| rule.name().to_owned()).collect();
            let expected = documented::judge(&rules, &call);
            assert_eq!(
                (found.verdict, names),
                expected,
                "{text}\n{} {:?} {} approval: {}",
                call.tool,
                call.environment,
                call.arguments,
                call.requires_approval
            );
            verdicts[found.verdict as usize] += 1;
            judged += 1;
        }
    }
    // Each verdict occurs often enough to mean something.
    assert!(verdicts.iter().all(|count| *count > judged / 20), "{verdicts:?}");
}
