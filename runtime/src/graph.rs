//! The graph of toolsets, over indices of tools and toolsets: resolves toolsets and selections of toolsets to tools.
//!
//! The compiler uses it to list the tools of each toolset, and the runtime to grant tools, so that both agree.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::{iter, vec};

/// A toolset. The caller assigns the indices of tools and sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set {
    /// The set's own tools: its home tools (unless it is closed), and the tools that it lists.
    pub tools: Vec<usize>,
    /// The sets whose tools it also holds.
    pub includes: Vec<usize>,
    /// The base of the set.
    pub base: Option<usize>,
    /// The tools that it does not hold, even if a set that it includes holds them.
    pub excludes: Vec<usize>,
}

impl Set {
    /// Returns the sets that it includes, and its base.
    fn edges(&self) -> impl Iterator<Item = usize> {
        self.includes.iter().copied().chain(self.base)
    }
}

/// A selection: everything, or one set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// All tools.
    All,
    /// The tools of this set.
    Set(usize),
}

/// All toolsets over the tools `0..tools`.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The number of tools.
    pub tools: usize,
    /// The sets; a set's index is its position.
    pub sets: Vec<Set>,
}

/// For each tool, whether it is a member.
pub type Members = Vec<bool>;

impl Graph {
    /// Returns the tools of `set`: its own tools, and those of its base and its includes, minus its excludes. In other
    /// words, the tools that can be reached from it on a path of sets none of which excludes them. A set that is
    /// reached twice, or reaches itself, does no harm.
    pub fn resolve(&self, set: usize) -> Members {
        let mut members = vec![false; self.tools];
        let reached = self.reach(set, &[]);
        for &id in &reached {
            for &tool in self.sets[id].tools.iter().filter(|&&tool| tool < self.tools) {
                members[tool] = true;
            }
        }
        // For each tool, the sets that exclude it.
        let mut excluders: Vec<Vec<usize>> = Vec::new();
        for &id in reached.iter().filter(|&&id| !self.sets[id].excludes.is_empty()) {
            excluders.resize_with(self.tools, Vec::new);
            for &tool in self.sets[id].excludes.iter().filter(|&&tool| tool < self.tools) {
                members[tool] = false;
                excluders[tool].push(id);
            }
        }
        // Tools that the same sets exclude share one traversal.
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (tool, without) in excluders.into_iter().enumerate().filter(|(_, without)| !without.is_empty()) {
            match groups.iter_mut().find(|(other, _)| *other == without) {
                Some((_, excluded)) => excluded.push(tool),
                None => groups.push((without, vec![tool])),
            }
        }
        // A tool is still a member if a path of sets that do not exclude it leads to it.
        for (without, excluded) in groups {
            for id in self.reach(set, &without) {
                for &tool in &self.sets[id].tools {
                    // `excluded` is sorted, because the tools were added in order.
                    if excluded.binary_search(&tool).is_ok() {
                        members[tool] = true;
                    }
                }
            }
        }
        members
    }

    /// Returns the tools of `set`, as [`resolve`](Self::resolve) does, as a sorted list.
    pub fn resolve_to_list(&self, set: usize) -> Vec<usize> {
        let reached = self.reach(set, &[]);
        if reached.iter().any(|&id| !self.sets[id].excludes.is_empty()) {
            return self
                .resolve(set)
                .into_iter()
                .enumerate()
                .filter(|(_, is_member)| *is_member)
                .map(|(tool, _)| tool)
                .collect();
        }
        let tools = reached.into_iter().flat_map(|id| self.sets[id].tools.iter().copied());
        let mut tools: Vec<usize> = tools.filter(|&tool| tool < self.tools).collect();
        tools.sort_unstable();
        tools.dedup();
        tools
    }

    /// Returns the sets that can be reached from `set`, itself included, on paths that avoid `without`.
    fn reach(&self, set: usize, without: &[usize]) -> Vec<usize> {
        let mut visited = vec![false; self.sets.len()];
        // A set that counts as visited is not entered.
        for &id in without {
            visited[id] = true;
        }
        let (mut open, mut reached) = (vec![set], Vec::new());
        while let Some(id) = open.pop() {
            let Some(set) = self.sets.get(id) else { continue };
            if !std::mem::replace(&mut visited[id], true) {
                reached.push(id);
                open.extend(set.edges());
            }
        }
        reached
    }

    /// Returns a shortest path by which `set` holds `tool`: sets, the first of which is `set`, and the last of which
    /// has the tool itself. Among several shortest paths, it is the one whose sets come first in `includes`; a base comes after
    /// them. `None` if `set` does not hold the tool.
    ///
    /// ```
    /// use toolc::__gen::graph::{Graph, Set};
    ///
    /// let file = Set { tools: vec![0], ..Set::default() };
    /// let cli = Set { includes: vec![0], ..Set::default() };
    /// let graph = Graph { tools: 1, sets: vec![file, cli] };
    /// assert_eq!(graph.path(1, 0), Some(vec![1, 0]));
    /// ```
    pub fn path(&self, set: usize, tool: usize) -> Option<Vec<usize>> {
        self.shortest_path(set, tool, |set| !set.excludes.contains(&tool))
    }

    /// Returns why `set` does not hold `tool` although it reaches a set that has it: a shortest such path, and the
    /// first set on it that excludes the tool. `None` if it reaches no such set, or holds the tool.
    pub fn exclusion(&self, set: usize, tool: usize) -> Option<(Vec<usize>, usize)> {
        if self.path(set, tool).is_some() {
            return None;
        }
        let path = self.shortest_path(set, tool, |_| true)?;
        let by = path.iter().copied().find(|&id| self.sets[id].excludes.contains(&tool))?;
        Some((path, by))
    }

    /// Returns a shortest path from `set` to a set that has `tool` itself, over sets for which `is_allowed` returns true.
    fn shortest_path(&self, set: usize, tool: usize, is_allowed: impl Fn(&Set) -> bool) -> Option<Vec<usize>> {
        // Each set that was reached, with the set before it on its path.
        let mut from: BTreeMap<usize, Option<usize>> = BTreeMap::from([(set, None)]);
        let mut queue = VecDeque::from([set]);
        while let Some(id) = queue.pop_front() {
            let Some(set) = self.sets.get(id).filter(|set| is_allowed(set)) else { continue };
            if set.tools.contains(&tool) {
                let mut path: Vec<usize> = iter::successors(Some(id), |id| from[id]).collect();
                path.reverse();
                return Some(path);
            }
            for next in set.edges() {
                if let Entry::Vacant(entry) = from.entry(next) {
                    entry.insert(Some(id));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Returns the tools of these enabled and disabled selections. Nothing enabled means everything. Disabling wins.
    ///
    /// Disabling a set keeps the tools of its base: without `telegram` (base `core`), the Telegram tools are gone, and
    /// the core remains.
    pub fn select(&self, enabled: &[Pick], disabled: &[Pick]) -> Members {
        let enabled = if enabled.is_empty() { &[Pick::All] } else { enabled };
        let mut members = vec![false; self.tools];
        for &pick in enabled {
            match pick {
                Pick::All => members.fill(true),
                Pick::Set(set) => {
                    for (member, is_in_set) in members.iter_mut().zip(self.resolve(set)) {
                        *member |= is_in_set;
                    }
                }
            }
        }
        self.deny(&mut members, disabled);
        members
    }

    /// Removes from `members` the tools of these disabled selections.
    pub(crate) fn deny(&self, members: &mut Members, disabled: &[Pick]) {
        for &pick in disabled {
            let Pick::Set(set) = pick else {
                members.fill(false);
                continue;
            };
            let kept = self.sets.get(set).and_then(|set| set.base).map(|base| self.resolve(base));
            for (tool, denied) in self.resolve(set).into_iter().enumerate() {
                let keep = kept.as_ref().is_some_and(|kept| kept[tool]);
                members[tool] &= !denied || keep;
            }
        }
    }
}

/// The requirements of tools on other tools. Tools and requirements are identified by their index.
pub trait ToolRequirements {
    /// Returns the number of requirements.
    fn count(&self) -> usize;

    /// Returns how many tools must be removed until a requirement is unmet, among the present tools that it names. Returns 0 if it
    /// is already unmet, and `None` if it is not about tools.
    fn slack(&self, requirement: usize, present: &[bool]) -> Option<usize>;

    /// Returns the tools that have a requirement.
    fn required_by(&self, requirement: usize) -> impl Iterator<Item = usize>;

    /// Returns the requirements that name a tool.
    fn naming(&self, tool: usize) -> impl Iterator<Item = usize>;
}

/// Removes the tools whose required tools are missing, then those that required them, until every requirement of a tool
/// that is left is met. `unmet` describes a requirement, given the tools present when it became unmet; `removed` receives
/// each removed tool with that description.
pub fn remove_unmet<R: ToolRequirements, D>(
    requirements: &R,
    present: &mut Members,
    mut unmet: impl FnMut(usize, &[bool]) -> D,
    mut removed: impl FnMut(usize, &D),
) {
    let slack = |requirement| requirements.slack(requirement, present);
    let mut slack: Vec<Option<usize>> = (0..requirements.count()).map(slack).collect();
    let mut pending: Vec<usize> = (0..slack.len()).filter(|&requirement| slack[requirement] == Some(0)).collect();
    while !pending.is_empty() {
        // Described before the removal, so that tools that are removed in the same round are not given as a reason.
        let described: Vec<D> = pending.iter().map(|&requirement| unmet(requirement, present)).collect();
        let mut removed_tools = Vec::new();
        for (requirement, description) in std::mem::take(&mut pending).into_iter().zip(described) {
            for tool in requirements.required_by(requirement) {
                if std::mem::replace(&mut present[tool], false) {
                    removed(tool, &description);
                    removed_tools.push(tool);
                }
            }
        }
        for requirement in removed_tools.iter().flat_map(|&tool| requirements.naming(tool)) {
            if let Some(left) = &mut slack[requirement]
                && *left > 0
            {
                *left -= 1;
                if *left == 0 {
                    pending.push(requirement);
                }
            }
        }
    }
}

/// A node on the path of a depth-first search, with the edges to follow next, and the edge that is being followed.
struct Step<E> {
    node: usize,
    edges: vec::IntoIter<(usize, E)>,
    taken: Option<E>,
}

/// What a depth-first search knows about a node.
#[derive(Clone, Copy)]
enum Visit {
    New,
    /// The node is on the path, at this position.
    OnPath(usize),
    /// All edges of the node have been followed.
    Done,
}

/// Returns cycles of a directed graph, enough of them that removing the last edge of each one leaves no cycle. A cycle lists
/// its nodes, each with the edge to the next node; the last edge leads back to the first node. The depth-first search does
/// not recurse, because paths can be long.
pub fn cycles<E: Copy>(
    nodes: impl IntoIterator<Item = usize>,
    mut edges: impl FnMut(usize) -> Vec<(usize, E)>,
) -> Vec<Vec<(usize, E)>> {
    let mut visits: Vec<Visit> = Vec::new();
    let mut cycles = Vec::new();
    for root in nodes {
        let (mut path, mut next) = (Vec::<Step<E>>::new(), Some(root));
        loop {
            if let Some(node) = next.take() {
                if visits.len() <= node {
                    visits.resize(node + 1, Visit::New);
                }
                match visits[node] {
                    Visit::New => {
                        visits[node] = Visit::OnPath(path.len());
                        path.push(Step { node, edges: edges(node).into_iter(), taken: None });
                    }
                    Visit::OnPath(start) => {
                        cycles.push(path[start..].iter().filter_map(|step| Some((step.node, step.taken?))).collect());
                    }
                    Visit::Done => {}
                }
            }
            let Some(step) = path.last_mut() else { break };
            if let Some((target, edge)) = step.edges.next() {
                step.taken = Some(edge);
                next = Some(target);
            } else {
                visits[step.node] = Visit::Done;
                path.pop();
            }
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORE: usize = 0;
    const WEB: usize = 1;
    const CHAT: usize = 2;
    const LOOP: usize = 3;

    fn set(tools: &[usize], includes: &[usize], base: Option<usize>) -> Set {
        Set { tools: tools.to_vec(), includes: includes.to_vec(), base, excludes: Vec::new() }
    }

    fn without(excludes: &[usize], set: Set) -> Set {
        Set { excludes: excludes.to_vec(), ..set }
    }

    fn graph() -> Graph {
        Graph {
            tools: 5,
            sets: vec![
                set(&[0, 1], &[], None),
                set(&[1, 2], &[], None),
                set(&[3], &[WEB], Some(CORE)),
                set(&[4], &[LOOP, CORE, CORE], None),
            ],
        }
    }

    fn ids(members: &Members) -> Vec<usize> {
        (0..members.len()).filter(|&tool| members[tool]).collect()
    }

    #[test]
    fn a_set_contains_its_base_and_its_includes_once() {
        assert_eq!(ids(&graph().resolve(CHAT)), [0, 1, 2, 3]);
        assert_eq!(ids(&graph().resolve(LOOP)), [0, 1, 4]);
        assert_eq!(ids(&graph().resolve(99)), [] as [usize; 0]);
    }

    #[test]
    fn nothing_enabled_is_everything_and_disabling_wins() {
        let graph = graph();
        assert_eq!(ids(&graph.select(&[], &[])), [0, 1, 2, 3, 4]);
        assert_eq!(ids(&graph.select(&[Pick::Set(CORE), Pick::Set(WEB)], &[Pick::Set(WEB)])), [0]);
        assert_eq!(ids(&graph.select(&[], &[Pick::All])), [] as [usize; 0]);
    }

    #[test]
    fn disabling_a_set_keeps_its_base() {
        assert_eq!(ids(&graph().select(&[], &[Pick::Set(CHAT)])), [0, 1, 4]);
    }

    #[test]
    fn excludes_only_affect_paths_through_their_own_set() {
        let resolve = |sets: Vec<Set>| ids(&Graph { tools: 5, sets }.resolve(0));
        let leaf = || set(&[0, 1, 2], &[], None);
        // Excludes apply to the set's own tools, to its includes and to its base, directly and indirectly.
        assert_eq!(resolve(vec![without(&[3, 1, 77], set(&[3, 4], &[1], None)), leaf()]), [0, 2, 4]);
        assert_eq!(resolve(vec![without(&[1], set(&[], &[], Some(1))), leaf()]), [0, 2]);
        let middle = || without(&[1], set(&[3], &[2], None));
        assert_eq!(resolve(vec![without(&[0], set(&[], &[1], None)), middle(), leaf()]), [2, 3]);
        assert_eq!(resolve(vec![set(&[1], &[1], None), middle(), leaf()]), [0, 1, 2, 3]);
        assert_eq!(resolve(vec![set(&[], &[], Some(1)), middle(), leaf()]), [0, 2, 3]);
        // A diamond: one path excludes the tool, the other does not.
        assert_eq!(
            resolve(vec![set(&[], &[1, 2], None), without(&[0], set(&[], &[3], None)), leaf(), leaf()]),
            [0, 1, 2]
        );
        let both = || set(&[], &[3], None);
        assert_eq!(
            resolve(vec![set(&[], &[1, 2], None), without(&[0, 1], both()), without(&[1], both()), leaf()]),
            [0, 2]
        );
    }

    #[test]
    fn the_first_shortest_path_is_returned() {
        let sets = vec![
            set(&[], &[1, 2, 3], None),
            set(&[], &[3], None),
            set(&[0], &[], None),
            set(&[0, 1], &[0], Some(4)),
            without(&[0], set(&[2], &[], None)),
        ];
        let graph = Graph { tools: 4, sets };
        assert_eq!(graph.path(0, 0), Some(vec![0, 2]));
        assert_eq!(graph.path(0, 1), Some(vec![0, 3]));
        assert_eq!(graph.path(1, 2), Some(vec![1, 3, 4]));
        assert_eq!([graph.path(2, 1), graph.path(0, 3), graph.path(9, 0), graph.path(0, 9)], [const { None }; 4]);
    }

    #[test]
    fn a_path_avoids_sets_that_exclude_the_tool() {
        let leaf = || set(&[0, 1], &[], None);
        let sets = vec![
            set(&[], &[1, 2], None),
            without(&[0], set(&[], &[4], None)),
            set(&[], &[3], None),
            set(&[], &[4], None),
            leaf(),
            without(&[1], set(&[], &[1], None)),
        ];
        let graph = Graph { tools: 2, sets };
        assert_eq!(graph.path(0, 0), Some(vec![0, 2, 3, 4]));
        assert_eq!((graph.path(1, 0), graph.exclusion(1, 0)), (None, Some((vec![1, 4], 1))));
        assert_eq!(graph.exclusion(5, 0), Some((vec![5, 1, 4], 1)));
        assert_eq!(graph.exclusion(5, 1), Some((vec![5, 1, 4], 5)));
        assert_eq!([graph.exclusion(0, 0), graph.exclusion(4, 0), graph.exclusion(4, 7)], [const { None }; 3]);
    }

    /// Checks all graphs of three sets without bases and one tool: a path exists if and only if the set contains the tool. The
    /// bits of `code` describe a graph: which sets have the tool (0 to 2), which include which (3 to 11), and which exclude it.
    #[test]
    fn a_path_exists_to_each_tool_that_a_set_resolves_to() {
        let mut paths = 0;
        for code in 0..1 << 15_u32 {
            let bit = |at: u32| code >> at & 1 == 1;
            let sets: Vec<Set> = (0..3_u32)
                .map(|id| Set {
                    tools: Vec::from_iter(bit(id).then_some(0)),
                    includes: (0..3).filter(|&other| bit(3 + id * 3 + other)).map(|other| other as usize).collect(),
                    base: None,
                    excludes: Vec::from_iter(bit(12 + id).then_some(0)),
                })
                .collect();
            let graph = Graph { tools: 1, sets };
            for set in 0..3 {
                let (path, contains) = (graph.path(set, 0), graph.resolve(set)[0]);
                assert_eq!(path.is_some(), contains, "{graph:?} {set}");
                assert!(!contains || graph.exclusion(set, 0).is_none());
                paths += usize::from(contains);
            }
        }
        assert!(paths > 10_000, "{paths}");
    }

    #[test]
    fn a_cycle_of_sets_with_excludes_terminates() {
        let cycle = Graph {
            tools: 3,
            sets: vec![
                without(&[1], set(&[0, 1], &[1], None)),
                without(&[0], set(&[1], &[2], None)),
                set(&[2], &[], Some(0)),
            ],
        };
        assert_eq!(ids(&cycle.resolve(0)), [0, 2]);
        assert_eq!(ids(&cycle.resolve(1)), [1, 2]);
        assert_eq!(ids(&cycle.resolve(2)), [0, 2]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let last = 200_000;
        let link = |id: usize| without(if id == 5 { &[0] } else { &[] }, set(&[], &[id + 1], None));
        let sets = (0..last).map(link).chain([set(&[0, 1], &[], None)]).collect();
        let chain = Graph { tools: 2, sets };
        assert_eq!(ids(&chain.resolve(0)), [1]);
        assert_eq!(ids(&chain.resolve(6)), [0, 1]);
    }

    #[test]
    fn disabling_a_set_only_removes_tools_that_it_contains() {
        let sets =
            vec![set(&[0, 1], &[], None), without(&[1], set(&[2], &[0], None)), without(&[0], set(&[2], &[], Some(0)))];
        let graph = Graph { tools: 3, sets };
        assert_eq!(ids(&graph.select(&[], &[Pick::Set(1)])), [1]);
        // All tools of its base stay, including those that it excludes.
        assert_eq!(ids(&graph.select(&[], &[Pick::Set(2)])), [0, 1]);
        assert_eq!(ids(&graph.select(&[Pick::Set(2), Pick::Set(0)], &[])), [0, 1, 2]);
    }

    #[test]
    fn cycles_are_found_with_the_edges_that_close_them() {
        let edges = |node: usize| match node {
            0 => vec![(1, 'a'), (2, 'b')],
            1 => vec![(2, 'c'), (1, 'd')],
            2 => vec![(0, 'e')],
            _ => vec![(0, 'f')],
        };
        assert_eq!(cycles(0..4, edges), [vec![(0, 'a'), (1, 'c'), (2, 'e')], vec![(1, 'd')]]);
        let chain = |node: usize| if node < 10_000 { vec![(node + 1, ())] } else { Vec::new() };
        assert!(cycles(0..10_000, chain).is_empty());
    }

    /// Tool 1 requires 0, tool 2 requires 1, tool 3 requires 0 or 4.
    struct Chain;

    impl ToolRequirements for Chain {
        fn count(&self) -> usize {
            3
        }

        fn slack(&self, requirement: usize, present: &[bool]) -> Option<usize> {
            Some(match requirement {
                2 => usize::from(present[0]) + usize::from(present[4]),
                requirement => usize::from(present[requirement]),
            })
        }

        fn required_by(&self, requirement: usize) -> impl Iterator<Item = usize> {
            [requirement + 1].into_iter()
        }

        fn naming(&self, tool: usize) -> impl Iterator<Item = usize> {
            [&[0, 2][..], &[1], &[], &[], &[2]][tool].iter().copied()
        }
    }

    #[test]
    fn tools_whose_requirements_are_unmet_are_removed_until_none_is_left() {
        let mut order = Vec::new();
        let mut present = vec![false, true, true, true, true];
        remove_unmet(&Chain, &mut present, |requirement, _| requirement, |tool, unmet| order.push((tool, *unmet)));
        assert_eq!((ids(&present), order), (vec![3, 4], vec![(1, 0), (2, 1)]));
        present[4] = false;
        remove_unmet(&Chain, &mut present, |_, _| (), |_, ()| {});
        assert_eq!(ids(&present), [] as [usize; 0]);
    }
}
