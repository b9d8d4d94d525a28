//! The background processes of a task, and the limits for all tasks of a host.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use toolc::Task;

use super::Background;

/// The number of processes that run at the same time.
pub(crate) const MAX_RUNNING: usize = 64;
/// How long a process is kept after its end, by default.
const KEPT: Duration = Duration::from_mins(30);
/// The number of processes of a task that are kept after their end.
const MAX_ENDED: usize = 64;

/// The running processes of all tasks.
#[derive(Debug)]
pub(crate) struct HostProcesses {
    running: Arc<AtomicUsize>,
    /// How long a process is kept after its end.
    pub(crate) kept: Duration,
    /// Whether processes outlive their task.
    outlive_task: bool,
    /// Those whose task has ended.
    left: Mutex<Vec<Arc<Background>>>,
}

/// The right to run a process, until this is dropped.
#[derive(Debug)]
pub(crate) struct Slot(Arc<AtomicUsize>);

impl HostProcesses {
    pub(crate) fn new(outlive_task: bool) -> Self {
        let (running, left) = Default::default();
        Self { running, kept: KEPT, outlive_task, left }
    }

    /// Returns a slot, or `None` if all are taken.
    pub(crate) fn slot(&self) -> Option<Slot> {
        // Made first, so that dropping it corrects the number.
        let slot = Slot(Arc::clone(&self.running));
        (self.running.fetch_add(1, Ordering::Relaxed) < MAX_RUNNING).then_some(slot)
    }

    fn left(&self) -> MutexGuard<'_, Vec<Arc<Background>>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
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
        end_all(std::mem::take(&mut self.left()));
    }
}

/// The processes of a task. They end with it.
#[derive(Debug, Default)]
pub(crate) struct TaskProcesses(Mutex<Started>);

#[derive(Debug, Default)]
struct Started {
    last_id: usize,
    processes: Vec<Arc<Background>>,
    host: Option<Arc<HostProcesses>>,
}

impl TaskProcesses {
    fn started(&self) -> MutexGuard<'_, Started> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the id of the next process.
    pub(crate) fn next_id(&self) -> String {
        let mut started = self.started();
        started.last_id += 1;
        format!("proc_{}", started.last_id)
    }

    pub(crate) fn add(&self, process: Arc<Background>, host: &Arc<HostProcesses>) {
        let mut started = self.started();
        started.host = Some(Arc::clone(host));
        started.processes.push(process);
    }

    /// Returns all processes that are kept, in the order of their start.
    pub(crate) fn all(&self) -> Vec<Arc<Background>> {
        let mut forgotten = Vec::new();
        let all = {
            let Started { processes, host, .. } = &mut *self.started();
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
        // Without the lock: what they have left running ends now.
        drop(forgotten);
        all
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<Background>> {
        self.all().into_iter().find(|process| process.id == id)
    }
}

/// A process in the background that runs: see [`RunningProcess::of_task`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningProcess {
    /// Its id in its task.
    pub session_id: String,
    /// The command line.
    pub command: String,
    /// When it was started.
    pub started: SystemTime,
}

impl RunningProcess {
    /// Returns the processes in the background that a task has started and that still run, in the order of their start.
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
                let mut left = host.left();
                left.extend(processes);
                let ended: Vec<_> = left.extract_if(.., |process| process.ended_ago().is_some()).collect();
                drop(left);
                drop(ended);
            }
            _ => end_all(processes),
        }
    }
}

/// Ends processes at the same time, so that this takes little longer than for one.
fn end_all(processes: Vec<Arc<Background>>) {
    thread::scope(|scope| {
        for process in processes {
            // Without a thread, the process ends when it is dropped.
            let _ = thread::Builder::new().spawn_scoped(scope, move || drop(process.end()));
        }
    });
}
