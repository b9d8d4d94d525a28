//! The manifests of a project, compared with those of the last run of gen.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::digest::{FILE, digest, parse};

/// The folder of the manifests. A folder that contains it is a project.
pub(crate) const MANIFESTS: &str = "manifests";

/// The files next to the folder of the manifests.
const AT_ROOT: [&str; 2] = ["toolc.toml", "plugin.toml"];

/// The maximum depth of folders. Without it, a link to a parent folder would make the walk endless.
const MAX_DEPTH: usize = 32;

/// A manifest that differs from the last run of gen. The path is relative to the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The manifest has another text.
    Changed(String),
    /// The manifest is new.
    Added(String),
    /// The manifest does not exist any more.
    Removed(String),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, path) = match self {
            Change::Changed(path) => ("changed", path),
            Change::Added(path) => ("added", path),
            Change::Removed(path) => ("removed", path),
        };
        write!(f, "{word}: {path}")
    }
}

/// Why the manifests cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangesError {
    /// gen has not written its digests: this file does not exist.
    Missing(PathBuf),
    /// A file or folder cannot be read, as the message says.
    Unreadable(String),
}

/// Returns the manifests of the project in the folder `root` that differ from the last run of gen, sorted by path.
///
/// # Errors
/// If gen has not run, or a manifest cannot be read.
pub fn changes(root: &Path) -> Result<Vec<Change>, ChangesError> {
    let generated = generated(root);
    let known = match fs::read_to_string(&generated) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ChangesError::Missing(generated)),
        Err(error) => return Err(unreadable(&generated, &error)),
    };
    let known = parse(&known);
    let found = manifests(root)?;
    let mut changes: BTreeMap<&str, Change> = BTreeMap::new();
    for (path, digest) in &found {
        match known.get(path.as_str()) {
            Some(known) if known == digest => {}
            Some(_) => drop(changes.insert(path, Change::Changed(path.clone()))),
            None => drop(changes.insert(path, Change::Added(path.clone()))),
        }
    }
    for path in known.into_keys().filter(|path| !found.contains_key(*path)) {
        changes.insert(path, Change::Removed(path.to_owned()));
    }
    Ok(changes.into_values().collect())
}

/// Returns the files and folders that Cargo must watch. It watches all files in a folder, also new ones. Files that do not exist
/// are left out, because Cargo would run the build script each time.
pub(crate) fn watched(root: &Path) -> Vec<PathBuf> {
    let files = AT_ROOT.map(|file| root.join(file));
    let files = [root.join(MANIFESTS), generated(root)].into_iter().chain(files);
    files.filter(|path| path.exists()).collect()
}

fn generated(root: &Path) -> PathBuf {
    root.join("generated").join(FILE)
}

/// Returns the digest of each manifest by its path: the files that gen reads.
fn manifests(root: &Path) -> Result<BTreeMap<String, u64>, ChangesError> {
    let mut files = BTreeMap::new();
    add_folder(&root.join(MANIFESTS), MANIFESTS, 0, &mut files)?;
    for name in AT_ROOT.iter().filter(|name| root.join(name).exists()) {
        add_file(&root.join(name), (*name).to_owned(), &mut files)?;
    }
    // The folder can also be a crate.
    files.remove("manifests/Cargo.toml");
    Ok(files)
}

fn add_folder(folder: &Path, name: &str, depth: usize, files: &mut BTreeMap<String, u64>) -> Result<(), ChangesError> {
    if depth > MAX_DEPTH {
        return Err(ChangesError::Unreadable(format!("{}: more than {MAX_DEPTH} folders deep", folder.display())));
    }
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        // gen does not read hidden files, nor files whose names are not UTF-8.
        let Some(file) = path.file_name().and_then(|file| file.to_str()).filter(|file| !file.starts_with('.')) else {
            continue;
        };
        let name = format!("{name}/{file}");
        if path.is_dir() {
            add_folder(&path, &name, depth + 1, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            add_file(&path, name, files)?;
        }
    }
    Ok(())
}

fn add_file(path: &Path, name: String, files: &mut BTreeMap<String, u64>) -> Result<(), ChangesError> {
    let text = fs::read(path).map_err(|error| unreadable(path, &error))?;
    files.insert(name, digest(&text));
    Ok(())
}

fn unreadable(path: &Path, error: &io::Error) -> ChangesError {
    ChangesError::Unreadable(format!("failed to read {}: {error}", path.display()))
}
