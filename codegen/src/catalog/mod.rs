//! Resolve: links all manifests to one catalog. Names become ids here; later stages look nothing up by name.

mod names;
mod required_tools;
mod resolve;
mod settings;

use std::ops::Index;

use serde_json::Value;
use toolc::__gen::graph::{Graph, Members, remove_unmet};
use toolc::__gen::segment;
use toolc::__gen::segment::{Atoms, Comparison, Segment};
use toolc::FactValue;

use crate::conditional_json::{CondJson, unconditional_text};
use crate::diagnostic::{At, Place};
use crate::manifest::{
    CommandsManifest, DialectManifest, DistributionManifest, FactManifest, PluginManifest, ToolManifest,
    ToolsetManifest, VariableManifest,
};
use crate::text::atoms::{AtomId, Template, When};
use crate::text::template::Piece;
use required_tools::RequiredTools;
pub use resolve::resolve;
pub use settings::Settings;

/// Index of a tool in its catalog. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolId(pub usize);

/// Index of a toolset in its catalog. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolsetId(pub usize);

/// Index of a fact in its catalog. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactId(pub usize);

/// Index of an environment variable in its catalog. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub usize);

/// Index of a tool that is added at run time. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalId(pub usize);

/// All declarations of a project, linked.
#[derive(Debug)]
pub struct Catalog {
    tools: Vec<Tool>,
    toolsets: Vec<Toolset>,
    distributions: Vec<Distribution>,
    commands: Vec<CommandsManifest>,
    facts: Vec<FactManifest>,
    variables: Vec<VariableManifest>,
    /// Tools that are added at run time.
    external: Vec<String>,
    settings: Settings,
    /// The plugin's manifest, if the project is a plugin.
    plugin: Option<PluginManifest>,
    graph: Graph,
    requirements: RequiredTools,
    /// The tools that a turn with all tools shows.
    everything: Members,
}

/// A tool, linked.
#[derive(Debug)]
pub struct Tool {
    /// The manifest.
    pub manifest: ToolManifest,
    /// The toolset that owns it.
    pub home: ToolsetId,
    /// The atoms of its conditions. Empty if a name in them is unknown, which has been reported.
    pub atoms: Vec<Atom>,
    /// The facts that its texts contain.
    pub facts: Vec<FactId>,
    /// Its requirements, linked.
    pub requires: Requires,
    /// The replacement, if the tool is deprecated.
    pub replacement: Option<ToolId>,
    /// The dialects with overrides, and the index of their table in the manifest.
    dialects: Vec<(&'static str, usize)>,
}

/// The requirements of a tool or toolset, linked.
#[derive(Debug, Default)]
pub struct Requires {
    /// Variables that must all be set.
    pub env: Vec<VariableId>,
    /// Variables of which one must be set.
    pub any_env: Vec<VariableId>,
    /// Tools that must all be shown, with the place of each requirement.
    pub tools: Vec<(ToolId, Place)>,
    /// Tools of which one must be shown.
    pub any_tools: Vec<(ToolId, Place)>,
    /// Run-time tools that must all be shown.
    pub external: Vec<ExternalId>,
    /// Run-time tools, in addition to `any_tools`, of which one must be shown.
    pub any_external: Vec<ExternalId>,
}

/// An atom of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// Whether this tool is in the turn.
    Tool(ToolId),
    /// Whether this run-time tool is in the turn.
    External(ExternalId),
    /// Whether this fact is true.
    Fact(FactId),
    /// Whether a comparison with this fact is true.
    Compared(FactId, Comparison, FactValue),
}

/// A toolset, linked.
#[derive(Debug)]
pub struct Toolset {
    /// The manifest.
    pub manifest: ToolsetManifest,
    /// Whether a manifest declares it. If not, a tool names it as its home.
    pub declared: bool,
    /// The tools whose home it is.
    pub home_tools: Vec<ToolId>,
    /// The tools that it lists.
    pub tools: Vec<ToolId>,
    /// The toolsets that it includes, with the place of each include.
    pub includes: Vec<(ToolsetId, Place)>,
    /// Its base, with its place.
    pub base: Option<(ToolsetId, Place)>,
    /// Tools that it excludes.
    pub excludes: Vec<ToolId>,
    /// Run-time tools that it lists.
    pub external: Vec<ExternalId>,
    /// Run-time tools that it excludes.
    pub excludes_external: Vec<ExternalId>,
    /// The atoms of its requirements.
    pub atoms: Vec<Atom>,
    /// The requirements of its home tools.
    pub requires: Requires,
}

/// A distribution of toolsets, linked.
#[derive(Debug)]
pub struct Distribution {
    /// The manifest.
    pub manifest: DistributionManifest,
    /// Each toolset with its probability in percent.
    pub toolsets: Vec<(ToolsetId, f64)>,
}

/// The values that a tool's texts and conditions depend on, in one turn.
#[derive(Debug, Clone)]
pub struct Setting {
    atoms: Atoms,
    facts: Vec<FactValue>,
}

impl Setting {
    /// Evaluates a JSON document of the tool.
    pub fn value(&self, doc: &CondJson) -> Value {
        doc.value(self.atoms, &self.facts)
    }

    /// Renders the segments of a definition.
    pub fn render(&self, definition: &[Segment]) -> String {
        let mut text = String::with_capacity(segment::most(definition));
        segment::render(definition, self.atoms, &self.facts, &mut text);
        text
    }

    /// Renders a text of the tool.
    pub fn text(&self, template: &Template) -> String {
        if template.iter().all(|piece| matches!(piece, Piece::Text(_))) {
            return unconditional_text(template);
        }
        self.value(&CondJson::Text(template.clone())).as_str().map(str::to_owned).unwrap_or_default()
    }
}

impl Tool {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name.value
    }

    /// Returns the overrides for a dialect.
    pub fn otherwise(&self, dialect: &str) -> Option<&DialectManifest> {
        let found = self.dialects.iter().find(|(name, _)| *name == dialect);
        found.map(|(_, index)| &self.manifest.dialect[*index])
    }

    /// Its name in a dialect.
    pub fn name_in(&self, dialect: &str) -> &str {
        self.otherwise(dialect).and_then(|otherwise| otherwise.name.as_ref()).map_or(self.name(), |name| &name.value)
    }
}

impl Toolset {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name.value
    }

    /// Whether this is its name or one of its aliases.
    pub fn is_called(&self, name: &str) -> bool {
        self.name() == name || self.manifest.aliases.iter().any(|alias| alias.value == name)
    }

    /// Returns its own tools: those that it lists, and its home tools unless it is closed.
    pub fn direct(&self) -> impl Iterator<Item = ToolId> {
        let home_tools: &[ToolId] = if self.manifest.closed { &[] } else { &self.home_tools };
        home_tools.iter().chain(&self.tools).copied()
    }

    /// Returns its includes and its base, with their places.
    pub fn edges(&self) -> impl Iterator<Item = (ToolsetId, Place)> {
        self.includes.iter().copied().chain(self.base)
    }
}

impl Index<ToolId> for Catalog {
    type Output = Tool;

    fn index(&self, id: ToolId) -> &Tool {
        &self.tools[id.0]
    }
}

impl Index<ToolsetId> for Catalog {
    type Output = Toolset;

    fn index(&self, id: ToolsetId) -> &Toolset {
        &self.toolsets[id.0]
    }
}

impl Index<ExternalId> for Catalog {
    type Output = String;

    fn index(&self, id: ExternalId) -> &String {
        &self.external[id.0]
    }
}

impl Index<FactId> for Catalog {
    type Output = FactManifest;

    fn index(&self, id: FactId) -> &FactManifest {
        &self.facts[id.0]
    }
}

impl Index<VariableId> for Catalog {
    type Output = VariableManifest;

    fn index(&self, id: VariableId) -> &VariableManifest {
        &self.variables[id.0]
    }
}

impl Catalog {
    /// Every environment variable, by name.
    pub fn variables(&self) -> &[VariableManifest] {
        &self.variables
    }

    /// Every distribution, by name.
    pub fn distributions(&self) -> &[Distribution] {
        &self.distributions
    }

    /// Every manifest of command rules, by name.
    pub fn commands(&self) -> &[CommandsManifest] {
        &self.commands
    }

    /// The project's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the plugin's manifest, if the project is a plugin.
    pub fn plugin(&self) -> Option<&PluginManifest> {
        self.plugin.as_ref()
    }

    /// Every fact, by name.
    pub fn facts(&self) -> &[FactManifest] {
        &self.facts
    }

    /// Returns the run-time tools, by name.
    pub fn external(&self) -> &[String] {
        &self.external
    }

    /// Those of some granted tools that a turn shows where every fact is at its default, and everything else is there
    /// that they require, but for what comes at run time. The set is decided before any text.
    pub fn shown(&self, granted: Members) -> Members {
        let mut shown = granted;
        for (id, shown) in shown.iter_mut().enumerate().filter(|(_, shown)| **shown) {
            let (tool, home) = (&self.tools[id], &self[self.tools[id].home]);
            *shown = self.allows(tool.manifest.requires.when.as_ref(), &tool.atoms)
                && self.allows(home.manifest.requires.when.as_ref(), &home.atoms);
        }
        remove_unmet(&self.requirements, &mut shown, |_, _| (), |_, ()| {});
        shown
    }

    /// Whether the condition of a requirement is true.
    fn allows(&self, when: Option<&At<When>>, atoms: &[Atom]) -> bool {
        // Too many atoms are reported later.
        let atom = |AtomId(atom): &AtomId| atoms.get(*atom).is_some_and(|atom| self.holds(atom, &[], &[]));
        when.is_none_or(|when| when.value.holds(&atom))
    }

    /// Whether an atom is true in a turn with these tools, with the given facts and all others at their defaults.
    fn holds(&self, atom: &Atom, members: &[bool], told: &[(FactId, FactValue)]) -> bool {
        match atom {
            Atom::Tool(id) => members.get(id.0).copied().unwrap_or(false),
            Atom::External(_) => false,
            Atom::Fact(id) => *self.fact(*id, told) == FactValue::Boolean(true),
            Atom::Compared(id, comparison, with) => comparison.holds(self.fact(*id, told), with),
        }
    }

    fn fact<'f>(&'f self, id: FactId, told: &'f [(FactId, FactValue)]) -> &'f FactValue {
        told.iter().rev().find(|(of, _)| *of == id).map_or(&self[id].default, |(_, value)| value)
    }

    /// Returns the setting of a tool in a turn with these tools and all facts at their defaults.
    pub fn setting(&self, tool: &Tool, members: &[bool]) -> Setting {
        self.setting_told(tool, members, &[])
    }

    /// Returns the setting of a tool with some facts set by the host.
    pub fn setting_told(&self, tool: &Tool, members: &[bool], told: &[(FactId, FactValue)]) -> Setting {
        Setting {
            atoms: (tool.atoms.iter().enumerate())
                .map(|(index, atom)| Atoms::from(self.holds(atom, members, told)) << index)
                .sum(),
            facts: tool.facts.iter().map(|id| self.fact(*id, told).clone()).collect(),
        }
    }

    /// Returns the setting of a tool in a turn with all tools.
    pub fn full_setting(&self, tool: &Tool) -> Setting {
        self.setting(tool, &self.everything)
    }

    /// Every tool, by name.
    pub fn tools(&self) -> impl Iterator<Item = (ToolId, &Tool)> + Clone {
        self.tools.iter().enumerate().map(|(id, tool)| (ToolId(id), tool))
    }

    /// Every toolset, by name.
    pub fn toolsets(&self) -> impl Iterator<Item = (ToolsetId, &Toolset)> {
        self.toolsets.iter().enumerate().map(|(id, toolset)| (ToolsetId(id), toolset))
    }

    /// Returns the graph of toolsets, whose indices are the ids.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The tools that a toolset resolves to, by name.
    pub fn resolve(&self, id: ToolsetId) -> Vec<ToolId> {
        let members = self.graph.resolve(id.0);
        (0..members.len()).filter(|&tool| members[tool]).map(ToolId).collect()
    }
}
