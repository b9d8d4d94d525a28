//! Definition tables: the definitions of a registry's tools in one dialect, looked up once, when a turn is first made
//! in it. Most definitions are a single static string, which a turn copies from here without touching the tool's own
//! data.

use crate::data::catalog::{Definition, Tool};
use crate::data::dialect::Dialect;
use crate::data::segment;
use crate::data::segment::Segment;
use std::borrow::Cow;

/// The definitions of a registry's tools in one dialect, by position.
pub(crate) type DefinitionTable = Vec<DefinitionSlot>;

/// The definition of a tool in a dialect.
#[derive(Clone, Copy)]
pub(crate) enum DefinitionSlot {
    /// The tool has no definition.
    Absent,
    /// A static text under its own name, the same in every turn.
    Static(&'static str),
    /// A definition that must be rendered, or has another name.
    Pieces {
        /// The upper bound of its size from [`segment::most`].
        most: usize,
    },
}

impl DefinitionSlot {
    pub(crate) fn new(dialect: Dialect, tool: &Tool, definition: Option<&Definition>) -> Self {
        match definition.map(|definition| &*definition.segments) {
            None => DefinitionSlot::Absent,
            Some([Segment::Text(Cow::Borrowed(text))])
                if tool.arguments.conditions.is_empty() && tool.name_in(dialect).is_none() =>
            {
                DefinitionSlot::Static(text)
            }
            Some(segments) => DefinitionSlot::Pieces { most: segment::most(segments) },
        }
    }

    /// Returns an upper bound of its size in bytes, without facts and lists of tools.
    pub(crate) fn most(self) -> usize {
        match self {
            DefinitionSlot::Absent => 0,
            DefinitionSlot::Static(text) => text.len(),
            DefinitionSlot::Pieces { most } => most,
        }
    }
}
