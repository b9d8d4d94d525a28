//! The compiled project, and the findings of one file without compiling the others.

use std::collections::{BTreeMap, HashMap, HashSet};

use toolc_codegen::Sources;
use toolc_codegen::catalog::{Catalog, ToolId, ToolsetId};
use toolc_codegen::diagnostic::{Code, Diagnostic};
use toolc_codegen::inspect_with_kept;
use toolc_codegen::kept::Kept;
use toolc_codegen::lint::{Check, rules};
use toolc_codegen::source::{Kind, Source};

/// A compiled project.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) sources: Sources,
    /// It lacks what could not be read.
    pub(crate) catalog: Catalog,
    pub(crate) findings: Vec<Diagnostic>,
    tools: HashMap<String, ToolId>,
    toolsets: HashMap<String, ToolsetId>,
    /// The path of the manifest that declares each alias.
    aliases: HashMap<String, String>,
    /// The paths of the files with errors of the compiler.
    broken: HashSet<String>,
}

impl Graph {
    /// Compiles a project with what the last run kept, and returns what this run keeps.
    pub(crate) fn compile(sources: Sources, kept: Kept) -> (Self, Kept) {
        let (catalog, findings) = inspect_with_kept(&sources, Some(&kept));
        let path = |source| sources.get(source).path.clone();
        let errors = findings.iter().filter(|found| found.code.is_fixed());
        let broken = errors.map(|found| path(found.at.0.source)).collect();
        let mut aliases = HashMap::new();
        for (_, tool) in catalog.tools() {
            let file = || path(tool.manifest.name.place.source);
            aliases.extend(tool.manifest.aliases.iter().map(|alias| (alias.value.clone(), file())));
        }
        for (_, toolset) in catalog.toolsets().filter(|(_, toolset)| toolset.declared) {
            let file = || path(toolset.manifest.name.place.source);
            aliases.extend(toolset.manifest.aliases.iter().map(|alias| (alias.value.clone(), file())));
        }
        let tools = catalog.tools().map(|(id, tool)| (tool.name().to_owned(), id)).collect();
        let toolsets = catalog.toolsets().map(|(id, toolset)| (toolset.name().to_owned(), id)).collect();
        (Self { sources, catalog, findings, tools, toolsets, aliases, broken }, kept.next())
    }

    /// Returns whether no file has an error of the compiler, so that the catalog is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.broken.is_empty()
    }

    /// Finds a tool by its name.
    pub(crate) fn tool(&self, name: &str) -> Option<ToolId> {
        self.tools.get(name).copied()
    }

    /// Finds a toolset by its name.
    pub(crate) fn toolset(&self, name: &str) -> Option<ToolsetId> {
        self.toolsets.get(name).copied()
    }

    /// Returns the errors of the compiler, without their places.
    pub(crate) fn errors(&self) -> HashSet<(&'static str, &str)> {
        let errors = self.findings.iter().filter(|found| found.code.is_fixed());
        errors.map(|found| (found.code.id, found.message.as_str())).collect()
    }
}

/// The findings of one file, with the files to which their places refer.
#[derive(Debug)]
pub(crate) struct OwnFindings {
    pub(crate) sources: Sources,
    pub(crate) findings: Vec<Diagnostic>,
}

/// The maximum number of other files that are read for the findings of one file. The others are represented by their names.
const MAX_FILES: usize = 64;

/// Returns the findings of a file that depend on no more than the file, the files that it mentions, and the names of all others. It takes
/// milliseconds, whatever the size of the project.
///
/// The compiler runs on a small project: the file, the files that it mentions, and for what those mention a manifest with only a name.
pub(crate) fn own_findings(sources: &Sources, path: &str, graph: Option<&Graph>) -> OwnFindings {
    let Some(own) = sources.find(path).map(|id| sources.get(id)) else {
        return OwnFindings { sources: Sources::default(), findings: Vec::new() };
    };
    let is_broken = |path: &str| graph.is_none_or(|graph| graph.broken.contains(path));
    let mentioned: Vec<&Source> = mentions(own, sources, graph);
    let mut whole: HashSet<&str> = HashSet::from([path]);
    let mut named: BTreeMap<&str, &Source> = BTreeMap::new();
    for source in mentioned {
        if whole.len() <= MAX_FILES && !is_broken(&source.path) {
            whole.insert(&source.path);
            named.extend(mentions(source, sources, graph).into_iter().map(|source| (source.path.as_str(), source)));
        } else {
            named.insert(&source.path, source);
        }
    }
    named.retain(|path, _| !whole.contains(path));
    let once = [Kind::Facts, Kind::Env, Kind::Settings, Kind::Plugin];
    let is_wanted = |source: &Source| {
        let is_rule = source.kind == Some(Kind::Commands) && own.kind == Some(Kind::Commands);
        whole.contains(source.path.as_str()) || is_rule || source.kind.is_some_and(|kind| once.contains(&kind))
    };
    let stubs: Vec<(&str, String)> = named.iter().map(|(path, source)| (*path, stub(source, graph))).collect();
    let stubs = stubs.iter().map(|(path, text)| (*path, text.as_str()));
    let part = sources.only(is_wanted).with_files(stubs);
    let (_, mut findings) = inspect_with_kept(&part, None);
    findings.retain(|found| part.get(found.at.0.source).path == path && is_own(found.code));
    for found in &mut findings {
        found.related.retain(|(place, _)| !named.contains_key(part.get(place.source).path.as_str()));
    }
    OwnFindings { sources: part, findings }
}

/// Returns whether findings with this code depend on nothing that [`own_findings`] leaves out.
pub(crate) fn is_own(code: Code) -> bool {
    let is_whole = |check: &Check| matches!(check, Check::Linter | Check::Catalog(_) | Check::Output(_));
    code.is_fixed() || rules::rules().any(|rule| rule.code == code && !is_whole(&rule.check))
}

/// Returns the manifests of tools and toolsets whose names or aliases are words of a text.
fn mentions<'s>(own: &Source, sources: &'s Sources, graph: Option<&Graph>) -> Vec<&'s Source> {
    let mut found: Vec<&Source> = Vec::new();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let words: HashSet<&str> = own.text.split(|letter| !is_letter(letter)).filter(|word| !word.is_empty()).collect();
    for word in words {
        let alias = graph.and_then(|graph| graph.aliases.get(word)).cloned();
        let paths = [Kind::Tool, Kind::Toolset].map(|kind| Some(format!("{}{word}.toml", kind.place())));
        for path in paths.into_iter().chain([alias]).flatten().filter(|path| *path != own.path) {
            found.extend(sources.find(&path).map(|id| sources.get(id)));
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    found
}

/// Returns the shortest manifest with the name of this one.
fn stub(source: &Source, graph: Option<&Graph>) -> String {
    let name = &source.stem;
    let list = |names: Vec<&str>| if names.is_empty() { String::new() } else { format!("aliases = {names:?}\n") };
    if source.kind == Some(Kind::Toolset) {
        let toolset = graph.and_then(|graph| Some(&graph.catalog[graph.toolset(name)?].manifest));
        let aliases = toolset.map(|toolset| toolset.aliases.iter().map(|alias| alias.value.as_str()).collect());
        return format!("name = \"{name}\"\ndescription = \"A toolset.\"\n{}", list(aliases.unwrap_or_default()));
    }
    let tool = graph.and_then(|graph| Some((graph, &graph.catalog[graph.tool(name)?])));
    let home = tool.map_or("unknown", |(graph, tool)| graph.catalog[tool.home].name());
    let aliases = tool.map(|(_, tool)| tool.manifest.aliases.iter().map(|alias| alias.value.as_str()).collect());
    let aliases = list(aliases.unwrap_or_default());
    format!("name = \"{name}\"\ntoolset = \"{home}\"\ndescription = \"A tool.\"\n{aliases}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Checks that the findings of each file alone are the findings of the graph that depend on no other file, in the project of this repository with
    /// every manifest of a tool changed.
    fn check(change: impl Fn(&str) -> String) -> usize {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let sources = Sources::scan(&root).expect("the repository is a project");
        let paths = sources.all().iter().filter(|source| matches!(source.kind, Some(Kind::Tool | Kind::Toolset)));
        let paths: Vec<String> = paths.map(|source| source.path.clone()).collect();
        let changed: Vec<(&str, String)> = (sources.all().iter())
            .filter(|source| source.kind == Some(Kind::Tool))
            .map(|source| (source.path.as_str(), change(&source.text)))
            .collect();
        let sources = sources.with_files(changed.iter().map(|(path, text)| (*path, text.as_str())));
        let (graph, _) = Graph::compile(sources, Kept::default());
        let shown = |found: &Diagnostic| format!("{} {} {:?}", found.code, found.message, found.at.0.span());
        let mut count = 0;
        for path in &paths {
            let own = own_findings(&graph.sources, path, Some(&graph));
            let of_graph = graph
                .findings
                .iter()
                .filter(|found| graph.sources.get(found.at.0.source).path == *path && is_own(found.code));
            let of_graph: Vec<String> = of_graph.map(shown).collect();
            assert_eq!(own.findings.iter().map(shown).collect::<Vec<_>>(), of_graph, "{path}");
            count += of_graph.len();
        }
        count
    }

    #[test]
    fn a_file_alone_has_the_same_findings_as_in_the_graph() {
        check(str::to_owned);
        assert!(check(|text| text.replace("description = \"", "description = \" ")) > 20);
        assert!(check(|text| text.replace("type = \"string\"", "type = \"strin\"")) > 20);
    }
}
