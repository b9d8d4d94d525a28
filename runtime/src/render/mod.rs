//! The text of a turn: the definitions of its tools.

#[cfg(feature = "search")]
pub(crate) mod search_tools;

use std::ops::Range;

use crate::data::dialect::Dialect;
use crate::data::segment;
use crate::data::segment::FactValue;
use crate::registration::atoms::FactLookup;
use crate::registration::definition_table::{DefinitionSlot, DefinitionTable};
use crate::registration::ids::ToolId;
use crate::registration::state::State;

/// Renders the definitions of a turn.
#[derive(Clone, Copy)]
pub(crate) struct DefinitionsRenderer<'p> {
    pub(crate) state: &'p State,
    pub(crate) dialect: Dialect,
    /// The definitions of the dialect.
    pub(crate) definitions: &'p DefinitionTable,
    /// The turn's tools, sorted.
    pub(crate) tools: &'p [ToolId],
    pub(crate) facts: FactLookup<'p>,
}

/// Rendered definitions.
pub(crate) struct RenderedDefinitions {
    /// The text: one JSON array.
    pub(crate) text: String,
    /// The tools whose definitions are not static, in order, and the position of each definition in the text.
    rendered: Vec<(ToolId, Range<usize>)>,
}

impl DefinitionsRenderer<'_> {
    /// Renders all definitions.
    pub(crate) fn all(self) -> RenderedDefinitions {
        let most: usize = self.tools.iter().map(|&id| self.definitions[id].max_len() + 1).sum();
        let mut listing = RenderedDefinitions::begin(most + 2);
        for &id in self.tools {
            self.add(id, &mut listing);
        }
        listing.close()
    }

    /// Renders all definitions again. `before` has the same tools: only facts have changed since, and only the
    /// definitions that are not static depend on facts.
    pub(crate) fn again(self, before: &RenderedDefinitions) -> RenderedDefinitions {
        let most: usize = before.rendered.iter().map(|&(id, _)| self.definitions[id].max_len()).sum();
        let mut text = String::with_capacity(before.text.len() + most);
        let mut copied = 0;
        let rendered = before.rendered.iter().map(|(id, Range { start, end })| {
            text.push_str(&before.text[copied..*start]);
            copied = *end;
            let start = text.len();
            self.write(*id, &mut text);
            (*id, start..text.len())
        });
        let rendered = rendered.collect();
        text.push_str(&before.text[copied..]);
        RenderedDefinitions { text, rendered }
    }

    fn add(self, id: ToolId, listing: &mut RenderedDefinitions) {
        if let DefinitionSlot::Static(text) = self.definitions[id] {
            listing.text.push_str(text);
        } else {
            let start = listing.text.len();
            self.write(id, &mut listing.text);
            listing.rendered.push((id, start..listing.text.len()));
        }
        listing.text.push(',');
    }

    /// Writes one definition.
    pub(crate) fn write(self, id: ToolId, out: &mut String) {
        match self.definitions[id] {
            DefinitionSlot::Absent => {}
            DefinitionSlot::Static(text) => out.push_str(text),
            DefinitionSlot::Rendered { .. } => {
                let Some(definition) = self.state.definition(id, self.dialect) else { return };
                let tool = self.state.tool(id);
                let is_there = |id| self.tools.binary_search(&id).is_ok();
                let atoms = self.facts.evaluate(&self.state[id].atoms, &is_there);
                let values: Vec<FactValue> = tool.facts.iter().filter_map(|n| self.facts.get(n).cloned()).collect();
                segment::render(&definition.segments, atoms, &values, out);
            }
        }
    }
}

#[cfg(feature = "search")]
impl DefinitionsRenderer<'_> {
    /// Returns the tools that tool search defers: none, or all deferrable ones.
    pub(crate) fn deferred(self, search: Option<crate::render::search_tools::ToolSearch>) -> Vec<ToolId> {
        let Some(search) = search else { return Vec::new() };
        let mut deferrable: Vec<ToolId> = self.tools.to_vec();
        deferrable.retain(|&id| self.state[id].plan.is_deferrable);
        let bytes = deferrable.iter().map(|&id| self.definitions[id].max_len()).sum();
        if search.defers(bytes) { deferrable } else { Vec::new() }
    }

    /// Renders the definitions that are not `deferred`, and the three tools of tool search.
    pub(crate) fn searched(self, deferred: &[ToolId]) -> RenderedDefinitions {
        let mut homes: Vec<&str> = deferred.iter().map(|&id| &*self.state.tool(id).toolset).collect();
        homes.sort_unstable();
        homes.dedup();
        let mut bridges =
            crate::render::search_tools::definitions(self.dialect, deferred.len(), &homes).into_iter().peekable();
        let mut listing = RenderedDefinitions::begin(0);
        for &id in self.tools.iter().filter(|id| deferred.binary_search(id).is_err()) {
            while let Some((_, text)) = bridges.next_if(|(name, _)| **name < *self.state[id].name) {
                listing.add(&text);
            }
            self.add(id, &mut listing);
        }
        for (_, text) in bridges {
            listing.add(&text);
        }
        listing.close()
    }
}

impl RenderedDefinitions {
    /// Starts an array, with capacity for this many bytes.
    fn begin(room: usize) -> Self {
        let mut text = String::with_capacity(room);
        text.push('[');
        Self { text, rendered: Vec::new() }
    }

    #[cfg(feature = "search")]
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push(',');
    }

    /// Ends the array, and removes the comma after its last item.
    fn close(mut self) -> Self {
        if self.text.ends_with(',') {
            self.text.pop();
        }
        self.text.push(']');
        self
    }
}
