//! The changes of all entries of two snapshots.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use toolc_codegen::Failure;

use crate::codes::{self, Code};
use crate::finding::Finding;
use crate::keys::{Meaning, OF_TOOLS, OF_TOOLSETS, code_of};
use crate::snapshot::{Extent, Readers, Snapshot, text_set, texts};
use crate::tools::Pair;

/// Returns the changes of all entries.
pub(crate) fn changes(before: &Snapshot, after: &Snapshot) -> Result<Vec<Finding>, Failure> {
    let readers = [before.readers(), after.readers()];
    let pairs: Vec<(&String, &Value)> = before.tools().iter().collect();
    let compared: Result<Vec<Vec<Finding>>, Failure> = pairs
        .into_par_iter()
        .map(|(name, entry)| match after.tools().get(name) {
            // What is equal in the catalog is equal everywhere.
            Some(new) if new == entry => Ok(Vec::new()),
            Some(new) => tool(name, entry, new, &readers, before),
            None => removed_tool(name, entry, &readers, [before, after]),
        })
        .collect();
    let mut findings: Vec<Finding> = compared?.into_iter().flatten().collect();
    let is_known = |name: &str| before.tool(name).is_some();
    for (name, entry) in after.tools().iter().filter(|(name, _)| !before.tools().contains_key(*name)) {
        let is_renamed = texts(&entry["aliases"]).any(is_known) || is_known(name);
        if !is_renamed {
            findings.push(Finding::new(codes::ADDED, "tools", name, "the tool is new"));
        }
    }
    if before.extent != Extent::Tools {
        toolsets(before, after, &mut findings);
        for list in ["facts", "env", "distributions", "commands"] {
            entries(list, before, after, &mut findings);
        }
    }
    Ok(findings)
}

fn tool(
    name: &str,
    before: &Value,
    after: &Value,
    readers: &[Readers<'_>; 2],
    old: &Snapshot,
) -> Result<Vec<Finding>, Failure> {
    let mut pair = Pair { name, before, after, findings: Vec::new() };
    pair.arguments([&readers[0], &readers[1]])?;
    if old.extent != Extent::Tools || before.get("returns").is_some() {
        pair.results()?;
    }
    let mut findings = pair.findings;
    keys("tools", OF_TOOLS, name, (before, after), old, &mut findings);
    // The catalog of a bundle has the description in the turn of the bundle.
    if old.extent == (Extent::Bundle { has_default_turn: false }) && before.get("conditional").is_some() {
        findings.retain(|found| found.at != "/description");
    }
    if old.extent != Extent::Tools {
        conditions(name, before, after, &mut findings);
        dialects(name, before, after, &mut findings);
        methods(name, before, after, &mut findings);
    }
    Ok(findings)
}

/// A tool that is gone, or has another name now.
fn removed_tool(
    name: &str,
    entry: &Value,
    readers: &[Readers<'_>; 2],
    [before, after]: [&Snapshot; 2],
) -> Result<Vec<Finding>, Failure> {
    let Some(new) = after.tool(name) else {
        let similar = toolc::suggest::nearest(name, after.tools().keys().map(String::as_str));
        let help = toolc::suggest::did_you_mean(&similar).map(|help| format!("; {help}")).unwrap_or_default();
        let reason =
            format!("the tool is gone: calls of `{name}` fail. If it was renamed, keep its name as an alias{help}");
        return Ok(vec![Finding::new(codes::TOOL_REMOVED, "tools", name, reason).value(json!({ "name": name }))]);
    };
    let new_name = new["name"].as_str().unwrap_or_default();
    let mut new = new.clone();
    let aliases: Vec<&str> = texts(&new["aliases"]).filter(|alias| *alias != name).collect();
    // The old name is not new.
    let aliases = json!(aliases);
    new["aliases"] = aliases;
    let mut pair = Pair { name, before: entry, after: &new, findings: Vec::new() };
    pair.arguments([&readers[0], &readers[1]])?;
    pair.results()?;
    let mut findings = pair.findings;
    keys("tools", OF_TOOLS, name, (entry, &new), before, &mut findings);
    let reason =
        format!("the tool is called `{new_name}` now, in calls and in generated code; calls by its old name still run");
    findings.push(Finding::new(codes::TOOL_RENAMED, "tools", name, reason).change(&json!(name), &json!(new_name)));
    for finding in &mut findings {
        new_name.clone_into(&mut finding.name);
    }
    Ok(findings)
}

/// Compares the keys of an entry.
fn keys(
    list: &'static str,
    known: &[(&str, Meaning)],
    name: &str,
    sides: (&Value, &Value),
    old: &Snapshot,
    findings: &mut Vec<Finding>,
) {
    let (Some(before), Some(after)) = (sides.0.as_object(), sides.1.as_object()) else { return };
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for key in all {
        // A server says nothing of most keys.
        if old.extent == Extent::Tools && !before.contains_key(key) {
            continue;
        }
        let [one, two] = [before, after].map(|entry| entry.get(key).unwrap_or(&Value::Null));
        let meaning =
            known.iter().find(|(name, _)| name == key).map_or(&Meaning::Value(codes::OTHER), |(_, meaning)| meaning);
        let (code, is_equal) = match meaning {
            Meaning::Elsewhere => continue,
            Meaning::Names => {
                names(list, name, one, two, findings);
                continue;
            }
            Meaning::Set(code) => (*code, text_set(one) == text_set(two)),
            Meaning::Value(code) | Meaning::Handler(code) => (*code, one == two),
        };
        if is_equal {
            continue;
        }
        let change =
            |code: Code, reason: String| Finding::new(code, list, name, reason).at(format!("/{key}")).change(one, two);
        findings.push(change(code, format!("`{key}` has changed")));
        if matches!(meaning, Meaning::Handler(_)) {
            findings.push(change(
                codes::HANDLER_SIGNATURE,
                format!("`{key}` has changed, so handlers implement another method"),
            ));
        }
    }
}

/// Compares the aliases of a tool or a toolset.
fn names(list: &'static str, name: &str, before: &Value, after: &Value, findings: &mut Vec<Finding>) {
    let (before, after) = (text_set(before), text_set(after));
    for gone in before.difference(&after).filter(|gone| **gone != name) {
        let reason = format!("the alias `{gone}` is gone");
        findings
            .push(Finding::new(codes::NAME_REMOVED, list, name, reason).at("/aliases").value(json!({ "name": gone })));
    }
    for new in after.difference(&before) {
        findings.push(Finding::new(codes::NAME_ADDED, list, name, format!("the alias `{new}` is new")).at("/aliases"));
    }
}

/// Compares the conditions of the parts of a tool.
fn conditions(name: &str, before: &Value, after: &Value, findings: &mut Vec<Finding>) {
    let parts = |entry: &Value, key: &str| -> BTreeMap<String, Value> {
        let parts = entry["conditional"]["parts"].as_array().into_iter().flatten();
        let one = |part: &Value| Some((part["at"].as_str()?.to_owned(), part.get(key)?.clone()));
        parts.filter_map(one).collect()
    };
    for (key, code) in [("when", codes::CONDITION), ("text", codes::DESCRIPTION)] {
        let (old, new) = (parts(before, key), parts(after, key));
        if old != new && (key == "when" || before["description"] == after["description"]) {
            let reason = if key == "when" {
                "other parts depend on the turn"
            } else {
                "a text that depends on the turn has changed"
            };
            findings
                .push(Finding::new(code, "tools", name, reason).at("/conditional").change(&json!(old), &json!(new)));
        }
    }
}

/// Compares what a manifest says about single dialects.
fn dialects(name: &str, before: &Value, after: &Value, findings: &mut Vec<Finding>) {
    let empty = Map::new();
    let [old, new] = [before, after].map(|entry| entry["dialect"].as_object().unwrap_or(&empty));
    let all: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for dialect in all {
        for (key, code) in
            [("name", codes::NAME_IN_DIALECT), ("description", codes::DESCRIPTION), ("strict", codes::FORM)]
        {
            let [one, two] =
                [old, new].map(|map| map.get(dialect).and_then(|table| table.get(key)).unwrap_or(&Value::Null));
            if one != two {
                let reason = format!("`{key}` in the dialect `{dialect}` has changed");
                let finding = Finding::new(code, "tools", name, reason).at(format!("/dialect/{dialect}/{key}"));
                findings.push(finding.change(one, two));
            }
        }
    }
}

/// Compares the methods of handlers that requirements and rules of approval add.
fn methods(name: &str, before: &Value, after: &Value, findings: &mut Vec<Finding>) {
    for (pointer, what) in [("/requires/check", "available"), ("/approval/start_directory", "a start directory")] {
        let [one, two] = [before, after].map(|entry| entry.pointer(pointer).unwrap_or(&Value::Null));
        if one != two {
            let reason = format!("the trait of the handlers asks for {what} only on one side");
            findings.push(Finding::new(codes::HANDLER_SIGNATURE, "tools", name, reason).at(pointer).change(one, two));
        }
    }
}

fn toolsets(before: &Snapshot, after: &Snapshot, findings: &mut Vec<Finding>) {
    let by_alias =
        |name: &str| after.list("toolsets").values().find(|other| texts(&other["aliases"]).any(|alias| alias == name));
    for (name, entry) in before.list("toolsets") {
        let Some(new) = after.list("toolsets").get(name).or_else(|| by_alias(name)) else {
            let reason = format!("the toolset is gone: hosts that enable `{name}` fail");
            findings.push(Finding::new(codes::NAME_REMOVED, "toolsets", name, reason).value(json!({ "name": name })));
            continue;
        };
        let new_name = new["name"].as_str().unwrap_or_default();
        let known = findings.len();
        keys("toolsets", OF_TOOLSETS, new_name, (entry, new), before, findings);
        // The lists of the manifest matter on their own only if they lead to the same tools. A bundle replaces those of toolsets that it
        // does not hold.
        let is_bundle = matches!(before.extent, Extent::Bundle { .. });
        if is_bundle || findings[known..].iter().any(|found| found.at == "/resolved") {
            findings.retain(|found| {
                found.list != "toolsets"
                    || found.name != new_name
                    || !["/direct", "/includes", "/excludes", "/base"].contains(&found.at.as_str())
            });
        }
        if new_name != name {
            let reason =
                format!("the toolset is called `{new_name}` now, and its trait in generated code has another name");
            findings.push(
                Finding::new(codes::TOOL_RENAMED, "toolsets", new_name, reason).change(&json!(name), &json!(new_name)),
            );
        }
    }
    for (name, entry) in after.list("toolsets").iter().filter(|(name, _)| !before.list("toolsets").contains_key(*name))
    {
        let is_renamed = texts(&entry["aliases"]).any(|alias| before.list("toolsets").contains_key(alias));
        if !is_renamed {
            findings.push(Finding::new(codes::ADDED, "toolsets", name, "the toolset is new"));
        }
    }
}

/// Compares the entries of a list whose keys all have one code.
fn entries(list: &'static str, before: &Snapshot, after: &Snapshot, findings: &mut Vec<Finding>) {
    for (name, entry) in before.list(list) {
        let new = after.list(list).get(name).unwrap_or(&Value::Null);
        if new == entry {
            continue;
        }
        let only_words = match (entry.as_object(), new.as_object()) {
            (Some(one), Some(two)) => {
                let strip = |map: &Map<String, Value>| {
                    let mut map = map.clone();
                    map.retain(|key, _| !["description", "prompt", "url"].contains(&key.as_str()));
                    map
                };
                strip(one) == strip(two)
            }
            _ => false,
        };
        let code = if only_words { codes::LOOKS } else { code_of(list) };
        let reason = if new.is_null() { "the entry is gone" } else { "the entry has changed" };
        findings.push(Finding::new(code, list, name, reason).change(entry, new));
    }
    for name in after.list(list).keys().filter(|name| !before.list(list).contains_key(*name)) {
        findings.push(Finding::new(codes::ADDED, list, name, "the entry is new"));
    }
}
