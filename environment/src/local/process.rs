//! Programs on this machine.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};

use toolc_process::{Channel, Process, RunningProcess, Sink, Stream, TerminalSize};

use super::{Limits, Processes};
use crate::files::FileIdentity;
use crate::{DirectoryChanged, Exit, Input, Launch, Outcome, Output, Program, Running, Sees};

/// The value of `TERM` on a terminal. Its escape sequences are the most widely supported.
pub(crate) const TERM: &str = "xterm-256color";

/// The streams of a program's output.
pub(super) type Streams = Vec<Stream<Box<dyn Sink>>>;

/// A program on this machine.
#[derive(Debug)]
pub(super) struct LocalProcess {
    /// The id, or `None` if the program is a client.
    pub(super) id: Option<u32>,
    pub(super) process: Arc<RunningProcess>,
    pub(super) streams: Streams,
    pub(super) channel: Option<Channel>,
    /// The processes of the environment.
    pub(super) processes: Arc<Mutex<Processes>>,
}

/// A program that has just been started.
pub(super) struct StartedProgram {
    pub(super) process: RunningProcess,
    pub(super) streams: Streams,
    pub(super) channel: Option<Channel>,
}

/// Checks that a directory exists, that its path has no links, and that it has this identity.
fn check_directory(directory: &Path, identity: Option<FileIdentity>) -> io::Result<()> {
    let failed = |error: io::Error| {
        io::Error::new(error.kind(), format!("the directory `{}` cannot be entered: {error}", directory.display()))
    };
    let resolved = fs::canonicalize(directory).map_err(failed)?;
    let found = FileIdentity::from_std(&fs::symlink_metadata(directory).map_err(failed)?);
    // On Windows, paths without links have another form.
    let is_same = !cfg!(unix) || resolved == directory;
    if is_same && identity.is_none_or(|identity| found == Some(identity)) {
        Ok(())
    } else {
        Err(DirectoryChanged.into())
    }
}

/// Starts a program. `inherited` are the variables of programs, or `None` if they inherit the variables of this process.
pub(super) fn start(
    launch: Launch,
    default_directory: &Path,
    inherited: Option<&[(OsString, OsString)]>,
    limits: &Limits,
) -> io::Result<StartedProgram> {
    let Launch { program, directory, identity, variables, input, output, sees, on_end } = launch;
    if let Some(directory) = directory.as_deref().filter(|directory| directory.is_absolute()) {
        check_directory(directory, identity)?;
    }
    let mut command = command(program);
    if let Some(inherited) = inherited {
        command.env_clear().envs(inherited.iter().cloned());
    }
    command.current_dir(
        directory.map_or_else(|| default_directory.to_owned(), |directory| default_directory.join(directory)),
    );
    if matches!(output, Output::Terminal { .. }) {
        command.env("TERM", TERM);
    }
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut process = Process::new(command);
    limit(&mut process, limits, &sees)?;
    let mut streams = Streams::new();
    let has_terminal = matches!(output, Output::Terminal { .. });
    match output {
        Output::None => {}
        Output::Merged(sink) => streams.push(process.output(sink)?),
        Output::Apart { stdout, stderr } => streams.extend([process.stdout(stdout)?, process.stderr(stderr)?]),
        Output::Terminal { size, screen } => streams.push(process.terminal(size, screen)?),
    }
    let mut channel = None;
    match input {
        Input::Channel if has_terminal => {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "a program on a terminal has no channel"));
        }
        Input::Channel => channel = Some(process.channel()?),
        Input::Bytes(_) | Input::Open if !has_terminal => process.input()?,
        Input::Empty | Input::Bytes(_) | Input::Open => {}
    }
    if let Some(on_end) = on_end {
        process.on_end(move |outcome| on_end.0(&convert_outcome(*outcome)));
    }
    let running = process.start()?;
    if let Input::Bytes(bytes) = input {
        running.write_last(bytes)?;
    }
    Ok(StartedProgram { process: running, streams, channel })
}

/// Limits a program.
fn limit(process: &mut Process, limits: &Limits, sees: &Sees) -> io::Result<()> {
    if let Some(hidden) = limits.hidden_from(sees) {
        process.hide(&hidden).map_err(|error| {
            let text =
                format!("the home folder of toolc cannot be hidden from the command, so it was not run: {error}");
            io::Error::new(error.kind(), text)
        })?;
    }
    if limits.filter_system_calls {
        process.filter_system_calls()?;
    }
    Ok(())
}

#[cfg(unix)]
fn command(program: Program) -> Command {
    match program {
        // The environment has chosen the shell before.
        Program::Shell(line) => with_arguments("sh".into(), vec!["-c".into(), line.into()]),
        Program::Command(program, arguments) => with_arguments(program, arguments),
    }
}

#[cfg(not(unix))]
fn command(program: Program) -> Command {
    use std::os::windows::process::CommandExt as _;
    match program {
        Program::Shell(line) => {
            let mut command = Command::new("cmd");
            // The line is not quoted, because `cmd` has its own quoting rules.
            command.arg("/C").raw_arg(line);
            command
        }
        Program::Command(program, arguments) => with_arguments(program, arguments),
    }
}

fn with_arguments(program: OsString, arguments: Vec<OsString>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

impl Running for LocalProcess {
    fn id(&self) -> Option<u32> {
        self.id
    }

    fn outcome(&self) -> io::Result<Option<Outcome>> {
        Ok(self.process.outcome()?.map(convert_outcome))
    }

    fn wait(&self, should_stop: &dyn Fn() -> bool) -> io::Result<Option<Outcome>> {
        Ok(self.process.wait_unless(should_stop)?.map(convert_outcome))
    }

    fn end(&self) -> io::Result<Outcome> {
        self.process.end().map(convert_outcome)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.process.write(bytes)
    }

    fn close_input(&self) -> io::Result<()> {
        self.process.close_input()
    }

    fn channel(&self) -> io::Result<Channel> {
        let missing = || io::Error::new(io::ErrorKind::Unsupported, "the program has no channel");
        self.channel.as_ref().ok_or_else(missing)?.try_clone()
    }

    fn resize(&self, size: TerminalSize) -> io::Result<()> {
        self.process.resize(size)
    }

    fn release(self: Box<Self>) {
        let released = self.process.release();
        self.streams.iter().for_each(Stream::discard);
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        if processes.is_closed {
            drop(processes);
            let _ = released.end();
        } else {
            processes.keep(released);
        }
    }
}

fn convert_outcome(outcome: toolc_process::Outcome) -> Outcome {
    let toolc_process::Outcome { status, reason, left_running } = outcome;
    Outcome { exit: exit(status), reason, left_running }
}

#[cfg(unix)]
fn exit(status: ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt as _;
    match status.signal() {
        Some(signal) => Exit::Signal(signal),
        None => Exit::Code(status.code().unwrap_or_default()),
    }
}

#[cfg(not(unix))]
fn exit(status: ExitStatus) -> Exit {
    Exit::Code(status.code().unwrap_or_default())
}
