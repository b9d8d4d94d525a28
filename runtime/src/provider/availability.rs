//! Whether a tool is available: what handlers are asked, and what they answer.

use std::borrow::Cow;

/// What a provider is asked about: see [`ToolProvider::available`](crate::ToolProvider::available).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AvailabilityCheck<'a> {
    /// Its tool at this index.
    Tool(usize),
    /// Its toolset of this name: all home tools of it at once.
    Toolset(&'a str),
}

/// Whether a tool, or a toolset's home tools, can be used now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// They can.
    Available,
    /// They cannot, for this reason: a person reads it, and a model that calls them all the same. No secrets, then.
    Unavailable(Cow<'static, str>),
}

impl Availability {
    /// Available when `ready`, and otherwise not, for this reason.
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
