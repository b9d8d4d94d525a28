//! What a model's response comes to, whatever its API.

use crate::call::ToolCall;
use crate::wire::{MOST_CALLS, WireError};
use serde_json::value::RawValue;

/// What a model has answered: what it said, and what it calls.
#[derive(Debug, Clone)]
pub struct ModelResponse {
    messages: Vec<Box<RawValue>>,
    calls: Vec<Called>,
    text: String,
    stop: Stop,
    reason: String,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// It said what it had to say, or waits for what its calls come to.
    Done,
    /// It was cut at a limit of tokens.
    Length,
    /// It refused, or a filter did.
    Refused,
    /// It wants to go on: send the conversation with its [messages](ModelResponse::messages) as it is.
    Paused,
    /// For another reason: see [`ModelResponse::stop_reason`].
    Other,
}

/// A call of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Called {
    pub(super) id: String,
    pub(super) name: String,
    /// A JSON text.
    pub(super) arguments: String,
    /// Where it stands.
    pub(super) place: String,
}

impl ModelResponse {
    /// What its calls are, in order. Their names are what the model's dialect calls the tools.
    ///
    /// Each has an id that no other call of this response has.
    pub fn calls(&self) -> Vec<ToolCall<'_>> {
        self.calls.iter().map(|call| ToolCall::new(&call.name, &call.arguments).with_id(&call.id)).collect()
    }

    /// What the model said to be seen, without its thoughts. A refusal's words, too.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why it stopped.
    pub const fn stop(&self) -> Stop {
        self.stop
    }

    /// Why it stopped, in the API's own word.
    pub fn stop_reason(&self) -> &str {
        &self.reason
    }

    /// What is to be appended to the conversation for what the model itself said: thoughts, signatures and what is unknown
    /// here stay in it.
    pub fn messages(&self) -> &[Box<RawValue>] {
        &self.messages
    }
}

/// Takes in why a response stopped, which a stream may say more than once. That it was cut or refused stands, whatever is
/// said after it.
pub(super) fn stopped(reason: &mut String, said: Option<String>, stop: fn(&str) -> Stop) {
    if let Some(said) = said
        && !said.is_empty()
        && (reason.is_empty() || stop(reason) == Stop::Done)
    {
        *reason = said;
    }
}

/// A [`ModelResponse`] in the making.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) messages: Vec<Box<RawValue>>,
    pub(super) text: String,
    calls: Vec<Called>,
    /// Whether no text stands after the last call.
    ends_in_call: bool,
}

impl Draft {
    /// Appends a text that is to be seen.
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends_in_call &= text.is_empty();
    }

    /// How many calls there are.
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

    /// The response, if nothing of it is missing.
    pub(super) fn end(self, stop: Stop, reason: String) -> Result<ModelResponse, WireError> {
        let Self { messages, text, mut calls, ends_in_call } = self;
        // Whoever is cut while it writes a call leaves half of its arguments, or none.
        if let Some(last) = calls.last()
            && ends_in_call
            && !matches!(stop, Stop::Done | Stop::Paused)
        {
            let got = format!("a response that stopped before its end: {reason}");
            return Err(WireError::new(&*last.place, "a whole call", got));
        }
        for call in &mut calls {
            // Some models write nothing where a tool has no parameters.
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
