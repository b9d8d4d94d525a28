//! The executor of asynchronous work.

use super::error::{Error, Result};

/// Returns an executor on the current thread, for the agent loop. Handlers have their own threads.
///
/// # Errors
/// If the system has no more file descriptors.
pub(crate) fn executor() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Error::failed("start the executor", error))
}
