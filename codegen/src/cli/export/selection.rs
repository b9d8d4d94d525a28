//! Reduces the catalogs of a bundle to a selection of tools and toolsets. What remains names no tool and no toolset that it does not
//! hold, except in requirements: a tool that requires a missing one stays hidden.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// The tools and toolsets of a bundle.
pub(super) struct Selection<'n> {
    pub tools: BTreeSet<&'n str>,
    pub toolsets: BTreeSet<&'n str>,
    /// The tools of each toolset of the project.
    pub resolved: BTreeMap<&'n str, Vec<&'n str>>,
}

/// The keys of a toolset in one of the two catalogs.
struct Keys {
    /// The tools that it lists itself.
    direct: &'static str,
    base: &'static str,
    /// Whether lists without items are written.
    writes_empty: bool,
}

const DECLARED: Keys = Keys { direct: "direct", base: "base", writes_empty: true };
const COMPILED: Keys = Keys { direct: "tools", base: "extends", writes_empty: false };

impl Selection<'_> {
    /// Reduces `catalog.json`.
    pub(super) fn declared(&self, text: &str) -> String {
        let mut catalog: Value =
            serde_json::from_str(text).unwrap_or_else(|error| unreachable!("gen writes JSON: {error}"));
        retain(&mut catalog["tools"], |name| self.tools.contains(name));
        retain(&mut catalog["toolsets"], |name| self.toolsets.contains(name));
        for toolset in catalog["toolsets"].as_array_mut().into_iter().flatten() {
            self.replace_missing(toolset, &DECLARED, &self.toolsets);
        }
        if let Some(distributions) = catalog["distributions"].as_array_mut() {
            distributions.retain(|distribution| {
                let named = distribution["toolsets"].as_object();
                named.is_some_and(|named| named.keys().all(|name| self.toolsets.contains(name.as_str())))
            });
        }
        format!("{catalog:#}\n")
    }

    /// Reduces the compiled catalog. It also keeps the home toolsets of its tools, because their requirements apply to the tools.
    pub(super) fn compiled(&self, mut catalog: Value) -> String {
        retain(&mut catalog["tools"], |name| self.tools.contains(name));
        let homes: BTreeSet<String> =
            catalog["tools"].as_array().into_iter().flatten().map(|tool| text_of(&tool["toolset"])).collect();
        let held = homes.iter().map(String::as_str).chain(self.toolsets.iter().copied()).collect();
        retain(&mut catalog["toolsets"], |name| BTreeSet::contains(&held, name));
        for toolset in catalog["toolsets"].as_array_mut().into_iter().flatten() {
            self.replace_missing(toolset, &COMPILED, &held);
        }
        format!("{catalog}\n")
    }

    /// Replaces the includes and the base of a toolset that are not among `held` by their tools.
    fn replace_missing(&self, toolset: &mut Value, keys: &Keys, held: &BTreeSet<&str>) {
        let (includes, mut missing): (Vec<String>, Vec<String>) =
            texts(&toolset["includes"]).into_iter().partition(|name| held.contains(name.as_str()));
        if let Some(base) = toolset[keys.base].as_str().filter(|base| !held.contains(base)).map(str::to_owned)
            && let Some(toolset) = toolset.as_object_mut()
        {
            toolset.shift_remove(keys.base);
            missing.push(base);
        }
        let tools_of = |name: &str| self.resolved.get(name).into_iter().flatten().copied();
        let own: BTreeSet<&str> = tools_of(toolset["name"].as_str().unwrap_or_default()).collect();
        let replaced = missing.iter().flat_map(|name| tools_of(name)).filter(|tool| own.contains(tool));
        let direct: BTreeSet<String> =
            texts(&toolset[keys.direct]).into_iter().chain(replaced.map(str::to_owned)).collect();
        let is_held = |tool: &String| self.tools.contains(tool.as_str());
        let direct = direct.into_iter().filter(is_held).collect();
        let excludes = texts(&toolset["excludes"]).into_iter().filter(is_held).collect();
        for (key, names) in [(keys.direct, direct), ("includes", includes), ("excludes", excludes)] {
            let names: Vec<String> = names;
            match toolset.as_object_mut() {
                Some(toolset) if names.is_empty() && !keys.writes_empty => _ = toolset.shift_remove(key),
                Some(toolset) => _ = toolset.insert(key.to_owned(), json!(names)),
                None => {}
            }
        }
    }
}

/// Retains the entries of a list with some names.
fn retain(list: &mut Value, mut is_held: impl FnMut(&str) -> bool) {
    if let Some(entries) = list.as_array_mut() {
        entries.retain(|entry| is_held(entry["name"].as_str().unwrap_or_default()));
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(text_of).collect()
}
