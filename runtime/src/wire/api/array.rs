//! A JSON array that arrives in pieces: the items of a streamed response that is not sent as events.

use crate::wire::{MAX_EVENT_BYTES, MAX_STREAM_BYTES, WireError};

/// The state of an array. Only the brackets and commas between its items are read here.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// The incomplete item.
    item: Vec<u8>,
    /// The number of its open brackets.
    depth: usize,
    string: InString,
    place: Place,
    /// The number of complete items.
    count: usize,
    bytes: usize,
}

/// Whether the next byte belongs to a string.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum InString {
    #[default]
    No,
    Yes,
    /// The next byte follows a backslash.
    Escaped,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Inside,
    After,
}

/// A callback that receives the text of each item, and its number from 0.
type ItemSink<'t> = dyn FnMut(&str, usize) -> Result<(), WireError> + 't;

impl Items {
    pub(super) fn push(&mut self, bytes: &[u8], take: &mut ItemSink<'_>) -> Result<(), WireError> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MAX_STREAM_BYTES {
            return Err(WireError::new("", format!("at most {MAX_STREAM_BYTES} bytes of a stream"), "more"));
        }
        for &byte in bytes {
            if self.item.len() > MAX_EVENT_BYTES {
                return Err(WireError::new(self.path(), format!("at most {MAX_EVENT_BYTES} bytes of an item"), "more"));
            }
            self.push_byte(byte, take)?;
        }
        Ok(())
    }

    /// Returns an error if the array has ended within an item. A missing bracket at the end loses nothing.
    pub(super) fn end(&self) -> Result<(), WireError> {
        if self.item.is_empty() { Ok(()) } else { Err(WireError::ended_early("an array that ends with `]`")) }
    }

    /// Returns the path of the next item.
    fn path(&self) -> String {
        format!("/{}", self.count)
    }

    fn push_byte(&mut self, byte: u8, take: &mut ItemSink<'_>) -> Result<(), WireError> {
        if self.string != InString::No {
            self.item.push(byte);
            self.string = match (self.string, byte) {
                (InString::Yes, b'\\') => InString::Escaped,
                (InString::Yes, b'"') => InString::No,
                _ => InString::Yes,
            };
            return Ok(());
        }
        match byte {
            b'[' if self.place == Place::Before => self.place = Place::Inside,
            _ if self.place == Place::After && !byte.is_ascii_whitespace() => {
                return Err(WireError::new("", "the end of the body after the array", "more"));
            }
            b',' | b']' if self.depth == 0 => {
                if byte == b']' {
                    self.place = Place::After;
                }
                self.end_item(take)?;
            }
            _ if self.depth == 0 && self.item.is_empty() && byte.is_ascii_whitespace() => {}
            _ => {
                self.item.push(byte);
                match byte {
                    b'"' => self.string = InString::Yes,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                // An item is known before the comma after it arrives.
                if matches!(byte, b'}' | b']') && self.depth == 0 {
                    self.end_item(take)?;
                }
            }
        }
        Ok(())
    }

    fn end_item(&mut self, take: &mut ItemSink<'_>) -> Result<(), WireError> {
        let item = std::mem::take(&mut self.item);
        if item.is_empty() {
            return Ok(());
        }
        let Ok(text) = std::str::from_utf8(&item) else {
            return Err(WireError::new(self.path(), "UTF-8", "other bytes"));
        };
        let number = self.count;
        self.count += 1;
        take(text, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the items of an array that arrives in pieces of `size` bytes.
    fn items(json: &[u8], size: usize) -> Result<Vec<String>, WireError> {
        let (mut array, mut all) = (Items::default(), Vec::new());
        for piece in json.chunks(size) {
            array.push(piece, &mut |item, number| {
                assert_eq!(number, all.len());
                all.push(item.to_owned());
                Ok(())
            })?;
        }
        array.end().map(|()| all)
    }

    #[test]
    fn items_are_found_whatever_their_pieces() {
        for (json, expected) in [
            ("[]", vec![]),
            ("[ \r\n ]\n", vec![]),
            ("[{}]", vec!["{}"]),
            (
                "[{\"a\":[1,{\"b\":\"]},\\\"[\"}]}\n,\r\n{\"c\":\"\\\\\"}]",
                vec![r#"{"a":[1,{"b":"]},\"["}]}"#, r#"{"c":"\\"}"#],
            ),
            ("[{}{}]", vec!["{}", "{}"]),
            ("[1, \"a,b\" ,[2]]", vec!["1", "\"a,b\" ", "[2]"]),
            ("[{\"é\":\"ü\"}", vec!["{\"é\":\"ü\"}"]),
            ("[{},", vec!["{}"]),
        ] {
            for size in [1, 2, 3, 7, 1000] {
                assert_eq!(items(json.as_bytes(), size).unwrap(), expected, "{json} {size}");
            }
        }
    }

    #[test]
    fn an_array_that_ends_within_an_item_has_ended_early() {
        for cut in ["[{", "[{}, {\"a\":", "[{\"a\":\"]}", "[1", "[{\"a\":\"\\"] {
            assert!(matches!(items(cut.as_bytes(), 1), Err(WireError::EndedEarly { .. })), "{cut}");
        }
        let error = items(b"[{}] {}", 3).unwrap_err().to_string();
        assert!(error.contains("the end of the body after the array"), "{error}");
        assert_eq!(items(b"[{\"a\":\"\xff\"}]", 4).unwrap_err().to_string(), "/0: expected UTF-8, got other bytes");
    }
}
