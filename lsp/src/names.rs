//! Names in manifests: what the one at a position refers to, and where a name occurs.

use std::ops::Range;

use toolc_codegen::Sources;
use toolc_codegen::source::{Kind, Source};

use crate::scan::{Node, Role, Scan, scan};
use crate::vocabulary::{Target, target};

/// A name at a place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) target: Target,
    pub(crate) name: String,
    pub(crate) range: Range<usize>,
}

/// Returns the path of the manifest that declares a tool or toolset.
pub(crate) fn path_of(target: Target, name: &str) -> Option<String> {
    let kind = match target {
        Target::Tool => Kind::Tool,
        Target::Toolset => Kind::Toolset,
        Target::Fact => return Some(Kind::Facts.place().to_owned()),
        Target::Variable => return Some(Kind::Env.place().to_owned()),
        Target::Parameter | Target::Dialect => return None,
    };
    Some(format!("{}{name}.toml", kind.place()))
}

/// Returns whether a manifest of the project declares the name.
pub(crate) fn is_declared(sources: &Sources, target: Target, name: &str) -> bool {
    path_of(target, name).is_some_and(|path| sources.find(&path).is_some())
}

/// Returns the names that the project declares, in order.
pub(crate) fn declared(sources: &Sources, target: Target) -> Vec<String> {
    let stems = |kind: Kind| {
        let files = sources.all().iter().filter(move |source| source.kind == Some(kind));
        files.map(|source| source.stem.clone()).collect()
    };
    let keys = |kind: Kind| {
        let file = sources.find(kind.place()).map(|id| sources.get(id));
        file.map(|source| own_names(kind, &scan(&source.text), &source.text, target)).unwrap_or_default()
    };
    match target {
        Target::Tool => stems(Kind::Tool),
        Target::Toolset => stems(Kind::Toolset),
        Target::Fact => keys(Kind::Facts),
        Target::Variable => keys(Kind::Env),
        Target::Dialect => toolc_codegen::dialects::DIALECTS.iter().map(|dialect| dialect.name.to_owned()).collect(),
        Target::Parameter => Vec::new(),
    }
}

/// Returns the names that a file declares as keys, each once.
pub(crate) fn own_names(kind: Kind, found: &Scan, text: &str, wanted: Target) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for node in &found.nodes {
        let name = &text[node.range.clone()];
        if declares(kind, node, wanted) && !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns whether a node is a key that declares a parameter, a fact or a variable.
pub(crate) fn declares(kind: Kind, node: &Node, wanted: Target) -> bool {
    let is_key = matches!(node.role, Role::Header | Role::Key);
    is_key && node.path.len() == 2 && target(kind, &node.path, true) == Some(wanted)
}

/// Returns the name at a byte of a file.
pub(crate) fn symbol_at(source: &Source, sources: &Sources, offset: usize) -> Option<Symbol> {
    let (kind, text): (Kind, &str) = (source.kind?, &source.text);
    let found = scan(text);
    let node = found.at(offset)?;
    let is_key = matches!(node.role, Role::Header | Role::Key);
    if let Some(target) = target(kind, &node.path, is_key) {
        return Some(Symbol { target, name: text[node.range.clone()].to_owned(), range: node.range.clone() });
    }
    if node.role != Role::Text {
        return None;
    }
    let range = word_at(text, &node.range, offset)?;
    let name = &text[range.clone()];
    let parameters = || own_names(kind, &found, text, Target::Parameter);
    let target = match context(text, &range) {
        Context::Condition(target) => target,
        Context::Quoted | Context::Ticked if is_declared(sources, Target::Tool, name) => Target::Tool,
        Context::Ticked if parameters().iter().any(|own| own == name) => Target::Parameter,
        Context::Ticked if is_declared(sources, Target::Toolset, name) => Target::Toolset,
        Context::Quoted | Context::Ticked | Context::Plain => return None,
    };
    Some(Symbol { target, name: name.to_owned(), range })
}

/// Returns the places in a file where a name occurs. `is_tool` says whether a tool has the name as well: a text that names it then means the
/// tool.
pub(crate) fn occurrences(source: &Source, wanted: Target, name: &str, is_tool: bool) -> Vec<Range<usize>> {
    let text: &str = &source.text;
    let Some(kind) = source.kind.filter(|_| text.contains(name)) else { return Vec::new() };
    let found = scan(text);
    let own = own_names(kind, &found, text, Target::Parameter);
    let mut places = Vec::new();
    for node in &found.nodes {
        let is_key = matches!(node.role, Role::Header | Role::Key);
        match target(kind, &node.path, is_key) {
            Some(target) if target == wanted && text[node.range.clone()] == *name => places.push(node.range.clone()),
            None if node.role == Role::Text => {
                places.extend(in_text(text, &node.range, name).into_iter().filter(|range| {
                    match context(text, range) {
                        Context::Condition(target) => target == wanted,
                        Context::Quoted => wanted == Target::Tool,
                        Context::Ticked => match wanted {
                            Target::Tool => true,
                            Target::Parameter => !is_tool,
                            Target::Toolset => !is_tool && !own.iter().any(|own| own == name),
                            Target::Fact | Target::Variable | Target::Dialect => false,
                        },
                        Context::Plain => false,
                    }
                }));
            }
            Some(_) | None => {}
        }
    }
    places
}

/// What a word in a text is.
enum Context {
    /// `tools.NAME` or `facts.NAME`.
    Condition(Target),
    /// `'NAME'` in a call such as `available('NAME')`.
    Quoted,
    /// In backticks.
    Ticked,
    Plain,
}

fn context(text: &str, range: &Range<usize>) -> Context {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let is_condition = |prefix: &str| {
        before
            .strip_suffix(prefix)
            .is_some_and(|rest| !rest.ends_with(|letter: char| is_letter(letter) || letter == '.'))
    };
    if is_condition("tools.") {
        Context::Condition(Target::Tool)
    } else if is_condition("facts.") {
        Context::Condition(Target::Fact)
    } else if before.ends_with('`') && after.starts_with('`') {
        Context::Ticked
    } else if before.ends_with('\'') && after.starts_with('\'') && is_call(before) {
        Context::Quoted
    } else {
        Context::Plain
    }
}

/// Returns whether the text ends within the arguments of `available(`.
fn is_call(before: &str) -> bool {
    before.rfind("available(").is_some_and(|at| !before[at..].contains(')'))
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

fn word_at(text: &str, within: &Range<usize>, offset: usize) -> Option<Range<usize>> {
    let [before, after] = [text.get(within.start..offset)?, text.get(offset..within.end)?];
    let start = before.len() - before.trim_end_matches(is_letter).len();
    let end = after.len() - after.trim_start_matches(is_letter).len();
    (start + end > 0).then_some(offset - start..offset + end)
}

/// Returns the places where a name is a whole word.
fn in_text(text: &str, within: &Range<usize>, name: &str) -> Vec<Range<usize>> {
    let found =
        text[within.clone()].match_indices(name).map(|(at, _)| within.start + at..within.start + at + name.len());
    let is_whole =
        |range: &Range<usize>| !text[..range.start].ends_with(is_letter) && !text[range.end..].starts_with(is_letter);
    found.filter(is_whole).collect()
}
