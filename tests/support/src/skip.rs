//! Tests that do not run on this machine, or not completely.

use std::env;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::thread;

/// The environment variable with the file to which skipped tests are appended. `cargo xtask test` sets it, and counts them.
pub const SKIPS: &str = "TOOLC_TEST_SKIPS";

/// The remedy for a sandbox that cannot be made.
pub const SANDBOX: &str = "the Debian package `bubblewrap`, and a kernel that lets this user make namespaces";

/// A line of that file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// What this machine lacks.
    pub reason: String,
    /// What makes the test run.
    pub remedy: String,
    /// The test program.
    pub program: String,
    /// The test, with its modules.
    pub test: String,
}

/// Records that the current test, or a part of it, does not run: the reason, such as "`bwrap` is missing", and what makes it run. The test
/// then counts as skipped, not as passed.
///
/// Without `cargo xtask test`, this is printed.
pub fn skip(reason: impl Display, remedy: impl Display) {
    let program = env::current_exe().unwrap_or_default();
    let program = program.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let skipped = Skipped {
        reason: last_line(&reason.to_string()),
        remedy: last_line(&remedy.to_string()),
        // Cargo adds a hash.
        program: program.rsplit_once('-').map_or(program, |(name, _)| name).to_owned(),
        test: thread::current().name().unwrap_or_default().to_owned(),
    };
    if let Some(file) = env::var_os(SKIPS) {
        skipped.append(Path::new(&file)).expect("failed to record a skipped test");
    } else {
        let Skipped { reason, remedy, test, .. } = skipped;
        // The test harness would capture `eprintln!`.
        let _ = writeln!(io::stderr(), "skipped: {test}: {reason} (to run it: {remedy})");
    }
}

/// What this machine lacks, and what makes the tests run that need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What it lacks, such as "`bwrap` is missing".
    pub reason: String,
    /// What to do, such as "the Debian package `bubblewrap`".
    pub remedy: String,
}

impl Missing {
    /// Returns a reason and a remedy.
    pub fn new(reason: impl Display, remedy: impl Display) -> Self {
        Self { reason: reason.to_string(), remedy: remedy.to_string() }
    }

    /// Skips the current test: see [`skip`].
    pub fn skip(&self) {
        skip(&self.reason, &self.remedy);
    }
}

/// Messages of package managers end with the reason. A tab separates fields.
fn last_line(text: &str) -> String {
    text.trim().lines().last().unwrap_or_default().replace('\t', " ")
}

impl Skipped {
    fn append(&self, file: &Path) -> io::Result<()> {
        let Self { reason, remedy, program, test } = self;
        // One write, so that lines of several processes do not mix.
        let line = format!("{reason}\t{remedy}\t{program}\t{test}\n");
        OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
    }

    /// Reads a line of the file.
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t').map(str::to_owned);
        let mut next = || fields.next();
        Some(Self { reason: next()?, remedy: next()?, program: next()?, test: next()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skipped_test_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let file = folder.path().join("skips");
        let skipped = |reason: &str| Skipped {
            reason: last_line(reason),
            remedy: "install it".to_owned(),
            program: "it".to_owned(),
            test: "a::b".to_owned(),
        };
        for reason in ["npm: no network\n\nfailed\tthen\n", "`sshd` is missing"] {
            skipped(reason).append(&file).expect("failed to write");
        }
        let text = std::fs::read_to_string(file).expect("failed to read");
        let read: Vec<_> = text.lines().map(Skipped::parse).collect();
        assert_eq!(read, [Some(skipped("failed then")), Some(skipped("`sshd` is missing"))]);
    }
}
