//! Command rules: the checks of their manifests, and the rules as the judge of `toolc-commands` takes them.
//!
//! The rules of a project are compiled into its catalog. A user's own rules are read at run time, and come on top.

mod check;
mod compile;
mod examples;
mod form;
mod user;

pub use check::Trust;
pub(crate) use check::{Scope, check};
pub use compile::{Arena, compile};
pub use user::{InvalidRules, with_user_rules};
