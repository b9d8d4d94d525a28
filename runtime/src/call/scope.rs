//! The interface of a turn for calls.

use std::sync::Arc;

use crate::data::env::Env;
use crate::data::segment::FactValue;
use crate::run::progress::ProgressSink;

/// The part of a turn that handlers see through their [`Call`](crate::call::Call).
pub(crate) trait CallScope: Send + Sync {
    /// The session's id, or the empty string.
    fn session_id(&self) -> &str;

    /// The session's environment.
    fn env(&self) -> &Env;

    /// The value of a fact in this turn, or `None` if no provider declares it.
    fn fact(&self, name: &str) -> Option<&FactValue>;

    /// Whether the model was shown the tool of this name.
    fn shows(&self, tool: &str) -> bool;

    /// Where progress is reported, or `None` if the host does not listen.
    fn progress(&self) -> Option<&ProgressSink>;

    /// The same scope, for a call that moves to another thread.
    fn to_shared(&self) -> Arc<dyn CallScope>;
}
