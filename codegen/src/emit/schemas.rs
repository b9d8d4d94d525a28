//! `schemas/DIALECT/`: definitions as a provider takes them, which is what a program in another language ships.
//!
//! Of every tool as it is in the turn of all tools, of every toolset as the turn that enables just that; with facts at
//! their defaults, and everything else there that is required.

use super::{Output, pretty};
use crate::catalog::{Tool, ToolId, Toolset, ToolsetId};
use crate::lower::{Dialect, Lowered};
use crate::parallel;

pub(super) fn emit(catalog: &Lowered<'_>) -> Vec<Output> {
    let tools: Vec<(ToolId, &Tool)> = catalog.tools().collect();
    let toolsets: Vec<(ToolsetId, &Toolset)> = catalog.toolsets().collect();
    let mut outputs = Vec::new();
    for dialect in &catalog.settings().dialects {
        outputs.extend(parallel::map(&tools, |&(id, tool)| {
            let path = format!("schemas/{}/tools/{}.json", dialect.name, tool.name());
            let definition = catalog.tool(id).definition(dialect.variant).unwrap_or_default();
            Output::new(path, pretty::lines(&catalog.full_setting(tool).render(definition)))
        }));
        let of_toolsets = parallel::map(&toolsets, |(id, toolset)| {
            let text = shown(catalog, *id, dialect)?;
            let path = format!("schemas/{}/toolsets/{}.json", dialect.name, toolset.name());
            Some(Output::new(path, pretty::lines(&text)))
        });
        outputs.extend(of_toolsets.into_iter().flatten());
    }
    outputs
}

/// The definitions of the turn that enables just this toolset, if there are any.
fn shown(catalog: &Lowered<'_>, id: ToolsetId, dialect: &Dialect) -> Option<String> {
    let members = catalog.shown(catalog.graph().resolve(id.0));
    let shown = catalog.tools().filter(|(id, _)| members[id.0]);
    let definitions: Vec<String> = shown
        .map(|(id, tool)| {
            let definition = catalog.tool(id).definition(dialect.variant).unwrap_or_default();
            catalog.setting(tool, &members).render(definition)
        })
        .collect();
    (!definitions.is_empty()).then(|| format!("[{}]", definitions.join(",")))
}
