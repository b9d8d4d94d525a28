//! The text in place of attachments, for models whose APIs accept none in the result of a call.

use std::fmt::Write as _;

use crate::call::response::CallResponse;
use crate::result::attachment::{Attachment, ResourceContent};

/// The maximum length of the text of a resource, in characters.
const MAX_CHARS: usize = 20_000;

/// Returns the text of a result: its JSON, followed by the text of each resource, and by a note for each other attachment.
#[cfg(any(feature = "wire-openai", feature = "wire-anthropic"))]
pub(super) fn text(response: &CallResponse) -> std::borrow::Cow<'_, str> {
    match notes(response) {
        None => (&*response.json).into(),
        Some(notes) => format!("{}\n{notes}", response.json).into(),
    }
}

/// Returns the text of a result like `text`, but leaves out the attachments that the API accepts.
#[cfg(feature = "wire-gemini")]
pub(super) fn text_except(response: &CallResponse, is_accepted: impl Fn(&Attachment) -> bool) -> String {
    match notes_except(response, is_accepted) {
        None => response.json.clone(),
        Some(notes) => format!("{}\n{notes}", response.json),
    }
}

/// Returns the text or the note for each attachment, or `None` if the result has no attachments.
pub(super) fn notes(response: &CallResponse) -> Option<String> {
    notes_except(response, |_| false)
}

fn notes_except(response: &CallResponse, is_accepted: impl Fn(&Attachment) -> bool) -> Option<String> {
    let mut out = String::new();
    for attachment in response.attachments.iter().filter(|attachment| !is_accepted(attachment)) {
        if !out.is_empty() {
            out.push('\n');
        }
        push(&mut out, attachment);
    }
    (!out.is_empty()).then_some(out)
}

/// Returns a line for each image, for an API that accepts only text in a result, or `None` if the result has no images.
#[cfg(feature = "wire-anthropic")]
pub(super) fn images_left_out(response: &CallResponse) -> Option<String> {
    let note = |image: &crate::result::image::Image| {
        let (media_type, size) = (image.media_type(), image.bytes().len());
        format!("[an image is left out, because this API does not accept it in results: {media_type}, {size} bytes]")
    };
    let notes: Vec<String> = response.images.iter().map(note).collect();
    (!notes.is_empty()).then(|| notes.join("\n"))
}

fn push(out: &mut String, attachment: &Attachment) {
    // Writing to a string never fails.
    let _ = match attachment {
        Attachment::Audio(audio) => {
            let (media_type, size) = (audio.media_type(), audio.bytes().len());
            write!(
                out,
                "[an audio attachment is left out, because this API does not accept it in results: {media_type}, {size} bytes]"
            )
        }
        Attachment::Resource(resource) => match resource.content() {
            ResourceContent::Text(text) => {
                let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(end, _)| end);
                let rest = if end < text.len() { " [the rest is left out]" } else { "" };
                write!(out, "[resource {} ({})]\n{}{rest}", resource.uri(), resource.media_type(), &text[..end])
            }
            ResourceContent::Bytes(bytes) => {
                let (uri, media_type, size) = (resource.uri(), resource.media_type(), bytes.len());
                write!(
                    out,
                    "[the resource {uri} is left out, because this API does not accept it in results: {media_type}, {size} bytes]"
                )
            }
        },
    };
}

#[cfg(all(test, feature = "wire-openai"))]
mod tests {
    use super::*;
    use crate::result::output::ToolOutput;

    #[test]
    fn a_model_is_told_what_is_left_out() {
        let output = ToolOutput::text("said")
            .with_attachment(Attachment::audio("audio/wav", *b"RIFF").unwrap())
            .and_then(|output| output.with_attachment(Attachment::text_resource("test://a", "text/plain", "inner")?))
            .and_then(|output| {
                output.with_attachment(Attachment::binary_resource("test://b", "application/pdf", *b"%PDF")?)
            });
        let response = CallResponse::from(output);
        let expected = "\"said\"\n[an audio attachment is left out, because this API does not accept it in results: audio/wav, 4 bytes]\n\
                        [resource test://a (text/plain)]\ninner\n\
                        [the resource test://b is left out, because this API does not accept it in results: application/pdf, 4 bytes]";
        assert_eq!(text(&response), expected);
        assert_eq!(text(&CallResponse::from(Ok(ToolOutput::text("a")))), "\"a\"");
    }

    #[cfg(all(feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini"))]
    #[test]
    fn meta_is_for_mcp_clients_and_no_model_sees_it() {
        use crate::call::ToolCall;
        use crate::call::completed::CompletedCall;
        use crate::wire::api::Api;
        let meta = serde_json::json!({"com.example/trace": "7"});
        let response = CallResponse::from(ToolOutput::text("said").with_meta(meta.clone()));
        assert_eq!(response.meta.as_deref(), Some(&meta));
        for api in [Api::ChatCompletions, Api::Responses, Api::Anthropic, Api::Gemini, Api::Interactions] {
            let call = ToolCall::new("a", "{}").with_id("1");
            let sent = api.results(&[CompletedCall { call, response: response.clone() }]);
            let sent: String = sent.iter().map(|message| message.get()).collect();
            assert!(sent.contains("said") && !sent.contains("example"), "{api:?}: {sent}");
        }
    }

    #[test]
    fn the_text_of_a_resource_is_limited() {
        let long = Attachment::text_resource("test://a", "text/plain", "ä".repeat(MAX_CHARS + 1)).unwrap();
        let response = CallResponse::from(ToolOutput::text("a").with_attachment(long));
        let text = text(&response);
        assert!(text.ends_with("ä [the rest is left out]") && text.chars().count() < MAX_CHARS + 100);
    }
}
