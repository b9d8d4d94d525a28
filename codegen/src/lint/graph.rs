//! What rules about the graph of toolsets share: the way from a toolset to a tool, and which tools a model sees beside
//! one another.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use super::Lint;
use crate::catalog::{Catalog, ToolId, ToolsetId};
use crate::diagnostic::{Diagnostic, Place};

/// A way through the graph: `cli → debugging → file → read_file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    names: Vec<String>,
    /// Where each step but the first is said, and in words.
    steps: Vec<(Place, String)>,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(" → "))
    }
}

impl Path {
    /// Where its first step is said.
    pub fn start(&self) -> Option<Place> {
        self.steps.first().map(|(place, _)| *place)
    }

    /// Shows every step of the way beside a finding.
    pub fn show(&self, found: Diagnostic) -> Diagnostic {
        let steps = self.steps.iter();
        steps.fold(found, |found, (place, step)| found.related(*place, step.clone()))
    }
}

/// A tool, and others that a model sees beside it.
#[derive(Debug)]
pub struct Beside {
    /// The tool that the finding is about.
    pub tool: ToolId,
    /// The others, by name, each with a toolset that shows both.
    pub others: Vec<(ToolId, ToolsetId)>,
}

impl Lint<'_> {
    /// The shortest way from a toolset to a tool that it holds, also where an exclude takes the tool away again.
    pub fn path(&self, from: ToolsetId, to: ToolId) -> Option<Path> {
        let holds = |set: ToolsetId| self[set].direct().any(|tool| tool == to);
        let ways = Ways::from(self, [from], &|_| true);
        let set = *ways.order.iter().find(|&&set| holds(set))?;
        let mut path = ways.path(self, set);
        let listed = self[set].manifest.tools.iter().find(|name| name.value == self[to].name());
        // Where it is not listed it is at home, which its own manifest says.
        let home = || self[to].manifest.toolset.as_ref().map_or(self[to].manifest.name.place, |home| home.place);
        path.steps.push((listed.map_or_else(home, |name| name.place), format!("`{}` holds it", self[set].name())));
        path.names.push(self[to].name().to_owned());
        Some(path)
    }

    /// The shortest way from one toolset to another, through toolsets for which `through` holds. Its first step is one
    /// for which `first` holds.
    pub fn path_between(
        &self,
        from: ToolsetId,
        to: ToolsetId,
        first: &dyn Fn(ToolsetId, Place) -> bool,
        through: &dyn Fn(ToolsetId) -> bool,
    ) -> Option<Path> {
        let starts = self[from].edges().filter(|&(set, place)| first(set, place)).map(|(set, _)| set);
        let ways = Ways::from(self, starts, through);
        let mut path = ways.order.contains(&to).then(|| ways.path(self, to))?;
        path.names.insert(0, self[from].name().to_owned());
        Some(path)
    }

    /// Tools of which a model sees several at once, because some toolset resolves to them, and that have a key in common
    /// and are `alike`: for each tool the others before it, so that each tool gets one finding. Keys keep it fast: only
    /// tools with a common key are compared.
    pub fn beside<K: Ord>(
        &self,
        keys: impl Fn(ToolId) -> Vec<K>,
        alike: impl Fn(ToolId, ToolId) -> bool,
    ) -> Vec<Beside> {
        let mut by_key: BTreeMap<K, Vec<ToolId>> = BTreeMap::new();
        for (id, _) in self.tools() {
            for key in keys(id) {
                by_key.entry(key).or_default().push(id);
            }
        }
        let mut pairs: BTreeMap<ToolId, BTreeSet<ToolId>> = BTreeMap::new();
        for tools in by_key.values() {
            for (index, &tool) in tools.iter().enumerate() {
                let others = tools[..index].iter().filter(|&&other| other != tool);
                pairs.entry(tool).or_default().extend(others);
            }
        }
        let sets: Vec<ToolsetId> = self.toolsets().map(|(id, _)| id).collect();
        let shown = |tool: ToolId| {
            let shows = |set: &&ToolsetId| self.resolved(**set).binary_search(&tool).is_ok();
            sets.iter().filter(shows).copied().collect::<Vec<_>>()
        };
        let beside = |(tool, others): (ToolId, BTreeSet<ToolId>)| {
            let own = if others.is_empty() { Vec::new() } else { shown(tool) };
            let both = |other: ToolId| own.iter().find(|set| self.resolved(**set).binary_search(&other).is_ok());
            let others = others.into_iter().filter(|&other| alike(other, tool));
            let others: Vec<_> = others.filter_map(|other| Some((other, *both(other)?))).collect();
            (!others.is_empty()).then_some(Beside { tool, others })
        };
        pairs.into_iter().filter_map(beside).collect()
    }
}

/// What can be reached, each toolset by a shortest way.
struct Ways {
    /// Nearest first.
    order: Vec<ToolsetId>,
    /// From where, and where that is said.
    came: BTreeMap<ToolsetId, (ToolsetId, Place)>,
}

impl Ways {
    fn from(
        catalog: &Catalog,
        starts: impl IntoIterator<Item = ToolsetId>,
        through: &dyn Fn(ToolsetId) -> bool,
    ) -> Self {
        let mut queue: VecDeque<ToolsetId> = starts.into_iter().collect();
        let mut ways = Self { order: Vec::new(), came: BTreeMap::new() };
        let mut seen: BTreeSet<ToolsetId> = queue.iter().copied().collect();
        while let Some(set) = queue.pop_front() {
            ways.order.push(set);
            for (next, place) in catalog[set].edges().filter(|_| through(set)) {
                if seen.insert(next) {
                    ways.came.insert(next, (set, place));
                    queue.push_back(next);
                }
            }
        }
        ways
    }

    fn path(&self, catalog: &Catalog, to: ToolsetId) -> Path {
        let mut path = Path { names: vec![catalog[to].name().to_owned()], steps: Vec::new() };
        let mut at = to;
        while let Some(&(from, place)) = self.came.get(&at) {
            path.steps.push((place, format!("`{}` brings `{}` along", catalog[from].name(), catalog[at].name())));
            path.names.push(catalog[from].name().to_owned());
            at = from;
        }
        path.names.reverse();
        path.steps.reverse();
        path
    }
}
