//! Compares the tools of two turns. If the tools change during a conversation, the prompt cache stays valid only if the change is sent as a
//! message, not as another list of definitions.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::call::changes::{ChangeCause, ToolChange, ToolChanges};
use crate::data::segment::Atom;
use crate::registration::ids::ToolId;
use crate::session::turn::Turn;
use crate::sorted;

impl Turn {
    /// Returns how the definitions of this turn differ from those of an earlier one, and why. Both turns must belong to the same session.
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
        let mut facts: Vec<Cow<'static, str>> = Vec::new();
        for name in tool.facts.iter().chain(of_atoms) {
            if self.facts().get(name) != earlier.facts().get(name) {
                sorted::insert(&mut facts, name.clone());
            }
        }
        if !facts.is_empty() {
            return ChangeCause::Facts(facts);
        }
        let is_same = std::ptr::eq(tool, old_tool);
        if is_same || self.atoms(id) != earlier.atoms(old) { ChangeCause::Tools } else { ChangeCause::Declaration }
    }
}

#[cfg(test)]
mod tests;
