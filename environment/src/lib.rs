//! The environments in which commands and file tools act. An [`Environment`] runs programs, on this machine or another, and has [`Files`].
//!
//! [`Local`] is this machine. The other kinds create isolated environments, or connect to other machines. A new environment implements the
//! same trait, and must pass the same tests (`tests/it/behaviours`).

#[cfg(unix)]
pub mod copy;
pub mod files;
pub mod search;

#[cfg(unix)]
mod apptainer;
#[cfg(unix)]
mod command;
#[cfg(unix)]
mod container;
#[cfg(all(unix, feature = "daytona"))]
mod daytona;
#[cfg(unix)]
mod docker;
mod host_keys;
#[cfg(unix)]
mod instance;
mod kind;
mod kinds;
mod lease;
mod local;
#[cfg(unix)]
mod modal;
#[cfg(unix)]
mod modal_sdk;
#[cfg(unix)]
mod own;
#[cfg(unix)]
mod place;
mod program;
#[cfg(unix)]
mod remote;
mod running;
#[cfg_attr(not(target_os = "linux"), path = "no_sandbox.rs")]
mod sandbox;
#[cfg(unix)]
mod shell;
mod shell_program;
#[cfg(unix)]
mod ssh;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
pub use apptainer::ApptainerKind;
#[cfg(unix)]
pub use container::ContainerKind;
#[cfg(all(unix, feature = "daytona"))]
pub use daytona::DaytonaKind;
pub use files::Files;
pub use host_keys::HostKeys;
#[cfg(unix)]
pub use instance::Instance;
pub use kind::{Kind, Promises, Site};
pub use kinds::{Context, EnvironmentKind, EnvironmentTable, FilesOf, KindResult, KindSettings, RequiredSetting};
pub use lease::{Lease, Leases, Resource};
pub use local::{Local, LocalFiles, LocalKind, resolve};
#[cfg(unix)]
pub use modal::ModalKind;
pub use program::{DirectoryChanged, Input, Launch, OnEnd, Output, Program, Sees};
pub use running::{Exit, Outcome, Running};
pub use sandbox::SandboxKind;
#[cfg(unix)]
pub use shell::{ShellCache, ShellFiles};
pub use shell_program::Shell;
#[cfg(unix)]
pub use ssh::SshKind;
pub use toolc_process::{Channel, EndReason, HiddenFolder, HostId, Sink, TerminalSize};

/// A machine, container or sandbox in which programs run, with its files.
///
/// Methods block, so that handlers call them from a pool of threads.
pub trait Environment: fmt::Debug + Send + Sync {
    /// Returns the kind of the environment, such as `local`, which approvals and logs name.
    fn name(&self) -> &str;

    /// Returns what the environment can do.
    fn abilities(&self) -> Abilities;

    /// Returns what the environment promises about programs that try to do harm.
    fn promises(&self) -> Promises;

    /// Returns the directory in which programs run by default: an absolute path within the environment.
    fn directory(&self) -> &Path;

    /// Returns the variables that programs have, unless a [`Launch`] changes them.
    ///
    /// # Errors
    /// If the variables cannot be determined.
    fn variables(&self) -> io::Result<Vec<(OsString, OsString)>>;

    /// Returns a folder for temporary files that has the same path on this machine and in the environment, or `None` if no such folder
    /// exists.
    fn temporary_folder(&self) -> Option<PathBuf>;

    /// Returns whether programs do not see some files and folders of this machine, unless a [`Launch`] says otherwise.
    fn hides(&self) -> bool {
        false
    }

    /// Returns the hidden files and folders that [a program can see](Sees::Places) apart from others.
    fn hidden_places(&self) -> &[PathBuf] {
        &[]
    }

    /// Checks that what the environment [hides](Self::hides) can be hidden from a program that starts now, except what it sees.
    ///
    /// # Errors
    /// If it cannot be hidden. [`start`](Self::start) then refuses such a program.
    fn check_hiding(&self, _sees: &Sees) -> io::Result<()> {
        Ok(())
    }

    /// Returns the shell that runs a [`Program::Shell`]. An environment looks for bash once. By default, it is `sh`.
    fn shell(&self) -> Shell {
        Shell::Posix
    }

    /// Starts a program.
    ///
    /// # Errors
    /// If the program cannot be started. `Unsupported` if the program needs an [ability](Self::abilities) that the environment lacks.
    fn start(&self, launch: Launch) -> io::Result<Box<dyn Running>>;

    /// Ends all processes of [released](Running::release) programs.
    fn end_released(&self);

    /// Returns the file system that programs of the environment see.
    fn files(&self) -> Box<dyn Files + '_>;

    /// Ends all programs of the environment that still run. After this call, no program can be started. A second call has no effect.
    /// Dropping the environment does the same.
    fn clean_up(&self);
}

/// What an environment can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Whether programs can run on a pseudo-terminal.
    pub terminal: bool,
    /// Whether programs can continue to run after the call that started them.
    pub background: bool,
    /// Whether a program can have a [channel](Input::Channel) to the host.
    pub channel: bool,
}

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
