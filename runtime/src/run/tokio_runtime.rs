//! The Tokio runtime of handlers: the surrounding one, or one that the process shares.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// Returns the process's runtime, which is shared by all threads: it keeps driving what handlers keep, such as connections,
/// between calls. `None` if no thread could be started for it.
pub(crate) fn shared() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let make = || Builder::new_multi_thread().worker_threads(1).thread_name("toolc-tokio").enable_all().build().ok();
    RUNTIME.get_or_init(make).as_ref()
}

/// Returns a handle of the surrounding runtime, or of the shared one.
pub(crate) fn current() -> Option<Handle> {
    Handle::try_current().ok().or_else(|| shared().map(|runtime| runtime.handle().clone()))
}
