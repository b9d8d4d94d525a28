//! Copies files of a task into an environment that begins empty, and results out of it.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use super::{Limits, get, put};
use crate::Environment;

/// The paths to copy into a new environment, and the paths to copy out of it before it ends.
///
/// Local paths are relative to `directory`, remote paths to the environment's directory. `.` means all files of the directory.
#[derive(Debug, Clone)]
pub struct Copies {
    directory: PathBuf,
    put: Vec<PathBuf>,
    get: Vec<PathBuf>,
    limits: Limits,
    notice: fn(&str),
}

impl Copies {
    /// Plans to copy the paths `put` of a directory of this machine into a new environment, and the paths `get` back when it ends. They are
    /// copied to a new folder in `directory`, so that no file is replaced. `notice` is called with a sentence about copied files, and about
    /// files that could not be copied.
    pub fn new(directory: impl Into<PathBuf>, put: Vec<PathBuf>, get: Vec<PathBuf>, notice: fn(&str)) -> Self {
        Self { directory: directory.into(), put, get, limits: Limits::default(), notice }
    }

    /// Copies into an environment.
    pub(crate) fn put(&self, environment: &dyn Environment) -> io::Result<()> {
        for path in &self.put {
            let mut paths = vec![path.clone()];
            if path == Path::new(".") {
                let entries = fs::read_dir(&self.directory)?.collect::<io::Result<Vec<_>>>()?;
                paths = entries.iter().map(|entry| entry.file_name().into()).collect();
            }
            for path in paths {
                let copied =
                    put(environment, &self.directory.join(&path), &environment.directory().join(&path), &self.limits);
                let copied = copied.map_err(|error| {
                    let text = format!("`{}` cannot be copied into the environment: {error}", path.display());
                    io::Error::new(error.kind(), text)
                })?;
                self.report_skipped(&path, &copied.skipped);
            }
        }
        Ok(())
    }

    /// Copies out of an environment.
    pub(crate) fn get(&self, environment: &dyn Environment) {
        if self.get.is_empty() {
            return;
        }
        let random = RandomState::new().build_hasher().finish();
        let results = self.directory.join(format!("from-{}-{random:016x}", environment.name()));
        let mut files = 0;
        for path in &self.get {
            let is_all = path == Path::new(".");
            let source = if is_all { environment.directory().to_owned() } else { environment.directory().join(path) };
            let target = if is_all { results.join("all") } else { results.join(path) };
            match get(environment, &source, &target, &self.limits) {
                Ok(copied) => {
                    files += copied.files;
                    self.report_skipped(path, &copied.skipped);
                }
                Err(error) => {
                    (self.notice)(&format!("`{}` was not copied out of the environment: {error}", path.display()));
                }
            }
        }
        if files > 0 {
            let are = if files == 1 { "file of the environment is" } else { "files of the environment are" };
            (self.notice)(&format!("{files} {are} in `{}`", results.display()));
        } else {
            // The folder contains at most empty folders.
            let _ = fs::remove_dir(&results);
        }
    }

    fn report_skipped(&self, path: &Path, skipped: &[PathBuf]) {
        if let Some(first) = skipped.first() {
            let first = path.join(first);
            (self.notice)(&format!(
                "{} not copied, such as `{}`: links that lead out, devices, pipes and sockets",
                if skipped.len() == 1 { "1 entry was".to_owned() } else { format!("{} entries were", skipped.len()) },
                first.display()
            ));
        }
    }
}
