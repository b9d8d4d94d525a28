//! Reads a stream of events as the standard describes it, however a server writes them: fields without a value, comments, unknown fields,
//! any order. The last event counts even if no empty line follows it.

use std::collections::VecDeque;
use std::io;

use futures_util::stream::{BoxStream, StreamExt as _};
use reqwest::Response;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

/// The events of a body.
pub(super) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// A body, in parts.
pub(super) type Content = BoxStream<'static, reqwest::Result<bytes::Bytes>>;

/// The maximum number of bytes after which the form of a body is known.
const MAX_BEGINNING: usize = 4 << 10;
/// The fields of an event.
const FIELDS: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

/// Reads events from parts of a body.
#[derive(Debug, Default)]
struct EventReader {
    /// The beginning of a line.
    line: Vec<u8>,
    event: Sse,
    /// Whether the event has a field.
    has_fields: bool,
    /// Whether the last byte was a carriage return, to which a line feed belongs.
    is_after_return: bool,
    is_after_first_line: bool,
    /// The JSON text that is being read, which is kept in `line`.
    json: Option<JsonText>,
    max: usize,
}

/// The part of a JSON text that has been read: an object or a list without a field of an event.
#[derive(Debug, Default)]
struct JsonText {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl JsonText {
    /// Returns the number of bytes up to the end of the text, if it ends in them.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                _ if std::mem::take(&mut self.is_escaped) => {}
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                b'{' | b'[' if !self.is_in_string => self.depth += 1,
                b'}' | b']' if !self.is_in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if self.depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }
}

/// An event is longer than events may be.
#[derive(Debug, PartialEq, Eq)]
struct TooLong;

/// Returns whether the body of a response is a stream of events, as its beginning shows, and the body.
pub(super) async fn with_form(response: Response) -> reqwest::Result<(bool, Content)> {
    let (mut content, mut beginning) = (response.bytes_stream().boxed(), Vec::new());
    let is_stream = loop {
        if let Some(is_stream) = is_stream(&beginning) {
            break is_stream;
        }
        match content.next().await {
            Some(chunk) if beginning.len() < MAX_BEGINNING => beginning.extend_from_slice(&chunk?),
            Some(chunk) => {
                beginning.extend_from_slice(&chunk?);
                break false;
            }
            None => break false,
        }
    };
    let first = futures_util::stream::iter([Ok(bytes::Bytes::from(beginning))]);
    Ok((is_stream, first.chain(content).boxed()))
}

/// Returns whether a body is a stream of events, once its beginning shows it.
fn is_stream(beginning: &[u8]) -> Option<bool> {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
    let end = text.iter().position(|byte| matches!(byte, b':' | b'\r' | b'\n'));
    match end {
        Some(end) => Some(end == 0 || FIELDS.contains(&&text[..end])),
        None if FIELDS.iter().any(|field| field.starts_with(text)) => None,
        None => Some(false),
    }
}

/// Returns the events of a body. If one has more than `max` bytes, the stream ends with an error.
pub(super) fn events(body: Content, max: usize) -> Events {
    let start = (Some(body), EventReader::new(max), VecDeque::new());
    let next = move |(mut body, mut reader, mut ready): (Option<Content>, EventReader, VecDeque<Sse>)| async move {
        loop {
            if let Some(event) = ready.pop_front() {
                return Some((Ok(event), (body, reader, ready)));
            }
            match body.as_mut()?.next().await {
                Some(Ok(chunk)) => {
                    if reader.push(&chunk, &mut ready) == Err(TooLong) {
                        let error = io::Error::other(format!("an event has more than {max} bytes"));
                        return Some((Err(SseError::Body(Box::new(error))), (None, reader, ready)));
                    }
                }
                Some(Err(error)) => {
                    return Some((Err(SseError::Body(Box::new(error))), (None, reader, ready)));
                }
                None => {
                    body = None;
                    ready.extend(reader.finish());
                }
            }
        }
    };
    futures_util::stream::unfold(start, next).boxed()
}

impl EventReader {
    fn new(max: usize) -> Self {
        Self { max, ..Self::default() }
    }

    /// Reads the next part of the body.
    fn push(&mut self, chunk: &[u8], ready: &mut VecDeque<Sse>) -> Result<(), TooLong> {
        let mut rest = chunk;
        while let Some(byte) = rest.first() {
            if std::mem::take(&mut self.is_after_return) && *byte == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let is_json = matches!(byte, b'{' | b'[') && !self.has_fields && self.line.trim_ascii().is_empty();
            if is_json && self.json.is_none() {
                self.line.clear();
                self.json = Some(JsonText::default());
            }
            if let Some(json) = &mut self.json {
                let end = json.end(rest);
                let taken = end.unwrap_or(rest.len());
                if self.line.len() + taken > self.max {
                    return Err(TooLong);
                }
                self.line.extend_from_slice(&rest[..taken]);
                rest = &rest[taken..];
                ready.extend(end.map(|_| self.end_json()));
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
            let known = self.line.len() + self.event.data.as_ref().map_or(0, String::len);
            if known + end > self.max {
                return Err(TooLong);
            }
            self.line.extend_from_slice(&rest[..end]);
            let Some(terminator) = rest.get(end) else { return Ok(()) };
            self.is_after_return = *terminator == b'\r';
            rest = &rest[end + 1..];
            ready.extend(self.end_line());
        }
        Ok(())
    }

    /// Returns the JSON text as the data of an event.
    fn end_json(&mut self) -> Sse {
        self.json = None;
        let text = std::mem::take(&mut self.line);
        Sse::default().data(String::from_utf8_lossy(&text))
    }

    /// Returns the event that the body ends with.
    fn finish(&mut self) -> Option<Sse> {
        if self.json.is_some() {
            return Some(self.end_json());
        }
        let ended = if self.line.is_empty() { None } else { self.end_line() };
        ended.or_else(|| self.end_event())
    }

    /// Reads a line. An empty one ends the event.
    fn end_line(&mut self) -> Option<Sse> {
        let line = std::mem::take(&mut self.line);
        let mut text = String::from_utf8_lossy(&line);
        if !std::mem::replace(&mut self.is_after_first_line, true) {
            text = text.trim_start_matches('\u{feff}').to_owned().into();
        }
        if text.is_empty() {
            return self.end_event();
        }
        let (name, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => match &mut self.event.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.event.data = Some(value.to_owned()),
            },
            "event" => self.event.event = Some(value.to_owned()),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|digit| digit.is_ascii_digit()) => self.event.retry = value.parse().ok(),
            // A comment, or an unknown field.
            _ => return None,
        }
        self.has_fields = true;
        None
    }

    fn end_event(&mut self) -> Option<Sse> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_fields).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the type and the data of each event of a body that arrives in parts.
    fn read(body: &[u8], part: usize) -> Vec<(Option<String>, Option<String>)> {
        let (mut reader, mut ready) = (EventReader::new(100), VecDeque::new());
        for chunk in body.chunks(part) {
            reader.push(chunk, &mut ready).expect("it is short");
        }
        ready.extend(reader.finish());
        ready.into_iter().map(|event| (event.event, event.data)).collect()
    }

    #[test]
    fn events_are_read_in_whatever_form_they_are_written() {
        let message = |data: &str| vec![(None, Some(data.to_owned()))];
        for (body, expected) in [
            ("data: a\n\n", message("a")),
            ("data:a\r\n\r\n", message("a")),
            ("data: a\r\r", message("a")),
            ("data: a", message("a")),
            ("data: a\n", message("a")),
            ("data: a\ndata: b\n\n", message("a\nb")),
            ("data\n\n", message("")),
            (": hello\n\n:\ndata: a\n:b\n\n", message("a")),
            ("\u{feff}data: a\n\n", message("a")),
            ("retry: soon\nfield: x\nnonsense\ndata: a\n\n", message("a")),
            ("id: 1\nid: 2\nretry: 5\nretry: 6\ndata: a\n\n", message("a")),
            ("data: a\nid: 1\nevent: x\nevent: message\n\n", vec![(Some("message".to_owned()), Some("a".to_owned()))]),
            ("event: ping\n\ndata: a\n\n", vec![(Some("ping".to_owned()), None), (None, Some("a".to_owned()))]),
            ("{\"a\":\n[1]}", message("{\"a\":\n[1]}")),
            (
                "\n[\"}\\\"]\"]\ndata: b\n\n",
                vec![(None, Some("[\"}\\\"]\"]".to_owned())), (None, Some("b".to_owned()))],
            ),
            ("{\"a\":", message("{\"a\":")),
            ("data: a\n{b}\n\n", message("a")),
            ("\n\n\n", vec![]),
            ("", vec![]),
        ] {
            for part in [1, 2, 1000] {
                assert_eq!(read(body.as_bytes(), part), expected, "{body:?} {part}");
            }
        }
        assert_eq!(read(b"data: \xff\n\n", 3), message("\u{fffd}"));
    }

    #[test]
    fn the_form_of_a_body_is_the_one_of_its_beginning() {
        for (body, expected) in [
            ("data: a", Some(true)),
            ("\u{feff}\n\nevent:a", Some(true)),
            (": hello", Some(true)),
            ("data\n", Some(true)),
            ("id:", Some(true)),
            ("{\"data\":1}", Some(false)),
            ("[", Some(false)),
            ("<p>", Some(false)),
            ("error: no", Some(false)),
            ("retr", None),
            (" ", None),
        ] {
            assert_eq!(is_stream(body.as_bytes()), expected, "{body:?}");
        }
    }

    #[test]
    fn the_last_id_and_the_last_time_count() {
        let (mut reader, mut ready) = (EventReader::new(100), VecDeque::new());
        assert!(reader.push(b"id: 1\nid: 2\nid: a\0b\nretry: 5\nretry: x\n\n", &mut ready).is_ok());
        let event = ready.pop_front().expect("an event");
        assert_eq!((event.id.as_deref(), event.retry), (Some("2"), Some(5)));
    }

    #[test]
    fn an_event_that_is_too_long_is_not_kept() {
        for body in ["data: ".to_owned() + &"x".repeat(200), "data: 123456789\n".repeat(20), "{".repeat(200)] {
            for part in [1, 7, 1000] {
                let (mut reader, mut ready) = (EventReader::new(100), VecDeque::new());
                let read: Result<(), TooLong> =
                    body.as_bytes().chunks(part).try_for_each(|chunk| reader.push(chunk, &mut ready));
                assert_eq!((read, ready.len()), (Err(TooLong), 0));
            }
        }
        let (mut reader, mut ready) = (EventReader::new(100), VecDeque::new());
        for _ in 0..50 {
            assert!(reader.push(b"data: 123456789\n\n", &mut ready).is_ok(), "each event counts alone");
        }
        assert_eq!(ready.len(), 50);
    }
}
