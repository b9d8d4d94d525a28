//! `schemas/DIALECT/`: definitions as a provider takes them. Of every tool as it is in the turn of all tools, of every
//! toolset as the turn that enables just that, with facts at their defaults and everything else there that is required. What a program in another language ships.

use toolc::segment::Segment;

use super::{Output, pretty};
use crate::catalog::{Tool, Toolset, ToolsetId};
use crate::check::Checked;
use crate::parallel;

pub(super) fn emit(catalog: &Checked) -> Vec<Output> {
    let toolsets: Vec<(ToolsetId, &Toolset)> = catalog.toolsets().collect();
    let mut outputs = Vec::new();
    for dialect in &catalog.settings().dialects {
        let tools: Vec<&Tool> = catalog.tools().map(|(_, tool)| tool).collect();
        let tools = parallel::map(&tools, |&tool| (tool, dialect.definition(catalog, tool).segments()));
        outputs.extend(parallel::map(&tools, |(tool, definition)| {
            let path = format!("schemas/{}/tools/{}.json", dialect.name, tool.name());
            Output::new(path, pretty::lines(&catalog.full_setting(tool).render(definition)))
        }));
        let of_toolsets = parallel::map(&toolsets, |(id, toolset)| {
            let text = shown(catalog, *id, &tools)?;
            let path = format!("schemas/{}/toolsets/{}.json", dialect.name, toolset.name());
            Some(Output::new(path, pretty::lines(&text)))
        });
        outputs.extend(of_toolsets.into_iter().flatten());
    }
    outputs
}

/// The definitions of the turn that enables just this toolset, if there are any.
fn shown(catalog: &Checked, id: ToolsetId, tools: &[(&Tool, Vec<Segment>)]) -> Option<String> {
    let members = catalog.shown(catalog.graph().resolve(id.0));
    let shown = tools.iter().zip(&members).filter(|(_, is_shown)| **is_shown);
    let definitions: Vec<String> =
        shown.map(|((tool, definition), _)| catalog.setting(tool, &members).render(definition)).collect();
    (!definitions.is_empty()).then(|| format!("[{}]", definitions.join(",")))
}
