//! Resolve: every manifest together. Names become ids, once; no stage behind this one looks anything up by name.

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

use crate::conditional_json::{CondJson, words};
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

/// Index of a tool that comes at run time. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalId(pub usize);

/// Everything that a project declares, linked.
#[derive(Debug)]
pub struct Catalog {
    tools: Vec<Tool>,
    toolsets: Vec<Toolset>,
    distributions: Vec<Distribution>,
    commands: Vec<CommandsManifest>,
    facts: Vec<FactManifest>,
    variables: Vec<VariableManifest>,
    /// Tools that come at run time.
    external: Vec<String>,
    settings: Settings,
    /// What makes it a plugin's.
    plugin: Option<PluginManifest>,
    graph: Graph,
    requirements: RequiredTools,
    /// What the turn of all tools shows.
    everything: Members,
}

/// A tool and its home.
#[derive(Debug)]
pub struct Tool {
    /// What its author wrote.
    pub manifest: ToolManifest,
    /// The toolset that owns it.
    pub home: ToolsetId,
    /// What its conditions ask. Empty where something of it is unknown, which has been reported.
    pub atoms: Vec<Atom>,
    /// The facts that its texts write out.
    pub facts: Vec<FactId>,
    /// What has to be there for it to be shown, as far as that has names.
    pub requires: Requires,
    /// The tool to use instead, if it is deprecated.
    pub replacement: Option<ToolId>,
    /// The dialects that show something otherwise, and which of the manifest's tables says what.
    dialects: Vec<(&'static str, usize)>,
}

/// What has to be there for a tool to be shown, linked.
#[derive(Debug, Default)]
pub struct Requires {
    /// Variables, all of which are set.
    pub env: Vec<VariableId>,
    /// Variables, one of which is set.
    pub any_env: Vec<VariableId>,
    /// Tools, all of which are shown, each with where that is said.
    pub tools: Vec<(ToolId, Place)>,
    /// Tools, one of which is shown.
    pub any_tools: Vec<(ToolId, Place)>,
    /// Tools that come at run time, all of which are shown.
    pub external: Vec<ExternalId>,
    /// Further tools, of those that come at run time, one of which is shown.
    pub any_external: Vec<ExternalId>,
}

/// A question that conditions ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// Whether this tool is in the turn.
    Tool(ToolId),
    /// Whether this tool is, which comes at run time.
    External(ExternalId),
    /// Whether this fact is true.
    Fact(FactId),
    /// How this fact compares.
    Compared(FactId, Comparison, FactValue),
}

/// A toolset, linked.
#[derive(Debug)]
pub struct Toolset {
    /// What its author wrote.
    pub manifest: ToolsetManifest,
    /// Whether anybody wrote it; if not, a tool only named it as its home.
    pub declared: bool,
    /// The tools whose home it is.
    pub home_tools: Vec<ToolId>,
    /// The tools that it lists.
    pub tools: Vec<ToolId>,
    /// The toolsets that it includes, each with where that is said.
    pub includes: Vec<(ToolsetId, Place)>,
    /// Its base, with where that is said.
    pub base: Option<(ToolsetId, Place)>,
    /// Tools that it does not hold.
    pub excludes: Vec<ToolId>,
    /// Tools that it lists, and that come at run time.
    pub external: Vec<ExternalId>,
    /// Tools that come at run time, and that it does not hold.
    pub excludes_external: Vec<ExternalId>,
    /// What its requirements ask.
    pub atoms: Vec<Atom>,
    /// What has to be there for its home tools to be shown.
    pub requires: Requires,
}

/// Toolsets to be drawn, linked.
#[derive(Debug)]
pub struct Distribution {
    /// What its author wrote.
    pub manifest: DistributionManifest,
    /// Each toolset, and how likely it is in percent.
    pub toolsets: Vec<(ToolsetId, f64)>,
}

/// What a tool's texts and conditions depend on, in one turn.
#[derive(Debug, Clone)]
pub struct Setting {
    atoms: Atoms,
    facts: Vec<FactValue>,
}

impl Setting {
    /// What a document of the tool is there.
    pub fn value(&self, doc: &CondJson) -> Value {
        doc.value(self.atoms, &self.facts)
    }

    /// What the pieces of a definition come to there.
    pub fn render(&self, definition: &[Segment]) -> String {
        let mut text = String::with_capacity(segment::most(definition));
        segment::render(definition, self.atoms, &self.facts, &mut text);
        text
    }

    /// What a text of the tool says there.
    pub fn text(&self, template: &Template) -> String {
        if template.iter().all(|piece| matches!(piece, Piece::Text(_))) {
            return words(template);
        }
        self.value(&CondJson::Text(template.clone())).as_str().map(str::to_owned).unwrap_or_default()
    }
}

impl Tool {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name.value
    }

    /// What a dialect shows otherwise.
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

    /// Whether this is its name, or a legacy one.
    pub fn is_called(&self, name: &str) -> bool {
        self.name() == name || self.manifest.aliases.iter().any(|alias| alias.value == name)
    }

    /// The tools that it holds by itself: those that it lists, and its home tools unless it is closed.
    pub fn direct(&self) -> impl Iterator<Item = ToolId> {
        let home_tools: &[ToolId] = if self.manifest.closed { &[] } else { &self.home_tools };
        home_tools.iter().chain(&self.tools).copied()
    }

    /// Whatever it brings along: includes and base.
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

    /// What makes the project a plugin, if it is one.
    pub fn plugin(&self) -> Option<&PluginManifest> {
        self.plugin.as_ref()
    }

    /// Every fact, by name.
    pub fn facts(&self) -> &[FactManifest] {
        &self.facts
    }

    /// The tools that come at run time, by name.
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

    /// Whether a requirement's condition holds.
    fn allows(&self, when: Option<&At<When>>, atoms: &[Atom]) -> bool {
        // More atoms than there may be are only reported later.
        let atom = |AtomId(atom): &AtomId| atoms.get(*atom).is_some_and(|atom| self.holds(atom, &[], &[]));
        when.is_none_or(|when| when.value.holds(&atom))
    }

    /// Whether an atom holds in a turn of these tools, with every fact at its default but for those that are told.
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

    /// What a tool's texts and conditions come to in a turn of these tools, with every fact at its default.
    pub fn setting(&self, tool: &Tool, members: &[bool]) -> Setting {
        self.setting_told(tool, members, &[])
    }

    /// The same where a host tells some of the facts.
    pub fn setting_told(&self, tool: &Tool, members: &[bool], told: &[(FactId, FactValue)]) -> Setting {
        Setting {
            atoms: (tool.atoms.iter().enumerate())
                .map(|(index, atom)| Atoms::from(self.holds(atom, members, told)) << index)
                .sum(),
            facts: tool.facts.iter().map(|id| self.fact(*id, told).clone()).collect(),
        }
    }

    /// The same in the turn of all tools.
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

    /// What the toolsets hold, as plain indices: ids are its positions.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The tools that a toolset resolves to, by name.
    pub fn resolve(&self, id: ToolsetId) -> Vec<ToolId> {
        let members = self.graph.resolve(id.0);
        (0..members.len()).filter(|&tool| members[tool]).map(ToolId).collect()
    }
}
