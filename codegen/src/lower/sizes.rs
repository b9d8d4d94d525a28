//! How many tokens definitions need.

use toolc::catalog::estimated_tokens;

use super::definition;
use crate::catalog::{Catalog, ToolId};

/// The size of each tool's definition in the first dialect, in bytes, computed on first use.
#[derive(Debug)]
pub struct DefinitionSizes<'c> {
    catalog: &'c Catalog,
    cache: Vec<Option<usize>>,
}

impl<'c> DefinitionSizes<'c> {
    /// Returns the sizes of a catalog's definitions.
    pub fn new(catalog: &'c Catalog) -> Self {
        Self { catalog, cache: vec![None; catalog.tools().count()] }
    }

    /// Returns an estimate of the tokens of the definitions of a turn with these tools, with everything in their texts.
    pub fn tokens(&mut self, tools: &[ToolId]) -> usize {
        let Some(dialect) = self.catalog.settings().dialects.first() else { return 0 };
        let commas = tools.len().saturating_sub(1);
        let brackets = 2;
        let mut size = |&id: &ToolId| {
            let tool = &self.catalog[id];
            let text = || {
                let definition = definition(dialect, self.catalog, tool).definition;
                let text = |doc| dialect.written(self.catalog.full_turn_values(tool).value(&doc).to_string());
                definition.map_or(0, |doc| text(doc).len())
            };
            *self.cache[id.0].get_or_insert_with(text)
        };
        estimated_tokens(tools.iter().map(&mut size).sum::<usize>() + commas + brackets)
    }
}
