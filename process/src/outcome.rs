//! How a program ended.

use std::process::ExitStatus;

/// The outcome of a program that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status.
    pub status: ExitStatus,
    /// The reason why the program ended.
    pub reason: EndReason,
    /// Whether a process that the program has started still had the output open when the program ended.
    pub left_running: bool,
}

/// The reason why a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The program exited, or another process sent it a signal.
    Exited,
    /// [`RunningProcess::end`](crate::RunningProcess::end) was called, or the function `should_stop` that was passed to
    /// [`Process::run`](crate::Process::run) returned true.
    Stopped,
    /// A [`Sink`](crate::Sink) refused more output.
    OutputLimit,
}
