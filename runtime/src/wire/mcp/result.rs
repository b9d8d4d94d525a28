//! The result of a call, as clients of each era expect it.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::call::response::CallResponse;
use crate::result::attachment::{Attachment, ResourceContent};
use crate::result::error::ErrorKind;
use crate::session::turn::Turn;
use crate::text::json;
use crate::wire::image::base64;
use crate::wire::mcp::{COMPLETE, Era, Request, RpcError, code, reply};
use crate::wire::node::{Node, Object};
use crate::wire::write::value;
use serde_json::value::RawValue;

impl Request {
    /// Returns the message with the response to the call, as one line. `turn` is the turn that ran the call.
    pub fn result(&self, turn: &Turn, response: &CallResponse) -> String {
        // Only an unknown tool of the turn is a protocol error. A handler may return the same kind for the model to see.
        if response.error == Some(ErrorKind::UnknownTool) && !turn.can_call(&self.name) {
            return RpcError::new(code::INVALID_PARAMS, error_message(&response.json)).write(Some(&self.id));
        }
        // If a tool has an output schema, clients refuse a result without structured content, unless the result is an error. A
        // shortened result does not match the schema, so it is sent as an error.
        let definition = turn.resolve_name(&self.name).map(|id| turn.definition(id)).unwrap_or_default();
        let is_typed = Node::root(&definition, "")
            .and_then(|definition| definition.object())
            .is_ok_and(|definition| has_output_schema(&definition, self.era));
        let is_error = response.is_error() || (is_typed && response.is_shortened());
        let mut out = format!(r#"{{"content":{}"#, content(response));
        if is_typed && !is_error && (self.era == Era::Stateless || response.json.starts_with('{')) {
            out.push_str(r#","structuredContent":"#);
            out.push_str(&value(&response.json));
        }
        let _ = write!(out, r#","isError":{is_error}"#);
        if let Some(meta) = &response.meta {
            let _ = write!(out, r#","_meta":{meta}"#);
        }
        out.push('}');
        reply(&self.id, &out, self.era, COMPLETE)
    }
}

/// Returns the content for the model: a string as plain text, any other value as JSON text, then the images and the attachments.
fn content(response: &CallResponse) -> String {
    let text = serde_json::from_str::<String>(&response.json).map_or(Cow::Borrowed(&*response.json), Cow::Owned);
    let mut out = String::from(r#"[{"type":"text","text":"#);
    json::push_string(&mut out, &text);
    for image in &response.images {
        let _ = write!(out, r#"}},{{"type":"image","data":"{}","mimeType":"{}""#, base64(image), image.media_type());
    }
    for attachment in &response.attachments {
        push_attachment(&mut out, attachment);
    }
    out.push_str("}]");
    out
}

/// Appends an attachment, without the brace at its end.
fn push_attachment(out: &mut String, attachment: &Attachment) {
    match attachment {
        Attachment::Audio(audio) => {
            let _ = write!(out, r#"}},{{"type":"audio","data":"{}","mimeType":"#, STANDARD.encode(audio.bytes()));
            json::push_string(out, audio.media_type());
        }
        Attachment::Resource(resource) => {
            out.push_str(r#"},{"type":"resource","resource":{"uri":"#);
            json::push_string(out, resource.uri());
            out.push_str(r#","mimeType":"#);
            json::push_string(out, resource.media_type());
            match resource.content() {
                ResourceContent::Text(text) => {
                    out.push_str(r#","text":"#);
                    json::push_string(out, text);
                }
                ResourceContent::Bytes(bytes) => {
                    let _ = write!(out, r#","blob":"{}""#, STANDARD.encode(bytes));
                }
            }
            out.push('}');
        }
    }
}

/// Returns the definition of a tool for clients of this era. In [`Era::Sessions`], results must be objects, and clients
/// would refuse the whole list because of another `outputSchema`.
pub(super) fn definition_for(tool: &RawValue, era: Era) -> Cow<'_, str> {
    let Ok(definition) = (Node { json: tool, path: String::new() }).object() else { return tool.get().into() };
    if definition.get("outputSchema").is_none() || has_output_schema(&definition, era) {
        return tool.get().into();
    }
    let mut out = String::from("{");
    for (key, value) in definition.all().filter(|(key, _)| *key != "outputSchema") {
        if out.len() > 1 {
            out.push(',');
        }
        json::push_string(&mut out, key);
        out.push(':');
        out.push_str(value.get());
    }
    out.push('}');
    out.into()
}

/// Returns whether clients of this era see the output schema of a definition.
fn has_output_schema(definition: &Object<'_>, era: Era) -> bool {
    let schema = definition.get("outputSchema");
    match era {
        Era::Stateless => schema.is_some(),
        Era::Sessions => schema.and_then(|schema| schema.object().ok()?.text("type").ok()).as_deref() == Some("object"),
    }
}

/// Returns the message of an error response.
fn error_message(json: &str) -> String {
    let error = Node::root(json, "").and_then(|node| node.object()?.text("error"));
    error.unwrap_or_else(|_| "unknown tool".to_owned())
}
