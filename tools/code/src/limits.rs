//! The limits of scripts and interpreters.

use std::time::Duration;

/// The limits of scripts, and of the interpreters in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum duration of a script, including its calls: 300 seconds by default. The
    /// [time limit of the tool](toolc::behaviour::Behaviour::timeout) must be longer.
    pub time: Duration,
    /// The maximum number of calls of a script: 50 by default.
    pub calls: usize,
    /// The maximum number of bytes of standard output in a result: 50,000 by default.
    pub stdout: usize,
    /// The maximum number of bytes of standard error in a result: 10,000 by default.
    pub stderr: usize,
    /// The maximum number of interpreters of all tasks, including interpreters that are starting: 4 by default.
    pub interpreters: usize,
    /// The time after which an idle interpreter ends: 30 minutes by default.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_mins(5),
            calls: 50,
            stdout: 50_000,
            stderr: 10_000,
            interpreters: 4,
            idle: Duration::from_mins(30),
        }
    }
}
