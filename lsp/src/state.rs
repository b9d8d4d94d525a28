//! The state of the server: documents, projects, and what is published about them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

use lsp_server::{Message, Notification};
use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, PublishDiagnosticsParams, Url,
};
use rayon::ThreadPool;
use serde_json::json;
use toolc_codegen::source::Source;

use crate::document::Document;
use crate::findings::{Found, address};
use crate::project::{Done, Job, Project, path_in, root_of};
use crate::text::Encoding;

/// The maximum number of documents and of projects that are open. Further ones are ignored.
const MAX_DOCUMENTS: usize = 1_000;
const MAX_PROJECTS: usize = 32;

/// What the client can do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    /// Whether an edit can rename files.
    pub(crate) renames_files: bool,
    /// Whether it watches files for the server.
    pub(crate) watches: bool,
}

/// The server after `initialize`.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) dialect: Option<String>,
    /// The folder that the command line names, which is the project of all files in it.
    pub(crate) given_root: Option<PathBuf>,
    pub(crate) documents: HashMap<Url, Document>,
    pub(crate) projects: BTreeMap<PathBuf, Project>,
    pub(crate) out: Sender<Message>,
    pub(crate) jobs: Sender<Job>,
    /// For the findings of one file, so that they need not wait for the threads that compile a graph.
    pub(crate) quick: ThreadPool,
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

impl Server {
    pub(crate) fn send(&self, message: Message) {
        let _ = self.out.send(message);
    }

    pub(crate) fn log(&self, text: &str) {
        let params = json!({ "type": 2, "message": text });
        self.send(Message::Notification(Notification::new("window/logMessage".to_owned(), params)));
    }

    pub(crate) fn opened(&mut self, params: DidOpenTextDocumentParams) {
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

    pub(crate) fn changed(&mut self, params: DidChangeTextDocumentParams) {
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

    pub(crate) fn closed(&mut self, params: &DidCloseTextDocumentParams) {
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

    pub(crate) fn saved(&mut self, params: &DidSaveTextDocumentParams) {
        // Without watched files, saving is the only sign that other files may have changed.
        if !self.client.watches
            && let Some((root, _)) = self.place(&params.text_document.uri)
            && let Some(project) = self.projects.get_mut(&root)
        {
            project.scan();
        }
    }

    pub(crate) fn watched(&mut self, params: DidChangeWatchedFilesParams) {
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
    pub(crate) fn take(&mut self, done: Done) {
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
