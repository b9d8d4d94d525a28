//! Resolve: every manifest together. Names become ids, once; no stage behind this one looks anything up by name.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::ops::Index;

use serde_json::Value;
use toolc::graph::{Graph, Members, Set};
use toolc::segment::{Atoms, Comparison, FactValue};

use crate::diagnostic::{At, Code, Diagnostic, Place, Sink};
use crate::doc::Doc;
use crate::manifest::{FactManifest, Manifests, ToolManifest, ToolsetManifest};
use crate::source::Kind;
use crate::text::condition::Asks;
use crate::text::questions::Template;

/// Index of a tool in its catalog. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolId(pub usize);

/// Index of a toolset in its catalog. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolsetId(pub usize);

/// Index of a fact in its catalog. Ids are in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactId(pub usize);

/// Every tool, toolset and fact of a project, linked.
#[derive(Debug)]
pub struct Catalog {
    tools: Vec<Tool>,
    toolsets: Vec<Toolset>,
    facts: Vec<FactManifest>,
    graph: Graph,
    /// The members of the turn of all tools.
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
}

/// A question that conditions ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// Whether this tool is in the turn.
    Tool(ToolId),
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
}

/// What a tool's texts and conditions depend on, in one turn.
#[derive(Debug, Clone)]
pub struct Setting {
    atoms: Atoms,
    facts: Vec<FactValue>,
}

impl Setting {
    /// What a document of the tool is there.
    pub fn value(&self, doc: &Doc) -> Value {
        doc.value(self.atoms, &self.facts)
    }

    /// What a text of the tool says there.
    pub fn text(&self, template: &Template) -> String {
        self.value(&Doc::Text(template.clone())).as_str().map(str::to_owned).unwrap_or_default()
    }
}

impl Tool {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name.value
    }
}

impl Toolset {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name.value
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

impl Index<FactId> for Catalog {
    type Output = FactManifest;

    fn index(&self, id: FactId) -> &FactManifest {
        &self.facts[id.0]
    }
}

impl Catalog {
    /// Every fact, by name.
    pub fn facts(&self) -> &[FactManifest] {
        &self.facts
    }

    /// What a tool's texts and conditions come to in a turn of these tools, with every fact at its default.
    pub fn setting(&self, tool: &Tool, members: &[bool]) -> Setting {
        let holds = |atom: &Atom| match atom {
            Atom::Tool(id) => members[id.0],
            Atom::Fact(id) => self[*id].default == FactValue::Boolean(true),
            Atom::Compared(id, comparison, with) => comparison.holds(&self[*id].default, with),
        };
        Setting {
            atoms: tool.atoms.iter().enumerate().map(|(index, atom)| Atoms::from(holds(atom)) << index).sum(),
            facts: tool.facts.iter().map(|id| self[*id].default.clone()).collect(),
        }
    }

    /// The same in the turn of all tools.
    pub fn full_setting(&self, tool: &Tool) -> Setting {
        self.setting(tool, &self.everything)
    }

    /// Every tool, by name.
    pub fn tools(&self) -> impl Iterator<Item = (ToolId, &Tool)> {
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

/// Links everything. What cannot be linked is reported and left out.
pub fn resolve(manifests: Manifests, sink: &Sink) -> Catalog {
    let Manifests { tools, toolsets, facts, broken } = manifests;
    let tools = unique(tools, |tool| &tool.name, Code::DUPLICATE_TOOL, Kind::Tool, sink);
    let mut toolsets = unique(toolsets, |toolset| &toolset.name, Code::DUPLICATE_TOOLSET, Kind::Toolset, sink);

    // A home that nobody declares is reported once, and then taken for declared: its tools are still checked.
    let declared: BTreeSet<String> = toolsets.keys().cloned().collect();
    for tool in tools.values() {
        let place = tool.toolset.as_ref().map_or(tool.name.place, |home| home.place);
        let name = tool.toolset.as_ref().map(|home| home.value.clone()).unwrap_or_default();
        toolsets.entry(name.clone()).or_insert_with(|| assumed(At::new(name, place)));
    }

    let facts: BTreeMap<String, FactManifest> = facts.into_iter().map(|fact| (fact.name.value.clone(), fact)).collect();
    let names = Names {
        facts: facts.values().zip((0..).map(FactId)).map(|(fact, id)| (fact.name.value.clone(), id)).collect(),
        tools: tools.keys().cloned().zip((0..).map(ToolId)).collect(),
        toolsets: toolsets.keys().cloned().zip((0..).map(ToolsetId)).collect(),
        declared,
        broken,
        sink,
    };
    let tools: Vec<Tool> = (tools.into_values())
        .map(|manifest| {
            let home = manifest.toolset.as_ref();
            if let Some(home) = home {
                names.check_home(home);
            }
            let home = names.toolsets[home.map_or("", |home| home.value.as_str())];
            // All of them are looked up before any of them is given up.
            let atoms: Vec<_> = manifest.questions.atoms.iter().map(|asks| names.atom(asks, &facts)).collect();
            let written: Vec<_> = manifest.questions.facts.iter().map(|name| names.fact(name)).collect();
            Tool {
                home,
                atoms: atoms.into_iter().collect::<Option<_>>().unwrap_or_default(),
                facts: written.into_iter().collect::<Option<_>>().unwrap_or_default(),
                manifest,
            }
        })
        .collect();
    let toolsets: Vec<Toolset> = (toolsets.into_values().zip((0..).map(ToolsetId)))
        .map(|(manifest, id)| Toolset {
            declared: names.declared.contains(&manifest.name.value),
            home_tools: (0..tools.len()).filter(|&tool| tools[tool].home == id).map(ToolId).collect(),
            tools: manifest.tools.iter().filter_map(|name| names.tool(name)).collect(),
            includes: manifest.includes.iter().filter_map(|name| Some((names.toolset(name)?, name.place))).collect(),
            base: manifest.base.as_ref().and_then(|name| Some((names.toolset(name)?, name.place))),
            manifest,
        })
        .collect();
    let sets = toolsets.iter().map(|toolset| Set {
        tools: toolset.home_tools.iter().chain(&toolset.tools).map(|tool| tool.0).collect(),
        includes: toolset.includes.iter().map(|(id, _)| id.0).collect(),
        base: toolset.base.map(|(id, _)| id.0),
        ..Set::default()
    });
    let graph = Graph { tools: tools.len(), sets: sets.collect() };
    let everything = vec![true; tools.len()];
    Catalog { tools, toolsets, facts: facts.into_values().collect(), graph, everything }
}

/// By name; of two with one name the first stays.
fn unique<T>(
    all: Vec<T>,
    name: impl Fn(&T) -> &At<String>,
    code: Code,
    kind: Kind,
    sink: &Sink,
) -> BTreeMap<String, T> {
    let mut kept: BTreeMap<String, T> = BTreeMap::new();
    for one in all {
        let At { value, place } = name(&one).clone();
        match kept.get(&value) {
            Some(first) => sink.push(
                Diagnostic::new(code, place, format!("the {} `{value}` is declared twice", kind.noun()))
                    .label("declared again here")
                    .related(name(first).place, "first declared here")
                    .help("rename one of them, or delete it"),
            ),
            None => drop(kept.insert(value, one)),
        }
    }
    kept
}

fn assumed(name: At<String>) -> ToolsetManifest {
    ToolsetManifest {
        name,
        description: String::new(),
        preset: false,
        tools: Vec::new(),
        includes: Vec::new(),
        base: None,
    }
}

/// Names to ids; and to findings, where there is no such name.
struct Names<'s> {
    tools: BTreeMap<String, ToolId>,
    toolsets: BTreeMap<String, ToolsetId>,
    facts: BTreeMap<String, FactId>,
    /// Toolsets that have a manifest; the others are assumed.
    declared: BTreeSet<String>,
    broken: Vec<(Kind, String)>,
    sink: &'s Sink,
}

impl Names<'_> {
    fn atom(&self, asks: &At<Asks>, facts: &BTreeMap<String, FactManifest>) -> Option<Atom> {
        let place = asks.place;
        match &asks.value {
            Asks::Tool(name) => self.tool(&At::new(name.clone(), place)).map(Atom::Tool),
            Asks::Fact(name, compared) => {
                let id = self.fact(&At::new(name.clone(), place))?;
                let fact = &facts[name];
                let asked = compared.as_ref().map_or(&FactValue::Boolean(true), |(_, with)| with);
                if discriminant(asked) != discriminant(&fact.default) {
                    let message = format!("the fact `{name}` is {}, not {}", fact.default.noun(), asked.noun());
                    self.sink.push(
                        Diagnostic::new(Code::FACT_TYPE, place, message)
                            .related(fact.name.place, "declared here")
                            .help(if compared.is_some() {
                                "compare it with a value of its own type"
                            } else {
                                "compare it"
                            }),
                    );
                    return None;
                }
                match compared {
                    None => Some(Atom::Fact(id)),
                    Some((Comparison::Equal | Comparison::NotEqual, _) | (_, FactValue::Integer(_))) => {
                        let (comparison, with) = compared.clone()?;
                        Some(Atom::Compared(id, comparison, with))
                    }
                    Some(_) => {
                        let message = format!("the fact `{name}` is {}, which has no order", fact.default.noun());
                        self.sink.push(Diagnostic::new(Code::FACT_TYPE, place, message).help("use `==` or `!=`"));
                        None
                    }
                }
            }
        }
    }

    fn fact(&self, name: &At<String>) -> Option<FactId> {
        let found = self.facts.get(&name.value).copied();
        if found.is_none() {
            self.sink.push(
                Diagnostic::new(Code::UNKNOWN_FACT, name.place, format!("unknown fact `{}`", name.value))
                    .help_nearest(&name.value, self.facts.keys().map(String::as_str), "the facts are")
                    .help("facts are declared in `manifests/facts.toml`"),
            );
        }
        found
    }

    fn tool(&self, name: &At<String>) -> Option<ToolId> {
        let found = self.tools.get(&name.value).copied();
        if found.is_none() && !self.is_broken(Kind::Tool, &name.value) {
            let found = Diagnostic::new(Code::UNKNOWN_TOOL, name.place, format!("unknown tool `{}`", name.value));
            self.sink.push(if self.declared.contains(&name.value) {
                found.help(format!("`{}` is a toolset: name it in `includes`", name.value))
            } else {
                found.help_nearest(&name.value, self.tools.keys().map(String::as_str), "the tools are")
            });
        }
        found
    }

    fn toolset(&self, name: &At<String>) -> Option<ToolsetId> {
        if self.declared.contains(&name.value) {
            return self.toolsets.get(&name.value).copied();
        }
        if !self.is_broken(Kind::Toolset, &name.value) {
            let found = unknown_toolset(name, "toolset");
            self.sink.push(if self.tools.contains_key(&name.value) {
                found.help(format!("`{}` is a tool: name it in `tools`", name.value))
            } else {
                self.nearest_toolset(found, name)
            });
        }
        None
    }

    fn check_home(&self, name: &At<String>) {
        if !self.declared.contains(&name.value) && !self.is_broken(Kind::Toolset, &name.value) {
            let found = unknown_toolset(name, "home toolset");
            self.sink.push(
                self.nearest_toolset(found, name)
                    .help(format!("or declare it, in `manifests/toolsets/{}.toml`", name.value)),
            );
        }
    }

    fn nearest_toolset(&self, found: Diagnostic, name: &At<String>) -> Diagnostic {
        found.help_nearest(&name.value, self.declared.iter().map(String::as_str), "the toolsets are")
    }

    fn is_broken(&self, kind: Kind, name: &str) -> bool {
        self.broken.iter().any(|(of, broken)| *of == kind && broken == name)
    }
}

fn unknown_toolset(name: &At<String>, what: &str) -> Diagnostic {
    Diagnostic::new(Code::UNKNOWN_TOOLSET, name.place, format!("unknown {what} `{}`", name.value))
}
