//! Mount namespaces in which files and folders are hidden.
//!
//! Every command joins a namespace that this process has made before and keeps open, so the processes of all commands see one another. For
//! an ordinary user, the namespace belongs to a user namespace in which only this user exists. A command has no capabilities in it, so it
//! cannot unmount what hides the folder; in namespaces that it makes itself, the kernel locks the mounts that it inherits. Root needs no
//! user namespace, and could do little in one: its commands lose the capabilities that lead out of the namespace instead, and belong to a
//! Landlock domain. Programs that see more than others have a user namespace or a domain of their own. Either way, the kernel denies access
//! to the memory, the descriptors and the root folder of processes outside.

mod make;
mod plan;
mod starter;

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::fs::stat;
use rustix::process::{chdir, geteuid};
use rustix::thread::{
    CapabilitySet, LinkNameSpaceType, capabilities, clear_ambient_capability_set, move_into_link_name_space,
    remove_capability_from_bounding_set, set_capabilities,
};

use super::isolate::{before_exec, join_new_session_keyring};
use crate::hidden::HiddenFolder;
use crate::spawn::spawn;
use plan::Plan;

/// The capabilities that lead out of a namespace, in the order of their numbers: to mount and unmount, to read the memory of other processes
/// and of the machine, to load code into the kernel or to start another one, and to open files by their handles.
const REMOVED: [CapabilitySet; 9] = [
    CapabilitySet::DAC_READ_SEARCH,
    CapabilitySet::SYS_MODULE,
    CapabilitySet::SYS_RAWIO,
    CapabilitySet::SYS_PTRACE,
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::SYS_BOOT,
    CapabilitySet::PERFMON,
    CapabilitySet::BPF,
    CapabilitySet::CHECKPOINT_RESTORE,
];

/// A namespace in which a folder is hidden.
#[derive(Debug, Clone)]
pub(crate) struct Namespace(Arc<Files>);

#[derive(Debug)]
struct Files {
    /// The user namespace, which all namespaces share in which the same places are visible. Root has none.
    user: Option<&'static File>,
    mounts: File,
    /// The places that are visible here, and hidden from other programs.
    visible: Vec<PathBuf>,
}

/// The namespaces that this process has made, each with what it hides and how.
static MADE: Mutex<Vec<(HiddenFolder, Plan, Namespace)>> = Mutex::new(Vec::new());

impl Namespace {
    /// Returns a namespace in which the folder is hidden. Makes it if there is none yet, or if the folder or the mounts that show it have
    /// changed.
    ///
    /// # Errors
    /// If the namespace cannot be made: `Unsupported` if the system does not allow any.
    pub(crate) fn hiding(hidden: &HiddenFolder) -> io::Result<Self> {
        let user = user_namespace_of(&hidden.visible)?;
        let plan = Plan::new(hidden, user.is_none())?;
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., namespace)) = made.iter().find(|(of, by, _)| of == hidden && *by == plan) {
            return Ok(namespace.clone());
        }
        let namespace = Self::make(user, &plan, &hidden.visible)?;
        made.retain(|(of, ..)| of != hidden);
        made.push((hidden.clone(), plan, namespace.clone()));
        Ok(namespace)
    }

    /// Checks that this system allows namespaces, once.
    pub(crate) fn check_available() -> io::Result<()> {
        user_namespace().map(|_| ())
    }

    /// Returns what a program can still do to reach a hidden folder.
    pub(crate) fn caveat() -> Option<&'static str> {
        let is_closed = user_namespace().is_ok_and(|user| user.is_some()) || starter::has_landlock();
        (!is_closed).then_some(
            "the kernel has no Landlock, so a command of root can become another user, and reach the folder through a process of \
             that user",
        )
    }

    fn make(user: Option<&'static File>, plan: &Plan, visible: &[PathBuf]) -> io::Result<Self> {
        let owner = user.map(|user| user.as_fd().try_clone_to_owned()).transpose()?;
        Ok(Self(Arc::new(Files { user, mounts: make::mount_namespace(owner, plan)?, visible: visible.to_vec() })))
    }

    /// Lets a command join the namespace. Its working directory is the same folder in the namespace.
    ///
    /// # Errors
    /// If the working directory is unknown.
    pub(super) fn join(&self, command: &mut Command) -> io::Result<()> {
        let directory = command.get_current_dir().unwrap_or_else(|| Path::new("."));
        let directory = CString::new(std::path::absolute(directory)?.as_os_str().as_bytes())?;
        let namespace = self.clone();
        before_exec(command, move || namespace.enter(&directory));
        Ok(())
    }

    /// Starts a command that [joins](Self::join) the namespace.
    pub(super) fn start(&self, command: &mut Command) -> io::Result<Child> {
        if self.0.user.is_some() { spawn(command) } else { starter::start(command, &self.0.visible) }
    }

    /// Moves this process into the namespace. Allocates no memory.
    fn enter(&self, directory: &CStr) -> io::Result<()> {
        let before = stat(c".")?;
        if let Some(user) = self.0.user {
            move_into_link_name_space(user.as_fd(), Some(LinkNameSpaceType::User))?;
        }
        move_into_link_name_space(self.0.mounts.as_fd(), Some(LinkNameSpaceType::Mount))?;
        chdir(directory)?;
        let after = stat(c".")?;
        if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino) {
            return Err(rustix::io::Errno::STALE.into());
        }
        // A session keyring can hold keys of the user's other programs.
        join_new_session_keyring()?;
        drop_capabilities()
    }
}

/// Removes the capabilities that lead out of a namespace, from this process and from all programs that it can start.
fn drop_capabilities() -> io::Result<()> {
    for capability in REMOVED {
        match remove_capability_from_bounding_set(capability) {
            // An older kernel does not know it.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    clear_ambient_capability_set()?;
    let mut sets = capabilities(None)?;
    sets.inheritable = CapabilitySet::empty();
    Ok(set_capabilities(None, sets)?)
}

/// Returns the user namespace of the commands that see these places, or `None` if they need none. A process cannot be inspected from another
/// user namespace.
fn user_namespace_of(visible: &[PathBuf]) -> io::Result<Option<&'static File>> {
    static MADE: Mutex<Vec<(Vec<PathBuf>, &'static File)>> = Mutex::new(Vec::new());
    let shared = user_namespace()?;
    if shared.is_none() || visible.is_empty() {
        return Ok(shared);
    }
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, user)) = made.iter().find(|(of, _)| of == visible) {
        return Ok(Some(user));
    }
    let user: &'static File = Box::leak(Box::new(make::user_namespace()?));
    made.push((visible.to_vec(), user));
    Ok(Some(user))
}

/// Returns the user namespace of this process's commands, or `None` if they need none. The first call tries whether the system allows
/// namespaces.
fn user_namespace() -> io::Result<Option<&'static File>> {
    static USER: OnceLock<Result<Option<File>, String>> = OnceLock::new();
    let made = USER.get_or_init(|| make_first().map_err(|error| error.to_string()));
    let unsupported = |text: &String| io::Error::new(io::ErrorKind::Unsupported, text.clone());
    made.as_ref().map(Option::as_ref).map_err(unsupported)
}

fn make_first() -> io::Result<Option<File>> {
    let failed = |what: &str, error: &io::Error| {
        io::Error::other(format!(
            "the system does not allow {what}: {error}. Settings of the kernel that can forbid it are `user.max_user_namespaces`, \
             `kernel.unprivileged_userns_clone` and `kernel.apparmor_restrict_unprivileged_userns`; a container must be started \
             with permission"
        ))
    };
    let user = if geteuid().is_root() {
        let is_privileged = capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN | CapabilitySet::SETPCAP);
        if !is_privileged {
            return Err(failed("root to mount", &rustix::io::Errno::PERM.into()));
        }
        None
    } else {
        Some(make::user_namespace().map_err(|error| failed("user namespaces", &error))?)
    };
    let mounts = Plan::of_folder(Path::new("/proc")).and_then(|plan| {
        let owner = user.as_ref().map(|user| user.as_fd().try_clone_to_owned()).transpose()?;
        make::mount_namespace(owner, &plan)
    });
    mounts.map_err(|error| failed("mount namespaces", &error))?;
    Ok(user)
}
