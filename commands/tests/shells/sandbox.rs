//! Runs lines in real shells, in a folder of their own. The only programs are stubs that record their names, and the wrappers of the
//! grammar.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{PipeReader, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use toolc_test_support::programs::find;
use toolc_test_support::wait_until;

use crate::grammar::NAMES;

/// The wrappers, which are the system's own.
const REAL: &[&str] =
    &["bash", "dash", "sh", "busybox", "env", "nohup", "nice", "timeout", "xargs", "find", "setsid", "cat"];
/// Builtins that the trace of the shell shows.
pub(crate) const TRACED: &[&str] =
    &["kill", "eval", "exec", ".", "source", "trap", "export", "cd", "set", "unset", "alias"];
/// What the trace begins with.
const MARK: &str = "MARK:";
/// The time for one line.
const LIMIT: Duration = Duration::from_secs(3);

/// A shell, with the arguments before the line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shell {
    pub(crate) name: &'static str,
    pub(crate) program: &'static str,
    pub(crate) args: &'static [&'static str],
}

pub(crate) const SHELLS: &[Shell] = &[
    Shell { name: "bash", program: "bash", args: &["-xc"] },
    Shell { name: "bash --posix", program: "bash", args: &["--posix", "-xc"] },
    Shell { name: "dash", program: "dash", args: &["-xc"] },
    Shell { name: "busybox sh", program: "busybox", args: &["sh", "-xc"] },
];

/// A folder with programs, a working directory and a record.
#[derive(Debug)]
pub(crate) struct Sandbox {
    root: PathBuf,
    runs: usize,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("toolc-shells-{}-{name}", std::process::id()));
        let programs = root.join("bin");
        fs::create_dir_all(&programs).expect("failed to create the sandbox");
        // Programs with an odd number fail. All print their arguments. A stub that ends late finds the record of its own line.
        let stub = "#!/bin/sh\necho \"${0##*/}\" >> ../record\necho \"$*\"\n\
                    case $0 in *[13579]) exit 1 ;; esac\nexit 0\n";
        let file = programs.join("stub");
        fs::write(&file, stub).expect("failed to write the stub");
        fs::set_permissions(&file, Permissions::from_mode(0o755)).expect("failed to make the stub executable");
        for number in 0..NAMES {
            symlink("stub", programs.join(format!("c{number}"))).expect("failed to link the stub");
        }
        for name in REAL {
            if let Some(path) = find(name) {
                symlink(path, programs.join(name)).expect("failed to link a program");
            }
        }
        Self { root, runs: 0 }
    }

    /// Runs a line, and returns the names of what ran.
    pub(crate) fn run(&mut self, shell: &Shell, line: &str) -> BTreeSet<String> {
        self.runs += 1;
        let folder = self.root.join(self.runs.to_string());
        let work = folder.join("work");
        fs::create_dir_all(&work).expect("failed to create the working directory");
        for folder in [&folder, &work] {
            fs::set_permissions(folder, Permissions::from_mode(0o777))
                .expect("failed to open the folder to the other user");
        }
        let (reader, output) = std::io::pipe().expect("failed to create a pipe");
        let program = find(shell.program).expect("the shell exists");
        let mut command = Command::new(program);
        command
            .args(shell.args)
            .arg(line)
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", &work)
            .env("PS4", format!("+{MARK} "))
            .current_dir(&work)
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("failed to copy a descriptor"))
            .stderr(output)
            .process_group(0);
        if is_root() {
            // A line must not write outside of its folder.
            command.uid(OTHER_USER).gid(OTHER_USER);
        }
        let child = command.spawn().expect("failed to start the shell");
        // The pipe is closed in this process, so that its end shows that all processes have ended.
        drop(command);
        let trace = end(child, reader);
        let record = fs::read(folder.join("record")).unwrap_or_default();
        let mut names: BTreeSet<String> = String::from_utf8_lossy(&record).lines().map(str::to_owned).collect();
        for line in trace.lines() {
            let Some(command) = line.trim_start_matches('+').strip_prefix(MARK) else { continue };
            // An empty name leaves a second space.
            let first = command.strip_prefix(' ').unwrap_or(command).split(' ').next().unwrap_or_default();
            if TRACED.contains(&first) {
                names.insert(first.to_owned());
            }
        }
        let _ = fs::remove_dir_all(&folder);
        names
    }
}

/// A process that closed its output can still write into the folder.
impl Drop for Sandbox {
    fn drop(&mut self) {
        wait_until("the removal of the sandbox", || {
            let _ = fs::remove_dir_all(&self.root);
            !self.root.exists()
        });
    }
}

/// The user who runs the lines if root runs the tests: one without any rights.
const OTHER_USER: u32 = 65534;

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Waits for all processes of a line, and returns what they print. After the time limit, they are ended.
fn end(mut child: Child, mut reader: PipeReader) -> String {
    let (sender, receiver) = mpsc::channel();
    let printed = thread::spawn(move || {
        let mut printed = Vec::new();
        let mut chunk = [0; 8192];
        // A line can print endlessly.
        while let Ok(length @ 1..) = reader.read(&mut chunk) {
            if printed.len() < 1 << 20 {
                printed.extend_from_slice(&chunk[..length]);
            }
        }
        let _ = sender.send(());
        printed
    });
    if receiver.recv_timeout(LIMIT).is_err() {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.wait();
    String::from_utf8_lossy(&printed.join().expect("the thread does not panic")).into_owned()
}
