//! The reasons for which a registry refuses a tool provider, as data.

use crate::registration::ProviderId;
use std::borrow::Cow;
use std::fmt;

/// The error of adding or replacing a tool provider, with all reasons. The registry has not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryError {
    refusals: Vec<Refusal>,
}

impl RegistryError {
    /// Returns `Ok(())` if `refusals` is empty.
    pub(crate) fn check(refusals: Vec<Refusal>) -> Result<(), Self> {
        if refusals.is_empty() { Ok(()) } else { Err(Self { refusals }) }
    }

    /// Returns all reasons.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }
}

/// A reason why a tool provider was refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Refusal {
    /// Another tool, of this provider or another, has this name.
    ToolNameTaken(Cow<'static, str>),
    /// Another tool has this name, at least in one dialect.
    DialectNameTaken(Cow<'static, str>),
    /// Another provider declares a toolset of this name with other content, or the name is an alias of another toolset.
    ToolsetNameTaken(Cow<'static, str>),
    /// Another toolset has this name or alias.
    AliasTaken(Cow<'static, str>),
    /// Another provider declares a fact of this name with another default.
    FactConflict(Cow<'static, str>),
    /// The tool name is reserved for a tool of toolc: `tool_search`, `tool_describe` or `tool_call`.
    ToolNameReserved(Cow<'static, str>),
    /// The name or alias of a toolset is reserved: `all` and `*` mean all tools.
    ToolsetNameReserved(Cow<'static, str>),
    /// An include cycle: its toolsets, with the first one repeated at the end.
    IncludeCycle(Vec<Cow<'static, str>>),
    /// A toolset lists an unknown tool.
    UnknownTool {
        /// The toolset.
        toolset: Cow<'static, str>,
        /// The unknown name.
        name: Cow<'static, str>,
        /// A suggestion, to append to the message. May be empty.
        hint: String,
    },
    /// A toolset includes an unknown toolset.
    UnknownToolset {
        /// The toolset.
        toolset: Cow<'static, str>,
        /// The unknown name.
        name: Cow<'static, str>,
        /// A suggestion, to append to the message. May be empty.
        hint: String,
    },
    /// A toolset names no tools or toolsets, and has no home tools.
    EmptyToolset(Cow<'static, str>),
    /// The tool provider to replace is not registered.
    UnknownProvider(ProviderId),
    /// The generated code of the provider was changed after gen had written it. This is the whole message.
    Damaged(String),
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
            Refusal::ToolNameTaken(name) => {
                write!(
                    f,
                    "the tool name `{name}` is taken: choose another one, or override that tool (`add_overriding`)"
                )
            }
            Refusal::DialectNameTaken(name) => {
                write!(f, "the name `{name}` is taken by another tool, at least in one dialect: choose another one")
            }
            Refusal::ToolsetNameTaken(name) => write!(f, "the toolset name `{name}` is taken by another toolset"),
            Refusal::AliasTaken(name) => write!(f, "the toolset alias `{name}` is taken"),
            Refusal::FactConflict(name) => write!(f, "the fact name `{name}` is taken, with another default"),
            Refusal::ToolNameReserved(name) => write!(f, "the tool name `{name}` is reserved: choose another one"),
            Refusal::ToolsetNameReserved(name) => {
                write!(f, "the toolset name `{name}` is reserved, it means all tools: choose another one")
            }
            Refusal::IncludeCycle(path) => {
                write!(f, "include cycle: {}: remove one of these includes", path.join(" → "))
            }
            Refusal::UnknownTool { toolset, name, hint } => {
                write!(f, "the toolset `{toolset}` names an unknown tool `{name}`{hint}")
            }
            Refusal::UnknownToolset { toolset, name, hint } => {
                write!(f, "the toolset `{toolset}` names an unknown toolset `{name}`{hint}")
            }
            Refusal::EmptyToolset(name) => {
                write!(
                    f,
                    "the toolset `{name}` is empty: add `tools` or `includes`, or make it the home toolset of a tool"
                )
            }
            Refusal::Damaged(message) => f.write_str(message),
            Refusal::UnknownProvider(id) => write!(f, "{id} is not registered: use `add`"),
        }
    }
}
