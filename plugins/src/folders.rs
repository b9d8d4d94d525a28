//! Finds the folders of plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::report::{FileProblem, Finding, Level, PluginReport, PluginState};
use crate::trust;

/// A subfolder of a folder of plugins.
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
}

/// The subfolders of all folders of plugins.
#[derive(Default)]
pub(crate) struct Candidates {
    /// The folders to load, in order.
    pub(crate) accepted: Vec<Candidate>,
    /// Reports about the folders that are not loaded.
    pub(crate) rejected: Vec<PluginReport>,
}

/// Finds the subfolders of all folders. If two have the same name, the first is accepted.
pub(crate) fn find(folders: &[PathBuf], except: &BTreeSet<String>) -> Candidates {
    let mut candidates = Candidates::default();
    let mut taken: BTreeMap<String, PathBuf> = BTreeMap::new();
    for folder in folders {
        let mut reject = |name: &str, folder: PathBuf, state, finding| {
            candidates.rejected.push(PluginReport {
                name: name.to_owned(),
                folder,
                state,
                description: String::new(),
                tools: Vec::new(),
                hooks: Vec::new(),
                ignored_aliases: Vec::new(),
                findings: vec![finding],
            });
        };
        let roots = match checked_subfolders(folder) {
            Ok(roots) => roots,
            Err(problem) => {
                reject("", folder.clone(), PluginState::Broken, problem.into());
                continue;
            }
        };
        for root in roots {
            let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if except.contains(&name) {
                continue;
            }
            // An untrusted folder must not shadow a plugin of the same name, so check this first.
            if let Err(problem) = trust::check_within(folder, &root) {
                reject(&name, root, PluginState::Broken, problem.into());
            } else if let Some(first) = taken.get(&name) {
                let message = format!("{} is loaded instead", first.display());
                reject(&name, root.clone(), PluginState::Shadowed, Finding::new(Level::Note, root, message, ""));
            } else {
                taken.insert(name.clone(), root.clone());
                candidates.accepted.push(Candidate { name, root });
            }
        }
    }
    candidates
}

/// Returns the [subfolders] of a folder, if no other user can write to it.
fn checked_subfolders(folder: &Path) -> Result<Vec<PathBuf>, FileProblem> {
    if folder.exists() {
        trust::check(folder)?;
    }
    subfolders(folder)
}

/// Returns the subfolders of a folder, sorted by name. Omits hidden ones, which belong to other programs such as git.
pub(crate) fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, FileProblem> {
    let failed = |error: std::io::Error| {
        FileProblem::new(folder, format!("failed to read the folder: {error}"), "name a folder that can be read")
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut roots = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        // Dangling links are included, so that they are reported.
        if !is_hidden && !path.is_file() {
            roots.push(path);
        }
    }
    roots.sort();
    Ok(roots)
}
