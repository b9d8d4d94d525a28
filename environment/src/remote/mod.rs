//! Runs programs in any place that has a POSIX shell and can be reached by a local command, such as `docker exec`. This command is the
//! client.
//!
//! The client runs the script `run.sh`, which starts the program and writes reports about its start and end between the program's output
//! ([`frames`]). The exit code of the client cannot be used, because the client can itself fail. The report also shows that the program has
//! ended if its children keep the streams open. Killing the client does not kill the program; `end.sh` does.

mod environment;
mod frames;
mod running;
mod words;

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use toolc_process::{Sink, TerminalSize};

use crate::local::TERM;
use crate::{DirectoryChanged, Environment as _, Exit, Input, Launch, Local, OnEnd, Output, Program, Running};
pub(crate) use environment::{Place, RemoteEnvironment};
use frames::{Reports, Start};
use running::{RemoteProgram, Shared};
pub(crate) use words::as_text;

/// A script that starts a program, and reports its start and end.
const RUN: &str = include_str!("run.sh");
/// A script that ends programs.
pub(crate) const END: &str = include_str!("end.sh");
/// A script that sets the size of the terminal of the session $1.
const RESIZE: &str = r#"stty rows "$2" cols "$3" < "/proc/$1/fd/0""#;
/// The time limit for the start of a program.
const START_LIMIT: Duration = Duration::from_mins(1);
/// The time limit of `end.sh`. It takes up to 40 s to kill programs that ignore signals, if `sleep` does not support fractions of a second.
const END_LIMIT: Duration = Duration::from_mins(1);
/// The maximum number of identifiers (tokens and sessions) of a command that ends programs.
const MAX_IDS: usize = 256;
/// The maximum length of a short output.
const MAX_TEXT: usize = 1 << 20;

/// A local command that runs a program in another place.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) program: Program,
    /// The function to call when the command has ended.
    pub(crate) on_end: Option<OnEnd>,
}

/// The streams that a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Streams {
    /// Whether the program has an input.
    pub(crate) input: bool,
    /// Whether the program runs on a terminal.
    pub(crate) terminal: bool,
}

/// Runs programs in a place.
#[derive(Debug)]
pub(crate) struct Remote(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    place: Box<dyn Place>,
    /// Runs the clients.
    local: Local,
    /// The prefix of the tokens of all programs.
    prefix: String,
    has_started: AtomicBool,
    is_closed: AtomicBool,
    running: Mutex<Vec<Weak<Shared>>>,
    released: Mutex<Vec<Released>>,
}

/// A released program, with its processes that may still run.
#[derive(Debug)]
struct Released {
    reports: Reports,
    /// The program, or `None` when its client and all of its processes have ended. Dropping the program earlier would end them.
    program: Option<Arc<Shared>>,
}

impl Remote {
    /// Runs programs in a place. `local` runs its clients, and the tokens of its programs begin with a [`prefix`].
    pub(crate) fn new(place: impl Place + 'static, local: Local, prefix: String) -> Self {
        Self(Arc::new(Inner {
            place: Box::new(place),
            local,
            prefix,
            has_started: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            running: Mutex::default(),
            released: Mutex::default(),
        }))
    }

    /// Starts a program. `directory` is its default directory.
    ///
    /// # Errors
    /// Like [`Environment::start`](crate::Environment::start).
    pub(crate) fn start(&self, launch: Launch, directory: &Path) -> io::Result<Box<dyn Running>> {
        let check = launch.directory_check();
        let Launch { program, directory: launch_directory, variables, input, output, on_end, identity: _, sees: _ } =
            launch;
        if self.0.is_closed() {
            return Err(io::Error::other("the environment has been cleaned up"));
        }
        if input == Input::Channel {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "this environment does not support channels"));
        }
        let directory = launch_directory.map_or_else(|| directory.to_owned(), |path| directory.join(path));
        let terminal = matches!(output, Output::Terminal { .. });
        let reports = Reports::new(format!("{}{:016x}", self.0.prefix, random()));
        let words = words(&reports, &program, (directory, check), variables, &output)?;
        let streams = Streams { input: input != Input::Empty || terminal, terminal };
        let separate = |stdout, stderr| Output::Apart {
            stdout: Box::new(reports.output(stdout)),
            stderr: Box::new(reports.errors(stderr)),
        };
        let output = match output {
            Output::None => separate(None, None),
            Output::Merged(sink) => separate(Some(sink), None),
            Output::Apart { stdout, stderr } => separate(Some(stdout), Some(stderr)),
            Output::Terminal { size, screen } => {
                Output::Terminal { size, screen: Box::new(reports.output(Some(screen))) }
            }
        };
        self.0.has_started.store(true, Ordering::SeqCst);
        let client = self.0.start(words, streams, input, output)?;
        let program = RemoteProgram::new(client, reports, Arc::clone(&self.0));
        program.wait_for_start()?;
        self.0.add(program.shared());
        if let Some(on_end) = on_end {
            program.on_end(on_end)?;
        }
        Ok(Box::new(program))
    }

    /// Runs a short program without variables and input, and returns its standard output.
    ///
    /// # Errors
    /// If the program fails, or does not end within the time limit.
    pub(crate) fn output(&self, words: &[impl AsRef<OsStr>]) -> io::Result<Vec<u8>> {
        self.0.output(words.iter().map(|word| word.as_ref().to_owned()).collect(), START_LIMIT)
    }

    /// Ends all processes of released programs.
    pub(crate) fn end_released(&self) {
        let released = std::mem::take(&mut *self.0.released());
        let _ = self.0.end(released.iter().flat_map(Released::ids));
    }

    /// Ends all programs with all of their processes.
    ///
    /// # Errors
    /// If the place cannot be reached, or processes survive.
    pub(crate) fn end_all(&self) -> io::Result<()> {
        if !self.0.has_started.load(Ordering::SeqCst) {
            return Ok(());
        }
        let running: Vec<_> = self.0.running().iter().filter_map(Weak::upgrade).collect();
        let prefix = OsString::from(&self.0.prefix);
        self.0.end([prefix].into_iter().chain(running.iter().flat_map(|program| program.ids())))
    }

    /// Refuses further programs, and ends the place and its clients. The running programs count as stopped by the host. Returns whether this
    /// is the first call.
    pub(crate) fn close(&self) -> bool {
        if self.0.is_closed.swap(true, Ordering::SeqCst) {
            return false;
        }
        self.0.place.end(self);
        self.0.local.clean_up();
        // Released programs hold a reference to the place.
        let released = std::mem::take(&mut *self.0.released());
        drop(released);
        true
    }
}

impl Inner {
    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    fn released(&self) -> MutexGuard<'_, Vec<Released>> {
        self.released.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, Vec<Weak<Shared>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a running program.
    fn add(&self, program: &Arc<Shared>) {
        let mut running = self.running();
        running.retain(|program| program.strong_count() > 0);
        running.push(Arc::downgrade(program));
    }

    /// Keeps a released program, so that its processes can be ended later.
    fn keep(&self, program: Arc<Shared>) {
        let mut released = self.released();
        for other in released.iter_mut() {
            other.program = other.program.take().filter(|program| !program.is_over());
        }
        released.push(Released { reports: program.reports().clone(), program: Some(program) });
    }

    /// Starts a client.
    fn start(
        &self,
        words: Vec<OsString>,
        streams: Streams,
        input: Input,
        output: Output,
    ) -> io::Result<Box<dyn Running>> {
        let Client { program, on_end } = self.place.client(words, streams)?;
        self.local.start(Launch { input, on_end, ..Launch::new(program, output) })
    }

    /// Ends all processes of the programs with these tokens and sessions.
    fn end(&self, ids: impl IntoIterator<Item = OsString>) -> io::Result<()> {
        let ids: Vec<OsString> = ids.into_iter().collect();
        // Run all commands, even if one of them fails.
        let ends = ids.chunks(MAX_IDS).map(|ids| self.output(find_or_end("end", ids), END_LIMIT).map(drop));
        ends.fold(Ok(()), io::Result::and)
    }

    /// Returns whether a process of the program with this token or session runs.
    fn is_running(&self, ids: &[OsString]) -> io::Result<bool> {
        // A shell may print other lines when it reads its settings.
        Ok(!ids.is_empty() && self.output(find_or_end("find", ids), START_LIMIT)?.ends_with(b"running\n"))
    }

    /// Sets the size of the terminal of a program, unless its client passes the size on.
    fn resize(&self, program: &Reports, size: TerminalSize) -> io::Result<()> {
        let Some(Start::Started(session)) = program.start().filter(|_| !self.place.passes_size()) else {
            return Ok(());
        };
        let numbers = [session.to_string(), size.rows.to_string(), size.columns.to_string()];
        let words = ["sh", "-c", RESIZE, "toolc"].into_iter().map(OsString::from);
        self.output(words.chain(numbers.map(OsString::from)).collect(), START_LIMIT).map(drop)
    }

    fn output(&self, words: Vec<OsString>, limit: Duration) -> io::Result<Vec<u8>> {
        let (stdout, stderr) = (Text::default(), Text::default());
        let output = Output::Apart { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()) };
        let running = self.start(words, Streams { input: false, terminal: false }, Input::Empty, output)?;
        let started = Instant::now();
        match running.wait(&|| started.elapsed() > limit)? {
            Some(outcome) if outcome.exit == Exit::Code(0) => Ok(stdout.take()),
            Some(_) => Err(io::Error::other(String::from_utf8_lossy(&stderr.take()).trim().to_owned())),
            None => Err(io::Error::new(io::ErrorKind::TimedOut, "the environment does not answer")),
        }
    }
}

impl Released {
    /// Returns the identifiers of the program's processes.
    fn ids(&self) -> Vec<OsString> {
        match &self.program {
            Some(program) => program.ids(),
            None => vec![self.reports.token().into()],
        }
    }
}

/// Returns the command that runs `end.sh`.
fn find_or_end(mode: &str, ids: &[OsString]) -> Vec<OsString> {
    let script = ["sh", "-c", END, "toolc", mode].map(OsString::from);
    script.into_iter().chain(ids.iter().cloned()).collect()
}

/// Returns the command that runs a program in a directory by `run.sh`, with what [`Launch::directory_check`] returns.
fn words(
    reports: &Reports,
    program: &Program,
    (directory, check): (PathBuf, String),
    variables: Vec<(OsString, Option<OsString>)>,
    output: &Output,
) -> io::Result<Vec<OsString>> {
    let streams = match output {
        Output::None | Output::Merged(_) => "merged".to_owned(),
        Output::Apart { .. } => "apart".to_owned(),
        Output::Terminal { size, .. } => format!("{} {}", size.rows, size.columns),
    };
    let mut words: Vec<OsString> = vec!["sh".into(), "-c".into(), RUN.into(), "toolc".into()];
    words.extend([reports.token().into(), streams.into(), directory.into(), check.into()]);
    if matches!(output, Output::Terminal { .. }) {
        words.push(format!("TERM={TERM}").into());
    }
    for (name, value) in variables {
        let is_name = name.to_str().is_some_and(is_name);
        if !is_name {
            let text = format!("`{}` is not the name of an environment variable that a shell can set", name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        words.push(match value {
            Some(value) => [name, "=".into(), value].into_iter().collect(),
            None => ["-".into(), name].into_iter().collect(),
        });
    }
    words.push("--".into());
    match program {
        Program::Shell(line) => words.extend(["sh".into(), "-c".into(), line.into()]),
        Program::Command(program, arguments) => {
            words.push(program.clone());
            words.extend(arguments.iter().cloned());
        }
    }
    Ok(words)
}

/// Returns whether a shell can set a variable of this name.
fn is_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    name.starts_with(is_letter) && name.chars().all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Returns a random prefix for the tokens of the programs of an environment.
pub(crate) fn prefix() -> String {
    format!("toolc-{:016x}-", random())
}

/// Parses the variables of a process in the format of `/proc/PID/environ`.
pub(crate) fn variables(text: &[u8]) -> Vec<(OsString, OsString)> {
    let pair = |entry: &[u8]| {
        let at = memchr::memchr(b'=', entry)?;
        Some((OsString::from_vec(entry[..at].to_vec()), OsString::from_vec(entry[at + 1..].to_vec())))
    };
    text.split(|byte| *byte == 0).filter_map(pair).collect()
}

/// Checks the report of a start.
fn check_start(start: Option<Start>, reports: &Reports) -> io::Result<()> {
    match start {
        Some(Start::Started(_)) => Ok(()),
        Some(Start::NoDirectory) => {
            Err(io::Error::new(io::ErrorKind::NotFound, "the directory does not exist in the environment"))
        }
        Some(Start::OtherDirectory) => Err(DirectoryChanged.into()),
        Some(Start::NoProgram) => {
            Err(io::Error::new(io::ErrorKind::NotFound, "the program does not exist in the environment"))
        }
        None => {
            let output = reports.early();
            let reason = if output.is_empty() { "no error message".to_owned() } else { output };
            Err(io::Error::other(format!("the environment failed to start the program: {reason}")))
        }
    }
}

/// Collects short output.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    pub(crate) fn contains(&self, part: &[u8]) -> bool {
        memchr::memmem::find(&self.0.lock().unwrap_or_else(PoisonError::into_inner), part).is_some()
    }

    /// Returns the rest of the first complete line that begins with `start`.
    pub(crate) fn line_after(&self, start: &[u8]) -> Option<String> {
        let text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = text.split_inclusive(|byte| *byte == b'\n').find(|line| line.starts_with(start))?;
        Some(String::from_utf8_lossy(line[start.len()..].strip_suffix(b"\n")?).into_owned())
    }

    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Text {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        text.extend_from_slice(bytes);
        text.len() <= MAX_TEXT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_a_process_are_read() {
        let pair = |name: &str, value: &str| (name.into(), value.into());
        assert_eq!(variables(b"A=b=c\0D=\n\0nothing\0"), [pair("A", "b=c"), pair("D", "\n")]);
    }
}
