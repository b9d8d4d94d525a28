//! Makes namespaces: helper processes make them, and this process keeps them open.

use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, Command, Stdio};

use rustix::fs::{CWD, Mode, OFlags, mkdir, open, stat};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change, move_mount, open_tree,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space};

use super::plan::{Identity, Plan, ShownFolder};
use crate::tree::isolate::{before_exec, mount_read_only, unshare};

/// The script of a helper, which waits for the end of its input.
const WAIT: &str = "read -r _";

/// Makes a user namespace in which only this user exists, and has its number.
pub(super) fn user_namespace() -> io::Result<File> {
    let helper = Helper::start(|| unshare(UnshareFlags::NEWUSER))?;
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    helper.write("setgroups", "deny")?;
    helper.write("uid_map", &format!("{user} {user} 1"))?;
    helper.write("gid_map", &format!("{group} {group} 1"))?;
    helper.namespace("user")
}

/// Makes a mount namespace that belongs to a user namespace, if there is one.
pub(super) fn mount_namespace(user: Option<OwnedFd>, plan: &Plan) -> io::Result<File> {
    let plan = plan.clone();
    let count = plan.covers.iter().map(|cover| cover.shown.len()).sum();
    // Between fork and exec, no memory is allocated.
    let mut shown = Vec::with_capacity(count);
    let helper = Helper::start(move || {
        if let Some(user) = &user {
            move_into_link_name_space(user.as_fd(), Some(LinkNameSpaceType::User))?;
        }
        unshare(UnshareFlags::NEWNS)?;
        // Later mounts of the system appear in the namespace, and its own mounts do not appear in the system.
        mount_change(c"/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
        apply(&plan, &mut shown)
    })?;
    helper.namespace("mnt")
}

/// Mounts what is planned. `shown` has space for the mounts of what is shown.
fn apply(plan: &Plan, shown: &mut Vec<OwnedFd>) -> io::Result<()> {
    for ShownFolder { source, identity, writable, .. } in plan.covers.iter().flat_map(|cover| &cover.shown) {
        check(source, *identity)?;
        shown.push(copy(source, !writable)?);
    }
    let mut mounts = shown.drain(..);
    for folder in &plan.copied {
        mount_empty(&folder.target)?;
        for (path, bytes) in &folder.files {
            let file =
                open(path.as_c_str(), OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::from_raw_mode(0o644))?;
            File::from(file).write_all(bytes)?;
        }
        mount_read_only(CWD, &folder.target)?;
    }
    for cover in &plan.covers {
        let target = cover.target.as_c_str();
        check(target, cover.identity)?;
        if !cover.is_folder {
            attach(&copy(c"/dev/null", true)?, target)?;
            continue;
        }
        mount_empty(target)?;
        for folder in &cover.shown {
            for made in &folder.folders {
                match mkdir(made.as_c_str(), Mode::from_raw_mode(0o755)) {
                    Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if let Some(mount) = mounts.next() {
                attach(&mount, &folder.source)?;
            }
        }
        mount_read_only(CWD, target)?;
    }
    for path in &plan.read_only {
        attach(&copy(path, true)?, path)?;
    }
    Ok(())
}

/// Mounts an empty folder.
fn mount_empty(target: &CStr) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount(c"toolc-hidden", target, c"tmpfs", flags, c"mode=755,size=4m")?)
}

/// Fails if another file has taken the place of the one for which the plan was made.
fn check(path: &CStr, identity: Identity) -> io::Result<()> {
    let found = stat(path)?;
    if (found.st_dev, found.st_ino) == identity { Ok(()) } else { Err(rustix::io::Errno::STALE.into()) }
}

/// Returns a second mount of a file or folder, which is not attached yet.
fn copy(path: &CStr, read_only: bool) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let copy = open_tree(CWD, path, flags)?;
    if read_only {
        mount_read_only(copy.as_fd(), c"")?;
    }
    Ok(copy)
}

/// Attaches a mount at a path.
fn attach(mount: &OwnedFd, path: &CStr) -> io::Result<()> {
    Ok(move_mount(mount, c"", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// A process that has made a namespace, and waits until the namespace has been opened.
struct Helper(Child);

impl Helper {
    /// Starts a process, which calls `make` first.
    fn start(make: impl FnMut() -> io::Result<()> + Send + Sync + 'static) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", WAIT]).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        before_exec(&mut command, make);
        Ok(Self(crate::spawn::spawn(&mut command)?))
    }

    /// Opens a namespace of the process.
    fn namespace(&self, name: &str) -> io::Result<File> {
        File::open(format!("/proc/{}/ns/{name}", self.0.id()))
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        fs::write(format!("/proc/{}/{file}", self.0.id()), text)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
