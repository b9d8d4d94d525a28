//! This machine. Programs have the rights of the user, except that a [`HiddenFolder`] is hidden from them.

mod deadline_reader;
mod files;
mod folder;
mod lines;
mod metadata;
mod process;
mod resolve;
mod search;

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;

use toolc_process::{HiddenFolder, LeftRunning, RunningProcess};

#[cfg(unix)]
use crate::Program;
#[cfg(unix)]
use crate::shell_program::is_executable;
use crate::{Abilities, Environment, Files, Kind, Launch, Promises, Running, Sees, Shell, Site};
pub use files::LocalFiles;
#[cfg(unix)]
pub(crate) use process::TERM;
use process::{LocalProcess, StartedProgram};
pub use resolve::resolve;
#[cfg(unix)]
pub(crate) use resolve::too_many_links;

/// This machine, as the user of this process. Programs inherit the variables of this process.
#[derive(Debug)]
pub struct Local {
    directory: PathBuf,
    /// The variables of the programs, for clients such as ssh and docker, or `None` if programs inherit the variables of this process.
    variables: Option<Vec<(OsString, OsString)>>,
    limits: Limits,
    processes: Arc<Mutex<Processes>>,
    /// Found when first needed.
    shell: OnceLock<Shell>,
}

/// What limits the programs.
#[derive(Debug, Default)]
struct Limits {
    /// What they do not see.
    hidden: Option<HiddenFolder>,
    /// Whether a [filter of system calls](toolc_process::Process::filter_system_calls) applies to them.
    filter_system_calls: bool,
}

impl Limits {
    /// Returns what is hidden from a program that sees this.
    fn hidden_from(&self, sees: &Sees) -> Option<Cow<'_, HiddenFolder>> {
        let hidden = self.hidden.as_ref()?;
        match sees {
            Sees::Nothing => Some(Cow::Borrowed(hidden)),
            Sees::Places(places) => Some(Cow::Owned(hidden.showing(places))),
            Sees::Everything => None,
        }
    }
}

/// The started programs.
#[derive(Debug, Default)]
struct Processes {
    is_closed: bool,
    running: Vec<Weak<RunningProcess>>,
    /// The processes of released programs. Some of them may have ended.
    released: Vec<LeftRunning>,
    /// The length of `released` at which ended processes are removed.
    next_check: usize,
}

/// The kind of [`Local`].
#[derive(Debug, Clone, Default)]
pub struct LocalKind {
    hidden: Option<HiddenFolder>,
}

impl LocalKind {
    /// Hides a folder from programs, such as the folder with the settings and keys of the host, and other places. If the system cannot
    /// [hide folders](HiddenFolder::check_available), programs see them. They also see the folder and the places in which a task begins.
    #[must_use]
    pub fn hiding(mut self, folder: HiddenFolder) -> Self {
        self.hidden = Some(folder);
        self
    }

    /// Returns why the folder is not hidden from programs of a task that begins in `directory`: a sentence without a full stop. Returns
    /// `None` if it is hidden, or if there is none.
    pub fn why_not_hidden(&self, directory: &Path) -> Option<String> {
        let hidden = self.hidden.as_ref()?;
        if let Err(error) = HiddenFolder::check_available() {
            return Some(error.to_string());
        }
        let directory = resolve(directory);
        let is_inside = directory.is_ok_and(|directory| hidden.contains(&directory));
        is_inside.then(|| "the working directory is in it".to_owned())
    }
}

impl Kind for LocalKind {
    fn name(&self) -> &str {
        Local::NAME
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        let mut local = Local::new(site.directory);
        if let Some(hidden) = self.hidden.as_ref().filter(|_| HiddenFolder::check_available().is_ok()) {
            let directory = resolve(site.directory).unwrap_or_else(|_| site.directory.to_owned());
            let hidden = if hidden.contains(&directory) { hidden.only_places() } else { Some(hidden.clone()) };
            let hidden = hidden.map(|hidden| hidden.outside_of(&directory));
            local.limits.hidden = hidden.filter(|hidden| !hidden.is_empty());
        }
        Ok(Arc::new(local))
    }
}

impl Local {
    /// The name of this environment.
    pub const NAME: &str = "local";

    /// Returns an environment whose programs run in `directory` by default. A relative path is made absolute.
    pub fn new(directory: impl AsRef<Path>) -> Self {
        let directory = directory.as_ref();
        let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        Self {
            directory,
            variables: None,
            limits: Limits::default(),
            processes: Arc::default(),
            shell: OnceLock::new(),
        }
    }

    /// Returns an environment for clients, which are local commands that run programs in another place. Clients have these variables, and
    /// run in `/`. Their ids are hidden, because they are not valid in the other place.
    #[cfg(unix)]
    pub(crate) fn for_clients(variables: Vec<(OsString, OsString)>) -> Self {
        let mut local = Self::new("/");
        local.variables = Some(variables);
        local
    }

    /// Blocks system calls that namespaces do not confine, for the clients and their programs.
    #[cfg(target_os = "linux")]
    pub(crate) fn filter_system_calls(mut self) -> Self {
        self.limits.filter_system_calls = true;
        self
    }
}

/// Returns the shell in the folders of the variable `PATH`.
#[cfg(unix)]
fn shell_in(path: Option<&std::ffi::OsStr>) -> Shell {
    Shell::find_in(path, |file| is_executable(&file))
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

    fn hides(&self) -> bool {
        self.limits.hidden.is_some()
    }

    fn hidden_places(&self) -> &[PathBuf] {
        self.limits.hidden.as_ref().map_or(&[], HiddenFolder::other_places)
    }

    fn check_hiding(&self, sees: &Sees) -> io::Result<()> {
        self.limits.hidden_from(sees).map_or(Ok(()), |hidden| hidden.check())
    }

    #[cfg(unix)]
    fn shell(&self) -> Shell {
        *self.shell.get_or_init(|| {
            let own = self.variables.as_ref();
            let path = own.map(|own| own.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone()));
            let path = path.unwrap_or_else(|| env::var_os("PATH"));
            shell_in(path.as_deref())
        })
    }

    #[cfg(not(unix))]
    fn shell(&self) -> Shell {
        *self.shell.get_or_init(|| Shell::Cmd)
    }

    fn start(&self, launch: Launch) -> io::Result<Box<dyn Running>> {
        self.processes().check_open()?;
        #[cfg(unix)]
        let launch = match launch.program {
            Program::Shell(_) => {
                // The system looks for the program in the changed path, too.
                let path = launch.variables.iter().rev().find(|(name, _)| name == "PATH");
                let shell = path.map_or_else(|| self.shell(), |(_, path)| shell_in(path.as_deref()));
                Launch { program: launch.program.in_shell(shell), ..launch }
            }
            Program::Command(..) => launch,
        };
        let StartedProgram { process, streams, channel } =
            process::start(launch, &self.directory, self.variables.as_deref(), &self.limits)?;
        let process = Arc::new(process);
        let mut processes = self.processes();
        // If the environment has been cleaned up in the meantime, dropping the process ends it.
        processes.check_open()?;
        processes.running.retain(|process| process.strong_count() > 0);
        processes.running.push(Arc::downgrade(&process));
        drop(processes);
        let id = self.variables.is_none().then(|| process.id());
        Ok(Box::new(LocalProcess { id, process, streams, channel, processes: Arc::clone(&self.processes) }))
    }

    fn end_released(&self) {
        let released = std::mem::take(&mut self.processes().released);
        end_all(&[], released);
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(LocalFiles)
    }

    fn clean_up(&self) {
        let (running, released) = {
            let mut processes = self.processes();
            processes.is_closed = true;
            (std::mem::take(&mut processes.running), std::mem::take(&mut processes.released))
        };
        end_all(&running, released);
    }
}

impl Local {
    fn processes(&self) -> std::sync::MutexGuard<'_, Processes> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends processes in parallel, because ending a process can take a second.
fn end_all(running: &[Weak<RunningProcess>], mut released: Vec<LeftRunning>) {
    thread::scope(|scope| {
        for process in running.iter().filter_map(Weak::upgrade) {
            scope.spawn(move || process.end());
        }
        released.retain(LeftRunning::is_running);
        for processes in &released {
            scope.spawn(move || processes.end());
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

    /// Keeps the processes of a released program, to end them later.
    fn keep(&mut self, processes: LeftRunning) {
        /// The minimum number of entries for a check. A check is expensive, because it reads every process of the system.
        const MIN: usize = 64;
        self.released.push(processes);
        if self.released.len() >= self.next_check.max(MIN) {
            self.released.retain(LeftRunning::is_running);
            self.next_check = 2 * self.released.len();
        }
    }
}
