//! Sends messages as files, for environments in which a program cannot have a channel to the host.
//!
//! The interpreter creates the folder, which only its user can enter. Each message is a file that is renamed to its final name when it is
//! complete: the interpreter writes `out-1`, `out-2`, ..., and the host writes `in-1`, `in-2`, .... When the interpreter receives a
//! message, it removes the message before it, and those of its own messages that the host must have read. The host polls for the next
//! message only while a script runs, with increasing pauses.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolc_environment::files::{Expected, WriteOptions};
use toolc_environment::{Environment, Launch, Output, Program};

use crate::frames::{self, FromScript, MAX_MESSAGE};

/// The shortest pause between two polls for a message.
const MIN_PAUSE: Duration = Duration::from_millis(5);
/// The longest pause between two polls for a message.
const MAX_PAUSE: Duration = Duration::from_millis(500);
/// The time limit for the removal of the folder.
const REMOVAL_LIMIT: Duration = Duration::from_secs(10);

/// The folder with the messages of an interpreter. Dropping it removes the folder.
#[derive(Debug)]
pub(crate) struct Mailbox {
    environment: Arc<dyn Environment>,
    folder: PathBuf,
    state: Mutex<ConnectionState>,
    changed: Condvar,
}

#[derive(Debug)]
struct ConnectionState {
    received: u64,
    sent: u64,
    /// Whether a message of the interpreter is due: that it is ready, or a message of a running script.
    is_message_due: bool,
    is_closed: bool,
    /// Whether the interpreter has ended.
    has_ended: bool,
    /// Why a message could not be sent.
    failure: Option<String>,
    pause: Duration,
}

impl Mailbox {
    /// Returns a mailbox for a new interpreter, in the folder for temporary files of its environment.
    pub(crate) fn new(environment: &Arc<dyn Environment>) -> io::Result<Self> {
        let random = || RandomState::new().build_hasher().finish();
        let name = format!("toolc-script-{:016x}{:016x}", random(), random());
        let folder = environment.files().places()?.temporary.join(name);
        let state = ConnectionState {
            received: 0,
            sent: 0,
            is_message_due: true,
            is_closed: false,
            has_ended: false,
            failure: None,
            pause: MIN_PAUSE,
        };
        let (environment, state) = (Arc::clone(environment), Mutex::new(state));
        Ok(Self { environment, folder, state, changed: Condvar::new() })
    }

    /// Returns the path of the folder, which the interpreter creates.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Records that the interpreter has ended. Messages that it has sent are still read.
    pub(crate) fn end(&self) {
        self.change(|state| state.has_ended = true);
    }

    pub(crate) fn close(&self) {
        self.change(|state| state.is_closed = true);
    }

    pub(crate) fn write(&self, message: &[u8]) -> io::Result<()> {
        let number = {
            let mut state = self.state();
            state.sent += 1;
            state.sent
        };
        let options = WriteOptions { expected: Expected::Nothing, permissions: None };
        let written = self.environment.files().write(&self.folder.join(format!("in-{number}")), message, &options);
        self.change(|state| match &written {
            Ok(_) => (state.is_message_due, state.pause) = (true, MIN_PAUSE),
            Err(error) => state.failure = Some(format!("cannot be reached: {error}")),
        });
        written.map(drop)
    }

    pub(crate) fn read(&self) -> Result<Option<FromScript>, String> {
        loop {
            let mut state = self.state();
            while !state.is_message_due && !state.is_closed && !state.has_ended {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.is_closed {
                return Ok(None);
            }
            if let Some(failure) = state.failure.take() {
                return Err(failure);
            }
            // `has_ended` is read before the file, so that a last message is not missed.
            let (number, has_ended) = (state.received + 1, state.has_ended);
            drop(state);
            let path = self.folder.join(format!("out-{number}"));
            match self.environment.files().read(&path, 0, MAX_MESSAGE + 1) {
                Ok((message, _)) => return self.accept_message(&message).map(Some),
                Err(_) if has_ended => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.pause(),
                Err(_) if self.state().is_closed => return Ok(None),
                Err(error) => return Err(format!("has sent a message that cannot be read: {error}")),
            }
        }
    }

    fn accept_message(&self, message: &[u8]) -> Result<FromScript, String> {
        let message = frames::parse(message)?;
        self.change(|state| {
            state.received += 1;
            state.is_message_due = matches!(message, FromScript::Call { .. });
            state.pause = MIN_PAUSE;
        });
        Ok(message)
    }

    fn pause(&self) {
        let mut state = self.state();
        if state.is_closed || state.has_ended {
            return;
        }
        let pause = state.pause;
        state.pause = (pause * 2).min(MAX_PAUSE);
        drop(self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner));
    }

    fn change(&self, change: impl FnOnce(&mut ConnectionState)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        let arguments = ["-rf".into(), "--".into(), self.folder.clone().into()].to_vec();
        let launch = Launch::new(Program::Command("rm".into(), arguments), Output::None);
        if let Ok(running) = self.environment.start(launch) {
            let started = Instant::now();
            let _ = running.wait(&|| started.elapsed() >= REMOVAL_LIMIT);
        }
    }
}
