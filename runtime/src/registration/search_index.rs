//! What a state's tools are found by: an index for each provider, and one for all small providers together.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::data::dialect::Dialect;
use crate::data::segment::{self, Atoms, Segment};
use crate::index::document::document;
use crate::index::{self, Index};
use crate::provider::ToolProvider;
use crate::registration::state::State;

/// What a state's tools are found by.
#[derive(Default)]
pub(crate) struct StateIndex {
    indices: Vec<Part>,
    /// The positions in the state of the indices' tools, one index after the other. None: another tool overrides it.
    ids: Vec<Option<usize>>,
}

enum Part {
    /// Of a provider, which keeps it.
    Of(Arc<ProviderIndex>),
    /// Of many providers of a few tools each.
    Small(Index),
}

/// A provider's index.
pub(crate) struct ProviderIndex {
    provider: Arc<dyn ToolProvider>,
    made: OnceLock<Index>,
}

impl ProviderIndex {
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
    let defined = |dialect: &Dialect| Some((*dialect, provider.definitions(*dialect).get(index)?.as_ref()?));
    let name = &provider.tools()[index].name;
    let Some((dialect, definition)) = Dialect::ALL.iter().find_map(defined) else {
        return (name, document("", &Value::Null));
    };
    let definition: Value = serde_json::from_str(&whole(&definition.segments)).unwrap_or_default();
    let (description, parameters) = dialect.read(&definition);
    (name, document(description.unwrap_or_default(), parameters.unwrap_or(&Value::Null)))
}

impl StateIndex {
    /// Of all the tools of `state`, whose providers have these indices.
    pub(crate) fn new(state: &State, indexed: &[Arc<ProviderIndex>]) -> Self {
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
    pub(crate) fn find(&self, query: &str, limit: usize, there: impl Fn(usize) -> bool) -> Vec<(usize, f32)> {
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

/// All the text of a definition, whatever its conditions.
fn whole(segments: &[Segment]) -> String {
    let mut text = String::new();
    segment::render(segments, Atoms::MAX, &[], &mut text);
    text
}
