//! Leases: records of the resources that a host has made, so that the next host can remove them if the first host was killed.
//!
//! A lease is a file that its host keeps locked. The system unlocks the file when the host ends for any reason. A resource is recorded in
//! the file before it is made. When a host starts, it [removes](Leases::clean_up) the resources of all leases that no host holds.
//!
//! The guardian of [`toolc_process`] already ends the processes of a host that was killed. A lease is for the case that the guardian was
//! killed, too, and for resources that are not processes.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, OnceLock, PoisonError};
#[cfg(unix)]
use std::time::{SystemTime, UNIX_EPOCH};

use toolc_process::HostId;

#[cfg(unix)]
use crate::docker;
#[cfg(unix)]
use crate::instance::{Instance, PROGRAMS};
#[cfg(unix)]
use crate::modal_sdk::ModalSdk;

/// The maximum length of a lease. Resources that are listed after this length are not removed.
const MAX_LENGTH: u64 = 1 << 20;
/// The name of the file with the id of the folder.
#[cfg(feature = "daytona")]
const ID: &str = ".id";
/// The beginning of names of files and folders that a lease may remove.
pub(crate) const PREFIX: &str = "toolc-";

/// Returns a unique name for a resource of this process.
#[cfg(unix)]
pub(crate) fn resource_name() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("{PREFIX}{}-{random:016x}", std::process::id())
}

/// The folder of the leases of a user, in the home of the host.
#[derive(Debug)]
pub struct Leases {
    folder: PathBuf,
    own: OnceLock<OwnLease>,
    #[cfg(unix)]
    modal: ModalSdk,
}

/// The lease of this process.
#[derive(Debug)]
struct OwnLease {
    path: PathBuf,
    file: Mutex<File>,
}

/// The lease of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The id of the host's process.
    pub process: u32,
    /// Whether the host still runs.
    pub is_held: bool,
    /// The resources that the host has made. Some of them may have been removed already.
    pub resources: Vec<Resource>,
    /// Why parts of the lease cannot be read, each as a sentence without a full stop.
    pub problems: Vec<String>,
}

/// A resource that a host has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// The processes of the host's commands. They are ended.
    Processes(HostId),
    /// A folder in the system's folder for temporary files, whose name begins with `toolc-`. It is removed with its content.
    Folder(PathBuf),
    /// A control group whose name begins with `toolc-`. It is removed.
    ControlGroup(PathBuf),
    /// A container whose name begins with `toolc-`. It is removed with all its processes.
    #[cfg(unix)]
    Container(String),
    /// An instance of Apptainer or Singularity whose name begins with `toolc-`. It is stopped with all its processes.
    #[cfg(unix)]
    Instance(Instance),
    /// A sandbox of Modal whose name begins with `toolc-`. It is ended, unless Modal has already done so because of its age.
    #[cfg(unix)]
    ModalSandbox {
        /// The name of the sandbox.
        name: String,
        /// The app to which it belongs.
        app: String,
        /// When Modal ends it, in seconds from the beginning of 1970.
        until: u64,
    },
}

impl Leases {
    /// Returns the leases in a folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            own: OnceLock::new(),
            #[cfg(unix)]
            modal: ModalSdk::default(),
        }
    }

    /// Sets how sandboxes of Modal are ended.
    #[cfg(unix)]
    pub(crate) fn with_modal_sdk(self, modal: ModalSdk) -> Self {
        Self { modal, ..self }
    }

    /// Records that this process is about to make a resource. The first call creates the lease.
    ///
    /// # Errors
    /// If the resource cannot be recorded. In this case, it must not be made.
    pub fn add(&self, resource: &Resource) -> io::Result<()> {
        let line = resource.to_string();
        if line.contains('\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the name of the resource has a line break"));
        }
        let mut file = self.own_lease()?.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// Returns the lease of this process. The first call creates it.
    fn own_lease(&self) -> io::Result<&OwnLease> {
        if let Some(lease) = self.own.get() {
            return Ok(lease);
        }
        let lease = OwnLease::create(&self.folder)?;
        // Another thread may have been faster. In this case, this empty lease is dropped.
        Ok(self.own.get_or_init(|| lease))
    }

    /// Returns the name of this process's lease, which identifies the host to a service on the network.
    ///
    /// # Errors
    /// If the lease cannot be written.
    #[cfg(feature = "daytona")]
    pub(crate) fn lease_name(&self) -> io::Result<String> {
        let name = self.own_lease()?.path.file_name().unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// Returns whether a host holds the lease with this name.
    #[cfg(feature = "daytona")]
    pub(crate) fn is_held(&self, name: &str) -> bool {
        let is_own = |own: &OwnLease| own.path.file_name().is_some_and(|own| own == name);
        self.own.get().is_some_and(is_own)
            || self.files().any(|file| file.path.file_name().is_some_and(|own| own == name) && file.lease.is_held)
    }

    /// Returns the random id of the folder, which identifies hosts with the same home to a service on the network. The first call writes it.
    ///
    /// # Errors
    /// If the id can be neither read nor written.
    #[cfg(feature = "daytona")]
    pub(crate) fn id(&self) -> io::Result<String> {
        self.own_lease()?;
        let path = self.folder.join(ID);
        let random = RandomState::new().build_hasher().finish();
        if !path.exists() {
            // The link makes the file appear with its content, and only one host can create it.
            let new = self.folder.join(format!("{ID}-{random:016x}"));
            fs::write(&new, format!("{random:016x}"))?;
            let linked = fs::hard_link(&new, &path);
            fs::remove_file(&new)?;
            linked.or_else(|error| if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })?;
        }
        let mut id = String::new();
        File::open(&path)?.take(MAX_LENGTH).read_to_string(&mut id)?;
        if id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(id);
        }
        let text = format!("`{}` does not contain 16 hexadecimal digits: remove it", path.display());
        Err(io::Error::new(io::ErrorKind::InvalidData, text))
    }

    /// Returns the leases of all hosts, by increasing process id.
    pub fn list(&self) -> Vec<Lease> {
        let mut leases: Vec<Lease> = self.files().map(|file| file.lease).collect();
        leases.sort_by_key(|lease| lease.process);
        leases
    }

    /// Removes the resources of leases that no process holds. Returns the removed resources, and a problem for each lease whose resources
    /// could not all be removed. Such leases are kept.
    pub fn clean_up(&self) -> (Vec<Resource>, Vec<String>) {
        let (mut removed, mut problems) = (Vec::new(), Vec::new());
        for LeaseFile { path, lease, .. } in self.files().filter(|file| !file.lease.is_held) {
            let mut failed = lease.problems;
            for resource in lease.resources {
                match resource.remove(self) {
                    Ok(existed) => removed.extend(existed.then_some(resource)),
                    Err(error) => failed.push(error.to_string()),
                }
            }
            match failed.last() {
                Some(error) => {
                    problems.push(format!("failed to remove the resources that `{}` lists: {error}", path.display()));
                }
                None => drop(fs::remove_file(&path)),
            }
        }
        (removed, problems)
    }

    /// Reads the leases. This process keeps each lease that no host holds locked until its [`LeaseFile`] is dropped.
    fn files(&self) -> impl Iterator<Item = LeaseFile> {
        fs::read_dir(&self.folder).into_iter().flatten().flatten().filter_map(|entry| LeaseFile::read(entry.path()))
    }
}

/// The file of a lease.
#[derive(Debug)]
struct LeaseFile {
    path: PathBuf,
    lease: Lease,
    /// The open file, which is locked unless the host holds the lease.
    _file: File,
}

impl LeaseFile {
    /// Reads the file of a lease. Returns `None` if the file is not a lease, or has been removed.
    fn read(path: PathBuf) -> Option<Self> {
        // The name of a lease that is not locked yet begins with a dot.
        let name = path.file_name()?.to_str().filter(|name| !name.starts_with('.'))?;
        let process = name.split('-').next()?.parse().ok()?;
        let file = OpenOptions::new().read(true).write(true).open(&path).ok()?;
        let is_held = file.try_lock().is_err();
        let mut text = String::new();
        let read = (&file).take(MAX_LENGTH).read_to_string(&mut text);
        let mut problems: Vec<String> = read.err().map(|error| error.to_string()).into_iter().collect();
        let mut resources = Vec::new();
        for line in text.lines() {
            match line.parse() {
                Ok(resource) => resources.push(resource),
                Err(problem) => problems.push(problem),
            }
        }
        Some(Self { path, lease: Lease { process, is_held, resources, problems }, _file: file })
    }
}

impl OwnLease {
    fn create(folder: &Path) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        builder.create(folder)?;
        let random = RandomState::new().build_hasher().finish();
        let name = format!("{}-{random:016x}", std::process::id());
        // The file gets its final name after it is locked, so that no other host takes it for an abandoned lease.
        let (new, path) = (folder.join(format!(".{name}")), folder.join(name));
        let file = options.open(&new)?;
        file.try_lock().map_err(io::Error::from)?;
        fs::rename(&new, &path)?;
        Ok(Self { path, file: Mutex::new(file) })
    }
}

impl Drop for OwnLease {
    /// Removes the lease of a host that ends normally, because the host has removed its resources.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Resource {
    /// Removes the resource. Returns whether it existed.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "only sandboxes of Modal need the leases"))]
    fn remove(&self, leases: &Leases) -> io::Result<bool> {
        let existed = |result: io::Result<()>| match result {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        };
        match self {
            Self::Processes(host) => Ok(host.end_processes()),
            Self::Folder(path) => existed(fs::remove_dir_all(path)),
            Self::ControlGroup(path) => existed(fs::remove_dir(path)),
            #[cfg(unix)]
            Self::Container(name) => docker::remove(name),
            #[cfg(unix)]
            Self::Instance(instance) => instance.stop(),
            #[cfg(unix)]
            Self::ModalSandbox { name, app, until } => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
                Ok(now < *until && leases.modal.remove(app, name)?)
            }
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Processes(host) => write!(f, "processes {host}"),
            Self::Folder(path) => write!(f, "folder {}", path.display()),
            Self::ControlGroup(path) => write!(f, "control-group {}", path.display()),
            #[cfg(unix)]
            Self::Container(name) => write!(f, "container {name}"),
            #[cfg(unix)]
            Self::Instance(Instance { program, name }) => {
                // Record only the name, so that a manipulated lease cannot make a host run another program.
                let program = program.file_name().unwrap_or_default();
                write!(f, "instance {} {name}", program.display())
            }
            #[cfg(unix)]
            Self::ModalSandbox { name, app, until } => write!(f, "modal-sandbox {name} {until} {app}"),
        }
    }
}

impl FromStr for Resource {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let unknown = || format!("`{line}` is not a resource that this version knows");
        let (kind, value) = line.split_once(' ').ok_or_else(unknown)?;
        // The user can edit a lease, so accept only names that toolc creates, in the folders that it uses.
        let path = |below: &Path| {
            let path = Path::new(value);
            let is_plain = path.starts_with(below) && !value.split('/').any(|part| part == "..");
            let name = path.file_name().filter(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()));
            name.filter(|_| is_plain).map(|_| path.to_owned()).ok_or_else(unknown)
        };
        match kind {
            "processes" => value.parse().map(Self::Processes).map_err(|error| format!("`{line}`: {error}")),
            "folder" => path(&std::env::temp_dir()).map(Self::Folder),
            "control-group" => path(Path::new("/sys/fs/cgroup")).map(Self::ControlGroup),
            #[cfg(unix)]
            "container" => is_own(value).then(|| Self::Container(value.to_owned())).ok_or_else(unknown),
            #[cfg(unix)]
            "instance" => {
                let (program, name) = value.split_once(' ').ok_or_else(unknown)?;
                let is_known = PROGRAMS.contains(&program) && is_own(name);
                let instance = || Instance { program: program.into(), name: name.to_owned() };
                is_known.then(|| Self::Instance(instance())).ok_or_else(unknown)
            }
            #[cfg(unix)]
            "modal-sandbox" => {
                let [name, until, app] = value.split(' ').collect::<Vec<_>>()[..] else { return Err(unknown()) };
                let until = until.parse().map_err(|_| unknown())?;
                let is_known = is_own(name) && !app.is_empty() && !app.starts_with('-');
                let sandbox = || Self::ModalSandbox { name: name.to_owned(), app: app.to_owned(), until };
                is_known.then(sandbox).ok_or_else(unknown)
            }
            _ => Err(unknown()),
        }
    }
}

/// Returns whether this can be the name of a resource that a lease may remove.
#[cfg(unix)]
fn is_own(name: &str) -> bool {
    name.starts_with(PREFIX) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn left() -> PathBuf {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().expect("failed to make a folder").keep();
        fs::write(folder.join("file"), "x").expect("failed to write");
        folder
    }

    fn names(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }

    #[test]
    fn what_a_killed_host_has_left_is_removed_once() {
        let home = tempfile::tempdir().expect("failed to make a folder");
        let folder = home.path().join("leases");
        let leases = Leases::new(&folder);
        assert_eq!(leases.clean_up(), (Vec::new(), Vec::new()));
        let left = left();
        fs::create_dir(&folder).expect("failed to make a folder");
        fs::write(folder.join("4711-0"), format!("folder {}\n", left.display())).expect("failed to write");
        assert_eq!(leases.clean_up(), (vec![Resource::Folder(left.clone())], Vec::new()));
        assert!(!left.exists() && names(&folder).is_empty());
        assert_eq!(leases.clean_up(), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_a_running_host_has_made_is_kept() {
        let home = tempfile::tempdir().expect("failed to make a folder");
        let (leases, other) = (Leases::new(home.path()), Leases::new(home.path()));
        let made = [left(), left()];
        for path in &made {
            leases.add(&Resource::Folder(path.clone())).expect("it can be written");
        }
        assert_eq!(names(home.path()).len(), 1);
        assert_eq!(other.clean_up(), (Vec::new(), Vec::new()));
        assert!(made.iter().all(|path| path.exists()));
        drop(leases);
        assert!(names(home.path()).is_empty(), "a host that ends in the ordinary way removes its lease");
        for path in made {
            fs::remove_dir_all(path).expect("failed to remove");
        }
    }

    #[test]
    fn nothing_else_is_removed_and_a_lease_that_cannot_be_read_is_kept() {
        let home = tempfile::tempdir().expect("failed to make a folder");
        let precious = home.path().join("precious");
        fs::create_dir(&precious).expect("failed to make a folder");
        let temporary = std::env::temp_dir();
        let lines = [
            format!("folder {}", precious.display()),
            "folder /".to_owned(),
            "folder /etc/toolc-x".to_owned(),
            format!("folder {}/toolc-x/../../etc", temporary.display()),
            format!("folder {}/../etc/toolc-x", temporary.display()),
            "control-group /tmp/toolc-x".to_owned(),
            "processes 1".to_owned(),
            "container x".to_owned(),
            "container precious".to_owned(),
            "container toolc-a b".to_owned(),
            "instance toolc-a".to_owned(),
            "instance apptainer x".to_owned(),
            "instance /tmp/apptainer toolc-a".to_owned(),
            "instance sh toolc-a".to_owned(),
            "modal-sandbox precious 99999999999 toolc".to_owned(),
            "modal-sandbox toolc-1 99999999999 --x".to_owned(),
            "modal-sandbox toolc-1 never toolc".to_owned(),
            "x".to_owned(),
        ];
        for (number, line) in lines.iter().enumerate() {
            // Each has a file of its own: a process that another test starts at this moment keeps a file locked for an instant.
            let folder = home.path().join(number.to_string());
            fs::create_dir_all(&folder).expect("failed to make a folder");
            fs::write(folder.join("1-1"), line).expect("failed to write");
            let (removed, problems) = Leases::new(&folder).clean_up();
            assert!(removed.is_empty() && problems.len() == 1, "{line}");
            assert!(folder.join("1-1").exists());
        }
        assert!(precious.exists());
    }

    #[test]
    fn a_resource_is_read_again_from_its_text() {
        let folder = Resource::Folder(std::env::temp_dir().join("toolc-a b"));
        let group = Resource::ControlGroup("/sys/fs/cgroup/pids/toolc-1-2".into());
        let container = Resource::Container("toolc-1-2".to_owned());
        let instance = Resource::Instance(Instance { program: "apptainer".into(), name: "toolc-1-2".to_owned() });
        let sandbox = Resource::ModalSandbox { name: "toolc-1-2".to_owned(), app: "toolc".to_owned(), until: 7 };
        let processes = HostId::of_this_process().map(Resource::Processes);
        for resource in [folder, group, container, instance, sandbox].into_iter().chain(processes) {
            assert_eq!(resource.to_string().parse(), Ok(resource));
        }
    }
}
