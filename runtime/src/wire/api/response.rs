//! A parsed response of any API.

use std::fmt;

use crate::call::ToolCall;
use crate::call::origin::{CallKind, CallOrigin};
use crate::text::display::Truncated;
use crate::wire::api::arguments::fingerprint;
use crate::wire::api::edits::{Edits, ValuePlace};
use crate::wire::api::ids::new_id;
use crate::wire::node::{Object, is_whole};
use crate::wire::{MAX_CALLS, Usage, WireError};
use serde_json::value::RawValue;

/// The response of a model: its text and its calls.
#[derive(Debug, Clone)]
pub struct ModelResponse {
    messages: Vec<Box<RawValue>>,
    calls: Vec<ParsedCall>,
    unknown: Vec<UnknownItem>,
    text: String,
    stop: Stop,
    reason: String,
    usage: Option<Usage>,
    container: Option<String>,
}

/// An item, a block or a part of a response whose type this crate does not know. It needs no answer, and is sent back unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownItem {
    /// The type of the part, or its keys if the API has no types; at most 64 characters.
    pub kind: String,
    /// The path of the part: a JSON Pointer (RFC 6901) into the response.
    pub path: String,
}

impl fmt::Display for UnknownItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind, self.path)
    }
}

/// The name of a call without a name. Every API accepts it.
pub(super) const WITHOUT_NAME: &str = "call_without_a_name";

/// The maximum length of the kind of an unknown part, in characters.
const MAX_KIND_CHARS: usize = 64;

/// The reason why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// The model is done, or waits for the results of its calls.
    Done,
    /// The response was cut off at a token limit.
    Length,
    /// The model refused to answer, or a filter blocked the response.
    Refused,
    /// The model paused: append its [messages](ModelResponse::messages) to the conversation, and send the conversation
    /// again, so that it continues.
    Paused,
    /// The server or the model failed: see [`ModelResponse::stop_reason`].
    Failed,
    /// Another reason, or none: see [`ModelResponse::stop_reason`].
    Other,
}

/// A call in a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParsedCall {
    /// The id, which is empty if the server sent none, until the response is read.
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments, as JSON, or the text of a call of a text tool.
    pub(super) arguments: String,
    pub(super) origin: CallOrigin,
    /// The path of the call in the message.
    pub(super) path: String,
}

impl ParsedCall {
    /// Describes the call in an error.
    pub(super) fn description(&self) -> String {
        format!("the call of `{}` in an earlier event", Truncated(&self.name, MAX_KIND_CHARS))
    }

    /// Returns whether this last call of a response is complete. A limit and a failure may have cut off even arguments that look whole.
    /// After a reason that this crate does not know, the arguments decide. The end of a text cannot be seen in it.
    fn is_complete(&self, stop: Stop) -> bool {
        match stop {
            Stop::Done | Stop::Paused => true,
            Stop::Length | Stop::Refused | Stop::Failed => false,
            Stop::Other => self.origin.kind != CallKind::Text && is_whole(&self.arguments),
        }
    }

    fn request(&self) -> ToolCall<'_> {
        ToolCall::new(&self.name, &self.arguments).with_id(&self.id).with_origin(&self.origin)
    }
}

/// A call that has been read, and what became of it.
#[derive(Debug)]
struct ReadCall {
    call: ParsedCall,
    /// The id that the server sent.
    sent_id: String,
    /// Whether the response has its result.
    is_answered: bool,
}

impl ModelResponse {
    /// Returns the calls that need an answer, in the model's order: those without a result in this response. Their names are the tools'
    /// names in the model's dialect, without a [namespace](CallOrigin::namespace). Their ids are unique in this response: a call without an
    /// id, or with the id of an earlier call, gets a new id, which the [messages](Self::messages) also contain.
    pub fn calls(&self) -> Vec<ToolCall<'_>> {
        self.calls.iter().map(ParsedCall::request).collect()
    }

    /// Returns the parts of the response that this crate does not know. They are in the [messages](Self::messages).
    pub fn unknown(&self) -> &[UnknownItem] {
        &self.unknown
    }

    /// Returns the visible text of the model, including the text of a refusal, without its thinking.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the reason why the model stopped.
    pub const fn stop(&self) -> Stop {
        self.stop
    }

    /// Returns the reason why the model stopped, as the API names it: `end_turn`, `MAX_TOKENS`. It is empty if the server sent none.
    pub fn stop_reason(&self) -> &str {
        &self.reason
    }

    /// Returns the numbers of tokens, if the API has reported them.
    pub const fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Returns the id of the container in which the vendor runs the programs of the model. Anthropic requires it in `container` of the
    /// request with the results of calls [by a program](CallOrigin::program).
    pub fn container(&self) -> Option<&str> {
        self.container.as_deref()
    }

    pub(super) fn with_container(self, container: Option<String>) -> Self {
        Self { container, ..self }
    }

    /// Returns the response with other messages.
    pub(super) fn with_messages(self, change: impl FnOnce(&[Box<RawValue>]) -> Vec<Box<RawValue>>) -> Self {
        Self { messages: change(&self.messages), ..self }
    }

    pub(super) const fn set_usage(&mut self, usage: Option<Usage>) {
        self.usage = usage;
    }

    /// Returns the model's messages as JSON, to append to the conversation. They include thinking, signatures and content of unknown
    /// types. They have new ids of [calls](Self::calls), and are without what servers refuse: see [`Api::sent_back`](crate::wire::Api::sent_back).
    pub fn messages(&self) -> &[Box<RawValue>] {
        &self.messages
    }
}

/// Records the stop reason, which a stream may send several times. A later reason replaces an earlier one only if the earlier one means
/// neither a limit nor a failure, so that `stop` does not overwrite `length`.
pub(super) fn record_stop_reason(reason: &mut String, new: Option<String>, stop: fn(&str) -> Stop) {
    if let Some(new) = new
        && !new.is_empty()
        && (reason.is_empty() || matches!(stop(reason), Stop::Done | Stop::Other))
    {
        *reason = new;
    }
}

/// A [`ModelResponse`] under construction.
#[derive(Debug, Default)]
pub(super) struct ResponseBuilder {
    pub(super) messages: Vec<Box<RawValue>>,
    pub(super) text: String,
    pub(super) usage: Option<Usage>,
    calls: Vec<ReadCall>,
    unknown: Vec<UnknownItem>,
    edits: Edits,
    identity: String,
    /// Whether neither a text nor its result follows the last call.
    ends_in_call: bool,
}

impl ResponseBuilder {
    /// Returns the builder of a response with this [identity](crate::wire::api::ids::identity). Without one, the numbers of tokens tell
    /// responses apart.
    pub(super) fn new(usage: Option<Usage>, mut identity: String) -> Self {
        if let Some(usage) = usage
            && identity.is_empty()
        {
            identity = format!("{} {}", usage.input, usage.output);
        }
        Self { usage, identity, ..Self::default() }
    }

    /// Appends visible text.
    pub(super) fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends_in_call &= text.is_empty();
    }

    /// Returns the number of calls, including those that the response answers.
    pub(super) fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// Returns the number of the next call, in which the identity of the response precedes it, so that calls of two responses differ.
    pub(super) fn number_of_call(&self) -> String {
        let number = self.calls.len();
        match &*self.identity {
            "" => number.to_string(),
            identity => format!("{}-{number}", new_id(&[identity], |_| false)),
        }
    }

    /// Returns whether a call has this id.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.calls.iter().any(|read| read.call.id == id)
    }

    /// Appends a call. If it has no id, or the id of another call, it gets a new one, also at `place` in the text.
    pub(super) fn push_call(&mut self, mut call: ParsedCall, place: &ValuePlace<'_, '_>) -> Result<(), WireError> {
        if self.calls.len() == MAX_CALLS {
            return Err(WireError::new(call.path, format!("at most {MAX_CALLS} calls"), "one more"));
        }
        let sent_id = call.id.clone();
        if call.id.is_empty() || self.has_call(&call.id) {
            call.id = new_id(&[&self.identity, &call.path, &call.name, &call.arguments], |id| self.has_call(id));
            self.edits.set(place, &call.id);
        }
        self.calls.push(ReadCall { call, sent_id, is_answered: false });
        self.ends_in_call = true;
        Ok(())
    }

    /// Sets the value at `place` in the text of the message.
    pub(super) fn set_json(&mut self, place: &ValuePlace<'_, '_>, json: &str) {
        self.edits.set_json(place, json);
    }

    /// Returns the name of a call. A call without one gets a name that no tool has, also at `place` in the text, so that its result is an
    /// error, and the other calls of the response are run.
    pub(super) fn name(&mut self, place: &ValuePlace<'_, '_>) -> Result<String, WireError> {
        let name = place.object.optional_text(place.key)?.unwrap_or_default();
        if !name.trim().is_empty() {
            return Ok(name);
        }
        self.edits.set(place, WITHOUT_NAME);
        Ok(WITHOUT_NAME.to_owned())
    }

    /// Returns the id of a call, which is also a string at `place` in the text. It is empty if the server sent none.
    pub(super) fn id(&mut self, place: &ValuePlace<'_, '_>) -> String {
        let id = place.object.id(place.key);
        if place.object.get(place.key).is_some_and(|node| node.text().is_err()) {
            self.edits.set(place, &id);
        }
        id
    }

    /// Records the result of the call with this id, which the response contains, so that the call is not returned. It answers the
    /// first call before it that has no result yet. Without an id, it answers none.
    pub(super) fn push_result(&mut self, id: &str, place: &ValuePlace<'_, '_>) {
        self.answer_first(place, |_, sent_id| !id.is_empty() && sent_id == id);
    }

    /// Records the result of the first call without a result for which `is_answered` returns true. It gets the call and the id that
    /// the server sent.
    pub(super) fn answer_first(&mut self, place: &ValuePlace<'_, '_>, is_answered: impl Fn(&ParsedCall, &str) -> bool) {
        let open = |read: &ReadCall| !read.is_answered && is_answered(&read.call, &read.sent_id);
        let Some(at) = self.calls.iter().position(open) else { return };
        self.calls[at].is_answered = true;
        self.ends_in_call &= at + 1 < self.calls.len();
        let ReadCall { call, sent_id, .. } = &self.calls[at];
        if call.id != *sent_id && !sent_id.is_empty() {
            self.edits.set(place, &call.id);
        }
    }

    /// Returns a call of `earlier`, which a stream has sent before, that is not among these calls. Two calls are the same if they have
    /// one name and one id, or equal arguments if one of them has no id.
    pub(super) fn missing<'e>(&self, earlier: &'e Self) -> Option<&'e ParsedCall> {
        let key = |read: &ReadCall| (read.call.origin.kind, fingerprint(&read.call.arguments));
        let mut rest: Vec<_> = self.calls.iter().map(|read| (read, key(read))).collect();
        earlier.calls.iter().find_map(|known| {
            let (kind, arguments) = key(known);
            let found = rest.iter().position(|(read, (its_kind, its_arguments))| {
                let is_same = if read.sent_id.is_empty() || known.sent_id.is_empty() {
                    *its_arguments == arguments
                } else {
                    read.sent_id == known.sent_id
                };
                is_same && *its_kind == kind && read.call.name == known.call.name
            });
            match found {
                Some(at) => {
                    rest.swap_remove(at);
                    None
                }
                None => Some(&known.call),
            }
        })
    }

    /// Records a part of an unknown kind.
    ///
    /// # Errors
    /// Returns an error if the part looks like a call that needs an answer, because the API would refuse the conversation without it.
    pub(super) fn push_unknown(&mut self, part: &Object<'_>, kind: &str, path: &str) -> Result<(), WireError> {
        let is_call = ["_call", "_request", "tool_use"].iter().any(|end| kind.ends_with(end));
        if is_call && ["call_id", "id"].iter().any(|key| part.get(key).is_some()) {
            let got = format!("{}, which may need an answer", Truncated(kind, MAX_KIND_CHARS));
            return Err(WireError::new(part.path_of("type"), "a call of a known type", got));
        }
        self.keep_unknown(kind, path);
        Ok(())
    }

    /// Records a part of an unknown kind that needs no answer.
    pub(super) fn keep_unknown(&mut self, kind: &str, path: &str) {
        let kind = Truncated(kind, MAX_KIND_CHARS).to_string();
        self.unknown.push(UnknownItem { kind, path: path.to_owned() });
    }

    /// Returns a part of the text that has been read, with the new ids of its calls.
    pub(super) fn with_ids(&self, json: &RawValue) -> Box<RawValue> {
        self.edits.apply(json)
    }

    /// Appends a message that has been read.
    pub(super) fn push_message(&mut self, json: &RawValue) {
        let message = self.with_ids(json);
        self.messages.push(message);
    }

    /// Returns the response.
    ///
    /// # Errors
    /// Returns an error if the response was cut off within its last call.
    pub(super) fn build(self, stop: Stop, reason: String) -> Result<ModelResponse, WireError> {
        let Self { messages, text, usage, calls, unknown, edits: _, identity: _, ends_in_call } = self;
        let calls: Vec<ParsedCall> = calls.into_iter().filter(|read| !read.is_answered).map(|read| read.call).collect();
        // The arguments of the last call may be truncated or missing.
        if let Some(last) = calls.last()
            && ends_in_call
            && !last.is_complete(stop)
        {
            return Err(cut_off(&last.path, stop, &reason));
        }
        Ok(ModelResponse { messages, calls, unknown, text, stop, reason, usage, container: None })
    }
}

/// Returns the error about a response that was cut off within the call at this path.
pub(super) fn cut_off(path: &str, stop: Stop, reason: &str) -> WireError {
    let reason = if reason.is_empty() { "the server sent no reason" } else { reason };
    WireError::CutOff { path: path.to_owned(), at_limit: stop == Stop::Length, reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::node::Node;

    fn builder(arguments: &str, after: &str) -> ResponseBuilder {
        let mut builder = ResponseBuilder::default();
        let [id, name, path] = ["c1", "find", "/0"].map(str::to_owned);
        let call = ParsedCall { id, name, arguments: arguments.to_owned(), origin: CallOrigin::default(), path };
        let node = Node::root("{}", "").unwrap();
        builder.push_call(call, &ValuePlace { node: &node, object: &node.object().unwrap(), key: "id" }).unwrap();
        builder.push_text(after);
        builder
    }

    #[test]
    fn a_response_that_is_cut_off_in_its_last_call_is_an_error() {
        for stop in [Stop::Length, Stop::Refused, Stop::Failed] {
            assert!(builder("", "").build(stop, "x".to_owned()).is_err());
            assert!(builder(r#"{"a": 1}"#, "").build(stop, "x".to_owned()).is_err());
            assert_eq!(builder("{}", "And so on").build(stop, "x".to_owned()).unwrap().calls().len(), 1);
        }
    }

    #[test]
    fn after_an_unknown_reason_the_arguments_decide() {
        for (arguments, is_complete) in [
            (r#"{"a": 1}"#, true),
            (r#" {"a": "}"} "#, true),
            ("{}", true),
            (r#"{"a": 1"#, false),
            (r#"{"a": "}"#, false),
            ("", false),
        ] {
            let built = builder(arguments, "").build(Stop::Other, "x".to_owned());
            assert_eq!(built.is_ok(), is_complete, "{arguments}");
        }
        let error = builder("{", "").build(Stop::Other, String::new()).unwrap_err().to_string();
        assert!(error.ends_with("cut off: the server sent no reason"), "{error}");
    }

    #[test]
    fn a_stop_reason_other_than_done_is_kept() {
        let stop = |reason: &str| if reason == "stop" { Stop::Done } else { Stop::Length };
        for (reasons, expected) in [
            (["length", "stop"], "length"),
            (["stop", "length"], "length"),
            (["length", ""], "length"),
            (["", "stop"], "stop"),
        ] {
            let mut reason = String::new();
            for new in reasons {
                record_stop_reason(&mut reason, Some(new.to_owned()), stop);
                record_stop_reason(&mut reason, None, stop);
            }
            assert_eq!(reason, expected, "{reasons:?}");
        }
    }
}
