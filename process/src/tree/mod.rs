//! All processes of a command, on Unix. They are found by their mark, or by their process group if the system has no marks.
//!
//! [`isolate`] starts a command in a session of its own, [`mark`] finds its processes, and [`guardian`] ends them when this process
//! has ended.

#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))),
    path = "no_filter.rs"
)]
mod filter;
mod groups;
mod guardian;
mod isolate;
mod limits;
#[cfg(target_os = "linux")]
mod mark;
#[cfg(not(target_os = "linux"))]
#[path = "no_mark.rs"]
mod mark;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(not(target_os = "linux"))]
#[path = "no_namespace.rs"]
mod namespace;

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

use crate::spawn::spawn;
use crate::terminal::TerminalOfProgram;
pub(crate) use filter::Filter;
use groups::{Change, Registration};
use guardian::Guardian;
pub(crate) use limits::Limits;
use mark::Mark;
pub(crate) use mark::{HostMark, is_on_this_process};
pub(crate) use namespace::Namespace;

/// The processes of a command.
#[derive(Debug)]
pub(crate) struct Tree {
    mark: Option<Mark>,
    /// The command's process group and session, which have its id.
    group: Pid,
}

impl Tree {
    /// Starts a command. Its processes end when this process has ended, however that happens. If `terminal` is given, that is the
    /// controlling terminal of the command. If `limits` are given, they apply to all of them.
    pub(crate) fn start(
        command: &mut Command,
        terminal: Option<TerminalOfProgram>,
        limits: Limits,
    ) -> io::Result<(Child, Self)> {
        let Limits { namespace, filter } = limits;
        let (mark, registration) = Host::of_this_process(|host| (host.next_mark(), host.registration()));
        isolate::isolate(command, mark, registration, terminal.map(TerminalOfProgram::into_descriptor));
        if let Some(namespace) = &namespace {
            namespace.join(command)?;
        }
        // Last, because it may refuse what is done before.
        if let Some(filter) = filter {
            isolate::before_exec(command, move || filter.apply());
        }
        let start = |command: &mut Command| match &namespace {
            Some(namespace) => namespace.start(command),
            None => spawn(command),
        };
        let child = match mark {
            Some(_) => start(command)?,
            None => Host::of_this_process(|host| host.start(|| start(command)))?,
        };
        let group = Pid::from_child(&child);
        Ok((child, Self { mark, group }))
    }

    /// Waits until the command itself has ended, without reaping it.
    pub(crate) fn wait_for_exit(&self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(self.group), options).is_err_and(|error| error == rustix::io::Errno::INTR) {}
    }

    /// Ends all processes: with SIGTERM, and after `grace` with SIGKILL. `is_closed` returns whether no process can write output.
    ///
    /// The child is reaped last. Until then the system cannot give its id, which is also the id of the group, to another process.
    pub(crate) fn end(
        &self,
        child: &mut Child,
        is_closed: impl Fn() -> bool,
        grace: Duration,
    ) -> io::Result<ExitStatus> {
        if !grace.is_zero() {
            match self.mark {
                Some(mark) => drop(mark.signal(Some(Signal::TERM))),
                None => drop(kill_process_group(self.group, Signal::TERM)),
            }
            let others_are_gone = || self.mark.map_or_else(&is_closed, |mark| !mark.signal(None));
            wait_until(grace, || self.has_exited() && others_are_gone());
        }
        wait_until(LIMIT, || {
            // Also ends processes of the group that have lost their mark.
            let _ = kill_process_group(self.group, Signal::KILL);
            !self.mark.is_some_and(kill)
        });
        child.wait()
    }

    /// Returns whether a process is left after the command itself has been reaped.
    pub(crate) fn has_left(&self) -> bool {
        match self.mark {
            Some(mark) => mark.signal(None),
            None => Host::of_this_process(|host| host.has_group(self.group)),
        }
    }

    /// Does the same as [`end`](Self::end) after the command itself has been reaped.
    pub(crate) fn end_rest(&self, is_closed: impl Fn() -> bool, grace: Duration) {
        if let Some(mark) = self.mark {
            if mark.signal(Some(Signal::TERM)) {
                wait_until(grace, || !mark.signal(None));
                wait_until(LIMIT, || !kill(mark));
            }
        } else if self.has_left() {
            // A group that has a process keeps its id.
            let _ = kill_process_group(self.group, Signal::TERM);
            wait_until(grace, || is_closed() && !self.has_left());
            if self.has_left() {
                let _ = kill_process_group(self.group, Signal::KILL);
            }
        }
    }

    /// Returns whether the command itself has ended, without reaping it.
    fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that another part of this process has reaped it.
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Records that the command has ended and has been reaped. Processes that it has left in the background end with this process.
    pub(crate) fn ended(&self) {
        if self.mark.is_none() {
            Host::of_this_process(Host::remove_empty_groups);
        }
    }
}

impl HostMark {
    /// Returns the mark of this process as the host of commands.
    pub(crate) fn of_this_process() -> Option<Self> {
        Host::of_this_process(|host| host.mark)
    }

    /// Ends the processes of a host that has ended. Returns whether there were any.
    pub(crate) fn end_all(self) -> bool {
        /// The time between SIGTERM and SIGKILL.
        const GRACE: Duration = Duration::from_secs(1);
        let found = self.signal_all(Some(Signal::TERM));
        if found {
            wait_until(GRACE, || !self.signal_all(None));
            wait_until(LIMIT, || !self.signal_all(Some(Signal::KILL)));
        }
        found
    }
}

/// The time limit for processes that SIGKILL does not end, such as those of another user.
const LIMIT: Duration = Duration::from_secs(2);

/// Sends SIGKILL to the processes with a mark. Returns whether one may be left.
fn kill(mark: Mark) -> bool {
    // The second search finds a process that was started during the first.
    mark.signal(Some(Signal::KILL)) || mark.signal(Some(Signal::KILL))
}

/// Calls `is_done` until it returns true, at least once, and at most for this time.
fn wait_until(limit: Duration, is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + limit;
    let mut pauses = Pauses::new();
    while !is_done() && Instant::now() < deadline {
        pauses.wait();
    }
}

/// The pauses between searches for processes. They become longer, because a search takes a few milliseconds.
struct Pauses(Duration);

impl Pauses {
    fn new() -> Self {
        Self(Duration::from_millis(2))
    }

    fn wait(&mut self) {
        thread::sleep(self.0);
        self.0 = (self.0 * 2).min(Duration::from_millis(100));
    }
}

/// This process, as the host of commands.
#[derive(Debug)]
struct Host {
    /// The id of the process that created this value. In a forked process, it is that of the parent.
    id: u32,
    mark: Option<HostMark>,
    commands: u64,
    /// `None` if there is no shell.
    guardian: Option<Guardian>,
    /// Without marks: the groups of commands, which had a process when last seen.
    groups: Vec<Pid>,
}

impl Host {
    /// Passes the host to `use_host`. For the first command of this process, creates the host and starts its guardian.
    fn of_this_process<T>(use_host: impl FnOnce(&mut Self) -> T) -> T {
        static HOST: Mutex<Option<Host>> = Mutex::new(None);
        fn lock() -> MutexGuard<'static, Option<Host>> {
            HOST.lock().unwrap_or_else(PoisonError::into_inner)
        }
        let mut host = lock();
        if host.as_ref().is_none_or(|host| host.id != std::process::id()) {
            *host = Some(Self::new(HostMark::new()));
        }
        let host = host.as_mut().unwrap_or_else(|| unreachable!("the host has just been made"));
        if host.guardian.is_none() {
            let send_groups = || lock().iter().for_each(Self::send_groups);
            host.guardian = Guardian::start(host.mark, send_groups).ok();
        }
        use_host(host)
    }

    fn new(mark: Option<HostMark>) -> Self {
        Self { id: std::process::id(), mark, commands: 0, guardian: None, groups: Vec::new() }
    }

    fn next_mark(&mut self) -> Option<Mark> {
        self.commands += 1;
        self.mark.map(|mark| mark.command(self.commands))
    }

    /// Without marks, returns the means by which the next command adds its group to those that the guardian ends.
    fn registration(&self) -> Option<Registration> {
        self.guardian.as_ref().filter(|_| self.mark.is_none())?.registration().ok()
    }

    /// Without marks, starts a command, which adds its group.
    fn start(&mut self, start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
        let child = start();
        if let Ok(child) = &child {
            self.groups.push(Pid::from_child(child));
        } else {
            // The command has added its group before it failed, and its id is not known here.
            self.send(&Change::RemoveAll);
            self.send_groups();
        }
        child
    }

    /// Forgets the groups without processes, whose ids the system can give to others.
    fn remove_empty_groups(&mut self) {
        let is_empty = |group: &mut Pid| test_kill_process_group(*group) == Err(rustix::io::Errno::SRCH);
        let removed: Vec<Pid> = self.groups.extract_if(.., is_empty).collect();
        for group in removed {
            self.send(&Change::Remove(group));
        }
    }

    /// Without marks, returns whether a group still has a process.
    fn has_group(&mut self, group: Pid) -> bool {
        self.remove_empty_groups();
        self.groups.contains(&group)
    }

    fn send_groups(&self) {
        self.groups.iter().for_each(|group| self.send(&Change::Add(*group)));
    }

    fn send(&self, change: &Change) {
        if let Some(guardian) = &self.guardian {
            guardian.send(change);
        }
    }
}
