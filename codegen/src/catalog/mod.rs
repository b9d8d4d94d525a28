//! The resolve stage: connects all manifests to one catalog. Names become ids here, so that later stages need no lookup by name.

mod names;
mod required_tools;
mod resolve;
mod settings;

use std::ops::Index;
use std::sync::OnceLock;

use serde_json::Value;
use toolc::__gen::graph::{Graph, Members, remove_unmet};
use toolc::__gen::segment;
use toolc::__gen::segment::{Atoms, Comparison, Segment};
use toolc::FactValue;
use toolc_lower::conditional_json::{CondJson, unconditional_text};
use toolc_lower::text::atoms::{AtomId, Template, When};
use toolc_lower::text::template::Piece;

use crate::diagnostic::{At, Place};
use crate::manifest::{
    CommandsManifest, DialectManifest, DistributionManifest, FactManifest, LazyManifest, PluginManifest,
    RequiresManifest, ToolsetManifest, VariableManifest,
};
use crate::project::GENERATED;
use required_tools::RequiredTools;
pub use resolve::resolve;
pub use settings::{SchemaFiles, Settings};

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

/// All declarations of a project, with names resolved to ids.
#[derive(Debug)]
pub struct Catalog {
    tools: Vec<Tool>,
    toolsets: Vec<Toolset>,
    distributions: Vec<Distribution>,
    commands: Vec<CommandsManifest>,
    /// Whether a manifest of command rules could not be read.
    has_broken_commands: bool,
    facts: Vec<FactManifest>,
    variables: Vec<VariableManifest>,
    /// Tools that are added at run time.
    external: Vec<String>,
    settings: Settings,
    /// The plugin's manifest, if the project is a plugin.
    plugin: Option<PluginManifest>,
    graph: Graph,
    /// What each toolset resolves to, once it is needed.
    resolved: Vec<OnceLock<Vec<ToolId>>>,
    requirements: RequiredTools,
    /// The tools that a turn with all tools shows.
    everything: Members,
    /// The path and the digest of each manifest.
    #[cfg(feature = "emit")]
    digests: Vec<(String, u64)>,
}

/// A tool, with names resolved to ids.
#[derive(Debug)]
pub struct Tool {
    /// The manifest. It is large, and moved often.
    pub manifest: Box<LazyManifest>,
    /// The toolset that owns it.
    pub home: ToolsetId,
    /// The atoms of the conditions. Empty if a name in them is unknown, which was reported.
    pub atoms: Vec<Atom>,
    /// The facts whose values the texts contain.
    pub facts: Vec<FactId>,
    /// The requirements.
    pub requires: Requires,
    /// The replacement, if the tool is deprecated.
    pub replacement: Option<ToolId>,
    /// The dialects with overrides, and the index of their table in the manifest.
    dialects: Vec<(&'static str, usize)>,
    /// The names of the tool in dialects whose names must be identifiers, if they differ from the name in the manifest.
    identifiers: Vec<(&'static str, String)>,
}

/// The requirements of a tool or toolset, with names resolved to ids.
#[derive(Debug, Default)]
pub struct Requires {
    /// Variables that must all be set.
    pub env: Vec<VariableId>,
    /// Variables of which one must be set.
    pub any_env: Vec<VariableId>,
    /// For each alternative of `any`, the variables that must all be set.
    pub alternatives: Vec<Vec<VariableId>>,
    /// Tools that must all be shown, with the place of each requirement.
    pub tools: Vec<(ToolId, Place)>,
    /// Tools of which one must be shown.
    pub any_tools: Vec<(ToolId, Place)>,
    /// Run-time tools that must all be shown.
    pub external: Vec<ExternalId>,
    /// Run-time tools, in addition to `any_tools`, of which one must be shown.
    pub any_external: Vec<ExternalId>,
}

impl Requires {
    /// Returns the required variables, those of alternatives included.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> {
        self.env.iter().chain(&self.any_env).chain(self.alternatives.iter().flatten()).copied()
    }
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

/// A toolset, with names resolved to ids.
#[derive(Debug)]
pub struct Toolset {
    /// The manifest.
    pub manifest: ToolsetManifest,
    /// Whether a manifest declares the toolset. If not, it only exists because a tool names it as its home.
    pub declared: bool,
    /// The home tools.
    pub home_tools: Vec<ToolId>,
    /// The tools listed in `tools`.
    pub tools: Vec<ToolId>,
    /// The included toolsets, with the place of each include.
    pub includes: Vec<(ToolsetId, Place)>,
    /// The base, with its place.
    pub base: Option<(ToolsetId, Place)>,
    /// The excluded tools.
    pub excludes: Vec<ToolId>,
    /// The run-time tools listed in `tools`.
    pub external: Vec<ExternalId>,
    /// The excluded run-time tools.
    pub excludes_external: Vec<ExternalId>,
    /// The atoms of the requirements.
    pub atoms: Vec<Atom>,
    /// The requirements of the home tools.
    pub requires: Requires,
}

/// A distribution of toolsets, with names resolved to ids.
#[derive(Debug)]
pub struct Distribution {
    /// The manifest.
    pub manifest: DistributionManifest,
    /// Each toolset with its probability in percent.
    pub toolsets: Vec<(ToolsetId, f64)>,
}

/// The atoms and facts of a tool in one turn: what its conditions and texts depend on.
#[derive(Debug, Clone)]
pub struct TurnValues {
    atoms: Atoms,
    facts: Vec<FactValue>,
}

impl TurnValues {
    /// Returns the atoms that hold, as bits by index.
    pub fn atoms(&self) -> Atoms {
        self.atoms
    }

    /// Evaluates a JSON document of the tool.
    pub fn value(&self, doc: &CondJson) -> Value {
        doc.value(self.atoms, &self.facts)
    }

    /// Renders the segments of a definition.
    pub fn render(&self, definition: &[Segment]) -> String {
        let mut text = String::with_capacity(segment::max_len(definition));
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
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.manifest.name.value
    }

    /// Returns the overrides for a dialect.
    pub fn overrides(&self, dialect: &str) -> Option<&DialectManifest> {
        let (_, index) = self.dialects.iter().find(|(name, _)| *name == dialect)?;
        Some(&self.manifest.dialect[*index])
    }

    /// Returns the name of the tool in a dialect.
    pub fn name_in(&self, dialect: &str) -> &str {
        if let Some((_, identifier)) = self.identifiers.iter().find(|(name, _)| *name == dialect) {
            return identifier;
        }
        self.declared_name_in(dialect)
    }

    /// Returns the name of the tool in a dialect as its manifest says.
    fn declared_name_in(&self, dialect: &str) -> &str {
        self.overrides(dialect).and_then(|overrides| overrides.name.as_ref()).map_or(self.name(), |name| &name.value)
    }
}

impl Toolset {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.manifest.name.value
    }

    /// Returns whether `name` is the name or an alias of the toolset.
    pub fn is_called(&self, name: &str) -> bool {
        self.name() == name || self.manifest.aliases.iter().any(|alias| alias.value == name)
    }

    /// Returns the tools of the toolset without those of its includes: its home tools unless it is closed, and the tools that it lists.
    pub fn direct(&self) -> impl Iterator<Item = ToolId> {
        let home_tools: &[ToolId] = if self.manifest.closed { &[] } else { &self.home_tools };
        home_tools.iter().chain(&self.tools).copied()
    }

    /// Returns the includes and the base, with their places.
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
    /// Returns the environment variables, sorted by name.
    pub fn variables(&self) -> &[VariableManifest] {
        &self.variables
    }

    /// Returns the distributions, sorted by name.
    pub fn distributions(&self) -> &[Distribution] {
        &self.distributions
    }

    /// Returns the manifests of command rules, sorted by name.
    pub fn commands(&self) -> &[CommandsManifest] {
        &self.commands
    }

    /// Returns whether every manifest of command rules could be read.
    pub(crate) fn has_all_commands(&self) -> bool {
        !self.has_broken_commands
    }

    /// Replaces the folders of other languages that are given.
    ///
    /// # Errors
    /// Returns why one of them cannot be used.
    pub(crate) fn replace_folders(&mut self, python: Option<&str>, typescript: Option<&str>) -> Result<(), String> {
        self.settings.replace_folders(python, typescript)
    }

    /// Returns the settings of the project.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the folders that gen owns, relative to the project. Those of a plugin are only for other languages: its host reads the manifests.
    pub fn generated_folders(&self) -> impl Iterator<Item = &str> {
        let own = self.plugin.is_none().then_some(GENERATED);
        own.into_iter().chain(self.settings.folders())
    }

    /// Returns the plugin's manifest, if the project is a plugin.
    pub fn plugin(&self) -> Option<&PluginManifest> {
        self.plugin.as_ref()
    }

    /// Returns the facts, sorted by name.
    pub fn facts(&self) -> &[FactManifest] {
        &self.facts
    }

    /// Returns the path and the digest of each manifest, sorted by path.
    #[cfg(feature = "emit")]
    pub(crate) fn digests(&self) -> &[(String, u64)] {
        &self.digests
    }

    /// Returns the names of the run-time tools, sorted.
    pub fn external(&self) -> &[String] {
        &self.external
    }

    /// Returns the tools that a turn shows if `granted` are granted, every fact has its default, and all environment variables,
    /// programs and checks are available. Run-time tools are missing.
    pub fn shown(&self, granted: Members) -> Members {
        self.shown_with_facts(granted, &[])
    }

    /// Returns the tools that a turn with these facts shows, like [`Self::shown`]. Other facts have their defaults.
    pub fn shown_with_facts(&self, granted: Members, facts: &[(FactId, FactValue)]) -> Members {
        let mut shown = granted;
        for (id, shown) in shown.iter_mut().enumerate().filter(|(_, shown)| **shown) {
            let (tool, home) = (&self.tools[id], &self[self.tools[id].home]);
            *shown = self.allows(&tool.manifest.requires, &tool.atoms, facts)
                && self.allows(&home.manifest.requires, &home.atoms, facts);
        }
        remove_unmet(&self.requirements, &mut shown, |_, _| (), |_, ()| {});
        shown
    }

    /// Returns whether the conditions of requirements are true.
    fn allows(&self, requires: &RequiresManifest, atoms: &[Atom], facts: &[(FactId, FactValue)]) -> bool {
        // The list is empty if a name was unknown.
        let atom = |AtomId(atom): &AtomId| atoms.get(*atom).is_some_and(|atom| self.holds(atom, &[], facts));
        let holds = |when: Option<&At<When>>| when.is_none_or(|when| when.value.holds(&atom));
        let any = &requires.any;
        holds(requires.when.as_ref()) && (any.is_empty() || any.iter().any(|one| holds(one.when.as_ref())))
    }

    /// Returns whether an atom holds in a turn with these tools. Facts that are not in `facts` have their defaults.
    fn holds(&self, atom: &Atom, members: &[bool], facts: &[(FactId, FactValue)]) -> bool {
        match atom {
            Atom::Tool(id) => members.get(id.0).copied().unwrap_or(false),
            Atom::External(_) => false,
            Atom::Fact(id) => *self.fact(*id, facts) == FactValue::Boolean(true),
            Atom::Compared(id, comparison, literal) => comparison.holds(self.fact(*id, facts), literal),
        }
    }

    /// Returns the value of a fact. Facts that are not in `facts` have their defaults.
    pub fn fact<'f>(&'f self, id: FactId, facts: &'f [(FactId, FactValue)]) -> &'f FactValue {
        facts.iter().rev().find(|(other, _)| *other == id).map_or(&self[id].default, |(_, value)| value)
    }

    /// Returns the values for a tool in a turn with these tools, with all facts at their defaults.
    pub fn turn_values(&self, tool: &Tool, members: &[bool]) -> TurnValues {
        self.turn_values_with_facts(tool, members, &[])
    }

    /// Returns the values for a tool in a turn with these tools and facts. Other facts have their defaults.
    pub fn turn_values_with_facts(&self, tool: &Tool, members: &[bool], facts: &[(FactId, FactValue)]) -> TurnValues {
        TurnValues {
            atoms: (tool.atoms.iter().enumerate())
                .map(|(index, atom)| Atoms::from(self.holds(atom, members, facts)) << index)
                .sum(),
            facts: tool.facts.iter().map(|id| self.fact(*id, facts).clone()).collect(),
        }
    }

    /// Returns the values for a tool in a turn with all tools of the catalog.
    pub fn full_turn_values(&self, tool: &Tool) -> TurnValues {
        self.turn_values(tool, &self.everything)
    }

    /// Returns every tool of the catalog.
    pub fn everything(&self) -> &Members {
        &self.everything
    }

    /// Returns the tools, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = (ToolId, &Tool)> + Clone {
        self.tools.iter().enumerate().map(|(id, tool)| (ToolId(id), tool))
    }

    /// Returns the toolsets, sorted by name.
    pub fn toolsets(&self) -> impl Iterator<Item = (ToolsetId, &Toolset)> {
        self.toolsets.iter().enumerate().map(|(id, toolset)| (ToolsetId(id), toolset))
    }

    /// Returns the graph of toolsets. Its indices are the ids.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the tools that a toolset resolves to, sorted by name. The result is cached.
    pub fn resolve(&self, id: ToolsetId) -> &[ToolId] {
        self.resolved[id.0].get_or_init(|| self.graph.resolve_to_list(id.0).into_iter().map(ToolId).collect())
    }
}
