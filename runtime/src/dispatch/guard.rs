//! The guards around a call. A panic between a call and its response, in code of the host or of this crate, becomes the error of the call:
//! a model waits for each response, and the host's loop must survive.
//!
//! A plain call is guarded piece by piece, not as a whole: its response is large, and each guard that it leaves copies it. Only the
//! lookup of its name and the comparison of its length, which run no code of the host, have no guard.

use crate::call::hooks::{HostError, HostStage};
use crate::panics::{self, CatchPanic, Panicked};
use crate::result::error::{ErrorKind, ToolError};
use crate::session::prepared::PreparedCall;
use crate::session::turn::Turn;

/// Returns the output of a part of a call, or the output of `failed` if the part panics. What the part holds is released by then.
pub(super) async fn guarded<F: Future + Unpin>(part: F, failed: impl FnOnce(ToolError) -> F::Output) -> F::Output {
    CatchPanic(part).await.unwrap_or_else(|_| failed(ended()))
}

impl Turn {
    /// Returns the error of a call whose road to a result panicked, and reports the panic to the hooks.
    #[cold]
    pub(super) fn panicked(&self, call: &PreparedCall<'_>, Panicked(message): &Panicked) -> ToolError {
        let error = HostError { part: "the host", stage: HostStage::Call, message };
        let _ = panics::catch(|| self.host_error(call, &error));
        ended()
    }
}

/// Does the same as [`guarded`] for a part that does not wait.
pub(super) fn guard<T>(part: impl FnOnce() -> T, failed: impl FnOnce(ToolError) -> T) -> T {
    panics::catch(part).unwrap_or_else(|_| failed(ended()))
}

/// Returns the error for the model, without the message of the panic, which can have secrets of the host.
#[cold]
fn ended() -> ToolError {
    ToolError::with_kind(
        ErrorKind::Panicked,
        "the call ended unexpectedly, because this host failed. Effects that it had so far are not undone: check them before you \
         repeat the call",
    )
}
