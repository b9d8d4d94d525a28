//! The part of a call that can outlive it, because its handler may continue.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use crate::run::cancel::{CancelEpoch, CancelHandle};

/// The state of a call that is shared with a handler that may continue after its end.
#[derive(Default)]
pub(crate) struct CallLifetime {
    /// Cancelled when the call is over.
    pub(crate) over: CancelHandle,
    /// Held while progress is reported to the host.
    telling: Mutex<()>,
    /// Whether the handler waits for a thread.
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
