//! Queries about the graph of toolsets that several rules share: the path from a toolset to a tool, and pairs of tools in
//! one toolset.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use rayon::prelude::*;

use super::Lint;
use crate::catalog::{ToolId, ToolsetId};
use crate::diagnostic::{Diagnostic, Place};

/// A path through the graph: `cli → debugging → file → read_file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    names: Vec<String>,
    /// The place that declares each step, with a description.
    steps: Vec<(Place, String)>,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(" → "))
    }
}

impl Path {
    /// Returns the place that declares the first step.
    pub fn start(&self) -> Option<Place> {
        self.steps.first().map(|(place, _)| *place)
    }

    /// Adds every step to a finding.
    pub fn show(&self, found: Diagnostic) -> Diagnostic {
        let steps = self.steps.iter();
        steps.fold(found, |found, (place, step)| found.related(*place, step.clone()))
    }
}

/// A tool, and similar tools that a model sees at the same time.
#[derive(Debug)]
pub struct SimilarTools {
    /// The tool that the finding is about.
    pub tool: ToolId,
    /// The similar tools, sorted by name, each with a toolset that contains both.
    pub others: Vec<(ToolId, ToolsetId)>,
}

impl Lint<'_> {
    /// Returns a shortest path from a toolset to a tool, or `None` if it does not contain the tool.
    pub fn path(&self, from: ToolsetId, to: ToolId) -> Option<Path> {
        self.graph().path(from.0, to.0).map(|nodes| self.describe_path(&ids(&nodes), Some(to)))
    }

    /// Returns why a toolset does not contain a tool of a toolset that it includes: a shortest path, and the toolset that excludes
    /// the tool.
    pub fn exclusion(&self, from: ToolsetId, to: ToolId) -> Option<(Path, ToolsetId)> {
        let (nodes, by) = self.graph().exclusion(from.0, to.0)?;
        Some((self.describe_path(&ids(&nodes), Some(to)), ToolsetId(by)))
    }

    /// Returns a shortest path between two toolsets along the edges that `is_open` accepts.
    pub fn path_between(
        &self,
        from: ToolsetId,
        to: ToolsetId,
        is_open: &dyn Fn(ToolsetId, ToolsetId) -> bool,
    ) -> Option<Path> {
        let mut previous = BTreeMap::from([(from, None)]);
        let mut queue = VecDeque::from([from]);
        while let Some(set) = queue.pop_front() {
            if set == to {
                let mut path: Vec<ToolsetId> = std::iter::successors(Some(set), |set| previous[set]).collect();
                path.reverse();
                return Some(self.describe_path(&path, None));
            }
            for (next, _) in self[set].edges().filter(|(next, _)| is_open(set, *next)) {
                if let Entry::Vacant(entry) = previous.entry(next) {
                    entry.insert(Some(set));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Describes a path along these toolsets, and to a tool of the last one.
    fn describe_path(&self, sets: &[ToolsetId], tool: Option<ToolId>) -> Path {
        let name = |set: ToolsetId| self[set].name();
        let edge = |pair: &[ToolsetId]| {
            let place = self[pair[0]].edges().find(|(to, _)| *to == pair[1]).map(|(_, place)| place)?;
            Some((place, format!("`{}` includes `{}`", name(pair[0]), name(pair[1]))))
        };
        let mut path = Path {
            names: sets.iter().map(|&set| name(set).to_owned()).collect(),
            steps: sets.windows(2).filter_map(edge).collect(),
        };
        if let (Some(tool), Some(&last)) = (tool, sets.last()) {
            let manifest = &self[tool].manifest;
            let listed = self[last].manifest.tools.iter().find(|name| name.value == manifest.name.value);
            // The last toolset is the home of a tool that it does not list, which the manifest of the tool declares.
            let place = listed.or(manifest.toolset.as_ref()).map_or(manifest.name.place, |name| name.place);
            path.steps.push((place, format!("`{}` contains it", name(last))));
            path.names.push(manifest.name.value.clone());
        }
        path
    }

    /// Finds pairs of similar tools in one toolset. For each tool it returns the similar ones before it, so that each tool gets at
    /// most one finding. `keys` makes this fast: only tools with a common key are compared by `are_similar`.
    pub fn similar_tools<K: Ord + Send>(
        &self,
        keys: impl Fn(ToolId) -> Vec<K> + Sync,
        are_similar: impl Fn(ToolId, ToolId) -> bool + Sync,
    ) -> Vec<SimilarTools> {
        let ids: Vec<ToolId> = self.tools().map(|(id, _)| id).collect();
        let keys = ids.par_iter().flat_map_iter(|&id| keys(id).into_iter().map(move |key| (key, id)));
        let mut keys: Vec<(K, ToolId)> = keys.collect();
        keys.par_sort_unstable();
        let mut before: BTreeMap<ToolId, Vec<ToolId>> = BTreeMap::new();
        for group in keys.chunk_by(|one, other| one.0 == other.0) {
            for (count, (_, id)) in group.iter().enumerate().skip(1) {
                before.entry(*id).or_default().extend(group[..count].iter().map(|(_, id)| *id));
            }
        }
        let before: Vec<(ToolId, Vec<ToolId>)> = before.into_iter().collect();
        let contains = |set: ToolsetId, tool: ToolId| self.resolve(set).binary_search(&tool).is_ok();
        let pairs = |(tool, before): &(ToolId, Vec<ToolId>)| {
            let tool = *tool;
            let mut others: Vec<ToolId> = before.iter().copied().filter(|other| *other != tool).collect();
            others.sort_unstable();
            others.dedup();
            let similar: Vec<ToolId> = others.into_iter().filter(|other| are_similar(*other, tool)).collect();
            if similar.is_empty() {
                return None;
            }
            let toolsets: Vec<ToolsetId> =
                self.toolsets().map(|(id, _)| id).filter(|set| contains(*set, tool)).collect();
            let common_toolset = |other: ToolId| toolsets.iter().find(|set| contains(**set, other));
            let others: Vec<_> =
                similar.into_iter().filter_map(|other| Some((other, *common_toolset(other)?))).collect();
            (!others.is_empty()).then_some(SimilarTools { tool, others })
        };
        before.par_iter().flat_map_iter(pairs).collect()
    }
}

fn ids(nodes: &[usize]) -> Vec<ToolsetId> {
    nodes.iter().copied().map(ToolsetId).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Places, Sink};
    use crate::lint::kept::Lines;
    use crate::source::Sources;

    /// Returns toolsets with additional lines, each with a home tool `NAME_t`.
    fn sources(sets: &[(&str, &str)]) -> Sources {
        Sources::from_memory(sets.iter().flat_map(|(name, more)| {
            let tool = format!("name = \"{name}_t\"\ntoolset = \"{name}\"\ndescription = \"Do.\"\n");
            let set = format!("name = \"{name}\"\ndescription = \"S.\"\n{more}\n");
            [(format!("manifests/tools/{name}_t.toml"), tool), (format!("manifests/toolsets/{name}.toml"), set)]
        }))
    }

    fn with(sets: &[(&str, &str)], check: impl Fn(&Lint<'_>)) {
        let sources = sources(sets);
        let sink = Sink::default();
        let catalog = crate::catalog::resolve(crate::manifest::parse(&sources, &sink), &sink);
        check(&Lint::new(&catalog, &sources, Lines::default()));
    }

    const CLI: [(&str, &str); 4] = [
        ("cli", "includes = ['debugging', 'file']"),
        ("debugging", "includes = ['file']\nexcludes = ['file_t']"),
        ("file", "tools = ['other_t']"),
        ("other", ""),
    ];

    #[test]
    fn a_path_names_every_step_and_its_place() {
        with(&CLI, |lint| {
            let [cli, debugging, file, other] = [0, 1, 2, 3].map(ToolsetId);
            let path = lint.path(cli, ToolId(2)).unwrap();
            assert_eq!(path.to_string(), "cli → file → file_t");
            let found = path.show(Diagnostic::new(crate::diagnostic::codes::SYNTAX, lint[cli].manifest.name.place, ""));
            let places = Places::new(lint.sources);
            let steps: Vec<String> = found.related.iter().map(|(place, _)| places.pointer(*place)).collect();
            assert_eq!(steps, ["/includes/1", "/toolset"]);
            assert_eq!(lint.path(cli, ToolId(3)).unwrap().to_string(), "cli → file → other_t");
            assert!(lint.path(debugging, ToolId(2)).is_none() && lint.path(other, ToolId(0)).is_none());
            let (path, by) = lint.exclusion(debugging, ToolId(2)).unwrap();
            assert_eq!((path.to_string().as_str(), by), ("debugging → file → file_t", debugging));
            let around = lint.path_between(cli, file, &|from, to| (from, to) != (cli, file)).unwrap();
            assert_eq!(around.to_string(), "cli → debugging → file");
            assert!(lint.path_between(file, cli, &|_, _| true).is_none());
        });
    }

    #[test]
    fn similar_tools_are_reported_if_a_toolset_contains_both() {
        with(&CLI, |lint| {
            let all = lint.similar_tools(|_| vec![()], |_, _| true);
            let shown: Vec<(usize, Vec<usize>)> =
                all.iter().map(|one| (one.tool.0, one.others.iter().map(|(other, _)| other.0).collect())).collect();
            // The tools of cli, debugging, file and other.
            assert_eq!(shown, [(1, vec![0]), (2, vec![0, 1]), (3, vec![0, 1, 2])]);
            assert!(lint.similar_tools(|tool| vec![tool], |_, _| true).is_empty());
            assert!(lint.similar_tools(|_| vec![()], |_, _| false).is_empty());
        });
    }
}
