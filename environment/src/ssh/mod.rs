//! Another machine, reached with the OpenSSH client.
//!
//! No software is installed on the other machine. [`connection`] keeps connections, which all programs of an environment share. It also keeps
//! a shell on the other machine that ends the programs if this host does not reconnect. [`line`] encodes command lines, [`target`] returns
//! the options of the client, and [`refusal`] explains why a connection could not be made.

mod connection;
mod line;
mod refusal;
mod target;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::own::OwnFolder;
use crate::remote::{self, Remote, RemoteEnvironment};
use crate::{Environment, HostKeys, Kind, Leases, Local, Promises, Site};
use connection::Connections;
use target::Target;

/// How long programs continue to run without a connection, by default.
const GRACE: Duration = Duration::from_mins(5);
/// A script that prints the token $1, the real path of the directory $2 in the home, and the variables, each followed by a NUL.
const INSPECT: &str = r#"
printf '%s\0' "$1"
[ -r /proc/self/stat ] || { printf 'no-proc\0'; exit; }
cd && cd -- "${2:-.}" 2> /dev/null || { printf 'no-directory\0'; exit; }
printf '%s\0' "$(pwd -P; echo x)"
cat /proc/self/environ
"#;

/// The kind of environments on another machine, which `ssh` reaches.
///
/// Programs have the rights of the user on that machine. The machine needs Linux, and a POSIX shell with the usual programs.
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
            host_keys: HostKeys::Strict,
            config_file: None,
        };
        Self { target, directory: None, grace: GRACE }
    }

    /// Sets the user on the other machine. The default is the name of the user on this machine.
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

    /// Sets the file with the private key. By default, `ssh` tries the keys of the user and of the agent.
    #[must_use]
    pub fn key(mut self, path: impl Into<PathBuf>) -> Self {
        self.target.key = Some(path.into());
        self
    }

    /// Sets what happens if a host key is unknown. By default, the connection is refused.
    #[must_use]
    pub fn host_keys(mut self, host_keys: HostKeys) -> Self {
        self.target.host_keys = host_keys;
        self
    }

    /// Sets a configuration file of OpenSSH, which can name jump hosts. By default, no file is read.
    #[must_use]
    pub fn config_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.target.config_file = Some(path.into());
        self
    }

    /// Sets the directory on the other machine, absolute or relative to the home. The default is the home.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets how long programs continue to run after the connection was lost or this process was killed, 5 minutes by default.
    #[must_use]
    pub fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Connects to the machine.
    pub(crate) fn connect(&self, leases: Option<&Arc<Leases>>) -> io::Result<RemoteEnvironment> {
        let own = OwnFolder::new(Self::NAME, leases)?;
        let prefix = remote::prefix();
        let connections = Connections::new(self.target.clone(), prefix.clone(), self.grace, own.path().to_owned())?;
        let local = Local::for_clients(target::variables());
        let mut environment = RemoteEnvironment::new(self, Remote::new(connections, local, prefix), own, leases);
        let directory = self.directory.as_deref().map_or(Path::new(""), without_tilde);
        (environment.directory, environment.variables) = self.inspect(&environment, directory)?;
        Ok(environment)
    }

    /// Returns the real path of the directory on the other machine, and the variables of programs.
    fn inspect(
        &self,
        environment: &RemoteEnvironment,
        directory: &Path,
    ) -> io::Result<(PathBuf, Vec<(OsString, OsString)>)> {
        let token = remote::prefix();
        let words = ["sh", "-c", INSPECT, "toolc", &token].map(OsStr::new);
        let output = environment.output(&[&words[..], &[directory.as_os_str()]].concat())?;
        // The shell may have printed other lines before the token, when it has read its settings.
        let start = format!("{token}\0");
        let reply = memchr::memmem::find(&output, start.as_bytes()).map(|at| &output[at + start.len()..]);
        let mut parts = reply.unwrap_or_default().splitn(2, |byte| *byte == 0);
        let (path, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let host = self.target.display_name();
        let failed = |text: String| Err(io::Error::new(io::ErrorKind::NotFound, text));
        match path.strip_suffix(b"\nx") {
            Some(path) => Ok((OsStr::from_bytes(path).into(), remote::variables(rest))),
            None if path == b"no-directory" => failed(format!(
                "the directory `{}` does not exist on `{host}`: create it on that machine, or set another directory",
                directory.display()
            )),
            None if path == b"no-proc" => {
                failed(format!("`{host}` has no `/proc`: programs can be run only on a machine with Linux"))
            }
            None => failed(format!("`{host}` does not run a POSIX shell with `cat`, `printf` and `pwd`")),
        }
    }
}

impl Kind for SshKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    /// Connects to the machine, and checks its requirements.
    fn check(&self) -> io::Result<Promises> {
        self.connect(None).map(|_| self.promises())
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Ok(Arc::new(self.connect(site.leases)?))
    }
}

/// Removes a leading `~` of a directory, because a relative directory is relative to the home anyway.
fn without_tilde(directory: &Path) -> &Path {
    directory.strip_prefix("~").unwrap_or(directory)
}
