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
    sources.filtered(|source| match source.kind {
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
        let fixed = leave_out(table, &pointer, error.code.name);
        let Some((removed, found, effect)) = fixed else { return Err(message(error)) };
        let done = format!("left out: {}", message(error));
        report.add(tool, &pointers(&removed), found.to_string(), done, effect);
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
        // The name of a parameter is not a keyword.
        let is_name = end >= 2 && ["params", "properties", "$defs"].contains(&steps[end - 2]);
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
    let kept = sources.filtered(|source| !removed.contains(&source.path));
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
