//! `schemas/DIALECT/`: definitions as a provider takes them, which is what a program in another language ships.
//!
//! Of every tool as it is in the turn of all tools, of every toolset as the turn that enables just that; with facts at
//! their defaults, and everything else there that is required.

use super::{Draft, Inputs, pretty};
use crate::catalog::{ToolId, Toolset, ToolsetId};
use crate::lower::{Dialect, Lowered};
use crate::parallel;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let toolsets: Vec<(ToolsetId, &Toolset)> = catalog.toolsets().collect();
    let shown = parallel::map(&toolsets, |(id, toolset)| (*toolset, shown(catalog, *id)));
    let mut drafts = Vec::new();
    for dialect in &catalog.settings().dialects {
        drafts.extend(catalog.tools().map(|(id, tool)| {
            let path = format!("schemas/{}/tools/{}.json", dialect.name, tool.name());
            let text = move || {
                let definition = catalog.tool(id).definition(dialect.variant).unwrap_or_default();
                pretty::lines(&catalog.full_setting(tool).render(definition))
            };
            Draft::new(path, Inputs::Tools(vec![id]), text)
        }));
        drafts.extend(shown.iter().filter(|(_, shown)| !shown.is_empty()).map(|(toolset, shown)| {
            let path = format!("schemas/{}/toolsets/{}.json", dialect.name, toolset.name());
            let tools = shown.clone();
            Draft::new(path, Inputs::Tools(shown.clone()), move || together(catalog, &tools, dialect))
        }));
    }
    drafts
}

/// The tools of the turn that enables just this toolset.
fn shown(catalog: &Lowered<'_>, id: ToolsetId) -> Vec<ToolId> {
    let members = catalog.shown(catalog.graph().resolve(id.0));
    catalog.tools().map(|(id, _)| id).filter(|id| members[id.0]).collect()
}

/// The definitions in a turn of these tools.
fn together(catalog: &Lowered<'_>, tools: &[ToolId], dialect: &Dialect) -> String {
    let mut members = vec![false; catalog.graph().tools];
    for id in tools {
        members[id.0] = true;
    }
    let definitions: Vec<String> = (tools.iter())
        .map(|&id| {
            let definition = catalog.tool(id).definition(dialect.variant).unwrap_or_default();
            catalog.setting(&catalog[id], &members).render(definition)
        })
        .collect();
    pretty::lines(&format!("[{}]", definitions.join(",")))
}
