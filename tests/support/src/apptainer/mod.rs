//! A program that stands for `apptainer`: it records how it is called, and runs programs on this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::folder::target_folder;

/// The folder of such a program, which has an image and the record.
pub struct Recorder(TempDir);

impl Recorder {
    /// Writes the program into a new folder.
    #[expect(clippy::new_without_default, reason = "it writes files")]
    pub fn new() -> Self {
        let folder = TempDir::new_in(target_folder()).expect("failed to make a folder");
        let program = folder.path().join("apptainer");
        fs::write(&program, include_str!("recorder.sh")).expect("failed to write");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("failed to change");
        fs::create_dir(folder.path().join("image")).expect("failed to make a folder");
        Self(folder)
    }

    /// Returns a file of the folder: `apptainer`, `image` or `log`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}
