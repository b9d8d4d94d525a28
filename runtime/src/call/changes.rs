//! What differs between the tools of two turns, as data.

use std::borrow::Cow;
use std::fmt;

use crate::data::hidden_reason::HiddenReason;
use crate::data::list_format;

/// What differs between the definitions of two turns: see [`Turn::changes_since`](crate::Turn::changes_since).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ToolChanges<'t> {
    /// The tools that only the later turn defines, sorted by their own names.
    pub added: Vec<ToolChange<'t>>,
    /// The tools that only the earlier turn defines, sorted by their own names.
    pub removed: Vec<ToolChange<'t>>,
    /// The tools whose definitions differ, sorted by their own names.
    pub changed: Vec<ToolChange<'t>>,
}

/// A tool whose definition differs between two turns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolChange<'t> {
    /// The tool's own name.
    pub tool: &'t str,
    /// The name in the dialect, by which the model calls the tool.
    pub name: &'t str,
    /// What caused the change.
    pub cause: ChangeCause<'t>,
}

/// What caused a change. Its `Display` form continues a sentence about the tool: "needs the program `git`".
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeCause<'t> {
    /// A tool provider with the tool was added.
    Registered,
    /// The tool provider with the tool was removed.
    Unregistered,
    /// The session grants other tools.
    Grant,
    /// For this reason, the later turn hides the tool.
    Hidden(&'t HiddenReason),
    /// For this reason, the earlier turn hid the tool.
    Shown(&'t HiddenReason),
    /// Tool search defers the tool in the later turn, or in the earlier one.
    Deferral,
    /// These facts have other values.
    Facts(Vec<Cow<'static, str>>),
    /// The texts or parameters depend on other tools, which were added or removed.
    Tools,
    /// A tool provider declares the tool differently.
    Declaration,
}

impl ToolChanges<'_> {
    /// Returns whether both turns have the same definitions.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

impl fmt::Display for ChangeCause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registered => f.write_str("a tool provider with it was added"),
            Self::Unregistered => f.write_str("its tool provider was removed"),
            Self::Grant => f.write_str("the session grants other tools"),
            Self::Hidden(reason) => reason.fmt(f),
            Self::Shown(reason) => write!(f, "no longer holds: {reason}"),
            Self::Deferral => f.write_str("tool search defers other tools"),
            Self::Facts(names) => match names.as_slice() {
                [name] => write!(f, "the fact `{name}` has another value"),
                names => write!(f, "the facts {} have other values", list_format::list(names, "and")),
            },
            Self::Tools => f.write_str("it depends on tools that were added or removed"),
            Self::Declaration => f.write_str("it is declared differently"),
        }
    }
}

impl fmt::Display for ToolChanges<'_> {
    /// Writes the changes on one line: `+mail (a tool provider with it was added) -git (needs the program `git`)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [('+', &self.added), ('-', &self.removed), ('~', &self.changed)];
        let all = lists.into_iter().flat_map(|(sign, list)| list.iter().map(move |change| (sign, change)));
        for (at, (sign, change)) in all.enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{sign}{} ({})", change.tool, change.cause)?;
        }
        Ok(())
    }
}
