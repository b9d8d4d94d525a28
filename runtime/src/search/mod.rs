//! Tool search: where a turn has more tools than a model should be told of, three of toolc's own stand for most of them. A
//! model finds a tool with `tool_search`, reads its definition with `tool_describe`, and calls it with `tool_call`, which
//! is a call of that tool like any other.

mod bridge;
mod document;
mod index;
mod terms;

use std::sync::{Arc, OnceLock};

use serde_json::Value;

pub use document::document;
pub use index::Index;

pub(crate) use bridge::{SEARCH, definitions};

use crate::registry::State;
use crate::{Dialect, ToolProvider, Turn, estimated_tokens};

/// What tools are found by, where this crate has the feature `search`.
#[doc(hidden)]
#[macro_export]
macro_rules! search_index {
    ($packed:literal) => {
        &[$packed]
    };
}

/// When tool search stands for tools: see [`SessionBuilder::tool_search`](crate::SessionBuilder::tool_search).
///
/// ```
/// use toolc::ToolSearch;
///
/// let of_a_small_model = ToolSearch::of_context(32_000); // from 3,200 tokens on
/// let of_any_model = ToolSearch::default(); // from 20,000 tokens on
/// let as_soon_as_there_is_one_to_defer = ToolSearch::above(0);
/// # let _ = (of_a_small_model, of_any_model, as_soon_as_there_is_one_to_defer);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSearch {
    above: usize,
}

impl Default for ToolSearch {
    /// Above 20,000 tokens: a tenth of the context of most models of 2026.
    fn default() -> Self {
        Self::above(20_000)
    }
}

impl ToolSearch {
    /// Above a tenth of a context of this many tokens.
    pub const fn of_context(tokens: usize) -> Self {
        Self::above(tokens / 10)
    }

    /// Where the definitions of the tools that may be deferred take more than this many [tokens](estimated_tokens).
    pub const fn above(tokens: usize) -> Self {
        Self { above: tokens }
    }

    /// Whether it stands for tools whose definitions take this many bytes.
    pub(crate) const fn defers(self, bytes: usize) -> bool {
        bytes > 0 && estimated_tokens(bytes) > self.above
    }
}

/// A hit of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found<'t> {
    /// The tool's own name.
    pub tool: &'t str,
    /// How well it fits, above 0. Comparable within one search only.
    pub score: f32,
}

impl Turn {
    /// The tools of this turn that fit a query best, at most `limit` of them: what `tool_search` answers with. Tools that
    /// the model was shown are among them.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Found<'_>> {
        let hits = self.state().searched().find(query, limit, |id| self.has(id));
        hits.into_iter().map(|(id, score)| Found { tool: self.name(id), score }).collect()
    }

    /// The tools that the model was not shown because tool search stands for them, by name.
    pub fn deferred(&self) -> impl Iterator<Item = &str> {
        self.deferred_ids().iter().map(|&id| self.name(id))
    }
}

/// What a state's tools are found by.
#[derive(Default)]
pub(crate) struct Searched {
    indices: Vec<Part>,
    /// The positions in the state of the indices' tools, one index after the other. None: another tool overrides it.
    ids: Vec<Option<usize>>,
}

enum Part {
    /// Of a provider, which keeps it.
    Of(Arc<Indexed>),
    /// Of many providers of a few tools each.
    Small(Index),
}

/// A provider's index.
pub(crate) struct Indexed {
    provider: Arc<dyn ToolProvider>,
    made: OnceLock<Index>,
}

impl Indexed {
    pub(crate) fn new(provider: Arc<dyn ToolProvider>) -> Self {
        Self { provider, made: OnceLock::new() }
    }

    fn index(&self) -> &Index {
        self.made.get_or_init(|| {
            let made = || Index::of((0..self.provider.tools().len()).map(|index| said(&*self.provider, index)));
            // One that does not fit would tell of other tools.
            self.provider.index().filter(|index| index.len() == self.provider.tools().len()).unwrap_or_else(made)
        })
    }
}

/// A tool's name, and what the first of its definitions says.
fn said(provider: &dyn ToolProvider, index: usize) -> (&str, String) {
    let defined = |dialect: &Dialect| provider.definitions(*dialect).get(index)?.as_ref();
    let definition = Dialect::ALL.iter().find_map(defined).map(|definition| bridge::whole(&definition.segments));
    let definition = definition.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null);
    let function = if definition["function"].is_object() { &definition["function"] } else { &definition };
    let parameters = ["parameters", "inputSchema", "input_schema", "parametersJsonSchema"];
    let parameters = parameters.iter().map(|key| &function[*key]).find(|value| value.is_object());
    let description = function["description"].as_str().unwrap_or_default();
    (&provider.tools()[index].name, document(description, parameters.unwrap_or(&Value::Null)))
}

impl Searched {
    /// Of all the tools of `state`, whose providers have these indices.
    pub(crate) fn new(state: &State, indexed: &[Arc<Indexed>]) -> Self {
        /// Tools of a provider whose index is worth looking into by itself.
        const FEW: usize = 64;
        let mut positions: Vec<Vec<Option<usize>>> =
            state.providers.iter().map(|provider| vec![None; provider.tools().len()]).collect();
        for (id, entry) in state.tools.iter().enumerate() {
            positions[entry.provider][entry.index] = Some(id);
        }
        let (mut all, mut small) = (Self::default(), Vec::new());
        for (indexed, ids) in indexed.iter().zip(positions) {
            if ids.len() <= FEW {
                small.push((indexed.index(), ids));
            } else {
                all.indices.push(Part::Of(Arc::clone(indexed)));
                all.ids.extend(ids);
            }
        }
        if !small.is_empty() {
            all.indices.push(Part::Small(Index::joined(small.iter().map(|(index, _)| *index))));
            all.ids.extend(small.into_iter().flat_map(|(_, ids)| ids));
        }
        all
    }

    /// The best hits among tools that are `there`, by position, the best one first; of equal ones the first.
    fn find(&self, query: &str, limit: usize, there: impl Fn(usize) -> bool) -> Vec<(usize, f32)> {
        let indices = self.indices.iter().map(|part| match part {
            Part::Of(indexed) => indexed.index(),
            Part::Small(index) => index,
        });
        let all = index::scores(query, &indices);
        let scored = all.into_iter().zip(&self.ids).filter(|(score, _)| *score > 0.0);
        let mut hits: Vec<(usize, f32)> = scored.filter_map(|(score, id)| Some(((*id)?, score))).collect();
        let better = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        hits.retain(|(id, _)| there(*id));
        if limit < hits.len() {
            hits.select_nth_unstable_by(limit, better);
            hits.truncate(limit);
        }
        hits.sort_unstable_by(better);
        hits
    }
}

#[cfg(test)]
mod tests;
