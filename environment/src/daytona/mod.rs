//! Sandboxes of Daytona, a service on the network.
//!
//! The HTTP API ([`api`]) makes and deletes a sandbox, and gives a token for its SSH gateway. Programs run through SSH, as on any other
//! machine.
//!
//! The service deletes a sandbox that is idle or too old. Before a host makes a sandbox, it deletes the sandboxes of ended hosts with the
//! same toolc home. Each sandbox has a label with the name of its host's lease.

mod api;

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::copy::Copies;
use crate::lease::resource_name;
use crate::own::OwnFolder;
use crate::remote::RemoteEnvironment;
use crate::{Environment, HostKeys, Kind, Leases, Promises, Site, SshKind};
use api::{Access, NewSandbox, Service};

/// The address of the service.
const URL: &str = "https://app.daytona.io/api";
/// The default maximum lifetime of a sandbox.
const LIFETIME: Duration = Duration::from_hours(2);
/// How long a sandbox may be idle. For the service, a connection to its SSH gateway is activity, but a running program is not.
const IDLE: Duration = Duration::from_mins(15);
/// The default maximum number of sandboxes.
const MAX_SANDBOXES: usize = 8;
/// How long the gateway may refuse connections after the start of a sandbox.
const GATEWAY_LIMIT: Duration = Duration::from_secs(45);
/// The pause between attempts to connect.
const GATEWAY_PAUSE: Duration = Duration::from_secs(1);

/// The kind of sandboxes of Daytona.
///
/// A sandbox has no files of this machine, not even the directory of the task. Programs have no network unless
/// [`network`](Self::network) allows it.
#[derive(Debug, Clone)]
pub struct DaytonaKind {
    api: Service,
    snapshot: Option<String>,
    target: Option<String>,
    directory: Option<PathBuf>,
    network: bool,
    lifetime: Duration,
    max_sandboxes: usize,
    known_hosts: PathBuf,
    host_keys: HostKeys,
    copies: Option<Copies>,
    /// The lock that is held while sandboxes are counted and a sandbox is made. Clones share it.
    create_lock: Arc<Mutex<()>>,
}

impl DaytonaKind {
    /// The name of this kind.
    pub const NAME: &str = "daytona";

    /// Creates the kind that makes sandboxes with an API key. Only host keys of the gateway in the file `known_hosts` are accepted.
    pub fn new(key: impl Into<String>, known_hosts: impl Into<PathBuf>) -> Self {
        Self {
            api: Service::new(URL, key.into(), None),
            snapshot: None,
            target: None,
            directory: None,
            network: false,
            lifetime: LIFETIME,
            max_sandboxes: MAX_SANDBOXES,
            known_hosts: known_hosts.into(),
            host_keys: HostKeys::Strict,
            copies: None,
            create_lock: Arc::default(),
        }
    }

    /// Sets the address of the service, `https://app.daytona.io/api` by default.
    #[must_use]
    pub fn url(self, url: impl Into<String>) -> Self {
        let Service { key, organization, .. } = self.api;
        Self { api: Service::new(&url.into(), key, organization), ..self }
    }

    /// Sets the id of the organization, for a key that belongs to several.
    #[must_use]
    pub fn organization(mut self, id: impl Into<String>) -> Self {
        self.api.organization = Some(id.into());
        self
    }

    /// Sets the region. The default is the region of the organization.
    #[must_use]
    pub fn target(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Sets the snapshot from which sandboxes are made. The default is Daytona's default snapshot.
    #[must_use]
    pub fn snapshot(mut self, snapshot: impl Into<String>) -> Self {
        self.snapshot = Some(snapshot.into());
        self
    }

    /// Sets the directory in the sandbox, absolute or relative to the home directory there, which is the default.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets whether programs have a network, which reaches the Internet.
    #[must_use]
    pub fn network(self, network: bool) -> Self {
        Self { network, ..self }
    }

    /// Sets the maximum lifetime of a sandbox in whole minutes, two hours by default. After it, the service deletes the sandbox even if
    /// programs run in it.
    #[must_use]
    pub fn lifetime(self, lifetime: Duration) -> Self {
        Self { lifetime, ..self }
    }

    /// Sets the maximum number of sandboxes that hosts with the same home have at a time, 8 by default.
    #[must_use]
    pub fn max_sandboxes(self, max_sandboxes: usize) -> Self {
        Self { max_sandboxes, ..self }
    }

    /// Sets what happens if the host key of the gateway is unknown. By default, the connection is refused.
    #[must_use]
    pub fn host_keys(self, host_keys: HostKeys) -> Self {
        Self { host_keys, ..self }
    }

    /// Sets the files that are copied into a new sandbox, and out of it when it ends.
    #[must_use]
    pub fn copies(self, copies: Copies) -> Self {
        Self { copies: Some(copies), ..self }
    }

    fn check_key(&self) -> io::Result<()> {
        let is_printable = |key: &str| !key.is_empty() && key.chars().all(|letter| letter.is_ascii_graphic());
        if is_printable(&self.api.key) {
            return Ok(());
        }
        let text = "Daytona needs a key: set `DAYTONA_API_KEY` in the file .env of toolc's home";
        Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
    }

    /// Deletes the sandboxes of ended hosts, makes a sandbox, and returns its id.
    fn create(&self, name: &str, leases: Option<&Arc<Leases>>) -> io::Result<String> {
        let _guard = self.create_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let (home, lease) = match leases {
            Some(leases) => (leases.id()?, leases.lease_name()?),
            // Without leases, only the service deletes an abandoned sandbox.
            None => (String::new(), String::new()),
        };
        let mut running = 0;
        for sandbox in self.api.list()? {
            match leases {
                Some(leases) if sandbox.home == home && !leases.is_held(&sandbox.lease) => {
                    self.api.delete(&sandbox.id)?;
                }
                _ if sandbox.home == home => running += 1,
                _ => {}
            }
        }
        if running >= self.max_sandboxes {
            let text = format!(
                "{running} sandboxes of Daytona are in use, and `environment.daytona.max_sandboxes` is {}: end a task, or raise the limit",
                self.max_sandboxes
            );
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, text));
        }
        self.api.create(&NewSandbox {
            name,
            snapshot: self.snapshot.as_deref(),
            target: self.target.as_deref(),
            network: self.network,
            lifetime: self.lifetime,
            idle: IDLE,
            home: &home,
            lease: &lease,
        })
    }

    /// Connects to a sandbox. Shortly after its start, the gateway can refuse connections.
    fn connect(
        &self,
        access: &Access,
        user_file: &Path,
        leases: Option<&Arc<Leases>>,
    ) -> io::Result<RemoteEnvironment> {
        let kind = SshKind::new(&*access.host, &self.known_hosts).host_keys(self.host_keys).config_file(user_file);
        let kind = access.port.into_iter().fold(kind, SshKind::port);
        let kind = self.directory.iter().fold(kind, SshKind::directory);
        let started = Instant::now();
        loop {
            match kind.connect(leases) {
                Ok(environment) => return Ok(environment),
                Err(error) => {
                    // A new attempt does not help if the host key is unknown or a setting is invalid.
                    let is_final =
                        matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput);
                    if is_final || started.elapsed() > GATEWAY_LIMIT {
                        // The name of the SSH user is the token, so messages can contain it.
                        let text = error.to_string().replace(&access.token, "TOKEN");
                        return Err(io::Error::new(error.kind(), text));
                    }
                    thread::sleep(GATEWAY_PAUSE);
                }
            }
        }
    }
}

impl Kind for DaytonaKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises { isolated: !self.network, limited_processes: false }
    }

    /// Checks that the service answers and accepts the key.
    fn check(&self) -> io::Result<Promises> {
        self.check_key()?;
        self.api.check().map(|()| self.promises())
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        let failed =
            |error: io::Error| io::Error::new(error.kind(), format!("a sandbox of Daytona cannot be used: {error}"));
        self.check_key()?;
        let name = resource_name();
        let sandbox = Sandbox { id: self.create(&name, site.leases).map_err(failed)?, api: self.api.clone() };
        self.api.wait(&sandbox.id).map_err(failed)?;
        let access = self.api.access(&sandbox.id, self.lifetime).map_err(failed)?;
        let own = OwnFolder::new(Self::NAME, site.leases)?;
        // Other users of this machine could see the token in the arguments of `ssh`, so write it to a file.
        let user_file = own.path().join("ssh_config");
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&user_file)?;
        writeln!(file, "User \"{}\"", access.token.replace(['"', '\\'], ""))?;
        let mut environment = self.connect(&access, &user_file, site.leases).map_err(failed)?;
        (environment.name, environment.promises) = (Self::NAME.to_owned(), self.promises());
        environment.drop_last = Mutex::new(Some(Box::new((sandbox, own))));
        Ok(Arc::new(environment.with_copies(self.copies.as_ref()).map_err(failed)?))
    }
}

/// A sandbox of the service. Dropping the value deletes the sandbox.
#[derive(Debug)]
struct Sandbox {
    id: String,
    api: Service,
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // If this fails, the next host with this home or the service deletes the sandbox.
        let _ = self.api.delete(&self.id);
    }
}
