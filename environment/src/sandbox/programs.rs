//! The installed programs with which a sandbox is made.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

/// The folders in which programs are searched. The variable `PATH` is ignored, because it can have folders to which a task can write.
pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The paths of the programs.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) bwrap: PathBuf,
    pub(super) nsenter: PathBuf,
    pub(super) setpriv: PathBuf,
    pub(super) prlimit: PathBuf,
}

impl Programs {
    /// Finds the programs.
    ///
    /// # Errors
    /// If programs are missing. The text names their packages.
    pub(super) fn find() -> io::Result<Self> {
        Self::find_in(PATH)
    }

    fn find_in(path: &str) -> io::Result<Self> {
        let mut missing = Vec::new();
        let mut find = |name: &'static str, package: &'static str| {
            let program = env::split_paths(path).map(|folder| folder.join(name)).find(|path| is_program(path));
            if program.is_none() {
                missing.push(format!("the program `{name}` (package `{package}`)"));
            }
            program.unwrap_or_default()
        };
        let programs = Self {
            bwrap: find("bwrap", "bubblewrap"),
            nsenter: find("nsenter", "util-linux"),
            setpriv: find("setpriv", "util-linux"),
            prlimit: find("prlimit", "util-linux"),
        };
        if missing.is_empty() {
            return Ok(programs);
        }
        let text = format!(
            "a sandbox needs {}: install the missing packages with the package manager of this system",
            missing.join(" and ")
        );
        Err(io::Error::new(io::ErrorKind::NotFound, text))
    }
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let error = Programs::find_in("/does/not/exist").expect_err("missing").to_string();
        assert!(
            error.contains(
                "the program `bwrap` (package `bubblewrap`) and the program `nsenter` (package `util-linux`)"
            )
        );
    }
}
