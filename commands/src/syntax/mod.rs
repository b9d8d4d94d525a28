//! The syntax of POSIX shells and bash: from text to a flat list of simple commands.

mod braces;
mod dialect;
mod parser;
mod script;
mod word;

pub(crate) use dialect::{Dialect, Dialects};
pub(crate) use parser::{Parsed, Spans, parse};
pub use script::{
    Assignment, CommandId, Descriptor, Redirect, RedirectKind, Scope, ScopeId, ScopeKind, Script, SimpleCommand,
};
pub use word::{Glob, Operation, Origin, Part, Word};
