//! `resolve`: prints the tools of toolsets, each with the path by which the toolset contains it.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::inspect::Inspected;
use super::{Streams, print};
use crate::Catalog;
use crate::catalog::{ToolId, ToolsetId};
use crate::failure::Failure;

/// The arguments of `resolve`.
#[derive(Debug, Args)]
pub struct Resolve {
    /// The names of toolsets; `all` selects every tool.
    #[arg(required = true)]
    toolsets: Vec<String>,
    /// Print JSON: an array of objects.
    #[arg(long)]
    json: bool,
}

/// A path from a toolset to a tool.
struct Path {
    /// The toolsets. The first one was asked for, and the last one has the tool itself.
    toolsets: Vec<ToolsetId>,
    /// For each toolset, the key that leads to the next one, or from the last one to the tool.
    keys: Vec<&'static str>,
}

impl Resolve {
    /// Prints the tools. Returns whether no toolset that was asked for has errors.
    pub(super) fn run(&self, root: Option<PathBuf>, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let project = Inspected::open(root, streams)?;
        let catalog = &project.catalog;
        let (mut all, mut sets, mut is_complete) = (false, Vec::new(), true);
        for name in &self.toolsets {
            let is_declared = catalog.toolsets().any(|(_, toolset)| toolset.is_called(name));
            if !is_declared && ["all", "*"].contains(&name.as_str()) {
                all = true;
                continue;
            }
            match project.toolset(name, streams)? {
                Some(id) => {
                    is_complete &= project.is_complete(id, streams)?;
                    sets.push(id);
                }
                None => is_complete = false,
            }
        }
        let tools = catalog.tools().filter_map(|(id, tool)| {
            let path = sets.iter().find_map(|set| Path::find(catalog, *set, id));
            // Every tool is in its home toolset.
            let home = || all.then(|| Path { toolsets: vec![tool.home], keys: vec!["home"] });
            Some((tool.name(), path.or_else(home)?))
        });
        let tools: Vec<(&str, Path)> = tools.collect();
        let text = if self.json {
            let tools = tools.iter().map(|(name, path)| json!({ "name": name, "path": path.to_json(catalog) }));
            format!("{:#}\n", tools.collect::<Value>())
        } else {
            let width = tools.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
            let line = |(name, path): &(&str, Path)| format!("{name:width$}  {}\n", path.text(catalog));
            tools.iter().map(line).collect()
        };
        print(streams.out, &text)?;
        Ok(is_complete)
    }
}

impl Path {
    /// Returns the shortest path from a toolset to a tool, or `None` if the toolset does not hold the tool.
    fn find(catalog: &Catalog, set: ToolsetId, tool: ToolId) -> Option<Self> {
        let toolsets: Vec<ToolsetId> = catalog.graph().path(set.0, tool.0)?.into_iter().map(ToolsetId).collect();
        let key = |pair: &[ToolsetId]| {
            let is_included = catalog[pair[0]].includes.iter().any(|(id, _)| *id == pair[1]);
            if is_included { "includes" } else { "base" }
        };
        let mut keys: Vec<&'static str> = toolsets.windows(2).map(key).collect();
        let last = &catalog[*toolsets.last()?];
        keys.push(if last.home_tools.contains(&tool) && !last.manifest.closed { "home" } else { "tools" });
        Some(Self { toolsets, keys })
    }

    /// Returns the path as text, such as `cli > base core > includes file`. The last key is shown if it is not `home`.
    fn text(&self, catalog: &Catalog) -> String {
        let mut parts = Vec::new();
        let mut before = String::new();
        for (id, key) in self.toolsets.iter().zip(&self.keys) {
            parts.push(format!("{before}{}", catalog[*id].name()));
            before = format!("{key} ");
        }
        if self.keys.last() == Some(&"tools") {
            parts.push("tools".to_owned());
        }
        parts.join(" > ")
    }

    /// Returns the path as an array of steps: a toolset, and its key that leads to the next toolset or to the tool.
    fn to_json(&self, catalog: &Catalog) -> Value {
        let steps = self.toolsets.iter().zip(&self.keys);
        steps.map(|(id, key)| json!({ "toolset": catalog[*id].name(), "by": key })).collect()
    }
}
