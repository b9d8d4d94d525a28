//! Gemini's Interactions. A conversation is a list of steps.
//!
//! Source: `Interaction`, `Step` and `InteractionSSEEvent` in the types of its SDK (google-genai 3.6), read 2026-11.

mod events;
mod sent_back;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::call::completed::CompletedCall;
use crate::call::origin::{CallKind, CallOrigin};
use crate::result::attachment::Attachment;
use crate::text::json;
use crate::wire::api::Vendor;
use crate::wire::api::edits::ValuePlace;
use crate::wire::api::found::{definition, found_tools};
use crate::wire::api::gemini::NAME;
use crate::wire::api::ids::identity;
use crate::wire::api::response::{ParsedCall, ResponseBuilder};
use crate::wire::api::usage::{count, object, sum};
use crate::wire::attachment;
use crate::wire::image::base64;
use crate::wire::node::{Node, Object};
use crate::wire::write::{list, raw_json};
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor {
    parse,
    assemble: || Box::<events::Events>::default(),
    sent_back: sent_back::messages,
    results,
    tool_update: |_, _| None,
};

/// Step types that need no answer of the host: thoughts, tools that Gemini's servers run, and results.
const IGNORED: &[&str] = &[
    "user_input",
    "thought",
    "code_execution_call",
    "code_execution_result",
    "file_search_call",
    "file_search_result",
    "google_maps_call",
    "google_maps_result",
    "google_search_call",
    "google_search_result",
    "mcp_server_tool_call",
    "mcp_server_tool_result",
    "processing_call",
    "processing_result",
    "retrieval_call",
    "retrieval_result",
    "tool_search_call",
    "tool_search_result",
    "url_context_call",
    "url_context_result",
];
/// Types of content that need no answer.
const MEDIA: &[&str] = &["image", "audio", "video", "document"];

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let interaction = body.object()?;
    let steps = interaction.get("steps").map(|steps| steps.items()).transpose()?.unwrap_or_default();
    read(&interaction, own(&steps)?, usage(&interaction, "usage"))
}

/// Returns the steps of the model. The steps of the request may precede them in the response.
fn own<'s, 'a>(steps: &'s [Node<'a>]) -> Result<&'s [Node<'a>], WireError> {
    let mut start = 0;
    for (at, step) in steps.iter().enumerate() {
        let kind = step.object()?.non_empty_text("type")?;
        if kind == "user_input" || (kind == "function_result" && at == start) {
            start = at + 1;
        }
    }
    Ok(&steps[start..])
}

fn read(interaction: &Object<'_>, steps: &[Node<'_>], usage: Option<Usage>) -> Result<ModelResponse, WireError> {
    let (ended, reason) = stop(interaction)?;
    read_steps(steps, ResponseBuilder::new(usage, identity(interaction)))?.build(ended, reason)
}

fn read_steps(steps: &[Node<'_>], mut builder: ResponseBuilder) -> Result<ResponseBuilder, WireError> {
    for node in steps {
        let step = node.object()?;
        match &*step.non_empty_text("type")? {
            "model_output" => read_output(&step, &mut builder)?,
            "function_call" => {
                let place = |key| ValuePlace { node, object: &step, key };
                let (id, name) = (builder.id(&place("id")), builder.name(&place("name"))?);
                let (arguments, origin) = (step.arguments("arguments")?, CallOrigin::default());
                builder.push_call(ParsedCall { id, name, arguments, origin, path: node.path.clone() }, &place("id"))?;
            }
            "function_result" => {
                let id = step.id("call_id");
                builder.push_result(&id, &ValuePlace { node, object: &step, key: "call_id" });
            }
            kind if IGNORED.contains(&kind) => {}
            kind => builder.push_unknown(&step, kind, &node.path)?,
        }
        builder.push_message(node.json);
    }
    Ok(builder)
}

fn read_output(step: &Object<'_>, builder: &mut ResponseBuilder) -> Result<(), WireError> {
    let contents = step.get("content").map(|content| content.items()).transpose()?.unwrap_or_default();
    for node in contents {
        let content = node.object()?;
        match &*content.non_empty_text("type")? {
            "text" => builder.push_text(&content.text("text")?),
            kind if MEDIA.contains(&kind) => {}
            kind => builder.push_unknown(&content, kind, &node.path)?,
        }
    }
    Ok(())
}

fn usage(object_with_usage: &Object<'_>, key: &str) -> Option<Usage> {
    let usage = object(object_with_usage, key)?;
    let [tool_use, thinking] = ["total_tool_use_tokens", "total_thought_tokens"].map(|key| count(&usage, key));
    Some(Usage {
        input: sum([count(&usage, "total_input_tokens"), tool_use]),
        cached: count(&usage, "total_cached_tokens"),
        tool_use,
        output: sum([count(&usage, "total_output_tokens"), thinking]),
        thinking,
        ..Usage::default()
    })
}

/// Returns the stop reason, which is the status.
fn stop(interaction: &Object<'_>) -> Result<(Stop, String), WireError> {
    let status = interaction.require("status", "the status of the interaction")?;
    let word = status.non_empty_text()?;
    let stop = match &*word {
        "completed" | "requires_action" => Stop::Done,
        "incomplete" | "budget_exceeded" | "requires_continuation" => Stop::Length,
        "cancelled" => Stop::Failed,
        "failed" => return Err(failure(interaction)),
        _ => return Err(status.unexpected("a final status")),
    };
    Ok((stop, word))
}

/// Returns the error of an interaction that failed.
fn failure(interaction: &Object<'_>) -> WireError {
    let errors = interaction.get("errors").and_then(|errors| errors.items().ok()).unwrap_or_default();
    let first = errors.first().and_then(|error| error.object().ok());
    let text = |key: &str| first.as_ref().and_then(|error| error.optional_text(key).ok().flatten());
    let message = text("message").unwrap_or_else(|| "the interaction failed".to_owned());
    WireError::api(&text("code").unwrap_or_default(), &message)
}

fn results(completed_calls: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    completed_calls.iter().map(result).collect()
}

fn result(completed: &CompletedCall<'_>) -> Box<RawValue> {
    let CompletedCall { call, response } = completed;
    let mut out = String::from(r#"{"type":"function_result","call_id":"#);
    json::push_string(&mut out, call.id());
    out.push_str(r#","name":"#);
    json::push_string(&mut out, &NAME.apply(call.name()));
    if response.is_error() {
        out.push_str(r#","is_error":true"#);
    }
    out.push_str(r#","result":"#);
    let is_search = call.origin().kind == CallKind::ToolSearch && !response.is_error();
    let tools = if is_search { found_tools(&response.json, definition) } else { Vec::new() };
    if !tools.is_empty() {
        let _ = write!(out, "{}}}", list(&tools));
        return raw_json(out);
    }
    let is_sound = |attachment: &&Attachment| matches!(attachment, Attachment::Audio(_));
    let text = attachment::text_except(response, |attachment| is_sound(&attachment));
    if response.images.is_empty() && !response.attachments.iter().any(|attachment| is_sound(&attachment)) {
        json::push_string(&mut out, &text);
    } else {
        out.push_str(r#"[{"type":"text","text":"#);
        json::push_string(&mut out, &text);
        for image in &response.images {
            let (media_type, data) = (image.media_type(), base64(image));
            let _ = write!(out, r#"}},{{"type":"image","mime_type":"{media_type}","data":"{data}""#);
        }
        for attachment in &response.attachments {
            if let Attachment::Audio(audio) = attachment {
                let _ = write!(out, r#"}},{{"type":"audio","data":"{}","mime_type":"#, STANDARD.encode(audio.bytes()));
                json::push_string(&mut out, audio.media_type());
            }
        }
        out.push_str("}]");
    }
    out.push('}');
    raw_json(out)
}

#[cfg(test)]
mod tests;
