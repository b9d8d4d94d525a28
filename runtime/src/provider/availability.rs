//! Availability checks of handlers: their subject and their result.

use std::borrow::Cow;

/// The subject of an availability check: see [`ToolProvider::available`](crate::ToolProvider::available).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AvailabilityCheck<'a> {
    /// The tool at this index of the provider's [`tools`](crate::ToolProvider::tools).
    Tool(usize),
    /// All home tools of the toolset with this name.
    Toolset(&'a str),
}

/// Whether a tool, or a toolset's home tools, can be used now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Availability {
    /// The tools can be used.
    Available,
    /// The tools cannot be used, for this reason. It is shown to people, and to models that call the tools anyway, so it
    /// must not contain secrets.
    Unavailable(Cow<'static, str>),
}

impl Availability {
    /// Returns `Available` if `is_available` is true, otherwise `Unavailable` with this reason.
    ///
    /// ```
    /// # use toolc::availability::Availability;
    /// # use toolc::Env;
    /// # let env = Env::empty();
    /// let answer = Availability::when(env.var("HOME").is_some(), "there is no home directory");
    /// assert_eq!(answer, Availability::Unavailable("there is no home directory".into()));
    /// ```
    pub fn when(is_available: bool, reason: impl Into<Cow<'static, str>>) -> Self {
        if is_available { Availability::Available } else { Availability::Unavailable(reason.into()) }
    }
}
