//! What differs between the tools of two turns. A conversation whose tools change keeps its prompt cache if the change is a message,
//! and not another list of definitions: see [`Api::tool_update`](crate::wire::Api::tool_update).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::availability::HiddenReason;
use crate::data::list_format;
use crate::data::segment::Atom;
use crate::registration::ids::ToolId;
use crate::session::turn::Turn;

/// What differs between the definitions of two turns: see [`Turn::changes_since`].
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

/// A tool that a turn defines and another one does not, or otherwise.
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

impl Turn {
    /// Returns what differs between the definitions of this turn and an earlier one, and why. Both must be turns of one session.
    ///
    /// The three tools of tool search, whose definitions list the deferred tools, are not compared.
    ///
    /// ```
    /// use toolc::{Dialect, Session};
    ///
    /// fn next_turn(session: &Session, before: &toolc::Turn) -> toolc::Turn {
    ///     let turn = session.turn_blocking(Dialect::OpenAi);
    ///     for removed in turn.changes_since(before).removed {
    ///         println!("{} was removed: {}", removed.tool, removed.cause);
    ///     }
    ///     turn
    /// }
    /// # let session = toolc::Registry::new().session().build().unwrap();
    /// # next_turn(&session, &session.turn_blocking(Dialect::OpenAi));
    /// ```
    pub fn changes_since<'t>(&'t self, earlier: &'t Turn) -> ToolChanges<'t> {
        let mut changes = ToolChanges::default();
        if self.has_definitions_of(earlier) {
            return changes;
        }
        let (mut before, mut after) = (earlier.defined().peekable(), self.defined().peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (None, None) => return changes,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(&old), Some(&new)) => earlier.name(old).cmp(self.name(new)),
            };
            let old = before.next_if(|_| order.is_le());
            let new = after.next_if(|_| order.is_ge());
            match (old, new) {
                (Some(old), Some(new)) => {
                    if earlier.definition(old) != self.definition(new) {
                        changes.changed.push(self.change(new, self.difference(new, earlier, old)));
                    }
                }
                (Some(old), None) => changes.removed.push(earlier.change(old, self.absence(earlier.name(old), false))),
                (None, Some(new)) => changes.added.push(self.change(new, earlier.absence(self.name(new), true))),
                (None, None) => return changes,
            }
        }
    }

    /// Returns the tools whose definitions a request contains, sorted by name.
    fn defined(&self) -> impl Iterator<Item = ToolId> {
        let replaced = if self.deferral().has_search_tools() { self.deferred_ids() } else { &[] };
        self.tool_ids().iter().copied().filter(move |id| replaced.binary_search(id).is_err())
    }

    fn change<'t>(&'t self, id: ToolId, cause: ChangeCause<'t>) -> ToolChange<'t> {
        ToolChange { tool: self.name(id), name: self.dialect_name(id), cause }
    }

    /// Returns why this turn does not define a tool. `is_earlier` says whether it is the earlier turn.
    fn absence(&self, name: &str, is_earlier: bool) -> ChangeCause<'_> {
        let Some(id) = self.state().find(name) else {
            return if is_earlier { ChangeCause::Registered } else { ChangeCause::Unregistered };
        };
        if self.has(id) {
            return ChangeCause::Deferral;
        }
        match self.hidden_ids().find(|(hidden, _)| *hidden == id) {
            Some((_, reason)) if is_earlier => ChangeCause::Shown(reason),
            Some((_, reason)) => ChangeCause::Hidden(reason),
            None => ChangeCause::Grant,
        }
    }

    /// Returns why the definition of a tool differs from that in an earlier turn.
    fn difference(&self, id: ToolId, earlier: &Turn, old: ToolId) -> ChangeCause<'_> {
        let (tool, old_tool) = (self.state().tool(id), earlier.state().tool(old));
        let of_atoms = tool.atoms.iter().filter_map(|atom| match atom {
            Atom::Fact(name) | Atom::Compared(name, ..) => Some(name),
            Atom::Tool(_) => None,
        });
        let mut facts: Vec<Cow<'static, str>> = tool.facts.iter().chain(of_atoms).cloned().collect();
        facts.retain(|name| self.facts().get(name) != earlier.facts().get(name));
        facts.sort();
        facts.dedup();
        if !facts.is_empty() {
            return ChangeCause::Facts(facts);
        }
        let is_same = std::ptr::eq(tool, old_tool);
        if is_same || self.atoms(id) != earlier.atoms(old) { ChangeCause::Tools } else { ChangeCause::Declaration }
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

#[cfg(test)]
mod tests;
