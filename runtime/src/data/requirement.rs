//! What has to be there for a tool to be shown: as data, so that a program can tell why it is not.

use crate::data::catalog::Text;
use crate::data::segment::{Atom, Condition};

/// One requirement. A tool is shown where all of its own and all of its home toolset's are met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// All of these environment variables are set, and not to nothing.
    Env(Vec<Text>),
    /// One of these environment variables is.
    AnyEnv(Vec<Text>),
    /// All of these programs are found.
    Programs(Vec<Text>),
    /// The system is one of these, as [`std::env::consts::OS`] names them.
    Os(Vec<Text>),
    /// All of these tools are shown.
    Tools(Vec<Text>),
    /// One of these tools is shown.
    AnyTools(Vec<Text>),
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
