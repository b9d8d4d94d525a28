//! The registry: the providers of one process, their tools under unique names, their toolsets as one graph.

pub(crate) mod availability;
pub(crate) mod checks;
pub(crate) mod decide;
pub(crate) mod env;
pub(crate) mod facts;
pub(crate) mod gates;
pub mod graph;
pub(crate) mod provider;
pub(crate) mod session;
pub(crate) mod sheet;
pub(crate) mod turn;
pub mod why;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::behaviour::{Behaviour, Execution};
use crate::graph::{Graph, Set};
use crate::registry::checks::{Checks, Subject};
use crate::registry::facts::Asked;
use crate::registry::gates::Gates;
use crate::registry::sheet::{Line, Sheet, sheets};
use crate::segment::FactValue;
use crate::table::Table;
use crate::{Dialect, Provider, SessionBuilder, SessionError, Text, Tool, Toolset};

/// The providers of one process. Cheap to clone: clones are the same registry.
///
/// Providers may be added at any time and from any thread; a turn keeps the state that it was made from.
#[derive(Clone, Default)]
pub struct Registry {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: RwLock<Arc<State>>,
    /// The state's own number, to be looked at without a lock.
    number: AtomicU64,
    /// What handlers say of their tools.
    checks: Arc<Checks>,
}

impl Registry {
    /// A registry without providers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a provider: all of its tools, or none of them.
    ///
    /// # Errors
    /// When a name is taken: a tool's by any other tool, be it that one's name in the same dialect; a toolset's or a
    /// fact's by one with another content; an alias by any other toolset; or a tool's or toolset's by toolc itself.
    pub fn add(&self, provider: Box<dyn Provider>) -> Result<(), Collision> {
        let mut state = self.shared.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = Arc::new(state.with(provider.into())?);
        self.shared.number.store(state.number, Ordering::Release);
        Ok(())
    }

    /// Forgets what the environment and the handlers said of the tools, for all sessions: each looks and asks again for its
    /// next turn, and takes no failure for a flake. For a host that has just changed what tools require.
    pub fn invalidate_all(&self) {
        self.shared.checks.forget(|_, _| true);
    }

    /// The same for one tool, with what its toolset has to pass, or for one toolset, with all of its home tools.
    ///
    /// # Errors
    /// When there is no tool and no toolset of this name.
    pub fn invalidate(&self, name: &str) -> Result<(), SessionError> {
        let state = self.state();
        let toolset = state.toolset(name).and_then(|id| state.toolsets.iter().find(|(_, other)| **other == id));
        let tool = state.find(name).map(|id| state.tool(id));
        if tool.is_none() && toolset.is_none() {
            let known = state.tools.iter().map(|tool| &*tool.name).chain(state.toolsets.keys().map(|name| &**name));
            return Err(SessionError::unknown("tool or toolset", name, known));
        }
        self.shared.checks.forget(|provider, subject| match subject {
            Subject::Toolset(asked) => {
                toolset.is_some_and(|(name, _)| name == asked) || tool.is_some_and(|tool| tool.toolset == *asked)
            }
            Subject::Tool(index) => provider.tools().get(*index).is_some_and(|asked| {
                asked.name == name || toolset.is_some_and(|(toolset, _)| asked.toolset == *toolset)
            }),
        });
        Ok(())
    }

    /// Begins a conversation.
    pub fn session(&self) -> SessionBuilder {
        SessionBuilder::new(self.clone())
    }

    pub(crate) fn checks(&self) -> &Arc<Checks> {
        &self.shared.checks
    }

    pub(crate) fn state(&self) -> Arc<State> {
        self.shared.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether this is still its state.
    pub(crate) fn is_at(&self, state: &State) -> bool {
        self.shared.number.load(Ordering::Acquire) == state.number
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Registry")
            .field("tools", &state.tools.iter().map(|t| &t.name).collect::<Vec<_>>())
            .field("toolsets", &state.toolsets.keys().collect::<Vec<_>>())
            .finish()
    }
}

/// A provider was refused, because names that it brings are taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Collision {
    tools: Vec<Text>,
    toolsets: Vec<Text>,
    aliases: Vec<Text>,
    facts: Vec<Text>,
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lead = "provider refused: ";
        for (what, names) in [
            ("tool name", &self.tools),
            ("toolset name", &self.toolsets),
            ("toolset alias", &self.aliases),
            ("fact name", &self.facts),
        ] {
            for name in names {
                write!(f, "{lead}the {what} `{name}` is taken")?;
                lead = ", ";
            }
        }
        Ok(())
    }
}

impl std::error::Error for Collision {}

/// Names of tools that toolc itself answers for.
const RESERVED_TOOLS: [&str; 3] = ["tool_call", "tool_describe", "tool_search"];
/// Names of toolsets that stand for every tool.
pub(crate) const EVERYTHING: [&str; 2] = ["all", "*"];

/// An immutable state of a registry. Tools are sorted by name, so that a list of their positions is too.
#[derive(Default)]
pub(crate) struct State {
    /// How many came before it.
    number: u64,
    pub(crate) providers: Vec<Arc<dyn Provider>>,
    pub(crate) tools: Vec<Entry>,
    /// How their names start, which is most often all that has to be compared.
    starts: Vec<u64>,
    pub(crate) toolsets: BTreeMap<Text, usize>,
    /// Further names of toolsets.
    aliases: BTreeMap<Text, usize>,
    /// Facts and their defaults.
    pub(crate) facts: BTreeMap<Text, FactValue>,
    pub(crate) graph: Graph,
    pub(crate) gates: Gates,
    sheets: BTreeMap<Dialect, Sheet>,
}

/// Where a tool is to be found.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Text,
    pub(crate) provider: usize,
    pub(crate) index: usize,
    /// What its conditions ask.
    pub(crate) atoms: Vec<Asked>,
    pub(crate) way: Way,
    /// What its arguments are read against.
    pub(crate) table: Arc<Table>,
}

/// The way that a tool's calls take: what is asked of its behaviour at each of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// Whether the agent's own loop runs it.
    pub(crate) is_agents: bool,
    /// Whether somebody has to approve each call.
    pub(crate) is_asked: bool,
    /// Characters of a result that the model gets. None: the host's limit.
    pub(crate) most: Option<u32>,
}

impl Way {
    fn of(tool: &Tool) -> Self {
        let Behaviour { execution, approval, max_result_chars, .. } = &tool.behaviour;
        Self { is_agents: *execution == Execution::Agent, is_asked: approval.always, most: *max_result_chars }
    }
}

/// How a name starts, as a number that sorts as names do.
fn start(name: &str) -> u64 {
    let name = name.as_bytes();
    match name.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => name.iter().fold(0, |start, byte| start << 8 | u64::from(*byte)) << (64 - 8 * name.len()).min(63),
    }
}

impl State {
    pub(crate) fn tool(&self, id: usize) -> &Tool {
        let entry = &self.tools[id];
        &self.providers[entry.provider].tools()[entry.index]
    }

    pub(crate) fn provider(&self, id: usize) -> (&dyn Provider, usize) {
        let entry = &self.tools[id];
        (&*self.providers[entry.provider], entry.index)
    }

    /// How `dialect` defines the tools. Shorter than the list of tools where it defines none.
    pub(crate) fn sheet(&self, dialect: Dialect) -> &[Line] {
        self.sheets.get(&dialect).map_or(&[], Vec::as_slice)
    }

    /// The position of the tool of this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let start = start(name);
        let first = self.starts.partition_point(|other| *other < start);
        if self.tools.get(first).is_some_and(|tool| tool.name == name) {
            return Some(first);
        }
        let alike = self.starts[first..].iter().take_while(|other| **other == start).count();
        let among = &self.tools[first..first + alike];
        Some(first + among.binary_search_by(|entry| (*entry.name).cmp(name)).ok()?)
    }

    /// The toolset of this name or alias.
    pub(crate) fn toolset(&self, name: &str) -> Option<usize> {
        self.toolsets.get(name).or_else(|| self.aliases.get(name)).copied()
    }

    /// This state and one provider more. Names are resolved here, once; after it, all is indices.
    fn with(&self, provider: Arc<dyn Provider>) -> Result<State, Collision> {
        let mut next = State {
            number: self.number + 1,
            providers: self.providers.iter().cloned().chain([provider]).collect(),
            tools: self.tools.clone(),
            ..State::default()
        };
        let added = next.providers.len() - 1;
        for (index, tool) in next.providers[added].tools().iter().enumerate() {
            let (name, way, table) = (tool.name.clone(), Way::of(tool), Arc::clone(&tool.arguments));
            next.tools.push(Entry { name, provider: added, index, atoms: Vec::new(), way, table });
        }
        next.tools.sort_by(|a, b| a.name.cmp(&b.name));
        next.starts = next.tools.iter().map(|tool| start(&tool.name)).collect();

        let providers = next.providers.clone();
        let declared: Vec<(usize, &Toolset)> =
            providers.iter().enumerate().flat_map(|(id, p)| p.toolsets().iter().map(move |t| (id, t))).collect();
        let toolsets: BTreeMap<&str, &Toolset> = declared.iter().rev().map(|&(_, t)| (&*t.name, t)).collect();
        for fact in providers.iter().flat_map(|p| p.facts()) {
            next.facts.entry(fact.name.clone()).or_insert_with(|| fact.default.clone());
        }
        // A home toolset exists even where no provider describes it.
        let homes = (0..next.tools.len()).map(|id| &next.tool(id).toolset);
        let names: Vec<Text> = toolsets.values().map(|t| &t.name).chain(homes).cloned().collect();
        next.toolsets = names.into_iter().map(|name| (name, 0)).collect();
        next.toolsets.values_mut().enumerate().for_each(|(position, id)| *id = position);
        for toolset in toolsets.values() {
            let aliases = toolset.aliases.iter().map(|alias| (alias.clone(), next.toolsets[&toolset.name]));
            next.aliases.extend(aliases);
        }
        next.check(&toolsets, &declared)?;

        let ids = |names: &[Text]| names.iter().filter_map(|name| next.find(name)).collect();
        let mut sets: Vec<Set> = (next.toolsets.keys())
            .map(|name| match toolsets.get(&**name) {
                Some(toolset) => Set {
                    tools: ids(&toolset.tools),
                    includes: toolset.includes.iter().filter_map(|name| next.toolset(name)).collect(),
                    base: toolset.base.as_ref().and_then(|name| next.toolset(name)),
                    excludes: ids(&toolset.excludes),
                },
                None => Set::default(),
            })
            .collect();
        for id in 0..next.tools.len() {
            let home = &next.tool(id).toolset;
            if !toolsets.get(&**home).is_some_and(|home| home.closed) {
                sets[next.toolsets[home]].tools.push(id);
            }
        }
        next.graph = Graph { tools: next.tools.len(), sets };
        let asked = |id| next.tool(id).atoms.iter().map(|atom| Asked::new(atom, |name| next.find(name))).collect();
        let atoms: Vec<Vec<Asked>> = (0..next.tools.len()).map(asked).collect();
        next.tools.iter_mut().zip(atoms).for_each(|(entry, atoms)| entry.atoms = atoms);
        next.gates = Gates::new(&next, &declared);
        next.sheets = sheets((0..next.tools.len()).map(|id| next.tool(id)));
        Ok(next)
    }

    /// Whether every name means one thing only.
    fn check(&self, toolsets: &BTreeMap<&str, &Toolset>, declared: &[(usize, &Toolset)]) -> Result<(), Collision> {
        let mut taken = Collision::default();
        let doubles = self.tools.windows(2).filter(|pair| pair[0].name == pair[1].name).map(|pair| &pair[0].name);
        let reserved = self.tools.iter().map(|tool| &tool.name).filter(|name| RESERVED_TOOLS.contains(&&***name));
        taken.tools.extend(doubles.chain(reserved).cloned());
        let mut in_dialects: BTreeSet<(Dialect, &str)> = BTreeSet::new();
        for id in 0..self.tools.len() {
            let tool = self.tool(id);
            for definition in &*tool.definitions {
                let Some(name) = definition.name.as_ref().filter(|name| **name != tool.name) else { continue };
                let is_free = in_dialects.insert((definition.dialect, name));
                if !is_free || self.find(name).is_some() || RESERVED_TOOLS.contains(&&**name) {
                    taken.tools.push(name.clone());
                }
            }
        }
        for (_, toolset) in declared {
            if EVERYTHING.contains(&&*toolset.name) || toolsets[&*toolset.name] != *toolset {
                taken.toolsets.push(toolset.name.clone());
            }
        }
        for toolset in toolsets.values() {
            for alias in toolset.aliases.iter().filter(|alias| **alias != toolset.name) {
                let is_name = EVERYTHING.contains(&&**alias) || self.toolsets.contains_key(alias);
                if is_name || self.aliases[alias] != self.toolsets[&toolset.name] {
                    taken.aliases.push(alias.clone());
                }
            }
        }
        let facts = self.providers.iter().flat_map(|p| p.facts());
        taken.facts.extend(facts.filter(|fact| self.facts[&fact.name] != fact.default).map(|fact| fact.name.clone()));
        if taken == Collision::default() { Ok(()) } else { Err(taken) }
    }
}

#[cfg(test)]
mod tests;
