//! A name in backticks that seems to be that of a tool, although no tool has it: the text says to use or call it, or it
//! differs from a tool's name by a few letters. Usually a tool was renamed or deleted, and the text was not updated.
//! Names of toolsets, parameters, values, facts, variables, programs and external tools are not reported.
//!
//! ## Why is this bad
//! Models call the tools that they read about, and this call fails with every model.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. For whole folders, use `read_folder` instead."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. It does not read whole folders."
//! ```

use std::collections::BTreeSet;

use toolc::suggest::nearest;

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::mentions::{Mention, ends_with_word, mentions, starts_with_word};
use crate::lint::template_parts::Part;
use crate::lint::verbs::{stem, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M022", "unknown-tool-mention", Some(Level::Warning), Check::Catalog(check));

/// Words before the name of a tool that a text asks for.
const REQUESTS: &[&str] = &["call", "calling", "by", "invoke", "prefer", "run", "through", "try", "use", "using", "via", "with"];

/// Words after a name that is not that of a tool.
const OTHER_NOUNS: &[&str] = &[
    "argument", "attribute", "branch", "class", "column", "command", "constant", "endpoint", "enum", "field", "file",
    "flag", "folder", "format", "function", "header", "key", "label", "library", "method", "mode", "module", "name",
    "object", "option", "package", "parameter", "permission", "program", "property", "scope", "setting", "syntax",
    "table", "tag", "type", "value", "variable",
];

/// Last words of the names of fields.
const FIELDS: &[&str] = &[
    "at", "by", "code", "count", "cursor", "date", "description", "format", "id", "key", "kind", "limit", "mode", "name",
    "number", "only", "path", "size", "state", "status", "text", "time", "timestamp", "title", "token", "type", "uri", "url",
    "value", "version",
];

/// Shorter names are rarely compared by their letters.
const MIN_LENGTH: usize = 6;

fn check(lint: &Lint<'_>, sink: &Sink) {
    let tools: BTreeSet<&str> = lint.tools().map(|(_, tool)| tool.name()).collect();
    let is_candidate = |name: &str| is_name(name) && !tools.contains(name);
    let mut known: Option<BTreeSet<&str>> = None;
    for (id, tool) in lint.tools() {
        if !lint.mentioned(id).iter().filter_map(|name| name.strip_prefix('`')).any(is_candidate) {
            continue;
        }
        let known = known.get_or_insert_with(|| known_names(lint));
        let Some(turns) = lint.turns(id) else { continue };
        let mut reported = BTreeSet::new();
        for part in lint.parts(tool, &turns) {
            for mention in mentions(part.text).filter(|mention| mention.is_quoted && is_name(mention.name) && !known.contains(mention.name)) {
                let near = nearest(mention.name, tools.iter().copied());
                let is_near = mention.name.len() >= MIN_LENGTH && !near.is_empty();
                let is_requested = is_requested(&part, &mention) && is_like_one(mention.name, &tools);
                let is_new = |reported: &mut BTreeSet<String>| reported.insert(mention.name.to_owned());
                if has_other_noun(&part, &mention) || !(is_near || is_requested) || !is_new(&mut reported) {
                    continue;
                }
                let place = part.place(lint, mention.span.clone());
                let message = format!("`{}` mentions `{}`, which is not a tool", tool.name(), mention.name);
                let found = Diagnostic::new(codes::UNKNOWN_TOOL_MENTION, place, message);
                let found = found.help_if(near.first().map(|near| format!("did you mean `{near}`?")));
                sink.push(found.help("name a tool of the project, remove the name, or list the tool in `external.tools` of `toolc.toml` if it is added at run time"));
            }
        }
    }
}

/// Returns every name that a text can mean other than a tool's.
fn known_names<'l>(lint: &'l Lint<'_>) -> BTreeSet<&'l str> {
    let mut known: BTreeSet<&str> = lint.external().iter().map(String::as_str).collect();
    for (_, tool) in lint.tools() {
        let manifest = &tool.manifest;
        known.extend([tool.name()]);
        known.extend(manifest.dialect.iter().filter_map(|dialect| Some(dialect.name.as_ref()?.value.as_str())));
        known.extend(manifest.defs.iter().map(|(_, def)| def.name.value.as_str()));
        known.extend(manifest.requires.programs.iter().map(|program| program.value.as_str()));
        for schema in manifest.schemas() {
            known.extend(schema.properties.iter().map(|property| property.name.value.as_str()));
            let values = schema.choices.iter().map(|choice| &choice.value);
            let values = values.chain(&schema.constant).chain(&schema.default).chain(&schema.examples);
            known.extend(values.filter_map(|value| value.value.as_str()));
        }
    }
    for (_, toolset) in lint.toolsets() {
        let manifest = &toolset.manifest;
        known.extend([toolset.name()]);
        let lists = [&manifest.aliases, &manifest.tags, &manifest.requires.programs];
        known.extend(lists.into_iter().flatten().map(|name| name.value.as_str()));
    }
    known.extend(lint.facts().iter().map(|fact| fact.name.value.as_str()));
    known.extend(lint.variables().iter().map(|variable| variable.name.value.as_str()));
    known
}

/// Returns whether a quoted name has the form of a tool's: several words in lower case.
fn is_name(name: &str) -> bool {
    let is_lower = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte));
    is_lower && name.contains('_') && !name.starts_with('_')
}

/// Returns whether the text asks to use what it names.
fn is_requested(part: &Part<'_>, mention: &Mention<'_>) -> bool {
    let before = part.text[..mention.span.start].trim_end_matches('`').to_lowercase();
    let before = before.trim_end().strip_suffix(" the").unwrap_or(&before);
    mention.is_called_tool || REQUESTS.iter().any(|word| ends_with_word(before, word))
}

/// Returns whether the text says that the name is that of something else.
fn has_other_noun(part: &Part<'_>, mention: &Mention<'_>) -> bool {
    let before = part.text[..mention.span.start].trim_end_matches('`').to_lowercase();
    let after = part.text[mention.span.end..].trim_start_matches('`').trim_start();
    let is_assigned = after.starts_with(['=', ':']);
    is_assigned
        || OTHER_NOUNS.iter().any(|noun| {
            let is_after = || starts_with_word(after, noun) || after.strip_prefix(noun).is_some_and(|rest| starts_with_word(rest, "s"));
            ends_with_word(&before, noun) || is_after()
        })
}

/// Returns whether a name begins or ends as that of a tool does.
fn is_like_one(name: &str, tools: &BTreeSet<&str>) -> bool {
    let name = words(name);
    let same = |one: Option<&std::borrow::Cow<'_, str>>, other: Option<&std::borrow::Cow<'_, str>>| match (one, other) {
        (Some(one), Some(other)) => stem(one) == stem(other),
        _ => false,
    };
    let is_field = name.last().is_some_and(|last| FIELDS.contains(&&*stem(last)));
    !is_field && tools.iter().map(|tool| words(tool)).any(|tool| {
        name.len() > 1 && tool.len() > 1 && (same(name.first(), tool.first()) || same(name.last(), tool.last()))
    })
}
