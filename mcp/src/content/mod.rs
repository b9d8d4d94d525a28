//! Turns the result of a server into text or JSON for the model, and into images, sounds and resources.

mod media;
mod part;

use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolc::attachment::Attachment;
use toolc::text::beginning;
use toolc::{Image, ToolError, ToolOutput, ToolResult};

use crate::digits;
use crate::output::OutputSchema;
use crate::secrets::SecretRedactor;

/// The maximum number of characters of an error. The limits of results do not shorten errors.
const MAX_ERROR: usize = 10_000;

/// The maximum length of a server's text that a note quotes, in characters.
const MAX_NOTED: usize = 100;
/// The members of the result of a call. One that has no content may have only the others.
const MEMBERS: [&str; 5] = ["content", "structuredContent", "isError", "_meta", "resultType"];
/// The media type of a resource for which the server names none.
const ANY_TYPE: &str = "application/octet-stream";

/// The parts of a result.
#[derive(Default)]
struct Parts {
    texts: Vec<String>,
    images: Vec<Image>,
    attachments: Vec<Attachment>,
}

/// Returns the result of a call. The values of secrets are replaced. Structured content that does not match what the server has declared is
/// passed on with a note: the call has had its effect.
pub(crate) fn output(result: CallToolResult, schema: &OutputSchema, redactor: &SecretRedactor) -> ToolResult {
    let mut parts = Parts::default();
    for block in result.content {
        parts.add(block, redactor);
    }
    let Parts { texts, images, attachments } = parts;
    let text = texts.join("\n");
    if result.is_error == Some(true) {
        let structured = result.structured_content.filter(|structured| !structured.is_null());
        let structured = structured.filter(|structured| texts.is_empty() || !repeats(&texts, structured));
        let mut parts: Vec<String> = Some(text).filter(|text| !text.trim().is_empty()).into_iter().collect();
        // What can be done about the failure is often only here.
        parts.extend(structured.map(|structured| digits::unmarked(structured.to_string())));
        if parts.is_empty() {
            parts.push("the tool failed, and gave no reason".to_owned());
        }
        let mut text = parts.join("\n");
        let others = images.len() + attachments.len();
        if others > 0 {
            text += &format!("\n[images, sounds and resources are left out, because an error is a text: {others}]");
        }
        return Err(error(&text, redactor));
    }
    // Servers write members that they do not have as null.
    let structured = result.structured_content.filter(|structured| !structured.is_null() || schema.allows_null());
    let problem = schema.problem(structured.as_ref().map(digits::rounded).as_deref());
    let output = match (problem, structured) {
        (None, None) => ToolOutput::text(redactor.text(&text)),
        (None, Some(structured)) if repeats(&texts, &structured) => json(&structured, redactor)?,
        (None, Some(structured)) => json(&json!({ "text": text, "structured": structured }), redactor)?,
        (Some(note), None) => json(&json!({ "text": text, "note": note }), redactor)?,
        (Some(note), Some(structured)) if repeats(&texts, &structured) => {
            json(&json!({ "structured": structured, "note": note }), redactor)?
        }
        (Some(note), Some(structured)) => {
            json(&json!({ "text": text, "structured": structured, "note": note }), redactor)?
        }
    };
    let output = images.into_iter().try_fold(output, ToolOutput::with_image)?;
    attachments.into_iter().try_fold(output, ToolOutput::with_attachment)
}

/// Reads a result whose parts do not have the form of the protocol, such as parts of a later protocol version. What is in them is kept, and
/// a note takes the place of what cannot be read.
///
/// # Errors
/// Returns what is wrong, if the value is not the result of a call.
pub(crate) fn with_unknown_parts(mut result: Value) -> Result<CallToolResult, String> {
    let Value::Object(members) = &mut result else { return Err("its `result` is not an object".to_owned()) };
    // Servers write members that they do not have as null.
    let is_known = |(key, value): (&String, &Value)| value.is_null() || MEMBERS.contains(&key.as_str());
    let is_without_content = members.iter().all(is_known);
    let content = members.remove("content").filter(|content| !content.is_null());
    // The protocol once had this member in place of the content.
    let content = content.or_else(|| match members.remove("toolResult")? {
        Value::Null => None,
        Value::Array(parts) if parts.iter().all(|part| part.get("type").is_some()) => Some(Value::Array(parts)),
        Value::String(text) => Some(Value::String(text)),
        other => Some(Value::String(digits::unmarked(other.to_string()))),
    });
    let content = match content {
        Some(Value::Array(parts)) => parts,
        Some(text @ Value::String(_)) => vec![json!({ "type": "text", "text": text })],
        Some(part @ Value::Object(_)) => vec![part],
        Some(Value::Null) | None if is_without_content => Vec::new(),
        Some(Value::Null) | None => return Err("its `result` has no `content`".to_owned()),
        Some(_) => return Err("its `content` is not a list".to_owned()),
    };
    let content: Vec<Value> = content.into_iter().filter(|part| !part.is_null()).map(part::readable).collect();
    members.insert("content".to_owned(), content.into());
    let is_error = match members.remove("isError") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(is_error)) => Some(is_error),
        Some(Value::String(word)) if word.eq_ignore_ascii_case("true") => Some(true),
        Some(Value::String(word)) if word.eq_ignore_ascii_case("false") => Some(false),
        Some(_) => return Err("its `isError` has the wrong type".to_owned()),
    };
    members.extend(is_error.map(|is_error| ("isError".to_owned(), is_error.into())));
    // The call has had its effect, whatever this is.
    members.retain(|key, value| match key.as_str() {
        "_meta" => value.is_object(),
        "resultType" => value.is_string(),
        _ => true,
    });
    serde_json::from_value(result).map_err(|error| shorten_for_note(&error.to_string()))
}

impl Parts {
    /// Adds a part. A note takes the place of one that cannot be passed on.
    fn add(&mut self, block: ContentBlock, redactor: &SecretRedactor) {
        match block {
            ContentBlock::Text(text) => self.texts.push(text.text),
            ContentBlock::Image(image) => {
                let read = media::bytes(&image.data).and_then(|bytes| reason(media::image(&image.mime_type, bytes)));
                push(&mut self.images, &mut self.texts, "an image", read);
            }
            ContentBlock::Audio(audio) => {
                let bytes = media::bytes(&audio.data);
                let is_sound = audio.mime_type.to_ascii_lowercase().starts_with("audio/");
                let picture = bytes.as_ref().ok().and_then(|bytes| media::picture(bytes));
                if let Some(image) = picture.filter(|_| !is_sound) {
                    push(&mut self.images, &mut self.texts, "an image", reason(image));
                    return;
                }
                let read = bytes
                    .and_then(|bytes| reason(Attachment::audio(&media::sound_type(&audio.mime_type, &bytes), bytes)));
                push(&mut self.attachments, &mut self.texts, "a sound", read);
            }
            ContentBlock::ResourceLink(link) => self.texts.push(link_text(&link)),
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    self.texts.push(format!("[resource {uri}]\n{text}"));
                }
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let media_type = mime_type.as_deref().filter(|kind| media::is_media_type(kind)).unwrap_or(ANY_TYPE);
                    let resource = |bytes| reason(Attachment::binary_resource(&redactor.text(&uri), media_type, bytes));
                    let read = media::bytes(&blob).and_then(resource);
                    push(
                        &mut self.attachments,
                        &mut self.texts,
                        &format!("the resource {}", shorten_for_note(&uri)),
                        read,
                    );
                }
                other => self.add_unknown(&json!(other)),
            },
            other => self.add_unknown(&json!(other)),
        }
    }

    /// Adds a note about a part of a kind that the protocol library knows and this crate does not.
    fn add_unknown(&mut self, part: &Value) {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or("resource");
        self.texts.push(format!("[content of the type {:?} is left out]", shorten_for_note(kind)));
    }
}

/// Adds a part that was read, or a note with the reason why it is left out.
fn push<T>(parts: &mut Vec<T>, texts: &mut Vec<String>, what: &str, read: Result<T, String>) {
    match read {
        Ok(_) if parts.len() == ToolOutput::MAX_IMAGES => {
            let max = ToolOutput::MAX_IMAGES;
            texts.push(format!("[{what} is left out, because a result has at most {max} of its kind]"));
        }
        Ok(part) => parts.push(part),
        Err(reason) => texts.push(format!("[{what} is left out, because {reason}]")),
    }
}

/// Returns the error with a text that a server has written.
pub(crate) fn error(text: &str, redactor: &SecretRedactor) -> ToolError {
    let text = redactor.text(text);
    match text.char_indices().nth(MAX_ERROR) {
        Some((end, _)) => ToolError::new(format!("{}… [shortened]", &text[..end])),
        None => ToolError::new(text),
    }
}

fn json(value: &Value, redactor: &SecretRedactor) -> ToolResult {
    let json = digits::unmarked(redactor.text(&value.to_string()).into_owned());
    ToolOutput::json(&serde_json::from_str::<&RawValue>(&json)?)
}

/// Returns a value without secrets.
pub(crate) fn redacted(value: &Value, redactor: &SecretRedactor) -> Result<Value, ToolError> {
    Ok(serde_json::from_str(&redactor.text(&value.to_string()))?)
}

/// Returns whether texts only repeat structured content, as servers do for clients without support for structured content. Many servers
/// wrap a value that is not an object in an object with one key, such as `result` or `content`. The SDK for Python repeats each item of a
/// list.
fn repeats(texts: &[String], structured: &Value) -> bool {
    let structured = &*digits::rounded(structured);
    let is_same = |text: &String, value: &Value| {
        value.as_str() == Some(text) || serde_json::from_str::<Value>(text).is_ok_and(|read| read == *value)
    };
    let is_text_of = |value: &Value| match (texts, value) {
        ([text], value) if is_same(text, value) => true,
        (texts, Value::Array(items)) => {
            texts.len() == items.len() && texts.iter().zip(items).all(|(text, item)| is_same(text, item))
        }
        _ => false,
    };
    let result = structured.as_object().filter(|map| map.len() == 1).and_then(|map| map.values().next());
    texts.is_empty() || is_text_of(structured) || result.is_some_and(is_text_of)
}

/// Returns the message of an error, for a note.
fn reason<T>(read: Result<T, ToolError>) -> Result<T, String> {
    read.map_err(|error| shorten_for_note(error.message()))
}

/// Shortens a text of a server for a note.
fn shorten_for_note(text: &str) -> String {
    beginning(text, MAX_NOTED).into_owned()
}

fn link_text(link: &Resource) -> String {
    let mut text = format!("[resource {}: {}", link.title.as_ref().unwrap_or(&link.name), link.uri);
    if let Some(media_type) = &link.mime_type {
        text += &format!(", {media_type}");
    }
    if let Some(size) = link.size {
        text += &format!(", {size} bytes");
    }
    text += "]";
    if let Some(description) = &link.description {
        text += &format!(" {description}");
    }
    text
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn result(value: Value) -> ToolResult {
        let env = toolc::Env::empty().with_secret("KEY", "hunter2hunter2");
        let redactor = SecretRedactor::new(toolc::Registry::new().redactor(&env));
        output(serde_json::from_value(value).expect("it is a result"), &OutputSchema::of(&Value::Null), &redactor)
    }

    fn as_json(value: Value) -> String {
        result(value).expect("it succeeded").into_json()
    }

    #[test]
    fn every_result_matches_the_schema_of_the_results() {
        let node = json!({
            "type": "object",
            "properties": { "n": { "type": "integer" }, "next": { "$ref": "#/$defs/node" }, "const": { "$ref": "#/$defs/text" } },
            "required": ["n"],
            "additionalProperties": false,
        });
        let declared = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": { "first": { "$ref": "#/$defs/node" }, "ref": { "const": { "$ref": "#" } } },
            "$defs": { "node": node, "text": { "type": "string" } },
        });
        let schema = OutputSchema::of(&json!({ "outputSchema": declared }));
        let result_schema = schema.result_schema().expect("it can be used");
        assert_eq!(result_schema["$defs"]["structured"]["properties"]["ref"]["const"]["$ref"], "#", "it is a value");
        let validator = jsonschema::validator_for(&result_schema).expect("it is a schema");
        let redactor = SecretRedactor::new(toolc::Registry::new().redactor(&toolc::Env::empty()));
        let json_of = |result: Value| {
            let result = serde_json::from_value(result).expect("it is a result");
            let json = output(result, &schema, &redactor).expect("it succeeded").into_json();
            json.parse::<Value>().expect("it is JSON")
        };
        let right = json!({ "first": { "n": 1, "next": { "n": 2, "const": "x" } } });
        let wrong = json!({ "first": { "n": 1, "next": { "n": "2" } } });
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        for (result, key) in [
            (json!({ "content": [], "structuredContent": right }), "first"),
            (json!({ "content": text(&right.to_string()), "structuredContent": right }), "first"),
            (json!({ "content": text("Two nodes."), "structuredContent": right }), "text"),
            (json!({ "content": [], "structuredContent": wrong }), "note"),
            (json!({ "content": text("Two nodes."), "structuredContent": wrong }), "note"),
            (json!({ "content": text("Nothing.") }), "note"),
        ] {
            let json = json_of(result);
            assert!(json.get(key).is_some() && validator.is_valid(&json), "{json}");
        }
        assert!(!validator.is_valid(&wrong));
    }

    #[test]
    fn an_output_schema_that_cannot_be_used_says_nothing_about_the_results() {
        let deep = (0..60).fold(json!({ "type": "object" }), |inner, _| json!({ "type": "array", "items": inner }));
        for declared in [
            json!(null),
            json!({ "$ref": "#" }),
            json!({ "$ref": "https://example.com/schema" }),
            json!({ "type": "thing" }),
            json!(7),
            deep,
        ] {
            assert_eq!(OutputSchema::of(&json!({ "outputSchema": declared })).result_schema(), None, "{declared}");
        }
        let any = OutputSchema::of(&json!({ "outputSchema": { "type": "array" } })).result_schema().expect("a schema");
        assert_eq!(any.get("type"), None, "the result need not be an object");
    }

    #[test]
    fn the_member_that_an_older_protocol_had_in_place_of_the_content_is_read() {
        for (old, expected) in [
            (json!("words"), "words"),
            (json!({ "n": 1 }), "{\"n\":1}"),
            (json!([1, 2]), "[1,2]"),
            (json!([{ "type": "text", "text": "words" }]), "words"),
        ] {
            let read = with_unknown_parts(json!({ "toolResult": old })).expect("it is a result");
            assert_eq!(json!(read.content)[0]["text"], expected, "{old}");
        }
    }

    #[test]
    fn texts_and_structured_content_become_one_value() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        assert_eq!(as_json(json!({ "content": [text("a"), text("b")] })), r#""a\nb""#);
        assert_eq!(as_json(json!({ "content": [] })), r#""""#);
        let structured = json!({ "n": 1 });
        assert_eq!(as_json(json!({ "content": [], "structuredContent": structured })), r#"{"n":1}"#);
        let repeated = json!({ "content": [text("{ \"n\": 1 }")], "structuredContent": structured });
        assert_eq!(as_json(repeated), r#"{"n":1}"#);
        for (texts, result) in [
            (vec![text("2")], json!(2)),
            (vec![text("two")], json!("two")),
            (vec![text("1"), text("[2]")], json!([1, [2]])),
            (vec![text("a\nb")], json!("a\nb")),
        ] {
            let structured = json!({ "result": result });
            let output = as_json(json!({ "content": texts, "structuredContent": structured }));
            assert_eq!(output, structured.to_string());
        }
        let both = as_json(json!({ "content": [text("one")], "structuredContent": structured }));
        assert_eq!(both.parse::<Value>().expect("it is JSON"), json!({ "text": "one", "structured": { "n": 1 } }));
    }

    #[test]
    fn images_sounds_and_resources_are_passed_on() {
        let data = STANDARD.encode(b"GIF89a");
        let image = json!({ "type": "image", "mimeType": "image/gif", "data": data });
        let sound = json!({ "type": "audio", "mimeType": "audio/wav", "data": data });
        let file = json!({ "type": "resource", "resource": { "uri": "m://a?key=hunter2hunter2", "blob": data } });
        let output = result(json!({ "content": [sound, image, file] })).expect("it succeeded");
        assert_eq!((output.as_json(), output.images().len()), (r#""""#, 1));
        let sound = Attachment::audio("audio/wav", *b"GIF89a").expect("it is valid");
        let file = Attachment::binary_resource("m://a?key=[secret]", ANY_TYPE, *b"GIF89a").expect("it is valid");
        assert_eq!(output.attachments(), [sound, file]);
        for (kind, part) in
            [("an image", &image), ("a sound", &json!({ "type": "audio", "mimeType": "audio/wav", "data": data }))]
        {
            let many = result(json!({ "content": vec![part.clone(); 22] })).expect("it succeeded");
            assert_eq!(many.images().len() + many.attachments().len(), 20, "{kind}");
            assert_eq!(
                many.as_json().matches(&format!("[{kind} is left out, because a result has at most 20")).count(),
                2
            );
        }
    }

    #[test]
    fn what_cannot_be_passed_on_is_noted() {
        let large = STANDARD.encode(vec![0; Attachment::MAX_BYTES + 1]);
        let notes = as_json(json!({ "content": [
            { "type": "image", "mimeType": "image/tiff", "data": STANDARD.encode(b"II*\0") },
            { "type": "image", "mimeType": "image/gif", "data": "%%%" },
            { "type": "audio", "mimeType": "text/plain", "data": "AAAAAAAA" },
            { "type": "audio", "mimeType": "audio/wav", "data": large },
            { "type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/x", "description": "An a." },
            { "type": "resource", "resource": { "uri": "m://t", "text": "inner" } },
            { "type": "resource", "resource": { "uri": "no address", "blob": "AAAA" } },
        ] }));
        for part in [
            "[an image is left out, because unsupported image type",
            "[an image is left out, because its data is not base64]",
            "[a sound is left out, because expected the media type of a sound",
            "[a sound is left out, because the sound has 3932161 bytes, but at most 3932160",
            "[resource a: file:///a, text/x] An a.",
            "[resource m://t]\\ninner",
            "[the resource no address is left out, because expected the address of a resource",
        ] {
            assert!(notes.contains(part), "{part}: {notes}");
        }
    }

    #[test]
    fn parts_of_an_unknown_type_are_named_and_the_others_are_kept() {
        let read = with_unknown_parts(json!({ "structuredContent": { "n": 1 }, "content": [
            { "type": "text", "text": "before" },
            { "type": "video", "data": "AAAA" },
            { "type": "x".repeat(10_000) },
            { "type": "image" },
            7,
        ] }));
        let read = read.expect("it is a result");
        let text = |part: &ContentBlock| part.as_text().expect("it is a text").text.clone();
        let texts: Vec<String> = read.content.iter().map(text).collect();
        for (text, part) in texts.iter().zip([
            "before",
            "[content of the type \"video\" is left out: unknown variant `video`, expected ",
            "xxx…\" is left out",
            "[content of the type \"image\" is left out: missing field ",
            "[content without a type is left out",
        ]) {
            assert!(text.contains(part) && text.len() < 300, "{part}: {text}");
        }
        assert_eq!((texts.len(), read.structured_content), (5, Some(json!({ "n": 1 }))));
        for (other, problem) in [
            (json!(7), "not an object"),
            (json!({ "output": 7 }), "no `content`"),
            (json!({ "content": 7, "toolResult": "a" }), "not a list"),
            (json!({ "content": [], "isError": "no" }), "`isError`"),
        ] {
            assert!(with_unknown_parts(other).is_err_and(|found| found.contains(problem)), "{problem}");
        }
    }

    #[test]
    fn a_failure_has_its_text_and_its_structured_content() {
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        let structured = json!({ "error": { "code": "NEEDS_PERSON" } });
        for (content, structured, expected) in [
            (
                text("a person is needed"),
                structured.clone(),
                "a person is needed\n{\"error\":{\"code\":\"NEEDS_PERSON\"}}",
            ),
            (json!([]), structured.clone(), "{\"error\":{\"code\":\"NEEDS_PERSON\"}}"),
            (text(&structured.to_string()), structured, "{\"error\":{\"code\":\"NEEDS_PERSON\"}}"),
            (text("broken"), json!({ "message": "broken" }), "broken"),
            (text("broken"), json!(null), "broken"),
            (text("broken"), json!({ "key": "hunter2hunter2" }), "broken\n{\"key\":\"[secret]\"}"),
        ] {
            let failed = json!({ "isError": true, "content": content, "structuredContent": structured });
            assert_eq!(result(failed).expect_err("it failed").message(), expected);
        }
    }

    #[test]
    fn a_result_in_another_form_keeps_its_content() {
        for (read, expected) in [
            (json!({ "content": "a" }), r#""a""#),
            (json!({ "content": { "type": "text", "text": "a" } }), r#""a""#),
            (json!({ "content": ["a", { "text": "b" }] }), r#""a\nb""#),
            (json!({ "content": null, "structuredContent": { "n": 1 } }), r#"{"n":1}"#),
            (json!({ "content": null }), r#""""#),
            (json!({ "content": null, "structuredContent": null, "isError": null, "_meta": null, "x": null }), r#""""#),
            (json!({ "isError": false, "_meta": {} }), r#""""#),
            (json!({ "content": [null, { "type": "text", "text": "a" }, null] }), r#""a""#),
            (json!({ "content": [{ "type": "text", "text": "a" }], "_meta": 7, "resultType": 7 }), r#""a""#),
            (json!({ "content": [{ "type": "text", "text": "a" }], "isError": "false" }), r#""a""#),
            (
                json!({ "content": [{ "type": "resource_link", "uri": "file:///a" }] }),
                r#""[resource file:///a: file:///a]""#,
            ),
        ] {
            let result = with_unknown_parts(read.clone()).expect("it is a result");
            assert_eq!(as_json(json!(result)), expected, "{read}");
        }
        for failed in [json!({ "content": "no", "isError": "True" }), json!({ "content": null, "isError": true })] {
            assert_eq!(with_unknown_parts(failed).expect("it is a result").is_error, Some(true));
        }
    }

    #[test]
    fn errors_and_results_show_no_secrets() {
        let failed = json!({ "isError": true, "content": [{ "type": "text", "text": "bad key hunter2hunter2" }] });
        assert_eq!(result(failed).expect_err("it failed").message(), "bad key [secret]");
        let silent = result(json!({ "isError": true, "content": [] })).expect_err("it failed");
        assert_eq!(silent.message(), "the tool failed, and gave no reason");
        let long = json!({ "isError": true, "content": [{ "type": "text", "text": "x".repeat(100_000) }] });
        assert!(result(long).expect_err("it failed").message().len() < 11_000);
        let image = json!({ "type": "image", "mimeType": "image/gif", "data": STANDARD.encode(b"GIF89a") });
        let with_image = result(json!({ "isError": true, "content": [image] })).expect_err("it failed");
        assert!(with_image.message().ends_with("because an error is a text: 1]"), "{}", with_image.message());
        let structured = json!({ "content": [], "structuredContent": { "key": "hunter2hunter2" } });
        assert_eq!(as_json(structured), r#"{"key":"[secret]"}"#);
    }
}
