//! Reads messages from the standard output of a server: one JSON text a line, bounded in length.

use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::RxJsonRpcMessage;
use tokio::sync::mpsc;
use toolc_process::Sink;

use super::id::IdScanner;
use crate::message::{self, Inbox};

/// The maximum number of bytes of a message.
pub(crate) const MAX_MESSAGE: usize = 16 << 20;

/// Splits output into messages, and passes them on. A full channel blocks the thread that reads, so that a server that sends without
/// pause is read only as fast as its messages are handled.
pub(super) struct MessageLines {
    /// The beginning of the line, or nothing once it is too long.
    line: Vec<u8>,
    max: usize,
    is_too_long: bool,
    scanner: IdScanner,
    inbox: Inbox,
    /// `None` after the end of the output.
    messages: Option<mpsc::Sender<RxJsonRpcMessage<RoleClient>>>,
}

impl std::fmt::Debug for MessageLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MessageLines").field("len", &self.line.len()).finish_non_exhaustive()
    }
}

impl MessageLines {
    pub(super) fn new(messages: mpsc::Sender<RxJsonRpcMessage<RoleClient>>, inbox: Inbox) -> Self {
        Self {
            line: Vec::new(),
            max: MAX_MESSAGE,
            is_too_long: false,
            scanner: IdScanner::default(),
            inbox,
            messages: Some(messages),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        if !self.is_too_long && self.line.len() + bytes.len() > self.max {
            self.is_too_long = true;
            self.scanner.push(&std::mem::take(&mut self.line));
        }
        if self.is_too_long {
            self.scanner.push(bytes);
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    /// Returns the message of the line, or the messages of a batch. One that cannot be read becomes an error for the request that it
    /// answers.
    fn messages(&mut self) -> Vec<ServerJsonRpcMessage> {
        let (line, is_too_long) = (std::mem::take(&mut self.line), std::mem::take(&mut self.is_too_long));
        let mut scanner = std::mem::take(&mut self.scanner);
        if is_too_long {
            let max = self.max >> 20;
            let message = unreadable(&scanner, &format!("it is longer than {max} MiB"));
            if message.is_none() {
                self.inbox.note_stray(&format!("a message is longer than {max} MiB"));
            }
            return message.into_iter().collect();
        }
        let read = |part: &[u8]| match self.inbox.read(part) {
            Ok(message) => Some(message),
            Err(problem) => {
                scanner = IdScanner::default();
                scanner.push(part);
                let message = unreadable(&scanner, &problem);
                if message.is_none() {
                    self.inbox.note_line(part, &problem);
                }
                message
            }
        };
        message::parts(&line).into_iter().filter_map(read).collect()
    }
}

/// Returns the error for the request that an unreadable message answers, if it answers one. Other lines that are not messages are
/// ignored: many servers print log lines to standard output.
fn unreadable(scanner: &IdScanner, problem: &str) -> Option<ServerJsonRpcMessage> {
    scanner.answered().map(|id| message::unreadable(id, problem.to_owned()))
}

impl Sink for MessageLines {
    fn push(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.add(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let messages = self.messages();
            let Some(channel) = &self.messages else { return false };
            if messages.into_iter().any(|message| channel.blocking_send(message).is_err()) {
                return false;
            }
        }
        self.add(bytes);
        self.inbox.note_unfinished(&self.line);
        self.messages.as_ref().is_some_and(|messages| !messages.is_closed())
    }

    /// A server that has closed its output can answer no more calls, even if it still runs.
    fn end(&mut self) {
        self.messages = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the messages of output that arrives in parts, as JSON.
    fn read(output: &[u8], max: usize, part: usize) -> Vec<String> {
        let (sender, mut receiver) = mpsc::channel(100);
        let mut lines = MessageLines { max, ..MessageLines::new(sender, Inbox::default()) };
        assert!(output.chunks(part).all(|bytes| lines.push(bytes)));
        assert!(lines.line.capacity() <= 2 * max.max(64), "{}", lines.line.capacity());
        drop(lines);
        std::iter::from_fn(|| receiver.blocking_recv())
            .map(|message| serde_json::to_string(&message).expect("a message is JSON"))
            .collect()
    }

    #[test]
    fn lines_that_are_no_messages_are_ignored_and_unreadable_answers_become_errors() {
        let output = b"starting...\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}\r\n{\"jsonrpc\":\"2.0\",\"id\":2}\n{\"half";
        for part in [1, 7, 1000] {
            let got = read(output, 1000, part);
            assert_eq!(got.len(), 2, "{got:?}");
            assert!(got[0].contains(r#""result":{"a":1}"#), "{got:?}");
            assert!(got[1].contains(r#""id":2"#) && got[1].contains("neither `result` nor `error`"), "{got:?}");
        }
    }

    #[test]
    fn a_message_that_is_too_long_is_not_kept_and_becomes_an_error() {
        let long = format!("{{\"result\":\"{}\",\"id\":7}}\n", "x".repeat(5000));
        let output = [long.as_bytes(), b"{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n"].concat();
        for part in [1, 999, 10_000] {
            let got = read(&output, 1000, part);
            assert_eq!(got.len(), 2, "{got:?}");
            assert!(got[0].contains(r#""id":7"#) && got[0].contains("longer than"), "{got:?}");
            assert!(got[1].contains(r#""id":8"#), "{got:?}");
        }
    }

    #[test]
    fn a_deeply_nested_answer_becomes_an_error() {
        let deep =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}{}}}\n", "[".repeat(10_000), "]".repeat(10_000));
        let got = read(deep.as_bytes(), 1 << 20, 4096);
        assert!(matches!(got.as_slice(), [one] if one.contains("nested too deep")), "{got:?}");
    }
}
