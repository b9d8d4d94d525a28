//! Shared connections. Sessions of the same connection need no key exchange and no authentication.
//!
//! A connection is a process `ssh` on this machine, with a socket in a private folder. Servers limit the number of sessions of a connection,
//! so a new connection is made when all connections are full. If the server allows fewer sessions than expected, or if a connection is lost
//! before a session is opened, `ssh` itself makes a separate connection for the session.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolc_process::{Process, RunningProcess};

use super::line::{line, path_value};
use super::refusal;
use super::target::{SSH, Target, variables};
use crate::HostKeys;
use crate::remote::{Client, END, Place, Remote, Streams, Text};
use crate::{OnEnd, Program};

/// The time limit for a connection.
const LIMIT: Duration = Duration::from_secs(30);
/// The number of sessions of a connection. Servers allow 10 by default, and may still count a session that has just ended.
const MAX_SESSIONS: usize = 8;
/// The maximum length of a socket's path: macOS allows 103 bytes, and `ssh` first adds 17 to the name.
const MAX_PATH: usize = 103 - 17;
/// A script that ends the programs of a host that was killed.
const GUARD: &str = include_str!("guard.sh");

/// The connections of an environment.
#[derive(Debug)]
pub(super) struct Connections {
    target: Target,
    /// The prefix of the tokens of the environment's programs.
    prefix: String,
    /// How long programs continue to run without a connection.
    grace: Duration,
    /// The folder of the sockets.
    folder: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    connections: Vec<Connection>,
    /// The number of connections so far. The name of a socket is the number of its connection.
    connection_count: usize,
    guard: Option<Guard>,
}

#[derive(Debug)]
struct Connection {
    process: RunningProcess,
    socket: PathBuf,
    /// A counter of sessions: each session holds a clone.
    sessions: Arc<()>,
}

/// A process on the other machine that ends the programs when this host has ended.
#[derive(Debug)]
struct Guard {
    process: RunningProcess,
    id: u32,
    _session: Arc<()>,
}

impl Connections {
    /// Makes the first connection.
    ///
    /// # Errors
    /// If the connection cannot be made. The text says why, and what to do.
    pub(super) fn new(target: Target, prefix: String, grace: Duration, folder: PathBuf) -> io::Result<Self> {
        if target.host_keys == HostKeys::AcceptNew
            && let Some(parent) = target.known_hosts.parent()
        {
            fs::create_dir_all(parent)?;
        }
        let connections = Self { target, prefix, grace, folder, open: Mutex::default() };
        connections.session()?;
        Ok(connections)
    }

    /// Returns the socket of a connection, and a session, which ends when it is dropped. Makes a new connection if all connections are full.
    fn session(&self) -> io::Result<(PathBuf, Arc<()>)> {
        let mut open = self.open();
        open.connections.retain(Connection::is_open);
        let (socket, session) = open.session(self)?;
        if open.guard.as_ref().is_none_or(|guard| !matches!(guard.process.outcome(), Ok(None))) {
            let previous = open.guard.take().map(|guard| guard.id);
            open.guard = Some(self.guard(previous, &socket, Arc::clone(&session))?);
        }
        Ok((socket, session))
    }

    /// Starts a guard. It replaces the guard with the process id `previous`, if that still runs.
    fn guard(&self, previous: Option<u32>, socket: &Path, session: Arc<()>) -> io::Result<Guard> {
        let words = ["sh", "-c", GUARD, "toolc", &self.prefix].map(OsString::from).into_iter().chain([
            previous.map_or_else(OsString::new, |id| id.to_string().into()),
            self.grace.as_secs().to_string().into(),
            END.into(),
        ]);
        let arguments = self.arguments(socket, &["-T"], Some(line(&words.collect::<Vec<_>>())?))?;
        let ready = |output: &Text| output.line_after(b"ready ").and_then(|id| id.parse().ok());
        let (process, id) = self.start(&arguments, true, ready)?;
        Ok(Guard { process, id, _session: session })
    }

    fn connect(&self, number: usize) -> io::Result<Connection> {
        let socket = self.folder.join(number.to_string());
        if socket.as_os_str().len() > MAX_PATH {
            let text = format!(
                "the path of the socket `{}` is too long: set the variable TMPDIR to a folder with a shorter path",
                socket.display()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let arguments = self.arguments(&socket, &["-M", "-N", "-T"], None)?;
        let (process, ()) = self.start(&arguments, false, |_| socket.exists().then_some(()))?;
        Ok(Connection { process, socket, sessions: Arc::default() })
    }

    /// Returns the arguments of `ssh`.
    fn arguments(&self, socket: &Path, options: &[&str], line: Option<OsString>) -> io::Result<Vec<OsString>> {
        let mut arguments = self.target.options("ERROR")?;
        arguments.extend(["-o".into(), path_value("ControlPath", socket.as_os_str())?]);
        arguments.extend(options.iter().map(OsString::from));
        arguments.extend(["--".into(), OsString::from(&self.target.host)]);
        arguments.extend(line);
        Ok(arguments)
    }

    /// Starts `ssh`, and waits until `ready` returns a value for its output.
    fn start<T>(
        &self,
        arguments: &[OsString],
        has_input: bool,
        ready: impl Fn(&Text) -> Option<T>,
    ) -> io::Result<(RunningProcess, T)> {
        let mut command = Command::new(SSH);
        command.args(arguments).env_clear().envs(variables()).current_dir("/");
        let mut process = Process::new(command);
        let (output, errors) = (Text::default(), Text::default());
        let _ = (process.stdout(output.clone())?, process.stderr(errors.clone())?);
        if has_input {
            process.input()?;
        }
        let process = process.start().map_err(|error| cannot_start(&error))?;
        let started = Instant::now();
        process.wait_unless(|| ready(&output).is_some() || started.elapsed() > LIMIT)?;
        if let Some(value) = ready(&output) {
            return Ok((process, value));
        }
        let has_ended = process.outcome()?.is_some();
        drop(process);
        let message = String::from_utf8_lossy(&errors.take()).trim().to_owned();
        let message = if has_ended { message } else { format!("{message}\nthe connection timed out after {LIMIT:?}") };
        Err(refusal::error(&self.target, message.trim()))
    }

    /// Closes all connections. Their sessions end.
    fn close(&self) {
        let mut open = self.open();
        if let Some(guard) = open.guard.take() {
            /// The time limit for the end of the guard, which has no more programs to end.
            const LIMIT: Duration = Duration::from_secs(5);
            if guard.process.write(b"end\n").is_ok() {
                let _ = guard.process.wait_timeout(LIMIT);
            }
        }
        open.connections.clear();
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn session(&mut self, connections: &Connections) -> io::Result<(PathBuf, Arc<()>)> {
        let has_capacity = |connection: &&Connection| Arc::strong_count(&connection.sessions) <= MAX_SESSIONS;
        if let Some(connection) = self.connections.iter().find(has_capacity) {
            return Ok((connection.socket.clone(), Arc::clone(&connection.sessions)));
        }
        self.connection_count += 1;
        let connection = connections.connect(self.connection_count)?;
        let session = (connection.socket.clone(), Arc::clone(&connection.sessions));
        self.connections.push(connection);
        Ok(session)
    }
}

impl Connection {
    fn is_open(&self) -> bool {
        matches!(self.process.outcome(), Ok(None))
    }
}

impl Place for Connections {
    fn client(&self, words: Vec<OsString>, streams: Streams) -> io::Result<Client> {
        let line = line(&words)?;
        let (socket, session) = self.session()?;
        let terminal = if streams.terminal { "-tt" } else { "-T" };
        let arguments = self.arguments(&socket, &[terminal], Some(line))?;
        let on_end = OnEnd(Box::new(move |_| drop(session)));
        Ok(Client { program: Program::Command(SSH.into(), arguments), on_end: Some(on_end) })
    }

    fn end(&self, remote: &Remote) {
        // If the machine cannot be reached, the guard on that machine ends the programs.
        let _ = remote.end_all();
        self.close();
    }
}

/// Returns the error if `ssh` itself cannot be started.
fn cannot_start(error: &io::Error) -> io::Error {
    let text = if error.kind() == io::ErrorKind::NotFound {
        format!(
            "the program `{SSH}` is missing: install the client of OpenSSH (on Debian: `apt install openssh-client`)"
        )
    } else {
        format!("the program `{SSH}` cannot be started: {error}")
    };
    io::Error::new(error.kind(), text)
}
