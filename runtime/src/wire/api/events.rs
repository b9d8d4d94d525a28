//! A parser of server-sent events. It accepts chunks of any size and all line endings (LF, CRLF, CR), and passes on the
//! data of each event.

use crate::wire::body::BYTE_ORDER_MARK;
use crate::wire::{MAX_EVENT_BYTES, MAX_STREAM_BYTES, WireError};

/// The state of a stream of events.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The incomplete line.
    line: Vec<u8>,
    /// The name of the incomplete event.
    name: String,
    /// The data of the incomplete event.
    data: Option<String>,
    /// Whether the last byte was a carriage return. A line feed after it belongs to the same line ending.
    returned: bool,
    /// The number of events so far.
    count: usize,
    bytes: usize,
}

/// An event that has data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event<'e> {
    /// The name, which is empty if the event has none.
    pub(super) name: &'e str,
    pub(super) data: &'e str,
    /// The number, counted from 1.
    pub(super) number: usize,
}

/// A callback that receives each event.
pub(super) type EventSink<'t> = dyn FnMut(Event<'_>) -> Result<(), WireError> + 't;

impl Events {
    pub(super) fn push(&mut self, bytes: &[u8], take: &mut EventSink<'_>) -> Result<(), WireError> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MAX_STREAM_BYTES {
            return Err(self.error(format!("at most {MAX_STREAM_BYTES} bytes of a stream"), "more"));
        }
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.returned) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = &rest[..end.unwrap_or(rest.len())];
            if self.line.len() + self.data.as_ref().map_or(0, String::len) + piece.len() > MAX_EVENT_BYTES {
                return Err(self.error(format!("at most {MAX_EVENT_BYTES} bytes of an event"), "more"));
            }
            self.line.extend_from_slice(piece);
            let Some(end) = end else { break };
            self.returned = rest[end] == b'\r';
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, take)?;
        }
        Ok(())
    }

    /// Returns whether no event has arrived yet.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Processes the last event, even if no empty line follows it: some servers omit that line.
    pub(super) fn end(&mut self, take: &mut EventSink<'_>) -> Result<(), WireError> {
        let line = std::mem::take(&mut self.line);
        let is_cut = std::str::from_utf8(&line).is_err_and(|error| error.error_len().is_none());
        if is_cut {
            return Err(WireError::ended_early("a stream that ends with an event"));
        }
        self.take_line(&line, take)?;
        self.take_line(b"", take)
    }

    /// Returns the path of an event.
    pub(super) fn path(number: usize) -> String {
        format!("event {number}")
    }

    fn take_line(&mut self, line: &[u8], take: &mut EventSink<'_>) -> Result<(), WireError> {
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            let Some(data) = self.data.take() else { return Ok(()) };
            self.count += 1;
            return take(Event { name: &name, data: &data, number: self.count });
        }
        // The other fields (`id`, `retry`) are not needed, and lines that begin with a colon are comments.
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let end = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(end + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if &line[..end] == b"event" {
            String::from_utf8_lossy(value).trim().clone_into(&mut self.name);
        } else if &line[..end] == b"data" {
            let Ok(value) = std::str::from_utf8(value) else {
                return Err(self.error("UTF-8", "other bytes"));
            };
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                data @ None => *data = Some(value.to_owned()),
            }
        }
        Ok(())
    }

    fn error(&self, expected: impl Into<String>, got: &str) -> WireError {
        WireError::new(Self::path(self.count + 1), expected, got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the data of the events in these pieces.
    fn data(pieces: &[&[u8]]) -> Result<Vec<String>, WireError> {
        let (mut events, mut all) = (Events::default(), Vec::new());
        for piece in pieces {
            events.push(piece, &mut |Event { data, number, .. }| {
                assert_eq!(number, all.len() + 1);
                all.push(data.to_owned());
                Ok(())
            })?;
        }
        events.end(&mut |Event { data, .. }| {
            all.push(data.to_owned());
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn all_three_line_endings_are_accepted() {
        for text in [
            "data: a\n\ndata: b\n\n",
            "data: a\r\n\r\ndata: b\r\n\r\n",
            "data: a\r\rdata: b\r\r",
            "data: a\r\n\ndata: b",
        ] {
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(data(&bytes).unwrap(), ["a", "b"], "{text:?}");
            assert_eq!(data(&[text.as_bytes()]).unwrap(), ["a", "b"], "{text:?}");
        }
    }

    #[test]
    fn only_data_lines_are_returned() {
        let text =
            "\u{feff}: hello\n\nevent: x\nid: 1\n\n\nevent: y\ndata:one\ndata:  two \ndata\nnonsense\n\ndata:\n\n";
        assert_eq!(data(&[text.as_bytes()]).unwrap(), ["one\n two \n", ""]);
    }

    #[test]
    fn an_event_has_the_name_of_its_own_lines() {
        let (mut events, mut names) = (Events::default(), Vec::new());
        let text = b"event: a\ndata: 1\n\ndata: 2\n\nevent: lost\n\nevent:b\nevent:c\ndata: 3\n\n";
        events
            .push(text, &mut |Event { name, .. }| {
                names.push(name.to_owned());
                Ok(())
            })
            .unwrap();
        assert_eq!(names, ["a", "", "c"]);
    }

    #[test]
    fn only_data_that_is_not_utf8_is_an_error() {
        let error = data(&[b"data: a\n\ndata: \xff\n\n"]).unwrap_err();
        assert_eq!(error.to_string(), "event 2: expected UTF-8, got other bytes");
        let ignored = b": caf\xe9\n\xff\nevent: \xe9\ndata: a\n\n";
        assert_eq!(data(&[ignored]).unwrap(), ["a"]);
    }
}
