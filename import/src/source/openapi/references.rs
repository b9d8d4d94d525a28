//! `$ref`s of a document: to places in it, and to files next to it. No address is followed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::source::{document, yaml};

/// The maximum number of files.
const MAX_FILES: usize = 200;
/// The maximum number of `$ref`s that lead to each other.
const MAX_STEPS: usize = 32;

/// A document, with its path relative to the folder of the first one.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) path: PathBuf,
    pub(super) value: Arc<Value>,
}

impl std::ops::Deref for Document {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

/// The documents that belong together.
#[derive(Debug)]
pub(super) struct Documents {
    folder: PathBuf,
    root: Document,
    others: RefCell<BTreeMap<PathBuf, Document>>,
}

impl Documents {
    pub(super) fn new(document: Value, path: &Path) -> Self {
        let name = path.file_name().map(PathBuf::from).unwrap_or_default();
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Self { folder, root: Document { path: name, value: Arc::new(document) }, others: RefCell::default() }
    }

    pub(super) fn root(&self) -> Document {
        self.root.clone()
    }

    /// Follows the `$ref` of a value, and those to which it leads. Returns the last document and the value in it.
    pub(super) fn resolve(&self, at: &Document, value: &Value) -> Result<(Document, Value), String> {
        let (mut at, mut value) = (at.clone(), value.clone());
        for _ in 0..MAX_STEPS {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Ok((at, value)) };
            (at, value) = self.target(&at, reference).map(|(document, _, value)| (document, value))?;
        }
        Err("has `$ref`s that lead to each other".to_owned())
    }

    /// Returns the target of a `$ref`: its document, its place there, and the value.
    pub(super) fn target(&self, at: &Document, reference: &str) -> Result<(Document, String, Value), String> {
        let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let document = if file.is_empty() { at.clone() } else { self.file(at, file)? };
        let pointer = percent_decoded(pointer);
        let value = document.pointer(&pointer).cloned();
        let value = value.ok_or_else(|| format!("refers to `{reference}`, which does not exist"))?;
        Ok((document, pointer, value))
    }

    /// Returns a place of a document that was read.
    pub(super) fn at(&self, path: &Path, pointer: &str) -> Result<(Document, Value), String> {
        let others = self.others.borrow();
        let document = if path == self.root.path { Some(&self.root) } else { others.get(path) };
        let found = document.and_then(|document| Some((document.clone(), document.pointer(pointer)?.clone())));
        found.ok_or_else(|| format!("refers to `{pointer}`, which does not exist"))
    }

    /// Returns the file to which a `$ref` leads.
    fn file(&self, at: &Document, file: &str) -> Result<Document, String> {
        if file.contains("://") || file.starts_with("//") {
            return Err(format!(
                "refers to the address `{file}`: only files are read, so save it next to the document"
            ));
        }
        let folder = at.path.parent().unwrap_or(Path::new(""));
        let path = normalized(&folder.join(percent_decoded(file)))
            .ok_or_else(|| format!("refers to `{file}`, which is outside of the folder of the document"))?;
        if path == self.root.path {
            return Ok(self.root.clone());
        }
        if let Some(known) = self.others.borrow().get(&path) {
            return Ok(known.clone());
        }
        if self.others.borrow().len() >= MAX_FILES {
            return Err(format!("refers to more than {MAX_FILES} files"));
        }
        let full = self.folder.join(&path);
        // A link could lead out of the folder.
        let folder = self.folder.canonicalize().or_else(|_| Path::new(".").canonicalize());
        let is_inside = full.canonicalize().ok().zip(folder.ok()).is_none_or(|(full, folder)| full.starts_with(folder));
        if !is_inside {
            return Err(format!("refers to `{file}`, which is outside of the folder of the document"));
        }
        let value = read(&full)?;
        let document = Document { path: path.clone(), value: Arc::new(value) };
        self.others.borrow_mut().insert(path, document.clone());
        Ok(document)
    }
}

/// Reads a file in JSON or YAML.
fn read(path: &Path) -> Result<Value, String> {
    let text = document::text(path).map_err(|failure| failure.to_string())?;
    match serde_json::from_str(&text) {
        Ok(value) => Ok(value),
        Err(_) => yaml::parse(&text).map_err(|why| format!("failed to read {}: {why}", path.display())),
    }
}

/// Returns a relative path without `.` and `..`, or `None` if it leaves its folder.
fn normalized(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::ParentDir if out.pop() => {}
            _ => return None,
        }
    }
    Some(out)
}

/// Returns a text without the escapes of a URI.
fn percent_decoded(text: &str) -> String {
    crate::schema::percent_decoded(text)
}
