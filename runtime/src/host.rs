//! What a session's host has set for all of its calls.

use std::fmt;
use std::time::Duration;

use crate::progress::Sink;
use crate::{Cancel, Task};

pub(crate) struct Host {
    /// Stops the session's calls.
    pub(crate) cancel: Cancel,
    /// The task of calls that name none.
    pub(crate) task: Task,
    /// How long a call may take whose tool does not say.
    pub(crate) timeout: Duration,
    pub(crate) progress: Option<Sink>,
}

impl Default for Host {
    fn default() -> Self {
        let timeout = Duration::from_mins(5);
        Self { cancel: Cancel::new(), task: Task::new(Task::DEFAULT), timeout, progress: None }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
