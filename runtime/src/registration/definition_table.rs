//! Sheets: how one dialect defines the tools of a registry, looked up once, when a turn is first made in it. Most tools are
//! defined by one static text, which a turn finds here without a way over the tool's own data, and has only to copy.

use crate::data::catalog::{Definition, Text, Tool};
use crate::data::dialect::Dialect;
use crate::data::segment;
use crate::data::segment::Segment;

/// How one dialect defines each tool of a registry, by position.
pub(crate) type Sheet = Vec<Line>;

/// How a dialect defines a tool.
#[derive(Clone, Copy)]
pub(crate) enum Line {
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

impl Line {
    pub(crate) fn new(dialect: Dialect, tool: &Tool, definition: Option<&Definition>) -> Self {
        match definition.map(|definition| &*definition.segments) {
            None => Line::Absent,
            Some([Segment::Text(Text::Borrowed(text))])
                if tool.arguments.conditions.is_empty() && tool.name_in(dialect).is_none() =>
            {
                Line::Static(text)
            }
            Some(segments) => Line::Pieces { most: segment::most(segments) },
        }
    }

    /// How many bytes it comes to at most, facts and lists of tools aside.
    pub(crate) fn most(self) -> usize {
        match self {
            Line::Absent => 0,
            Line::Static(text) => text.len(),
            Line::Pieces { most } => most,
        }
    }
}
