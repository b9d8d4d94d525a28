//! `schemas/DIALECT/`: definitions as a provider takes them, which is what a program in another language ships.
//!
//! Of every tool as it is in the turn of all tools, of every toolset as the turn that enables just that; with facts at
//! their defaults, and everything else there that is required.

use std::sync::Arc;

use rayon::prelude::*;
use toolc::__gen::graph::Members;
use toolc::__gen::indented;
use toolc::__gen::segment::Segment;

use super::{Draft, Inputs};
use crate::catalog::{ToolId, Toolset, ToolsetId};
use crate::lower::{Lowered, accepts};

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    (0..catalog.settings().dialects.len()).flat_map(|at| in_dialect(catalog, at)).collect()
}

fn in_dialect<'c>(catalog: &'c Lowered<'c>, at: usize) -> Vec<Draft<'c>> {
    let dialect = catalog.settings().dialects[at];
    // A tool that the dialect cannot express is missing for the other tools, too.
    let takes: Arc<Members> = Arc::new(catalog.tools().map(|(_, tool)| accepts(dialect, tool)).collect());
    let everything = Arc::new(catalog.shown(Members::clone(&takes)));
    let mut drafts: Vec<Draft<'c>> = Vec::new();
    for (id, tool) in catalog.tools().filter(|(id, _)| takes[id.0]) {
        let path = format!("schemas/{}/tools/{}.json", dialect.name, tool.name());
        let everything = Arc::clone(&everything);
        drafts.push(Draft::new(path, Inputs::Tools(vec![id]), move || {
            indented(&catalog.setting(tool, &everything).render(segments(catalog, id, at)), 0) + "\n"
        }));
    }
    let toolsets: Vec<(ToolsetId, &Toolset)> = catalog.toolsets().collect();
    let shown: Vec<_> = toolsets.par_iter().map(|(id, _)| shown(catalog, *id, &takes)).collect();
    for ((_, toolset), tools) in toolsets.into_iter().zip(shown).filter(|(_, shown)| !shown.is_empty()) {
        let path = format!("schemas/{}/toolsets/{}.json", dialect.name, toolset.name());
        drafts.push(Draft::new(path, Inputs::Tools(tools.clone()), move || together(catalog, &tools, at)));
    }
    drafts
}

/// The tools of the turn that enables just this toolset.
fn shown(catalog: &Lowered<'_>, id: ToolsetId, takes: &[bool]) -> Vec<ToolId> {
    let granted = catalog.graph().resolve(id.0);
    let members = catalog.shown(granted.iter().zip(takes).map(|(granted, takes)| *granted && *takes).collect());
    catalog.tools().map(|(id, _)| id).filter(|id| members[id.0]).collect()
}

/// The definitions in a turn of these tools.
fn together(catalog: &Lowered<'_>, tools: &[ToolId], at: usize) -> String {
    let mut members = vec![false; catalog.graph().tools];
    for id in tools {
        members[id.0] = true;
    }
    let definitions: Vec<String> =
        (tools.iter()).map(|&id| catalog.setting(&catalog[id], &members).render(segments(catalog, id, at))).collect();
    indented(&format!("[{}]", definitions.join(",")), 0) + "\n"
}

/// The definition of a tool in the settings' dialect at `at`, which takes it.
fn segments<'c>(catalog: &'c Lowered<'_>, id: ToolId, at: usize) -> &'c [Segment] {
    catalog.definitions(id)[at].as_ref().map_or(&[], |definition| &definition.segments)
}
