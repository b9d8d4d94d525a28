//! The background processes of a task, and the limits for all tasks of a host.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use toolc::Task;

use super::Background;

/// The maximum number of processes of all tasks that run at the same time.
pub(crate) const MAX_RUNNING: usize = 64;
/// How long an ended process is kept by default.
const KEPT: Duration = Duration::from_mins(30);
/// The maximum number of ended processes of a task that are kept.
const MAX_ENDED: usize = 64;

/// The running processes of all tasks.
#[derive(Debug)]
pub(crate) struct HostProcesses {
    running: Arc<AtomicUsize>,
    /// How long an ended process is kept.
    pub(crate) kept: Duration,
    /// Whether processes outlive their task.
    outlive_task: bool,
    /// Processes whose task has ended.
    orphaned: Mutex<Vec<Arc<Background>>>,
}

/// The right to run a process. Dropping the slot frees it.
#[derive(Debug)]
pub(crate) struct Slot(Arc<AtomicUsize>);

impl HostProcesses {
    pub(crate) fn new(outlive_task: bool) -> Self {
        let (running, orphaned) = Default::default();
        Self { running, kept: KEPT, outlive_task, orphaned }
    }

    /// Takes a slot. Returns `None` if no slot is free.
    pub(crate) fn slot(&self) -> Option<Slot> {
        // The slot is created first, so that dropping it corrects the count.
        let slot = Slot(Arc::clone(&self.running));
        (self.running.fetch_add(1, Ordering::Relaxed) < MAX_RUNNING).then_some(slot)
    }

    fn orphaned(&self) -> MutexGuard<'_, Vec<Arc<Background>>> {
        self.orphaned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for HostProcesses {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for HostProcesses {
    fn drop(&mut self) {
        end_all(std::mem::take(&mut self.orphaned()));
    }
}

/// The background processes of a task. They end with the task.
#[derive(Debug, Default)]
pub(crate) struct TaskProcesses(Mutex<ProcessList>);

#[derive(Debug, Default)]
struct ProcessList {
    last_id: usize,
    processes: Vec<Arc<Background>>,
    host: Option<Arc<HostProcesses>>,
}

impl TaskProcesses {
    fn lock(&self) -> MutexGuard<'_, ProcessList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the id of the next process.
    pub(crate) fn next_id(&self) -> String {
        let mut started = self.lock();
        started.last_id += 1;
        format!("proc_{}", started.last_id)
    }

    pub(crate) fn add(&self, process: Arc<Background>, host: &Arc<HostProcesses>) {
        let mut started = self.lock();
        started.host = Some(Arc::clone(host));
        started.processes.push(process);
    }

    /// Returns all kept processes in the order of their start. Drops ended processes that are too old or too many.
    pub(crate) fn all(&self) -> Vec<Arc<Background>> {
        let mut forgotten = Vec::new();
        let all = {
            let ProcessList { processes, host, .. } = &mut *self.lock();
            let kept = host.as_ref().map_or(KEPT, |host| host.kept);
            let ended = processes.iter().filter(|process| process.ended_ago().is_some()).count();
            let mut excess = ended.saturating_sub(MAX_ENDED);
            forgotten.extend(processes.extract_if(.., |process| {
                process.ended_ago().is_some_and(|ago| {
                    let is_excess = excess > 0;
                    excess = excess.saturating_sub(1);
                    is_excess || ago > kept
                })
            }));
            processes.clone()
        };
        // Dropped without the lock, because this ends processes that they have left running.
        drop(forgotten);
        all
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<Background>> {
        self.all().into_iter().find(|process| process.id == id)
    }
}

/// A running background process: see [`RunningProcess::of_task`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningProcess {
    /// The id of the process in its task.
    pub session_id: String,
    /// The command line.
    pub command: String,
    /// The time at which the process was started.
    pub started: SystemTime,
}

impl RunningProcess {
    /// Returns the running background processes of a task in the order of their start.
    pub fn of_task(task: &Task) -> Vec<Self> {
        let all = task.state::<TaskProcesses>().map_or_else(Vec::new, |processes| processes.all());
        let running = all.iter().filter(|process| process.outcome().is_none());
        running
            .map(|process| Self {
                session_id: process.id.clone(),
                command: process.command.clone(),
                started: process.started_at,
            })
            .collect()
    }
}

impl Drop for TaskProcesses {
    fn drop(&mut self) {
        let started = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let processes = std::mem::take(&mut started.processes);
        match &started.host {
            Some(host) if host.outlive_task => {
                let mut orphaned = host.orphaned();
                orphaned.extend(processes);
                let ended: Vec<_> = orphaned.extract_if(.., |process| process.ended_ago().is_some()).collect();
                drop(orphaned);
                drop(ended);
            }
            _ => end_all(processes),
        }
    }
}

/// Ends processes concurrently, so that ending many takes little longer than ending one.
fn end_all(processes: Vec<Arc<Background>>) {
    thread::scope(|scope| {
        for process in processes {
            // If no thread can be started, the process ends when it is dropped.
            let _ = thread::Builder::new().spawn_scoped(scope, move || drop(process.end()));
        }
    });
}
