//! Streamed responses.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::value::RawValue;

use crate::text::json;
use crate::wire::api::ResponseAssembler;
use crate::wire::api::array::Items;
use crate::wire::api::events::{Event, Events};
use crate::wire::body::{BYTE_ORDER_MARK, MAX_BYTES, begins_events, other_body, with_title};
use crate::wire::node::{Node, no_error};
use crate::wire::write::{object, raw_json};
use crate::wire::{Api, MAX_BODY_BYTES, ModelResponse, WireError};

/// A parser of a streamed response: server-sent events, in chunks of any size. See [`Api::stream`].
///
/// If the body begins with `{` or `[`, it is parsed as by [`Api::parse`], because APIs report errors this way. An array of Gemini's
/// `streamGenerateContent` is read as it arrives. An HTML page or any other text is a [`WireError::UnexpectedBody`].
pub struct Stream {
    api: Api,
    state: Result<StreamState, WireError>,
}

struct StreamState {
    events: Events,
    response: Box<dyn ResponseAssembler>,
    /// The body so far, if it is not a stream.
    body: Option<Body>,
    /// The beginning of the stream, until its first event.
    beginning: Vec<u8>,
    has_begun: bool,
    /// Whether an event has been more than a sign of life.
    is_answering: bool,
    /// The byte order mark, or the beginning of one, before the body begins.
    mark: Vec<u8>,
}

/// A body that is not a stream.
enum Body {
    Json(Vec<u8>),
    /// A streamed response as an array.
    Items(Items),
    /// The beginning of a page or a document.
    Page(Vec<u8>),
}

impl Stream {
    pub(super) fn new(api: Api, response: Box<dyn ResponseAssembler>) -> Self {
        let state = StreamState {
            events: Events::default(),
            response,
            body: None,
            beginning: Vec::new(),
            has_begun: false,
            is_answering: false,
            mark: Vec::new(),
        };
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

    /// Returns whether the response has begun. Comments, empty events and events of the type `ping`, with which servers keep a connection
    /// alive, are not a beginning.
    pub fn is_answering(&self) -> bool {
        self.state.as_ref().is_ok_and(|state| state.is_answering || state.body.is_some())
    }

    /// Returns the complete response. Call it at the end of the body.
    ///
    /// # Errors
    /// Returns the same errors as [`Api::parse`], and [`WireError::EndedEarly`].
    pub fn finish(self) -> Result<ModelResponse, WireError> {
        let mut state = self.state?;
        match state.body {
            Some(Body::Json(body)) => {
                return match std::str::from_utf8(&body) {
                    Ok(body) => self.api.parse(body),
                    Err(_) => Err(WireError::new("", "UTF-8", "other bytes")),
                };
            }
            Some(Body::Page(page)) => return Err(other_body(&String::from_utf8_lossy(&page))),
            Some(Body::Items(items)) => {
                items.end()?;
                let api = self.api;
                return Ok(state.response.finish()?.with_messages(|messages| api.sent_back(messages)));
            }
            None => {}
        }
        let StreamState { events, response, beginning, is_answering, .. } = &mut state;
        events.end(&mut |event| {
            let is_json = || serde_json::from_str::<&RawValue>(event.data).is_ok();
            if event.name != ERROR && !is_empty(event.data) && !is_json() {
                return Err(WireError::ended_early("a stream that ends with an event"));
            }
            push_event(&mut **response, event, is_answering, &mut String::new())
        })?;
        if events.is_empty() && !begins_events(beginning) {
            return Err(other_body(&String::from_utf8_lossy(beginning)));
        }
        let api = self.api;
        Ok(response.finish()?.with_messages(|messages| api.sent_back(messages)))
    }
}

impl StreamState {
    fn push(&mut self, bytes: &[u8], shown: &mut String) -> Result<(), WireError> {
        if self.has_begun {
            return self.push_body(bytes, shown);
        }
        // A byte order mark, which may arrive in pieces, is not part of the body.
        let all = [&*std::mem::take(&mut self.mark), bytes].concat();
        let bytes = all.trim_ascii_start();
        if BYTE_ORDER_MARK.starts_with(bytes) {
            self.mark = bytes.to_vec();
            return Ok(());
        }
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
        let Some(first) = bytes.first() else {
            self.mark = BYTE_ORDER_MARK.to_vec();
            return Ok(());
        };
        self.has_begun = true;
        self.body = match first {
            b'[' if self.response.reads_arrays() => Some(Body::Items(Items::default())),
            b'{' | b'[' => Some(Body::Json(Vec::new())),
            b'<' => Some(Body::Page(Vec::new())),
            _ => None,
        };
        self.push_body(bytes, shown)
    }

    fn push_body(&mut self, bytes: &[u8], shown: &mut String) -> Result<(), WireError> {
        let Self { events, response, body, beginning, is_answering, .. } = self;
        match body {
            Some(Body::Json(body)) => {
                if body.len() + bytes.len() > MAX_BODY_BYTES {
                    return Err(WireError::new("", format!("at most {MAX_BODY_BYTES} bytes"), "more"));
                }
                body.extend_from_slice(bytes);
                return Ok(());
            }
            Some(Body::Items(items)) => {
                return items.push(bytes, &mut |item, number| {
                    let item = Node::root(item, format!("/{number}"))?;
                    no_error(&item)?;
                    response.push_event(&item, shown)
                });
            }
            Some(Body::Page(page)) => {
                page.extend_from_slice(&bytes[..bytes.len().min(MAX_BYTES - page.len())]);
                // A server may keep the connection of a page open.
                let known = with_title(page).or_else(|| (page.len() == MAX_BYTES).then_some(&**page));
                return known.map_or(Ok(()), |page| Err(other_body(&String::from_utf8_lossy(page))));
            }
            None => {}
        }
        if events.is_empty() {
            beginning.extend_from_slice(&bytes[..bytes.len().min(MAX_BYTES - beginning.len())]);
        }
        events.push(bytes, &mut |event| push_event(&mut **response, event, is_answering, shown))
    }
}

/// Returns whether an event says nothing about the response.
fn is_empty(data: &str) -> bool {
    data.trim().is_empty() || is_done(data)
}

/// Returns whether an event is the end of a stream.
fn is_done(data: &str) -> bool {
    data.trim().trim_matches('"').eq_ignore_ascii_case("[DONE]")
}

/// The types of events with which servers keep a connection alive.
const SIGNS_OF_LIFE: &[&str] = &["ping", "keepalive", "keep_alive", "keep-alive", "heartbeat"];

/// Returns whether an event only keeps the connection alive.
fn is_sign_of_life(data: &Node<'_>) -> bool {
    let Ok(data) = data.object() else { return false };
    let kind = |key: &&str| data.get(key).and_then(|kind| kind.text().ok());
    ["type", "event_type"].iter().filter_map(kind).any(|kind| SIGNS_OF_LIFE.contains(&&*kind))
}

/// The name of an event with an error.
const ERROR: &str = "error";

fn push_event(
    response: &mut dyn ResponseAssembler,
    event: Event<'_>,
    is_answering: &mut bool,
    shown: &mut String,
) -> Result<(), WireError> {
    let Event { name, data, number } = event;
    // OpenAI's streams and compatible ones end with `[DONE]`. Proxies send empty events to keep a connection alive.
    if is_done(data) {
        response.push_done();
        return Ok(());
    }
    if is_empty(data) {
        return Ok(());
    }
    let data = match Node::root(data, Events::path(number)) {
        Err(_) if name == ERROR => return Err(WireError::api(ERROR, data)),
        data => data?,
    };
    if let (ERROR, Ok(text)) = (name, data.text()) {
        return Err(WireError::api(ERROR, &text));
    }
    let named = with_type(&data, name, response.type_key());
    let data = named.as_ref().map_or(data.clone(), |json| Node { json, path: data.path });
    no_error(&data).map_err(|error| match error {
        WireError::Api { kind, message } if kind.is_empty() && name == ERROR => WireError::api(ERROR, &message),
        error => error,
    })?;
    if !*is_answering {
        if is_sign_of_life(&data) {
            return Ok(());
        }
        *is_answering = true;
    }
    response.push_event(&data, shown)
}

/// Returns the data of an event with the name of the event as its type, or `None` if the event has no name, or the data has a type.
fn with_type(data: &Node<'_>, name: &str, key: &str) -> Option<Box<RawValue>> {
    if name.is_empty() {
        return None;
    }
    let known = data.object().ok()?;
    if known.get(key).is_some() {
        return None;
    }
    let entry = |(key, json): (&str, &RawValue)| (key.to_owned(), json.to_owned());
    let mut entries: BTreeMap<String, Box<RawValue>> = known.all().map(entry).collect();
    let mut kind = String::new();
    json::push_string(&mut kind, name);
    entries.insert(key.to_owned(), raw_json(kind));
    Some(raw_json(object(&entries)))
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
    fn signs_of_life_are_not_the_beginning_of_a_response() {
        let mut stream = Api::ChatCompletions.stream();
        for sign in [
            ": OPENROUTER PROCESSING\n\n",
            "\n\n",
            "event: ping\ndata: {\"type\": \"ping\"}\n\n",
            "data:\n\n",
            "data: {\"type\":\"heartbeat\"}\n\n",
            "retry: 3\n\n",
        ] {
            stream.push(sign.as_bytes()).unwrap();
            assert!(!stream.is_answering(), "{sign:?}");
        }
        stream.push(format!("{LAST}\n\n").as_bytes()).unwrap();
        assert!(stream.is_answering());
        let mut body = Api::ChatCompletions.stream();
        body.push(b" {").unwrap();
        assert!(body.is_answering());
    }

    #[test]
    fn an_event_with_the_name_error_is_an_error_of_the_api() {
        for (data, expected) in [
            ("upstream exploded", "the API returned an error (error): upstream exploded"),
            ("\"upstream exploded\"", "the API returned an error (error): upstream exploded"),
            ("{\"message\":\"m\"}", "the API returned an error (error): m"),
            ("{\"message\":\"m\",\"code\":\"c\"}", "the API returned an error (c): m"),
            ("{\"error\":{\"message\":\"m\",\"code\":529}}", "the API returned an error (529): m"),
        ] {
            for end in ["\n\n", ""] {
                for before in ["", &format!("{LAST}\n\n")] {
                    let body = format!("{before}event: error\ndata: {data}{end}");
                    assert_eq!(refused(&body, body.len()).to_string(), expected);
                }
            }
        }
    }

    #[test]
    fn a_byte_order_mark_does_not_hide_what_follows() {
        let json = "\u{feff}{\"error\":{\"message\":\"m\"}}";
        for size in [1, 2, 3, json.len()] {
            let marked = format!("\n{json}");
            for body in [json, &*marked] {
                assert_eq!(refused(body, size).to_string(), "the API returned an error: m", "{size}");
            }
            assert!(refused("\u{feff}", size).to_string().ends_with("a stream that ended early"), "{size}");
            assert!(refused("\u{feff}<html><title>a</title>", size).to_string().contains("an HTML page"), "{size}");
            let mut stream = Api::ChatCompletions.stream();
            let events = format!("\u{feff}{LAST}\n\n");
            events.as_bytes().chunks(size).for_each(|piece| drop(stream.push(piece).unwrap()));
            assert_eq!(stream.finish().unwrap().text(), "a");
        }
        let error = Api::ChatCompletions.parse(json).unwrap_err();
        assert_eq!(error.to_string(), "the API returned an error: m");
        let twice = |size| refused("\u{feff} \u{feff}{}", size).to_string();
        assert_eq!(twice(1), twice(100));
        assert!(refused("\u{fefe}", 1).to_string().contains("a text that begins with"));
    }

    /// Returns the error of a stream with this body, which arrives in pieces of `size` bytes.
    fn refused(body: &str, size: usize) -> WireError {
        let mut stream = Api::ChatCompletions.stream();
        let pushed = body.as_bytes().chunks(size).try_for_each(|piece| stream.push(piece).map(drop));
        pushed.and_then(|()| stream.finish().map(drop)).unwrap_err()
    }

    #[test]
    fn a_page_or_a_text_instead_of_a_stream_is_described() {
        let rest = "x".repeat(3 * MAX_BYTES);
        for (body, expected) in [
            ("\n<!doctype html><title>Sign in</title>".to_owned(), "an HTML page with the title \"Sign in\""),
            (format!("<html><h1>Oops</h1><title>Sign in</title>{rest}"), "an HTML page with the title \"Sign in\""),
            (format!("<html>{rest}<title>Sign in</title>"), "an HTML page"),
            ("<html>".to_owned(), "an HTML page"),
            ("Bad Gateway\r\n\r\n".to_owned(), "a text that begins with \"Bad Gateway\""),
            ("\"a text\"".to_owned(), "a text that begins with \"\"a text\"\""),
        ] {
            for size in [1, 7, body.len()] {
                assert_eq!(
                    refused(&body, size),
                    WireError::UnexpectedBody { description: expected.to_owned() },
                    "{size}"
                );
            }
        }
        for cut in ["", "dat", ": wait\n\n", "event: x\n"] {
            assert!(refused(cut, 8).to_string().ends_with("got a stream that ended early"), "{cut}");
            assert!(matches!(refused(cut, 8), WireError::EndedEarly { .. }), "{cut}");
        }
    }

    #[test]
    fn a_stream_that_ends_within_an_event_has_ended_early() {
        let whole = format!("{LAST}\n\ndata: {{\"choices\":[],\"x\":\"é\"}}");
        let first = LAST.len() + "\n\ndata: {".len();
        for end in first..whole.len() {
            let mut stream = Api::ChatCompletions.stream();
            stream.push(&whole.as_bytes()[..end]).unwrap();
            let error = stream.finish().unwrap_err();
            assert!(matches!(error, WireError::EndedEarly { .. }), "{end}: {error}");
        }
    }

    #[test]
    fn an_event_without_an_empty_line_counts_at_the_end() {
        let mut stream = Api::ChatCompletions.stream();
        assert_eq!(stream.push(format!("{LAST}\n").as_bytes()).unwrap(), "");
        assert_eq!(stream.finish().unwrap().text(), "a");
    }
}
