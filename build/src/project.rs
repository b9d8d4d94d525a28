//! The manifests of a project, compared with those of the last run of gen.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::digest::{FILE, digest, parse};

/// The folder of the manifests. A folder that contains it is a project.
pub(crate) const MANIFESTS: &str = "manifests";

/// The files next to the folder of the manifests.
const AT_ROOT: [&str; 2] = ["toolc.toml", "plugin.toml"];

/// The maximum depth of folders. Without it, a link to a parent folder would make the walk endless.
const MAX_DEPTH: usize = 32;
/// The maximum number of files and folders. It bounds the walk if links lead to parent folders.
const MAX_ENTRIES: usize = 100_000;
/// The maximum size of a manifest, the same as in gen.
const MAX_BYTES: u64 = 4 << 20;

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
    let mut found = Manifests::default();
    found.add_folder(&root.join(MANIFESTS), MANIFESTS, 0)?;
    for name in AT_ROOT.iter().filter(|name| root.join(name).exists()) {
        found.add_file(&root.join(name), (*name).to_owned())?;
    }
    // The folder can also be a crate.
    found.digests.remove("manifests/Cargo.toml");
    Ok(found.digests)
}

/// The manifests that were found.
#[derive(Debug, Default)]
struct Manifests {
    digests: BTreeMap<String, u64>,
    /// The number of files and folders.
    entries: usize,
}

impl Manifests {
    fn add_folder(&mut self, folder: &Path, name: &str, depth: usize) -> Result<(), ChangesError> {
        let too_many = |what: &str| {
            let text = format!("{}: {what}; a link may lead to a parent folder", folder.display());
            Err(ChangesError::Unreadable(text))
        };
        if depth > MAX_DEPTH {
            return too_many(&format!("the folders of manifests are nested more than {MAX_DEPTH} deep"));
        }
        for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return too_many(&format!("there are more than {MAX_ENTRIES} files and folders among the manifests"));
            }
            let path = entry.map_err(|error| unreadable(folder, &error))?.path();
            // gen does not read hidden files, nor files whose names are not UTF-8.
            let Some(file) = path.file_name().and_then(|file| file.to_str()).filter(|file| !file.starts_with('.'))
            else {
                continue;
            };
            let name = format!("{name}/{file}");
            if path.is_dir() {
                self.add_folder(&path, &name, depth + 1)?;
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                self.add_file(&path, name)?;
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path, name: String) -> Result<(), ChangesError> {
        let text = read(path).map_err(|error| unreadable(path, &error))?;
        self.digests.insert(name, digest(&text));
        Ok(())
    }
}

/// Reads a manifest. Only a file is opened, because a pipe would wait for a program that writes to it.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = Vec::new();
    fs::File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

fn unreadable(path: &Path, error: &io::Error) -> ChangesError {
    ChangesError::Unreadable(format!("failed to read {}: {error}", path.display()))
}
