//! Reduces `catalog.json` to a selection of tools and toolsets. What remains names no tool and no toolset that it does not hold, except
//! in requirements: a tool that requires a missing one stays hidden.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// Reduces the text of `catalog.json` to these tools and toolsets.
pub(super) fn select(text: &str, tools: &BTreeSet<&str>, toolsets: &BTreeSet<&str>) -> String {
    let mut catalog: Value =
        serde_json::from_str(text).unwrap_or_else(|error| unreachable!("gen writes JSON: {error}"));
    let lists = catalog["toolsets"].as_array().into_iter().flatten();
    let resolved: BTreeMap<String, Vec<String>> =
        lists.map(|toolset| (text_of(&toolset["name"]), texts(&toolset["resolved"]))).collect();
    for (list, names) in [("tools", tools), ("toolsets", toolsets)] {
        if let Some(entries) = catalog[list].as_array_mut() {
            entries.retain(|entry| names.contains(text_of(&entry["name"]).as_str()));
        }
    }
    for toolset in catalog["toolsets"].as_array_mut().into_iter().flatten() {
        replace_missing(toolset, &resolved, tools, toolsets);
    }
    if let Some(distributions) = catalog["distributions"].as_array_mut() {
        distributions.retain(|distribution| {
            let named = distribution["toolsets"].as_object();
            named.is_some_and(|named| named.keys().all(|name| toolsets.contains(name.as_str())))
        });
    }
    format!("{catalog:#}\n")
}

/// Replaces the includes and the base of a toolset that the selection does not hold by their tools.
fn replace_missing(
    toolset: &mut Value,
    resolved: &BTreeMap<String, Vec<String>>,
    tools: &BTreeSet<&str>,
    toolsets: &BTreeSet<&str>,
) {
    let is_held = |name: &String| toolsets.contains(name.as_str());
    let (includes, missing): (Vec<String>, Vec<String>) = texts(&toolset["includes"]).into_iter().partition(is_held);
    let base = toolset["base"].as_str().map(str::to_owned);
    let missing_base = base.filter(|base| !is_held(base));
    if missing_base.is_some()
        && let Some(toolset) = toolset.as_object_mut()
    {
        toolset.shift_remove("base");
    }
    let own = texts(&toolset["resolved"]);
    let replaced = missing.iter().chain(&missing_base).filter_map(|name| resolved.get(name)).flatten();
    let direct: BTreeSet<String> =
        texts(&toolset["direct"]).into_iter().chain(replaced.filter(|tool| own.contains(tool)).cloned()).collect();
    let excludes = texts(&toolset["excludes"]).into_iter().filter(|tool| tools.contains(tool.as_str()));
    toolset["excludes"] = excludes.collect();
    toolset["includes"] = json!(includes);
    toolset["direct"] = json!(direct);
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(text_of).collect()
}
