//! Helpers to run handlers: the thread pool, timers, cancellation, tasks, values of the host, progress, and blocking on futures.

pub(crate) mod block_on;
pub(crate) mod cancel;
pub(crate) mod clock;
pub(crate) mod deadline;
pub(crate) mod lifetime;
pub(crate) mod pool;
pub(crate) mod progress;
pub(crate) mod task;
pub(crate) mod timer;
#[cfg(feature = "tokio")]
pub(crate) mod tokio_runtime;
pub(crate) mod values;

/// Starts a detached thread with this name.
pub(crate) fn start_thread(name: &str, work: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}
