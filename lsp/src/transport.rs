//! Messages over standard input and output. A message that cannot be read never ends the server.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde_json::{Value, json};

/// The maximum number of bytes of a message.
const MAX_BYTES: usize = 64 << 20;

/// The maximum number of bytes of a line of a header, and of its lines.
const MAX_HEADER: usize = 1 << 10;
const MAX_LINES: usize = 32;

/// What the reader found.
#[derive(Debug)]
pub(crate) enum Incoming {
    Message(Message),
    /// A message that cannot be read, with the answer to it.
    Refused(Message),
    /// The client closed its end, or lost the framing of messages.
    Closed,
}

/// Starts the threads that read and write. `wrap` turns what the reader finds into an event of the server.
pub(crate) fn start<E: Send + 'static>(
    wrap: impl Fn(Incoming) -> E + Send + 'static,
) -> (SyncSender<E>, Receiver<E>, Sender<Message>) {
    const WAITING: usize = 1 << 10;
    let (events, received) = sync_channel(WAITING);
    let (out, outgoing) = channel();
    let to_server = events.clone();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let incoming = read(&mut input);
            let is_end = matches!(incoming, Incoming::Closed);
            if to_server.send(wrap(incoming)).is_err() || is_end {
                return;
            }
        }
    });
    thread::spawn(move || {
        let mut output = io::stdout().lock();
        for message in outgoing {
            if write(&mut output, &message).is_err() {
                return;
            }
        }
    });
    (events, received, out)
}

fn write(output: &mut impl Write, message: &Message) -> io::Result<()> {
    message.write(output)?;
    output.flush()
}

/// Reads one message.
fn read(input: &mut impl BufRead) -> Incoming {
    let Some(length) = header(input) else { return Incoming::Closed };
    if length > MAX_BYTES {
        let skipped = io::copy(&mut input.take(length as u64), &mut io::sink());
        if !skipped.is_ok_and(|skipped| skipped == length as u64) {
            return Incoming::Closed;
        }
        return refused(None, &format!("the message has {length} bytes, and at most {MAX_BYTES} are read"));
    }
    let mut bytes = Vec::new();
    match input.take(length as u64).read_to_end(&mut bytes) {
        Ok(read) if read == length => parse(&bytes),
        _ => Incoming::Closed,
    }
}

fn parse(bytes: &[u8]) -> Incoming {
    let document: Value = match serde_json::from_slice(bytes) {
        Ok(document) => document,
        Err(error) => return refused(None, &format!("the message is not JSON: {error}")),
    };
    let id = document.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    if document.get("method").is_some_and(|method| !method.is_string()) {
        return refused(id, "the message is not one of JSON-RPC: its method is not a string");
    }
    match serde_json::from_value(document) {
        Ok(message) => Incoming::Message(message),
        Err(error) => refused(id, &format!("the message is not one of JSON-RPC: {error}")),
    }
}

fn refused(id: Option<RequestId>, why: &str) -> Incoming {
    let answer = |id| Message::Response(Response::new_err(id, ErrorCode::InvalidRequest as i32, why.to_owned()));
    // No answer is possible to a message whose id is unknown.
    let log = || {
        Message::Notification(lsp_server::Notification::new(
            "window/logMessage".to_owned(),
            json!({ "type": 1, "message": why }),
        ))
    };
    Incoming::Refused(id.map_or_else(log, answer))
}

/// Reads a header, and returns the length of the message after it. `None` if the input ends or has no length.
fn header(input: &mut impl BufRead) -> Option<usize> {
    let mut length = None;
    for _ in 0..MAX_LINES {
        let mut line = Vec::new();
        input.take(MAX_HEADER as u64).read_until(b'\n', &mut line).ok()?;
        if !line.ends_with(b"\n") {
            return None;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            return length;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    None
}

/// Returns the request that registers what the server watches.
pub(crate) fn watch_request(id: i32) -> Message {
    let watchers: Vec<Value> = ["**/manifests/**", "**/toolc.toml", "**/plugin.toml"]
        .iter()
        .map(|glob| json!({ "globPattern": glob }))
        .collect();
    let registration = json!({ "id": "manifests", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers } });
    let params = json!({ "registrations": [registration] });
    Message::Request(lsp_server::Request::new(RequestId::from(id), "client/registerCapability".to_owned(), params))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8]) -> Vec<String> {
        let mut input = input;
        let mut found = Vec::new();
        loop {
            found.push(match read(&mut input) {
                Incoming::Message(Message::Notification(notification)) => notification.method,
                Incoming::Message(_) => "message".to_owned(),
                Incoming::Refused(Message::Notification(log)) => log.method,
                Incoming::Refused(_) => "refused".to_owned(),
                Incoming::Closed => return found,
            });
        }
    }

    #[test]
    fn a_broken_message_is_refused_and_the_next_one_is_read() {
        let text = "Content-Length: 2\r\n\r\n{]content-length:19\r\nX: y\r\n\r\n{\"id\":4,\"method\":3}Content-Length: 14\r\n\r\n{\"method\":\"x\"}";
        assert_eq!(all(text.as_bytes()), ["window/logMessage", "refused", "x"]);
    }

    #[test]
    fn input_without_a_length_ends_the_server() {
        for text in ["", "x", "\r\n", "Content-Length: x\r\n\r\n", "Content-Length: 9\r\n\r\n1", &"x".repeat(5_000)] {
            assert!(all(text.as_bytes()).is_empty(), "{text}");
        }
    }
}
