//! Tool search. If a turn has too many tools, three tools of toolc replace the definitions of most of them. A model
//! finds a tool with `tool_search`, reads its definition with `tool_describe`, and calls it with `tool_call`, which
//! behaves like a direct call of that tool.

pub use crate::render::search_tools::ToolSearch;
use crate::session::turn::Turn;

/// A result of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchHit<'t> {
    /// The tool's own name.
    pub tool: &'t str,
    /// The relevance, above 0. Comparable within one search only.
    pub score: f32,
}

impl Turn {
    /// Searches the tools of this turn, like `tool_search`, and returns at most `limit` of them, the most relevant
    /// first. The search includes tools that the model was shown.
    pub fn search(&self, query: &str, limit: usize) -> Vec<SearchHit<'_>> {
        let hits = self.state().search().find(query, limit, |id| self.has(id));
        hits.into_iter().map(|(id, score)| SearchHit { tool: self.name(id), score }).collect()
    }

    /// Returns the names of the tools that tool search defers, so that the model is not shown their definitions.
    pub fn deferred(&self) -> impl Iterator<Item = &str> {
        self.deferred_ids().iter().map(|&id| self.name(id))
    }
}

#[cfg(test)]
mod tests;
