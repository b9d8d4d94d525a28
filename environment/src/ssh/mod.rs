//! Another machine, reached by the client of OpenSSH.
//!
//! Nothing is installed there. [`connection`] keeps connections, which all programs of an environment share, and a shell over there that
//! ends the programs if this host does not come back. [`line`] writes what is sent, [`target`] the options, and [`refusal`] explains why
//! a connection could not be made.

mod connection;
mod line;
mod refusal;
mod target;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::own::OwnFolder;
use crate::remote::{self, Remote};
use crate::{
    Abilities, Environment, Files, Kind, Launch, Leases, Local, Promises, Resource, Running, ShellCache, ShellFiles,
    Site,
};
use connection::Connections;
pub use target::HostKeys;
use target::Target;

/// How long programs run on without a connection, by default.
const GRACE: Duration = Duration::from_mins(5);
/// Prints the token $1, the directory $2 below the home, and the variables, each followed by a NUL.
const LOOK: &str = r#"
printf '%s\0' "$1"
[ -r /proc/self/stat ] || { printf 'no-proc\0'; exit; }
cd && cd -- "${2:-.}" 2> /dev/null || { printf 'no-directory\0'; exit; }
printf '%s\0' "$(pwd -P; echo x)"
cat /proc/self/environ
"#;

/// The kind of environments on another machine, which `ssh` reaches.
///
/// Programs have the rights that the user has there. The machine needs Linux, and a POSIX shell with the usual programs.
#[derive(Debug, Clone)]
pub struct SshKind {
    target: Target,
    directory: Option<PathBuf>,
    grace: Duration,
}

impl SshKind {
    /// The name of this kind.
    pub const NAME: &str = "ssh";

    /// Creates the kind that runs programs on a host. Only host keys in the file `known_hosts` are accepted.
    pub fn new(host: impl Into<String>, known_hosts: impl Into<PathBuf>) -> Self {
        let target = Target {
            host: host.into(),
            user: None,
            port: None,
            key: None,
            known_hosts: known_hosts.into(),
            host_keys: HostKeys::default(),
            config_file: None,
        };
        Self { target, directory: None, grace: GRACE }
    }

    /// Sets the user over there. By default, it has the name of the user here.
    #[must_use]
    pub fn user(mut self, user: impl Into<String>) -> Self {
        self.target.user = Some(user.into());
        self
    }

    /// Sets the port. By default, it is 22.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.target.port = Some(port);
        self
    }

    /// Sets the file with the private key. By default, `ssh` tries the keys of the user and those of the agent.
    #[must_use]
    pub fn key(mut self, path: impl Into<PathBuf>) -> Self {
        self.target.key = Some(path.into());
        self
    }

    /// Sets what happens to host keys that are not known. By default, they are refused.
    #[must_use]
    pub fn host_keys(mut self, host_keys: HostKeys) -> Self {
        self.target.host_keys = host_keys;
        self
    }

    /// Sets a configuration file of OpenSSH, which can name other machines to go through. By default, none is read.
    #[must_use]
    pub fn config_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.target.config_file = Some(path.into());
        self
    }

    /// Sets the directory over there, absolute or relative to the home. By default, it is the home.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets how long programs run on after the connection was lost or this process was killed, 5 minutes by default.
    #[must_use]
    pub fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Connects to the machine, and checks that it has what is needed.
    ///
    /// # Errors
    /// The text says what is missing, and what to do.
    pub fn check(&self) -> io::Result<()> {
        Ssh::new(self, None).map(drop)
    }
}

impl Kind for SshKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Ok(Arc::new(Ssh::new(self, site.leases)?))
    }
}

/// Another machine.
#[derive(Debug)]
struct Ssh {
    directory: PathBuf,
    variables: Vec<(OsString, OsString)>,
    connections: Arc<Connections>,
    remote: Remote,
    has_started: AtomicBool,
    cache: ShellCache,
    /// Keeps the file of the lease locked until the folder with the sockets is removed.
    _leases: Option<Arc<Leases>>,
}

impl Ssh {
    fn new(kind: &SshKind, leases: Option<&Arc<Leases>>) -> io::Result<Self> {
        let folder = OwnFolder::new(SshKind::NAME, |path| match leases {
            Some(leases) => leases.add(&Resource::Folder(path.to_owned())),
            None => Ok(()),
        })?;
        let prefix = remote::prefix();
        let connections = Arc::new(Connections::new(kind.target.clone(), prefix.clone(), kind.grace, folder)?);
        let local = Local::new("/").with_variables(target::variables());
        let remote = Remote::new(Box::new(Arc::clone(&connections)), local, prefix);
        let directory = kind.directory.as_deref().map(below_home);
        let mut it = Self {
            directory: PathBuf::new(),
            variables: Vec::new(),
            connections,
            remote,
            has_started: AtomicBool::new(false),
            cache: ShellCache::default(),
            _leases: leases.cloned(),
        };
        (it.directory, it.variables) = it.look(&kind.target, directory.unwrap_or(Path::new("")))?;
        Ok(it)
    }

    /// Returns the directory over there, and the variables of programs.
    fn look(&self, target: &Target, directory: &Path) -> io::Result<(PathBuf, Vec<(OsString, OsString)>)> {
        let token = remote::prefix();
        let words = ["sh", "-c", LOOK, "toolc", &token].map(OsStr::new);
        let output = self.remote.output(&[&words[..], &[directory.as_os_str()]].concat())?;
        // A shell may have printed something before, when it has read its settings.
        let start = format!("{token}\0");
        let found = memchr::memmem::find(&output, start.as_bytes()).map(|at| &output[at + start.len()..]);
        let mut parts = found.unwrap_or_default().splitn(2, |byte| *byte == 0);
        let (path, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let host = target.shown();
        let failed = |text: String| Err(io::Error::new(io::ErrorKind::NotFound, text));
        match path.strip_suffix(b"\nx") {
            Some(path) => Ok((OsStr::from_bytes(path).into(), remote::variables(rest))),
            None if path == b"no-directory" => failed(format!(
                "the directory `{}` does not exist on `{host}`: create it there, or set another one",
                directory.display()
            )),
            None if path == b"no-proc" => {
                failed(format!("`{host}` has no `/proc`: programs can be run only on a machine with Linux"))
            }
            None => failed(format!("`{host}` does not run a POSIX shell with `cat`, `printf` and `pwd`")),
        }
    }
}

/// Returns a directory without the sign for the home, to which it is relative in any case.
fn below_home(directory: &Path) -> &Path {
    directory.strip_prefix("~").unwrap_or(directory)
}

impl Environment for Ssh {
    fn name(&self) -> &str {
        SshKind::NAME
    }

    fn abilities(&self) -> Abilities {
        Abilities { terminal: true, background: true, channel: false }
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn directory(&self) -> &Path {
        &self.directory
    }

    fn variables(&self) -> io::Result<Vec<(OsString, OsString)>> {
        Ok(self.variables.clone())
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        None
    }

    fn start(&self, launch: Launch) -> io::Result<Box<dyn Running>> {
        self.has_started.store(true, Ordering::SeqCst);
        self.remote.start(launch, &self.directory)
    }

    fn end_released(&self) {
        self.remote.end_released();
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(ShellFiles::new(self, &self.cache))
    }

    fn clean_up(&self) {
        if !self.remote.close() {
            return;
        }
        if self.has_started.load(Ordering::SeqCst) {
            // If the machine cannot be reached, the guard ends them there.
            let _ = self.remote.end_all();
        }
        self.connections.close();
        self.remote.end_commands();
    }
}

impl Drop for Ssh {
    fn drop(&mut self) {
        self.clean_up();
    }
}
