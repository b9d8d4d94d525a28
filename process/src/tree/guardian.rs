//! Starts the guardian of this process: a shell that ends this process's commands when this process has ended.
//!
//! A signal handler could not do this: SIGKILL cannot be handled, and the handlers of other signals belong to the program, not to a
//! library.

use std::env;
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::groups::{Change, Registration, send};
use super::isolate::isolate;
use super::mark::HostMark;
use crate::host_processes::set_guardian;

/// The script of the guardian.
const SCRIPT: &str = include_str!("guardian.sh");

/// The pipe to the guardian. The guardian acts when the last writing end is closed, which happens when this process ends.
#[derive(Debug)]
pub(crate) struct Guardian {
    writer: PipeWriter,
}

impl Guardian {
    /// Starts a guardian. If it is killed, calls `before_restart` and starts another one.
    ///
    /// # Errors
    /// If there is no shell, or the system has no resources.
    pub(crate) fn start(mark: Option<HostMark>, before_restart: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        // A guardian that has been stopped must not block this process.
        rustix::io::ioctl_fionbio(&writer, true)?;
        let child = spawn(&reader, mark)?;
        // If this fails, the pipe is closed, and the guardian ends.
        thread::Builder::new()
            .name("guardian".to_owned())
            .spawn(move || keep_alive(child, &reader, mark, &before_restart))?;
        Ok(Self { writer })
    }

    /// Sends a change of the groups. Does nothing if the guardian does not read, because it has been stopped.
    pub(crate) fn send(&self, change: &Change) {
        send(&self.writer, change);
    }

    /// Returns the means by which a command adds its own group, before it runs.
    pub(crate) fn registration(&self) -> io::Result<Registration> {
        Ok(Registration::new(self.writer.try_clone()?))
    }
}

/// Waits for the end of the guardian, so that it leaves no zombie, and starts another one.
fn keep_alive(mut child: Child, reader: &PipeReader, mark: Option<HostMark>, before_restart: &dyn Fn()) {
    /// The pause before another guardian is started. It doubles, up to `MAX_PAUSE`, while guardians live less than `LONG_LIFE`.
    const PAUSE: Duration = Duration::from_millis(1);
    const MAX_PAUSE: Duration = Duration::from_mins(1);
    const LONG_LIFE: Duration = Duration::from_secs(2);
    let mut pause = PAUSE;
    loop {
        let started = Instant::now();
        let _ = child.wait();
        if started.elapsed() > LONG_LIFE {
            pause = PAUSE;
        }
        child = loop {
            thread::sleep(pause);
            pause = (pause * 2).min(MAX_PAUSE);
            before_restart();
            if let Ok(child) = spawn(reader, mark) {
                break child;
            }
        };
    }
}

fn spawn(reader: &PipeReader, mark: Option<HostMark>) -> io::Result<Child> {
    // The name is what users see in a list of processes.
    let args = ["-c", SCRIPT, "toolc-guardian", &mark.map_or_else(String::new, HostMark::text), "/proc"];
    let mut path = OsString::from("/usr/bin:/bin");
    path.extend(env::var_os("PATH").into_iter().flat_map(|own| [":".into(), own]));
    let shell = |shell| {
        let mut command = Command::new(shell);
        command.args(args).env_clear().env("PATH", &path).env("LC_ALL", "C").current_dir("/");
        command.stdin(reader.try_clone()?).stdout(Stdio::null()).stderr(Stdio::null());
        isolate(&mut command, mark.map(HostMark::guardian), None, None);
        command.spawn().inspect(|child| set_guardian(child.id()))
    };
    shell("/bin/sh").or_else(|_| shell("sh"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use toolc_test_support::Missing;
    use toolc_test_support::programs::{find, has};

    use super::*;

    /// Starts a marked command that has left its group and its environment, and a guardian in the given shell. Checks that the
    /// command ends after the pipe of the guardian has been closed. `limited` are words before both command lines.
    fn guard(shell: &[&str], path: &str, limited: [&[&str]; 2]) {
        let command_of = |words: &[&str], rest: &[&str]| {
            let all = [words, rest].concat();
            let mut command = Command::new(all[0]);
            command.args(&all[1..]);
            command
        };
        let host = HostMark::new().expect("Linux has marks");
        let mut command = command_of(limited[0], &["sh"]);
        command.args(["-c", "env -i PATH=\"$PATH\" setsid sh -c \"trap '' TERM; echo; exec sleep 600\" & wait"]);
        let (mut started, output) = io::pipe().expect("failed to make a pipe");
        command.stdout(output);
        isolate(&mut command, Some(host.command(1)), None, None);
        let mut child = command.spawn().expect("failed to start");
        drop(command);
        io::Read::read_exact(&mut started, &mut [0]).expect("the command starts");

        let (reader, writer) = io::pipe().expect("failed to make a pipe");
        let mut guardian = command_of(limited[1], shell);
        guardian.args(["-c", SCRIPT, "toolc-guardian", &host.text(), "/proc"]);
        guardian.env_clear().env("PATH", path).stdin(reader);
        isolate(&mut guardian, Some(host.guardian()), None, None);
        let mut guardian = guardian.spawn().expect("failed to start the guardian");
        assert!(host.command(1).signal(None) && !host.command(2).signal(None));
        drop(writer);
        // Ends when no process has the pipe open.
        io::Read::read_to_end(&mut started, &mut Vec::new()).expect("failed to read");
        child.wait().expect("failed to wait");
        let status = guardian.wait().expect("failed to wait");
        assert!(status.success() || !limited[1].is_empty(), "{shell:?}");
        assert!(!host.command(1).signal(None));
    }

    #[test]
    fn a_guardian_works_in_every_shell_with_and_without_programs() {
        for shell in [&["dash"][..], &["bash"], &["bash", "--posix"], &["busybox", "sh"], &["zsh", "--emulate", "sh"]] {
            let Some(program) = find(shell[0]) else {
                Missing::program(shell[0]).skip();
                continue;
            };
            let program = program.to_str().expect("the path is UTF-8");
            let shell: Vec<&str> = [program].into_iter().chain(shell[1..].iter().copied()).collect();
            guard(&shell, "/usr/bin:/bin", [&[], &[]]);
            guard(&shell, "/does/not/exist", [&[], &[]]);
        }
    }

    /// The commands may be so many that the user can have no other process.
    #[test]
    fn a_guardian_that_cannot_start_processes_ends_commands() {
        // Root has no limit.
        let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
        let user = if rustix::process::geteuid().is_root() { &user[..] } else { &[] };
        let limit = [user, &["prlimit", "--nproc=1"]].concat();
        for program in ["setpriv", "prlimit"] {
            if !has(program) {
                return;
            }
        }
        guard(&["/bin/sh"], "/usr/bin:/bin", [user, &limit]);
    }
}
