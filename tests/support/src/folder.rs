//! The folder for files that tests keep between runs.

use std::env;
use std::path::PathBuf;

/// Returns the folder that cargo names `CARGO_TARGET_TMPDIR`, also for tests that are not in a folder `tests`.
///
/// # Panics
/// If this program is not in a target folder.
pub fn target_folder() -> PathBuf {
    let program = env::current_exe().expect("this program has a path");
    let target = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    let folder = target.expect("cargo has built this program").join("tmp");
    std::fs::create_dir_all(&folder).expect("failed to make the folder for temporary files");
    folder
}
