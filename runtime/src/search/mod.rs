//! Tool search: where a turn has more tools than a model should be told of, three of toolc's own stand for most of them. A
//! model finds a tool with `tool_search`, reads its definition with `tool_describe`, and calls it with `tool_call`, which
//! is a call of that tool like any other.

mod tools;

pub use crate::index::Index;
pub use crate::index::document::document;

use crate::session::turn::Turn;

/// What tools are found by, where this crate has the feature `search`.
#[doc(hidden)]
#[macro_export]
macro_rules! search_index {
    ($packed:literal) => {
        &[$packed]
    };
}

/// A hit of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchHit<'t> {
    /// The tool's own name.
    pub tool: &'t str,
    /// How well it fits, above 0. Comparable within one search only.
    pub score: f32,
}

impl Turn {
    /// The tools of this turn that fit a query best, at most `limit` of them: what `tool_search` answers with. Tools that
    /// the model was shown are among them.
    pub fn search(&self, query: &str, limit: usize) -> Vec<SearchHit<'_>> {
        let hits = self.state().searched().find(query, limit, |id| self.has(id));
        hits.into_iter().map(|(id, score)| SearchHit { tool: self.name(id), score }).collect()
    }

    /// The tools that the model was not shown because tool search stands for them, by name.
    pub fn deferred(&self) -> impl Iterator<Item = &str> {
        self.deferred_ids().iter().map(|&id| self.name(id))
    }
}

#[cfg(test)]
mod tests;
