//! Renames tools, toolsets and parameters everywhere, and leaves an alias, so that calls by the old name still work.

use std::ops::Range;

use toml_edit::{Array, DocumentMut, Item, Value};
use toolc_codegen::Sources;
use toolc_codegen::format::format;
use toolc_codegen::kept::Kept;
use toolc_codegen::source::Source;

use crate::graph::Graph;
use crate::names::{Symbol, is_declared, path_of};
use crate::navigation::references;
use crate::vocabulary::Target;

/// A rename that is checked: the new texts of files, and the file that moves.
#[derive(Debug)]
pub(crate) struct Renamed {
    /// The path of each changed file before the rename, with its new text.
    pub(crate) files: Vec<(String, String)>,
    /// The path of the manifest of a tool or toolset, before and after.
    pub(crate) moved: Option<(String, String)>,
}

/// Returns why a name cannot be renamed at all.
pub(crate) fn obstacle(sources: &Sources, symbol: &Symbol) -> Option<String> {
    let noun = symbol.target.noun();
    match symbol.target {
        Target::Fact | Target::Variable | Target::Dialect => Some(format!(
            "`{}` is the name of a {noun}: only tools, toolsets and parameters can be renamed",
            symbol.name
        )),
        Target::Tool | Target::Toolset if !is_declared(sources, symbol.target, &symbol.name) => {
            Some(format!("no manifest declares the {noun} `{}`", symbol.name))
        }
        _ => None,
    }
}

/// Renames what a name in the file `own` refers to. `graph` has the errors of the project before.
///
/// # Errors
/// Why it cannot be renamed.
pub(crate) fn rename(
    sources: &Sources,
    own: &Source,
    symbol: &Symbol,
    new: &str,
    graph: Option<&Graph>,
) -> Result<Renamed, String> {
    if let Some(why) = obstacle(sources, symbol) {
        return Err(why);
    }
    let old = symbol.name.as_str();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if new.is_empty() || !new.chars().all(is_letter) {
        return Err(format!("`{new}` is not a name: expected letters, digits, `_` and `-`"));
    }
    if new == old {
        return Err(format!("`{new}` is the name already"));
    }
    let home = path_of(symbol.target, old);
    let moved = home.clone().zip(path_of(symbol.target, new));
    if let Some((_, to)) = &moved
        && sources.find(to).is_some()
    {
        return Err(format!("{to} exists already: choose another name"));
    }
    let home = home.unwrap_or_else(|| own.path.clone());
    let files = changed(sources, own, symbol, new, &home)?;
    let renamed = Renamed { files, moved };
    match new_error(sources, &renamed, graph) {
        Some(error) => Err(format!("with the name `{new}`, {error}")),
        None => Ok(renamed),
    }
}

/// Returns the changed files with their new texts.
fn changed(
    sources: &Sources,
    own: &Source,
    symbol: &Symbol,
    new: &str,
    home: &str,
) -> Result<Vec<(String, String)>, String> {
    let mut places = references(sources, own, symbol);
    places.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.start.cmp(&b.1.start)));
    let mut files = Vec::new();
    for group in places.chunk_by(|a, b| a.0 == b.0) {
        let path = &group[0].0;
        let Some(source) = sources.find(path).map(|id| sources.get(id)) else { continue };
        let ranges: Vec<&Range<usize>> = group.iter().map(|(_, range)| range).collect();
        let mut text = replaced(&source.text, &ranges, new);
        if path == home {
            text = with_alias(source, &text, symbol, new)?;
        }
        files.push((path.clone(), text));
    }
    Ok(files)
}

fn replaced(text: &str, ranges: &[&Range<usize>], new: &str) -> String {
    let mut out = text.to_owned();
    for range in ranges.iter().rev() {
        out.replace_range((*range).clone(), new);
    }
    out
}

/// Adds the old name to the aliases of what has the new name. A formatted file stays formatted.
fn with_alias(before: &Source, text: &str, symbol: &Symbol, new: &str) -> Result<String, String> {
    let broken = || format!("{} cannot be read as TOML: correct it first", before.path);
    let mut document: DocumentMut = text.parse().map_err(|_| broken())?;
    let mut table = document.as_item_mut();
    if symbol.target == Target::Parameter {
        let found = table.get_mut("params").and_then(|params| params.get_mut(new));
        table = found.ok_or_else(|| format!("no parameter `{}` is in `[params]`", symbol.name))?;
    }
    let table = table.as_table_like_mut().ok_or_else(broken)?;
    let mut aliases = table.get("aliases").and_then(Item::as_array).cloned().unwrap_or_else(Array::new);
    aliases.retain(|alias| alias.as_str() != Some(new));
    if !aliases.iter().any(|alias| alias.as_str() == Some(&symbol.name)) {
        aliases.push(symbol.name.as_str());
    }
    table.insert("aliases", Item::Value(Value::Array(aliases)));
    let text = document.to_string();
    let was_formatted = format(before.kind, &before.text).as_deref() == Some(&*before.text);
    Ok(if was_formatted { format(before.kind, &text).unwrap_or(text) } else { text })
}

/// Returns an error of the compiler that the project has after the rename and did not have before.
fn new_error(sources: &Sources, renamed: &Renamed, graph: Option<&Graph>) -> Option<String> {
    let place = |path: &str| match &renamed.moved {
        Some((from, to)) if from == path => to.clone(),
        _ => path.to_owned(),
    };
    let files: Vec<(String, &str)> = renamed.files.iter().map(|(path, text)| (place(path), text.as_str())).collect();
    let kept = sources.only(|source| renamed.moved.as_ref().is_none_or(|(from, _)| source.path != *from));
    let after = kept.with_files(files.iter().map(|(path, text)| (path.as_str(), *text)));
    let (after, _) = Graph::compile(after, Kept::default());
    let before = graph.map(Graph::errors).unwrap_or_default();
    let is_new = |found: &&toolc_codegen::diagnostic::Diagnostic| {
        found.code.is_fixed() && !before.contains(&(found.code.id, found.message.as_str()))
    };
    let found = after.findings.iter().find(is_new)?;
    Some(format!("{} would have an error: {}", after.sources.get(found.at.0.source).path, found.message))
}
