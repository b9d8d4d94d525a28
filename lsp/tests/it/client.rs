//! A client that runs the server as a child process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long an answer may take on a busy machine.
const WAIT: Duration = Duration::from_mins(1);

pub(crate) struct Client {
    pub(crate) child: Child,
    input: ChildStdin,
    output: Receiver<Value>,
    /// Notifications that were received while waiting for an answer.
    notes: Vec<Value>,
    requests: i64,
}

impl Client {
    /// Starts the server, and initializes it with these capabilities.
    pub(crate) fn start(capabilities: &Value) -> (Self, Value) {
        let mut client = Self::start_raw();
        let answer = client.request("initialize", json!({ "capabilities": capabilities }));
        client.notify("initialized", json!({}));
        (client, answer["result"]["capabilities"].clone())
    }

    pub(crate) fn start_raw() -> Self {
        // Cargo builds the examples of a package with its tests.
        let tests = std::env::current_exe().unwrap();
        let server = tests.ancestors().nth(2).unwrap().join("examples/toolc-lsp");
        let mut program = Command::new(server.with_extension(std::env::consts::EXE_EXTENSION));
        let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (to, output) = channel();
        thread::spawn(move || {
            let mut out = BufReader::new(out);
            while let Some(message) = read(&mut out) {
                if to.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, input, output, notes: Vec::new(), requests: 0 }
    }

    pub(crate) fn raw(&mut self, text: &str) {
        self.input.write_all(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers write `json!` in place")]
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.raw(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers write `json!` in place")]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.raw(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.notes.push(message);
        }
    }

    /// Returns the result of a request.
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    fn next(&mut self) -> Value {
        self.output.recv_timeout(WAIT).expect("the server answers")
    }

    /// Waits for the first message that matches.
    pub(crate) fn wait(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            if let Some(at) = self.notes.iter().position(&matches) {
                return self.notes.drain(..=at).next_back().unwrap();
            }
            assert!(start.elapsed() < WAIT, "the message does not come");
            let message = self.next();
            self.notes.push(message);
        }
    }

    /// Waits until the findings of a version of a file satisfy a condition, and returns them.
    pub(crate) fn findings(&mut self, uri: &str, version: i64, is_wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let found = self.wait(|message| {
            let params = &message["params"];
            let all = params["diagnostics"].as_array();
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
                && all.is_some_and(|all| is_wanted(all))
        });
        found["params"]["diagnostics"].as_array().unwrap().clone()
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "toml", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the whole text.
    pub(crate) fn change(&mut self, uri: &str, version: i64, text: &str) {
        self.edit(uri, version, &json!([{ "text": text }]));
    }

    pub(crate) fn edit(&mut self, uri: &str, version: i64, changes: &Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Asks at the `|` of a text, which the document gets without it.
    pub(crate) fn ask(&mut self, method: &str, uri: &str, version: i64, text: &str) -> Value {
        let at = text.find('|').expect("the text has a cursor");
        let plain = text.replacen('|', "", 1);
        self.change(uri, version, &plain);
        self.result(method, position(uri, &plain, at))
    }

    /// Ends the server, and returns its exit status.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the position of a byte, in UTF-16.
pub(crate) fn position(uri: &str, text: &str, at: usize) -> Value {
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap();
    let place = json!({ "line": before.matches('\n').count(), "character": line.encode_utf16().count() });
    json!({ "textDocument": { "uri": uri }, "position": place })
}

pub(crate) fn uri(root: &Path, path: &str) -> String {
    format!("file://{}", root.join(path).display())
}

fn read(out: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if out.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.trim().strip_prefix("Content-Length: ") {
            length = value.parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut bytes = vec![0; length];
    out.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
