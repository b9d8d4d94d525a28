//! The folder of a bundle: its files replace those of the previous bundle, and nothing else is touched.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use walkdir::WalkDir;

use super::{INDEX, MARK};
use crate::failure::Failure;
use crate::project::write_atomically;

/// Writes the files of a bundle, and removes those of the previous one.
///
/// # Errors
/// If the folder contains a file that export did not write: nothing is changed then.
pub(super) fn replace_bundle(dir: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let previous = exported_files(dir);
    let mut obsolete = Vec::new();
    for entry in WalkDir::new(dir).into_iter().filter_map(Result::ok).filter(|entry| !entry.file_type().is_dir()) {
        let path = entry.path().strip_prefix(dir).unwrap_or(entry.path());
        let name = path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        if name != INDEX && !previous.contains(&name) || previous.is_empty() {
            return Err(Failure::new(format!(
                "{} contains `{name}`, which export did not write: choose another folder, or empty this one",
                dir.display()
            )));
        }
        if !files.iter().any(|(path, _)| *path == name) {
            obsolete.push(entry.into_path());
        }
    }
    for path in obsolete {
        fs::remove_file(&path)
            .map_err(|error| Failure::new(format!("failed to remove {}: {error}", path.display())))?;
    }
    // The index is the last of the files, so a file that it lists exists.
    files.iter().try_for_each(|(path, text)| write_atomically(&dir.join(path), text))
}

/// Returns the files that the index in `dir` lists; none if `dir` has no index of an earlier export.
fn exported_files(dir: &Path) -> BTreeSet<String> {
    let index = fs::read_to_string(dir.join(INDEX)).unwrap_or_default();
    let index: Value = serde_json::from_str(&index).unwrap_or_default();
    let files = index["files"].as_array().filter(|_| index["$comment"] == MARK);
    files.into_iter().flatten().filter_map(|file| Some(file["path"].as_str()?.to_owned())).collect()
}
