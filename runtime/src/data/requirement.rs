//! What has to be there for a tool to be shown: as data, so that a program can tell why it is not.
use crate::data::segment::{Atom, Condition};
use std::borrow::Cow;

/// One requirement. A tool is shown where all of its own and all of its home toolset's are met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// All of these environment variables are set, and not to nothing.
    Env(Vec<Cow<'static, str>>),
    /// One of these environment variables is.
    AnyEnv(Vec<Cow<'static, str>>),
    /// All of these programs are found.
    Programs(Vec<Cow<'static, str>>),
    /// The system is one of these, as [`std::env::consts::OS`] names them.
    Os(Vec<Cow<'static, str>>),
    /// All of these tools are shown.
    Tools(Vec<Cow<'static, str>>),
    /// One of these tools is shown.
    AnyTools(Vec<Cow<'static, str>>),
    /// The host's world is so.
    When {
        /// Over `atoms`, which ask for facts only.
        condition: Condition,
        /// What it asks.
        atoms: Vec<Atom>,
    },
    /// The handlers say so: see [`ToolProvider::available`](crate::ToolProvider::available).
    Check,
}
