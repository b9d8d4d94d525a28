//! The definitions of a state's tools in one dialect. Most definitions are a single static string. Caching it here lets a turn
//! copy it without accessing the tool.

use std::borrow::Cow;
use std::ops::Index;

use crate::data::catalog::{Definition, Tool};
use crate::data::dialect::Dialect;
use crate::data::segment::{self, Segment};
use crate::registration::dialect_names::DialectNames;
use crate::registration::ids::ToolId;
use crate::registration::rendered::SharedDefinitions;

/// The definitions of all tools in one dialect. It is made when a turn is first made in the dialect.
pub(crate) struct DefinitionTable {
    slots: Vec<DefinitionSlot>,
    /// The tools with another name in the dialect, or with parameters that depend on the turn, sorted.
    adapted: Vec<ToolId>,
    /// What the tools are called in the dialect.
    pub(crate) names: DialectNames,
    /// The text of the definitions, for all sessions.
    pub(crate) shared: SharedDefinitions,
}

/// The definition of a tool in a dialect.
pub(crate) enum DefinitionSlot {
    /// The tool has no definition in the dialect, or no name.
    Absent,
    /// The definition has the same text in every turn, as the dialect writes it.
    Static(Cow<'static, str>),
    /// The definition depends on the turn, or the dialect uses another name for the tool.
    Rendered {
        /// The result of [`segment::max_len`].
        max_len: usize,
    },
}

impl DefinitionTable {
    pub(crate) fn new<'t>(dialect: Dialect, tools: impl Iterator<Item = (&'t Tool, Option<&'t Definition>)>) -> Self {
        let (tools, definitions): (Vec<&Tool>, Vec<Option<&Definition>>) = tools.unzip();
        let names = DialectNames::new(dialect, &tools);
        let (mut slots, mut adapted) = (Vec::new(), Vec::new());
        for (id, (tool, definition)) in tools.into_iter().zip(definitions).enumerate() {
            let id = ToolId(id);
            let is_renamed = names.renamed(id).is_some();
            if is_renamed || !tool.arguments.conditions.is_empty() {
                adapted.push(id);
            }
            let definition = definition.filter(|_| names.unavailable(id).is_none());
            slots.push(DefinitionSlot::new(dialect, tool, is_renamed, definition));
        }
        Self { slots, adapted, names, shared: SharedDefinitions::default() }
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
    fn new(dialect: Dialect, tool: &Tool, is_renamed: bool, definition: Option<&Definition>) -> Self {
        match definition.map(|definition| &*definition.segments) {
            None => DefinitionSlot::Absent,
            Some([Segment::Text(Cow::Borrowed(text))])
                if dialect.is_json() && tool.arguments.conditions.is_empty() && !is_renamed =>
            {
                DefinitionSlot::Static(Cow::Borrowed(text))
            }
            // Made once here, and not in each turn.
            Some([Segment::Text(text)]) if !dialect.is_json() && tool.arguments.conditions.is_empty() => {
                match dialect.written(Cow::Borrowed(text)) {
                    Some(text) => DefinitionSlot::Static(Cow::Owned(text.into_owned())),
                    None => DefinitionSlot::Absent,
                }
            }
            Some(segments) => DefinitionSlot::Rendered { max_len: segment::max_len(segments) },
        }
    }

    /// Returns the maximum size of the definition in bytes, without values of facts and lists of tools. In a dialect that is not
    /// JSON, the size of a definition that depends on the turn is that of the JSON that it is made from.
    pub(crate) fn max_len(&self) -> usize {
        match self {
            DefinitionSlot::Absent => 0,
            DefinitionSlot::Static(text) => text.len(),
            DefinitionSlot::Rendered { max_len } => *max_len,
        }
    }
}
