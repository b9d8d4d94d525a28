//! Streamed responses.

use std::fmt;

use crate::wire::api::ResponseAssembler;
use crate::wire::api::events::Events;
use crate::wire::node::{Node, no_error};
use crate::wire::{Api, MAX_BODY_BYTES, ModelResponse, WireError};

/// A parser of a streamed response: server-sent events, in chunks of any size. See [`Api::stream`].
///
/// A body that begins with `{` or `[` instead is parsed like [`Api::parse`] does, because APIs report errors this way.
pub struct Stream {
    api: Api,
    state: Result<State, WireError>,
}

struct State {
    events: Events,
    response: Box<dyn ResponseAssembler>,
    /// The body so far, if it is not a stream.
    body: Option<Vec<u8>>,
    has_begun: bool,
}

impl Stream {
    pub(super) fn new(api: Api, response: Box<dyn ResponseAssembler>) -> Self {
        let state = State { events: Events::default(), response, body: None, has_begun: false };
        Self { api, state: Ok(state) }
    }

    /// Processes the next bytes of the body. Returns the visible text in them, for a host that displays it immediately.
    ///
    /// An event is complete at the empty line after it. If a stream ends without that line, the text of its last event is
    /// not returned here, but it is in the [text](ModelResponse::text) of the response that [`finish`](Stream::finish)
    /// returns.
    ///
    /// # Errors
    /// Returns the same errors as [`Api::parse`]. After an error, every further call returns the same error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<String, WireError> {
        let mut shown = String::new();
        match &mut self.state {
            Ok(state) => match state.push(bytes, &mut shown) {
                Ok(()) => Ok(shown),
                Err(error) => {
                    self.state = Err(error.clone());
                    Err(error)
                }
            },
            Err(error) => Err(error.clone()),
        }
    }

    /// Returns the complete response. Call it at the end of the body.
    ///
    /// # Errors
    /// Returns the same errors as [`Api::parse`], and [`WireError::Malformed`] if the stream ended early.
    pub fn finish(self) -> Result<ModelResponse, WireError> {
        let mut state = self.state?;
        if let Some(body) = state.body {
            return match std::str::from_utf8(&body) {
                Ok(body) => self.api.parse(body),
                Err(_) => Err(WireError::new("", "UTF-8", "other bytes")),
            };
        }
        let State { events, response, .. } = &mut state;
        events.end(&mut |data, number| event(&mut **response, data, number, &mut String::new()))?;
        response.finish()
    }
}

impl State {
    fn push(&mut self, mut bytes: &[u8], shown: &mut String) -> Result<(), WireError> {
        if !self.has_begun {
            bytes = bytes.trim_ascii_start();
            let Some(first) = bytes.first() else { return Ok(()) };
            self.has_begun = true;
            self.body = matches!(first, b'{' | b'[').then(Vec::new);
        }
        let Self { events, response, body, .. } = self;
        if let Some(body) = body {
            if body.len() + bytes.len() > MAX_BODY_BYTES {
                return Err(WireError::new("", format!("at most {MAX_BODY_BYTES} bytes"), "more"));
            }
            body.extend_from_slice(bytes);
            return Ok(());
        }
        events.push(bytes, &mut |data, number| event(&mut **response, data, number, shown))
    }
}

fn event(response: &mut dyn ResponseAssembler, data: &str, number: usize, shown: &mut String) -> Result<(), WireError> {
    // OpenAI's streams and compatible ones end with `[DONE]`. Proxies send empty events to keep a connection alive.
    if matches!(data.trim(), "[DONE]" | "") {
        return Ok(());
    }
    let data = Node::root(data, Events::path(number))?;
    no_error(&data)?;
    response.push_event(&data, shown)
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("api", &self.api).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "wire-openai"))]
mod tests {
    use super::*;

    const LAST: &str = r#"data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#;

    #[test]
    fn events_without_data_are_ignored() {
        let mut stream = Api::ChatCompletions.stream();
        let events = format!("data:\n\ndata\n\n{LAST}\n\ndata: \ndata:\n\ndata: [DONE] \n\ndata:\n\n");
        assert_eq!(stream.push(events.as_bytes()).unwrap(), "a");
        assert_eq!(stream.finish().unwrap().text(), "a");
    }

    #[test]
    fn an_event_without_an_empty_line_counts_at_the_end() {
        let mut stream = Api::ChatCompletions.stream();
        assert_eq!(stream.push(format!("{LAST}\n").as_bytes()).unwrap(), "");
        assert_eq!(stream.finish().unwrap().text(), "a");
    }
}
