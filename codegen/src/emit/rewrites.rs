//! `rewrites/DIALECT.json` of a bundle: what a program has to undo in arguments that match the definitions of a dialect, so that they
//! match the schemas in `catalog.json`. See [`lower::rewrites`](crate::lower::rewrites).
//!
//! A node that is used more than once is a definition with a number for a name, so that recursive schemas have finite files.
//! Nodes without anything to undo are left out.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolc_lower::dialects::Dialect;

use super::conditional::condition_json;
use crate::catalog::Tool;
use crate::lower::rewrites::{Entry, Node, Rewrites};
use crate::lower::{Lowered, accepts, rewrites as lowered};

/// Returns the file of a dialect, with the tools for which `is_exported` returns true.
pub fn rewrites(catalog: &Lowered<'_>, dialect: &'static Dialect, is_exported: impl Fn(&str) -> bool) -> Value {
    let tools = catalog.tools().filter(|(_, tool)| is_exported(tool.name()) && accepts(dialect, tool));
    let tools = tools.map(|(_, tool)| (tool.name_in(dialect.name).to_owned(), tool_json(catalog, dialect, tool)));
    json!({ "format": 1, "dialect": dialect.name, "tools": tools.collect::<Map<_, _>>() })
}

fn tool_json(catalog: &Lowered<'_>, dialect: &'static Dialect, tool: &Tool) -> Value {
    let Rewrites { nodes, omitted, text } = lowered::rewrites(dialect, tool);
    let mut printer = Printer::new(catalog, tool, &nodes);
    let arguments = printer.node_json(0);
    let mut definitions = Map::new();
    while let Some(node) = printer.shared.get(definitions.len()).copied() {
        definitions.insert((definitions.len() + 1).to_string(), printer.node_json(node).into());
    }
    let mut json = Map::from_iter([("tool".to_owned(), json!(tool.name()))]);
    if let Some(text) = text {
        json.insert("text".to_owned(), text.into());
    }
    let parts = [("omitted", json!(omitted)), ("arguments", arguments.into()), ("definitions", definitions.into())];
    for (key, value) in parts {
        if value.as_object().is_some_and(|map| !map.is_empty()) || value.as_array().is_some_and(|list| !list.is_empty())
        {
            json.insert(key.to_owned(), value);
        }
    }
    json.into()
}

struct Printer<'c> {
    catalog: &'c Lowered<'c>,
    tool: &'c Tool,
    nodes: &'c [Node],
    /// Whether something is to be undone in each node.
    is_active: Vec<bool>,
    /// How often each node is used.
    uses: Vec<usize>,
    /// The nodes that are definitions, in the order of their names.
    shared: Vec<usize>,
    names: BTreeMap<usize, String>,
}

impl<'c> Printer<'c> {
    fn new(catalog: &'c Lowered<'c>, tool: &'c Tool, nodes: &'c [Node]) -> Self {
        let mut is_active = vec![false; nodes.len()];
        let is_rewritten =
            |entry: &Entry, active: &[bool]| entry.null_is_absent || entry.default.is_some() || active[entry.node];
        // Until nothing changes, since nodes may be recursive.
        loop {
            let active_now = |node: &Node| {
                node.json_text
                    || node.properties.iter().any(|(_, entry)| is_rewritten(entry, &is_active))
                    || inner(node).any(|id| is_active[id])
            };
            let now: Vec<bool> = nodes.iter().map(active_now).collect();
            if now == is_active {
                break;
            }
            is_active = now;
        }
        let mut uses = vec![0; nodes.len()];
        let mut pending = vec![0];
        while let Some(id) = pending.pop() {
            let entries = nodes[id].properties.iter().map(|(_, entry)| entry.node);
            for id in entries.chain(inner(&nodes[id])).filter(|id| is_active[*id]) {
                uses[id] += 1;
                if uses[id] == 1 {
                    pending.push(id);
                }
            }
        }
        Self { catalog, tool, nodes, is_active, uses, shared: Vec::new(), names: BTreeMap::new() }
    }

    /// Returns a use of a node: the node, or a reference to its definition.
    fn use_json(&mut self, id: usize) -> Map<String, Value> {
        let node = &self.nodes[id];
        let is_short = node.properties.is_empty() && inner(node).next().is_none();
        if !self.is_active[id] || self.uses[id] < 2 || is_short {
            return self.node_json(id);
        }
        let shared = &mut self.shared;
        let name = self.names.entry(id).or_insert_with(|| {
            shared.push(id);
            shared.len().to_string()
        });
        Map::from_iter([("ref".to_owned(), json!(name))])
    }

    fn node_json(&mut self, id: usize) -> Map<String, Value> {
        let node = &self.nodes[id];
        let mut json = Map::new();
        if !self.is_active[id] {
            return json;
        }
        if node.json_text {
            json.insert("json_text".to_owned(), json!(true));
        }
        let mut properties = Map::new();
        for (name, entry) in &node.properties {
            let entry = self.entry_json(entry);
            if !entry.is_empty() || node.additional.is_some_and(|id| self.is_active[id]) {
                properties.insert(name.clone(), entry.into());
            }
        }
        if !properties.is_empty() {
            json.insert("properties".to_owned(), properties.into());
        }
        for (key, id) in [("additional", node.additional), ("items", node.items)] {
            if let Some(id) = id.filter(|id| self.is_active[*id]) {
                json.insert(key.to_owned(), self.use_json(id).into());
            }
        }
        if node.any_of.iter().any(|id| self.is_active[*id]) {
            let alternatives = node.any_of.iter().map(|id| Value::from(self.use_json(*id))).collect();
            json.insert("any_of".to_owned(), alternatives);
            json.insert("valid".to_owned(), json!(node.valid));
        }
        json
    }

    fn entry_json(&mut self, entry: &Entry) -> Map<String, Value> {
        let mut json = self.use_json(entry.node);
        if entry.null_is_absent {
            json.insert("null_is_absent".to_owned(), json!(true));
        }
        if let Some(default) = &entry.default {
            json.insert("default".to_owned(), default.clone());
            let when = entry.when.as_ref().map(|when| condition_json(when, &self.tool.atoms, self.catalog));
            json.extend(when.map(|when| ("when".to_owned(), when)));
        }
        json
    }
}

/// Returns the nodes in a node, except those of properties.
fn inner(node: &Node) -> impl Iterator<Item = usize> {
    node.additional.into_iter().chain(node.items).chain(node.any_of.iter().copied())
}
