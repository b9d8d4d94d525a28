//! The life of the server: messages of the client, the state of documents and projects, and what is published.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel};
use std::thread;
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, InitializeParams, PublishDiagnosticsParams, Url,
};
use rayon::ThreadPool;
use serde_json::{Value, json};
use toolc_codegen::source::Source;

use crate::document::Document;
use crate::findings::{Found, address};
use crate::project::{Done, Job, Project, path_in, root_of};
use crate::requests;
use crate::text::Encoding;
use crate::transport::{self, Incoming};

/// The maximum number of documents and of projects that are open. Further ones are ignored.
const MAX_DOCUMENTS: usize = 1_000;
const MAX_PROJECTS: usize = 32;

/// The longest wait for a message.
const IDLE: Duration = Duration::from_hours(1);

/// Something that happens.
enum Event {
    Incoming(Incoming),
    Graph(Box<Done>),
}

/// What the client can do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    /// Whether an edit can rename files.
    pub(crate) renames_files: bool,
    /// Whether it watches files for the server.
    watches: bool,
}

/// The server after `initialize`.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) dialect: Option<String>,
    /// The folder that the command line names, which is the project of all files in it.
    given_root: Option<PathBuf>,
    pub(crate) documents: HashMap<Url, Document>,
    pub(crate) projects: BTreeMap<PathBuf, Project>,
    pub(crate) out: Sender<Message>,
    jobs: Sender<Job>,
    /// For the findings of one file, so that they need not wait for the threads that compile a graph.
    quick: ThreadPool,
}

/// A file of a project.
pub(crate) struct File<'s> {
    pub(crate) project: &'s Project,
    pub(crate) source: &'s Source,
}

/// Returns the address of a file as the server writes it. Clients escape different letters.
fn key(uri: &Url) -> Url {
    uri.to_file_path().ok().and_then(|file| Url::from_file_path(file).ok()).unwrap_or_else(|| uri.clone())
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
    pub(crate) fn send(&self, message: Message) {
        let _ = self.out.send(message);
    }

    fn log(&self, text: &str) {
        let params = json!({ "type": 2, "message": text });
        self.send(Message::Notification(Notification::new("window/logMessage".to_owned(), params)));
    }

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

    fn opened(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        if self.documents.len() >= MAX_DOCUMENTS {
            return self.log(&format!("at most {MAX_DOCUMENTS} documents are open at a time"));
        }
        match Document::new(document.uri.clone(), document.version, &document.text) {
            Some(new) => {
                self.documents.insert(key(&document.uri), new);
                self.edited(&document.uri);
            }
            None => self.log(&format!("{} is too large for a manifest", document.uri)),
        }
    }

    fn changed(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        let encoding = self.client.encoding;
        let Some(document) = self.documents.get_mut(&key(&uri)) else { return };
        if document.change(params.text_document.version, params.content_changes, encoding) {
            self.edited(&uri);
        } else {
            self.log(&format!("{uri} is too large for a manifest"));
            self.close(&uri);
        }
    }

    fn closed(&mut self, params: &DidCloseTextDocumentParams) {
        self.close(&params.text_document.uri);
    }

    fn close(&mut self, uri: &Url) {
        self.documents.remove(&key(uri));
        if let Some((root, path)) = self.place(uri)
            && let Some(project) = self.projects.get_mut(&root)
        {
            project.set_closed(&path);
        }
    }

    fn saved(&mut self, params: &DidSaveTextDocumentParams) {
        // Without watched files, saving is the only sign that other files may have changed.
        if !self.client.watches
            && let Some((root, _)) = self.place(&params.text_document.uri)
            && let Some(project) = self.projects.get_mut(&root)
        {
            project.scan();
        }
    }

    fn watched(&mut self, params: DidChangeWatchedFilesParams) {
        let mut paths: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for change in params.changes {
            let Ok(file) = change.uri.to_file_path() else { continue };
            for root in self.projects.keys().filter(|root| file.starts_with(root)) {
                let path = path_in(root, &file).unwrap_or_default();
                paths.entry(root.clone()).or_default().push(path);
            }
        }
        for (root, paths) in paths {
            let Some(project) = self.projects.get_mut(&root) else { continue };
            // A folder was renamed or removed.
            if paths.iter().any(String::is_empty) { project.scan() } else { project.read_again(&paths) }
        }
    }

    /// Returns the project folder of a file, and its path in it.
    fn place(&self, uri: &Url) -> Option<(PathBuf, String)> {
        let file = uri.to_file_path().ok()?;
        let given = self.given_root.as_deref().filter(|root| path_in(root, &file).is_some());
        let root: &Path = given.or_else(|| root_of(&file))?;
        Some((root.to_owned(), path_in(root, &file)?))
    }

    /// Returns the file at an address, if it is a manifest of a project.
    pub(crate) fn file(&self, uri: &Url) -> Option<File<'_>> {
        let (root, path) = self.place(uri)?;
        let project = self.projects.get(&root)?;
        Some(File { project, source: project.source(&path)? })
    }

    /// Takes the new text of a document, and publishes the findings of its file.
    fn edited(&mut self, uri: &Url) {
        let Some((root, path)) = self.place(uri) else { return };
        if !self.projects.contains_key(&root) {
            if self.projects.len() >= MAX_PROJECTS {
                return self.log(&format!("at most {MAX_PROJECTS} projects are open at a time"));
            }
            match Project::open(root.clone()) {
                Ok(project) => drop(self.projects.insert(root.clone(), project)),
                Err(error) => return self.log(&error.to_string()),
            }
        }
        let (Some(project), Some(document)) = (self.projects.get_mut(&root), self.documents.get(&key(uri))) else {
            return;
        };
        project.set_open(&path, &document.text);
        let found = self.quick.install(|| project.own_findings(&path, self.client.encoding));
        self.publish(&root, &path, found);
    }

    /// Takes a compiled graph, and publishes its findings if nothing was changed in the meantime.
    fn take(&mut self, done: Done) {
        let root = done.root.clone();
        let Some(project) = self.projects.get_mut(&root) else { return };
        let Some(mut files) = project.take(done, self.client.encoding) else { return };
        let gone: Vec<String> = project.shown.keys().filter(|path| !files.contains_key(*path)).cloned().collect();
        files.extend(gone.into_iter().map(|path| (path, Vec::new())));
        for (path, found) in files {
            self.publish(&root, &path, found);
        }
    }

    /// Publishes the findings of a file, unless the client shows these already.
    fn publish(&mut self, root: &Path, path: &str, found: Vec<Found>) {
        let (Some(uri), Some(project)) = (address(root, path), self.projects.get_mut(root)) else { return };
        let document = self.documents.get(&uri);
        let (uri, version) = document.map_or((uri, None), |document| (document.uri.clone(), Some(document.version)));
        let diagnostics: Vec<_> = found.iter().map(|found| found.shown.clone()).collect();
        let before = project.shown.get(path).into_iter().flatten().map(|found| &found.shown);
        if version.is_none() && before.eq(diagnostics.iter()) {
            return;
        }
        if found.is_empty() {
            project.shown.remove(path);
        } else {
            project.shown.insert(path.to_owned(), found);
        }
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(Message::Notification(Notification::new("textDocument/publishDiagnostics".to_owned(), params)));
    }
}
