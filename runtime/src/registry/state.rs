//! A state of a registry: its providers' tools under unique names, their toolsets as one graph. Made when it is first asked
//! for after a change, and never changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::args::same;
use crate::behaviour::{Behaviour, Execution};
use crate::graph::{Graph, Set};
use crate::registry::book::Book;
use crate::registry::facts::Asked;
use crate::registry::gates::Gates;
use crate::registry::places::Places;
use crate::registry::sheet::{Line, Sheet};
use crate::segment::FactValue;
use crate::table::Table;
use crate::{Definition, Dialect, PerDialect, Provider, ProviderId, Text, Tool, Toolset};

/// An immutable state of a registry. Tools are sorted by name, so that a list of their positions is too.
#[derive(Default)]
pub(crate) struct State {
    /// How many changes came before it.
    pub(super) number: u64,
    pub(crate) providers: Vec<Arc<dyn Provider>>,
    pub(crate) tools: Vec<Entry>,
    /// By their names.
    places: Places,
    pub(crate) toolsets: BTreeMap<Text, usize>,
    /// Further names of toolsets.
    aliases: BTreeMap<Text, usize>,
    /// Facts and their defaults.
    pub(crate) facts: BTreeMap<Text, FactValue>,
    pub(crate) graph: Graph,
    pub(crate) gates: Gates,
    sheets: PerDialect<Sheet>,
    #[cfg(feature = "search")]
    indexed: Vec<Arc<crate::search::Indexed>>,
    /// Made when somebody first searches.
    #[cfg(feature = "search")]
    searched: std::sync::OnceLock<crate::search::Searched>,
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
    /// Whether tool search may stand for it.
    #[cfg(feature = "search")]
    pub(crate) is_deferrable: bool,
}

impl Way {
    fn of(tool: &Tool) -> Self {
        let Behaviour { execution, approval, max_result_chars, .. } = &tool.behaviour;
        Self {
            is_agents: *execution == Execution::Agent,
            is_asked: approval.always,
            most: *max_result_chars,
            #[cfg(feature = "search")]
            is_deferrable: tool.behaviour.defer,
        }
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

    /// How `dialect` defines the tools. Their providers are asked the first time.
    pub(crate) fn sheet(&self, dialect: Dialect) -> &[Line] {
        self.sheets.get_or_init(dialect, || {
            let ids = 0..self.tools.len();
            ids.map(|id| Line::new(dialect, self.tool(id), self.definition(id, dialect))).collect()
        })
    }

    /// How `dialect` defines the tool at a position.
    pub(crate) fn definition(&self, id: usize, dialect: Dialect) -> Option<&Definition> {
        let (provider, index) = self.provider(id);
        provider.definitions(dialect).get(index)?.as_ref()
    }

    /// What its tools are found by.
    #[cfg(feature = "search")]
    pub(crate) fn searched(&self) -> &crate::search::Searched {
        self.searched.get_or_init(|| crate::search::Searched::new(self, &self.indexed))
    }

    /// The position of the tool of this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let mut places = self.places.of(name).iter().map(|&place| place as usize);
        places.find(|&place| same(self.tools[place].name.as_bytes(), name.as_bytes()))
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
        // Looked up once: they lie all over the memory.
        let (mut tools, mut entries) = (Vec::<&Tool>::new(), Vec::new());
        for (name, id, index) in book.tools() {
            let Ok(provider) = ids.binary_search(&id) else { continue };
            let Some(tool) = providers[provider].tools().get(index) else { continue };
            let (way, table) = (Way::of(tool), Arc::clone(&tool.arguments));
            entries.push(Entry { name: name.clone(), provider, index, atoms: Vec::new(), way, table });
            tools.push(tool);
        }
        let mut next = State {
            number: book.number,
            providers: providers.clone(),
            places: Places::new(entries.iter().map(|tool| &*tool.name)),
            tools: entries,
            #[cfg(feature = "search")]
            indexed: book.providers.values().map(|held| Arc::clone(&held.indexed)).collect(),
            facts: book.facts().map(|(name, default)| (name.clone(), default.clone())).collect(),
            ..State::default()
        };
        next.link(book, &tools);

        let asked = |tool: &&Tool| tool.atoms.iter().map(|atom| Asked::new(atom, |name| next.find(name))).collect();
        let atoms: Vec<Vec<Asked>> = tools.iter().map(asked).collect();
        next.tools.iter_mut().zip(atoms).for_each(|(entry, atoms)| entry.atoms = atoms);
        let declared: Vec<(usize, &Toolset)> =
            providers.iter().enumerate().flat_map(|(id, p)| p.toolsets().iter().map(move |t| (id, t))).collect();
        next.gates = Gates::new(&next, &tools, &declared);
        next
    }

    /// Makes the toolsets that are described, and those that are only a home, one graph.
    fn link(&mut self, book: &Book, tools: &[&Tool]) {
        let (mut homes, mut members) = (HashMap::<&str, usize>::new(), Vec::<(&Text, Vec<usize>)>::new());
        for (id, tool) in tools.iter().enumerate() {
            let home = *homes.entry(&tool.toolset).or_insert_with(|| {
                members.push((&tool.toolset, Vec::new()));
                members.len() - 1
            });
            members[home].1.push(id);
        }
        let described: BTreeMap<&Text, &Toolset> =
            book.toolsets(&|name| homes.contains_key(name)).map(|toolset| (&toolset.name, toolset)).collect();
        let names: BTreeSet<&Text> = described.keys().copied().chain(members.iter().map(|(home, _)| *home)).collect();
        self.toolsets = names.into_iter().cloned().zip(0..).collect();
        for toolset in described.values() {
            let id = self.toolsets[&toolset.name];
            self.aliases.extend(toolset.aliases.iter().map(|alias| (alias.clone(), id)));
        }
        let mut sets = vec![Set::default(); self.toolsets.len()];
        let ids = |names: &[Text]| names.iter().filter_map(|name| self.find(name)).collect();
        for (name, toolset) in &described {
            sets[self.toolsets[*name]] = Set {
                tools: ids(&toolset.tools),
                includes: toolset.includes.iter().filter_map(|name| self.toolset(name)).collect(),
                base: toolset.base.as_ref().and_then(|name| self.toolset(name)),
                excludes: ids(&toolset.excludes),
            };
        }
        for (home, ids) in members {
            if !described.get(home).is_some_and(|home| home.closed) {
                sets[self.toolsets[home]].tools.extend(ids);
            }
        }
        self.graph = Graph { tools: tools.len(), sets };
    }
}
