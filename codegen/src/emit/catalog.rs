//! `catalog.json`: the catalog for programs in any language. Which tools there are, and what each toolset holds.

use serde_json::{Value, json};
use toolc::segment::FactValue;

use super::{MARK, Output};
use crate::catalog::ToolId;
use crate::check::Checked;

pub(super) fn emit(catalog: &Checked) -> Vec<Output> {
    let names = |ids: &[ToolId]| ids.iter().map(|&id| catalog[id].name()).collect::<Value>();
    let tools = catalog.tools().map(|(_, tool)| {
        let setting = catalog.full_setting(tool);
        json!({
            "name": tool.name(),
            "toolset": catalog[tool.home].name(),
            "description": setting.text(&tool.manifest.description.value),
            "emoji": tool.manifest.emoji,
            "execution": tool.manifest.execution.word(),
            "parameters": setting.value(&tool.manifest.params.to_doc()),
        })
    });
    let toolsets = catalog.toolsets().map(|(id, toolset)| {
        let mut direct = [toolset.home_tools.as_slice(), toolset.tools.as_slice()].concat();
        direct.sort_unstable();
        direct.dedup();
        json!({
            "name": toolset.name(),
            "description": toolset.manifest.description,
            "kind": if toolset.manifest.preset { "preset" } else { "bundle" },
            "direct": names(&direct),
            "includes": toolset.includes.iter().map(|(id, _)| catalog[*id].name()).collect::<Value>(),
            "base": toolset.base.map(|(id, _)| catalog[id].name()),
            "resolved": names(&catalog.resolve(id)),
        })
    });
    let facts = catalog.facts().iter().map(|fact| {
        let default = match &fact.default {
            FactValue::Text(text) => json!(text),
            FactValue::Boolean(flag) => json!(flag),
            FactValue::Integer(integer) => json!(integer),
        };
        json!({ "name": fact.name.value, "default": default, "description": fact.description })
    });
    let document = json!({
        "$comment": MARK,
        "tools": tools.collect::<Value>(),
        "toolsets": toolsets.collect::<Value>(),
        "facts": facts.collect::<Value>(),
    });
    vec![Output::json("catalog.json", &document)]
}
