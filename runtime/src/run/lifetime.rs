//! The state of a call that can outlive the call, because its handler may continue.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use crate::run::cancel::{CancelEpoch, CancelHandle};

/// The state that a call shares with its handler, which may continue after the call has ended.
#[derive(Default)]
pub(crate) struct CallLifetime {
    /// Cancelled when the call is over.
    pub(crate) over: CancelHandle,
    /// Held while progress is reported to the host.
    reporting: Mutex<()>,
    /// Whether the handler waits for a thread.
    pub(crate) queued: AtomicBool,
}

impl CallLifetime {
    /// Calls `report`, unless the call is over.
    pub(crate) fn report(&self, report: impl FnOnce()) {
        let _reporting = self.reporting.lock().unwrap_or_else(PoisonError::into_inner);
        if !CancelEpoch::ever(&self.over).is_cancelled() {
            report();
        }
    }

    /// Marks the call as over, and cancels its handler.
    pub(crate) fn abandon(&self) {
        let reporting = self.reporting.lock().unwrap_or_else(PoisonError::into_inner);
        self.over.mark();
        drop(reporting);
        self.over.wake();
    }
}
