//! A description of a tool or parameter that is only a placeholder: `TODO`, `Parameter url`, `The url`, the name
//! again, or only the type.
//!
//! ## Why is this bad
//! The model learns nothing that the name does not say. Code generators often leave such texts behind.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.line_count]
//! type = "integer"
//! description = "The line count"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.line_count]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```

use std::borrow::Cow;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink};
use crate::lint::verbs::{stem, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M013", "placeholder-description", Some(Level::Warning), Check::Tool(check));

/// Placeholders that fit any tool or parameter.
const PLACEHOLDERS: &[&str] = &[
    "add a description",
    "add description",
    "add description here",
    "add your description here",
    "coming soon",
    "desc",
    "description",
    "description goes here",
    "description here",
    "description of the parameter",
    "description of the tool",
    "fill me in",
    "fixme",
    "insert description here",
    "n a",
    "no description",
    "no description available",
    "no description provided",
    "none",
    "null",
    "placeholder",
    "tba",
    "tbd",
    "test",
    "to be defined",
    "to be done",
    "todo",
    "undefined",
    "undocumented",
    "unknown",
    "xxx",
    "your description here",
];

/// Words before a name that add no information.
const BEFORE: &[&str] = &[
    "a",
    "an",
    "arg",
    "argument",
    "called",
    "field",
    "for",
    "function",
    "named",
    "of",
    "param",
    "parameter",
    "property",
    "the",
    "this",
    "tool",
    "value",
    "variable",
];

/// Words after a name that add no information.
const AFTER: &[&str] = &["arg", "argument", "function", "param", "parameter", "property", "tool", "value"];

/// Names of types.
const TYPES: &[&str] = &[
    "any", "array", "bool", "boolean", "dict", "float", "int", "integer", "list", "number", "object", "str", "string",
];

/// A longer text is never a placeholder.
const MAX_BYTES: usize = 80;

/// Markers of unfinished texts.
const MARKERS: &[&str] = &["TODO", "FIXME", "TBD", "XXX"];

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let report = |place: Place, text: &str, subject: String| {
        // If the key is misspelt, the description has another place.
        if lint.string(place).is_none() {
            return;
        }
        let shown: String = text.trim().chars().take(60).collect();
        sink.push(
            Diagnostic::new(codes::PLACEHOLDER_DESCRIPTION, place, format!("`{shown}` does not describe {subject}"))
                .help("describe the meaning, the unit and a useful value; for a tool, when to use it"),
        );
    };
    for text in tool.descriptions() {
        if let Some(full_text) = lint.full_text(tool, &text.value).filter(|full_text| is_placeholder(full_text, tool.name())) {
            report(text.place, &full_text, format!("`{}`", tool.name()));
        }
    }
    for parameter in tool.parameters() {
        let Some(text) = &parameter.schema.description else { continue };
        let name = &parameter.name.value;
        if let Some(full_text) = lint.full_text(tool, &text.value).filter(|full_text| is_placeholder(full_text, name)) {
            report(text.place, &full_text, format!("the parameter `{name}` of `{}`", tool.name()));
        }
    }
}

/// Returns whether a text says no more than the name it describes. Empty texts are reported by other rules.
pub(super) fn is_placeholder(text: &str, name: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES {
        return false;
    }
    let text_words = words(text);
    if is_unwritten(text, &text_words) {
        return true;
    }
    let is_in = |list: &[&str], word: &str| list.contains(&word);
    let name = words(name);
    let is_name = |words: &[Cow<'_, str>]| {
        words.len() == name.len() && words.iter().zip(&name).all(|(word, name)| stem(word) == stem(name))
    };
    let start = text_words.iter().take_while(|word| is_in(BEFORE, word)).count();
    let end = text_words.iter().rev().take_while(|word| is_in(AFTER, word)).count();
    let bare = text_words.get(start..text_words.len() - end).unwrap_or_default();
    // The name may itself be one of these words.
    let is_named = is_name(&text_words) || is_name(&text_words[start..]) || is_name(bare);
    !text_words.is_empty() && (is_named || bare.iter().all(|word| is_in(TYPES, word)))
}

/// Returns whether a text only stands for one that is still to be written. Empty texts are reported by other rules.
pub(super) fn is_to_be_written(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.len() <= MAX_BYTES && is_unwritten(text, &words(text))
}

fn is_unwritten(text: &str, text_words: &[Cow<'_, str>]) -> bool {
    let sentence = text_words.join(" ");
    text_words.is_empty() && text.is_ascii()
        || PLACEHOLDERS.contains(&sentence.as_str())
        || sentence.starts_with("lorem ipsum")
        || is_marked(text)
}

/// Returns whether a text begins with a marker, such as `TODO`, `TODO: describe` or `[TODO]`.
fn is_marked(text: &str) -> bool {
    let text = text.trim_start_matches(['[', '<', '(', '*', '_', '#', ' ', '/']);
    let marker = MARKERS.iter().find_map(|marker| text.strip_prefix(marker));
    marker.is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.starts_with([':', ']', '>', ')', '.', '!', '-', '(', '*'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_say_no_more_than_the_name() {
        for (text, name) in [
            ("TODO", "x"),
            ("todo: describe", "todo_describe"),
            ("TODO: describe this", "x"),
            ("...", "x"),
            ("Parameter url", "url"),
            ("The url", "url"),
            ("The URL parameter.", "url"),
            ("User ID", "user_id"),
            ("userId", "userId"),
            ("string", "x"),
            ("A string value", "value"),
            ("N/A", "x"),
        ] {
            assert!(is_placeholder(text, name), "{text} {name}");
        }
        for (text, name) in [
            ("Todo list to show", "x"),
            ("TODO items to show", "x"),
            ("Address to open", "url"),
            ("The user's id in the directory", "user_id"),
            ("Get a user by its id", "get_user"),
            ("地址", "url"),
            ("", "x"),
            ("Number of lines", "lines"),
            ("Input file", "file"),
            ("Type of the field", "type"),
            ("Merge a pull request", "merge_pull_request"),
        ] {
            assert!(!is_placeholder(text, name), "{text} {name}");
        }
    }
}
