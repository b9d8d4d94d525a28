//! An environment whose programs run in a [`Place`], such as a container or another machine.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Client, Remote, Streams, variables};
use crate::copy::Copies;
use crate::own::OwnFolder;
use crate::{
    Abilities, Environment, Files, Kind, Launch, Leases, Program, Promises, Running, Shell, ShellCache, ShellFiles,
};

/// A script that prints which shell there is.
const FIND_BASH: &str = "command -v bash > /dev/null 2>&1 && echo bash || echo sh";

/// A container, sandbox or machine in which programs run. It is reached by a local command, the client.
pub(crate) trait Place: fmt::Debug + Send + Sync {
    /// Returns the client: the local command that runs the command `words` in the place. The words must be passed unchanged.
    ///
    /// # Errors
    /// If the place cannot be reached.
    fn client(&self, words: Vec<OsString>, streams: Streams) -> io::Result<Client>;

    /// Returns whether the client passes on changes of the size of its terminal. If not, a command in the place sets the size.
    fn passes_size(&self) -> bool {
        true
    }

    /// Ends the place. `remote` can end programs that would outlive it.
    fn end(&self, remote: &Remote);
}

/// The environment in a [`Place`].
#[derive(Debug)]
pub(crate) struct RemoteEnvironment {
    pub(crate) name: String,
    pub(crate) promises: Promises,
    pub(crate) directory: PathBuf,
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// The folder for temporary files, if it has the same path in the place.
    pub(crate) temporary_folder: Option<PathBuf>,
    /// The paths to copy out before the place ends.
    copies: Mutex<Option<Copies>>,
    /// A value that is dropped when the place has ended.
    pub(crate) drop_last: Mutex<Option<Box<dyn fmt::Debug + Send + Sync>>>,
    remote: Remote,
    /// Found when first needed.
    shell: OnceLock<Shell>,
    cache: ShellCache,
    _own: OwnFolder,
    /// The leases, which keep the file of the lease locked until the place has ended.
    _leases: Option<Arc<Leases>>,
}

impl RemoteEnvironment {
    /// Creates an environment of a kind in the place of `remote`, which uses the folder `own`. Dropping it ends the place.
    pub(crate) fn new(kind: &dyn Kind, remote: Remote, own: OwnFolder, leases: Option<&Arc<Leases>>) -> Self {
        Self {
            name: kind.name().to_owned(),
            promises: kind.promises(),
            directory: PathBuf::from("/"),
            variables: Vec::new(),
            temporary_folder: None,
            copies: Mutex::default(),
            drop_last: Mutex::default(),
            remote,
            shell: OnceLock::new(),
            cache: ShellCache::default(),
            _own: own,
            _leases: leases.cloned(),
        }
    }

    /// Sets the directory in the place, and reads the variables of its programs.
    ///
    /// # Errors
    /// If no program can run in the place.
    pub(crate) fn begin_in(mut self, directory: PathBuf) -> io::Result<Self> {
        self.directory = directory;
        self.variables = variables(&self.output(&["cat", "/proc/self/environ"])?);
        Ok(self)
    }

    /// Copies files into the directory now, and files out of it before the place ends.
    ///
    /// # Errors
    /// If files cannot be copied into the directory.
    pub(crate) fn with_copies(mut self, copies: Option<&Copies>) -> io::Result<Self> {
        if let Some(copies) = copies {
            copies.put(&self)?;
            self.copies = Mutex::new(Some(copies.clone()));
        }
        Ok(self)
    }

    /// Runs a short program without input, and returns its standard output.
    ///
    /// # Errors
    /// If the program fails, or does not end within a minute.
    pub(crate) fn output(&self, words: &[impl AsRef<OsStr>]) -> io::Result<Vec<u8>> {
        self.remote.output(words)
    }
}

impl Environment for RemoteEnvironment {
    fn name(&self) -> &str {
        &self.name
    }

    fn abilities(&self) -> Abilities {
        Abilities { terminal: true, background: true, channel: false }
    }

    fn promises(&self) -> Promises {
        self.promises
    }

    fn directory(&self) -> &Path {
        &self.directory
    }

    fn variables(&self) -> io::Result<Vec<(OsString, OsString)>> {
        Ok(self.variables.clone())
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        self.temporary_folder.clone()
    }

    fn shell(&self) -> Shell {
        if let Some(shell) = self.shell.get() {
            return *shell;
        }
        // If the place does not answer, the next program looks again.
        let Ok(answer) = self.output(&["sh", "-c", FIND_BASH]) else { return Shell::Posix };
        // A shell may print other lines when it reads its settings.
        *self.shell.get_or_init(|| if answer.ends_with(b"bash\n") { Shell::Bash } else { Shell::Posix })
    }

    fn start(&self, launch: Launch) -> io::Result<Box<dyn Running>> {
        let launch = match launch.program {
            Program::Shell(_) => Launch { program: launch.program.in_shell(self.shell()), ..launch },
            Program::Command(..) => launch,
        };
        self.remote.start(launch, &self.directory)
    }

    fn end_released(&self) {
        self.remote.end_released();
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(ShellFiles::new(self, &self.cache))
    }

    fn clean_up(&self) {
        let copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(copies) = copies {
            copies.get(self);
        }
        if self.remote.close() {
            drop(self.drop_last.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl Drop for RemoteEnvironment {
    fn drop(&mut self) {
        self.clean_up();
    }
}
