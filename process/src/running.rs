//! A running program: waits until it ends, or ends it.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::thread;
use std::time::Duration;

use crate::EndReason;
use crate::tree::Tree;

/// The interval at which the program's state is polled. Usually the end of its output is noticed first.
const POLL: Duration = Duration::from_millis(10);
/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);

/// A running program, with the processes that it has started. Ends them when it is dropped, unless the program has ended.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    tree: Tree,
    /// Closed when no process can write output.
    closed: Receiver<()>,
    has_ended: bool,
}

impl Running {
    pub(crate) fn start(command: &mut Command, closed: Receiver<()>) -> io::Result<Self> {
        let (child, tree) = Tree::start(command)?;
        Ok(Self { child, tree, closed, has_ended: false })
    }

    /// Waits until the program ends. Ends all processes if `should_stop` returns true or a sink refuses more output.
    pub(crate) fn wait(
        &mut self,
        limit_exceeded: &AtomicBool,
        should_stop: impl Fn() -> bool,
    ) -> io::Result<(ExitStatus, EndReason)> {
        let reason = loop {
            if let Some(status) = self.child.try_wait()? {
                self.has_ended = true;
                self.tree.ended();
                return Ok((status, EndReason::Exited));
            }
            if limit_exceeded.load(Ordering::Relaxed) {
                break EndReason::OutputLimit;
            }
            if should_stop() {
                break EndReason::Stopped;
            }
            if self.is_closed(POLL) {
                // Receiving from a closed channel does not wait. The program is about to end, or runs on without output.
                thread::sleep(Duration::from_millis(1));
            }
        };
        Ok((self.end(GRACE)?, reason))
    }

    /// Returns whether all output ends within `timeout`.
    pub(crate) fn is_closed(&self, timeout: Duration) -> bool {
        self.closed.recv_timeout(timeout) == Err(RecvTimeoutError::Disconnected)
    }

    /// Ends all processes: with SIGTERM, and after `grace` with SIGKILL.
    fn end(&mut self, grace: Duration) -> io::Result<ExitStatus> {
        self.has_ended = true;
        let is_closed = || self.closed.try_recv() == Err(TryRecvError::Disconnected);
        let status = self.tree.end(&mut self.child, is_closed, grace)?;
        self.tree.ended();
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_ended {
            // `should_stop` has panicked, or the system has no resources.
            let _ = self.end(Duration::ZERO);
        }
    }
}
