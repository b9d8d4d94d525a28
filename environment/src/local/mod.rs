//! This machine, without isolation.

mod deadline_reader;
mod files;
mod folder;
mod lines;
mod metadata;
mod process;
mod resolve;
mod search;

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use toolc_process::{LeftRunning, RunningProcess};

use crate::{Abilities, Environment, Files, Kind, Launch, Promises, Running, Site};
pub use files::LocalFiles;
pub(crate) use process::TERM;
use process::{LocalProcess, Started};
pub use resolve::resolve;
pub(crate) use resolve::too_many_links;

/// This machine, as the user of this process. Programs inherit the variables of this process.
#[derive(Debug)]
pub struct Local {
    directory: PathBuf,
    /// The variables of clients. Other programs inherit the variables of this process.
    variables: Option<Vec<(OsString, OsString)>>,
    processes: Arc<Mutex<Processes>>,
}

/// What has been started.
#[derive(Debug, Default)]
struct Processes {
    is_closed: bool,
    running: Vec<Weak<RunningProcess>>,
    /// What programs have left running. It may have ended by now.
    left: Vec<LeftRunning>,
    /// The length of `left` at which those that have ended are removed.
    next_check: usize,
}

/// The kind of [`Local`].
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalKind;

impl Kind for LocalKind {
    fn name(&self) -> &str {
        Local::NAME
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Ok(Arc::new(Local::new(site.directory)))
    }
}

impl Local {
    /// The name of this environment.
    pub const NAME: &str = "local";

    /// Returns an environment whose programs run in `directory` by default. A relative path is made absolute.
    pub fn new(directory: impl AsRef<Path>) -> Self {
        let directory = directory.as_ref();
        let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        Self { directory, variables: None, processes: Arc::default() }
    }

    /// Returns an environment for clients, through which programs run in another place. They have these variables, and run in `/`. Their
    /// ids on this machine mean nothing in the other place.
    #[cfg(unix)]
    pub(crate) fn for_clients(variables: Vec<(OsString, OsString)>) -> Self {
        let mut local = Self::new("/");
        local.variables = Some(variables);
        local
    }
}

impl Environment for Local {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn abilities(&self) -> Abilities {
        Abilities { terminal: cfg!(unix), background: true, channel: cfg!(unix) }
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn directory(&self) -> &Path {
        &self.directory
    }

    fn variables(&self) -> io::Result<Vec<(OsString, OsString)>> {
        Ok(self.variables.clone().unwrap_or_else(|| env::vars_os().collect()))
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        Some(env::temp_dir())
    }

    fn start(&self, launch: Launch) -> io::Result<Box<dyn Running>> {
        self.processes().check_open()?;
        let Started { process, streams, channel } = process::start(launch, &self.directory, self.variables.as_deref())?;
        let process = Arc::new(process);
        let mut processes = self.processes();
        // If it has been closed in the meantime, dropping the process ends it.
        processes.check_open()?;
        processes.running.retain(|process| process.strong_count() > 0);
        processes.running.push(Arc::downgrade(&process));
        drop(processes);
        let id = self.variables.is_none().then(|| process.id());
        Ok(Box::new(LocalProcess { id, process, streams, channel, others: Arc::clone(&self.processes) }))
    }

    fn end_released(&self) {
        let left = std::mem::take(&mut self.processes().left);
        end_all(&[], left);
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(LocalFiles)
    }

    fn clean_up(&self) {
        let (running, left) = {
            let mut processes = self.processes();
            processes.is_closed = true;
            (std::mem::take(&mut processes.running), std::mem::take(&mut processes.left))
        };
        end_all(&running, left);
    }
}

impl Local {
    fn processes(&self) -> std::sync::MutexGuard<'_, Processes> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends processes at the same time, so that this takes little longer than for one.
fn end_all(running: &[Weak<RunningProcess>], mut left: Vec<LeftRunning>) {
    thread::scope(|scope| {
        for process in running.iter().filter_map(Weak::upgrade) {
            scope.spawn(move || process.end());
        }
        left.retain(LeftRunning::is_running);
        for left in &left {
            scope.spawn(move || left.end());
        }
    });
}

impl Drop for Local {
    fn drop(&mut self) {
        self.clean_up();
    }
}

impl Processes {
    fn check_open(&self) -> io::Result<()> {
        if self.is_closed { Err(io::Error::other("the environment has been cleaned up")) } else { Ok(()) }
    }

    /// Keeps what a program has left running, to end it later.
    fn keep(&mut self, left: LeftRunning) {
        /// The number of entries below which nothing is checked, because a check looks at every process of the system.
        const MIN: usize = 64;
        self.left.push(left);
        if self.left.len() >= self.next_check.max(MIN) {
            self.left.retain(LeftRunning::is_running);
            self.next_check = 2 * self.left.len();
        }
    }
}
