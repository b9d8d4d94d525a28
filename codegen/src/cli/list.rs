//! `list`: prints the tools with their toolsets and descriptions.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use toolc::__gen::graph::Members;
use toolc_lower::text::first_sentence;
use toolc_tables::visible::visible;

use super::inspect::Inspected;
use super::{Streams, print, unknown};
use crate::catalog::{Tool, ToolId, Toolset};
use crate::failure::Failure;

/// The arguments of `list`.
#[derive(Debug, Args)]
pub struct List {
    /// List only the tools that this toolset resolves to.
    #[arg(long, value_name = "TOOLSET")]
    toolset: Option<String>,
    /// List only the tools of toolsets with this tag.
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Print JSON: an array of objects.
    #[arg(long)]
    json: bool,
}

impl List {
    /// Prints the list. Returns whether the toolset that was asked for has no errors.
    pub(super) fn run(&self, root: Option<PathBuf>, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let project = Inspected::open(root, streams)?;
        let Some((members, is_complete)) = self.members(&project, streams)? else { return Ok(false) };
        let tools: Vec<(ToolId, &Tool)> = project.catalog.tools().filter(|(id, _)| members[id.0]).collect();
        let text = if self.json {
            let tools: Value = tools.iter().map(|(id, tool)| to_json(&project, *id, tool)).collect();
            format!("{tools:#}\n")
        } else {
            lines(&project, &tools, streams.width)
        };
        print(streams.out, &text)?;
        Ok(is_complete)
    }

    /// Returns the tools to list, and whether these are all. `None` if the toolset that was asked for has errors.
    fn members(&self, project: &Inspected, streams: &mut Streams<'_>) -> Result<Option<(Members, bool)>, Failure> {
        let catalog = &project.catalog;
        let (mut members, mut is_complete) = (vec![true; catalog.graph().tools], true);
        if let Some(name) = &self.toolset {
            let Some(id) = project.toolset(name, streams)? else { return Ok(None) };
            is_complete = project.is_complete(id, streams)?;
            members = catalog.graph().resolve(id.0);
        }
        if let Some(tag) = &self.tag {
            let mut tagged = vec![false; members.len()];
            let tags: BTreeSet<&str> = catalog.toolsets().flat_map(|(_, toolset)| tags(toolset)).collect();
            if !tags.contains(tag.as_str()) {
                return Err(unknown("tag", tag, tags.into_iter()));
            }
            for (id, _) in catalog.toolsets().filter(|(_, toolset)| self::tags(toolset).any(|other| other == tag)) {
                tagged.iter_mut().zip(catalog.graph().resolve(id.0)).for_each(|(tagged, member)| *tagged |= member);
            }
            members.iter_mut().zip(tagged).for_each(|(member, tagged)| *member &= tagged);
        }
        Ok(Some((members, is_complete)))
    }
}

/// Returns a line for each tool: its name, its home toolset, and the first sentence of its description.
fn lines(project: &Inspected, tools: &[(ToolId, &Tool)], width: usize) -> String {
    let home = |tool: &Tool| project.catalog[tool.home].name().to_owned();
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let names = longest(&mut tools.iter().map(|(_, tool)| tool.name().chars().count()));
    let homes = longest(&mut tools.iter().map(|(_, tool)| home(tool).chars().count()));
    let line = |(_, tool): &(ToolId, &Tool)| {
        let description = description(project, tool).unwrap_or_else(|| "(has errors)".to_owned());
        let line = format!("{:names$}  {:homes$}  {}", tool.name(), home(tool), first_sentence(&description));
        format!("{}\n", cut(visible(&line).trim_end(), width))
    };
    tools.iter().map(line).collect()
}

/// Returns the description of a tool in one line, as a turn with all tools has it. `None` if the tool has errors.
fn description(project: &Inspected, tool: &Tool) -> Option<String> {
    let values = project.is_sound(tool).then(|| project.catalog.full_turn_values(tool))?;
    let text = values.text(&tool.manifest.description.value);
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn tags(toolset: &Toolset) -> impl Iterator<Item = &str> {
    toolset.manifest.tags.iter().map(|tag| tag.value.as_str())
}

fn to_json(project: &Inspected, id: ToolId, tool: &Tool) -> Value {
    let catalog = &project.catalog;
    let home = &catalog[tool.home];
    let holders = catalog.toolsets().filter(|(set, _)| catalog.graph().path(set.0, id.0).is_some());
    json!({
        "name": tool.name(),
        "toolset": home.name(),
        "toolsets": holders.map(|(_, toolset)| toolset.name()).collect::<Value>(),
        "tags": tags(home).collect::<Value>(),
        "description": description(project, tool),
        "manifest": project.sources.get(tool.manifest.name.place.source).path,
    })
}

/// Cuts a line to a number of characters.
fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
