//! Runs programs in any place that has a POSIX shell and can be reached by a local command, such as `docker exec`: the client.
//!
//! The client runs a script (`run.sh`), which starts the program and reports its start and end between its output ([`frames`]). The
//! client's own failures also show up as exit codes, so the script reports the exit code of the program. The report also tells when the
//! program has ended although its children keep the streams open. Killing the client does not kill the program; `end.sh` does.

mod frames;
mod running;

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolc_process::{Sink, TerminalSize};

use crate::local::TERM;
use crate::{Environment as _, Exit, Input, Launch, Local, Output, Program, Running};
use frames::{Reports, Start};
use running::{RemoteProgram, Shared};

/// Starts a program, and reports its start and end.
const RUN: &str = include_str!("run.sh");
/// Ends programs.
const END: &str = include_str!("end.sh");
/// Sets the size of the terminal of the session `$1`.
const RESIZE: &str = r#"stty rows "$2" cols "$3" < "/proc/$1/fd/0""#;
/// The time limit for the start of a program.
const START_LIMIT: Duration = Duration::from_mins(1);
/// The time limit of `end.sh`. A shell without fractions of a second takes up to 40 s to kill stubborn programs.
const END_LIMIT: Duration = Duration::from_mins(1);
/// The maximum length of a short output.
const MAX_TEXT: usize = 1 << 20;

/// How a place is reached.
pub(crate) trait Reach: fmt::Debug + Send + Sync {
    /// Returns the local command that runs `words` in that place. The words must arrive unchanged.
    fn command(&self, words: Vec<OsString>, streams: Streams) -> Program;

    /// Returns whether the command passes on the size of its terminal when it changes. If not, it is set by another command.
    fn passes_size(&self) -> bool {
        true
    }
}

/// Which streams of a command are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Streams {
    /// Whether the program has an input.
    pub(crate) input: bool,
    /// Whether the program runs on a terminal.
    pub(crate) terminal: bool,
}

/// Runs programs elsewhere.
#[derive(Debug)]
pub(crate) struct Remote(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    reach: Box<dyn Reach>,
    /// Runs the commands.
    local: Local,
    is_closed: AtomicBool,
    released: Mutex<Vec<Released>>,
}

/// A program that was released, with what it may have left running.
#[derive(Debug)]
struct Released {
    reports: Reports,
    /// The program, until its client has ended: dropping it earlier would end the client.
    program: Option<Arc<Shared>>,
}

impl Remote {
    pub(crate) fn new(reach: Box<dyn Reach>) -> Self {
        Self(Arc::new(Inner {
            reach,
            local: Local::new("/"),
            is_closed: AtomicBool::new(false),
            released: Mutex::default(),
        }))
    }

    /// Starts a program. `directory` is its default directory.
    ///
    /// # Errors
    /// Like [`Environment::start`](crate::Environment::start).
    pub(crate) fn start(&self, launch: Launch, directory: &Path) -> io::Result<Box<dyn Running>> {
        let Launch { program, directory: own, variables, input, output, on_end } = launch;
        if self.0.is_closed() {
            return Err(io::Error::other("the environment has been cleaned up"));
        }
        if input == Input::Channel {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "this environment does not support channels"));
        }
        let directory = own.map_or_else(|| directory.to_owned(), |own| directory.join(own));
        let terminal = matches!(output, Output::Terminal { .. });
        let reports = Reports::new(token());
        let words = words(&reports, &program, directory, variables, &output)?;
        let streams = Streams { input: input != Input::Empty || terminal, terminal };
        let output = match output {
            Output::None => Output::Merged(Box::new(reports.output(None))),
            Output::Merged(sink) => Output::Merged(Box::new(reports.output(Some(sink)))),
            Output::Apart { stdout, stderr } => Output::Apart {
                stdout: Box::new(reports.output(Some(stdout))),
                stderr: Box::new(reports.errors(stderr)),
            },
            Output::Terminal { size, screen } => {
                Output::Terminal { size, screen: Box::new(reports.output(Some(screen))) }
            }
        };
        let command = self.0.reach.command(words, streams);
        let launch = Launch { program: command, directory: None, variables: Vec::new(), input, output, on_end: None };
        let client = self.0.local.start(launch)?;
        let program = RemoteProgram::new(client, reports, Arc::clone(&self.0));
        program.wait_for_start()?;
        if let Some(on_end) = on_end {
            program.on_end(on_end)?;
        }
        Ok(Box::new(program))
    }

    /// Runs a short program without variables and input, and returns what it prints.
    ///
    /// # Errors
    /// If it does not succeed within the time limit.
    pub(crate) fn output(&self, words: &[&str]) -> io::Result<Vec<u8>> {
        self.0.output(words.iter().map(OsString::from).collect(), START_LIMIT)
    }

    /// Ends what released programs have left running.
    pub(crate) fn end_released(&self) {
        let released = std::mem::take(&mut *self.0.released());
        let reports: Vec<Reports> = released.iter().map(|released| released.reports.clone()).collect();
        let _ = self.0.end(&reports);
    }

    /// Refuses programs from now on. Those that end count as stopped by the host. Returns whether this is the first call.
    pub(crate) fn close(&self) -> bool {
        !self.0.is_closed.swap(true, Ordering::SeqCst)
    }

    /// Ends the clients.
    pub(crate) fn end_commands(&self) {
        self.0.local.clean_up();
    }
}

impl Inner {
    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    fn released(&self) -> MutexGuard<'_, Vec<Released>> {
        self.released.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a released program, so that what it has left running can be ended later.
    fn keep(&self, program: Arc<Shared>) {
        let mut released = self.released();
        for other in released.iter_mut() {
            other.program = other.program.take().filter(|program| !program.has_ended());
        }
        released.push(Released { reports: program.reports().clone(), program: Some(program) });
    }

    /// Ends all processes of these programs.
    fn end(&self, programs: &[Reports]) -> io::Result<()> {
        let begun = programs.iter().filter_map(|reports| Some((reports.token(), reports.session()?)));
        let named: Vec<OsString> =
            begun.flat_map(|(token, session)| [token.into(), session.to_string().into()]).collect();
        if named.is_empty() {
            return Ok(());
        }
        let mut words: Vec<OsString> = vec!["sh".into(), "-c".into(), END.into(), "toolc".into()];
        words.extend(named);
        self.output(words, END_LIMIT).map(drop)
    }

    /// Sets the size of the terminal of a program, unless the client does so.
    fn resize(&self, program: &Reports, size: TerminalSize) -> io::Result<()> {
        let Some(session) = program.session().filter(|_| !self.reach.passes_size()) else { return Ok(()) };
        let words = ["sh".to_owned(), "-c".to_owned(), RESIZE.to_owned(), "toolc".to_owned(), session.to_string()];
        let words = words.into_iter().chain([size.rows.to_string(), size.columns.to_string()]);
        self.output(words.map(OsString::from).collect(), START_LIMIT).map(drop)
    }

    fn output(&self, words: Vec<OsString>, limit: Duration) -> io::Result<Vec<u8>> {
        let (stdout, stderr) = (Text::default(), Text::default());
        let command = self.reach.command(words, Streams { input: false, terminal: false });
        let output = Output::Apart { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()) };
        let running = self.local.start(Launch::new(command, output))?;
        let started = Instant::now();
        match running.wait(&|| started.elapsed() > limit)? {
            Some(outcome) if outcome.exit == Exit::Code(0) => Ok(stdout.take()),
            Some(_) => Err(io::Error::other(String::from_utf8_lossy(&stderr.take()).trim().to_owned())),
            None => Err(io::Error::new(io::ErrorKind::TimedOut, "the environment does not answer")),
        }
    }
}

/// Returns the arguments of a command that runs a program.
fn words(
    reports: &Reports,
    program: &Program,
    directory: PathBuf,
    variables: Vec<(OsString, Option<OsString>)>,
    output: &Output,
) -> io::Result<Vec<OsString>> {
    let streams = match output {
        Output::None | Output::Merged(_) => "merged".to_owned(),
        Output::Apart { .. } => "apart".to_owned(),
        Output::Terminal { size, .. } => format!("{} {}", size.rows, size.columns),
    };
    let mut words: Vec<OsString> = vec!["sh".into(), "-c".into(), RUN.into(), "toolc".into()];
    words.extend([reports.token().into(), streams.into(), directory.into()]);
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

fn token() -> String {
    format!("toolc-{:016x}", RandomState::new().build_hasher().finish())
}

/// Checks how a start went.
fn started(start: Option<Start>, reports: &Reports) -> io::Result<()> {
    match start {
        Some(Start::Begins(_)) => Ok(()),
        Some(Start::NoDirectory) => {
            Err(io::Error::new(io::ErrorKind::NotFound, "the directory does not exist in the environment"))
        }
        Some(Start::NoProgram) => {
            Err(io::Error::new(io::ErrorKind::NotFound, "the program does not exist in the environment"))
        }
        None => {
            let said = reports.early();
            let said = if said.is_empty() { "without an error message".to_owned() } else { said };
            Err(io::Error::other(format!("the environment failed to start the program: {said}")))
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
