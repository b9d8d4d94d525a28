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
    for _ in 0..MAX_REMOVED {
        let (pointer, problem) = match jsonschema::draft202012::meta::validate(schema) {
            Ok(()) => break,
            Err(error) => (error.instance_path().to_string(), error.to_string()),
        };
        if !remove(schema, &pointer) {
            return Err(format!("its `inputSchema` is not a JSON Schema: {}, at `{pointer}`", one_line(&problem, 200)));
        }
        mends.push(line(&pointer, "is not valid in JSON Schema: it is left out"));
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

fn line(pointer: &str, what: &str) -> String {
    format!("its `inputSchema` at `{}` {what}", one_line(if pointer.is_empty() { "/" } else { pointer }, 120))
}

/// Removes the keyword at a place. Returns whether there is one.
fn remove(schema: &mut Value, pointer: &str) -> bool {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return false };
    match schema.pointer_mut(parent) {
        Some(Value::Object(map)) => map.remove(&last.replace("~1", "/").replace("~0", "~")).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
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
mod tests;
