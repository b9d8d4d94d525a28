//! `schemas/DIALECT/`: definitions as a provider takes them, of every tool and of every toolset. What a program in
//! another language ships.

use serde_json::Value;

use super::Output;
use crate::check::Checked;
use crate::lower::DIALECTS;

pub(super) fn emit(catalog: &Checked) -> Vec<Output> {
    let mut outputs = Vec::new();
    for dialect in DIALECTS {
        let tools: Vec<Value> = catalog.tools().map(|(_, tool)| (dialect.lower)(tool)).collect();
        for ((_, tool), definition) in catalog.tools().zip(&tools) {
            outputs.push(Output::json(format!("schemas/{}/tools/{}.json", dialect.name, tool.name()), definition));
        }
        for (id, toolset) in catalog.toolsets() {
            let members: Vec<&Value> = catalog.resolve(id).into_iter().map(|tool| &tools[tool.0]).collect();
            if !members.is_empty() {
                let path = format!("schemas/{}/toolsets/{}.json", dialect.name, toolset.name());
                outputs.push(Output::json(path, &members.into_iter().cloned().collect()));
            }
        }
    }
    outputs
}
