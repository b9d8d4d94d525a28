//! Parameters that are sent under other names that the table declares.

use serde_json::{Value, json};

use super::repairs;
use super::*;

/// Returns a table with aliases of its properties, at any depth.
fn table() -> Table {
    let item = json!({"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": false});
    let schema = json!({"type": "object", "additionalProperties": false, "required": ["path"], "properties": {
        "path": {"type": "string"}, "offset": {"type": "integer"}, "id": {"type": "string"}, "pin": {"type": "string"},
        "edits": {"type": "array", "items": item}, "maybe": {"anyOf": [item, {"type": "null"}]},
    }});
    let mut table = Table::from_schema(&schema).unwrap();
    for (index, property) in table.properties.iter_mut().enumerate() {
        property.secret = &*property.name == "pin";
        let aliases: &[&str] = match &*property.name {
            "path" => &["file_path", "filename"],
            "offset" => &["start_line"],
            "pin" => &["password"],
            "text" => &["content"],
            _ => &[],
        };
        table.aliases.extend(aliases.iter().map(|alias| (u16::try_from(index).unwrap(), (*alias).into())));
    }
    table
}

fn read_value(text: &str) -> Result<String, ToolError> {
    let (table, mut buffer) = (table().untyped(), SlotBuffer::default());
    read(text, &table, Limits::default(), &mut buffer).map(|mut slots| slots.value::<Value>(0).to_string())
}

fn found(text: &str) -> Vec<String> {
    repairs::find(text, &table(), Limits::default()).iter().map(ToString::to_string).collect()
}

#[test]
fn an_argument_under_an_alias_becomes_that_of_the_property() {
    for (sent, expected) in [
        (r#"{"file_path":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"filename":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"filePath":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"FILE-PATH":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"fileName":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"Path":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"file_path":5}"#, r#"{"path":"5"}"#),
        (r#"{"file_path":3.10}"#, r#"{"path":"3.10"}"#),
        (r#"{"file_path":108177563933458432123}"#, r#"{"path":"108177563933458432123"}"#),
        (r#"{"path":"a","start_line":3}"#, r#"{"path":"a","offset":3}"#),
        (r#"{"path":"a","startLine":"3"}"#, r#"{"path":"a","offset":3}"#),
        (r#"{"file_path":"a","start_line":"3"}"#, r#"{"path":"a","offset":3}"#),
        (
            r#"{"path":"a","edits":[{"content":"x"},{"text":"y"}]}"#,
            r#"{"path":"a","edits":[{"text":"x"},{"text":"y"}]}"#,
        ),
        (r#"{"path":"a","edits":{"content":"x"}}"#, r#"{"path":"a","edits":[{"text":"x"}]}"#),
        (r#"{"path":"a","edits":"[{\"content\":1}]"}"#, r#"{"path":"a","edits":[{"text":"1"}]}"#),
        (r#"{"path":"a","maybe":{"content":"x"}}"#, r#"{"path":"a","maybe":{"text":"x"}}"#),
        (r#"{"path":"a","maybe":null}"#, r#"{"path":"a","maybe":null}"#),
        // Null counts as absent where the property does not allow it.
        (r#"{"path":"a","file_path":null}"#, r#"{"path":"a"}"#),
        (r#"{"path":null,"file_path":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"path":"a","offset":null,"start_line":2}"#, r#"{"path":"a","offset":2}"#),
        (r#"{"path":"a","offset":2,"start_line":null}"#, r#"{"path":"a","offset":2}"#),
        ("```json\n{\"file_path\":\"a\"}\n```", r#"{"path":"a"}"#),
        ("{'file_path': 'a',}", r#"{"path":"a"}"#),
        // The same value twice.
        (r#"{"path":"a","file_path":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"file_path":"a","path":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"file_path":"a","filename":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"path":"a","file_path":"a","filename":"a","Path":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"path":"a","offset":3,"start_line":"3"}"#, r#"{"path":"a","offset":3}"#),
        (r#"{"path":"a","offset":"3","start_line":3}"#, r#"{"path":"a","offset":3}"#),
        (r#"{"path":"5","file_path":5}"#, r#"{"path":"5"}"#),
    ] {
        let read: Value = serde_json::from_str(&read_value(sent).unwrap()).unwrap();
        assert_eq!(read, serde_json::from_str::<Value>(expected).unwrap(), "{sent}");
        assert!(!found(sent).is_empty() || !sent.contains('_'), "{sent}");
    }
}

#[test]
fn two_values_of_one_property_are_refused_with_the_name_of_the_property() {
    let one_value = r#"expected only one value for "path", of which this is another name"#;
    for (sent, expected) in [
        (r#"{"path":"a","file_path":"b"}"#, one_value),
        (r#"{"file_path":"b","path":"a"}"#, one_value),
        (r#"{"file_path":"a","filename":"b"}"#, one_value),
        (r#"{"path":"a","fileName":"b"}"#, one_value),
        (r#"{"path":"a","file_path":"a","filename":"b"}"#, one_value),
        (r#"{"path":"a","offset":1,"start_line":2}"#, r#"only one value for "offset""#),
        (
            r#"{"path":"a","edits":[{"text":"x","content":"y"}]}"#,
            r#"/edits/0/content: expected only one value for "text""#,
        ),
        (r#"{"path":"a","file_pth":"b"}"#, r#"did you mean "path"?"#),
        (r#"{"path":"a","strat_line":"b"}"#, r#"did you mean "offset"?"#),
        (r#"{"path":"a","content":"b"}"#, "the known ones are"),
        ("{}", "/path: expected string (required)"),
    ] {
        let error = read_value(sent).unwrap_err();
        assert!(error.message().contains(expected), "{sent}: {}", error.message());
    }
}

#[test]
fn repairs_and_problems_name_the_key_that_was_sent() {
    assert_eq!(found(r#"{"file_path":"a"}"#), [r#"/file_path: "file_path" became "path" (parameter_name)"#]);
    assert_eq!(
        found(r#"{"path":"a","startLine":"3"}"#),
        [r#"/startLine: "startLine" became "offset" (parameter_name)"#, r#"/startLine: "3" became 3 (number)"#,]
    );
    assert_eq!(found(r#"{"path":"a","file_path":"a"}"#), [r#"/file_path: "file_path" became "path" (parameter_name)"#]);
    let error = read_value(r#"{"file_path":["a","b"]}"#).unwrap_err();
    assert_eq!(error.problems()[0].path, "/file_path");
    let secret = found(r#"{"path":"a","password":12345}"#).join(" ");
    assert!(secret.contains("parameter_name") && !secret.contains("12345"), "{secret}");
    let sent = repairs::sent(r#"{"path":"a","password":"abc","file_path":"b"}"#, &table(), Limits::default());
    assert!(!sent.contains("abc"), "{sent}");
}

#[test]
fn an_alias_of_a_hidden_property_is_unknown() {
    let mut table = table();
    table
        .properties
        .iter_mut()
        .filter(|property| &*property.name == "offset")
        .for_each(|property| property.hidden = true);
    let mut buffer = SlotBuffer::default();
    let error = read(r#"{"path":"a","start_line":3}"#, &table.untyped(), Limits::default(), &mut buffer).unwrap_err();
    assert!(error.message().contains("/start_line: expected no argument of this name"), "{}", error.message());
}

#[test]
fn repaired_parameters_are_counted_under_their_names() {
    let (table, limits) = (table().untyped(), Limits::default());
    for (sent, name) in [(r#"{"file_path":"a"}"#, "path"), (r#"{"path":"a","start_line":1}"#, "offset")] {
        let (_, repaired) = read_and_record(sent, &table, limits, &mut SlotBuffer::default()).unwrap();
        let names = repaired.indices().unwrap().map(|index| &*table.properties(table.node(0))[index].name);
        assert_eq!(names.collect::<Vec<_>>(), [name], "{sent}");
    }
}
