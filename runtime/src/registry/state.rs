//! A state of a registry: its providers' tools under unique names, their toolsets as one graph. Made when it is first asked
//! for after a change, and never changed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::behaviour::{Behaviour, Execution};
use crate::graph::{Graph, Set};
use crate::registry::book::Book;
use crate::registry::facts::Asked;
use crate::registry::gates::Gates;
use crate::registry::sheet::{Line, Sheet, sheets};
use crate::segment::FactValue;
use crate::table::Table;
use crate::{Dialect, Provider, ProviderId, Text, Tool, Toolset};

/// An immutable state of a registry. Tools are sorted by name, so that a list of their positions is too.
#[derive(Default)]
pub(crate) struct State {
    /// How many changes came before it.
    pub(super) number: u64,
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

    /// What the providers in `book` come to. Names are resolved here, once; after it, all is indices.
    pub(super) fn new(book: &Book) -> State {
        let ids: Vec<ProviderId> = book.providers.keys().copied().collect();
        let providers: Vec<Arc<dyn Provider>> =
            book.providers.values().map(|held| Arc::clone(&held.provider)).collect();
        let entry = |(name, id, index): (&Text, ProviderId, usize)| {
            let provider = ids.binary_search(&id).ok()?;
            let tool = &providers[provider].tools()[index];
            let (way, table) = (Way::of(tool), Arc::clone(&tool.arguments));
            Some(Entry { name: name.clone(), provider, index, atoms: Vec::new(), way, table })
        };
        let tools: Vec<Entry> = book.tools().filter_map(entry).collect();
        let starts = tools.iter().map(|tool| start(&tool.name)).collect();
        let facts = book.facts().map(|(name, default)| (name.clone(), default.clone())).collect();
        let number = book.number;
        let mut next = State { number, providers: providers.clone(), tools, starts, facts, ..State::default() };

        let homes: HashMap<&str, &Text> =
            (0..next.tools.len()).map(|id| &next.tool(id).toolset).map(|home| (&**home, home)).collect();
        let described: BTreeMap<&str, &Toolset> =
            book.toolsets(&|name| homes.contains_key(name)).map(|toolset| (&*toolset.name, toolset)).collect();
        // A home toolset exists even where no provider describes it.
        let mut names: Vec<&Text> =
            described.values().map(|toolset| &toolset.name).chain(homes.into_values()).collect();
        names.sort_unstable();
        names.dedup();
        let positions: HashMap<&str, usize> = names.iter().enumerate().map(|(id, name)| (&***name, id)).collect();
        let toolsets = names.iter().enumerate().map(|(id, name)| (Text::clone(name), id)).collect();
        let aliases = described.values().flat_map(|toolset| {
            let id = positions[&*toolset.name];
            toolset.aliases.iter().map(move |alias| (alias.clone(), id))
        });
        let aliases = aliases.collect();

        let tool_ids = |names: &[Text]| names.iter().filter_map(|name| next.find(name)).collect();
        let empty = |_: &&Text| Set::default();
        let mut sets: Vec<Set> = names.iter().map(empty).collect();
        let set_id = |name: &Text, aliases: &BTreeMap<Text, usize>| {
            positions.get(&**name).or_else(|| aliases.get(name)).copied()
        };
        for (name, toolset) in &described {
            sets[positions[name]] = Set {
                tools: tool_ids(&toolset.tools),
                includes: toolset.includes.iter().filter_map(|name| set_id(name, &aliases)).collect(),
                base: toolset.base.as_ref().and_then(|name| set_id(name, &aliases)),
                excludes: tool_ids(&toolset.excludes),
            };
        }
        for id in 0..next.tools.len() {
            let home = &*next.tool(id).toolset;
            if !described.get(home).is_some_and(|home| home.closed) {
                sets[positions[home]].tools.push(id);
            }
        }
        let asked = |id| next.tool(id).atoms.iter().map(|atom| Asked::new(atom, |name| next.find(name))).collect();
        let atoms: Vec<Vec<Asked>> = (0..next.tools.len()).map(asked).collect();
        next.tools.iter_mut().zip(atoms).for_each(|(entry, atoms)| entry.atoms = atoms);
        (next.toolsets, next.aliases) = (toolsets, aliases);
        next.graph = Graph { tools: next.tools.len(), sets };
        let declared: Vec<(usize, &Toolset)> =
            providers.iter().enumerate().flat_map(|(id, p)| p.toolsets().iter().map(move |t| (id, t))).collect();
        next.gates = Gates::new(&next, &declared);
        next.sheets = sheets((0..next.tools.len()).map(|id| next.tool(id)));
        next
    }
}
