//! A fake server of a vendor, which sends one prepared reply per request.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

/// A request that the server received.
#[derive(Debug)]
pub(crate) struct Request {
    /// The method and the path.
    pub(crate) line: String,
    /// The headers by name, in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

pub(crate) struct Reply {
    status: u16,
    media_type: &'static str,
    /// The target of a redirect, or empty.
    location: String,
    body: String,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self { status, media_type: "application/json", location: String::new(), body: body.to_string() }
    }

    /// Returns the error page of a broken proxy.
    pub(crate) fn bad_gateway() -> Self {
        let body = "<h1>Bad gateway</h1>".to_owned();
        Self { status: 502, media_type: "text/html", location: String::new(), body }
    }

    /// Returns a redirect.
    pub(crate) fn moved(location: String) -> Self {
        Self { location, ..Self::json(302, &Value::Null) }
    }

    /// Returns a stream of server-sent events.
    pub(crate) fn events(events: &[Value]) -> Self {
        let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
        let body = events.iter().map(event).collect();
        Self { status: 200, media_type: "text/event-stream", location: String::new(), body }
    }
}

/// Starts a server, and returns its URL and the requests that it receives. The server ends after its last reply.
pub(crate) fn serve(replies: Vec<Reply>) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
    let url = format!("http://{}", listener.local_addr().expect("the listener has an address"));
    let (sender, requests) = channel();
    thread::spawn(move || {
        for reply in replies {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let request = read(&stream);
            // The receiver is gone if the test has failed.
            let _ = sender.send(request);
            let Reply { status, media_type, location, body } = reply;
            let head = format!(
                "HTTP/1.1 {status} Reason\r\ncontent-type: {media_type}\r\nlocation: {location}\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all((head + &body).as_bytes());
        }
    });
    (url, requests)
}

fn read(stream: &TcpStream) -> Request {
    let mut stream = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        stream.read_line(&mut line).expect("a request can be read");
        line.trim_end().to_owned()
    };
    let first = line();
    let target = first.strip_suffix(" HTTP/1.1").expect("a request line of HTTP/1.1").to_owned();
    let mut headers = BTreeMap::new();
    while let Some((name, value)) = line().split_once(':') {
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body of the announced length");
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).expect("JSON") };
    Request { line: target, headers, body }
}
