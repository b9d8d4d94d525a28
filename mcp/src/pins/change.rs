//! A change of a pinned definition: what it means for the agent, and how it is shown.

use std::fmt;

use serde::Serialize;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// The maximum number of bytes of a value that is shown on one line.
const MAX_INLINE: usize = 100;

/// What a change means, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeClass {
    /// Calls that were valid still are, and mean the same: a new tool, a new optional parameter.
    Additive,
    /// Only texts that models or people read are different, or icons.
    Wording,
    /// Valid calls stay valid, but what they do or return may be different. For example, the annotation `readOnlyHint` becomes true.
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
    /// What is different, as lines that begin with `-`, `+` or a space. Nothing is left out, because a person decides on it.
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
            let old = old.into_iter().flat_map(|value| value_lines('-', value));
            old.chain(new.into_iter().flat_map(|value| value_lines('+', value))).collect()
        };
        Self { class, path: path.to_owned(), lines }
    }

    /// Returns the change that consists of a note.
    pub(super) fn note(class: ChangeClass, path: &str, sign: char, note: &str) -> Self {
        Self { class, path: path.to_owned(), lines: vec![format!("{sign} {note}")] }
    }
}

/// Returns the lines that differ, with one line of context.
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
    changes.map(line).collect()
}

fn value_lines(sign: char, value: &Value) -> Vec<String> {
    json(value).lines().map(|line| format!("{sign} {line}")).collect()
}

/// Returns a value as JSON, on one line if it is short.
fn json(value: &Value) -> String {
    let short = value.to_string();
    if short.len() <= MAX_INLINE || value.is_string() { short } else { format!("{value:#}") }
}

/// Returns a whole definition as lines, without its name.
pub(super) fn definition_lines(definition: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, value) in definition.as_object().into_iter().flatten().filter(|(key, _)| *key != "name") {
        let text = value.as_str().map_or_else(|| json(value), str::to_owned);
        let mut parts = text.split('\n');
        lines.push(format!("+ {key}: {}", parts.next().unwrap_or_default()));
        lines.extend(parts.map(|part| format!("+   {part}")));
    }
    lines
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
    fn texts_are_compared_by_lines_and_nothing_is_left_out() {
        let (old, new) = (json!("a\nb\nc\nd\n"), json!("a\nb\nC\nd\n"));
        let change = Change::new(ChangeClass::Wording, "description", Some(&old), Some(&new));
        assert_eq!(change.to_string(), "wording: description\n    b\n  - c\n  + C\n    d");
        let (many, long) = (json!("line\n".repeat(500) + "the last"), json!(["x".repeat(1000), "the last"]));
        let change = Change::new(ChangeClass::Wording, "description", Some(&old), Some(&many));
        assert!(change.to_string().ends_with("+ the last"), "{change}");
        let change = Change::new(ChangeClass::Breaking, "", None, Some(&long));
        assert!(change.to_string().starts_with("breaking: the tool\n  + [\n  +   \"xxx"), "{change}");
        assert!(change.to_string().ends_with("+   \"the last\"\n  + ]"), "{change}");
        assert!(ChangeClass::Breaking > ChangeClass::Behaviour && ChangeClass::Wording > ChangeClass::Additive);
    }

    #[test]
    fn a_definition_is_shown_whole() {
        let definition = json!({
            "name": "send",
            "description": "Sends.\nMail.",
            "inputSchema": { "type": "object", "properties": { "to": { "type": "string", "description": "x".repeat(300) } } },
            "annotations": { "readOnlyHint": true },
        });
        let lines = definition_lines(&definition).join("\n");
        assert!(
            lines.starts_with("+ description: Sends.\n+   Mail.\n+ inputSchema: {\n+     \"type\": \"object\",\n"),
            "{lines}"
        );
        assert!(
            lines.contains(&"x".repeat(300)) && lines.ends_with("+ annotations: {\"readOnlyHint\":true}"),
            "{lines}"
        );
    }
}
