//! Compiles manifests in memory, so that nothing is written that the project could not compile.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolc_codegen::diagnostic::{Diagnostic, Level, Places};
use toolc_codegen::source::Kind;
use toolc_codegen::{Sources, compile};

use crate::print;
use crate::report::{Effect, Report};
use crate::schema::{Table, template};

/// The maximum number of parts of a tool that are left out, one after the other, until it compiles.
const MAX_ROUNDS: usize = 40;

/// Returns the manifests of the project that decide how a tool compiles: its toolset and the settings, and the facts and variables.
pub fn surroundings(sources: &Sources, toolset: &str) -> Sources {
    sources.only(|source| match source.kind {
        Some(Kind::Settings | Kind::Env | Kind::Plugin | Kind::Facts) => true,
        Some(Kind::Toolset) => source.stem == toolset,
        _ => false,
    })
}

/// Leaves out the parts of a tool that do not compile, and returns the text of its manifest.
///
/// # Errors
/// Why it does not compile, if more than single values and patterns are wrong.
pub fn settle(
    tool: &str,
    pointers: &dyn Fn(&str) -> String,
    table: &mut Table,
    others: &Sources,
    report: &mut Report,
) -> Result<String, String> {
    let name = table.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let path = format!("{}{name}.toml", Kind::Tool.place());
    for _ in 0..MAX_ROUNDS {
        let text = print::manifest(Kind::Tool, table)?;
        let sources = others.with_file(&path, &text);
        let found = compile(&sources).diagnostics;
        let places = Places::new(&sources);
        let mut errors = found.iter().filter(|found| is_error(found) && sources.get(found.at.0.source).path == path);
        let Some(error) = errors.next() else { return Ok(text) };
        let pointer = places.pointer(error.at.0);
        let done = format!("left out: {}", message(error));
        if let Some((removed, found, effect)) = leave_out(table, &pointer, error.code.name) {
            report.add(tool, &pointers(&removed), found.to_string(), done, effect);
        } else if let Some(returns) = table.shift_remove("returns") {
            // Calls work without the schema of the result, whose definitions can have the mistake.
            drop_unused_definitions(table);
            report.add(tool, &pointers("/returns"), returns.to_string(), done, Effect::Wider);
        } else {
            return Err(message(error));
        }
    }
    Err(format!("it does not compile after {MAX_ROUNDS} parts were left out"))
}

/// Returns what is wrong, in one line.
fn message(found: &Diagnostic) -> String {
    let label = if found.at.1.is_empty() { String::new() } else { format!(" ({})", found.at.1) };
    format!("{}{label}", found.message)
}

fn is_error(found: &Diagnostic) -> bool {
    found.level == Level::Error
}

/// Removes the definitions to which nothing refers.
fn drop_unused_definitions(table: &mut Table) {
    fn targets(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                let target = map.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix("#/$defs/"));
                found.extend(target.map(str::to_owned));
                map.iter().filter(|(key, _)| *key != "$defs").for_each(|(_, value)| targets(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| targets(item, found)),
            _ => {}
        }
    }
    let mut used = BTreeSet::new();
    table.values().for_each(|value| targets(value, &mut used));
    let Some(definitions) = table.get_mut("schema").and_then(|schema| schema.get_mut("$defs")?.as_object_mut()) else {
        return;
    };
    let mut open: Vec<String> = used.iter().cloned().collect();
    while let Some(name) = open.pop() {
        let mut next = BTreeSet::new();
        definitions.get(&name).into_iter().for_each(|schema| targets(schema, &mut next));
        open.extend(next.into_iter().filter(|name| used.insert(name.clone())));
    }
    definitions.retain(|name, _| used.contains(name));
}

/// Leaves out the part of a manifest at a place, if it is one without which the rest keeps its meaning. Returns its place, and what it was.
fn leave_out(table: &mut Table, pointer: &str, rule: &str) -> Option<(String, Value, Effect)> {
    let mut root = Value::Object(std::mem::take(table));
    let done = leave_out_of(&mut root, pointer, rule);
    if let Value::Object(map) = root {
        *table = map;
    }
    done
}

fn leave_out_of(root: &mut Value, pointer: &str, rule: &str) -> Option<(String, Value, Effect)> {
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    for end in (1..=steps.len()).rev() {
        let parent = steps[..end - 1].iter().fold(String::new(), |path, step| path + "/" + step);
        let (key, next) = (steps[end - 1], steps.get(end));
        let is_name = !is_keyword(&steps[..end]);
        let Some(map) = root.pointer_mut(&parent).and_then(Value::as_object_mut).filter(|_| !is_name) else { continue };
        let whole = format!("{parent}/{key}");
        // JSON Schema calls a format an annotation: a value is valid without it.
        if rule == "value-violates-format" && ["default", "examples", "enum", "const"].contains(&key) {
            let format = map.shift_remove("format")?;
            return Some((format!("{parent}/format"), format, Effect::Same));
        }
        match key {
            "default" | "meta" | "icons" => return map.shift_remove(key).map(|value| (whole, value, Effect::Same)),
            "examples" | "enum" => return item(map, key, next, &whole),
            "pattern" => {
                let value = map.shift_remove(key)?;
                let text = template(&format!("Matches the regular expression {}", value.as_str().unwrap_or_default()));
                let before = map.get("description").and_then(Value::as_str);
                let text = before.map_or_else(|| text.clone(), |before| format!("{before}\n{text}"));
                map.insert("description".to_owned(), text.into());
                return Some((whole, value, Effect::Wider));
            }
            _ => {}
        }
    }
    None
}

/// Returns whether the last step of a place is a key of a tool or a keyword of a schema, not a name or a part of a value.
fn is_keyword(steps: &[&str]) -> bool {
    let (mut rest, mut is_tool) = (steps, true);
    while let [first, below @ ..] = rest {
        if below.is_empty() {
            return true;
        }
        let skipped = match *first {
            "params" if is_tool => 1,
            "schema" | "returns" if is_tool => 0,
            _ if is_tool => return false,
            "properties" | "$defs" | "anyOf" | "oneOf" | "allOf" => 1,
            "items" | "additionalProperties" => 0,
            _ => return false,
        };
        rest = below.get(skipped..).unwrap_or_default();
        is_tool = false;
    }
    false
}

/// Leaves out an item of a list: no value equals it that is not refused or listed anyway.
fn item(map: &mut Map<String, Value>, key: &str, index: Option<&&str>, whole: &str) -> Option<(String, Value, Effect)> {
    let items = map.get_mut(key)?.as_array_mut()?;
    let index = index.and_then(|index| index.parse().ok()).unwrap_or(0_usize);
    if index >= items.len() || (key == "enum" && items.len() == 1) {
        return None;
    }
    let value = items.remove(index);
    if items.is_empty() {
        map.shift_remove(key);
    }
    Some((format!("{whole}/{index}"), value, Effect::Same))
}

/// The errors of a project with new files.
#[derive(Debug, Default)]
pub struct Errors {
    /// The first error in each new file, by path.
    pub ours: BTreeMap<String, String>,
    /// Errors in other files that the project did not have before.
    pub others: Vec<String>,
}

/// Compiles the project with new files, and without those that are removed.
pub fn project(sources: &Sources, files: &BTreeMap<String, String>, removed: &BTreeSet<String>) -> Errors {
    let errors = |sources: &Sources| -> Vec<(String, String)> {
        let found = compile(sources).diagnostics;
        let path = |found: &Diagnostic| sources.get(found.at.0.source).path.clone();
        found.iter().filter(|found| is_error(found)).map(|found| (path(found), message(found))).collect()
    };
    let before = errors(sources);
    let kept = sources.only(|source| !removed.contains(&source.path));
    let after = files.iter().fold(kept, |all, (path, text)| all.with_file(path, text));
    let mut found = Errors::default();
    for (path, message) in errors(&after) {
        if files.contains_key(&path) {
            found.ours.entry(path).or_insert(message);
        } else if !before.contains(&(path.clone(), message.clone())) {
            found.others.push(format!("{path}: {message}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::is_keyword;

    #[test]
    fn a_parameter_can_have_the_name_of_a_keyword() {
        let is = |place: &str| is_keyword(&place.split('/').skip(1).collect::<Vec<_>>());
        for place in [
            "/meta",
            "/params/default/default",
            "/params/properties/default",
            "/schema/$defs/enum/items/pattern",
            "/returns/anyOf/0/enum",
        ] {
            assert!(is(place), "{place}");
        }
        for place in [
            "/params/default",
            "/schema/properties/pattern",
            "/params/a/default/pattern",
            "/schema/$defs/enum",
            "/meta/default",
        ] {
            assert!(!is(place), "{place}");
        }
    }
}
