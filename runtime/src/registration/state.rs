//! A state of a registry: the tools of its providers under unique names, and their toolsets as one graph. It is built
//! on demand after a change, and is immutable.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::args::same;
use crate::data::behaviour::{Behaviour, Execution};
use crate::data::catalog::{Definition, Tool, Toolset};
use crate::data::dialect::{Dialect, PerDialect};
use crate::data::graph::{Graph, Set};
use crate::data::table::Table;
use crate::provider::ToolProvider;
use crate::registration::atoms::{FactValues, ResolvedAtom};
use crate::registration::definition_table::{DefinitionSlot, DefinitionTable};
use crate::registration::name_hash::NameHashIndex;
use crate::registration::name_index::NameIndex;
use crate::registration::requirements::ResolvedRequirements;
use crate::sorted;
use crate::vec_map::VecMap;

/// An immutable state of a registry. Tools are sorted by name, so a list of positions is sorted by name, too.
#[derive(Default)]
pub(crate) struct State {
    /// The number of previous changes.
    pub(crate) number: u64,
    pub(crate) providers: Vec<Arc<dyn ToolProvider>>,
    pub(crate) tools: Vec<ToolEntry>,
    /// The tools by name.
    places: NameHashIndex,
    /// The names of toolsets, sorted. The position of a toolset is the index of its set in the graph.
    pub(crate) toolsets: Vec<Cow<'static, str>>,
    /// The aliases of toolsets, each with the toolset's position.
    aliases: VecMap<Cow<'static, str>, usize>,
    /// The defaults of facts.
    pub(crate) facts: FactValues,
    pub(crate) graph: Graph,
    pub(crate) gates: ResolvedRequirements,
    sheets: PerDialect<DefinitionTable>,
    #[cfg(feature = "search")]
    indexed: Vec<Arc<crate::registration::search_index::ProviderIndex>>,
    /// Built at the first search.
    #[cfg(feature = "search")]
    searched: std::sync::OnceLock<crate::registration::search_index::StateIndex>,
}

/// A tool in a state.
#[derive(Clone)]
pub(crate) struct ToolEntry {
    pub(crate) name: Cow<'static, str>,
    pub(crate) provider: usize,
    pub(crate) index: usize,
    /// The position of its home toolset.
    pub(crate) home: usize,
    /// The atoms of its conditions.
    pub(crate) atoms: Vec<ResolvedAtom>,
    pub(crate) plan: DispatchPlan,
    /// The table for its arguments.
    pub(crate) table: Arc<Table>,
}

/// How a tool's calls are dispatched: what every call needs to know of the tool's behaviour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DispatchPlan {
    /// Whether the agent's own loop runs the tool.
    pub(crate) agent_run: bool,
    /// Whether each call must be approved.
    pub(crate) needs_approval: bool,
    /// The most characters of a result that the model gets, or `None` for the session's limit.
    pub(crate) max_result_chars: Option<u32>,
    /// Whether tool search may hide the tool.
    #[cfg(feature = "search")]
    pub(crate) is_deferrable: bool,
}

impl DispatchPlan {
    fn new(tool: &Tool) -> Self {
        let Behaviour { execution, approval, max_result_chars, .. } = &tool.behaviour;
        Self {
            agent_run: *execution == Execution::Agent,
            needs_approval: approval.always,
            max_result_chars: *max_result_chars,
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

    pub(crate) fn provider(&self, id: usize) -> (&dyn ToolProvider, usize) {
        let entry = &self.tools[id];
        (&*self.providers[entry.provider], entry.index)
    }

    /// Returns the definitions of the tools in `dialect`. Their providers are asked on first use.
    pub(crate) fn sheet(&self, dialect: Dialect) -> &[DefinitionSlot] {
        self.sheets.get_or_init(dialect, || {
            let ids = 0..self.tools.len();
            ids.map(|id| DefinitionSlot::new(dialect, self.tool(id), self.definition(id, dialect))).collect()
        })
    }

    /// Returns the definition of a tool in `dialect`.
    pub(crate) fn definition(&self, id: usize, dialect: Dialect) -> Option<&Definition> {
        let (provider, index) = self.provider(id);
        provider.definitions(dialect).get(index)?.as_ref()
    }

    /// Returns the search index.
    #[cfg(feature = "search")]
    pub(crate) fn searched(&self) -> &crate::registration::search_index::StateIndex {
        self.searched.get_or_init(|| crate::registration::search_index::StateIndex::new(self, &self.indexed))
    }

    /// Returns the position of the tool with this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let mut places = self.places.of(name).iter().map(|&place| place as usize);
        places.find(|&place| same(self.tools[place].name.as_bytes(), name.as_bytes()))
    }

    /// Returns the position of the toolset with this name or alias.
    pub(crate) fn toolset(&self, name: &str) -> Option<usize> {
        self.home(name).ok().or_else(|| self.aliases.get(name).copied())
    }

    fn home(&self, name: &str) -> Result<usize, usize> {
        self.toolsets.binary_search_by(|toolset| (**toolset).cmp(name))
    }

    /// Builds the state of the providers in `book`. Names are resolved here, once; afterwards everything is an index.
    pub(crate) fn new(book: &NameIndex) -> State {
        let providers: Vec<Arc<dyn ToolProvider>> =
            book.providers.iter().map(|held| Arc::clone(&held.provider)).collect();
        // Looked up once, because they are scattered in memory.
        let (mut tools, mut entries) = (Vec::<&Tool>::new(), Vec::new());
        for (name, provider, index) in book.tools() {
            let Some(tool) = providers[provider].tools().get(index) else { continue };
            let (plan, table) = (DispatchPlan::new(tool), Arc::clone(&tool.arguments));
            entries.push(ToolEntry { name: name.clone(), provider, index, home: 0, atoms: Vec::new(), plan, table });
            tools.push(tool);
        }
        let mut next = State {
            number: book.number,
            providers: providers.clone(),
            places: NameHashIndex::new(entries.iter().map(|tool| &*tool.name)),
            tools: entries,
            #[cfg(feature = "search")]
            indexed: book.providers.iter().map(|held| Arc::clone(&held.indexed)).collect(),
            facts: book.facts().map(|fact| (fact.name.clone(), fact.default.clone())).collect(),
            ..State::default()
        };
        next.link(book, &tools);

        let asked = |tool: &&Tool| tool.atoms.iter().map(|atom| ResolvedAtom::new(atom, &next)).collect();
        let atoms: Vec<Vec<ResolvedAtom>> = tools.iter().map(asked).collect();
        next.tools.iter_mut().zip(atoms).for_each(|(entry, atoms)| entry.atoms = atoms);
        let declared: Vec<(usize, &Toolset)> =
            providers.iter().enumerate().flat_map(|(id, p)| p.toolsets().iter().map(move |t| (id, t))).collect();
        next.gates = ResolvedRequirements::new(&next, &tools, &declared);
        next
    }

    /// Builds the graph of the declared toolsets and of undeclared home toolsets.
    fn link(&mut self, book: &NameIndex, tools: &[&Tool]) {
        let (mut homes, mut members) = (HashMap::<&str, usize>::new(), Vec::<(&Cow<'static, str>, Vec<usize>)>::new());
        for (id, tool) in tools.iter().enumerate() {
            let home = *homes.entry(&tool.toolset).or_insert_with(|| {
                members.push((&tool.toolset, Vec::new()));
                members.len() - 1
            });
            members[home].1.push(id);
        }
        let described: Vec<&Toolset> = book.toolsets(&|name| homes.contains_key(name)).collect();
        let mut names: Vec<&Cow<'static, str>> = members.iter().map(|(home, _)| *home).collect();
        names.extend(described.iter().map(|toolset| &toolset.name));
        for at in sorted::positions(names.len(), &|a, b| names[a].cmp(names[b])) {
            if self.toolsets.last() != Some(names[at]) {
                self.toolsets.push(names[at].clone());
            }
        }
        let alias = |(alias, of): (&Cow<'static, str>, &Toolset)| Some((alias.clone(), self.home(&of.name).ok()?));
        self.aliases = book.aliases().filter_map(alias).collect();

        let mut sets: Vec<Set> = self.toolsets.iter().map(|_| Set::default()).collect();
        for (home, tools) in members {
            let Ok(id) = self.home(home) else { continue };
            for &tool in &tools {
                self.tools[tool].home = id;
            }
            sets[id].tools = tools;
        }
        let ids =
            |names: &[Cow<'static, str>]| -> Vec<usize> { names.iter().filter_map(|name| self.find(name)).collect() };
        for toolset in described {
            let Ok(id) = self.home(&toolset.name) else { continue };
            let homely = if toolset.closed { Vec::new() } else { std::mem::take(&mut sets[id].tools) };
            sets[id] = Set {
                tools: [ids(&toolset.tools), homely].concat(),
                includes: toolset.includes.iter().filter_map(|name| self.toolset(name)).collect(),
                base: toolset.base.as_ref().and_then(|name| self.toolset(name)),
                excludes: ids(&toolset.excludes),
            };
        }
        self.graph = Graph { tools: tools.len(), sets };
    }
}
