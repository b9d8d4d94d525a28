//! The Tokio runtime of handlers: the surrounding one, or one that the process shares.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// Returns the runtime that all threads of the process share, or `None` if no thread could be started for it. It lives as
/// long as the process, so that connections and tasks of handlers stay alive between calls.
pub(crate) fn shared() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let build = || Builder::new_multi_thread().worker_threads(1).thread_name("toolc-tokio").enable_all().build().ok();
    RUNTIME.get_or_init(build).as_ref()
}

/// Returns a handle to the surrounding runtime, or else to the shared one.
pub(crate) fn current() -> Option<Handle> {
    Handle::try_current().ok().or_else(|| shared().map(|runtime| runtime.handle().clone()))
}
