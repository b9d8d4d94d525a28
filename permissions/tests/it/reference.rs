//! Random rules and calls, judged by the crate and by the slow reference in `documented.rs`. `TOOLC_CALLS` is the number of calls.

use std::sync::Arc;

use serde_json::{Value, json};
use toolc::behaviour::{Approval, Behaviour};
use toolc_permissions::{NewParameter, NewRule, PermissionFile, PermissionSet, Trust, Verdict};

use crate::documented;

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
    "prod.env",
    "deep/secrets/k",
    "/srv/env",
    "/srv/data/p",
    ".",
    "src/gen/a",
    "\0",
];
const PATH_PATTERNS: &[&str] = &[
    "src",
    "src/gen",
    ".",
    "~/notes",
    "/data",
    "/srv/data",
    "**/x",
    "*/gen",
    "/",
    "link",
    "tests",
    "inside",
    "*.env",
    "**/secrets",
];
/// URLs, each with its host.
pub(crate) const URLS: &[(&str, Option<&str>)] = &[
    ("https://example.com/a", Some("example.com")),
    ("http://a.example.com.", Some("a.example.com")),
    ("https://example.com@evil.test", Some("evil.test")),
    ("EVIL.test", Some("evil.test")),
    ("http://0x7f.1", Some("127.0.0.1")),
    ("http://[::ffff:7f00:1]:8080/", Some("127.0.0.1")),
    ("https://ex%61mple.com:443", Some("example.com")),
    ("https://bücher.test", Some("xn--bcher-kva.test")),
    ("https://example.com\\@evil.test", None),
    ("not a url", None),
    ("", None),
];
const HOSTS: &[&str] = &["example.com", "*.example.com", "evil.test", "*.test", "127.0.0.1", "*"];

fn number(random: &mut Random) -> Value {
    let (spellings, _) = random.pick(NUMBERS);
    serde_json::from_str(random.pick(spellings)).expect("a number")
}

fn value(random: &mut Random, name: &str) -> Value {
    let one = |random: &mut Random| match name {
        _ if random.below(12) == 0 => random.pick(&[
            json!(null),
            json!(5),
            json!(5.0),
            json!({ "a": 5 }),
            json!(true),
            json!([]),
            json!([[5], null]),
        ]),
        "path" => json!(random.pick(PATHS)),
        "url" => json!(random.pick(URLS).0),
        "word" => json!(random.pick(WORDS)),
        _ => number(random),
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
            parameter.bounds.push((bound.to_owned(), number(random)));
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

/// Numbers in their order, each with all of its spellings in JSON, and with the text that stands for it without a fraction.
pub(crate) const NUMBERS: &[(&[&str], &str)] = &[
    (&["-3"], "-3"),
    (&["0", "-0.0"], "0"),
    (&["5", "5.0"], "5"),
    (&["7.5"], "7.5"),
    (&["10"], "10"),
    (&["9007199254740992", "9007199254740992.0"], "9007199254740992"),
    (&["9007199254740993"], "9007199254740993"),
    (&["18446744073709551615"], "18446744073709551615"),
    (&["1e+25"], "1e+25"),
];

/// A random call.
pub(crate) struct TestCall {
    pub(crate) tool: &'static str,
    pub(crate) read_only: bool,
    pub(crate) requires_approval: bool,
    pub(crate) environment: Option<&'static str>,
    pub(crate) arguments: Value,
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
        let list = (0..random.below(3)).map(|_| item(random)).collect();
        let of_list = random.pick(&[list, json!("[{\"path\": \"a\"}]"), json!("src/a"), json!({ "word": "main" })]);
        arguments.insert("list".to_owned(), of_list);
    }
    for name in ["list.path", "list.word"] {
        if random.below(20) == 0 {
            arguments.insert(name.to_owned(), value(random, &name["list.".len()..]));
        }
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
