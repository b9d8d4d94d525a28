//! Finds the id of a message that cannot be read, so that the request it answers gets an error instead of no answer.

use rmcp::model::RequestId;

/// The maximum length of an id, or of a key before it is certain not to be `id`.
const MAX_LEN: usize = 128;

/// Reads a message as it arrives, however long it is, and keeps only what says which request it answers.
#[derive(Debug, Default)]
pub(crate) struct IdScanner {
    depth: usize,
    string: InString,
    /// The string or value at the outermost level that is being read.
    token: Vec<u8>,
    /// Whether the token is the value of `id`.
    is_id: bool,
    id: Option<Vec<u8>>,
    /// Whether the message is a request or a notification, which are not answers.
    has_method: bool,
}

/// Whether the next byte belongs to a string.
#[derive(Debug, Default, Clone, Copy)]
enum InString {
    #[default]
    No,
    Yes,
    /// The next byte follows a backslash.
    Escaped,
}

impl IdScanner {
    /// Reads the next part of the message.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.read(byte);
        }
    }

    /// Returns the id of the request that the message answers, if it is an answer.
    pub(crate) fn answered(&self) -> Option<RequestId> {
        let id = self.id.as_ref().filter(|_| !self.has_method)?;
        serde_json::from_slice(id).ok()
    }

    /// Returns the JSON text of the id, as the message spells it. The last one counts.
    pub(crate) fn id_text(&self) -> Option<&str> {
        std::str::from_utf8(self.id.as_ref()?).ok()
    }

    fn read(&mut self, byte: u8) {
        self.string = match (self.string, byte) {
            (InString::No, b'"') => InString::Yes,
            (InString::No, _) => return self.read_outside(byte),
            (InString::Yes, b'\\') => InString::Escaped,
            (InString::Yes, b'"') => InString::No,
            (InString::Yes | InString::Escaped, _) => InString::Yes,
        };
        self.keep(byte);
    }

    /// Reads a byte that does not belong to a string.
    fn read_outside(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.is_id = self.token == b"\"id\"";
                self.has_method |= self.token == b"\"method\"";
                self.token.clear();
            }
            b',' => self.end_value(),
            byte if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn end_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.is_id {
            self.id = Some(std::mem::take(&mut self.token));
            self.is_id = false;
        }
        self.token.clear();
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < MAX_LEN {
            self.token.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(message: &str) -> Option<RequestId> {
        let (mut whole, mut parts) = (IdScanner::default(), IdScanner::default());
        whole.push(message.as_bytes());
        message.as_bytes().chunks(3).for_each(|part| parts.push(part));
        assert_eq!(whole.answered(), parts.answered(), "{message}");
        whole.answered()
    }

    #[test]
    fn the_id_of_an_answer_is_found_at_any_place() {
        let number = |id| Some(RequestId::Number(id));
        assert_eq!(answered(r#"{"jsonrpc":"2.0","id":5,"result":{"id":7}}"#), number(5));
        assert_eq!(answered(r#"{"result":{"a":[{"id":7},"\"id\":8,}"]} , "id" : 5 }"#), number(5));
        assert_eq!(answered(r#"{"result":{"id":7"#), None);
        assert_eq!(answered(r#"{"id":"x-1","error":0}"#), Some(RequestId::String("x-1".into())));
        assert_eq!(answered(r#"{"method":"ping","id":5}"#), None, "a request of the server");
        assert_eq!(answered(r#"{"id":null,"result":1}"#), None);
        assert_eq!(answered("no JSON: \"id\": 5"), None);
        assert_eq!(answered("]]]}{\"id\":5}"), number(5));
        assert_eq!(answered(&format!("{{\"id\":{}}}", "9".repeat(500))), None);
    }
}
