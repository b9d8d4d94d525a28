//! A service that speaks the API of Daytona. Its sandboxes are this machine, behind a server of OpenSSH.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use crate::skip::Missing;
use crate::ssh::{Server, TOKEN};
use serde_json::{Value, json};

/// The key that the service accepts.
pub const KEY: &str = "dtn_secret_key";

/// A running service.
pub struct Service {
    gateway: Server,
    address: String,
    state: Arc<Mutex<ServiceState>>,
}

/// What the service knows.
#[derive(Debug, Default)]
pub struct ServiceState {
    /// The sandboxes, as the service describes them.
    pub sandboxes: Vec<Value>,
    /// The method, the address and the body of each request.
    pub requests: Vec<(String, String, Value)>,
    /// Answers to the next requests, instead of the right ones: a status and a body.
    pub faults: VecDeque<(u16, String)>,
    made: usize,
}

/// Returns the service of this process, or why there is none.
pub fn service() -> Result<&'static Service, Missing> {
    static SERVICE: OnceLock<Result<Service, Missing>> = OnceLock::new();
    SERVICE.get_or_init(Service::start).as_ref().map_err(Clone::clone)
}

impl Service {
    /// Starts a service.
    pub fn start() -> Result<Self, Missing> {
        let gateway = Server::start_open()?;
        let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
        let address = format!("http://{}/api", listener.local_addr().expect("it has an address"));
        let state = Arc::new(Mutex::new(ServiceState::default()));
        let (shared, port) = (Arc::clone(&state), gateway.port);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || answer(stream, &shared, port));
            }
        });
        Ok(Self { gateway, address, state })
    }

    /// Returns the file with the host key of the gateway.
    pub fn known_hosts(&self) -> std::path::PathBuf {
        self.gateway.file("known_hosts")
    }

    /// Returns the address of its API.
    pub fn url(&self) -> &str {
        &self.address
    }

    /// Returns what it knows.
    pub fn state(&self) -> MutexGuard<'_, ServiceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer(stream: TcpStream, state: &Mutex<ServiceState>, port: u16) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while let Ok(1..) = reader.read_line(&mut head) {
        if head.ends_with("\r\n\r\n") {
            break;
        }
    }
    let header = |name: &str| {
        let find = |line: &str| {
            let (own, value) = line.split_once(':')?;
            own.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        head.lines().find_map(find)
    };
    let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let mut words = head.split(' ');
    let (Some(method), Some(address)) = (words.next(), words.next()) else { return };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    state.requests.push((method.to_owned(), address.to_owned(), body.clone()));
    let (status, text) = if let Some(fault) = state.faults.pop_front() {
        fault
    } else if header("authorization").as_deref() != Some(&format!("Bearer {KEY}")) {
        (401, json!({ "message": "Unauthorized" }).to_string())
    } else {
        let (status, value) = state.answer(method, address, &body, port);
        (status, if value.is_null() { String::new() } else { value.to_string() })
    };
    drop(state);
    let mut stream = reader.into_inner();
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
}

impl ServiceState {
    fn answer(&mut self, method: &str, address: &str, body: &Value, port: u16) -> (u16, Value) {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let parts: Vec<&str> = path.trim_start_matches("/api/").split('/').collect();
        let is = |sandbox: &Value, name: &str| sandbox["id"] == name || sandbox["name"] == name;
        match (method, parts.as_slice()) {
            ("POST", ["sandbox"]) => {
                if self.sandboxes.iter().any(|sandbox| sandbox["name"] == body["name"]) {
                    return (409, json!({ "message": "the name is in use" }));
                }
                self.made += 1;
                let mut sandbox = body.clone();
                sandbox["id"] = format!("sandbox-{}", self.made).into();
                sandbox["state"] = "creating".into();
                self.sandboxes.push(sandbox.clone());
                (200, sandbox)
            }
            // One sandbox a page.
            ("GET", ["sandbox"]) => {
                let at: usize =
                    query.split('&').find_map(|pair| pair.strip_prefix("cursor=")?.parse().ok()).unwrap_or(0);
                let next = (at + 1 < self.sandboxes.len()).then(|| (at + 1).to_string());
                let items: Vec<&Value> = self.sandboxes.iter().skip(at).take(1).collect();
                (200, json!({ "items": items, "nextCursor": next }))
            }
            ("GET", ["sandbox", name]) => match self.sandboxes.iter_mut().find(|sandbox| is(sandbox, name)) {
                Some(sandbox) => {
                    let before = sandbox.clone();
                    sandbox["state"] = "started".into();
                    (200, before)
                }
                None => (404, json!({ "message": "not found" })),
            },
            ("POST", ["sandbox", name, "ssh-access"]) if self.sandboxes.iter().any(|sandbox| is(sandbox, name)) => {
                let command = format!("ssh -p {port} {TOKEN}@127.0.0.1");
                (200, json!({ "id": "1", "sandboxId": name, "token": TOKEN, "sshCommand": command }))
            }
            ("DELETE", ["sandbox", name]) => {
                let before = self.sandboxes.len();
                self.sandboxes.retain(|sandbox| !is(sandbox, name));
                if self.sandboxes.len() < before {
                    (200, Value::Null)
                } else {
                    (404, json!({ "message": "not found" }))
                }
            }
            _ => (404, json!({ "message": "no such address" })),
        }
    }
}
