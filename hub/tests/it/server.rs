//! A server with fixed answers by path, which a test can change.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use url::Url;

/// A request that the server got.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path, decoded.
    pub(crate) path: String,
    pub(crate) query: BTreeMap<String, String>,
    /// The names are in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::new(200, body.to_string()).with("Content-Type", "application/json")
    }

    pub(crate) fn missing() -> Self {
        Self::new(404, r#"{"message": "Not Found"}"#)
    }

    pub(crate) fn redirect(location: &str) -> Self {
        Self::new(302, "").with("Location", location)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Answer = dyn Fn(&Request) -> Option<Reply> + Send + Sync;

#[derive(Default)]
struct State {
    /// Answers by path, which count more than the others.
    fixed: BTreeMap<String, Reply>,
    /// The first answer counts.
    answers: Vec<Arc<Answer>>,
    requests: Vec<Request>,
}

/// A server. Its port closes with the process.
#[derive(Clone)]
pub(crate) struct Server {
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let server = Self { port, state: Arc::default() };
        let state = Arc::clone(&server.state);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&state);
                thread::spawn(move || serve(&stream, &state));
            }
        });
        server
    }

    /// Returns the server of another process.
    pub(crate) fn at(port: usize) -> Self {
        Self { port: u16::try_from(port).expect("it is a port"), state: Arc::default() }
    }

    /// Returns an address on the server.
    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{path}", self.port)).expect("it is an address")
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Sets the answer at a path.
    pub(crate) fn fix(&self, path: &str, reply: Reply) {
        self.state.lock().expect("no test panics with it").fixed.insert(path.to_owned(), reply);
    }

    /// Removes the answer at a path.
    pub(crate) fn unfix(&self, path: &str) {
        self.state.lock().expect("no test panics with it").fixed.remove(path);
    }

    /// Adds answers.
    pub(crate) fn on(&self, answer: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static) {
        self.state.lock().expect("no test panics with it").answers.push(Arc::new(answer));
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.state.lock().expect("no test panics with it").requests.clone()
    }
}

fn serve(stream: &TcpStream, state: &Mutex<State>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let Some(request) = read(stream) else { return };
    let (fixed, answers) = {
        let mut state = state.lock().expect("no test panics with it");
        state.requests.push(request.clone());
        (state.fixed.get(&request.path).cloned(), state.answers.clone())
    };
    let reply = fixed.or_else(|| answers.iter().find_map(|answer| answer(&request)));
    write(stream, &reply.unwrap_or_else(Reply::missing));
}

fn write(mut stream: &TcpStream, reply: &Reply) {
    let mut head =
        format!("HTTP/1.1 {} Status\r\nConnection: close\r\nContent-Length: {}\r\n", reply.status, reply.body.len());
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let _ = stream.write_all((head + "\r\n").as_bytes()).and_then(|()| stream.write_all(&reply.body));
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    let mut next = |lines: &mut BufReader<&TcpStream>| {
        line.clear();
        (lines.read_line(&mut line).ok()? > 0).then(|| line.trim_end().to_owned())
    };
    let first = next(&mut lines)?;
    let mut parts = first.split(' ');
    let (method, target) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let header = next(&mut lines)?;
        let Some((name, value)) = header.split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length: &String| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    let url = Url::parse(&format!("http://localhost{target}")).ok()?;
    let path = url.path().replace("%20", " ");
    Some(Request { method, path, query: url.query_pairs().into_owned().collect(), headers, body })
}
