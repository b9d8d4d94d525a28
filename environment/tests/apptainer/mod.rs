//! A program that stands for `apptainer`: it records how it is called, and runs programs on this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tempfile::TempDir;
use toolc_environment::ApptainerKind;

/// The folder of such a program, which has an image and the record.
pub(crate) struct Recorder(TempDir);

impl Recorder {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("failed to make a folder");
        let program = folder.path().join("apptainer");
        fs::write(&program, include_str!("recorder.sh")).expect("failed to write");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("failed to change");
        fs::create_dir(folder.path().join("image")).expect("failed to make a folder");
        Self(folder)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn kind(&self) -> ApptainerKind {
        ApptainerKind::new(self.file("image")).program(self.file("apptainer"))
    }
}
