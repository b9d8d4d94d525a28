//! `schemas/DIALECT/`: definitions as a provider takes them. Of every tool as it is in the turn of all tools, of every
//! toolset as the turn that enables just that, with facts at their defaults and everything else there that is required. What a program in another language ships.

use serde_json::Value;

use super::Output;
use crate::check::Checked;
use crate::doc::Doc;

pub(super) fn emit(catalog: &Checked) -> Vec<Output> {
    let mut outputs = Vec::new();
    for dialect in &catalog.settings().dialects {
        let docs: Vec<Doc> = catalog.tools().map(|(_, tool)| dialect.definition(catalog, tool)).collect();
        for ((_, tool), doc) in catalog.tools().zip(&docs) {
            let path = format!("schemas/{}/tools/{}.json", dialect.name, tool.name());
            outputs.push(Output::json(path, &catalog.full_setting(tool).value(doc)));
        }
        for (id, toolset) in catalog.toolsets() {
            let members = catalog.shown(catalog.graph().resolve(id.0));
            let shown = catalog.tools().zip(&docs).filter(|((id, _), _)| members[id.0]);
            let definitions: Vec<Value> =
                shown.map(|((_, tool), doc)| catalog.setting(tool, &members).value(doc)).collect();
            if !definitions.is_empty() {
                let path = format!("schemas/{}/toolsets/{}.json", dialect.name, toolset.name());
                outputs.push(Output::json(path, &definitions.into()));
            }
        }
    }
    outputs
}
