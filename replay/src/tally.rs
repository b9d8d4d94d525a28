//! What became of the calls, as numbers. A tally does not grow with the number of calls.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::record::Call;
use crate::version::{Outcome, Problem, Repair, Version};

/// The most kinds of repairs, problems and so on that are counted apart.
const MAX_KINDS: usize = 1000;
/// The longest arguments of an example, in bytes.
const MAX_EXAMPLE: usize = 300;

/// Numbers of kinds, each with the first call of it. Kinds beyond the maximum are counted together.
#[derive(Debug, Clone)]
pub(crate) struct Kinds<K> {
    pub kinds: BTreeMap<K, Kind>,
    pub others: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Kind {
    pub count: u64,
    pub first: Example,
}

/// A call, with the place at which it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Example {
    /// The index of the file, and the number of the line.
    pub place: (usize, u64),
    /// The beginning of the arguments as the model wrote them.
    pub arguments: String,
}

impl Example {
    pub(crate) fn new(place: (usize, u64), arguments: &str) -> Self {
        let end = arguments.floor_char_boundary(MAX_EXAMPLE);
        let mut cut = arguments[..end].to_owned();
        if end < arguments.len() {
            cut.push('…');
        }
        Self { place, arguments: cut }
    }
}

impl<K> Default for Kinds<K> {
    fn default() -> Self {
        Self { kinds: BTreeMap::new(), others: 0 }
    }
}

impl<K: Ord> Kinds<K> {
    fn add(&mut self, kind: K, count: u64, first: impl FnOnce() -> Example) {
        let is_full = self.kinds.len() >= MAX_KINDS;
        match self.kinds.entry(kind) {
            Entry::Occupied(mut known) => known.get_mut().count += count,
            Entry::Vacant(_) if is_full => self.others += count,
            Entry::Vacant(new) => _ = new.insert(Kind { count, first: first() }),
        }
    }

    fn merge(&mut self, other: Self) {
        self.others += other.others;
        for (kind, Kind { count, first }) in other.kinds {
            match self.kinds.get_mut(&kind) {
                Some(known) => {
                    known.count += count;
                    known.first = known.first.clone().min(first);
                }
                None => self.add(kind, count, || first),
            }
        }
    }

    /// Returns the kinds, the most frequent first.
    pub(crate) fn by_count(&self) -> Vec<(&K, &Kind)> {
        let mut all: Vec<_> = self.kinds.iter().collect();
        all.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.count));
        all
    }

    pub(crate) fn total(&self) -> u64 {
        self.others + self.kinds.values().map(|kind| kind.count).sum::<u64>()
    }
}

/// What became of all calls.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub lines: u64,
    /// The lines that are not JSON, or too long, by the reason.
    pub broken: Kinds<String>,
    pub calls: u64,
    /// Calls of tools that the new version does not have, by the name.
    pub unknown: Kinds<String>,
    /// By the name of the tool in the new version.
    pub tools: BTreeMap<String, OfTool>,
    /// What the old version accepts and the new one does not, or reads differently.
    pub breaks: Kinds<Break>,
    /// The calls that the old version refuses and the new one accepts.
    pub mended: u64,
}

#[derive(Debug, Default)]
pub(crate) struct OfTool {
    pub calls: u64,
    /// The calls whose arguments are accepted, with and without repairs.
    pub accepted: u64,
    pub repaired: u64,
    pub repairs: Kinds<Repair>,
    pub problems: Kinds<Problem>,
}

/// A way in which a call that was right is not right any more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Break {
    /// The name of the tool in the old version.
    pub tool: String,
    pub why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    NoTool,
    Refused(Problem),
    /// The handler gets other arguments. The top-level parameters that differ.
    Read(String),
    /// Another tool is called.
    OtherTool(String),
}

impl Tally {
    /// Adds a line that is not JSON.
    pub(crate) fn add_broken(&mut self, why: &str, place: (usize, u64)) {
        self.lines += 1;
        self.broken.add(why.to_owned(), 1, || Example::new(place, ""));
    }

    /// Adds a call, read by the new version and, if there is one, by the old version.
    pub(crate) fn add(&mut self, call: &Call<'_>, place: (usize, u64), new: &Version, old: Option<&Version>) {
        self.calls += 1;
        let example = || Example::new(place, &call.arguments);
        let outcome = new.read(call.tool, &call.arguments);
        match old.map(|old| old.read(call.tool, &call.arguments)) {
            Some(before @ Outcome::Accepted { .. }) => {
                if let Some(found) = difference(&before, &outcome, new) {
                    self.breaks.add(found, 1, example);
                }
            }
            Some(_) if matches!(outcome, Outcome::Accepted { .. }) => self.mended += 1,
            _ => {}
        }
        match outcome {
            Outcome::UnknownTool => self.unknown.add(call.tool.to_owned(), 1, example),
            Outcome::Accepted { tool, repairs, .. } => {
                let of_tool = self.tools.entry(tool).or_default();
                of_tool.calls += 1;
                of_tool.accepted += 1;
                of_tool.repaired += u64::from(!repairs.is_empty());
                for repair in repairs {
                    of_tool.repairs.add(repair, 1, example);
                }
            }
            Outcome::Refused { tool, problems } => {
                let of_tool = self.tools.entry(tool).or_default();
                of_tool.calls += 1;
                for problem in problems {
                    of_tool.problems.add(problem, 1, example);
                }
            }
        }
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.lines += other.lines;
        self.calls += other.calls;
        self.mended += other.mended;
        self.broken.merge(other.broken);
        self.unknown.merge(other.unknown);
        self.breaks.merge(other.breaks);
        for (tool, more) in other.tools {
            let of_tool = self.tools.entry(tool).or_default();
            of_tool.calls += more.calls;
            of_tool.accepted += more.accepted;
            of_tool.repaired += more.repaired;
            of_tool.repairs.merge(more.repairs);
            of_tool.problems.merge(more.problems);
        }
        self
    }
}

/// Returns in which way a call that the old version accepts is not the same in the new one.
fn difference(old: &Outcome, new: &Outcome, version: &Version) -> Option<Break> {
    let Outcome::Accepted { tool, arguments, .. } = old else { return None };
    let why = match new {
        Outcome::UnknownTool => Why::NoTool,
        Outcome::Refused { problems, .. } => Why::Refused(problems.first()?.clone()),
        // A tool that was renamed, with an alias left behind, gets the same call.
        Outcome::Accepted { tool: other, .. } if other != tool && version.has(tool) => Why::OtherTool(other.clone()),
        Outcome::Accepted { arguments: now, .. } if now == arguments => return None,
        Outcome::Accepted { arguments: now, .. } => {
            let keys = |value: &serde_json::Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
            let mut all: Vec<String> = keys(arguments).into_iter().chain(keys(now)).flatten().collect();
            all.sort();
            all.dedup();
            all.retain(|key| arguments.get(key) != now.get(key));
            Why::Read(all.join(", "))
        }
    };
    Some(Break { tool: tool.clone(), why })
}
