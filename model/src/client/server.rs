//! A fake server for tests, which sends prepared bytes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// What the server does with one connection.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Sends a response of this status, headers and body, and ends the connection.
    Whole(u16, &'static str, String),
    /// Announces a longer body than it sends, and ends the connection.
    Cut(String),
    /// Sends the beginning of a stream, and then nothing for a long time.
    Stalls(String),
    /// Reads the request, and never answers.
    Silent,
    /// Sends a body of unknown length, one byte after the other.
    Trickle(String),
    /// Sends the beginning of a stream, and resets the connection.
    Reset(String),
    /// Sends a beginning, and then the same text again and again.
    Drips(String, &'static str),
}

/// A request that the server received.
#[derive(Debug)]
pub(crate) struct Received {
    /// The request line and the headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Value,
    /// Receives nothing until the client has closed the connection.
    pub(crate) closed: Receiver<()>,
}

/// Returns events as a stream.
pub(crate) fn events(events: &[&str]) -> Reply {
    let body = events.join("\n\ndata: ");
    Reply::Whole(200, "content-type: text/event-stream\r\n", format!("data: {body}\n\n"))
}

/// Starts a server, and returns its URL and the requests that it receives. It accepts one connection for each reply.
pub(crate) fn serve(replies: Vec<Reply>) -> (String, Receiver<Received>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
    let url = format!("http://{}", listener.local_addr().expect("the listener has an address"));
    let (sender, requests) = channel();
    thread::spawn(move || {
        for reply in replies {
            let Ok((stream, _)) = listener.accept() else { return };
            let (head, body) = if matches!(reply, Reply::Reset(_)) { begin_to_read(&stream) } else { read(&stream) };
            let (closing, closed) = channel();
            let _ = sender.send(Received { head, body, closed });
            thread::spawn(move || {
                answer(stream, &reply);
                drop(closing);
            });
        }
    });
    (url, requests)
}

fn answer(mut stream: TcpStream, reply: &Reply) {
    let head = |status: u16, headers: &str, length: usize| {
        format!("HTTP/1.1 {status} Reason\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n")
    };
    let until_closed = |stream: &mut TcpStream| {
        let _ = stream.set_read_timeout(Some(Duration::from_mins(1)));
        let _ = stream.read(&mut [0]);
    };
    let _ = match reply {
        Reply::Whole(status, headers, body) => stream.write_all((head(*status, headers, body.len()) + body).as_bytes()),
        Reply::Cut(body) => stream.write_all((head(200, "", body.len() + 1000) + body).as_bytes()),
        Reply::Stalls(body) => {
            let sent = stream.write_all((head(200, "", body.len() + 1000) + body).as_bytes());
            until_closed(&mut stream);
            sent
        }
        Reply::Drips(beginning, drop) => {
            let mut sent = stream.write_all(beginning.as_bytes());
            while sent.is_ok() {
                thread::sleep(Duration::from_millis(5));
                sent = stream.write_all(drop.as_bytes());
            }
            sent
        }
        Reply::Trickle(body) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let mut sent = stream.write_all(head.as_bytes());
            for byte in body.bytes().take_while(|_| sent.is_ok()).collect::<Vec<_>>() {
                thread::sleep(Duration::from_millis(30));
                sent = stream.write_all(&[byte]);
            }
            sent
        }
        Reply::Reset(body) => {
            stream.write_all((head(200, "content-type: text/event-stream\r\n", body.len() + 1000) + body).as_bytes())
        }
        Reply::Silent => {
            until_closed(&mut stream);
            Ok(())
        }
    };
}

/// Reads the beginning of a request. A connection with data that has not been read is reset when it is closed.
fn begin_to_read(mut stream: &TcpStream) -> (String, Value) {
    stream.read_exact(&mut [0]).expect("a request can be read");
    (String::new(), Value::Null)
}

fn read(stream: &TcpStream) -> (String, Value) {
    let mut stream = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("a request can be read");
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        head += &line.to_ascii_lowercase();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body of the announced length");
    (head, serde_json::from_slice(&body).unwrap_or_default())
}

/// Starts a server that accepts connections and never says anything. Returns its address.
pub(crate) fn hang() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
    let address = listener.local_addr().expect("the listener has an address").to_string();
    thread::spawn(move || {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept() {
            open.push(stream);
        }
    });
    address
}
