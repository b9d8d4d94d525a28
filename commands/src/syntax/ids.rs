//! Positions in the lists of commands and scopes.

/// The position of a command in [`Script::commands`](crate::syntax::Script::commands) or [`Reading::commands`](crate::Reading::commands).
pub type CommandId = u32;
/// The position of a scope in [`Script::scopes`](crate::syntax::Script::scopes) or [`Reading::scopes`](crate::Reading::scopes).
pub type ScopeId = u32;
