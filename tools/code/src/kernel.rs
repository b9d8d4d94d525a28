//! An interpreter: a Python process that runs one script after the other, and keeps their state.

use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

use toolc::{ErrorKind, ToolError};
use toolc_environment::files::FileIdentity;
use toolc_environment::{Environment, Exit, Input, Launch, OnEnd, Output, Program, Running, Sees};

use crate::connection::{Connection, Mailbox};
use crate::frames::{FromScript, ToScript};
use crate::limits::Limits;
use crate::output::CapturedStream;

/// The Python program.
const PYTHON: &str = "python3";
/// The source of the interpreter. Its process ends when the host closes the connection.
const INTERPRETER: &str = include_str!("interpreter.py");
/// The oldest supported version of Python.
const MIN_VERSION: (u32, u32) = (3, 8);
/// How long an interpreter may take to start.
const START_LIMIT: Duration = Duration::from_mins(1);
/// How long to wait for the end of the output of a script, or for the exit of the process.
const DRAIN: Duration = Duration::from_secs(2);
/// The maximum length of the path of a directory that is known, in bytes: the limit of Linux.
const MAX_DIRECTORY: usize = 4096;
/// The number of messages that are read ahead.
const READ_AHEAD: usize = 2;

/// Changes of the variables of an environment.
pub(crate) type Variables = Vec<(OsString, Option<OsString>)>;

/// An event of the connection to an interpreter.
#[derive(Debug)]
pub(crate) enum Event {
    Message(FromScript),
    /// The interpreter has violated the protocol, or cannot be reached. The text says which.
    Broken(String),
    /// The interpreter has closed the connection.
    Closed,
}

/// A Python process. Dropping it ends the process with all processes that it has started.
#[derive(Debug)]
pub(crate) struct Kernel {
    // The first field, so that the process has ended before the permit is released.
    running: Box<dyn Running>,
    connection: Connection,
    outgoing: Sender<Vec<u8>>,
    // In a lock, because a receiver is not `Sync`. Only the call that runs a script uses it.
    events: Mutex<Receiver<Event>>,
    waker: SharedWaker,
    stdout: CapturedStream,
    stderr: CapturedStream,
    is_confined: bool,
    /// Whether it sees what its environment hides from others.
    sees_hidden: bool,
    /// Where the next script runs. `None` if that is not known, and in a sandbox, where no script is judged.
    directory: Option<PathBuf>,
    /// The number of the last script.
    last_run: u64,
    has_earlier_output: bool,
    /// The source of the module that was last sent to the interpreter.
    module: String,
}

/// The waker of the thread that waits for messages.
type SharedWaker = Arc<Mutex<Option<Waker>>>;

/// The output of a script.
#[derive(Debug, Default)]
pub(crate) struct ScriptOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Kernel {
    /// Starts an interpreter in this directory, or else in the directory of the environment, and waits until it is ready.
    pub(crate) fn start(
        environment: &Arc<dyn Environment>,
        directory: Option<(PathBuf, Option<FileIdentity>)>,
        sees_hidden: bool,
        variables: Variables,
        limits: &Limits,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, ToolError> {
        let (stdout, stderr) = (CapturedStream::new(limits.stdout), CapturedStream::new(limits.stderr));
        let failed = |error: io::Error| {
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            let kind = if is_missing { ErrorKind::NotFound } else { ErrorKind::Failed };
            ToolError::with_kind(kind, format!("failed to start `{PYTHON}`: {error}; nothing was run"))
        };
        let mut arguments: Vec<OsString> = ["-u", "-I", "-X", "utf8", "-c", INTERPRETER].map(Into::into).to_vec();
        let mailbox = (!environment.abilities().channel).then(|| Mailbox::new(environment)).transpose();
        let mailbox = mailbox.map_err(failed)?.map(Arc::new);
        arguments.extend(mailbox.as_ref().map(|mailbox| mailbox.folder().into()));
        let output = Output::Apart { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()) };
        let mut launch = Launch::new(Program::Command(PYTHON.into(), arguments), output);
        launch.variables = variables;
        launch.sees = if sees_hidden { Sees::Everything } else { Sees::Nothing };
        let (directory, identity) = directory.unzip();
        launch.directory.clone_from(&directory);
        launch.identity = identity.flatten();
        if let Some(mailbox) = mailbox.clone() {
            launch.on_end = Some(OnEnd(Box::new(move |_| mailbox.end())));
        } else {
            launch.input = Input::Channel;
        }
        let running = environment.start(launch).map_err(failed)?;
        let connection = match mailbox {
            Some(mailbox) => Connection::Files(mailbox),
            None => Connection::Channel(running.channel().map_err(failed)?),
        };
        let waker = SharedWaker::default();
        let events = read_events(&connection, &waker).map_err(failed)?;
        let outgoing = write_messages(&connection).map_err(failed)?;
        let events = Mutex::new(events);
        let is_confined = environment.promises().isolated;
        let module = String::new();
        let mut kernel = Self {
            running,
            connection,
            outgoing,
            events,
            waker,
            stdout,
            stderr,
            is_confined,
            sees_hidden,
            directory,
            last_run: 0,
            has_earlier_output: false,
            module,
        };
        kernel.wait_until_ready(is_cancelled)?;
        Ok(kernel)
    }

    fn wait_until_ready(&mut self, is_cancelled: &dyn Fn() -> bool) -> Result<(), ToolError> {
        const POLL: Duration = Duration::from_millis(20);
        let deadline = Instant::now() + START_LIMIT;
        let text = loop {
            let events = self.events.get_mut().unwrap_or_else(PoisonError::into_inner);
            match events.recv_timeout(POLL) {
                Ok(Event::Message(FromScript::Ready { version })) if version >= MIN_VERSION => return Ok(()),
                Ok(Event::Message(FromScript::Ready { version: (major, minor) })) => {
                    let (min_major, min_minor) = MIN_VERSION;
                    break format!(
                        "`{PYTHON}` is Python {major}.{minor}, and scripts need {min_major}.{min_minor} or later"
                    );
                }
                Ok(Event::Message(_)) => break "the interpreter has sent an unexpected message".to_owned(),
                Ok(Event::Broken(text)) => break format!("the interpreter {text}"),
                Ok(Event::Closed) => {
                    let errors = self.stderr.end(DRAIN);
                    let last = errors.trim().lines().last().unwrap_or_default().to_owned();
                    break format!("the interpreter has ended{}{last}", if last.is_empty() { "" } else { ": " });
                }
                Err(_) if is_cancelled() => {
                    let text = "the call was cancelled while the interpreter started: nothing was run";
                    return Err(ToolError::with_kind(ErrorKind::Cancelled, text));
                }
                Err(_) if Instant::now() >= deadline => {
                    break format!("the interpreter was not ready within {START_LIMIT:?}");
                }
                Err(_) => {}
            }
        };
        Err(ToolError::new(format!("failed to start the interpreter: {text}; nothing was run")))
    }

    /// Starts a script with the tools of `module`. `waker` is woken when an event arrives. Returns the number of the script.
    pub(crate) fn run(&mut self, code: &str, module: &str, waker: Waker) -> io::Result<u64> {
        self.last_run += 1;
        let random = RandomState::new().build_hasher().finish();
        let mark = format!("\n<end of script {} {random:016x}>\n", self.last_run);
        let earlier = [self.stdout.begin(&mark), self.stderr.begin(&mark)];
        self.has_earlier_output = earlier.contains(&true);
        *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker);
        let is_new = self.module != module;
        let directory = self.directory.as_deref().and_then(Path::to_str);
        let module_source = is_new.then_some(module);
        let message = ToScript::Run { run: self.last_run, code, mark: &mark, module: module_source, directory };
        self.send(&message)?;
        module.clone_into(&mut self.module);
        Ok(self.last_run)
    }

    /// Sends a message, without waiting for the interpreter to read it.
    pub(crate) fn send(&self, message: &ToScript<'_>) -> io::Result<()> {
        // If the thread has ended, the connection is closed, which `event` reports.
        let _ = self.outgoing.send(serde_json::to_vec(message)?);
        Ok(())
    }

    /// Returns the next event, or `None` if no event has arrived yet.
    pub(crate) fn event(&mut self) -> Option<Event> {
        match self.events.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv() {
            Ok(event) => Some(event),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Event::Closed),
        }
    }

    /// Returns where the next script runs, if it is judged and that is known.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Sets where the interpreter is after a script, as it has said itself. If that is false, the next script does not run.
    pub(crate) fn set_directory(&mut self, directory: Option<String>) {
        let is_path = |directory: &PathBuf| directory.is_absolute() && directory.as_os_str().len() <= MAX_DIRECTORY;
        self.directory = directory.map(PathBuf::from).filter(|directory| !self.is_confined && is_path(directory));
    }

    /// Returns the output of the script that has ended.
    pub(crate) fn output(&self) -> ScriptOutput {
        ScriptOutput { stdout: self.stdout.end(DRAIN), stderr: self.stderr.end(DRAIN) }
    }

    /// Returns whether the output of the last script begins with output that was printed after the end of the previous script.
    pub(crate) fn has_earlier_output(&self) -> bool {
        self.has_earlier_output
    }

    /// Ends the process. Returns the output of the script that was running.
    pub(crate) fn end(self) -> ScriptOutput {
        self.connection.close();
        let _ = self.running.end();
        // The streams have already been read to their end, as far as possible.
        ScriptOutput { stdout: self.stdout.end(Duration::ZERO), stderr: self.stderr.end(Duration::ZERO) }
    }

    /// Describes how the process has ended. Returns `None` if the process still runs.
    pub(crate) fn exit(&self) -> Option<String> {
        let started = Instant::now();
        let outcome = self.running.wait(&|| started.elapsed() >= DRAIN).ok()??;
        Some(match outcome.exit {
            Exit::Code(code) => format!("exit code {code}"),
            Exit::Signal(number) => format!("signal {number}"),
        })
    }

    /// Returns whether a sandbox confines what scripts can do.
    pub(crate) fn is_confined(&self) -> bool {
        self.is_confined
    }

    /// Returns whether scripts see what their environment hides from others.
    pub(crate) fn sees_hidden(&self) -> bool {
        self.sees_hidden
    }

    /// Returns whether the process has ended.
    pub(crate) fn has_ended(&self) -> bool {
        !matches!(self.running.outcome(), Ok(None))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // Ends the threads. The process ends by itself, or when `running` is dropped.
        self.connection.close();
    }
}

/// Reads the messages of an interpreter on a thread, until the connection ends or a message is invalid.
fn read_events(connection: &Connection, waker: &SharedWaker) -> io::Result<Receiver<Event>> {
    let (mut connection, waker) = (connection.try_clone()?, Arc::clone(waker));
    let (sender, events): (SyncSender<Event>, _) = sync_channel(READ_AHEAD);
    thread::Builder::new().name("messages of a script".to_owned()).spawn(move || {
        loop {
            let event = match connection.read() {
                Ok(Some(message)) => Event::Message(message),
                Ok(None) => Event::Closed,
                Err(text) => Event::Broken(text),
            };
            let is_last = !matches!(event, Event::Message(_));
            if sender.send(event).is_err() {
                return;
            }
            if let Some(waker) = &*waker.lock().unwrap_or_else(PoisonError::into_inner) {
                waker.wake_by_ref();
            }
            if is_last {
                return;
            }
        }
    })?;
    Ok(events)
}

/// Writes messages on a thread, so that an interpreter that does not read does not block the call.
fn write_messages(connection: &Connection) -> io::Result<Sender<Vec<u8>>> {
    let mut connection = connection.try_clone()?;
    let (sender, messages) = channel::<Vec<u8>>();
    thread::Builder::new().name("messages to a script".to_owned()).spawn(move || {
        while let Ok(message) = messages.recv() {
            if connection.write(&message).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}
