//! A parsed response of any API.

use crate::call::ToolCall;
use crate::wire::{MAX_CALLS, Usage, WireError};
use serde_json::value::RawValue;

/// The response of a model: its text and its calls.
#[derive(Debug, Clone)]
pub struct ModelResponse {
    messages: Vec<Box<RawValue>>,
    calls: Vec<ParsedCall>,
    text: String,
    stop: Stop,
    reason: String,
    usage: Option<Usage>,
}

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
    /// Another reason: see [`ModelResponse::stop_reason`].
    Other,
}

/// A call in a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParsedCall {
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments, as JSON.
    pub(super) arguments: String,
    /// The path of the call in the message.
    pub(super) path: String,
}

impl ModelResponse {
    /// Returns the calls, in the model's order. Their names are the tools' names in the model's dialect, and their ids are
    /// unique in this response.
    pub fn calls(&self) -> Vec<ToolCall<'_>> {
        self.calls.iter().map(|call| ToolCall::new(&call.name, &call.arguments).with_id(&call.id)).collect()
    }

    /// Returns the visible text of the model, including the text of a refusal, without its thinking.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the reason why the model stopped.
    pub const fn stop(&self) -> Stop {
        self.stop
    }

    /// Returns the reason why the model stopped, as the API names it: `end_turn`, `MAX_TOKENS`.
    pub fn stop_reason(&self) -> &str {
        &self.reason
    }

    /// Returns the numbers of tokens, if the API has reported them.
    pub const fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Returns the model's messages as JSON, to append to the conversation. They are unchanged, including thinking,
    /// signatures and content of unknown types.
    pub fn messages(&self) -> &[Box<RawValue>] {
        &self.messages
    }
}

/// Records the stop reason, which a stream may send several times. A later reason replaces it only if it means
/// [`Stop::Done`], so that `length` is not overwritten by `stop`.
pub(super) fn record_stop_reason(reason: &mut String, new: Option<String>, stop: fn(&str) -> Stop) {
    if let Some(new) = new
        && !new.is_empty()
        && (reason.is_empty() || stop(reason) == Stop::Done)
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
    calls: Vec<ParsedCall>,
    /// Whether no text follows the last call.
    ends_in_call: bool,
}

impl ResponseBuilder {
    pub(super) fn new(usage: Option<Usage>) -> Self {
        Self { usage, ..Self::default() }
    }

    /// Appends visible text.
    pub(super) fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends_in_call &= text.is_empty();
    }

    /// Returns the number of calls.
    #[cfg(feature = "wire-gemini")]
    pub(super) fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// Appends a call.
    pub(super) fn push_call(&mut self, call: ParsedCall) -> Result<(), WireError> {
        if self.calls.len() == MAX_CALLS {
            return Err(WireError::new(call.path, format!("at most {MAX_CALLS} calls"), "one more"));
        }
        if self.calls.iter().any(|other| other.id == call.id) {
            return Err(WireError::new(call.path, "a call with a unique id", "the id of another call"));
        }
        self.calls.push(call);
        self.ends_in_call = true;
        Ok(())
    }

    /// Returns the response.
    ///
    /// # Errors
    /// Returns an error if the response was cut off within its last call.
    pub(super) fn build(self, stop: Stop, reason: String) -> Result<ModelResponse, WireError> {
        let Self { messages, text, usage, calls, ends_in_call } = self;
        // The arguments of the last call may be truncated or missing.
        if let Some(last) = calls.last()
            && ends_in_call
            && !matches!(stop, Stop::Done | Stop::Paused)
        {
            let got = format!("a response that was cut off: {reason}");
            return Err(WireError::new(&*last.path, "a complete call", got));
        }
        Ok(ModelResponse { messages, calls, text, stop, reason, usage })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder(arguments: &str, after: &str) -> ResponseBuilder {
        let mut builder = ResponseBuilder::default();
        let [id, name, path] = ["c1", "find", "/0"].map(str::to_owned);
        builder.push_call(ParsedCall { id, name, arguments: arguments.to_owned(), path }).unwrap();
        builder.push_text(after);
        builder
    }

    #[test]
    fn a_response_that_is_cut_off_in_its_last_call_is_an_error() {
        for stop in [Stop::Length, Stop::Refused, Stop::Other] {
            assert!(builder("", "").build(stop, "x".to_owned()).is_err());
            assert!(builder(r#"{"a": 1}"#, "").build(stop, "x".to_owned()).is_err());
            assert_eq!(builder("{}", "And so on").build(stop, "x".to_owned()).unwrap().calls().len(), 1);
        }
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
