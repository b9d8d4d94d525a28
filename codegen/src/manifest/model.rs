//! Manifests as their authors wrote them, typed. Names are text, each with its place.

use std::time::Duration;

use toolc::behaviour::{Annotations, Execution};
use toolc::segment::FactValue;

use crate::conditional_json::CondJson;
use crate::diagnostic::{At, Place};
use crate::schema::{Defs, Schema};
use crate::source::Kind;
use crate::text::atoms::{AtomTable, Template, When};

/// Everything that could be parsed, and the names of what could not: nobody is told twice about a broken file.
#[derive(Debug, Default)]
pub struct Manifests {
    /// In the order of their paths.
    pub tools: Vec<ToolManifest>,
    /// In the order of their paths.
    pub toolsets: Vec<ToolsetManifest>,
    /// In the order of their paths.
    pub distributions: Vec<DistributionManifest>,
    /// In the order of their paths.
    pub commands: Vec<CommandsManifest>,
    /// In the author's order.
    pub facts: Vec<FactManifest>,
    /// In the author's order.
    pub variables: Vec<VariableManifest>,
    /// The project's settings, if it has any.
    pub settings: Option<SettingsManifest>,
    /// What makes the project a plugin, if it is one.
    pub plugin: Option<PluginManifest>,
    /// Names that a file stands for without declaring them well.
    pub broken: Vec<(Kind, String)>,
}

impl Manifests {
    /// Takes in those of further sources.
    pub(super) fn append(&mut self, mut further: Self) {
        self.tools.append(&mut further.tools);
        self.toolsets.append(&mut further.toolsets);
        self.distributions.append(&mut further.distributions);
        self.commands.append(&mut further.commands);
        self.facts.append(&mut further.facts);
        self.variables.append(&mut further.variables);
        self.settings = self.settings.take().or(further.settings);
        self.plugin = self.plugin.take().or(further.plugin);
        self.broken.append(&mut further.broken);
    }
}

/// A tool.
#[derive(Debug, Clone)]
pub struct ToolManifest {
    /// Its name.
    pub name: At<String>,
    /// Its home. None where the key is missing, which has been reported.
    pub toolset: Option<At<String>>,
    /// What the model is told.
    pub description: At<Template>,
    /// Its name for people.
    pub title: Option<String>,
    /// For a person's eyes.
    pub emoji: String,
    /// How its handler runs.
    pub execution: At<Execution>,
    /// How long a call may take.
    pub timeout: Option<At<Duration>>,
    /// Characters of a result that the model gets.
    pub max_result_chars: Option<u32>,
    /// Which calls of a batch may overlap: one of [`keys::PARALLELS`](super::keys::PARALLELS).
    pub parallel: Option<At<String>>,
    /// The parameter that is the key of keyed calls.
    pub parallel_key: Option<At<String>>,
    /// What the key names.
    pub parallel_space: Option<At<String>>,
    /// Whether tool search may stand for it.
    pub defer: bool,
    /// What it does to the world.
    pub annotations: AnnotationsManifest,
    /// What has to be there for it to be shown.
    pub requires: RequiresManifest,
    /// Which calls have to be approved.
    pub approval: ApprovalManifest,
    /// Whether it should no longer be used.
    pub deprecated: Option<DeprecatedManifest>,
    /// What dialects show otherwise.
    pub dialects: Vec<DialectManifest>,
    /// Its parameters: an object.
    pub params: Schema,
    /// What it returns. None: that is the handler's business.
    pub returns: Option<Schema>,
    /// The definitions that those lead to.
    pub defs: Defs,
    /// What its conditions and texts ask.
    pub atom_table: AtomTable,
}

impl ToolManifest {
    /// The schema of its arguments, definitions included.
    pub fn parameters(&self) -> CondJson {
        self.defs.document(&self.params)
    }

    /// The schemas that are in no other one.
    pub fn roots(&self) -> impl Iterator<Item = &Schema> {
        let defs = self.defs.iter().map(|(_, def)| &def.schema);
        [&self.params].into_iter().chain(&self.returns).chain(defs)
    }

    /// Those among them that say what arguments may be.
    pub fn argument_roots(&self) -> impl Iterator<Item = &Schema> {
        let needed = self.defs.needed_by([&self.params]);
        let defs = self.defs.iter().filter(move |(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
        [&self.params].into_iter().chain(defs)
    }

    /// Every schema.
    pub fn schemas(&self) -> impl Iterator<Item = &Schema> {
        self.roots().flat_map(Schema::walk)
    }
}

/// What a tool does to the world, as far as its author says so.
#[derive(Debug, Clone)]
pub struct AnnotationsManifest {
    /// Where that is said. None: nothing is.
    pub place: Option<Place>,
    /// It only reads.
    pub read_only: Option<At<bool>>,
    /// It may destroy or replace what is there.
    pub destructive: Option<At<bool>>,
    /// Twice is as once.
    pub idempotent: Option<At<bool>>,
    /// It meets what nobody here controls.
    pub open_world: Option<At<bool>>,
}

impl AnnotationsManifest {
    /// With what is assumed where the author says nothing.
    pub fn value(&self) -> Annotations {
        let or = |said: &Option<At<bool>>, default| said.as_ref().map_or(default, |said| said.value);
        let read_only = or(&self.read_only, Annotations::DEFAULT.read_only);
        Annotations {
            read_only,
            destructive: or(&self.destructive, !read_only),
            idempotent: or(&self.idempotent, Annotations::DEFAULT.idempotent),
            open_world: or(&self.open_world, Annotations::DEFAULT.open_world),
        }
    }
}

/// What a tool, or every home tool of a toolset, needs to be shown.
#[derive(Debug, Clone, Default)]
pub struct RequiresManifest {
    /// Variables, all of which are set.
    pub env: Vec<At<String>>,
    /// Variables, one of which is set.
    pub any_env: Vec<At<String>>,
    /// Programs, all of which are found.
    pub programs: Vec<At<String>>,
    /// Systems, one of which it is.
    pub os: Vec<At<String>>,
    /// Tools, all of which are shown.
    pub tools: Vec<At<String>>,
    /// Tools, one of which is shown.
    pub any_tools: Vec<At<String>>,
    /// Over facts.
    pub when: Option<At<When>>,
    /// Where it is said that the handlers are asked. None: they are not.
    pub check: Option<Place>,
}

/// Which calls have to be approved.
#[derive(Debug, Clone, Default)]
pub struct ApprovalManifest {
    /// All.
    pub always: bool,
    /// Those whose command, in this parameter, is dangerous.
    pub shell: Option<At<String>>,
}

/// Why a tool should no longer be used.
#[derive(Debug, Clone)]
pub struct DeprecatedManifest {
    /// The tool to use instead.
    pub replacement: Option<At<String>>,
    /// Why, and what to do.
    pub note: String,
}

/// What one dialect shows otherwise.
#[derive(Debug, Clone)]
pub struct DialectManifest {
    /// The dialect's name.
    pub dialect: At<String>,
    /// The tool's name there.
    pub name: Option<At<String>>,
    /// The tool's description there.
    pub description: Option<At<Template>>,
}

/// A toolset.
#[derive(Debug, Clone)]
pub struct ToolsetManifest {
    /// Its name.
    pub name: At<String>,
    /// For a person who chooses.
    pub description: String,
    /// Whether it stands for a platform.
    pub preset: bool,
    /// Tools that have another home.
    pub tools: Vec<At<String>>,
    /// Toolsets that it brings along.
    pub includes: Vec<At<String>>,
    /// The toolset that it builds on.
    pub base: Option<At<String>>,
    /// Tools that it does not hold, whatever brings them along.
    pub excludes: Vec<At<String>>,
    /// Whether it holds only what it lists.
    pub closed: bool,
    /// Legacy names.
    pub aliases: Vec<At<String>>,
    /// Words by which hosts may choose.
    pub tags: Vec<At<String>>,
    /// Tokens of the definitions that it resolves to.
    pub token_budget: Option<u32>,
    /// What has to be there for its home tools to be shown.
    pub requires: RequiresManifest,
    /// What its conditions ask.
    pub atom_table: AtomTable,
}

impl ToolsetManifest {
    /// A toolset that nobody declared.
    pub fn assumed(name: At<String>) -> Self {
        Self {
            name,
            description: String::new(),
            preset: false,
            tools: Vec::new(),
            includes: Vec::new(),
            base: None,
            excludes: Vec::new(),
            closed: false,
            aliases: Vec::new(),
            tags: Vec::new(),
            token_budget: None,
            requires: RequiresManifest::default(),
            atom_table: AtomTable::default(),
        }
    }
}

/// Toolsets to be drawn.
#[derive(Debug, Clone)]
pub struct DistributionManifest {
    /// Its name.
    pub name: At<String>,
    /// For a person who chooses.
    pub description: String,
    /// Toolsets and how likely they are, in percent.
    pub toolsets: Vec<(At<String>, f64)>,
}

/// Rules about shell commands.
#[derive(Debug, Clone)]
pub struct CommandsManifest {
    /// What they are about.
    pub name: At<String>,
    /// For whoever maintains them.
    pub description: String,
    /// In the author's order.
    pub rules: Vec<RuleManifest>,
}

/// A rule about shell commands.
#[derive(Debug, Clone)]
pub struct RuleManifest {
    /// Its name.
    pub name: At<String>,
    /// For the person who is asked.
    pub description: String,
    /// One of [`keys::VERDICTS`](super::keys::VERDICTS).
    pub verdict: String,
    /// What a command has to be like, by key. What is not said is empty.
    pub conditions: Vec<(&'static str, Vec<At<String>>)>,
    /// Commands that fall under it.
    pub matches: Vec<At<String>>,
    /// Commands that look alike and do not.
    pub ignores: Vec<At<String>>,
}

/// A fact.
#[derive(Debug, Clone)]
pub struct FactManifest {
    /// Its name.
    pub name: At<String>,
    /// What is assumed where the host says nothing.
    pub default: FactValue,
    /// For whoever writes a host.
    pub description: String,
}

/// An environment variable.
#[derive(Debug, Clone)]
pub struct VariableManifest {
    /// Its name.
    pub name: At<String>,
    /// What it is for.
    pub description: String,
    /// What to ask a person for it.
    pub prompt: String,
    /// Where to get it.
    pub url: String,
    /// Whether its value must not be shown.
    pub secret: bool,
}

/// The project's settings.
#[derive(Debug, Clone, Default)]
pub struct SettingsManifest {
    /// The dialects that schemas are written in. Empty: all.
    pub dialects: Vec<At<String>>,
    /// The folder of the generated module.
    pub rust: Option<At<String>>,
    /// Levels of findings, by code or name.
    pub levels: Vec<(At<String>, At<String>)>,
    /// The file of known findings.
    pub baseline: Option<At<String>>,
    /// Tools that a toolset resolves to at most.
    pub tools: Option<u32>,
    /// Tokens of their definitions.
    pub tokens: Option<u32>,
    /// Characters of a tool's description.
    pub description: Option<u32>,
    /// Parameters of a tool.
    pub parameters: Option<u32>,
    /// Tools that come at run time.
    pub external: Vec<At<String>>,
}

/// What makes a project a plugin: tools that a program runs, of a host that was built without them.
#[derive(Debug, Clone)]
pub struct PluginManifest {
    /// The program, below the project's root. None where the key is missing, which has been reported.
    pub executable: Option<At<String>>,
    /// For a person who chooses.
    pub description: String,
    /// Variables that the program gets beside those that every program does.
    pub environment: Vec<At<String>>,
    /// Bytes that the program may print for one call. None: what the host takes.
    pub max_output_bytes: Option<u32>,
    /// Where its manifest begins.
    pub place: Place,
}
