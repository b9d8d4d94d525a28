//! Runs a program to its end, with limits on its time and its output.
//!
//! On Linux, no process that the program has started outlives this one: a guardian process ends those that are left. The README lists
//! which processes are ended on other systems. On Unix, the program runs in a session of its own, without a controlling terminal.
//! Output is read from pipes on threads, so that a process that keeps a pipe open blocks only a thread.

mod inside;
mod running;
mod spawn;
mod stream;
#[cfg_attr(not(unix), path = "tree/other.rs")]
mod tree;

use std::io::{self, PipeReader, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

pub use inside::is_inside_a_tool;
use running::Running;
pub use stream::{Sink, Stream};

/// The time limit for reading output that is still in a pipe when the program has ended.
const DRAIN: Duration = Duration::from_millis(250);

/// A program that has not started yet.
#[derive(Debug)]
pub struct Process {
    command: Command,
    /// The pipes to read, each with its sink.
    readers: Vec<Box<dyn Reader>>,
    limit_exceeded: Arc<AtomicBool>,
}

/// The outcome of a program that has ended.
#[derive(Debug)]
pub struct Outcome {
    /// The exit status.
    pub status: ExitStatus,
    /// The reason why the program ended.
    pub reason: EndReason,
    /// Whether a process that the program has started still has the output open.
    pub left_running: bool,
}

/// The reason why a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The program exited, or another process sent it a signal.
    Exited,
    /// The function `should_stop` that was passed to [`Process::run`] returned true.
    Stopped,
    /// A [`Sink`] refused more output.
    OutputLimit,
}

/// A pipe and its sink.
trait Reader: std::fmt::Debug + Send {
    fn read(self: Box<Self>, limit_exceeded: &AtomicBool);
}

#[derive(Debug)]
struct PipeToSink<S>(PipeReader, Stream<S>);

impl<S: Sink> Reader for PipeToSink<S> {
    fn read(self: Box<Self>, limit_exceeded: &AtomicBool) {
        stream::read(self.0, &self.1, limit_exceeded);
    }
}

impl Process {
    /// Prepares to run `command`. Its standard streams are null unless set by other methods of this type.
    pub fn new(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { command, readers: Vec::new(), limit_exceeded: Arc::default() }
    }

    /// Sends standard output and standard error to `sink` through one pipe, which keeps their order.
    ///
    /// # Errors
    /// If no pipe can be created.
    pub fn output<S: Sink>(&mut self, sink: S) -> io::Result<Stream<S>> {
        let (reader, writer) = io::pipe()?;
        self.command.stdout(writer.try_clone()?).stderr(writer);
        Ok(self.read(reader, sink))
    }

    /// Sends standard output to `sink`.
    ///
    /// # Errors
    /// If no pipe can be created.
    pub fn stdout<S: Sink>(&mut self, sink: S) -> io::Result<Stream<S>> {
        let (reader, writer) = io::pipe()?;
        self.command.stdout(writer);
        Ok(self.read(reader, sink))
    }

    /// Sends standard error to `sink`.
    ///
    /// # Errors
    /// If no pipe can be created.
    pub fn stderr<S: Sink>(&mut self, sink: S) -> io::Result<Stream<S>> {
        let (reader, writer) = io::pipe()?;
        self.command.stderr(writer);
        Ok(self.read(reader, sink))
    }

    fn read<S: Sink>(&mut self, reader: PipeReader, sink: S) -> Stream<S> {
        let stream = Stream::new(sink);
        self.readers.push(Box::new(PipeToSink(reader, stream.clone())));
        stream
    }

    /// Runs the program until it ends, `should_stop` returns true, or a sink refuses more output. In the latter two cases all
    /// processes that the program has started get SIGTERM, and those that are left a second later SIGKILL. `should_stop` is called
    /// about a hundred times per second. The program reads `input` from its standard input, which is empty if `input` is `None`.
    ///
    /// After the program has ended by itself, processes that it has left in the background run on until this process ends.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn run(self, input: Option<Vec<u8>>, should_stop: impl Fn() -> bool) -> io::Result<Outcome> {
        let Self { mut command, readers, limit_exceeded } = self;
        inside::mark(&mut command);
        let writer = match input {
            None => None,
            Some(input) => {
                let (reader, writer) = io::pipe()?;
                command.stdin(reader);
                Some((writer, input))
            }
        };
        let (open, closed) = mpsc::channel();
        for reader in readers {
            let (open, limit_exceeded) = (Sender::clone(&open), Arc::clone(&limit_exceeded));
            let read = move || {
                let _open = open;
                reader.read(&limit_exceeded);
            };
            thread::Builder::new().name("output of a process".to_owned()).spawn(read)?;
        }
        drop(open);
        let mut running = Running::start(&mut command, closed)?;
        // The command owns the write ends of the pipes. The readers get no end of file while these are open.
        drop(command);
        if let Some((mut writer, input)) = writer {
            // Writing fails if the program does not read its input, which is not an error.
            let write = move || drop(writer.write_all(&input));
            thread::Builder::new().name("input of a process".to_owned()).spawn(write)?;
        }
        let (status, reason) = running.wait(&limit_exceeded, should_stop)?;
        let left_running = !running.is_closed(DRAIN);
        // The output that was still in the pipe may have exceeded the limit.
        let exceeded = limit_exceeded.load(Ordering::Relaxed) && reason == EndReason::Exited;
        let reason = if exceeded { EndReason::OutputLimit } else { reason };
        Ok(Outcome { status, reason, left_running })
    }
}

/// Runs the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
