//! Resolves the names of all manifests to ids. Unknown names are reported and omitted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use toolc::__gen::graph::{Graph, Set};
use toolc_lower::dialects::DIALECTS;
use toolc_lower::text::atoms::AtomTable;

use super::names::Names;
use super::required_tools::RequiredTools;
use super::settings::settings;
use super::{Atom, Catalog, Distribution, ExternalId, FactId, Requires, Tool, ToolId, Toolset, ToolsetId, VariableId};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink};
use crate::manifest::{DistributionManifest, FactManifest, LazyManifest, Manifests, RequiresManifest, ToolsetManifest};
use crate::source::Kind;

/// Builds the catalog. Unknown and duplicate names are reported and omitted.
// This function is long because it takes the manifests apart and puts the catalog together: most lines are one field.
pub fn resolve(manifests: Manifests, sink: &Sink) -> Catalog {
    let Manifests {
        tools,
        toolsets,
        distributions,
        commands,
        facts,
        variables,
        settings: written,
        plugin,
        broken,
        #[cfg(feature = "emit")]
        digests,
    } = manifests;
    let tools = unique(tools, |tool| &tool.name, codes::DUPLICATE_TOOL, Kind::Tool, sink);
    let mut toolsets = unique(toolsets, |toolset| &toolset.name, codes::DUPLICATE_TOOLSET, Kind::Toolset, sink);
    let distributions =
        unique(distributions, |distribution| &distribution.name, codes::DUPLICATE_NAME, Kind::Distribution, sink);
    let commands = unique(commands, |rules| &rules.name, codes::DUPLICATE_NAME, Kind::Commands, sink);

    let declared: BTreeSet<String> = toolsets.keys().cloned().collect();
    assume_homes(&mut toolsets, &tools);
    let has_broken_commands = broken.iter().any(|(kind, _)| *kind == Kind::Commands);
    let written = written.unwrap_or_default();
    let external = external(&written.external.tools, &tools, sink);
    let facts: BTreeMap<String, FactManifest> = facts.into_iter().map(|fact| (fact.name.value.clone(), fact)).collect();
    let variables: BTreeMap<_, _> =
        variables.into_iter().map(|variable| (variable.name.value.clone(), variable)).collect();
    let aliases = toolsets
        .values()
        .flat_map(|toolset| toolset.aliases.iter().map(|alias| (alias.value.clone(), toolset.name.value.clone())));
    let names = Names {
        facts: facts.keys().cloned().zip((0..).map(FactId)).collect(),
        variables: variables.keys().cloned().zip((0..).map(VariableId)).collect(),
        tools: tools.keys().cloned().zip((0..).map(ToolId)).collect(),
        external: external.iter().cloned().zip((0..).map(ExternalId)).collect(),
        toolsets: toolsets.keys().cloned().zip((0..).map(ToolsetId)).collect(),
        aliases: aliases.collect(),
        declared,
        broken,
        sink,
    };
    let settings = settings(written, &toolsets, &names, sink);
    let mut tools: Vec<Tool> = tools.into_values().map(|manifest| tool(manifest, &names, &facts)).collect();
    tools.iter_mut().for_each(name_identifiers);
    let homes = home_tools(&tools, toolsets.len());
    let toolsets = toolsets.into_values().zip(homes);
    let toolsets: Vec<Toolset> = toolsets.map(|(manifest, home)| toolset(manifest, home, &names, &facts)).collect();
    let distributions = distributions.into_values().map(|manifest| distribution(manifest, &names)).collect();
    let graph = graph(&tools, &toolsets);
    let requirements = RequiredTools::new(&tools, &toolsets);
    let all = vec![true; tools.len()];
    let catalog = Catalog {
        everything: Vec::new(),
        tools,
        toolsets,
        distributions,
        commands: commands.into_values().collect(),
        has_broken_commands,
        facts: facts.into_values().collect(),
        variables: variables.into_values().collect(),
        external: external.into_iter().collect(),
        settings,
        plugin,
        resolved: graph.sets.iter().map(|_| OnceLock::new()).collect(),
        graph,
        requirements,
        #[cfg(feature = "emit")]
        digests,
    };
    Catalog { everything: catalog.shown(all), ..catalog }
}

/// Adds the home toolsets that no manifest declares. Each is reported once and then treated as declared, so that its tools are still
/// checked.
fn assume_homes(toolsets: &mut BTreeMap<String, ToolsetManifest>, tools: &BTreeMap<String, Box<LazyManifest>>) {
    for tool in tools.values() {
        let place = tool.toolset.as_ref().map_or(tool.name.place, |home| home.place);
        let name = tool.toolset.as_ref().map(|home| home.value.clone()).unwrap_or_default();
        toolsets.entry(name.clone()).or_insert_with(|| ToolsetManifest::assumed(At::new(name, place)));
    }
}

/// Returns the tools of each toolset whose home it is.
fn home_tools(tools: &[Tool], toolsets: usize) -> Vec<Vec<ToolId>> {
    let mut home_tools = vec![Vec::new(); toolsets];
    for (tool, id) in tools.iter().zip((0..).map(ToolId)) {
        home_tools[tool.home.0].push(id);
    }
    home_tools
}

fn distribution(manifest: DistributionManifest, names: &Names<'_>) -> Distribution {
    let resolved = manifest.toolsets.iter().filter_map(|(name, percent)| Some((names.toolset(name)?, *percent)));
    let mut toolsets: Vec<(ToolsetId, f64)> = resolved.collect();
    toolsets.sort_unstable_by_key(|(id, _)| *id);
    Distribution { manifest, toolsets }
}

/// Returns the graph that the runtime resolves, too.
fn graph(tools: &[Tool], toolsets: &[Toolset]) -> Graph {
    let sets = toolsets.iter().map(|toolset| Set {
        tools: toolset.direct().map(|tool| tool.0).collect(),
        includes: toolset.includes.iter().map(|(id, _)| id.0).collect(),
        base: toolset.base.map(|(id, _)| id.0),
        excludes: toolset.excludes.iter().map(|id| id.0).collect(),
    });
    Graph { tools: tools.len(), sets: sets.collect() }
}

type Facts = BTreeMap<String, FactManifest>;

fn tool(manifest: Box<LazyManifest>, names: &Names<'_>, facts: &Facts) -> Tool {
    let home = manifest.toolset.as_ref();
    if let Some(home) = home {
        names.check_home(home);
    }
    let home = names.toolsets[home.map_or("", |home| home.value.as_str())];
    let written: Vec<_> = manifest.atom_table.facts.iter().map(|name| names.fact(name)).collect();
    let replacement = manifest.deprecated.as_ref().and_then(|deprecated| deprecated.replacement.as_ref());
    let dialects = manifest.dialect.iter().enumerate();
    Tool {
        home,
        atoms: atoms(&manifest.atom_table, names, facts),
        facts: written.into_iter().collect::<Option<_>>().unwrap_or_default(),
        requires: requires(&manifest.requires, names),
        replacement: replacement.and_then(|name| names.tool(name)),
        dialects: dialects.filter_map(|(index, one)| Some((names.dialect(&one.dialect)?, index))).collect(),
        identifiers: Vec::new(),
        manifest,
    }
}

/// Names a tool in the dialects in whose language names must be identifiers. Two tools with the same identifier are mistakes in any
/// project: their names are equal in Rust too, or one of them is set for the dialect.
fn name_identifiers(tool: &mut Tool) {
    for dialect in DIALECTS {
        let declared = tool.declared_name_in(dialect.name);
        let name = dialect.name_of(declared);
        if *name != *declared {
            let name = name.into_owned();
            tool.identifiers.push((dialect.name, name));
        }
    }
}

fn toolset(manifest: ToolsetManifest, home_tools: Vec<ToolId>, names: &Names<'_>, facts: &Facts) -> Toolset {
    let ids = |(own, external): (Vec<(ToolId, Place)>, Vec<ExternalId>)| {
        (own.into_iter().map(|(id, _)| id).collect(), external)
    };
    let (tools, external) = ids(names.listed(&manifest.tools));
    let (excludes, excludes_external) = ids(names.listed(&manifest.excludes));
    Toolset {
        declared: names.declared.contains(&manifest.name.value),
        home_tools,
        tools,
        external,
        includes: manifest.includes.iter().filter_map(|name| Some((names.toolset(name)?, name.place))).collect(),
        base: manifest.base.as_ref().and_then(|name| Some((names.toolset(name)?, name.place))),
        excludes,
        excludes_external,
        atoms: atoms(&manifest.atom_table, names, facts),
        requires: requires(&manifest.requires, names),
        manifest,
    }
}

/// Resolves the atoms of a manifest. All are resolved before the result is dropped, so that every unknown name is reported.
fn atoms(atom_table: &AtomTable, names: &Names<'_>, facts: &Facts) -> Vec<Atom> {
    let atoms: Vec<_> = atom_table.atoms.iter().map(|atom| names.atom(atom, facts)).collect();
    atoms.into_iter().collect::<Option<_>>().unwrap_or_default()
}

fn requires(manifest: &RequiresManifest, names: &Names<'_>) -> Requires {
    let (tools, external) = names.listed(&manifest.tools);
    let (any_tools, any_external) = names.listed(&manifest.any_tools);
    let variables = |list: &[At<String>]| list.iter().filter_map(|name| names.variable(name)).collect();
    Requires {
        env: variables(&manifest.env),
        any_env: variables(&manifest.any_env),
        alternatives: manifest.any.iter().map(|one| variables(&one.env)).collect(),
        tools,
        any_tools,
        external,
        any_external,
    }
}

/// Returns the run-time tools. Reports those that are listed twice or have a manifest.
fn external(names: &[At<String>], tools: &BTreeMap<String, Box<LazyManifest>>, sink: &Sink) -> BTreeSet<String> {
    let mut kept = BTreeSet::new();
    for name in names {
        let taken = |what: &str| Diagnostic::new(codes::DUPLICATE_NAME, name.place, format!("`{}` {what}", name.value));
        if let Some(tool) = tools.get(&name.value) {
            let found = taken("is not a run-time tool, because a manifest declares it");
            sink.push(found.related(tool.name.place, "declared here").help("remove one of them"));
        } else if !kept.insert(name.value.clone()) {
            sink.push(taken("is listed twice").help("remove one of them"));
        }
    }
    kept
}

/// Sorts declarations by name. Reports duplicates, and keeps the first.
fn unique<T>(
    declarations: Vec<T>,
    name: impl Fn(&T) -> &At<String>,
    code: Code,
    kind: Kind,
    sink: &Sink,
) -> BTreeMap<String, T> {
    let named = declarations.into_iter().map(|declaration| (name(&declaration).value.clone(), declaration));
    let mut named: Vec<(String, T)> = named.collect();
    named.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut kept: Vec<(String, T)> = Vec::with_capacity(named.len());
    for (value, declaration) in named {
        match kept.last().filter(|(first, _)| *first == value) {
            Some((_, first)) => sink.push(
                Diagnostic::new(
                    code,
                    name(&declaration).place,
                    format!("the {} `{value}` is declared twice", kind.noun()),
                )
                .label("declared again here")
                .related(name(first).place, "first declared here")
                .help("rename one of them, or delete it"),
            ),
            None => kept.push((value, declaration)),
        }
    }
    // A map is made of sorted entries in one go.
    kept.into_iter().collect()
}
