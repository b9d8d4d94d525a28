//! Runs a program to its end, with limits on its time and its output.
//!
//! The program leads a process group of its own, so that its children are killed with it. A child that has moved to another
//! process group is not. Output is read from pipes on threads, so that a process that keeps a pipe open blocks only a
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
    flooded: Arc<AtomicBool>,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit status.
    pub status: ExitStatus,
    /// What ended the program.
    pub reason: EndReason,
    /// Whether a process that the program started still holds its output open.
    pub left_running: bool,
}

/// What ended a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The program itself, or a signal from elsewhere.
    Exited,
    /// The function `is_over`, passed to [`Process::run`], returned true.
    Stopped,
    /// A [`Sink`] refused further output.
    OutputLimit,
}

/// A pipe and its sink.
trait Reader: std::fmt::Debug + Send {
    fn read(self: Box<Self>, flooded: &AtomicBool);
}

#[derive(Debug)]
struct Piped<S>(PipeReader, Stream<S>);

impl<S: Sink> Reader for Piped<S> {
    fn read(self: Box<Self>, flooded: &AtomicBool) {
        stream::read(self.0, &self.1, flooded);
    }
}

impl Process {
    /// Prepares to run `command`. Its standard streams are null unless another method of this type says otherwise.
    pub fn new(mut command: Command) -> Self {
        group::lead(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { command, readers: Vec::new(), flooded: Arc::default() }
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
        self.readers.push(Box::new(Piped(reader, stream.clone())));
        stream
    }

    /// Runs the program until it ends or `is_over` returns true, which is called about a hundred times per second. The program
    /// reads `input` from its standard input, which is empty if `input` is `None`.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn run(self, input: Option<Vec<u8>>, is_over: impl Fn() -> bool) -> io::Result<Ended> {
        let Self { mut command, readers, flooded } = self;
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
            let (open, flooded) = (Sender::clone(&open), Arc::clone(&flooded));
            let read = move || {
                let _open = open;
                reader.read(&flooded);
            };
            thread::Builder::new().name("output of a process".to_owned()).spawn(read)?;
        }
        drop(open);
        let mut child = start(&mut command)?;
        // It owns the write ends of the pipes; while they are open, the readers get no end of file.
        drop(command);
        if let Some((mut writer, input)) = writer {
            // Writing fails if the program does not read its input: that is not an error.
            let write = move || drop(writer.write_all(&input));
            let started = thread::Builder::new().name("input of a process".to_owned()).spawn(write);
            if let Err(error) = started {
                group::kill(&mut child, &closed)?;
                return Err(error);
            }
        }
        let (status, reason) = wait(&mut child, &closed, &flooded, is_over)?;
        let left_running = !is_closed(&closed, DRAIN);
        // The output that was still in the pipe may have exceeded the limit.
        let is_flooded = flooded.load(Ordering::Relaxed) && reason == EndReason::Exited;
        let reason = if is_flooded { EndReason::OutputLimit } else { reason };
        Ok(Ended { status, reason, left_running })
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

/// Waits until the child ends, or ends it if it is over or printed too much.
fn wait(
    child: &mut Child,
    closed: &Receiver<()>,
    flooded: &AtomicBool,
    is_over: impl Fn() -> bool,
) -> io::Result<(ExitStatus, EndReason)> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, EndReason::Exited));
        }
        if flooded.load(Ordering::Relaxed) {
            return Ok((group::kill(child, closed)?, EndReason::OutputLimit));
        }
        if is_over() {
            return Ok((group::kill(child, closed)?, EndReason::Stopped));
        }
        if is_closed(closed, POLL) {
            // A closed channel no longer waits. The program is about to end, or goes on without output.
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Returns whether all output ends within `time`.
fn is_closed(closed: &Receiver<()>, time: Duration) -> bool {
    closed.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
}

/// The README's example is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
