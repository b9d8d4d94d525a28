//! A sandbox on this machine, for tasks that work on untrusted files. Bubblewrap makes it from namespaces.
//!
//! [`mounts`] lists the files that programs see. A [`holder`] keeps the namespaces while the environment exists, so that all programs of a
//! task see the same processes and network, as on one machine. [`bounds`] limits processes and memory. [`enter`] writes the command line
//! with which a program joins the sandbox.

mod bounds;
mod enter;
mod holder;
mod mounts;
mod programs;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::local::TERM;
use crate::own::OwnFolder;
use crate::place;
use crate::shell_program::is_executable;
use crate::{
    Abilities, Environment, Files, Kind, Launch, Leases, Local, Output, Program, Promises, Resource, Running, Shell,
    ShellCache, ShellFiles, Site,
};
use bounds::Bounds;
use enter::Entry;
use holder::Holder;
use mounts::Mount;
use programs::Programs;

/// The default maximum number of processes and threads of a sandbox.
const MAX_PROCESSES: u32 = 2_048;

/// The kind of sandboxes on this machine: the files that they see, and their limits.
///
/// ```
/// use toolc_environment::{Kind as _, SandboxKind};
///
/// let kind = SandboxKind::default().readable("/home/me/.cargo").max_memory(2 << 30);
/// if let Err(missing) = kind.check() {
///     println!("no sandbox: {missing}");
/// }
/// ```
#[derive(Debug, Clone)]
pub struct SandboxKind {
    readable: Vec<PathBuf>,
    writable: Vec<PathBuf>,
    max_processes: u32,
    max_memory: Option<u64>,
}

impl Default for SandboxKind {
    fn default() -> Self {
        Self { readable: Vec::new(), writable: Vec::new(), max_processes: MAX_PROCESSES, max_memory: None }
    }
}

impl SandboxKind {
    /// The name of this kind.
    pub const NAME: &str = "sandbox";

    /// Adds a folder or file that programs can read, such as a toolchain in the user's home.
    #[must_use]
    pub fn readable(mut self, path: impl Into<PathBuf>) -> Self {
        self.readable.push(path.into());
        self
    }

    /// Adds a folder or file that programs can read and write.
    #[must_use]
    pub fn writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.writable.push(path.into());
        self
    }

    /// Sets the maximum number of processes and threads of a sandbox, 2,048 by default.
    #[must_use]
    pub fn max_processes(mut self, number: u32) -> Self {
        self.max_processes = number;
        self
    }

    /// Sets the memory limit of a sandbox, in bytes. If this process can make control groups, the limit applies to all processes of the
    /// sandbox together, and otherwise to each process. By default, there is no limit.
    #[must_use]
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.max_memory = Some(bytes);
        self
    }
}

impl Kind for SandboxKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises { isolated: true, limited_processes: Bounds::can_limit_processes() }
    }

    /// Makes a sandbox in an empty directory, and runs a program in it.
    fn check(&self) -> io::Result<Promises> {
        let folder = OwnFolder::new(Self::NAME, None)?;
        let sandbox = Sandbox::new(self, &Site { directory: folder.path(), host_home: None, leases: None })?;
        let running = sandbox.start(Launch::new(Program::Command("true".into(), Vec::new()), Output::None))?;
        match running.wait(&|| false)? {
            Some(outcome) if outcome.exit.code() == Some(0) => Ok(sandbox.promises()),
            outcome => Err(io::Error::other(format!("the program `true` failed in a sandbox: {outcome:?}"))),
        }
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Ok(Arc::new(Sandbox::new(self, site)?))
    }
}

/// A sandbox on this machine.
#[derive(Debug)]
struct Sandbox {
    directory: PathBuf,
    mounts: Vec<Mount>,
    variables: Vec<(OsString, OsString)>,
    programs: Programs,
    bounds: Bounds,
    /// The holder, or `None` after the clean-up. A program in the sandbox can end the holder and all processes. In this case, the next program
    /// gets a new holder.
    holder: Mutex<Option<Arc<Holder>>>,
    /// Runs the programs that join the namespaces.
    local: Local,
    /// Found when first needed.
    shell: OnceLock<Shell>,
    cache: ShellCache,
    own: OwnFolder,
    /// The leases, which are kept until all resources are removed.
    _leases: Option<Arc<Leases>>,
}

impl Sandbox {
    fn new(kind: &SandboxKind, site: &Site<'_>) -> io::Result<Self> {
        let programs = Programs::find()?;
        let directory = place::directory(site, SandboxKind::NAME)?;
        let own = OwnFolder::new(SandboxKind::NAME, site.leases)?;
        let mounts = mounts::mounts(kind, &directory, own.path())?;
        let bounds =
            Bounds::new(kind.max_processes, kind.max_memory, &|group| site.add(&Resource::ControlGroup(group)));
        let (cache, leases) = (ShellCache::default(), site.leases.cloned());
        let holder = Mutex::new(Some(Arc::new(Holder::start(&programs, &mounts)?)));
        let variables = mounts::variables(&mounts);
        let local = Local::for_clients(vec![("PATH".into(), programs::PATH.into())]).filter_system_calls();
        let shell = OnceLock::new();
        Ok(Self { directory, mounts, variables, programs, bounds, holder, local, shell, cache, own, _leases: leases })
    }

    /// Returns the running holder, and starts a new one if the last one has ended.
    fn holder(&self) -> io::Result<Arc<Holder>> {
        let mut holder = self.lock();
        let ended = || io::Error::other("the environment has been cleaned up");
        let current = holder.as_ref().ok_or_else(ended)?;
        if current.is_running() {
            return Ok(Arc::clone(current));
        }
        let new = Arc::new(Holder::start(&self.programs, &self.mounts)?);
        *holder = Some(Arc::clone(&new));
        Ok(new)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Holder>>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the path on this machine of a path in the sandbox.
    fn outside(&self, inside: &Path) -> Option<PathBuf> {
        let mount = self.mounts.iter().rev().find(|mount| inside.starts_with(&mount.inside))?;
        Some(mount.outside.join(inside.strip_prefix(&mount.inside).ok()?))
    }

    /// Returns whether a folder exists in the sandbox, as far as this can be checked from outside.
    fn has_folder(&self, inside: &Path) -> bool {
        let is_above_a_mount = || self.mounts.iter().any(|mount| mount.inside.starts_with(inside));
        let is_kernel_folder = || ["/dev", "/proc"].iter().any(|folder| inside.starts_with(folder));
        self.outside(inside).is_some_and(|outside| outside.is_dir()) || is_above_a_mount() || is_kernel_folder()
    }

    /// Returns the variables of a program.
    fn variables_with(&self, changes: Vec<(OsString, Option<OsString>)>) -> Vec<(OsString, OsString)> {
        let mut variables = self.variables.clone();
        for (name, value) in changes {
            variables.retain(|(other, _)| *other != name);
            variables.extend(value.map(|value| (name, value)));
        }
        variables
    }

    /// Checks that a program exists in the sandbox, as far as this can be checked from outside.
    fn check_program(&self, program: &Path, directory: &Path, path: Option<&OsString>) -> io::Result<()> {
        let exists = |inside: PathBuf| self.outside(&inside).is_some_and(|outside| outside.exists());
        let found = if program.components().count() > 1 {
            exists(directory.join(program))
        } else {
            path.is_some_and(|path| std::env::split_paths(path).any(|folder| exists(folder.join(program))))
        };
        let missing = || io::Error::new(io::ErrorKind::NotFound, "the program is not in the sandbox");
        found.then_some(()).ok_or_else(missing)
    }
}

impl Environment for Sandbox {
    fn name(&self) -> &str {
        SandboxKind::NAME
    }

    fn abilities(&self) -> Abilities {
        self.local.abilities()
    }

    fn promises(&self) -> Promises {
        Promises { isolated: true, limited_processes: self.bounds.limits_processes() }
    }

    fn directory(&self) -> &Path {
        &self.directory
    }

    fn variables(&self) -> io::Result<Vec<(OsString, OsString)>> {
        Ok(self.variables.clone())
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        Some(mounts::temporary(self.own.path()))
    }

    fn shell(&self) -> Shell {
        *self.shell.get_or_init(|| {
            let path = self.variables.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
            Shell::find_in(path, |inside| self.outside(&inside).is_some_and(|outside| is_executable(&outside)))
        })
    }

    fn start(&self, launch: Launch) -> io::Result<Box<dyn Running>> {
        let launch = match launch.program {
            Program::Shell(_) => Launch { program: launch.program.in_shell(self.shell()), ..launch },
            Program::Command(..) => launch,
        };
        let check = launch.directory_check();
        let directory = launch.directory.map_or_else(|| self.directory.clone(), |path| self.directory.join(path));
        if !self.has_folder(&directory) {
            let text = format!("the directory `{}` is not in the sandbox", directory.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        let mut changes = launch.variables;
        if matches!(launch.output, Output::Terminal { .. }) {
            changes.insert(0, ("TERM".into(), Some(TERM.into())));
        }
        let variables = self.variables_with(changes);
        if let Program::Command(program, _) = &launch.program {
            let path = variables.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
            self.check_program(Path::new(program), &directory, path)?;
        }
        let holder = self.holder()?;
        let entry = Entry { directory: &directory, check, variables: &variables, program: launch.program };
        let program = entry.command(&self.programs, holder.namespaces(), &self.bounds)?;
        let launch = Launch { program, directory: Some("/".into()), identity: None, variables: Vec::new(), ..launch };
        self.local.start(launch)
    }

    fn end_released(&self) {
        self.local.end_released();
    }

    fn files(&self) -> Box<dyn Files + '_> {
        // Files are accessed by programs in the sandbox, so that no link leads out of it.
        Box::new(ShellFiles::new(self, &self.cache))
    }

    fn clean_up(&self) {
        self.local.clean_up();
        // When the holder ends, the system ends every process of its namespace.
        if let Some(holder) = self.lock().take() {
            holder.end();
        }
        self.bounds.remove();
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.clean_up();
    }
}
