//! A program, and the limits on it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::environment::PassedVariables;

/// The default of [`Program::max_output`].
pub const MAX_OUTPUT: u32 = 4 << 20;

/// The default of the idle timeout.
pub const IDLE_TIMEOUT: Duration = Duration::from_mins(5);

/// A program that answers requests, and the limits on it.
#[derive(Debug)]
pub struct Program {
    /// How messages refer to the program.
    pub title: String,
    /// Requests to the same version share a process.
    pub version: u64,
    /// The folder of the program, which it sees even if the folder around it is hidden.
    pub root: PathBuf,
    /// The path of the program, or its name in `PATH`.
    pub executable: PathBuf,
    /// The words that follow the name of the program.
    pub arguments: Vec<OsString>,
    /// The environment variables that it gets.
    pub passed: PassedVariables,
    /// The maximum number of bytes that the program may write to each of its output streams in one call.
    pub max_output: usize,
    /// The idle timeout of a program that stays running between calls, or `None` if each call starts it.
    pub resident: Option<Duration>,
}

impl Program {
    /// Returns a number that no other program of this process has, for [`version`](Self::version).
    pub fn next_version() -> u64 {
        static VERSIONS: AtomicU64 = AtomicU64::new(0);
        VERSIONS.fetch_add(1, Ordering::Relaxed)
    }
}
