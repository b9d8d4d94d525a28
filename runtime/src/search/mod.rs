//! Tool search. If the definitions of a turn are too large, three tools of toolc replace those that may be deferred. A
//! model finds a tool with `tool_search`, reads its definition with `tool_describe`, and calls it with `tool_call`, which
//! behaves like a direct call of that tool.

pub use crate::render::search_tools::ToolSearch;
use crate::session::turn::Turn;

/// A result of [`Turn::search`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchHit<'t> {
    /// The tool's own name.
    pub tool: &'t str,
    /// The relevance, greater than 0. Scores of different searches are not comparable.
    pub score: f32,
}

impl Turn {
    /// Searches the tools of this turn, deferred or not, and returns at most `limit` of them, the most relevant first. A
    /// model's `tool_search` returns the same.
    pub fn search(&self, query: &str, limit: usize) -> Vec<SearchHit<'_>> {
        let hits = self.state().search().find(query, limit, |id| self.has(id));
        hits.into_iter().map(|(id, score)| SearchHit { tool: self.name(id), score }).collect()
    }

    /// Returns the names of the tools that are deferred: [`definitions`](Turn::definitions) does not contain them, or marks them for
    /// the [vendor's search](ToolSearch::by_vendor).
    pub fn deferred(&self) -> impl Iterator<Item = &str> {
        self.deferred_ids().iter().map(|&id| self.name(id))
    }
}

#[cfg(test)]
mod tests;
