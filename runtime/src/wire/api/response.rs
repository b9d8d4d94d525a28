//! A parsed response of any API.

use crate::call::ToolCall;
use crate::wire::{MOST_CALLS, WireError};
use serde_json::value::RawValue;

/// The response of a model: its text and its calls.
#[derive(Debug, Clone)]
pub struct ModelResponse {
    messages: Vec<Box<RawValue>>,
    calls: Vec<Called>,
    text: String,
    stop: Stop,
    reason: String,
}

/// The reason why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// The model is done, or waits for the results of its calls.
    Done,
    /// The response was cut at a token limit.
    Length,
    /// The model or a filter refused.
    Refused,
    /// The model wants to continue: append its [messages](ModelResponse::messages) to the conversation, and send it
    /// again.
    Paused,
    /// Another reason: see [`ModelResponse::stop_reason`].
    Other,
}

/// A call in a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Called {
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments, as JSON.
    pub(super) arguments: String,
    /// The place of the call in the message.
    pub(super) place: String,
}

impl ModelResponse {
    /// Returns the calls, in order. Their names are the tools' names in the model's dialect.
    ///
    /// Each call has an id that is unique in this response.
    pub fn calls(&self) -> Vec<ToolCall<'_>> {
        self.calls.iter().map(|call| ToolCall::new(&call.name, &call.arguments).with_id(&call.id)).collect()
    }

    /// Returns the visible text of the model, without its thoughts, including the text of a refusal.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the reason why the model stopped.
    pub const fn stop(&self) -> Stop {
        self.stop
    }

    /// Returns the reason why the model stopped, as the API's own word.
    pub fn stop_reason(&self) -> &str {
        &self.reason
    }

    /// Returns the model's messages, to append to the conversation. They contain its thoughts and signatures, and
    /// unknown content.
    pub fn messages(&self) -> &[Box<RawValue>] {
        &self.messages
    }
}

/// Records the reason for stopping, which a stream may send more than once. Once a response was cut or refused, later
/// reasons are ignored.
pub(super) fn stopped(reason: &mut String, said: Option<String>, stop: fn(&str) -> Stop) {
    if let Some(said) = said
        && !said.is_empty()
        && (reason.is_empty() || stop(reason) == Stop::Done)
    {
        *reason = said;
    }
}

/// A [`ModelResponse`] under construction.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) messages: Vec<Box<RawValue>>,
    pub(super) text: String,
    calls: Vec<Called>,
    /// Whether no text follows the last call.
    ends_in_call: bool,
}

impl Draft {
    /// Appends visible text.
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends_in_call &= text.is_empty();
    }

    /// Returns the number of calls.
    #[cfg(feature = "wire-gemini")]
    pub(super) fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Appends a call.
    pub(super) fn call(&mut self, call: Called) -> Result<(), WireError> {
        if self.calls.len() == MOST_CALLS {
            return Err(WireError::new(call.place, format!("at most {MOST_CALLS} calls"), "one more"));
        }
        if self.calls.iter().any(|other| other.id == call.id) {
            return Err(WireError::new(call.place, "a call with an id of its own", "the id of another call"));
        }
        self.calls.push(call);
        self.ends_in_call = true;
        Ok(())
    }

    /// Returns the response, if it is complete.
    pub(super) fn end(self, stop: Stop, reason: String) -> Result<ModelResponse, WireError> {
        let Self { messages, text, mut calls, ends_in_call } = self;
        // A model that is cut within a call leaves half of its arguments, or none.
        if let Some(last) = calls.last()
            && ends_in_call
            && !matches!(stop, Stop::Done | Stop::Paused)
        {
            let got = format!("a response that stopped before its end: {reason}");
            return Err(WireError::new(&*last.place, "a whole call", got));
        }
        for call in &mut calls {
            // Some models send an empty string for a tool without parameters.
            if call.arguments.trim().is_empty() {
                "{}".clone_into(&mut call.arguments);
            }
        }
        Ok(ModelResponse { messages, calls, text, stop, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(arguments: &str, after: &str) -> Draft {
        let mut draft = Draft::default();
        let [id, name, place] = ["c1", "find", "/0"].map(str::to_owned);
        draft.call(Called { id, name, arguments: arguments.to_owned(), place }).unwrap();
        draft.say(after);
        draft
    }

    #[test]
    fn whoever_is_cut_has_not_finished_its_last_call() {
        for stop in [Stop::Length, Stop::Refused, Stop::Other] {
            assert!(draft("", "").end(stop, "x".to_owned()).is_err());
            assert!(draft(r#"{"a": 1}"#, "").end(stop, "x".to_owned()).is_err());
            assert_eq!(draft("{}", "And so on").end(stop, "x".to_owned()).unwrap().calls().len(), 1);
        }
    }

    #[test]
    fn whoever_was_cut_stays_so() {
        let stop = |reason: &str| if reason == "stop" { Stop::Done } else { Stop::Length };
        for (said, stands) in [
            (["length", "stop"], "length"),
            (["stop", "length"], "length"),
            (["length", ""], "length"),
            (["", "stop"], "stop"),
        ] {
            let mut reason = String::new();
            for said in said {
                stopped(&mut reason, Some(said.to_owned()), stop);
                stopped(&mut reason, None, stop);
            }
            assert_eq!(reason, stands, "{said:?}");
        }
    }

    #[test]
    fn nothing_at_all_stands_for_no_arguments_and_half_of_them_stay_so() {
        for (sent, read) in [("", "{}"), (" \n", "{}"), (r#"{"a": "#, r#"{"a": "#), ("null", "null")] {
            let response = draft(sent, "").end(Stop::Done, "stop".to_owned()).unwrap();
            assert_eq!(response.calls()[0].arguments(), read);
        }
    }
}
