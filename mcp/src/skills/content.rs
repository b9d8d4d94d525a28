//! The content of a file of a skill, and the comparison of front matter.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{ResourceContents, ServerResult};
use serde_json::{Map, Value};
use toolc_scan::hidden_characters;

use crate::secrets::SecretRedactor;

/// The maximum number of characters of a key that are shown.
const MAX_KEY: usize = 100;

/// The content of a file of a skill, which matches the entry of the skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillContent {
    /// The bytes, as the server sent them.
    pub bytes: Vec<u8>,
    /// The bytes as a text for a model: without invisible characters, and with `[secret]` in place of secrets. `None` if they are not UTF-8.
    pub text: Option<String>,
    /// The number of invisible characters that `text` lacks. A byte order mark at the beginning does not count.
    pub removed: usize,
}

impl SkillContent {
    pub(super) fn new(bytes: Vec<u8>, redactor: &SecretRedactor) -> Self {
        let (text, removed) = match std::str::from_utf8(&bytes) {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                let (text, removed) = without_hidden(text);
                (Some(redactor.text(&text).into_owned()), removed)
            }
            Err(_) => (None, 0),
        };
        Self { bytes, text, removed }
    }
}

/// Returns a text without characters that a person does not see, and their number.
fn without_hidden(text: &str) -> (String, usize) {
    let hidden = hidden_characters(text);
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for (at, letter) in &hidden {
        kept.push_str(&text[from..*at]);
        from = at + letter.len_utf8();
    }
    kept.push_str(&text[from..]);
    (kept, hidden.len())
}

/// Returns the bytes of the file at `uri` in an answer to `resources/read`.
pub(super) fn bytes(answer: ServerResult, uri: &str) -> Result<Vec<u8>, String> {
    let ServerResult::ReadResourceResult(mut answer) = answer else {
        return Err(format!("the answer for {uri} is not the content of a resource"));
    };
    let is_asked = |content: &ResourceContents| {
        use ResourceContents::{BlobResourceContents as Blob, TextResourceContents as Text};
        matches!(content, Text { uri: sent, .. } | Blob { uri: sent, .. } if sent == uri)
    };
    // The digest decides, so one content need not repeat the address letter by letter.
    if answer.contents.len() > 1 {
        answer.contents.retain(is_asked);
    }
    match (answer.contents.pop(), answer.contents.is_empty()) {
        (Some(ResourceContents::TextResourceContents { text, .. }), true) => Ok(text.into_bytes()),
        (Some(ResourceContents::BlobResourceContents { blob, .. }), true) => {
            STANDARD.decode(blob).map_err(|error| format!("the content of {uri} is not base64: {error}"))
        }
        _ => Err(format!("the answer for {uri} has not exactly one content of this address")),
    }
}

/// Compares the front matter of an entry with what its `SKILL.md` says. A field that is null is absent. The YAML reader of a server can read
/// a word as another type than ours, such as `1.10` as a number, so words are compared if types differ.
pub(super) fn compare(entry: &Map<String, Value>, read: &Map<String, Value>) -> Result<(), String> {
    let keys: BTreeSet<&String> = entry.keys().chain(read.keys()).collect();
    let is_same =
        |key: &&String| is_same(entry.get(*key).unwrap_or(&Value::Null), read.get(*key).unwrap_or(&Value::Null));
    match keys.into_iter().find(|key| !is_same(key)) {
        None => Ok(()),
        Some(key) => {
            let key: String = key.chars().take(MAX_KEY).collect();
            Err(format!("the field `{key}` of its front matter differs from the entry"))
        }
    }
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => compare(a, b).is_ok(),
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::String(text), Value::Number(number)) | (Value::Number(number), Value::String(text)) => {
            text.trim().parse::<f64>().is_ok_and(|read| Some(read) == number.as_f64())
        }
        (Value::String(text), Value::Bool(is_true)) | (Value::Bool(is_true), Value::String(text)) => {
            let words = if *is_true { ["true", "yes", "on"] } else { ["false", "no", "off"] };
            words.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
        }
        (Value::String(text), Value::Null) | (Value::Null, Value::String(text)) => {
            matches!(text.trim(), "" | "~" | "null" | "Null" | "NULL")
        }
        // The ends of a block text depend on the reader.
        (Value::String(a), Value::String(b)) => a.trim() == b.trim(),
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ReadResourceResult;
    use serde_json::json;

    use super::*;

    const URI: &str = "skill://notes/a.md";

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().expect("it is an object").clone()
    }

    #[test]
    fn front_matter_is_the_same_whatever_type_a_reader_gives_a_word() {
        let entry = map(&json!({
            "name": "notes", "version": 1.1, "on": true, "none": null, "list": [1, "a"], "map": { "a": 2.0 }, "text": "a\nb\n",
        }));
        let read = map(&json!({
            "name": "notes", "version": "1.10", "on": "yes", "list": ["1", "a"], "map": { "a": 2 }, "text": "a\nb",
        }));
        assert_eq!(compare(&entry, &read), Ok(()));
        assert_eq!(compare(&read, &entry), Ok(()));
        for (key, other) in [
            ("name", json!("note")),
            ("version", json!("1.11")),
            ("version", json!("one")),
            ("on", json!(false)),
            ("on", json!("no")),
            ("none", json!("x")),
            ("list", json!(["1"])),
            ("list", json!("1 a")),
            ("map", json!({ "a": 2, "b": 1 })),
            ("map", json!({})),
            ("allowed-tools", json!("Bash(*)")),
        ] {
            let mut changed = read.clone();
            changed.insert(key.to_owned(), other.clone());
            let problem = compare(&entry, &changed).expect_err(key);
            assert!(problem.contains(&format!("`{key}`")), "{key} {other}: {problem}");
        }
    }

    #[test]
    fn the_content_of_an_answer_is_the_one_that_was_asked_for() {
        let read = |contents: Vec<ResourceContents>| {
            bytes(ServerResult::ReadResourceResult(ReadResourceResult::new(contents)), URI)
        };
        assert_eq!(read(vec![ResourceContents::text("é", URI)]), Ok("é".into()));
        assert_eq!(read(vec![ResourceContents::text("a", "skill://notes/%61.md")]), Ok(b"a".to_vec()));
        assert_eq!(read(vec![ResourceContents::blob("AP8=", URI)]), Ok(vec![0, 255]));
        let other = ResourceContents::text("b", "skill://notes/b.md");
        assert_eq!(read(vec![other.clone(), ResourceContents::text("a", URI)]), Ok(b"a".to_vec()));
        for contents in [
            vec![],
            vec![other.clone(), other],
            vec![ResourceContents::text("a", URI), ResourceContents::text("a", URI)],
            vec![ResourceContents::blob("AP8", URI)],
            vec![ResourceContents::blob("?", URI)],
        ] {
            assert!(read(contents.clone()).is_err(), "{contents:?}");
        }
        assert!(bytes(ServerResult::empty(()), URI).is_err());
    }

    #[test]
    fn a_text_for_a_model_has_neither_secrets_nor_invisible_characters() {
        let env = toolc::Env::empty().with_secret("KEY", "hunter2hunter2");
        let redactor = SecretRedactor::new(toolc::Registry::new().redactor(&env));
        let content = SkillContent::new("\u{feff}a\u{200b}b hunter2\u{200b}hunter2 👩\u{200d}👩".into(), &redactor);
        assert_eq!((content.text.as_deref(), content.removed), (Some("ab [secret] 👩\u{200d}👩"), 2));
        assert!(content.bytes.starts_with(b"\xef\xbb\xbfa\xe2"), "the bytes stay");
        let binary = SkillContent::new(vec![0, 255], &redactor);
        assert_eq!((binary.text, binary.removed), (None, 0));
    }
}
