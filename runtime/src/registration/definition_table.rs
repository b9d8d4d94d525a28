//! The definitions of a state's tools in one dialect. Most definitions are a single static string. Caching it here lets a turn
//! copy it without accessing the tool.

use std::borrow::Cow;
use std::ops::Index;

use crate::data::catalog::{Definition, Tool};
use crate::data::dialect::Dialect;
use crate::data::segment::{self, Segment};
use crate::registration::ids::ToolId;

/// The definitions of all tools in one dialect. It is made when a turn is first made in the dialect.
pub(crate) struct DefinitionTable {
    slots: Vec<DefinitionSlot>,
    /// The tools with another name in the dialect, or with parameters that depend on the turn, sorted.
    adapted: Vec<ToolId>,
}

/// The definition of a tool in a dialect.
#[derive(Clone, Copy)]
pub(crate) enum DefinitionSlot {
    /// The tool has no definition in the dialect.
    Absent,
    /// The definition has the same text in every turn, and the dialect uses the tool's own name.
    Static(&'static str),
    /// The definition depends on the turn, or the dialect uses another name for the tool.
    Rendered {
        /// The result of [`segment::max_len`].
        max_len: usize,
    },
}

impl DefinitionTable {
    pub(crate) fn new<'t>(dialect: Dialect, tools: impl Iterator<Item = (&'t Tool, Option<&'t Definition>)>) -> Self {
        let (mut slots, mut adapted) = (Vec::new(), Vec::new());
        for (tool, definition) in tools {
            if tool.name_in(dialect).is_some() || !tool.arguments.conditions.is_empty() {
                adapted.push(ToolId(slots.len()));
            }
            slots.push(DefinitionSlot::new(dialect, tool, definition));
        }
        Self { slots, adapted }
    }

    /// Returns those of `tools`, which are sorted, that have another name in the dialect, or parameters that depend on the turn.
    pub(crate) fn adapted(&self, tools: &[ToolId]) -> impl Iterator<Item = ToolId> {
        let are_all = tools.len() == self.slots.len();
        self.adapted.iter().copied().filter(move |id| are_all || tools.binary_search(id).is_ok())
    }
}

impl Index<ToolId> for DefinitionTable {
    type Output = DefinitionSlot;

    fn index(&self, id: ToolId) -> &DefinitionSlot {
        &self.slots[id.0]
    }
}

impl DefinitionSlot {
    fn new(dialect: Dialect, tool: &Tool, definition: Option<&Definition>) -> Self {
        match definition.map(|definition| &*definition.segments) {
            None => DefinitionSlot::Absent,
            Some([Segment::Text(Cow::Borrowed(text))])
                if tool.arguments.conditions.is_empty() && tool.name_in(dialect).is_none() =>
            {
                DefinitionSlot::Static(text)
            }
            Some(segments) => DefinitionSlot::Rendered { max_len: segment::max_len(segments) },
        }
    }

    /// Returns the maximum size of the definition in bytes, without values of facts and lists of tools.
    pub(crate) fn max_len(self) -> usize {
        match self {
            DefinitionSlot::Absent => 0,
            DefinitionSlot::Static(text) => text.len(),
            DefinitionSlot::Rendered { max_len } => max_len,
        }
    }
}
