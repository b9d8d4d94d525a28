//! A change of a pinned definition: what it means for the agent, and how it is shown.

use std::fmt;

use serde::Serialize;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// The maximum number of characters of a value that is shown.
const MAX_VALUE: usize = 200;
/// The maximum number of lines of a text that are shown.
const MAX_LINES: usize = 60;

/// What a change means, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeClass {
    /// Calls that were valid still are, and mean the same: a new tool, a new optional parameter.
    Additive,
    /// Only texts that models read are different.
    Wording,
    /// Valid calls still are, but what they do or return may be different. A hint that flips to harmless is such a change.
    Behaviour,
    /// Calls that were valid may fail.
    Breaking,
}

/// A difference between a pinned definition and the current one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// What it means.
    pub class: ChangeClass,
    /// The changed part, such as `inputSchema.properties.path.description`. Empty for the whole tool.
    pub path: String,
    /// What is different, as lines that begin with `-`, `+` or a space.
    pub lines: Vec<String>,
}

impl ChangeClass {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Additive => "additive",
            Self::Wording => "wording",
            Self::Behaviour => "behaviour",
            Self::Breaking => "breaking",
        }
    }
}

impl Change {
    /// Returns the change of a value, of which one side can be missing.
    pub(super) fn new(class: ChangeClass, path: &str, old: Option<&Value>, new: Option<&Value>) -> Self {
        let lines = if let (Some(Value::String(old)), Some(Value::String(new))) = (old, new) {
            text_lines(old, new)
        } else {
            let old = old.map(|value| format!("- {}", short(value)));
            old.into_iter().chain(new.map(|value| format!("+ {}", short(value)))).collect()
        };
        Self { class, path: path.to_owned(), lines }
    }

    /// Returns the change that consists of a note.
    pub(super) fn note(class: ChangeClass, path: &str, sign: char, note: &str) -> Self {
        Self { class, path: path.to_owned(), lines: vec![format!("{sign} {note}")] }
    }
}

/// Returns the lines that differ, between lines that do not.
fn text_lines(old: &str, new: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(old, new);
    let line = |change: similar::Change<&str>| {
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => ' ',
        };
        format!("{sign} {}", change.value().trim_end_matches('\n'))
    };
    let groups = diff.grouped_ops(1);
    let changes = groups.iter().flatten().flat_map(|op| diff.iter_changes(op));
    let mut lines: Vec<String> = changes.map(line).collect();
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        lines.push("  …".to_owned());
    }
    lines
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the tool" } else { &self.path };
        write!(f, "{}: {path}", self.class.word())?;
        for line in &self.lines {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_compared_by_lines_and_values_are_shortened() {
        let (old, new) = (json!("a\nb\nc\nd\n"), json!("a\nb\nC\nd\n"));
        let change = Change::new(ChangeClass::Wording, "description", Some(&old), Some(&new));
        assert_eq!(change.to_string(), "wording: description\n    b\n  - c\n  + C\n    d");
        let long = json!(["x".repeat(1000)]);
        let change = Change::new(ChangeClass::Breaking, "", None, Some(&long));
        assert!(change.to_string().len() < 300, "{change}");
        assert!(change.to_string().starts_with("breaking: the tool\n  + [\"xxx"), "{change}");
        assert!(ChangeClass::Breaking > ChangeClass::Behaviour && ChangeClass::Wording > ChangeClass::Additive);
    }
}
