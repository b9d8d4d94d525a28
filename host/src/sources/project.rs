//! Finds the project of a directory.

use std::path::{Path, PathBuf};

use toolc_config::{Home, PROJECT_FOLDER};

/// Returns the nearest folder that contains a folder `.toolc`: the directory, or a folder above it up to the root of the repository.
pub(crate) fn find_project(directory: &Path, home: &Home) -> Option<PathBuf> {
    let root = directory.ancestors().position(|folder| folder.join(".git").exists());
    let mut folders = directory.ancestors().take(root.unwrap_or_default() + 1);
    // The folder of the user's profiles has the same name, but is not the folder of a project.
    let is_project = |folder: &Path| folder.is_dir() && folder != home.all_profiles() && folder != home.path();
    folders.find(|folder| is_project(&folder.join(PROJECT_FOLDER))).map(Path::to_owned)
}
