//! What a server's result becomes: a text or JSON for the model, and images.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::{Value, json};
use toolc::{Image, ToolError, ToolOutput, ToolResult};

use crate::output::OutputSchema;
use crate::secrets::Secrets;

/// The maximum number of characters of an error. The limits of results do not shorten errors.
const MAX_ERROR: usize = 10_000;

/// Returns the result of a call. The values of secrets are replaced. Structured content that does not match what the server has declared is
/// passed on with a note: the call has had its effect.
pub(crate) fn output(result: CallToolResult, schema: &OutputSchema, redactor: &Secrets) -> ToolResult {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for block in result.content {
        match block {
            ContentBlock::Text(text) => texts.push(text.text),
            ContentBlock::Image(image) => match picture(&image.mime_type, &image.data) {
                Ok(_) if images.len() == ToolOutput::MAX_IMAGES => {
                    let max = ToolOutput::MAX_IMAGES;
                    texts.push(format!("[a further image is left out: a result can have at most {max}]"));
                }
                Ok(image) => images.push(image),
                Err(reason) => texts.push(format!("[an image is left out: {reason}]")),
            },
            ContentBlock::Audio(audio) => {
                texts.push(format!("[audio is left out: {}, {}]", audio.mime_type, size(&audio.data)));
            }
            ContentBlock::ResourceLink(link) => texts.push(link_text(&link)),
            ContentBlock::Resource(embedded) => texts.push(resource_text(embedded.resource)),
            _ => texts.push("[content of an unknown type is left out]".to_owned()),
        }
    }
    let text = texts.join("\n");
    if result.is_error == Some(true) {
        let text = if text.trim().is_empty() { "the tool failed, and gave no reason".to_owned() } else { text };
        return Err(error(&text, redactor));
    }
    let output = match (schema.problem(result.structured_content.as_ref()), result.structured_content) {
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
    images.into_iter().try_fold(output, ToolOutput::with_image)
}

/// Returns the error with a text that a server has written.
pub(crate) fn error(text: &str, redactor: &Secrets) -> ToolError {
    let text = redactor.text(text);
    match text.char_indices().nth(MAX_ERROR) {
        Some((end, _)) => ToolError::new(format!("{}… [shortened]", &text[..end])),
        None => ToolError::new(text),
    }
}

fn json(value: &Value, redactor: &Secrets) -> ToolResult {
    let redacted = redactor.text(&value.to_string()).into_owned();
    ToolOutput::json(&serde_json::from_str::<Value>(&redacted)?)
}

/// Returns whether texts only repeat structured content, as servers do for clients that do not know it. Many put a value that is not an
/// object under one key, such as `result` or `content`. The SDK for Python repeats each item of a list.
fn repeats(texts: &[String], structured: &Value) -> bool {
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

fn picture(media_type: &str, data: &str) -> Result<Image, String> {
    let bytes = STANDARD.decode(data.trim()).map_err(|_| "its data is not base64".to_owned())?;
    Image::new(media_type, bytes).map_err(|error| error.message().to_owned())
}

/// Describes the size of base64 data.
fn size(data: &str) -> String {
    format!("{} bytes", data.trim_end_matches('=').len() * 3 / 4)
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

fn resource_text(resource: ResourceContents) -> String {
    match resource {
        ResourceContents::TextResourceContents { uri, text, .. } => format!("[resource {uri}]\n{text}"),
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let media_type = mime_type.unwrap_or_else(|| "unknown type".to_owned());
            format!("[the content of the resource {uri} is left out: {media_type}, {}]", size(&blob))
        }
        _ => "[a resource of an unknown type is left out]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(value: Value) -> ToolResult {
        let env = toolc::Env::empty().with_secret("KEY", "hunter2hunter2");
        let redactor = Secrets::new(toolc::Registry::new().redactor(&env));
        output(serde_json::from_value(value).expect("it is a result"), &OutputSchema::of(&Value::Null), &redactor)
    }

    fn as_json(value: Value) -> String {
        result(value).expect("it succeeded").into_json()
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
    fn images_are_passed_on_and_what_cannot_be_shown_is_noted() {
        let gif = STANDARD.encode(b"GIF89a");
        let image = json!({ "type": "image", "mimeType": "image/gif", "data": gif });
        let output = result(json!({ "content": vec![image.clone(); 22] })).expect("it succeeded");
        assert_eq!(output.images().len(), 20);
        assert_eq!(output.as_json().matches("a further image").count(), 2);
        let notes = as_json(json!({ "content": [
            { "type": "image", "mimeType": "image/tiff", "data": gif },
            { "type": "image", "mimeType": "image/gif", "data": "%%%" },
            { "type": "audio", "mimeType": "audio/wav", "data": "AAAAAAAA" },
            { "type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/x", "description": "An a." },
            { "type": "resource", "resource": { "uri": "m://t", "text": "inner" } },
            { "type": "resource", "resource": { "uri": "m://b", "blob": "AAAA" } },
        ] }));
        for part in [
            "unsupported image type",
            "not base64",
            "audio/wav, 6 bytes",
            "[resource a: file:///a, text/x] An a.",
            "[resource m://t]\\ninner",
            "m://b is left out: unknown type, 3 bytes",
        ] {
            assert!(notes.contains(part), "{part}: {notes}");
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
        let structured = json!({ "content": [], "structuredContent": { "key": "hunter2hunter2" } });
        assert_eq!(as_json(structured), r#"{"key":"[secret]"}"#);
    }
}
