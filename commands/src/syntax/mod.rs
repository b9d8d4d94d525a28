//! The syntax of POSIX shells and bash: from text to a flat list of simple commands.

mod script;
mod word;

pub use script::{
    Assignment, CommandId, Descriptor, Redirect, RedirectKind, Scope, ScopeId, ScopeKind, Script, SimpleCommand,
};
pub use word::{Glob, Operation, Origin, Part, Word};
