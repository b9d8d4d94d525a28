//! The availability of tools: the question to the handlers, and their answer.

use std::borrow::Cow;

/// The subject of an availability check: see [`ToolProvider::available`](crate::ToolProvider::available).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AvailabilityCheck<'a> {
    /// The tool at this index of the provider.
    Tool(usize),
    /// The toolset of this name, that is all its home tools.
    Toolset(&'a str),
}

/// Whether a tool, or a toolset's home tools, can be used now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Availability {
    /// They can be used.
    Available,
    /// They cannot be used, for this reason. People read it, and models that call the tools anyway, so it must not
    /// contain secrets.
    Unavailable(Cow<'static, str>),
}

impl Availability {
    /// Returns `Available` if `ready`, otherwise `Unavailable` with this reason.
    ///
    /// ```
    /// # use toolc::availability::Availability;
    /// # use toolc::Env;
    /// # let env = Env::empty();
    /// let answer = Availability::when(env.var("HOME").is_some(), "there is no home directory");
    /// assert_eq!(answer, Availability::Unavailable("there is no home directory".into()));
    /// ```
    pub fn when(ready: bool, otherwise: impl Into<Cow<'static, str>>) -> Self {
        if ready { Availability::Available } else { Availability::Unavailable(otherwise.into()) }
    }
}
