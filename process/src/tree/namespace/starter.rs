//! Starts the commands of root in Landlock domains: one for all that see the same places.
//!
//! Without a user namespace, a command of root could become another user, and use the root folder of a process of that user, which is
//! outside of the mount namespace: a process without capabilities can be inspected by every process with the same user. The domain forbids
//! that for all processes outside of it. Nothing else is restricted, except that no process in the domain can mount or unmount, even in
//! namespaces of its own. A domain belongs to a thread and what this starts, so one thread starts all commands of a domain: they can inspect
//! one another.

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use landlock::{
    AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus, make_bitflags, path_beneath_rules,
};

use crate::spawn::spawn;

/// A command to start, and where it is returned with the result.
struct Job(Command, SyncSender<(Command, io::Result<Child>)>);

/// A thread of this process.
#[derive(Clone)]
struct Starter {
    /// The places that its commands see, and others do not.
    visible: Vec<PathBuf>,
    /// The id of the process that has the thread. A forked process has no threads of its parent.
    id: u32,
    /// `None` if the system has no Landlock.
    jobs: Option<Sender<Job>>,
}

/// Starts a command in the domain of those that see these places, if the system has Landlock.
pub(super) fn start(command: &mut Command, visible: &[PathBuf]) -> io::Result<Child> {
    let Some(jobs) = Starter::of_this_process(visible).jobs else { return spawn(command) };
    let (sender, started) = sync_channel(1);
    let moved = std::mem::replace(command, Command::new("/"));
    let gone = || io::Error::other("the thread that starts commands has ended");
    jobs.send(Job(moved, sender)).map_err(|_| gone())?;
    let (moved, child) = started.recv().map_err(|_| gone())?;
    *command = moved;
    child
}

/// Returns whether the system has Landlock.
pub(super) fn has_landlock() -> bool {
    Starter::of_this_process(&[]).jobs.is_some()
}

impl Starter {
    fn of_this_process(visible: &[PathBuf]) -> Self {
        static STARTERS: Mutex<Vec<Starter>> = Mutex::new(Vec::new());
        let mut starters = STARTERS.lock().unwrap_or_else(PoisonError::into_inner);
        starters.retain(|starter| starter.id == std::process::id());
        if let Some(starter) = starters.iter().find(|starter| starter.visible == visible) {
            return starter.clone();
        }
        let starter = Self::new(visible.to_vec());
        starters.push(starter.clone());
        starter
    }

    fn new(visible: Vec<PathBuf>) -> Self {
        let (jobs, received) = channel();
        let (sender, restricted) = sync_channel(1);
        let thread = thread::Builder::new().name("starts commands".to_owned());
        let started = thread.spawn(move || {
            let is_restricted = matches!(restrict(), Ok(true));
            let _ = sender.send(is_restricted);
            if is_restricted {
                run(&received);
            }
        });
        let is_restricted = started.is_ok() && restricted.recv() == Ok(true);
        Self { visible, id: std::process::id(), jobs: is_restricted.then_some(jobs) }
    }
}

fn run(jobs: &Receiver<Job>) {
    for Job(mut command, done) in jobs {
        let child = spawn(&mut command);
        let _ = done.send((command, child));
    }
}

/// Moves this thread into a new domain, in which every file can be used as before. Returns whether the system has done so.
fn restrict() -> Result<bool, RulesetError> {
    // A domain must restrict something: these two rights, which it has for all files.
    let rights = make_bitflags!(AccessFs::{MakeChar | Refer});
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(rights)?.create()?;
    let rules = rules.add_rules(path_beneath_rules(["/"], rights))?;
    Ok(rules.no_new_privs(false).restrict_self()?.ruleset == RulesetStatus::FullyEnforced)
}
