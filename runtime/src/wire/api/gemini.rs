//! Gemini's `generateContent`, and `streamGenerateContent`: with `alt=sse`, its chunks are events, and without, the items of an array.
//!
//! Source: `GenerateContentResponse`, `Part` and `FinishReason` in the API's reference and its SDK, read 2026-11.

mod keys;
mod parts;
mod sent_back;

use std::fmt::Write as _;

use crate::call::completed::CompletedCall;
use crate::call::origin::CallOrigin;
use crate::result::image::Image;
use crate::text::json;
use crate::wire::api::edits::ValuePlace;
use crate::wire::api::gemini::parts::{MAX_PARTS_BETWEEN, Whole};
use crate::wire::api::ids::identity;
use crate::wire::api::response::{ParsedCall, ResponseBuilder, record_stop_reason};
use crate::wire::api::sent_back::NameRule;
use crate::wire::api::stop::by_word;
use crate::wire::api::usage::{count, object, sum};
use crate::wire::api::{ResponseAssembler, Vendor};
use crate::wire::attachment;
use crate::wire::image::base64;
use crate::wire::node::{MAX_ITEMS, Node, Object, describe, no_error};
use crate::wire::write::{list, raw_json, value};
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor {
    parse,
    assemble: || Box::<Chunks>::default(),
    sent_back: sent_back::messages,
    results,
    tool_update: |_, _| None,
};

/// Keys of parts that need no answer of the host: images, and tools that Gemini's servers run.
const IGNORED: &[&str] =
    &["inlineData", "fileData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"];
/// Keys with metadata of a part. A part may consist of metadata only.
const METADATA_KEYS: &[&str] = &[
    "thought",
    "thoughtSignature",
    "videoMetadata",
    "audioMetadata",
    "audioTranscription",
    "speechMetadata",
    "documentMetadata",
    "spreadsheetMetadata",
    "mediaProcessing",
    "mediaResolution",
    "partMetadata",
];
/// The names of functions that the API takes.
pub(super) const NAME: NameRule = NameRule { characters: ".:", max_length: 64 };
/// The prefix of the ids that are generated for calls without an id. They are not sent back.
const GENERATED_ID: &str = "no-id:";

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let mut chunks = Chunks::default();
    if body.json.get().starts_with('[') {
        for chunk in body.items()? {
            no_error(&chunk)?;
            chunks.push_event(&chunk, &mut String::new())?;
        }
        return chunks.finish();
    }
    let camel = keys::in_camel_case(body)?;
    let body = camel.as_ref().map_or(body.clone(), |json| Node { json, path: body.path.clone() });
    let content = chunks.read_chunk(&body, &mut String::new())?;
    if chunks.reason.is_empty() {
        return Err(WireError::new("/candidates/0/finishReason", "a stop reason", "nothing"));
    }
    let mut builder = ResponseBuilder::new(chunks.usage, chunks.identity);
    let parts = content.map(|content| content.object()).transpose()?.and_then(|content| content.get("parts"));
    if let Some(parts) = parts {
        let items = parts.items()?;
        let joined = parts::whole_parts(&items)?;
        let whole = joined.as_ref().map(|parts| raw_json(list(parts)));
        let parts = whole.as_ref().map_or(parts.clone(), |json| Node { json, path: parts.path.clone() });
        read(&parts.items()?, &mut builder)?;
        // The API refuses a content without parts.
        if !items.is_empty() {
            let parts = builder.with_ids(parts.json);
            builder.messages.push(message(parts.get()));
        }
    }
    builder.build(stop(&chunks.reason), chunks.reason)
}

/// Returns the content with these parts.
fn message(parts: &str) -> Box<RawValue> {
    raw_json(format!(r#"{{"role":"model","parts":{parts}}}"#))
}

fn usage(response: &Object<'_>) -> Option<Usage> {
    let usage = object(response, "usageMetadata")?;
    Some(Usage {
        input: sum([count(&usage, "promptTokenCount"), count(&usage, "toolUsePromptTokenCount")]),
        cached: count(&usage, "cachedContentTokenCount"),
        tool_use: count(&usage, "toolUsePromptTokenCount"),
        output: sum([count(&usage, "candidatesTokenCount"), count(&usage, "thoughtsTokenCount")]),
        thinking: count(&usage, "thoughtsTokenCount"),
        ..Usage::default()
    })
}

fn stop(reason: &str) -> Stop {
    match reason {
        "STOP" => Stop::Done,
        "MAX_TOKENS" | "CONTINUATION" => Stop::Length,
        // The server complains about the calls, which are complete.
        "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" | "MISSING_THOUGHT_SIGNATURE" => Stop::Other,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION"
        | "ESCALATION"
        | "PUP_LIMITED_DISABLED"
        | "MODEL_ARMOR" => Stop::Refused,
        _ => by_word(reason),
    }
}

fn read(parts: &[Node<'_>], builder: &mut ResponseBuilder) -> Result<(), WireError> {
    for node in parts {
        let part = node.object()?;
        if let Some(call) = part.get("functionCall") {
            push_call(&call, builder)?;
        } else if let Some(result) = part.get("functionResponse") {
            push_result(&result, builder)?;
        } else if let Some(text) = visible(&part)? {
            builder.push_text(&text);
        } else if part.get("text").is_none()
            && part.all().any(|(key, _)| !METADATA_KEYS.contains(&key))
            && IGNORED.iter().all(|key| part.get(key).is_none())
        {
            let call = part.all().find(|(key, _)| key.ends_with("Call"));
            if let Some((key, _)) = call {
                let got = format!("{}, which may need an answer", describe(key));
                return Err(WireError::new(&*node.path, "a call of a known type", got));
            }
            builder.keep_unknown(&names_of_keys(&part), &node.path);
        }
    }
    Ok(())
}

/// Returns the visible text of a part.
fn visible(part: &Object<'_>) -> Result<Option<String>, WireError> {
    let is_thought = part.get("thought").is_some_and(|thought| thought.json.get() == "true");
    if is_thought { Ok(None) } else { part.optional_text("text") }
}

fn names_of_keys(part: &Object<'_>) -> String {
    let keys: Vec<&str> = part.all().map(|(key, _)| key).take(4).collect();
    crate::text::display::Truncated(&keys.join(", "), 80).to_string()
}

/// Appends the call in a part.
fn push_call(node: &Node<'_>, builder: &mut ResponseBuilder) -> Result<(), WireError> {
    let call = node.object()?;
    for key in ["partialArgs", "willContinue"] {
        if let Some(part) = call.get(key)
            && part.json.get() != "false"
        {
            return Err(part.unexpected("a complete call (`streamFunctionCallArguments` is off)"));
        }
    }
    let id = match builder.id(&ValuePlace { node, object: &call, key: "id" }) {
        // The id of the server would count as a generated one.
        id if id.starts_with(GENERATED_ID) => String::new(),
        id if id.is_empty() => format!("{GENERATED_ID}{}", builder.number_of_call()),
        id => id,
    };
    let name = builder.name(&ValuePlace { node, object: &call, key: "name" })?;
    let arguments = call.arguments("args")?;
    let parsed = ParsedCall { id, name, arguments, origin: CallOrigin::default(), path: node.path.clone() };
    builder.push_call(parsed, &ValuePlace { node, object: &call, key: "id" })
}

/// Records the result in a part. A result without an id belongs to the first call of its name that has none.
fn push_result(node: &Node<'_>, builder: &mut ResponseBuilder) -> Result<(), WireError> {
    let result = node.object()?;
    let place = ValuePlace { node, object: &result, key: "id" };
    if let Some(id) = Some(result.id("id")).filter(|id| !id.is_empty()) {
        builder.push_result(&id, &place);
    } else {
        let name = result.optional_text("name")?.unwrap_or_default();
        builder.answer_first(&place, |call, sent_id| sent_id.starts_with(GENERATED_ID) && call.name == name);
    }
    Ok(())
}

/// A streamed content, in chunks of complete parts.
#[derive(Default)]
struct Chunks {
    parts: Vec<Part>,
    reason: String,
    usage: Option<Usage>,
    /// The [identity] of the response.
    identity: String,
    /// Whether the server has sent `[DONE]`.
    is_done: bool,
}

enum Part {
    /// A string that may continue, and whether it is a thought.
    Text(String, bool),
    Whole(Whole),
}

impl Chunks {
    /// Records the reason for stopping, appends the visible text, and returns the content.
    fn read_chunk<'a>(&mut self, data: &Node<'a>, shown: &mut String) -> Result<Option<Node<'a>>, WireError> {
        let data = data.object()?;
        // Each chunk has the numbers so far.
        self.usage = usage(&data).or(self.usage);
        if self.identity.is_empty() {
            self.identity = identity(&data);
        }
        if let Some(feedback) = data.get("promptFeedback") {
            record_stop_reason(&mut self.reason, feedback.object()?.stop_reason("blockReason"), stop);
        }
        let Some(candidates) = data.get("candidates") else { return Ok(None) };
        let Some(candidate) = candidates.single("one candidate")? else { return Ok(None) };
        let candidate = candidate.object()?;
        record_stop_reason(&mut self.reason, candidate.stop_reason("finishReason"), stop);
        let content = candidate.get("content");
        if let Some(content) = &content
            && let Some(parts) = content.object()?.get("parts")
        {
            for part in parts.items()? {
                shown.push_str(&visible(&part.object()?)?.unwrap_or_default());
            }
        }
        Ok(content)
    }
}

impl ResponseAssembler for Chunks {
    fn push_event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let camel = keys::in_camel_case(data)?;
        let data = camel.as_ref().map_or(data.clone(), |json| Node { json, path: data.path.clone() });
        let Some(content) = self.read_chunk(&data, shown)? else { return Ok(()) };
        let parts = content.object()?.get("parts").map(|parts| parts.items()).transpose()?.unwrap_or_default();
        // Read for its errors, which then have the path in this chunk.
        let mut discarded = ResponseBuilder::default();
        read(&parts, &mut discarded)?;
        for node in parts {
            if self.parts.len() == MAX_ITEMS {
                return Err(node.unexpected(format!("at most {MAX_ITEMS} parts")));
            }
            let part = node.object()?;
            let text =
                part.optional_text("text")?.filter(|_| part.all().all(|(key, _)| ["text", "thought"].contains(&key)));
            let is_thought = part.get("thought").is_some_and(|thought| thought.json.get() == "true");
            match (text, self.parts.last_mut()) {
                (Some(new), Some(Part::Text(old, was_thought))) if *was_thought == is_thought => old.push_str(&new),
                (Some(text), _) => self.parts.push(Part::Text(text, is_thought)),
                (None, _) => {
                    let start = self.parts.len().saturating_sub(MAX_PARTS_BETWEEN);
                    let before = self.parts[start..].iter_mut().filter_map(Part::whole);
                    let new = Whole::read(&node)?.continue_one_of(before)?;
                    self.parts.extend(new.map(Part::Whole));
                }
            }
        }
        Ok(())
    }

    fn reads_arrays(&self) -> bool {
        true
    }

    fn push_done(&mut self) {
        self.is_done = true;
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        if self.reason.is_empty() && (!self.is_done || self.parts.is_empty()) {
            return Err(WireError::ended_early("a stream that ends with a `finishReason`"));
        }
        let mut builder = ResponseBuilder::new(self.usage, std::mem::take(&mut self.identity));
        if !self.parts.is_empty() {
            let parts: Vec<Box<RawValue>> = self.parts.drain(..).map(Part::end).collect();
            let nodes = parts.iter().enumerate();
            let path = |at| format!("/candidates/0/content/parts/{at}");
            let nodes: Vec<Node<'_>> = nodes.map(|(at, json)| Node { json, path: path(at) }).collect();
            read(&nodes, &mut builder)?;
            let parts: Vec<Box<RawValue>> = parts.iter().map(|part| builder.with_ids(part)).collect();
            builder.messages.push(message(&list(&parts)));
        }
        builder.build(stop(&self.reason), std::mem::take(&mut self.reason))
    }
}

impl Part {
    fn whole(&mut self) -> Option<&mut Whole> {
        if let Part::Whole(whole) = self { Some(whole) } else { None }
    }

    fn end(self) -> Box<RawValue> {
        match self {
            Part::Whole(whole) => whole.into_json(),
            Part::Text(text, is_thought) => {
                let mut out = String::from(r#"{"text":"#);
                json::push_string(&mut out, &text);
                out.push_str(if is_thought { r#","thought":true}"# } else { "}" });
                raw_json(out)
            }
        }
    }
}

fn results(completed_calls: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    let parts: Vec<Box<RawValue>> = completed_calls.iter().map(result).collect();
    vec![raw_json(format!(r#"{{"role":"user","parts":{}}}"#, list(&parts)))]
}

fn result(completed: &CompletedCall<'_>) -> Box<RawValue> {
    let CompletedCall { call, response } = completed;
    let mut out = String::from(r#"{"functionResponse":{"#);
    if !call.id().starts_with(GENERATED_ID) {
        out.push_str(r#""id":"#);
        json::push_string(&mut out, call.id());
        out.push(',');
    }
    out.push_str(r#""name":"#);
    // The name must be that of the call.
    json::push_string(&mut out, &NAME.apply(call.name()));
    out.push_str(r#","response":"#);
    let value = value(&response.json);
    // Gemini 3 and later accept images in results; earlier models do not.
    let accepted: Vec<&Image> = response.images.iter().filter(|image| image.media_type() != "image/gif").collect();
    // An error already is an object with the key `error`, as Gemini expects.
    if response.is_error() && value.starts_with('{') {
        out.push_str(&value);
    } else {
        out.push_str(if response.is_error() { r#"{"error":"# } else { r#"{"output":"# });
        out.push_str(&value);
        let gif = "images of type image/gif were omitted, because Gemini does not accept them";
        let omitted = (accepted.len() < response.images.len()).then(|| gif.to_owned());
        let notes: Vec<String> = omitted.into_iter().chain(attachment::notes(response)).collect();
        if !notes.is_empty() {
            out.push_str(r#","note":"#);
            json::push_string(&mut out, &notes.join("\n"));
        }
        out.push('}');
    }
    if !accepted.is_empty() {
        let part = |image: &&Image| {
            let (media_type, data) = (image.media_type(), base64(image));
            format!(r#"{{"inlineData":{{"mimeType":"{media_type}","data":"{data}"}}}}"#)
        };
        let parts: Vec<String> = accepted.iter().map(part).collect();
        let _ = write!(out, r#","parts":[{}]"#, parts.join(","));
    }
    out.push_str("}}");
    raw_json(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolCall;
    use crate::call::response::CallResponse;
    use crate::result::error::ErrorKind;
    use crate::wire::Api;

    #[test]
    fn generated_ids_are_not_sent_back() {
        let body = r#"{"candidates":[{"content":{"parts":[
            {"functionCall":{"name":"a"}},{"functionCall":{"name":"a","id":""}},{"functionCall":{"name":"a","id":"7"}}
        ]},"finishReason":"STOP"}]}"#;
        let response = Api::Gemini.parse(body).unwrap();
        let ids: Vec<_> = response.calls().iter().map(ToolCall::id).collect();
        assert_eq!(ids, ["no-id:0", "no-id:1", "7"]);
        let result = CallResponse {
            json: "1".to_owned(),
            error: None,
            images: Vec::new(),
            attachments: Vec::new(),
            meta: None,
            repairs: crate::args::repairs::Repairs::NONE,
        };
        let completed_calls: Vec<_> =
            response.calls().into_iter().map(|call| CompletedCall { call, response: result.clone() }).collect();
        let results = Api::Gemini.results(&completed_calls);
        assert_eq!(results[0].get().matches(r#""id":"#).count(), 1);
        assert!(results[0].get().contains(r#"{"functionResponse":{"id":"7","name":"a","response":{"output":1}}}"#));
    }

    #[test]
    fn a_complete_call_is_run_whatever_the_server_says_about_it() {
        let call = r#"{"functionCall":{"name":"f","args":{"a":1}}}"#;
        for reason in ["UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE"] {
            let body = format!(r#"{{"candidates":[{{"content":{{"parts":[{call}]}},"finishReason":"{reason}"}}]}}"#);
            let mut stream = Api::Gemini.stream();
            stream.push(format!("data: {body}\n\n").as_bytes()).unwrap();
            for response in [Api::Gemini.parse(&body), stream.finish()] {
                let response = response.unwrap();
                assert_eq!((response.calls().len(), response.stop()), (1, Stop::Other), "{reason}");
            }
        }
    }

    #[test]
    fn a_response_in_snake_case_is_read_and_sent_back_in_camel_case() {
        let body = r#"{"candidates":[{"content":{"parts":[{"function_call":{"name":"f","args":{"b_c":1}},"thought_signature":"s"}]},
            "finish_reason":"STOP"}],"usage_metadata":{"prompt_token_count":5}}"#
            .replace('\n', "");
        let mut stream = Api::Gemini.stream();
        stream.push(format!("data: {body}\n\n").as_bytes()).unwrap();
        for response in [Api::Gemini.parse(&body), stream.finish()] {
            let response = response.unwrap();
            assert_eq!(response.calls()[0].arguments(), r#"{"b_c":1}"#);
            assert_eq!(response.usage().map(|usage| usage.input), Some(5));
            let sent = response.messages()[0].get();
            assert!(sent.contains("functionCall") && sent.contains("thoughtSignature"), "{sent}");
            assert!(!sent.contains("function_call"), "{sent}");
        }
    }

    /// Returns the calls and the text of a response that is this body, complete and streamed, or the errors.
    fn answers(body: &str) -> [Result<String, String>; 2] {
        let mut stream = Api::Gemini.stream();
        let mut shown = String::new();
        let pushed = body.as_bytes().chunks(5).try_for_each(|piece| {
            shown += &stream.push(piece)?;
            Ok(())
        });
        [Api::Gemini.parse(body), pushed.and_then(|()| stream.finish())].map(|response| {
            let response = response.map_err(|error| error.to_string())?;
            assert!(shown.is_empty() || shown == response.text(), "{shown}");
            let calls: Vec<String> =
                response.calls().iter().map(|call| format!("{} {}", call.name(), call.arguments())).collect();
            Ok(format!("{}|{}|{:?}", response.text(), calls.join(","), response.stop()))
        })
    }

    #[test]
    fn an_array_is_read_as_the_chunks_of_a_stream() {
        let part = |part: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#);
        let text = |word: &str| part(&format!(r#"{{"text":"{word}"}}"#));
        let call = part(r#"{"functionCall":{"name":"f","args":{"a":"]},{["}}}"#);
        let end = r#"{"candidates":[{"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5}}"#;
        let last = r#"{"candidates":[{"content":{"parts":[{"text":"c"}]},"finish_reason":"STOP"}]}"#;
        let one = r#"{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}]}"#;
        for (items, expected) in [
            (vec![&*text("a"), &*text("b"), end], "ab||Done"),
            (vec![&*text("a"), &*call, &*text("b"), end], r#"ab|f {"a":"]},{["}|Done"#),
            (vec![&*call, &*call, end], r#"|f {"a":"]},{["},f {"a":"]},{["}|Done"#),
            (vec![&*text("a"), last], "ac||Done"),
            (vec![one], "x||Done"),
            (vec![r#"{"usageMetadata":{"promptTokenCount":5}}"#, one], "x||Done"),
        ] {
            for (open, between, close) in [("[", ",", "]"), ("[\n", "\n,\r\n", "\n]\n"), ("\u{feff} [ ", " , ", " ] ")]
            {
                let body = format!("{open}{}{close}", items.join(between));
                assert_eq!(answers(&body), [Ok(expected.to_owned()), Ok(expected.to_owned())], "{body}");
            }
        }
    }

    #[test]
    fn an_error_or_a_cut_in_an_array_is_that_of_the_response() {
        let text = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#;
        let error = r#"{"error":{"code":429,"message":"wait","status":"RESOURCE_EXHAUSTED"}}"#;
        for body in [format!("[{error}]"), format!("[{text},{error}]"), format!("[{text}\n,\n{error}\n]")] {
            for answer in answers(&body) {
                assert_eq!(answer, Err("the API returned an error (RESOURCE_EXHAUSTED): wait".to_owned()), "{body}");
            }
        }
        for body in ["[]".to_owned(), format!("[{text}]"), "[{}]".to_owned(), "[ ]".to_owned()] {
            let answers = answers(&body);
            assert!(
                answers.iter().all(|answer| answer.as_ref().is_err_and(|e| e.contains("ended early"))),
                "{answers:?}"
            );
        }
        for body in ["[[]]", "[1]", "[null]", "[\"a\"]", "[{\"candidates\":1}]"] {
            let answers = answers(body);
            assert!(answers.iter().all(|answer| answer.as_ref().is_err_and(|e| e.contains("expected"))), "{answers:?}");
        }
        let [_, cut] = answers(&format!("[{text},{}", &text[..20]));
        assert!(cut.is_err_and(|error| error.contains("ended early")));
    }

    #[test]
    fn only_the_first_candidate_is_accepted() {
        let body = r#"{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}"#;
        let error = "/candidates: expected one candidate, got one with index 1";
        assert_eq!(Api::Gemini.parse(body).unwrap_err().to_string(), error);
        let pushed = Api::Gemini.stream().push(format!("data: {body}\n\n").as_bytes());
        assert_eq!(pushed.unwrap_err().to_string(), format!("event 1{error}"));
    }

    #[test]
    fn a_call_that_was_cut_off_is_an_error() {
        let mut stream = Api::Gemini.stream();
        for (parts, reason) in [(r#"[{"functionCall":{"name":"a"}}]"#, "MAX_TOKENS"), ("[]", "STOP")] {
            let chunk = format!(r#"{{"candidates":[{{"content":{{"parts":{parts}}},"finishReason":"{reason}"}}]}}"#);
            stream.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
        }
        let error = stream.finish().unwrap_err().to_string();
        assert!(error.ends_with("got a response that was cut off: MAX_TOKENS"), "{error}");
    }

    #[test]
    fn empty_contents_are_not_sent_back() {
        for content in ["null", r#"{"role":"model"}"#, r#"{"role":"model","parts":[]}"#] {
            let body = format!(r#"{{"candidates":[{{"content":{content},"finishReason":"STOP"}}]}}"#);
            let mut stream = Api::Gemini.stream();
            stream.push(format!("data: {body}\n\n").as_bytes()).unwrap();
            for response in [Api::Gemini.parse(&body), stream.finish()] {
                assert!(response.unwrap().messages().is_empty(), "{content}");
            }
        }
    }

    /// Returns the names of the calls of a response with these parts, complete and streamed in one chunk for each part.
    fn names(parts: &[&str]) -> [Vec<String>; 2] {
        let body = |parts: &str, end: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{parts}]}}{end}}}]}}"#);
        let stop = r#","finishReason":"STOP""#;
        let mut stream = Api::Gemini.stream();
        for part in parts {
            stream.push(format!("data: {}\n\n", body(part, "")).as_bytes()).unwrap();
        }
        stream.push(format!("data: {}\n\n", body("", stop)).as_bytes()).unwrap();
        [Api::Gemini.parse(&body(&parts.join(","), stop)), stream.finish()].map(|response| {
            response.unwrap().calls().iter().map(|call| format!("{} {}", call.name(), call.arguments())).collect()
        })
    }

    #[test]
    fn a_call_with_a_result_in_the_same_response_needs_no_other() {
        let call = |id: &str, n: u8| format!(r#"{{"functionCall":{{{id}"name":"f","args":{{"n":{n}}}}}}}"#);
        let result = |id: &str| format!(r#"{{"functionResponse":{{{id}"name":"f","response":{{}}}}}}"#);
        let (a, b) = (r#""id":"a","#, r#""id":"b","#);
        for (parts, expected) in [
            ([call(a, 1), result(a), call(a, 2)], vec![r#"f {"n":2}"#]),
            ([call(a, 1), call(b, 2), result(b)], vec![r#"f {"n":1}"#]),
            ([call("", 1), result(""), call("", 2)], vec![r#"f {"n":2}"#]),
            ([call(a, 1), result(""), call("", 2)], vec![r#"f {"n":1}"#, r#"f {"n":2}"#]),
            ([result(a), call(a, 1), result(b)], vec![r#"f {"n":1}"#]),
        ] {
            let parts = parts.each_ref().map(|part| &**part);
            assert_eq!(names(&parts), [expected.clone(), expected], "{parts:?}");
        }
    }

    #[test]
    fn arguments_that_are_not_an_object_are_those_of_the_call() {
        let part = r#"{"functionCall":{"name":"f","args": [1]}}"#;
        assert_eq!(names(&[part]), [vec!["f [1]"], vec!["f [1]"]]);
        let body = format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":"STOP"}}]}}"#);
        let response = Api::Gemini.parse(&body).unwrap();
        assert!(response.messages()[0].get().contains(r#""args":{"INVALID_JSON":"[1]"}"#), "{response:?}");
    }

    #[test]
    fn a_part_without_a_name_gives_its_arguments_to_the_call_before_it() {
        let call = |fields: &str| format!(r#"{{"functionCall":{{{fields}}}}}"#);
        let empty = call(r#""name":"f","args":{}"#);
        for (parts, expected) in [
            (vec![empty.clone(), call(r#""args":{"a":1}"#)], vec![r#"f {"a":1}"#]),
            (vec![call(r#""name":"f""#), call(r#""name":"","args":{"a":1.50}"#)], vec![r#"f {"a":1.50}"#]),
            (vec![empty.clone(), call(r#""args":{"a":1}"#), call(r#""args":{"b":2}"#)], vec![r#"f {"a":1,"b":2}"#]),
            (vec![empty.clone(), call(r#""args":{"a":null}"#)], vec![r#"f {"a":null}"#]),
            (vec![empty.clone(), call(r#""args":{}"#)], vec!["f {}"]),
            (
                vec![call(r#""id":"a","name":"f","args":{}"#), call(r#""id":"b","args":{}"#)],
                vec!["f {}", "call_without_a_name {}"],
            ),
            (vec![empty.clone(), call(r#""name":"f","args":{"a":1}"#)], vec!["f {}", r#"f {"a":1}"#]),
            (vec![empty.clone(), call(r#""args":{"a":1}"#), empty.clone()], vec![r#"f {"a":1}"#, "f {}"]),
            (vec![call(r#""args":{"a":1}"#), empty.clone()], vec![r#"call_without_a_name {"a":1}"#, "f {}"]),
        ] {
            let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
            assert_eq!(names(&parts), [expected.clone(), expected], "{parts:?}");
        }
        let [f, g] = ["f", "g"].map(|name| call(&format!(r#""name":"{name}""#)));
        let [one, two] = [1, 2].map(|n| call(&format!(r#""args":{{"a":{n}}}"#)));
        let [thought, blank, signature] =
            [r#"{"text":"hm","thought":true}"#, r#"{"text":""}"#, r#"{"thoughtSignature":"s"}"#].map(str::to_owned);
        let no_arguments = call(r#""args":{}"#);
        let [f_id, g_id] = ["f", "g"].map(|name| call(&format!(r#""id":"{name}","name":"{name}""#)));
        let [f_args, g_args] = ["f", "g"].map(|id| call(&format!(r#""id":"{id}","args":{{"a":"{id}"}}"#)));
        for (parts, expected) in [
            (vec![&f, &thought, &one], vec![r#"f {"a":1}"#]),
            (vec![&f, &blank, &one], vec![r#"f {"a":1}"#]),
            (vec![&f, &signature, &thought, &one, &g, &signature, &two], vec![r#"f {"a":1}"#, r#"g {"a":2}"#]),
            (vec![&f, &g, &one, &two], vec![r#"f {"a":1}"#, r#"g {"a":2}"#]),
            (vec![&empty, &g, &one], vec!["f {}", r#"g {"a":1}"#]),
            (vec![&f, &no_arguments, &g, &one], vec!["f {}", r#"g {"a":1}"#]),
            (vec![&f_id, &g_id, &g_args, &f_args], vec![r#"f {"a":"f"}"#, r#"g {"a":"g"}"#]),
        ] {
            let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
            assert_eq!(names(&parts), [expected.clone(), expected], "{parts:?}");
        }
        let parts = format!(r#"{empty},{{"functionCall":{{"id":"i","args":{{"a":1}}}},"thoughtSignature":"s"}}"#);
        let body = format!(r#"{{"candidates":[{{"content":{{"parts":[{parts}]}},"finishReason":"STOP"}}]}}"#);
        let response = Api::Gemini.parse(&body).unwrap();
        let whole = r#"{"functionCall":{"args":{"a":1},"id":"i","name":"f"},"thoughtSignature":"s"}"#;
        assert_eq!(response.messages()[0].get(), format!(r#"{{"role":"model","parts":[{whole}]}}"#));
    }

    #[test]
    fn a_stop_reason_of_another_api_does_not_end_a_call() {
        for (reason, is_run) in
            [("stop", true), ("tool_calls", true), ("OTHER", true), ("MALFORMED_FUNCTION_CALL", false)]
        {
            let part = r#"{"functionCall":{"name":"f"}}"#;
            let body = format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":"{reason}"}}]}}"#);
            assert_eq!(Api::Gemini.parse(&body).is_ok(), is_run, "{reason}");
        }
    }

    #[test]
    fn a_stop_reason_that_is_not_a_text_loses_no_answer() {
        for reason in ["0", "1", "{}"] {
            let part = r#"{"functionCall":{"name":"f","args":{"a":1}}}"#;
            let body = format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":{reason}}}]}}"#);
            let mut stream = Api::Gemini.stream();
            stream.push(format!("data: {body}\n\n").as_bytes()).unwrap();
            for response in [Api::Gemini.parse(&body), stream.finish()] {
                assert_eq!(response.unwrap().calls()[0].arguments(), r#"{"a":1}"#, "{reason}");
            }
        }
    }

    #[test]
    fn a_function_response_is_always_an_object() {
        for (json, error, expected) in [
            (r#"{"error":"no","kind":"failed"}"#, true, r#"{"error":"no","kind":"failed"}"#),
            (r#""no""#, true, r#"{"error":"no"}"#),
            ("not \"JSON\"", false, r#"{"output":"not \"JSON\""}"#),
            (r#"{"error":"none"}"#, false, r#"{"output":{"error":"none"}}"#),
        ] {
            let error = error.then_some(ErrorKind::Failed);
            let response = CallResponse {
                json: json.to_owned(),
                error,
                images: Vec::new(),
                attachments: Vec::new(),
                meta: None,
                repairs: crate::args::repairs::Repairs::NONE,
            };
            let written = result(&CompletedCall { call: ToolCall::new("a", "{}").with_id("no-id:0"), response });
            assert_eq!(written.get(), format!(r#"{{"functionResponse":{{"name":"a","response":{expected}}}}}"#));
        }
    }
}
