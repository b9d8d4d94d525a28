//! Runs a program to its end, with limits on its time and its output.
//!
//! The program leads a process group of its own, so that its children are killed with it. A child that has moved to another
//! process group is not killed. Output is read from pipes on threads, so that a process that keeps a pipe open blocks only a
//! thread.

mod group;
mod stream;

use std::io::{self, PipeReader, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

pub use stream::{Sink, Stream};

/// The interval at which the program's state is polled. Usually the end of its output is noticed first.
const POLL: Duration = Duration::from_millis(10);
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
    /// Whether a process that the program started still has the output open.
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
        group::make_leader(&mut command);
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

    /// Runs the program until it ends, `should_stop` returns true, or a sink refuses more output. In the latter two cases the process
    /// group gets SIGTERM, and SIGKILL a second later. `should_stop` is called about a hundred times per second. The program reads
    /// `input` from its standard input, which is empty if `input` is `None`.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn run(self, input: Option<Vec<u8>>, should_stop: impl Fn() -> bool) -> io::Result<Outcome> {
        let Self { mut command, readers, limit_exceeded } = self;
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
        let mut child = start(&mut command)?;
        // The command owns the write ends of the pipes. The readers get no end of file while these are open.
        drop(command);
        if let Some((mut writer, input)) = writer {
            // Writing fails if the program does not read its input, which is not an error.
            let write = move || drop(writer.write_all(&input));
            let started = thread::Builder::new().name("input of a process".to_owned()).spawn(write);
            if let Err(error) = started {
                group::kill(&mut child, &closed)?;
                return Err(error);
            }
        }
        let (status, reason) = wait(&mut child, &closed, &limit_exceeded, should_stop)?;
        let left_running = !is_closed(&closed, DRAIN);
        // The output that was still in the pipe may have exceeded the limit.
        let exceeded = limit_exceeded.load(Ordering::Relaxed) && reason == EndReason::Exited;
        let reason = if exceeded { EndReason::OutputLimit } else { reason };
        Ok(Outcome { status, reason, left_running })
    }
}

/// Starts the program. Retries while its file is busy: a child that another thread has just forked can hold the file open for
/// writing for a moment, even after this process has closed it.
fn start(command: &mut Command) -> io::Result<Child> {
    const ATTEMPTS: u32 = 50;
    for _ in 1..ATTEMPTS {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(POLL),
            started => return started,
        }
    }
    command.spawn()
}

/// Waits until the child ends. Ends it if `should_stop` returns true or a sink refuses more output.
fn wait(
    child: &mut Child,
    closed: &Receiver<()>,
    limit_exceeded: &AtomicBool,
    should_stop: impl Fn() -> bool,
) -> io::Result<(ExitStatus, EndReason)> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, EndReason::Exited));
        }
        if limit_exceeded.load(Ordering::Relaxed) {
            return Ok((group::kill(child, closed)?, EndReason::OutputLimit));
        }
        if should_stop() {
            return Ok((group::kill(child, closed)?, EndReason::Stopped));
        }
        if is_closed(closed, POLL) {
            // Receiving from a closed channel does not wait. The program is about to end, or runs on without output.
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Returns whether all output ends within `timeout`.
fn is_closed(closed: &Receiver<()>, timeout: Duration) -> bool {
    closed.recv_timeout(timeout) == Err(RecvTimeoutError::Disconnected)
}

/// Runs the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
