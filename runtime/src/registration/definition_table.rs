//! Sheets: how one dialect defines the tools of a registry, looked up once, when a turn is first made in it. Most tools are
//! defined by one static text, which a turn finds here without a way over the tool's own data, and has only to copy.

use crate::data::catalog::{Definition, Tool};
use crate::data::dialect::Dialect;
use crate::data::segment;
use crate::data::segment::Segment;
use std::borrow::Cow;

/// How one dialect defines each tool of a registry, by position.
pub(crate) type DefinitionTable = Vec<DefinitionSlot>;

/// How a dialect defines a tool.
#[derive(Clone, Copy)]
pub(crate) enum DefinitionSlot {
    /// Not at all.
    Absent,
    /// Under its own name, by this text, whatever the turn.
    Static(&'static str),
    /// By a definition that is to be rendered, or called by another name.
    Pieces {
        /// What [`segment::most`] says of it.
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

    /// How many bytes it comes to at most, facts and lists of tools aside.
    pub(crate) fn most(self) -> usize {
        match self {
            DefinitionSlot::Absent => 0,
            DefinitionSlot::Static(text) => text.len(),
            DefinitionSlot::Pieces { most } => most,
        }
    }
}
