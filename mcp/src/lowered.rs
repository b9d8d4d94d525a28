//! What models see of a server's tool: its schema, mended and in the form of each dialect.

use std::collections::BTreeMap;

use serde_json::Value;
use toolc::Dialect;
use toolc::schema::{LoweredTool, Table};
use toolc_lower::dialects::{self, DIALECTS};
use toolc_lower::run_time::show;

use crate::visible::one_line;

/// The maximum number of findings of one kind about a tool that are listed.
const MAX_LISTED: usize = 20;
/// The maximum number of parts that are removed from a schema because they are not JSON Schema.
const MAX_REMOVED: usize = 200;

/// Mends the schema of a tool. Returns what has been mended, or why the schema cannot be used.
pub(crate) fn mend(schema: &mut Value) -> Result<Vec<String>, String> {
    let mut mends: Vec<String> =
        toolc_lower::schema::mend(schema).into_iter().map(|mend| line(&mend.pointer, &mend.what)).collect();
    mends.extend(without_broken_patterns(schema));
    for _ in 0..MAX_REMOVED {
        let (pointer, problem) = match jsonschema::draft202012::meta::validate(schema) {
            Ok(()) => break,
            Err(error) => (error.instance_path().to_string(), error.to_string()),
        };
        if !toolc_lower::schema::leave_out(schema, &pointer) {
            return Err(format!("its `inputSchema` is not a JSON Schema: {}, at `{pointer}`", one_line(&problem, 200)));
        }
        mends.push(line(&pointer, "is not valid in JSON Schema: it is left out"));
        let dependent = toolc_lower::schema::without_false_prohibitions(schema, &[pointer]);
        mends.extend(dependent.iter().map(|mend| line(&mend.pointer, &mend.what)));
    }
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        let pointer = error.instance_path().to_string();
        return Err(format!(
            "its `inputSchema` is not a JSON Schema: {}, at `{pointer}`",
            one_line(&error.to_string(), 200)
        ));
    }
    Ok(listed(mends))
}

/// Leaves out the patterns that are not regular expressions. Vendors refuse a request with one.
fn without_broken_patterns(schema: &mut Value) -> Vec<String> {
    fn find(schema: &mut Value, pointer: &str, found: &mut Vec<(String, String)>) {
        let Some(map) = schema.as_object_mut() else { return };
        let problem = |pattern: &str| {
            toolc_lower::schema::problem_of_pattern(pattern).filter(|_| !is_of_another_language(pattern))
        };
        let step = |keyword: &str| format!("{pointer}/{}", keyword.replace('~', "~0").replace('/', "~1"));
        if let Some(why) = map.get("pattern").and_then(Value::as_str).and_then(problem) {
            found.push((step("pattern"), why.to_owned()));
        }
        for pattern in map.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys()) {
            if let Some(why) = problem(pattern) {
                found.push((
                    step("patternProperties") + "/" + &pattern.replace('~', "~0").replace('/', "~1"),
                    why.to_owned(),
                ));
            }
        }
        toolc_lower::schema::subschemas(map, &mut |keyword, name, schema| {
            let mut inner = step(keyword);
            if !name.is_empty() || schema_is_named(keyword) {
                inner = format!("{inner}/{}", name.replace('~', "~0").replace('/', "~1"));
            }
            find(schema, &inner, found);
        });
    }
    let mut found = Vec::new();
    find(schema, "", &mut found);
    let mut mends = Vec::new();
    for (pointer, why) in &found {
        if leave_pattern_to_words(schema, pointer) {
            mends.push(line(pointer, &format!("is not a regular expression ({why}): it is stated in words")));
        }
    }
    let places: Vec<String> = found.into_iter().map(|(pointer, _)| pointer).collect();
    let dependent = toolc_lower::schema::without_false_prohibitions(schema, &places);
    mends.extend(dependent.iter().map(|mend| line(&mend.pointer, &mend.what)));
    mends
}

/// Leaves out a pattern. Its text stays in the description, because it can still tell a model what the server expects.
fn leave_pattern_to_words(schema: &mut Value, pointer: &str) -> bool {
    const MAX_PATTERN: usize = 200;
    let pattern =
        schema.pointer(pointer).and_then(Value::as_str).filter(|text| text.len() <= MAX_PATTERN).map(str::to_owned);
    if !toolc_lower::schema::leave_out(schema, pointer) {
        return false;
    }
    let parent = pointer.rsplit_once('/').and_then(|(parent, _)| schema.pointer_mut(parent)?.as_object_mut());
    if let (Some(pattern), Some(map)) = (pattern, parent) {
        let words = format!("Matches the regular expression {pattern}");
        let before = map.get("description").and_then(Value::as_str).filter(|text| !text.is_empty());
        let words = before.map_or(words.clone(), |before| format!("{before}\n{words}"));
        map.insert("description".to_owned(), words.into());
    }
    true
}

/// Returns whether a pattern has what other languages read and ECMA-262 does not. The server may enforce it.
fn is_of_another_language(pattern: &str) -> bool {
    const MARKS: [&str; 22] = [
        "(?i", "(?m", "(?s", "(?x", "(?u", "(?a", "(?L", "(?-", "(?^", "(?P", "(?>", "(?#", "(?|", "(?(", r"\A", r"\Z",
        r"\z", r"\Q", "*+", "++", "?+", "}+",
    ];
    MARKS.iter().any(|mark| pattern.contains(mark))
}

/// Returns whether a keyword has schemas by name, of which one can be empty.
fn schema_is_named(keyword: &str) -> bool {
    ["properties", "patternProperties", "$defs", "dependentSchemas"].contains(&keyword)
}

fn line(pointer: &str, what: &str) -> String {
    format!("its `inputSchema` at `{}` {what}", one_line(if pointer.is_empty() { "/" } else { pointer }, 120))
}

/// Returns what a dialect shows of a tool with this schema.
pub(crate) fn lower(dialect: Dialect, description: &str, schema: &Value) -> Option<LoweredTool> {
    let shown = show(dialects::find(dialect.name())?, description, schema);
    Some(LoweredTool { description: shown.description, parameters: shown.parameters })
}

/// Returns the patterns in a schema that only the server checks.
pub(crate) fn unenforced(schema: &Value) -> Vec<String> {
    let Ok(table) = Table::from_schema(schema) else { return Vec::new() };
    let line = |(pattern, what): (&str, &str)| {
        format!("its pattern `{}` is left to the server, because it has {what}", one_line(pattern, 120))
    };
    let mut all: Vec<String> = table.unenforced_patterns().map(line).collect();
    all.sort();
    all.dedup();
    listed(all)
}

/// Returns what dialects of vendors that accept any schema change in a tool. The changes of those that accept a subset are expected.
pub(crate) fn changes(description: &str, schema: &Value) -> Vec<String> {
    let mut dialects_of = BTreeMap::<String, Vec<&str>>::new();
    let vendors = DIALECTS
        .iter()
        .filter(|dialect| dialect.in_runtime().is_some() && dialect.accepts_any_schema() && dialect.lenient.is_none());
    for dialect in vendors {
        for change in show(dialect, description, schema).changes() {
            let dialects = dialects_of.entry(one_line(&change, 200)).or_default();
            // The name can occur in several alternatives.
            if dialects.last() != Some(&dialect.name) {
                dialects.push(dialect.name);
            }
        }
    }
    let line = |(change, dialects): (String, Vec<&str>)| {
        let dialects: Vec<String> = dialects.iter().map(|name| format!("`{name}`")).collect();
        format!("{change} in {}", dialects.join(", "))
    };
    listed(dialects_of.into_iter().map(line).collect())
}

/// Returns the first findings about a tool, and the number of the others.
fn listed(mut findings: Vec<String>) -> Vec<String> {
    if findings.len() > MAX_LISTED {
        let more = findings.len() - MAX_LISTED;
        findings.truncate(MAX_LISTED);
        findings.push(format!("{more} more"));
    }
    findings
}

#[cfg(test)]
mod random_schemas;
#[cfg(test)]
mod tests;
