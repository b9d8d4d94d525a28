//! Checks the manifests of command rules, and compiles them for the judge of `toolc-commands`.
//!
//! The rules of a project are compiled into its catalog. A user's own rules are read at run time, and added to those of the host.

mod check;
mod compile;
mod examples;
mod form;
mod user;

pub use check::Trust;
pub(crate) use check::{Scope, check};
pub use compile::{Arena, compile};
pub(crate) use user::PLACE;
pub use user::with_user_rules;
