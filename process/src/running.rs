//! A running program: its status, its input, and its end.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::input::{Input, MAX_WAITING};
use crate::outcome::{EndReason, Outcome};
use crate::size::TerminalSize;
use crate::stream::{OpenStream, OpenStreams, Reader};
use crate::terminal::Terminal;
use crate::tree::Tree;

/// The interval at which `should_stop` is called.
const POLL: Duration = Duration::from_millis(10);
/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);
/// How long a program that has ended can still get output, if another process could write some.
const DRAIN: Duration = Duration::from_millis(250);
/// The time limit for reading output that is still in a pipe then. A process that never stops printing reaches it.
const MAX_DRAIN: Duration = Duration::from_secs(2);

/// The function that is called when a program has ended.
pub(crate) type OnEnd = Box<dyn FnOnce(&Outcome) + Send>;

/// A program that runs in the background, with all processes that it starts. Several threads can use it.
///
/// Dropping this value [ends](Self::end) them, which takes up to a second, or longer if a process cannot be ended.
#[derive(Debug)]
#[must_use = "dropping it ends the program"]
pub struct RunningProcess {
    shared: Arc<Shared>,
    is_released: AtomicBool,
}

/// The processes that a program has left in the background: see [`RunningProcess::release`].
#[derive(Debug)]
#[must_use = "without it, the processes run on until this process ends"]
pub struct LeftRunning(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    tree: Tree,
    /// The id of the program.
    id: u32,
    /// Locked while the processes are ended.
    leader: Mutex<Leader>,
    streams: Arc<OpenStreams>,
    /// Whether a sink has refused more output.
    limit_exceeded: AtomicBool,
    input: Option<ProgramInput>,
    terminal: Option<Terminal>,
    outcome: OnceLock<Result<Outcome, String>>,
    /// Locked while threads are notified of the outcome.
    ended: Mutex<()>,
    changed: Condvar,
}

#[derive(Debug)]
struct Leader {
    child: Child,
    /// The status, or an error message, after the program has been reaped.
    status: Option<Result<ExitStatus, String>>,
    reason: EndReason,
}

/// The standard input of a program that takes more while it runs.
#[derive(Debug)]
struct ProgramInput {
    queue: Input,
    /// Whether a line has begun.
    in_line: AtomicBool,
}

/// The parts of a program that has just been started.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) child: Child,
    pub(crate) tree: Tree,
    pub(crate) readers: Vec<Box<dyn Reader>>,
    pub(crate) input: Option<Input>,
    pub(crate) terminal: Option<Terminal>,
}

impl RunningProcess {
    /// Starts the threads that read the output and wait for the end. If that fails, the program is ended.
    pub(crate) fn new(parts: Parts, on_end: Option<OnEnd>) -> io::Result<Self> {
        let Parts { child, tree, readers, input, terminal } = parts;
        let shared = Arc::new(Shared {
            tree,
            id: child.id(),
            leader: Mutex::new(Leader { child, status: None, reason: EndReason::Exited }),
            streams: Arc::default(),
            limit_exceeded: AtomicBool::new(false),
            input: input.map(|queue| ProgramInput { queue, in_line: AtomicBool::new(false) }),
            terminal,
            outcome: OnceLock::new(),
            ended: Mutex::new(()),
            changed: Condvar::new(),
        });
        let process = Self { shared, is_released: AtomicBool::new(false) };
        for reader in readers {
            let (shared, stream) = (Arc::downgrade(&process.shared), process.shared.streams.open(reader.source()));
            let thread = thread::Builder::new().name("output of a process".to_owned());
            thread.spawn(move || read(reader, stream, &shared))?;
        }
        let shared = Arc::clone(&process.shared);
        thread::Builder::new().name("end of a process".to_owned()).spawn(move || shared.watch(on_end))?;
        Ok(process)
    }

    /// Returns the id of the program. After the program has ended, another one can have the same id.
    pub fn id(&self) -> u32 {
        self.shared.id
    }

    /// Returns the outcome if the program has ended and its output has been read.
    ///
    /// # Errors
    /// If the status is unknown, because another part of this process has asked the system for it.
    pub fn outcome(&self) -> io::Result<Option<Outcome>> {
        self.shared.outcome.get().map(known).transpose()
    }

    /// Waits until the program ends, at most for `timeout`. Returns `None` if it still runs.
    ///
    /// # Errors
    /// Like [`outcome`](Self::outcome).
    pub fn wait_timeout(&self, timeout: Duration) -> io::Result<Option<Outcome>> {
        let started = Instant::now();
        self.wait_unless(|| started.elapsed() >= timeout)
    }

    /// Waits until the program ends. Returns `None` as soon as `should_stop` returns true, which is called about a hundred times per
    /// second; the program then runs on.
    ///
    /// # Errors
    /// Like [`outcome`](Self::outcome).
    pub fn wait_unless(&self, should_stop: impl Fn() -> bool) -> io::Result<Option<Outcome>> {
        loop {
            let ended = self.shared.ended.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(outcome) = self.shared.outcome.get() {
                return known(outcome).map(Some);
            }
            drop(self.shared.changed.wait_timeout(ended, POLL).unwrap_or_else(PoisonError::into_inner));
            if self.shared.outcome.get().is_none() && should_stop() {
                return Ok(None);
            }
        }
    }

    /// Ends all processes that the program has started, also if the program itself has ended: they get SIGTERM, and those that are
    /// left a second later SIGKILL. Waits until they have ended.
    ///
    /// # Errors
    /// Like [`outcome`](Self::outcome).
    pub fn end(&self) -> io::Result<Outcome> {
        self.shared.end(EndReason::Stopped)
    }

    /// Adds bytes to the program's standard input, all or none. Returns when the program can read them, or after a short time; the
    /// rest is written in the background.
    ///
    /// # Errors
    /// - `Unsupported` if the input was not [opened](crate::Process::input).
    /// - `WouldBlock` if the program does not read its input, so that more than a mebibyte would wait for it.
    /// - `BrokenPipe` or another error if the program has closed its input or has ended.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let input = self.shared.input()?;
        input.queue.write(bytes.to_vec(), MAX_WAITING)?;
        if let Some(last) = bytes.last() {
            // Ctrl-C, Ctrl-U, Ctrl-Z and Ctrl-\ clear a line.
            let ends_line = matches!(last, b'\n' | b'\r' | 0x03 | 0x15 | 0x1a | 0x1c);
            input.in_line.store(!ends_line, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Adds bytes to the program's standard input like [`write`](Self::write), but returns at once, and lets up to `max` bytes wait
    /// for the program.
    ///
    /// # Errors
    /// Like [`write`](Self::write), except that an error of the system is only returned by the next call.
    pub fn write_later(&self, bytes: Vec<u8>, max: usize) -> io::Result<()> {
        self.shared.input()?.queue.write_later(bytes, max)
    }

    /// Closes the program's standard input, after what has been written to it. On a terminal, types the end of input (Ctrl-D).
    ///
    /// # Errors
    /// Like [`write`](Self::write).
    pub fn close_input(&self) -> io::Result<()> {
        let input = self.shared.input()?;
        match &self.shared.terminal {
            None => input.queue.close(),
            Some(terminal) => {
                let end = terminal.end_of_input(input.in_line.swap(false, Ordering::Relaxed));
                input.queue.write(end, MAX_WAITING)?;
            }
        }
        Ok(())
    }

    /// Changes the size of the program's terminal.
    ///
    /// # Errors
    /// `Unsupported` if the program has no [terminal](crate::Process::terminal).
    pub fn resize(&self, size: TerminalSize) -> io::Result<()> {
        let no_terminal = || io::Error::new(io::ErrorKind::Unsupported, "the program has no terminal");
        self.shared.terminal.as_ref().ok_or_else(no_terminal)?.resize(size)
    }

    /// Lets all processes run on when this value is dropped: until this process ends, or until they are ended by the returned value.
    pub fn release(&self) -> LeftRunning {
        self.is_released.store(true, Ordering::Relaxed);
        LeftRunning(Arc::clone(&self.shared))
    }

    /// Writes bytes of any length to the program's standard input in the background, and closes it. A program that ends without
    /// reading them all is not an error.
    ///
    /// # Errors
    /// `Unsupported` if the input was not [opened](crate::Process::input).
    pub fn write_last(&self, bytes: Vec<u8>) -> io::Result<()> {
        let input = self.shared.input()?;
        let _ = input.queue.write_later(bytes, usize::MAX);
        self.close_input()
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        if !self.is_released.load(Ordering::Relaxed) {
            let _ = self.shared.end(EndReason::Stopped);
        }
    }
}

impl LeftRunning {
    /// Returns whether a process still runs. On systems other than Unix, only the program itself counts.
    pub fn is_running(&self) -> bool {
        self.0.outcome.get().is_none() || self.0.tree.has_left()
    }

    /// Ends all processes: see [`RunningProcess::end`].
    ///
    /// # Errors
    /// Like [`RunningProcess::outcome`].
    pub fn end(&self) -> io::Result<Outcome> {
        self.0.end(EndReason::Stopped)
    }
}

impl Shared {
    fn leader(&self) -> MutexGuard<'_, Leader> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn input(&self) -> io::Result<&ProgramInput> {
        let closed = || io::Error::new(io::ErrorKind::Unsupported, "the standard input of the program was not opened");
        self.input.as_ref().ok_or_else(closed)
    }

    /// Waits for the end of the program, so that it leaves no zombie, and calls `on_end`.
    fn watch(&self, on_end: Option<OnEnd>) {
        loop {
            self.tree.wait_for_exit();
            let mut leader = self.leader();
            if leader.status.is_some() {
                break;
            }
            let status = leader.child.try_wait();
            if let Some(status) = status.map_err(|error| error.to_string()).transpose() {
                leader.status = Some(status);
                self.tree.ended();
                break;
            }
            drop(leader);
            thread::sleep(POLL);
        }
        if let (Ok(outcome), Some(on_end)) = (self.finish(), on_end) {
            // A panic of the host's function has no one to report to, and only ends this thread.
            let _ = catch_unwind(AssertUnwindSafe(|| on_end(&outcome)));
        }
    }

    /// Ends all processes.
    fn end(&self, reason: EndReason) -> io::Result<Outcome> {
        let mut leader = self.leader();
        let is_closed = || self.streams.are_closed(Duration::ZERO);
        if leader.status.is_some() {
            self.tree.end_rest(is_closed, GRACE);
        } else {
            leader.reason = reason;
            let status = self.tree.end(&mut leader.child, is_closed, GRACE);
            leader.status = Some(status.map_err(|error| error.to_string()));
            self.tree.ended();
        }
        drop(leader);
        self.finish()
    }

    /// Reads the rest of the output, and publishes the outcome. The program has been reaped.
    fn finish(&self) -> io::Result<Outcome> {
        let outcome = self.outcome.get_or_init(|| {
            let left_running = !self.streams.drain(DRAIN, MAX_DRAIN);
            if let (Some(input), None) = (&self.input, &self.terminal) {
                input.queue.close();
            }
            let leader = self.leader();
            let status = leader.status.clone().unwrap_or_else(|| Err("the program has not ended".to_owned()))?;
            // The output that was still in the pipe may have exceeded the limit.
            let exceeded = self.limit_exceeded.load(Ordering::Relaxed) && leader.reason == EndReason::Exited;
            let reason = if exceeded { EndReason::OutputLimit } else { leader.reason };
            Ok(Outcome { status, reason, left_running })
        });
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.notify_all();
        drop(ended);
        known(outcome)
    }
}

fn known(outcome: &Result<Outcome, String>) -> io::Result<Outcome> {
    outcome.clone().map_err(io::Error::other)
}

/// Reads a stream to its end. Ends the program if the sink refuses more output.
fn read(reader: Box<dyn Reader>, stream: OpenStream, shared: &Weak<Shared>) {
    let refused = !reader.read();
    if refused && let Some(shared) = shared.upgrade() {
        shared.limit_exceeded.store(true, Ordering::Relaxed);
        drop(stream);
        if shared.leader().status.is_none() {
            let _ = shared.end(EndReason::OutputLimit);
        }
    }
}
