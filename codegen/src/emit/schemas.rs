//! `schemas/DIALECT/`: definitions in the form that a vendor accepts, for programs in other languages.
//!
//! The definition of a tool is that of a turn with all tools. The definitions of a toolset are those of a turn with this toolset
//! alone. In `generated/`, facts have their defaults; a bundle can have another [`Turn`]. All environment variables, programs and
//! checks are available.

use std::sync::Arc;

use rayon::prelude::*;
use toolc::__gen::graph::Members;
use toolc::__gen::segment::Segment;

use super::{Draft, Inputs, Turn, turn};
use crate::catalog::{Settings, ToolId, Toolset, ToolsetId};
use crate::lower::{Lowered, accepts};

/// Returns the files that the settings select.
pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let Settings { dialects, schemas, .. } = catalog.settings();
    let is_written = |index: &usize| schemas.dialects.iter().any(|name| *name == dialects[*index].name);
    let written = (0..dialects.len()).filter(is_written);
    written.flat_map(|index| in_dialect(catalog, &turn::DEFAULT, index, schemas.tools, schemas.toolsets)).collect()
}

/// Returns all files in a turn, in each dialect of the project.
pub(super) fn in_turn<'c>(catalog: &'c Lowered<'c>, turn: &'c Turn) -> Vec<Draft<'c>> {
    let dialects = 0..catalog.settings().dialects.len();
    dialects.flat_map(|index| in_dialect(catalog, turn, index, true, true)).collect()
}

/// Returns the files of a dialect. `index` is its index in the settings.
fn in_dialect<'c>(
    catalog: &'c Lowered<'c>,
    turn: &'c Turn,
    index: usize,
    of_tools: bool,
    of_toolsets: bool,
) -> Vec<Draft<'c>> {
    let dialect = catalog.settings().dialects[index];
    let extension = dialect.language.extension();
    // A tool that the dialect cannot express is not available to other tools either.
    let accepted: Arc<Members> = Arc::new(catalog.tools().map(|(_, tool)| accepts(dialect, tool)).collect());
    let everything = Arc::new(catalog.shown_with_facts(Members::clone(&accepted), &turn.facts));
    let mut drafts: Vec<Draft<'c>> = Vec::new();
    for (id, tool) in catalog.tools().filter(|(id, _)| of_tools && accepted[id.0]) {
        let path = format!("schemas/{}/tools/{}.{extension}", dialect.name, tool.name());
        let everything = Arc::clone(&everything);
        drafts.push(Draft::new(path, Inputs::Tools(vec![id]), move || {
            let json = turn.values_of(catalog, id, &everything).render(segments(catalog, id, index));
            dialect.file(&dialect.written(json))
        }));
    }
    let toolsets: Vec<(ToolsetId, &Toolset)> = catalog.toolsets().filter(|_| of_toolsets).collect();
    let shown: Vec<_> = toolsets.par_iter().map(|(id, _)| shown_tools(catalog, turn, *id, &accepted)).collect();
    for ((_, toolset), tools) in toolsets.into_iter().zip(shown).filter(|(_, shown)| !shown.is_empty()) {
        let path = format!("schemas/{}/toolsets/{}.{extension}", dialect.name, toolset.name());
        drafts.push(Draft::new(path, Inputs::Tools(tools.clone()), move || definitions(catalog, turn, &tools, index)));
    }
    drafts
}

/// Returns the tools of a turn with this toolset alone.
fn shown_tools(catalog: &Lowered<'_>, turn: &Turn, id: ToolsetId, accepted: &[bool]) -> Vec<ToolId> {
    let resolved = catalog.graph().resolve(id.0);
    let granted = resolved.iter().zip(accepted).map(|(resolved, accepted)| *resolved && *accepted).collect();
    let members = turn.shown(catalog, granted);
    catalog.tools().map(|(id, _)| id).filter(|id| members[id.0]).collect()
}

/// Returns the definitions in a turn of these tools.
fn definitions(catalog: &Lowered<'_>, turn: &Turn, tools: &[ToolId], index: usize) -> String {
    let mut members = vec![false; catalog.graph().tools];
    for id in tools {
        members[id.0] = true;
    }
    let dialect = catalog.settings().dialects[index];
    let definition = |&id: &ToolId| {
        dialect.written(turn.values(catalog, &catalog[id], &members).render(segments(catalog, id, index)))
    };
    dialect.file(&dialect.list(&tools.iter().map(definition).collect::<Vec<_>>()))
}

/// Returns the definition of a tool in the dialect at `index` of the settings, which accepts the tool.
fn segments<'c>(catalog: &'c Lowered<'_>, id: ToolId, index: usize) -> &'c [Segment] {
    catalog.definitions(id)[index].as_ref().map_or(&[], |definition| &definition.segments)
}
