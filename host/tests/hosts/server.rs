//! A vendor's server, as far as an agent sees it: replies by a script, one a request.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Request {
    /// The method and the path.
    pub(crate) line: String,
    /// By name, in small letters.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

pub(crate) struct Reply {
    status: u16,
    media_type: &'static str,
    /// Where the answer is instead.
    location: String,
    body: String,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self { status, media_type: "application/json", location: String::new(), body: body.to_string() }
    }

    /// What stands between an agent and its vendor, and does not work.
    pub(crate) fn bad_gateway() -> Self {
        let body = "<h1>Bad gateway</h1>".to_owned();
        Self { status: 502, media_type: "text/html", location: String::new(), body }
    }

    /// A server that wants the request to be sent to another.
    pub(crate) fn moved(location: String) -> Self {
        Self { location, ..Self::json(302, &Value::Null) }
    }

    /// The events of a stream.
    pub(crate) fn events(events: &[Value]) -> Self {
        let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
        let body = events.iter().map(event).collect();
        Self { status: 200, media_type: "text/event-stream", location: String::new(), body }
    }
}

/// Where the server is, and what it is asked for. It is gone after its last reply.
pub(crate) fn serve(replies: Vec<Reply>) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
    let url = format!("http://{}", listener.local_addr().expect("it has an address"));
    let (sender, requests) = channel();
    thread::spawn(move || {
        for reply in replies {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let request = read(&stream);
            // The receiver is gone if the test has failed.
            let _ = sender.send(request);
            let Reply { status, media_type, location, body } = reply;
            let head = format!(
                "HTTP/1.1 {status} Whatever\r\ncontent-type: {media_type}\r\nlocation: {location}\r\ncontent-length: {}\r\n\
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
    let line_of = first.strip_suffix(" HTTP/1.1").expect("HTTP").to_owned();
    let mut headers = BTreeMap::new();
    while let Some((name, value)) = line().split_once(':') {
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body as long as was said");
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).expect("JSON") };
    Request { line: line_of, headers, body }
}
