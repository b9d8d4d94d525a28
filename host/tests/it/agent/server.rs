//! A fake server of a vendor. It sends one prepared reply for each request, and keeps the requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) enum Reply {
    /// A stream of events.
    Events(Vec<String>),
    /// A stream that ends before its end.
    Broken(Vec<String>),
    /// A stream that begins and does not go on until the client closes the connection.
    Stalled(Vec<String>),
    /// A stream with this number of events a second.
    Paced(Vec<String>, u32),
    /// A response with this status, these headers and this body.
    Status(u16, &'static str, String),
}

/// A server that runs.
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Receiver<Value>,
}

impl Server {
    /// Starts a server. It ends after its last reply.
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
        let url = format!("http://{}", listener.local_addr().expect("the listener has an address"));
        let (sender, requests) = channel();
        thread::spawn(move || {
            for reply in replies {
                let Ok((stream, _)) = listener.accept() else { return };
                // The receiver is gone if the test has failed.
                let _ = sender.send(read(&stream));
                answer(stream, &reply);
            }
        });
        Self { url, requests }
    }

    /// Starts a server that answers with status 400 to a request that breaks the rules of its API.
    pub(crate) fn strict(replies: Vec<Reply>, check: fn(&Value) -> Result<(), String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
        let url = format!("http://{}", listener.local_addr().expect("the listener has an address"));
        let (sender, requests) = channel();
        thread::spawn(move || {
            let mut replies = replies.into_iter();
            while let Ok((stream, _)) = listener.accept() {
                let request = read(&stream);
                let reply = match check(&request) {
                    Ok(()) => replies.next(),
                    Err(message) => {
                        let error =
                            serde_json::json!({ "error": { "type": "invalid_request_error", "message": message } });
                        Some(Reply::Status(400, "content-type: application/json\r\n", error.to_string()))
                    }
                };
                let _ = sender.send(request);
                let Some(reply) = reply else { return };
                answer(stream, &reply);
            }
        });
        Self { url, requests }
    }

    /// Returns the bodies of the requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.try_iter().collect()
    }
}

fn answer(mut stream: TcpStream, reply: &Reply) {
    let (status, headers, body) = match reply {
        Reply::Events(events) | Reply::Broken(events) | Reply::Stalled(events) => {
            (200, "content-type: text/event-stream\r\n", format!("data: {}\n\n", events.join("\n\ndata: ")))
        }
        Reply::Paced(..) => (200, "", String::new()),
        Reply::Status(status, headers, body) => (*status, *headers, body.clone()),
    };
    // Without a length, the body ends with the connection.
    if let Reply::Paced(events, per_second) = reply {
        return send_paced(&mut stream, events, *per_second);
    }
    let _ = write!(stream, "HTTP/1.1 {status} Reason\r\n{headers}connection: close\r\n\r\n{body}");
    let _ = stream.flush();
    if let Reply::Stalled(_) = reply {
        let _ = stream.read(&mut [0]);
    }
}

/// Sends events, each at its time.
fn send_paced(stream: &mut TcpStream, events: &[String], per_second: u32) {
    let _ = write!(stream, "HTTP/1.1 200 Reason\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    let began = Instant::now();
    for (number, event) in (0..).zip(events) {
        thread::sleep((Duration::from_secs(1) / per_second * number).saturating_sub(began.elapsed()));
        if write!(stream, "data: {event}\n\n").is_err() {
            return;
        }
    }
}

fn read(stream: &TcpStream) -> Value {
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("a request can be read");
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body of the announced length");
    serde_json::from_slice(&body).expect("the body is JSON")
}
