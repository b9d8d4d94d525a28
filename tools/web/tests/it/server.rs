//! A server whose answers depend on the whole request, as those of services do.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A request that the server got.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: BTreeMap<String, String>,
    /// The names are in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
    /// The connection ends before the last byte, or stays open without it.
    pub(crate) end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    /// The head promises more than follows.
    Early,
    /// Nothing is sent until the client gives up.
    Never,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn parameter(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    /// Returns the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", &body.to_string())
    }

    pub(crate) fn text(status: u16, content_type: &'static str, body: &str) -> Self {
        Self { status, headers: Vec::new(), content_type, body: body.as_bytes().to_vec(), end: End::Complete }
    }

    pub(crate) fn html(body: &str) -> Self {
        Self::text(200, "text/html; charset=utf-8", body)
    }

    /// Returns an answer that leads to another address.
    pub(crate) fn redirect(status: u16, location: &str) -> Self {
        Self::text(status, "text/html", "").with("Location", location)
    }

    /// Returns the answer for a page that does not exist.
    pub(crate) fn missing() -> Self {
        Self::text(404, "text/html", "<title>Not found</title><p>There is no such page.")
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    is_closed: Arc<AtomicBool>,
    accepting: Option<thread::JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1", answer)
    }

    /// Starts a server at an address of this machine.
    pub(crate) fn start_at(ip: &str, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((ip, 0)).expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let (requests, is_closed) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, closed, answer) = (Arc::clone(&requests), Arc::clone(&is_closed), Arc::new(answer));
        let accepting = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if closed.load(Ordering::Relaxed) {
                    return;
                }
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                thread::spawn(move || {
                    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
                    let Some(request) = read(&stream) else { return };
                    keep(&kept, &request);
                    write(stream, &answer(&request));
                });
            }
        });
        Self { port, requests, is_closed, accepting: Some(accepting) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the requests so far, at most 5,000.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test panics with it").clone()
    }
}

impl Drop for Server {
    /// Closes the port.
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

/// Keeps a request, so that a test can look at it. A test with very many of them would measure their memory.
fn keep(kept: &Mutex<Vec<Request>>, request: &Request) {
    let mut kept = kept.lock().expect("no test panics with it");
    if kept.len() < 5_000 {
        kept.push(request.clone());
    }
}

fn write(mut stream: TcpStream, reply: &Reply) {
    if reply.end == End::Never {
        // Returns when the client closes the connection.
        let _ = stream.read(&mut [0]);
        return;
    }
    let length = reply.body.len() + usize::from(reply.end == End::Early);
    let headers: Vec<String> = reply.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let headers = headers.concat();
    let (status, content_type) = (reply.status, reply.content_type);
    let head = format!(
        "HTTP/1.1 {status} Status\r\n{headers}Content-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&reply.body));
}

/// Reads a request with a body of a known length.
fn read(stream: &TcpStream) -> Option<Request> {
    let mut stream = BufReader::new(stream);
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        if stream.read_until(b'\n', &mut bytes).ok()? == 0 {
            return None;
        }
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let pairs = lines.filter_map(|line| line.split_once(':'));
    let headers: BTreeMap<String, String> =
        pairs.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned())).collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    Some(Request { method, path: path.to_owned(), query, headers, body: String::from_utf8_lossy(&body).into_owned() })
}
