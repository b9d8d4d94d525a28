//! The syntax of POSIX shells and bash: from text to a flat list of simple commands.

mod braces;
mod dialect;
mod ids;
mod parser;
mod script;
mod word;

pub(crate) use dialect::{Dialect, Dialects};
pub use ids::{CommandId, ScopeId};
pub(crate) use parser::{Parsed, Spans, parse};
pub use script::{Assignment, Descriptor, Redirect, RedirectKind, Scope, ScopeKind, Script, SimpleCommand};
pub use word::{Glob, Operation, Origin, Part, Word};
