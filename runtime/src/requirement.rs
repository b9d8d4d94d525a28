//! What has to be there for a tool to be shown: as data, so that a program can tell why it is not.

use std::borrow::Cow;

use crate::Text;
use crate::segment::{Atom, Condition};

/// One requirement. A tool is shown where all of its own and all of its home toolset's are met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// All of these environment variables are set, and not to nothing.
    Env(Cow<'static, [Text]>),
    /// One of these environment variables is.
    AnyEnv(Cow<'static, [Text]>),
    /// All of these programs are found.
    Programs(Cow<'static, [Text]>),
    /// The system is one of these, as [`std::env::consts::OS`] names them.
    Os(Cow<'static, [Text]>),
    /// All of these tools are shown.
    Tools(Cow<'static, [Text]>),
    /// One of these tools is shown.
    AnyTools(Cow<'static, [Text]>),
    /// The host's world is so.
    When {
        /// Over `atoms`, which ask for facts only.
        condition: Condition,
        /// What it asks.
        atoms: Cow<'static, [Atom]>,
    },
    /// The handlers say so: see [`Provider::available`](crate::Provider::available).
    Check,
}
