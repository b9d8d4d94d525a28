//! Why a registry refuses a provider: as data, all of it at once.

use crate::registration::ProviderId;
use std::borrow::Cow;
use std::fmt;

/// A provider was refused: nothing of it was taken, and nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryError {
    refusals: Vec<Refusal>,
}

impl RegistryError {
    /// None where nothing speaks against it.
    pub(crate) fn of(refusals: Vec<Refusal>) -> Result<(), Self> {
        if refusals.is_empty() { Ok(()) } else { Err(Self { refusals }) }
    }

    /// Everything that speaks against it.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }
}

/// One reason why a provider was refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Refusal {
    /// Another tool, of this provider or another, has this name.
    ToolTaken(Cow<'static, str>),
    /// Another tool is called so, be it in one dialect.
    CalledTaken(Cow<'static, str>),
    /// Another provider describes a toolset of this name otherwise; or it is a legacy name of another one.
    ToolsetTaken(Cow<'static, str>),
    /// Another toolset has this name, or this legacy name.
    AliasTaken(Cow<'static, str>),
    /// Another provider has a fact of this name with another default.
    FactTaken(Cow<'static, str>),
    /// toolc itself answers for a tool of this name.
    ToolReserved(Cow<'static, str>),
    /// A toolset, or a legacy name, that stands for every tool.
    ToolsetReserved(Cow<'static, str>),
    /// Toolsets that bring themselves along: the way round, the first one again at its end.
    Ring(Vec<Cow<'static, str>>),
    /// A toolset lists a tool that nobody has.
    UnknownTool {
        /// Whose list it is.
        toolset: Cow<'static, str>,
        /// The name.
        name: Cow<'static, str>,
        /// What to do about it.
        hint: String,
    },
    /// A toolset brings along one that nobody has.
    UnknownToolset {
        /// Which toolset does.
        toolset: Cow<'static, str>,
        /// The name.
        name: Cow<'static, str>,
        /// What to do about it.
        hint: String,
    },
    /// A toolset that would hold nothing.
    Empty(Cow<'static, str>),
    /// There is no such provider to be replaced.
    NoProvider(ProviderId),
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, refusal) in self.refusals.iter().enumerate() {
            write!(f, "{}{refusal}", if index == 0 { "provider refused: " } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for RegistryError {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::ToolTaken(name) => {
                write!(
                    f,
                    "the tool name `{name}` is taken: choose another one, or override that tool (`add_overriding`)"
                )
            }
            Refusal::CalledTaken(name) => write!(f, "another tool is called `{name}`: choose another name"),
            Refusal::ToolsetTaken(name) => write!(f, "the toolset name `{name}` is taken, and means another toolset"),
            Refusal::AliasTaken(name) => write!(f, "the toolset alias `{name}` is taken"),
            Refusal::FactTaken(name) => write!(f, "the fact name `{name}` is taken, with another default"),
            Refusal::ToolReserved(name) => write!(f, "the tool name `{name}` is reserved: choose another one"),
            Refusal::ToolsetReserved(name) => {
                write!(f, "the toolset name `{name}` is reserved, for every tool: choose another one")
            }
            Refusal::Ring(way) => {
                write!(f, "toolsets that bring themselves along: {}; take one of these out", way.join(" → "))
            }
            Refusal::UnknownTool { toolset, name, hint } => {
                write!(f, "the toolset `{toolset}` names an unknown tool `{name}`{hint}")
            }
            Refusal::UnknownToolset { toolset, name, hint } => {
                write!(f, "the toolset `{toolset}` names an unknown toolset `{name}`{hint}")
            }
            Refusal::Empty(name) => {
                write!(
                    f,
                    "the toolset `{name}` would hold nothing: give it `tools` or `includes`, or tools whose home it is"
                )
            }
            Refusal::NoProvider(id) => write!(f, "there is no {id} any more: add it"),
        }
    }
}
