//! Requirements of tools.

use crate::data::segment::{Atom, Condition};
use std::borrow::Cow;

/// A requirement of a tool, or of all home tools of a toolset. A granted tool is shown if all its own requirements and those
/// of its home toolset are met.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Requirement {
    /// All of these environment variables are set and not empty.
    Env(Vec<Cow<'static, str>>),
    /// At least one of these environment variables is set and not empty.
    AnyEnv(Vec<Cow<'static, str>>),
    /// All of these programs are found: see [`Env::has_program`](crate::Env::has_program).
    Programs(Vec<Cow<'static, str>>),
    /// The operating system is one of these, by its name in [`std::env::consts::OS`].
    Os(Vec<Cow<'static, str>>),
    /// All of these tools are shown.
    Tools(Vec<Cow<'static, str>>),
    /// At least one of these tools is shown.
    AnyTools(Vec<Cow<'static, str>>),
    /// A condition over facts is true.
    When {
        /// The condition over `atoms`, which refer to facts only.
        condition: Condition,
        /// The atoms of the condition.
        atoms: Vec<Atom>,
    },
    /// At least one of these requirements is met. Each is one of `Env`, `Programs` and `When`.
    Any(Vec<Requirement>),
    /// The handlers report the tool as available: see [`ToolProvider::available`](crate::ToolProvider::available).
    Check,
}
