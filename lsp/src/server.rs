//! The life of the server: it waits for messages of the client and for compiled graphs.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel};
use std::thread;
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::InitializeParams;
use serde_json::Value;

use crate::project::{Done, Job, Project};
use crate::requests;
use crate::state::{Client, Server};
use crate::text::Encoding;
use crate::transport::{self, Incoming};

/// The longest wait for a message.
const IDLE: Duration = Duration::from_hours(1);

/// Something that happens.
enum Event {
    Incoming(Incoming),
    Graph(Box<Done>),
}

/// Serves the client, and returns the exit status.
pub(crate) fn serve(root: Option<PathBuf>, dialect: Option<String>) -> u8 {
    let (events, received, out) = transport::start(Event::Incoming);
    let Some(client) = initialize(&received, &out) else { return 1 };
    let quick = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(quick) => quick,
        Err(error) => {
            eprintln!("error: failed to start a thread: {error}");
            return 2;
        }
    };
    let given_root = root.and_then(|root| root.canonicalize().ok());
    let jobs = compile_in_background(events);
    let (documents, projects) = (HashMap::new(), BTreeMap::new());
    let mut server = Server { client, dialect, given_root, documents, projects, out, jobs, quick };
    if client.watches {
        server.send(transport::watch_request(1));
    }
    server.run(&received)
}

/// Answers messages until the client has initialized the server. `None` if it ends before.
fn initialize(received: &Receiver<Event>, out: &Sender<Message>) -> Option<Client> {
    while let Ok(event) = received.recv() {
        match event {
            Event::Incoming(Incoming::Message(Message::Request(request))) if request.method == "initialize" => {
                let params = serde_json::from_value::<InitializeParams>(request.params).unwrap_or_default();
                let client = client(&params);
                let _ =
                    out.send(Message::Response(Response::new_ok(request.id, requests::initialized(client.encoding))));
                return Some(client);
            }
            Event::Incoming(Incoming::Message(Message::Request(request))) => {
                let why = "the first request must be `initialize`".to_owned();
                let answer = Response::new_err(request.id, ErrorCode::ServerNotInitialized as i32, why);
                let _ = out.send(Message::Response(answer));
            }
            Event::Incoming(Incoming::Message(Message::Notification(note))) if note.method == "exit" => return None,
            Event::Incoming(Incoming::Refused(answer)) => drop(out.send(answer)),
            Event::Incoming(Incoming::Closed) => return None,
            Event::Incoming(Incoming::Message(_)) | Event::Graph(_) => {}
        }
    }
    None
}

fn client(params: &InitializeParams) -> Client {
    let capabilities = &params.capabilities;
    let encodings = capabilities.general.as_ref().and_then(|general| general.position_encodings.as_ref());
    let knows_utf8 = encodings.is_some_and(|all| all.contains(&lsp_types::PositionEncodingKind::UTF8));
    let workspace = capabilities.workspace.as_ref();
    let edit = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
    let operations = edit.and_then(|edit| edit.resource_operations.as_ref());
    let watched = workspace.and_then(|workspace| workspace.did_change_watched_files);
    Client {
        encoding: if knows_utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
        renames_files: operations.is_some_and(|all| all.contains(&lsp_types::ResourceOperationKind::Rename)),
        watches: watched.is_some_and(|watched| watched.dynamic_registration == Some(true)),
    }
}

/// Starts the thread that compiles graphs, one after another.
fn compile_in_background(events: SyncSender<Event>) -> Sender<Job> {
    let (jobs, waiting) = channel::<Job>();
    thread::spawn(move || {
        for job in waiting {
            if events.send(Event::Graph(Box::new(job.run()))).is_err() {
                return;
            }
        }
    });
    jobs
}

impl Server {
    fn run(&mut self, received: &Receiver<Event>) -> u8 {
        let mut is_shut_down = false;
        loop {
            let now = Instant::now();
            for project in self.projects.values_mut() {
                if let Some(job) = project.job(now) {
                    let _ = self.jobs.send(job);
                }
            }
            let next = self.projects.values().filter_map(Project::next).min();
            let wait = next.map_or(IDLE, |next| next.saturating_duration_since(Instant::now()));
            match received.recv_timeout(wait) {
                Ok(Event::Graph(done)) => self.take(*done),
                Ok(Event::Incoming(Incoming::Message(Message::Request(request)))) if request.method == "shutdown" => {
                    is_shut_down = true;
                    self.send(Message::Response(Response::new_ok(request.id, Value::Null)));
                }
                Ok(Event::Incoming(Incoming::Message(Message::Request(request)))) if is_shut_down => {
                    let why = "the server is shut down".to_owned();
                    self.send(Message::Response(Response::new_err(request.id, ErrorCode::InvalidRequest as i32, why)));
                }
                Ok(Event::Incoming(Incoming::Message(Message::Request(request)))) => self.answer(request),
                Ok(Event::Incoming(Incoming::Message(Message::Notification(note)))) if note.method == "exit" => {
                    return u8::from(!is_shut_down);
                }
                Ok(Event::Incoming(Incoming::Message(Message::Notification(note)))) => self.note(note),
                Ok(Event::Incoming(Incoming::Refused(answer))) => self.send(answer),
                Ok(Event::Incoming(Incoming::Message(Message::Response(_)))) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Event::Incoming(Incoming::Closed)) | Err(RecvTimeoutError::Disconnected) => {
                    return u8::from(!is_shut_down);
                }
            }
        }
    }

    fn answer(&self, request: Request) {
        let id = request.id.clone();
        if let Some(answer) = requests::answer(self, request) {
            self.send(Message::Response(match answer {
                Ok(value) => Response::new_ok(id, value),
                Err((code, why)) => Response::new_err(id, code as i32, why),
            }));
        }
    }

    /// Handles a notification. One with wrong parameters is reported and ignored.
    fn note(&mut self, note: Notification) {
        let Notification { method, params } = note;
        let outcome = match method.as_str() {
            "textDocument/didOpen" => serde_json::from_value(params).map(|params| self.opened(params)),
            "textDocument/didChange" => serde_json::from_value(params).map(|params| self.changed(params)),
            "textDocument/didClose" => serde_json::from_value(params).map(|params| self.closed(&params)),
            "textDocument/didSave" => serde_json::from_value(params).map(|params| self.saved(&params)),
            "workspace/didChangeWatchedFiles" => serde_json::from_value(params).map(|params| self.watched(params)),
            _ => Ok(()),
        };
        if let Err(error) = outcome {
            self.log(&format!("the parameters of `{method}` are wrong: {error}"));
        }
    }
}
