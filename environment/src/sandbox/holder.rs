//! The holder of a sandbox: a process that keeps its namespaces. The holder is bubblewrap, with a shell that waits for the end of its
//! input.
//!
//! The input is a pipe of this process. If this process ends for any reason, the holder ends, and with it every process of the sandbox,
//! because the shell is the first process of their namespace.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolc_process::{Process, RunningProcess, Sink};

use super::mounts::Mount;
use super::programs::{PATH, Programs};

/// The time limit for making the namespaces.
const LIMIT: Duration = Duration::from_secs(30);
/// A script that opens the descriptor to which bubblewrap writes its report.
const SCRIPT: &str = r#"exec "$@" 3>&1"#;
/// The script of the first process of the namespace, which waits for the end of its input. When it ends, the kernel ends all other
/// processes of the namespace. The shell also reaps orphaned processes. Bubblewrap's own first process would wait until all of them have
/// ended.
const WAIT: &str = "echo ready; cat; exit";
/// The line that the holder prints when the namespaces are ready.
const READY: &str = "ready\n";

/// Files in `/proc` that show memory and keys of the whole machine.
const HIDDEN: &[&str] = &["/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kmsg"];

/// Keeps the namespaces of a sandbox.
#[derive(Debug)]
pub(super) struct Holder {
    process: RunningProcess,
    namespaces: Namespaces,
}

/// A script that opens the namespaces of the process $1 as descriptors, and then runs a command: $3 and the later arguments. $2 has the
/// expected targets of the links of the namespaces, one on each line. The process could have ended, and another process could have its
/// id, so the script compares the links after it has opened the descriptors. The process of toolc keeps the namespaces open, so that no
/// other namespaces can have these links. The script cannot use the descriptors of that process, because toolc may have forbidden access
/// to them.
pub(super) const JOIN: &str = r#"
id=$1 all=$2
shift 2
ns=/proc/$id/ns
exec 3< "$ns/user" 4< "$ns/mnt" 5< "$ns/pid" 6< "$ns/net" 7< "$ns/ipc" 8< "$ns/uts" || exit 125
fd=/proc/self/fd
[ "$(readlink $fd/3 $fd/4 $fd/5 $fd/6 $fd/7 $fd/8)" = "$all" ] || exit 125
exec "$@"
"#;
/// A script that closes the descriptors of [`JOIN`].
pub(super) const CLOSE: &str = "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&-; ";

/// The namespaces. They are kept open, so that no other namespaces can get their numbers.
#[derive(Debug)]
pub(super) struct Namespaces {
    /// The id of the first process of the namespaces.
    id: u64,
    files: Vec<(&'static str, File)>,
}

impl Holder {
    /// Makes the namespaces.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub(super) fn start(programs: &Programs, mounts: &[Mount]) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "toolc-sandbox"]).arg(&programs.bwrap).args(options(mounts));
        command.args(["--", "sh", "-c", WAIT]);
        command.env_clear().env("PATH", PATH).current_dir("/");
        let mut process = Process::new(command);
        // A program in the sandbox could run code in the first process by tracing it.
        process.filter_system_calls()?;
        let (output, errors) = (Text::default(), Text::default());
        let _ = (process.stdout(output.clone())?, process.stderr(errors.clone())?);
        process.input()?;
        let process = process.start()?;
        let started = Instant::now();
        let is_timed_out = || started.elapsed() > LIMIT;
        process.wait_unless(|| output.get().ends_with(READY) || is_timed_out())?;
        let text = output.get();
        if !text.ends_with(READY) {
            return Err(failure(&errors.get()));
        }
        let namespaces = Namespaces::open(&text)?;
        namespaces.forbid_new_namespaces(programs)?;
        Ok(Self { process, namespaces })
    }

    pub(super) fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// Returns whether the first process of the namespaces still runs.
    pub(super) fn is_running(&self) -> bool {
        matches!(self.process.outcome(), Ok(None))
    }

    /// Ends all processes of the sandbox.
    pub(super) fn end(&self) {
        let _ = self.process.end();
    }
}

/// Returns the arguments of bubblewrap.
fn options(mounts: &[Mount]) -> Vec<OsString> {
    let mut options: Vec<OsString> = [
        "--unshare-user",
        "--unshare-pid",
        "--as-pid-1",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--uid",
        "0",
        "--gid",
        "0",
        "--hostname",
        "sandbox",
        "--cap-drop",
        "ALL",
        "--info-fd",
        "3",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
    ]
    .map(Into::into)
    .to_vec();
    for file in HIDDEN.iter().filter(|file| Path::new(file).exists()) {
        options.extend(["--ro-bind", "/dev/null", file].map(Into::into));
    }
    for Mount { inside, outside, writable } in mounts {
        options.push(if *writable { "--bind" } else { "--ro-bind" }.into());
        options.extend([outside.into(), inside.into()]);
    }
    // Files in `/proc` belong to the machine's root. Without this option, programs of a toolc that runs as root could write them, even
    // without capabilities.
    options.extend(["--remount-ro", "/proc"].map(Into::into));
    // Without this option, programs could write to the root folder itself, which is in memory.
    options.extend(["--remount-ro", "/", "--chdir", "/"].map(Into::into));
    options
}

fn failure(errors: &str) -> io::Error {
    let reason = if errors.trim().is_empty() { "no error message" } else { errors.trim() };
    io::Error::other(format!(
        "bubblewrap cannot make a sandbox: {reason}. If the system forbids user namespaces, allow them \
         (`sysctl user.max_user_namespaces`, `kernel.unprivileged_userns_clone`, `kernel.apparmor_restrict_unprivileged_userns`); in a \
         container, start the container with permission for user namespaces"
    ))
}

impl Namespaces {
    /// The option of `nsenter` with the descriptor of [`JOIN`], the name in `/proc/PID/ns`, and the name in bubblewrap's report.
    const ALL: [(&str, &str, &str); 6] = [
        ("--user=/proc/self/fd/3", "user", ""),
        ("--mount=/proc/self/fd/4", "mnt", "mnt-namespace"),
        ("--pid=/proc/self/fd/5", "pid", "pid-namespace"),
        ("--net=/proc/self/fd/6", "net", "net-namespace"),
        ("--ipc=/proc/self/fd/7", "ipc", "ipc-namespace"),
        ("--uts=/proc/self/fd/8", "uts", "uts-namespace"),
    ];

    /// Opens the namespaces that bubblewrap has reported.
    fn open(report: &str) -> io::Result<Self> {
        let unknown = || io::Error::other("bubblewrap did not report its namespaces: install version 0.8 or later");
        let id = number(report, "child-pid").ok_or_else(unknown)?;
        let folder = Path::new("/proc").join(id.to_string()).join("ns");
        let mut files = Vec::new();
        for (_, name, key) in Self::ALL {
            let file = File::open(folder.join(name))?;
            if !key.is_empty() && number(report, key) != Some(file.metadata()?.ino()) {
                return Err(io::Error::other("the sandbox has ended"));
            }
            files.push((name, file));
        }
        Ok(Self { id, files })
    }

    /// Returns the first two arguments of [`JOIN`].
    ///
    /// # Errors
    /// If the system does not return the numbers of the namespaces.
    pub(super) fn arguments(&self) -> io::Result<[OsString; 2]> {
        let link = |(name, file): &(&str, File)| Ok(format!("{name}:[{}]", file.metadata()?.ino()));
        let links: Vec<String> = self.files.iter().map(link).collect::<io::Result<_>>()?;
        Ok([self.id.to_string().into(), links.join("\n").into()])
    }

    /// Returns the options of `nsenter`, which [`JOIN`] runs.
    pub(super) fn options() -> impl Iterator<Item = OsString> {
        Self::ALL.iter().map(|(option, ..)| (*option).into())
    }

    /// Forbids programs in the sandbox to make namespaces, in which they would have capabilities that they otherwise lack.
    fn forbid_new_namespaces(&self, programs: &Programs) -> io::Result<()> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", JOIN, "toolc-sandbox"]).args(self.arguments()?).arg(&programs.nsenter);
        command.args(Self::options().take(1)).args(["--preserve-credentials", "--", "/bin/sh", "-c"]);
        command.arg("echo 0 > /proc/sys/user/max_user_namespaces").env_clear().env("PATH", PATH);
        let mut process = Process::new(command);
        let errors = Text::default();
        let _ = process.stderr(errors.clone())?;
        let started = Instant::now();
        let outcome = process.run(None, || started.elapsed() > LIMIT)?;
        if outcome.status.success() { Ok(()) } else { Err(failure(&errors.get())) }
    }
}

/// Returns a number from bubblewrap's report, a JSON object of numbers.
fn number(report: &str, key: &str) -> Option<u64> {
    let (_, rest) = report.split_once(&format!("\"{key}\":"))?;
    let rest = rest.trim_start();
    rest[..rest.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

/// The beginning of a program's output.
#[derive(Debug, Default, Clone)]
struct Text(Arc<Mutex<String>>);

impl Sink for Text {
    fn push(&mut self, bytes: &[u8]) -> bool {
        const MAX: usize = 4096;
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if text.len() < MAX {
            text.push_str(&String::from_utf8_lossy(bytes));
        }
        true
    }
}

impl Text {
    fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_of_bubblewrap_is_read() {
        let report = "{\n    \"child-pid\": 24481,\n    \"mnt-namespace\": 4026532178\n}\nready\n";
        assert_eq!(number(report, "child-pid"), Some(24481));
        assert_eq!(number(report, "mnt-namespace"), Some(4_026_532_178));
        for report in
            ["", "{}", "{\"child-pid\": -1}", "{\"child-pid\": 5", "{\"child-pid\": 99999999999999999999999 }"]
        {
            assert_eq!(number(report, "child-pid"), None, "{report}");
        }
    }
}
