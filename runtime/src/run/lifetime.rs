//! The lifetime of a call: what outlives it, for those who may go on with its work.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use crate::run::cancel::{CancelEpoch, CancelHandle};

/// What is known of a call by those who may go on with it after it is over.
#[derive(Default)]
pub(crate) struct CallLifetime {
    /// Pulled when nobody waits any more.
    pub(crate) over: CancelHandle,
    /// Held while the host is told of progress.
    telling: Mutex<()>,
    /// Whether the work waits for a thread.
    pub(crate) queued: AtomicBool,
}

impl CallLifetime {
    pub(crate) fn tell(&self, tell: impl FnOnce()) {
        let _telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        if !CancelEpoch::ever(&self.over).is_cancelled() {
            tell();
        }
    }

    pub(crate) fn give_up(&self) {
        let telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        self.over.mark();
        drop(telling);
        self.over.wake();
    }
}
