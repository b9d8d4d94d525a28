//! The project of a directory.

use std::path::{Path, PathBuf};

use toolc_config::{Home, PROJECT_FOLDER};

/// Returns the folder with a folder `.toolc`: this one, or one above it up to that of the repository.
pub(crate) fn project_of(directory: &Path, home: &Home) -> Option<PathBuf> {
    let root = directory.ancestors().position(|folder| folder.join(".git").exists());
    let mut folders = directory.ancestors().take(root.unwrap_or_default() + 1);
    // The folder of the user's profiles is not that of a project.
    let is_project = |folder: &Path| folder.is_dir() && folder != home.all_profiles() && folder != home.path();
    folders.find(|folder| is_project(&folder.join(PROJECT_FOLDER))).map(Path::to_owned)
}
