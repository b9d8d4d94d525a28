//! The programs to start, with their inputs and outputs.

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::{fmt, io};

use toolc_process::{Sink, TerminalSize};

use crate::files::FileIdentity;
use crate::running::Outcome;

/// A program to start.
#[derive(Debug)]
pub struct Launch {
    /// The program.
    pub program: Program,
    /// The working directory, absolute or relative to the directory of the environment. `None` for that directory itself.
    ///
    /// An absolute path has no symbolic links, as [`Files::resolve`](crate::Files::resolve) returns it: if it has one, that has taken the
    /// place of the directory, and the program [does not start](DirectoryChanged).
    pub directory: Option<PathBuf>,
    /// The identity of the directory. If another folder has taken its place, the program [does not start](DirectoryChanged).
    pub identity: Option<FileIdentity>,
    /// Changes to the environment's variables: a value to set, or `None` to remove the variable. The last change of a name counts.
    pub variables: Vec<(OsString, Option<OsString>)>,
    /// The standard input.
    pub input: Input,
    /// Where its output goes.
    pub output: Output,
    /// What the program sees of what the environment [hides](crate::Environment::hides).
    pub sees: Sees,
    /// The function to call, on a separate thread, when the program has ended and its output has been read.
    pub on_end: Option<OnEnd>,
}

/// What a program sees of what its environment [hides](crate::Environment::hides).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sees {
    /// Nothing, as other programs.
    #[default]
    Nothing,
    /// These of the [hidden places](crate::Environment::hidden_places).
    Places(Vec<PathBuf>),
    /// Everything.
    Everything,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A line for the [shell](crate::Environment::shell) of the environment: `bash -c`, `sh -c` where there is no bash, or `cmd /C` on
    /// Windows.
    Shell(String),
    /// A program and its arguments.
    Command(OsString, Vec<OsString>),
}

/// The standard input of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// No input: the program reads an empty file, or its terminal if it has one.
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
    /// The bytes that [`Running::write`](crate::Running::write) adds. A program on a terminal always has this input.
    Open,
    /// One end of a channel in both directions. The host has the [other end](crate::Running::channel).
    Channel,
}

/// Where the output of a program goes.
#[derive(Debug)]
pub enum Output {
    /// The output is discarded.
    None,
    /// Standard output and standard error through one pipe, in their order.
    Merged(Box<dyn Sink>),
    /// Standard output and standard error have separate sinks.
    Apart {
        /// Standard output.
        stdout: Box<dyn Sink>,
        /// Standard error.
        stderr: Box<dyn Sink>,
    },
    /// The program runs on a terminal.
    Terminal {
        /// The size of the terminal.
        size: TerminalSize,
        /// The sink for the output, with its escape sequences.
        screen: Box<dyn Sink>,
    },
}

/// A function that is called when a program has ended.
pub struct OnEnd(pub Box<dyn FnOnce(&Outcome) + Send>);

impl fmt::Debug for OnEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnEnd")
    }
}

impl Launch {
    /// Starts a program in the environment's directory, with its variables and no input.
    pub fn new(program: Program, output: Output) -> Self {
        let (directory, identity, variables) = (None, None, Vec::new());
        Self { program, directory, identity, variables, input: Input::Empty, output, sees: Sees::Nothing, on_end: None }
    }

    /// Returns what the scripts that enter the directory check: `any` for nothing, `exact` for a path without links, or the device and
    /// the inode of a folder whose path has no links.
    #[cfg(unix)]
    pub(crate) fn directory_check(&self) -> String {
        match self.identity {
            _ if !self.directory.as_ref().is_some_and(|path| path.is_absolute()) => "any".to_owned(),
            Some(FileIdentity { device, inode }) => format!("{device}:{inode}"),
            None => "exact".to_owned(),
        }
    }
}

/// The error if a link or another folder has taken the place of the directory of a [`Launch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectoryChanged;

impl DirectoryChanged {
    /// Returns whether an error is this one.
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<Self>)
    }
}

impl fmt::Display for DirectoryChanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a symbolic link or another folder has taken the place of the working directory")
    }
}

impl Error for DirectoryChanged {}

impl From<DirectoryChanged> for io::Error {
    fn from(changed: DirectoryChanged) -> Self {
        Self::other(changed)
    }
}
