//! The search index of a state: one index for each provider, and a common one for all small providers.

use std::sync::{Arc, OnceLock};

use crate::data::catalog::Tool;
use crate::index::{self, Index};
use crate::provider::ToolProvider;
use crate::registration::ids::{IndexInProvider, ProviderIndex, ToolId};

/// The search index of a state.
#[derive(Default)]
pub(crate) struct StateSearchIndex {
    indices: Vec<Part>,
    /// The ids of the indexed tools, in the order of the indexes, or `None` for a tool that is overridden.
    ids: Vec<Option<ToolId>>,
}

enum Part {
    /// The index of a provider, which caches it.
    Provider(Arc<ProviderSearchIndex>),
    /// The index of many providers with few tools each.
    Small(Index),
}

/// The index of a provider.
pub(crate) struct ProviderSearchIndex {
    provider: Arc<dyn ToolProvider>,
    index: OnceLock<Index>,
}

impl ProviderSearchIndex {
    pub(crate) fn new(provider: Arc<dyn ToolProvider>) -> Self {
        Self { provider, index: OnceLock::new() }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let build = || Index::from_tools(self.provider.tools().iter().map(searchable_text));
            // An index with a different number of tools is wrong and ignored.
            self.provider.index().filter(|index| index.len() == self.provider.tools().len()).unwrap_or_else(build)
        })
    }
}

/// Returns a tool's name, and its description with the names of its parameters.
fn searchable_text(tool: &Tool) -> (&str, String) {
    let mut text = tool.description.to_string();
    for property in &tool.arguments.properties {
        text.push('\n');
        text.push_str(&property.name);
    }
    (&tool.name, text)
}

impl StateSearchIndex {
    /// Builds the index of all tools of a state from the indexes of its providers. `tools` are the tools, each with its place in
    /// a provider.
    pub(crate) fn new(
        tools: impl Iterator<Item = (ToolId, ProviderIndex, IndexInProvider)>,
        indexed: &[Arc<ProviderSearchIndex>],
    ) -> Self {
        /// The maximum number of tools of a provider whose index is merged with others.
        const MAX_SMALL: usize = 64;
        let mut positions: Vec<Vec<Option<ToolId>>> =
            indexed.iter().map(|indexed| vec![None; indexed.provider.tools().len()]).collect();
        for (id, provider, index) in tools {
            positions[provider.0][index.0] = Some(id);
        }
        let (mut all, mut small) = (Self::default(), Vec::new());
        for (indexed, ids) in indexed.iter().zip(positions) {
            if ids.len() <= MAX_SMALL {
                small.push((indexed.index(), ids));
            } else {
                all.indices.push(Part::Provider(Arc::clone(indexed)));
                all.ids.extend(ids);
            }
        }
        if !small.is_empty() {
            all.indices.push(Part::Small(Index::concat(small.iter().map(|(index, _)| *index))));
            all.ids.extend(small.into_iter().flat_map(|(_, ids)| ids));
        }
        all
    }

    /// Returns the best `limit` results among the tools for which `is_shown` returns true, the best first. Results with equal
    /// scores are sorted by name.
    pub(crate) fn find(&self, query: &str, limit: usize, is_shown: impl Fn(ToolId) -> bool) -> Vec<(ToolId, f32)> {
        let indices = self.indices.iter().map(|part| match part {
            Part::Provider(indexed) => indexed.index(),
            Part::Small(index) => index,
        });
        let id_of = |tool: usize| self.ids[tool].filter(|id| is_shown(*id));
        let found = index::relevant(query, &indices, |tool| id_of(tool).is_some());
        let mut hits: Vec<(ToolId, f32)> =
            found.into_iter().filter_map(|(tool, score)| Some((id_of(tool)?, score))).collect();
        let better = |a: &(ToolId, f32), b: &(ToolId, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if limit < hits.len() {
            hits.select_nth_unstable_by(limit, better);
            hits.truncate(limit);
        }
        hits.sort_unstable_by(better);
        hits
    }
}
