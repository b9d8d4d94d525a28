//! Limits the number of processes and the memory of a sandbox.
//!
//! Control groups limit the sandbox as a whole, and also apply to root. If this process may not create control groups, resource limits of
//! single processes are used. The kernel counts the processes of a user in each user namespace (since Linux 5.14), except the processes of root.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The limits of a sandbox. Dropping this removes its control groups.
#[derive(Debug)]
pub(super) struct Bounds {
    groups: Vec<PathBuf>,
    limits: Vec<String>,
    limits_processes: bool,
}

/// A function that is called with the path of a control group before the group is made.
type BeforeGroup<'a> = &'a dyn Fn(PathBuf) -> io::Result<()>;

/// A limit of a control group.
struct Limit {
    controller: &'static str,
    /// The names of the file of the limit, in version 1 and 2 of control groups.
    files: [&'static str; 2],
    value: u64,
}

impl Bounds {
    /// Makes the control groups. Calls `before` with the path of each group before it is made.
    pub(super) fn new(max_processes: u32, max_memory: Option<u64>, before: BeforeGroup<'_>) -> Self {
        let mut bounds = Self { groups: Vec::new(), limits: vec!["--core=0:0".to_owned()], limits_processes: true };
        let processes = u64::from(max_processes);
        if !bounds.limit(&Limit { controller: "pids", files: ["pids.max", "pids.max"], value: processes }, before) {
            bounds.limits.push(format!("--nproc={processes}:{processes}"));
            bounds.limits_processes = users_have_limits();
        }
        if let Some(value) = max_memory {
            let files = ["memory.limit_in_bytes", "memory.max"];
            if !bounds.limit(&Limit { controller: "memory", files, value }, before) {
                bounds.limits.push(format!("--as={value}:{value}"));
            }
        }
        bounds
    }

    /// Returns whether sandboxes of this process can have a limited number of processes.
    pub(super) fn can_limit_processes() -> bool {
        Self::new(1, None, &|_| Ok(())).limits_processes
    }

    pub(super) fn limits_processes(&self) -> bool {
        self.limits_processes
    }

    /// Returns the files `cgroup.procs`, to which a process writes its id to join the control groups.
    pub(super) fn groups(&self) -> impl Iterator<Item = PathBuf> {
        self.groups.iter().map(|group| group.join("cgroup.procs"))
    }

    /// Returns the options of `prlimit`.
    pub(super) fn limits(&self) -> impl Iterator<Item = &String> {
        self.limits.iter()
    }

    /// Makes a control group with a limit. Returns whether this succeeded.
    fn limit(&mut self, limit: &Limit, before: BeforeGroup<'_>) -> bool {
        let Ok(own) = fs::read_to_string("/proc/self/cgroup") else { return false };
        let group = groups_with(&own, limit.controller).find_map(|(parent, version)| {
            let file = limit.files.get(version)?;
            // In version 2, one group has all limits.
            let shared = self.groups.iter().find(|group| version == 1 && group.join(file).exists());
            let group = shared.cloned().or_else(|| make(&parent, file, before))?;
            let is_set = fs::write(group.join(file), limit.value.to_string()).is_ok();
            if !is_set && !self.groups.contains(&group) {
                let _ = fs::remove_dir(&group);
            }
            is_set.then_some(group)
        });
        let is_limited = group.is_some();
        self.groups.extend(group.filter(|group| !self.groups.contains(group)));
        is_limited
    }

    /// Removes the control groups, whose processes have ended or are ending.
    pub(super) fn remove(&self) {
        const TRIES: u32 = 100;
        const PAUSE: Duration = Duration::from_millis(10);
        for group in &self.groups {
            for _ in 0..TRIES {
                match fs::remove_dir(group) {
                    Err(error) if error.kind() == io::ErrorKind::ResourceBusy => thread::sleep(PAUSE),
                    _ => break,
                }
            }
        }
    }
}

impl Drop for Bounds {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Returns the groups of this process that have a controller, each with its index in [`Limit::files`]. `own` is the content of
/// `/proc/self/cgroup`.
fn groups_with(own: &str, controller: &str) -> impl Iterator<Item = (PathBuf, usize)> {
    let groups = own.lines().filter_map(move |line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?.trim_start_matches('/'));
        let root = Path::new("/sys/fs/cgroup");
        if controllers.is_empty() {
            let mixed = root.join("unified");
            let root = if mixed.is_dir() { mixed } else { root.to_owned() };
            return Some((root.join(path), root, 1));
        }
        let root = root.join(controller);
        controllers.split(',').any(|name| name == controller).then(|| (root.join(path), root, 0))
    });
    // In a container, the path can belong to another namespace.
    let groups = groups.map(|(group, root, version)| (if group.is_dir() { group } else { root }, version));
    groups.collect::<Vec<_>>().into_iter()
}

/// Makes a control group, and checks that it has this file.
fn make(parent: &Path, file: &str, before: BeforeGroup<'_>) -> Option<PathBuf> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let group = parent.join(format!("toolc-{}-{number}", std::process::id()));
    before(group.clone()).and_then(|()| fs::create_dir(&group)).ok()?;
    let has_file = || group.join(file).exists();
    if !has_file() {
        let controller = file.split('.').next().unwrap_or_default();
        let _ = fs::write(parent.join("cgroup.subtree_control"), format!("+{controller}"));
    }
    if has_file() {
        return Some(group);
    }
    let _ = fs::remove_dir(&group);
    None
}

/// Returns whether the kernel limits the number of processes of this user in each user namespace.
fn users_have_limits() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split('.').map_while(|number| number.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    version >= (5, 14) && !(rustix::process::geteuid().is_root() && is_root_of_machine(&map))
}

/// Returns whether root of this user namespace is root of the machine. `map` is the content of `/proc/self/uid_map`.
fn is_root_of_machine(map: &str) -> bool {
    map.lines().any(|line| line.split_whitespace().take(2).eq(["0", "0"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions_are_found() {
        let own = "9:name=systemd:/\n8:pids:/none/x\n4:cpu,memory:/none/y\n0::/none/z\n";
        let versions = |controller: &str| groups_with(own, controller).map(|(_, version)| version).collect::<Vec<_>>();
        assert_eq!(versions("pids"), [0, 1]);
        assert_eq!(versions("memory"), [0, 1]);
        assert_eq!(versions("io"), [1]);
        assert_eq!(groups_with("x\n1:a\n", "a").count(), 0);
    }

    #[test]
    fn the_root_of_a_user_namespace_is_not_that_of_the_machine() {
        assert!(is_root_of_machine("         0          0 4294967295\n"));
        assert!(!is_root_of_machine("         0       1000          1\n         1     100000      65536\n"));
        assert!(!is_root_of_machine(""));
    }
}
