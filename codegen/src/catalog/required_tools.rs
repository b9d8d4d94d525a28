//! The requirements of tools on other tools, in the form that the algorithm of the runtime needs.

use toolc::__gen::graph::ToolRequirements;

use super::{Requires, Tool, ToolId, Toolset};

/// The requirements of all tools on other tools, including those of their home toolsets.
#[derive(Debug, Default)]
pub(super) struct RequiredTools {
    all: Vec<Requirement>,
    /// For each tool, the requirements that name it.
    naming: Vec<Vec<usize>>,
}

#[derive(Debug)]
struct Requirement {
    tools: Vec<usize>,
    /// Whether one of the tools is enough.
    any: bool,
    /// Whether the requirement also names run-time tools, which are missing here.
    names_external: bool,
    /// The tools that have the requirement.
    required_by: Vec<usize>,
}

impl RequiredTools {
    pub(super) fn new(tools: &[Tool], toolsets: &[Toolset]) -> Self {
        let mut required = Self { all: Vec::new(), naming: vec![Vec::new(); tools.len()] };
        for (id, tool) in tools.iter().enumerate() {
            required.add(&tool.requires, &[id]);
        }
        for toolset in toolsets {
            let home_tools: Vec<usize> = toolset.home_tools.iter().map(|id| id.0).collect();
            required.add(&toolset.requires, &home_tools);
        }
        required
    }

    fn add(&mut self, requires: &Requires, required_by: &[usize]) {
        let kinds = [(&requires.tools, &requires.external, false), (&requires.any_tools, &requires.any_external, true)];
        for (tools, external, any) in kinds {
            if required_by.is_empty() || (tools.is_empty() && external.is_empty()) {
                continue;
            }
            let tools: Vec<usize> = tools.iter().map(|(ToolId(tool), _)| *tool).collect();
            for tool in &tools {
                self.naming[*tool].push(self.all.len());
            }
            let (names_external, required_by) = (!external.is_empty(), required_by.to_vec());
            self.all.push(Requirement { tools, any, names_external, required_by });
        }
    }
}

impl ToolRequirements for RequiredTools {
    fn count(&self) -> usize {
        self.all.len()
    }

    fn slack(&self, requirement: usize, present: &[bool]) -> Option<usize> {
        let Requirement { tools, any, names_external, .. } = &self.all[requirement];
        let count = tools.iter().filter(|&&tool| present[tool]).count();
        Some(if *any { count } else { usize::from(count == tools.len() && !names_external) })
    }

    fn required_by(&self, requirement: usize) -> impl Iterator<Item = usize> {
        self.all[requirement].required_by.iter().copied()
    }

    fn naming(&self, tool: usize) -> impl Iterator<Item = usize> {
        self.naming[tool].iter().copied()
    }
}
