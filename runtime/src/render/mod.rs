//! Rendering the definitions of a turn.

pub(crate) mod conditional;
#[cfg(feature = "search")]
pub(crate) mod search_tools;

use std::borrow::Cow;
use std::ops::Range;

use crate::data::dialect::Dialect;
use crate::data::segment;
use crate::data::segment::FactValue;
use crate::registration::atoms::FactLookup;
use crate::registration::definition_table::{DefinitionSlot, DefinitionTable};
use crate::registration::ids::ToolId;
use crate::registration::state::State;
use crate::render::conditional::ConditionalTable;

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
    /// Those of the tools whose parameters depend on the turn, sorted.
    pub(crate) conditional: &'p [ConditionalTable],
}

/// Rendered definitions.
pub(crate) struct RenderedDefinitions {
    /// The text: one JSON array, or what the dialect has instead.
    pub(crate) text: String,
    /// The tools whose definitions are not static, in order, each with the range of its definition in the text.
    rendered: Vec<(ToolId, Range<usize>)>,
}

impl DefinitionsRenderer<'_> {
    /// Renders all definitions.
    pub(crate) fn render(self) -> RenderedDefinitions {
        let max_len: usize = self.tools.iter().map(|&id| self.definitions[id].max_len() + 1).sum();
        let mut output = RenderedDefinitions::begin(self.dialect, max_len + 2);
        for &id in self.tools {
            self.push_definition(id, &mut output);
        }
        output.close(self.dialect)
    }

    /// Renders all definitions again after a change of facts. `before` has the same tools. Static definitions do not depend on
    /// facts and are copied.
    pub(crate) fn rerender(self, before: &RenderedDefinitions) -> RenderedDefinitions {
        let max_len: usize = before.rendered.iter().map(|&(id, _)| self.definitions[id].max_len()).sum();
        let mut text = String::with_capacity(before.text.len() + max_len);
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

    fn push_definition(self, id: ToolId, output: &mut RenderedDefinitions) {
        if let DefinitionSlot::Static(text) = &self.definitions[id] {
            output.text.push_str(text);
        } else {
            let start = output.text.len();
            self.write(id, &mut output.text);
            output.rendered.push((id, start..output.text.len()));
        }
        output.text.push_str(self.dialect.list()[1]);
    }

    /// Writes one definition.
    pub(crate) fn write(self, id: ToolId, out: &mut String) {
        match &self.definitions[id] {
            DefinitionSlot::Absent => {}
            DefinitionSlot::Static(text) => out.push_str(text),
            DefinitionSlot::Rendered { .. } if self.dialect.is_json() => self.write_json(id, out),
            DefinitionSlot::Rendered { .. } => {
                let mut json = String::new();
                self.write_json(id, &mut json);
                out.push_str(&self.dialect.written(Cow::Owned(json)).unwrap_or_default());
            }
        }
    }

    /// Writes the JSON of one definition, from which the dialect may make something else.
    pub(crate) fn write_json(self, id: ToolId, out: &mut String) {
        let Some(definition) = self.state.definition(id, self.dialect) else { return };
        let tool = self.state.tool(id);
        let conditional = if tool.atoms.is_empty() { None } else { ConditionalTable::find(self.conditional, id) };
        let atoms = match conditional {
            Some(conditional) => conditional.atoms,
            None => self.facts.evaluate(&self.state[id].atoms, self.tools),
        };
        let values: Vec<FactValue> = tool.facts.iter().filter_map(|n| self.facts.get(n).cloned()).collect();
        segment::render(&definition.segments, atoms, &values, out);
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

    /// Renders the definitions of the tools that are not `deferred`, and of the three tools of tool search.
    pub(crate) fn render_with_search_tools(self, deferred: &[ToolId]) -> RenderedDefinitions {
        let mut toolsets: Vec<&str> = deferred.iter().map(|&id| &*self.state.tool(id).toolset).collect();
        toolsets.sort_unstable();
        toolsets.dedup();
        let mut search_tools =
            crate::render::search_tools::definitions(self.dialect, deferred.len(), &toolsets).into_iter().peekable();
        let mut output = RenderedDefinitions::begin(self.dialect, 0);
        for &id in self.tools.iter().filter(|id| deferred.binary_search(id).is_err()) {
            while let Some((_, text)) = search_tools.next_if(|(name, _)| **name < *self.state[id].name) {
                output.push(self.dialect, &text);
            }
            self.push_definition(id, &mut output);
        }
        for (_, text) in search_tools {
            output.push(self.dialect, &text);
        }
        output.close(self.dialect)
    }
}

impl RenderedDefinitions {
    /// Starts a list with this capacity in bytes.
    fn begin(dialect: Dialect, capacity: usize) -> Self {
        let mut text = String::with_capacity(capacity);
        text.push_str(dialect.list()[0]);
        Self { text, rendered: Vec::new() }
    }

    #[cfg(feature = "search")]
    fn push(&mut self, dialect: Dialect, text: &str) {
        self.text.push_str(text);
        self.text.push_str(dialect.list()[1]);
    }

    /// Ends the list, and removes the separator after its last item.
    fn close(mut self, dialect: Dialect) -> Self {
        let [begin, separator, end] = dialect.list();
        if self.text.len() > begin.len() && self.text.ends_with(separator) {
            self.text.truncate(self.text.len() - separator.len());
        }
        self.text.push_str(end);
        self
    }
}
