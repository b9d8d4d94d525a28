//! Runs programs with limits on their time and output, to their end or in the background.
//!
//! On Linux, no process that a program has started outlives this one: a guardian process ends those that are left. The README lists
//! which processes are ended on other systems. On Unix, a program runs in a session of its own, without a controlling terminal or on
//! a pseudo-terminal. Output is read on threads, so that a process that keeps a pipe open blocks only a thread.

#[cfg_attr(not(unix), path = "no_channel.rs")]
mod channel;
mod hidden;
mod host_id;
mod host_processes;
mod input;
mod inside;
mod outcome;
mod running;
mod size;
mod spawn;
mod stream;
#[cfg_attr(not(unix), path = "no_terminal.rs")]
mod terminal;
#[cfg_attr(not(unix), path = "tree/other.rs")]
mod tree;
mod variables;

use std::fmt;
use std::fs::File;
use std::io::{self, PipeReader};
#[cfg(unix)]
use std::os::fd::OwnedFd as Owned;
#[cfg(windows)]
use std::os::windows::io::OwnedHandle as Owned;
use std::process::{Command, Stdio};
use std::sync::Arc;

pub use channel::Channel;
pub use hidden::HiddenFolder;
pub use host_id::{HostId, InvalidHostId};
pub use host_processes::host_processes;
use input::Input;
pub use inside::is_inside_a_tool;
pub use outcome::{EndReason, Outcome};
pub use running::{LeftRunning, RunningProcess};
use running::{OnEnd, Parts};
pub use size::TerminalSize;
use stream::{ReadToSink, Reader};
pub use stream::{Sink, Stream};
use terminal::{Terminal, TerminalOfProgram};
use tree::{Filter, Limits, Namespace, Tree};
pub use variables::baseline;

/// A program that has not started yet.
pub struct Process {
    command: Command,
    /// The streams to read, each with its sink.
    readers: Vec<Box<dyn Reader>>,
    input: Option<Input>,
    terminal: Option<(Terminal, TerminalOfProgram)>,
    on_end: Option<OnEnd>,
    limits: Limits,
}

impl Process {
    /// Prepares to run `command`. Its standard streams are null unless set by other methods of this type.
    ///
    /// On Unix, relative folders of the variable `PATH` are left out, for the search for the program and for the program itself: a file of the
    /// project must not run as `sh` or `ls` because the user's `PATH` has `.` in it.
    pub fn new(mut command: Command) -> Self {
        #[cfg(unix)]
        variables::remove_relative_folders(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { command, readers: Vec::new(), input: None, terminal: None, on_end: None, limits: Limits::default() }
    }

    /// Sends standard output and standard error to `sink` through one pipe, which keeps their order.
    ///
    /// # Errors
    /// If no pipe can be created.
    pub fn output<S: Sink>(&mut self, sink: S) -> io::Result<Stream<S>> {
        let (reader, writer) = io::pipe()?;
        self.command.stdout(writer.try_clone()?).stderr(writer);
        Ok(self.read(file(reader), sink))
    }

    /// Sends standard output to `sink`.
    ///
    /// # Errors
    /// If no pipe can be created.
    pub fn stdout<S: Sink>(&mut self, sink: S) -> io::Result<Stream<S>> {
        let (reader, writer) = io::pipe()?;
        self.command.stdout(writer);
        Ok(self.read(file(reader), sink))
    }

    /// Sends standard error to `sink`.
    ///
    /// # Errors
    /// If no pipe can be created.
    pub fn stderr<S: Sink>(&mut self, sink: S) -> io::Result<Stream<S>> {
        let (reader, writer) = io::pipe()?;
        self.command.stderr(writer);
        Ok(self.read(file(reader), sink))
    }

    /// Opens standard input for [`RunningProcess::write`].
    ///
    /// # Errors
    /// If no pipe can be created.
    pub fn input(&mut self) -> io::Result<()> {
        let (reader, writer) = io::pipe()?;
        self.command.stdin(reader);
        self.input = Some(Input::new(Box::new(writer)));
        Ok(())
    }

    /// Makes standard input one end of a channel, in both directions, and returns the other end. Nothing else than the program and
    /// the processes to which it passes its standard input can use that end. Do not combine this with [`input`](Self::input).
    ///
    /// # Errors
    /// If no channel can be created, or, with the kind `Unsupported`, on systems other than Unix.
    pub fn channel(&mut self) -> io::Result<Channel> {
        let (channel, stdin) = Channel::open()?;
        self.command.stdin(stdin);
        Ok(channel)
    }

    /// Runs the program on a new pseudo-terminal: all its standard streams, and `/dev/tty`. What the program shows, escape sequences
    /// included, is sent to `sink`; [`RunningProcess::write`] types. The variable `TERM` is not set here.
    ///
    /// # Errors
    /// If the system has no pseudo-terminal left, or, with the kind `Unsupported`, on systems other than Unix.
    pub fn terminal<S: Sink>(&mut self, size: TerminalSize, sink: S) -> io::Result<Stream<S>> {
        let (terminal, program) = Terminal::open(size)?;
        self.command.stdin(program.stream()?).stdout(program.stream()?).stderr(program.stream()?);
        self.input = Some(Input::new(Box::new(terminal.file()?)));
        let stream = self.read(terminal.file()?, sink);
        self.terminal = Some((terminal, program));
        Ok(stream)
    }

    /// Calls `on_end` on a thread of its own when the program has ended and its output has been read, however it has ended. A panic
    /// of `on_end` is ignored.
    pub fn on_end(&mut self, on_end: impl FnOnce(&Outcome) + Send + 'static) {
        self.on_end = Some(Box::new(on_end));
    }

    /// Installs a filter of system calls for a program that runs in Linux namespaces. The filter applies to the program and to every process
    /// that it starts. Calls that namespaces do not confine fail with `EPERM`: those for the kernel's keyrings, for sockets of the family
    /// `AF_VSOCK`, and for modes with the set-user-ID bit. `openat2` and `io_uring_setup` fail with `ENOSYS`, because a filter cannot
    /// inspect their arguments. The program gains no privileges from set-user-ID files. A program of another architecture, such as a
    /// 32-bit program, is killed.
    ///
    /// # Errors
    /// On systems other than Linux, and on architectures other than x86-64, `AArch64` and RISC-V.
    pub fn filter_system_calls(&mut self) -> io::Result<()> {
        self.limits.filter = Some(Filter::new()?);
        Ok(())
    }

    /// Hides a folder from the program and every process that it starts, in a mount namespace. They cannot get it back: in the namespace they
    /// cannot unmount anything that hides it, and cannot use the memory, the descriptors or the root folder of a process outside. For an
    /// ordinary user, they are in a user namespace that has no other users: files of others have the owner 65534, and set-user-ID programs
    /// have no effect. The programs of root lose the capabilities that lead out of the namespace, such as `CAP_SYS_ADMIN`. Programs also get
    /// a session keyring of their own.
    ///
    /// # Errors
    /// If the folder cannot be hidden. `Unsupported` if this system does not allow it for any program.
    pub fn hide(&mut self, folder: &HiddenFolder) -> io::Result<()> {
        self.limits.namespace = Some(Namespace::hiding(folder)?);
        Ok(())
    }

    fn read<S: Sink>(&mut self, source: File, sink: S) -> Stream<S> {
        let stream = Stream::new(sink);
        self.readers.push(Box::new(ReadToSink(Arc::new(source), stream.clone())));
        stream
    }

    /// Starts the program in the background.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(self) -> io::Result<RunningProcess> {
        let Self { mut command, readers, input, terminal, on_end, limits } = self;
        inside::mark(&mut command);
        let (terminal, program) = terminal.unzip();
        let (child, tree) = Tree::start(&mut command, program, limits)?;
        // The command owns the write ends of the pipes. The readers get no end of file while these are open.
        drop(command);
        RunningProcess::new(Parts { child, tree, readers, input, terminal }, on_end)
    }

    /// Runs the program until it ends, `should_stop` returns true, or a sink refuses more output. In the latter two cases all
    /// processes that the program has started get SIGTERM, and those that are left a second later SIGKILL. `should_stop` is called
    /// about a hundred times per second. The program reads `input` from its standard input, which is empty if `input` is `None`.
    ///
    /// After the program has ended by itself, processes that it has left in the background run on until this process ends.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn run(mut self, input: Option<Vec<u8>>, should_stop: impl Fn() -> bool) -> io::Result<Outcome> {
        if input.is_some() {
            self.input()?;
        }
        let process = self.start()?;
        if let Some(input) = input {
            process.write_last(input)?;
        }
        let outcome = match process.wait_unless(should_stop)? {
            Some(outcome) => outcome,
            None => process.end()?,
        };
        let _ = process.release();
        Ok(outcome)
    }
}

fn file(reader: PipeReader) -> File {
    File::from(Owned::from(reader))
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("command", &self.command)
            .field("readers", &self.readers)
            .finish_non_exhaustive()
    }
}

/// Runs the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
