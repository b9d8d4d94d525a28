//! The slow reference, which follows the documentation word by word. Each function says what the documentation says, without any shortcut.

use serde_json::Value;
use toolc_permissions::{NewParameter, NewRule, Verdict};

use crate::LINKS;
use crate::reference::{NUMBERS, TestCall, URLS};

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

fn matches(pattern: &str, text: &str) -> bool {
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
    let (written, path) = (absolute(text), follow(&absolute(text)));
    let certain = |pattern: &String| is_in(&absolute(pattern), &path, false);
    let possible = |pattern: &String| {
        let patterns = [absolute(pattern), followed(pattern)];
        patterns.iter().any(|pattern| is_in(pattern, &path, true) || is_in(pattern, &written, true))
    };
    let within = |pattern: &String| if strict { possible(pattern) } else { certain(pattern) };
    let excluded = |pattern: &String| if strict { certain(pattern) } else { possible(pattern) };
    Some(
        (parameter.within.is_empty() || parameter.within.iter().any(within)) && !parameter.outside.iter().any(excluded),
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

/// Returns the place of a number in their order.
fn rank(number: &Value) -> usize {
    let text = number.to_string();
    let is_it = |(spellings, _): &(&[&str], &str)| spellings.contains(&&*text);
    NUMBERS.iter().position(is_it).unwrap_or_else(|| panic!("{text} is not in the list"))
}

fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => rank(one) == rank(other),
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
        let texts = match value {
            Value::String(text) => vec![text.clone()],
            Value::Bool(_) => vec![value.to_string()],
            Value::Number(_) => vec![value.to_string(), NUMBERS[rank(value)].1.to_owned()],
            _ => Vec::new(),
        };
        let holds = |text: &String| {
            (parameter.matches.is_empty() || one(&parameter.matches, text)) && !one(&parameter.without, text)
        };
        let holds_for_number = if strict { texts.iter().any(holds) } else { texts.iter().all(holds) };
        all.push((!texts.is_empty()).then_some(holds_for_number));
    }
    if is_about_paths {
        all.push(value.as_str().and_then(|text| path(parameter, text, strict)));
    }
    if !parameter.hosts.is_empty() || !parameter.without_hosts.is_empty() {
        all.push(host(parameter, value));
    }
    for (kind, bound) in &parameter.bounds {
        let bound = rank(bound);
        all.push(value.is_number().then(|| rank(value)).map(|number| match kind.as_str() {
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

/// A value of a parameter.
enum Found {
    Value(Value),
    Missing,
    /// A text that may hold it.
    Unknown,
}

fn is_only_values(parameter: &NewParameter) -> bool {
    *parameter == NewParameter { is: parameter.is.clone(), ..NewParameter::new(parameter.name.clone()) }
}

/// Adds the values of a parameter: those of an array each by itself, unless the whole array is one of those that are wanted.
fn flat(parameter: &NewParameter, value: &Value, into: &mut Vec<Found>) {
    match value {
        Value::Null => into.push(Found::Missing),
        Value::Array(items) => {
            if is_only_values(parameter) && parameter.is.iter().any(|own| equal(own, value)) {
                into.push(Found::Value(value.clone()));
            } else {
                for item in items {
                    flat(parameter, item, into);
                }
            }
        }
        value => into.push(Found::Value(value.clone())),
    }
}

/// Returns the values of a parameter, or `None` if the call does not have it. The names have at most one dot.
fn values(arguments: &Value, parameter: &NewParameter) -> Option<Vec<Found>> {
    let mut found = Vec::new();
    let whole = arguments.get(&parameter.name);
    let object = parameter.name.split_once('.').and_then(|(first, rest)| Some((arguments.get(first)?, rest)));
    if let Some(value) = whole {
        flat(parameter, value, &mut found);
    }
    if let Some((value, rest)) = object {
        let items = match value {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        for item in items {
            match (item, item.get(rest)) {
                (_, Some(value)) => flat(parameter, value, &mut found),
                (Value::String(text), None) if text.starts_with(['[', '{']) => found.push(Found::Unknown),
                _ => found.push(Found::Missing),
            }
        }
    }
    (whole.is_some() || object.is_some()).then_some(found)
}

fn fulfils(parameter: &NewParameter, call: &TestCall, strict: bool) -> bool {
    let is_about_paths = !parameter.within.is_empty() || !parameter.outside.is_empty();
    if is_only_values(parameter) && parameter.is.is_empty() {
        return true;
    }
    let judge = |value: &Found| match value {
        Found::Value(value) => single(parameter, value, strict),
        Found::Unknown => None,
        Found::Missing if is_only_values(parameter) && parameter.is.contains(&Value::Null) => Some(true),
        Found::Missing if !strict => None,
        Found::Missing if is_about_paths => path(parameter, ".", strict),
        Found::Missing => Some(false),
    };
    let given = values(&call.arguments, parameter);
    let mut all: Vec<Holds> = given.iter().flatten().map(judge).collect();
    let mut has_others = false;
    if is_about_paths && call.tool == "patch" && parameter.name == "path" {
        for line in call.arguments.get("patch").and_then(Value::as_str).into_iter().flat_map(str::lines) {
            has_others = true;
            all.push(if line == "?" { None } else { path(parameter, line, strict) });
        }
    }
    if given.is_none() && !has_others {
        all.push(judge(&Found::Missing));
    }
    match (strict, all.is_empty()) {
        (true, true) => is_about_paths && judge(&Found::Missing) != Some(false),
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
        && (rule.servers.is_empty() || toolset.strip_prefix("mcp-").is_some_and(|server| one(&rule.servers, server)))
        && (rule.environments.is_empty()
            || rule.environments.iter().any(|kind| kind == call.environment.unwrap_or("local")))
        && rule.annotations.iter().all(|(name, value)| effect(name) == *value)
        && (!rule.no_other_parameters || names.keys().all(|name| rule.parameters.iter().any(|own| own.name == *name)))
        && rule.parameters.iter().all(|parameter| fulfils(parameter, call, strict))
}

/// Returns the toolset of a tool.
pub(crate) fn toolset(tool: &str) -> String {
    match tool {
        "mcp__git__log" => "mcp-git".to_owned(),
        "mcp__db__drop" => "mcp-db".to_owned(),
        "fetch" => String::new(),
        _ => "file".to_owned(),
    }
}

/// Returns the verdict about a call, and the rules that decide.
pub(crate) fn judge(rules: &[NewRule], call: &TestCall) -> (Verdict, Vec<String>) {
    let matching: Vec<&NewRule> = rules.iter().filter(|rule| covers(rule, call)).collect();
    let of = |verdict| matching.iter().filter(move |rule| rule.verdict == verdict);
    if let Some(rule) = of(Verdict::Deny).next() {
        return (Verdict::Deny, vec![rule.name.clone()]);
    }
    let is_exempt = |name: &String| of(Verdict::Allow).any(|rule| rule.exempts.contains(name));
    let asked: Vec<String> = of(Verdict::Ask).map(|rule| rule.name.clone()).filter(|name| !is_exempt(name)).collect();
    let allowed: Vec<String> = of(Verdict::Allow).map(|rule| rule.name.clone()).collect();
    match (asked.is_empty(), allowed.is_empty()) {
        (false, _) => (Verdict::Ask, asked),
        (true, true) if call.requires_approval => (Verdict::Ask, Vec::new()),
        _ => (Verdict::Allow, allowed),
    }
}
