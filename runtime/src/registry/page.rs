//! The text that a turn shows: the definitions of its tools, one after the other.

use crate::Dialect;
use crate::registry::State;
use crate::registry::facts::Facts;
use crate::registry::sheet::Line;
use crate::segment::{self, FactValue};

/// What the definitions of a turn are made of.
#[derive(Clone, Copy)]
pub(crate) struct Page<'p> {
    pub(crate) state: &'p State,
    pub(crate) dialect: Dialect,
    /// The dialect's.
    pub(crate) sheet: &'p [Line],
    /// The turn's set, by position.
    pub(crate) tools: &'p [usize],
    pub(crate) facts: Facts<'p>,
}

impl Page<'_> {
    /// All of them, as one JSON array.
    pub(crate) fn all(self) -> String {
        let most: usize = self.tools.iter().map(|&id| self.sheet[id].most() + 1).sum();
        let mut out = String::with_capacity(most + 2);
        out.push('[');
        for &id in self.tools {
            self.write(id, &mut out);
            out.push(',');
        }
        close(&mut out);
        out
    }

    /// Writes one of them.
    pub(crate) fn write(self, id: usize, out: &mut String) {
        match self.sheet[id] {
            Line::Absent => {}
            Line::Static(text) => out.push_str(text),
            Line::Pieces { .. } => {
                let Some(definition) = self.state.definition(id, self.dialect) else { return };
                let tool = self.state.tool(id);
                let is_there = |id| self.tools.binary_search(&id).is_ok();
                let atoms = self.facts.atoms(&self.state.tools[id].atoms, &is_there);
                let values: Vec<FactValue> = tool.facts.iter().filter_map(|n| self.facts.get(n).cloned()).collect();
                segment::render(&definition.segments, atoms, &values, out);
            }
        }
    }
}

#[cfg(feature = "search")]
impl Page<'_> {
    /// Those that tool search stands for: none, or all that it may.
    pub(crate) fn deferred(self, search: Option<crate::ToolSearch>) -> Vec<usize> {
        let Some(search) = search else { return Vec::new() };
        let mut deferrable: Vec<usize> = self.tools.to_vec();
        deferrable.retain(|&id| self.state.tools[id].way.is_deferrable);
        let bytes = deferrable.iter().map(|&id| self.sheet[id].most()).sum();
        if search.defers(bytes) { deferrable } else { Vec::new() }
    }

    /// Those that are not `deferred`, and the three tools of tool search among them.
    pub(crate) fn searched(self, deferred: &[usize]) -> String {
        let mut homes: Vec<&str> = deferred.iter().map(|&id| &*self.state.tool(id).toolset).collect();
        homes.sort_unstable();
        homes.dedup();
        let mut bridges = crate::search::definitions(self.dialect, deferred.len(), &homes).into_iter().peekable();
        let mut out = String::from("[");
        for &id in self.tools.iter().filter(|id| deferred.binary_search(id).is_err()) {
            while let Some((_, text)) = bridges.next_if(|(name, _)| **name < *self.state.tools[id].name) {
                out.push_str(&text);
                out.push(',');
            }
            self.write(id, &mut out);
            out.push(',');
        }
        for (_, text) in bridges {
            out.push_str(&text);
            out.push(',');
        }
        close(&mut out);
        out
    }
}

/// Ends an array after whose items there are commas.
fn close(out: &mut String) {
    if out.ends_with(',') {
        out.pop();
    }
    out.push(']');
}
