//! Running a program to its end, which comes at the latest a moment after nobody waits for it any more, whatever it does.
//!
//! The program leads a process group of its own, so that its children can be killed with it; a child that made itself a
//! group of its own escapes. Output arrives through pipes and is read on threads, so that a process that keeps a pipe open
//! keeps only a thread.

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

/// How often to look whether the program ended. Mostly the end of its output tells first.
const LOOK: Duration = Duration::from_millis(10);
/// For output that is still in a pipe when the program has ended.
const DRAIN: Duration = Duration::from_millis(250);

/// A program that is about to run.
#[derive(Debug)]
pub struct Process {
    command: Command,
    /// Pipes that are to be read, each with what is to be done with it.
    readers: Vec<Box<dyn Reader>>,
    flooded: Arc<AtomicBool>,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// What it said when it ended.
    pub status: ExitStatus,
    /// Why it ended.
    pub why: Why,
    /// Something that it started still holds its output.
    pub left_running: bool,
}

/// Why a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// By itself.
    Itself,
    /// Nobody waited any longer.
    Stopped,
    /// A [`Sink`] took no more of its output.
    Flooded,
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
    /// Runs `command`, with nothing on its standard streams that is not asked for.
    pub fn new(mut command: Command) -> Self {
        group::lead(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { command, readers: Vec::new(), flooded: Arc::default() }
    }

    /// Takes in its standard output and standard error through one pipe, so that they stay in order.
    ///
    /// # Errors
    /// When there can be no further pipe.
    pub fn output<S: Sink>(&mut self, sink: S) -> io::Result<Stream<S>> {
        let (reader, writer) = io::pipe()?;
        self.command.stdout(writer.try_clone()?).stderr(writer);
        Ok(self.read(reader, sink))
    }

    /// Takes in its standard output.
    ///
    /// # Errors
    /// When there can be no further pipe.
    pub fn stdout<S: Sink>(&mut self, sink: S) -> io::Result<Stream<S>> {
        let (reader, writer) = io::pipe()?;
        self.command.stdout(writer);
        Ok(self.read(reader, sink))
    }

    /// Takes in its standard error.
    ///
    /// # Errors
    /// When there can be no further pipe.
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

    /// Runs it to its end, or until `is_over`, which is asked about a hundred times in a second. It reads `input`; none:
    /// it finds its standard input at its end.
    ///
    /// # Errors
    /// When it cannot be started.
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
        // It holds our ends for writing, and with them open there is no end of file.
        drop(command);
        if let Some((mut writer, input)) = writer {
            // A program need not read what it is told, and ends all the same.
            let write = move || drop(writer.write_all(&input));
            let started = thread::Builder::new().name("input of a process".to_owned()).spawn(write);
            if let Err(error) = started {
                group::kill(&mut child, &closed)?;
                return Err(error);
            }
        }
        let (status, why) = wait(&mut child, &closed, &flooded, is_over)?;
        let left_running = !is_closed(&closed, DRAIN);
        // What was still in the pipe may have been too much.
        let why = if flooded.load(Ordering::Relaxed) && why == Why::Itself { Why::Flooded } else { why };
        Ok(Ended { status, why, left_running })
    }
}

/// Starts it, also where its file is just being written: by another thread's child, for a moment, even if that file was
/// closed here before.
fn start(command: &mut Command) -> io::Result<Child> {
    const TIMES: u32 = 50;
    for _ in 1..TIMES {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(LOOK),
            started => return started,
        }
    }
    command.spawn()
}

/// Waits for the child, and ends it where nobody waits any longer.
fn wait(
    child: &mut Child,
    closed: &Receiver<()>,
    flooded: &AtomicBool,
    is_over: impl Fn() -> bool,
) -> io::Result<(ExitStatus, Why)> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, Why::Itself));
        }
        if flooded.load(Ordering::Relaxed) {
            return Ok((group::kill(child, closed)?, Why::Flooded));
        }
        if is_over() {
            return Ok((group::kill(child, closed)?, Why::Stopped));
        }
        if is_closed(closed, LOOK) {
            // From here on the channel does not wait. The program is about to end, or works on silently.
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Whether all output came to its end, now or within `time`.
fn is_closed(closed: &Receiver<()>, time: Duration) -> bool {
    closed.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
}
