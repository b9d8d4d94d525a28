//! Sheets: how one dialect defines the tools of a registry, looked up once, at registration. Most tools are defined by
//! one static text, which a turn finds here without a way over the tool's own data, and has only to copy.

use std::collections::BTreeMap;

use crate::segment::{self, Segment};
use crate::{Definition, Dialect, Text, Tool};

/// How one dialect defines each tool of a registry, by position.
pub(crate) type Sheet = Vec<Line>;

/// How a dialect defines a tool.
#[derive(Clone, Copy)]
pub(crate) enum Line {
    /// Not at all.
    Absent,
    /// Under its own name, by this text, whatever the turn.
    Static(&'static str),
    /// By its definition at `index`, which is to be rendered.
    Pieces {
        index: usize,
        /// What [`segment::most`] says of it.
        most: usize,
    },
}

/// A sheet for each dialect in which any of `tools` is defined.
pub(crate) fn sheets(tools: &[&Tool]) -> BTreeMap<Dialect, Sheet> {
    let (count, mut sheets) = (tools.len(), BTreeMap::new());
    for (id, tool) in tools.iter().enumerate() {
        // Backwards, so that the first one of a dialect is it.
        for (index, definition) in tool.definitions.iter().enumerate().rev() {
            let sheet: &mut Sheet = sheets.entry(definition.dialect).or_insert_with(|| vec![Line::Absent; count]);
            sheet[id] = Line::new(tool, index, definition);
        }
    }
    sheets
}

impl Line {
    fn new(tool: &Tool, index: usize, definition: &Definition) -> Self {
        match &*definition.segments {
            [Segment::Text(Text::Borrowed(text))]
                if definition.name.is_none() && tool.arguments.conditions.is_empty() =>
            {
                Line::Static(text)
            }
            segments => Line::Pieces { index, most: segment::most(segments) },
        }
    }

    /// How many bytes it comes to at most, facts and lists of tools aside.
    pub(crate) fn most(self) -> usize {
        match self {
            Line::Absent => 0,
            Line::Static(text) => text.len(),
            Line::Pieces { most, .. } => most,
        }
    }
}
