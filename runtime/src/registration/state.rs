//! A state of a registry: the tools of its providers under unique names, and their toolsets as one graph.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Index;
use std::sync::Arc;
#[cfg(any(feature = "search", feature = "approval"))]
use std::sync::OnceLock;

use crate::args::repaired::RepairedParameters;
use crate::args::repairs::Repair;
use crate::args::same;
use crate::data::behaviour::{Behaviour, Callers, Execution, MaxResultChars};
use crate::data::catalog::{Definition, Tool, Toolset};
use crate::data::dialect::{Dialect, PerDialect};
use crate::data::table::Table;
use crate::env::Env;
use crate::graph::{Graph, Set};
use crate::provider::ToolProvider;
#[cfg(feature = "approval")]
use crate::provider::code_parameters::CodeParameter;
use crate::registration::atoms::{FactValues, ResolvedAtom};
use crate::registration::definition_table::DefinitionTable;
use crate::registration::ids::{IndexInProvider, NameLookup, ProviderIndex, ToolId, ToolsetId};
use crate::registration::name_hash::NameHashIndex;
use crate::registration::name_index::NameIndex;
use crate::registration::repair_counts::{RepairCounts, ToolCountsCell};
use crate::registration::requirements::ResolvedRequirements;
#[cfg(feature = "search")]
use crate::registration::search_index::{ProviderSearchIndex, StateSearchIndex};
use crate::sorted;
use crate::vec_map::VecMap;
use toolc_redact::Redactor;

/// An immutable state of a registry. It is made when a session or the registry first needs it after a change.
#[derive(Default)]
pub(crate) struct RegistrySnapshot {
    /// The generation of the name index from which the state was made.
    pub(crate) generation: u64,
    pub(crate) providers: Vec<Arc<dyn ToolProvider>>,
    /// Sorted by name.
    pub(crate) tools: Vec<ToolEntry>,
    names: NameHashIndex,
    /// The names of toolsets, sorted.
    pub(crate) toolsets: Vec<Cow<'static, str>>,
    aliases: VecMap<Cow<'static, str>, ToolsetId>,
    /// The defaults of facts.
    pub(crate) facts: FactValues,
    pub(crate) graph: Graph,
    pub(crate) requirements: ResolvedRequirements,
    definitions: PerDialect<DefinitionTable>,
    repairs: Arc<RepairCounts>,
    #[cfg(feature = "search")]
    provider_search: Vec<Arc<ProviderSearchIndex>>,
    /// Created by the first search.
    #[cfg(feature = "search")]
    search: OnceLock<StateSearchIndex>,
}

impl RegistrySnapshot {
    /// Returns the names of the variables that are secret: those that were set as secrets, and those that providers declare as such.
    pub(crate) fn secret_names(&self, env: &Env) -> Vec<String> {
        let mut names = Vec::new();
        env.secrets().for_each(|name| sorted::insert(&mut names, name.to_owned()));
        for variable in self.providers.iter().flat_map(|provider| provider.variables()) {
            if variable.secret {
                sorted::insert(&mut names, variable.name.to_string());
            }
        }
        names
    }

    /// Returns what replaces the secrets of an environment in texts.
    pub(crate) fn redactor(&self, env: &Env) -> Redactor {
        let names = self.secret_names(env);
        let secrets = names.into_iter().filter(|name| !self.is_public(name));
        let secrets: Vec<_> = secrets.filter_map(|name| env.var(&name).map(|value| (name, value))).collect();
        let values: Vec<String> = secrets.iter().map(|(_, value)| value.clone()).collect();
        Redactor::new(values, env.vars().into_iter().map(|(_, value)| value)).with_variables(secrets)
    }

    /// Returns whether a provider declares that the value of a variable is not secret.
    fn is_public(&self, name: &str) -> bool {
        let mut variables = self.providers.iter().flat_map(|provider| provider.variables());
        variables.any(|variable| variable.name == name && !variable.secret)
    }
}

/// A tool of the state, and its position in its provider.
#[derive(Clone)]
pub(crate) struct ToolEntry {
    pub(crate) name: Cow<'static, str>,
    pub(crate) provider: ProviderIndex,
    pub(crate) index: IndexInProvider,
    /// The home toolset of the tool.
    pub(crate) home: ToolsetId,
    /// The atoms of its conditions.
    pub(crate) atoms: Vec<ResolvedAtom>,
    pub(crate) plan: DispatchPlan,
    /// The table of its arguments.
    pub(crate) table: Arc<Table>,
    repairs: ToolCountsCell,
    /// The parameters that hold code, although the declaration of the tool does not say so. Looked for by the first call of a
    /// session that judges commands.
    #[cfg(feature = "approval")]
    code_parameters: OnceLock<Vec<CodeParameter>>,
}

/// The parts of a tool's behaviour that are needed to dispatch each call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DispatchPlan {
    /// Whether the agent's own loop runs the tool instead of a handler.
    pub(crate) agent_run: bool,
    /// Whether each call must be approved.
    pub(crate) needs_approval: bool,
    /// Who may call the tool.
    pub(crate) callers: Callers,
    /// The limit of a result, or `None` for the session's limit.
    pub(crate) max_result_chars: Option<MaxResultChars>,
    /// Whether tool search may defer the tool.
    #[cfg(feature = "search")]
    pub(crate) is_deferrable: bool,
}

impl DispatchPlan {
    fn new(tool: &Tool) -> Self {
        let Behaviour { execution, approval, callers, max_result_chars, .. } = &tool.behaviour;
        Self {
            agent_run: *execution == Execution::Agent,
            needs_approval: approval.always,
            callers: *callers,
            max_result_chars: *max_result_chars,
            #[cfg(feature = "search")]
            is_deferrable: tool.behaviour.defer,
        }
    }
}

impl Index<ToolId> for RegistrySnapshot {
    type Output = ToolEntry;

    fn index(&self, id: ToolId) -> &ToolEntry {
        &self.tools[id.0]
    }
}

impl NameLookup for RegistrySnapshot {
    fn find(&self, name: &str) -> Option<ToolId> {
        RegistrySnapshot::find(self, name)
    }

    fn toolset(&self, name: &str) -> Option<ToolsetId> {
        RegistrySnapshot::toolset(self, name)
    }
}

impl RegistrySnapshot {
    /// Returns the ids of all tools, in the order of their names.
    pub(crate) fn tool_ids(&self) -> impl Iterator<Item = ToolId> + use<> {
        (0..self.tools.len()).map(ToolId)
    }

    /// Returns the tool as its provider declares it.
    pub(crate) fn tool(&self, id: ToolId) -> &Tool {
        let entry = &self[id];
        &self.providers[entry.provider.0].tools()[entry.index.0]
    }

    /// Returns the provider of a tool, and the provider's index of it.
    pub(crate) fn provider(&self, id: ToolId) -> (&dyn ToolProvider, IndexInProvider) {
        let entry = &self[id];
        (&*self.providers[entry.provider.0], entry.index)
    }

    /// Returns the parameters of a tool that hold code, although its declaration does not say so.
    #[cfg(feature = "approval")]
    pub(crate) fn code_parameters(&self, id: ToolId) -> &[CodeParameter] {
        self[id].code_parameters.get_or_init(|| {
            let (provider, index) = self.provider(id);
            crate::panics::catch(|| provider.code_parameters(index.0)).unwrap_or_default()
        })
    }

    /// Returns the definitions of all tools in `dialect`. The first call gets them from the tool providers.
    pub(crate) fn definitions(&self, dialect: Dialect) -> &DefinitionTable {
        self.definitions.get_or_init(dialect, || {
            let of_tools = self.tool_ids().map(|id| (self.tool(id), self.definition(id, dialect)));
            DefinitionTable::new(dialect, of_tools)
        })
    }

    /// Returns the definition of a tool in `dialect`, or `None` if it has none.
    pub(crate) fn definition(&self, id: ToolId, dialect: Dialect) -> Option<&Definition> {
        let (provider, index) = self.provider(id);
        provider.definitions(dialect).get(index.0)?.as_ref()
    }

    /// Returns the search index, which the first call creates.
    #[cfg(feature = "search")]
    pub(crate) fn search(&self) -> &StateSearchIndex {
        self.search.get_or_init(|| {
            let tools = self.tool_ids().map(|id| (id, self[id].provider, self[id].index));
            StateSearchIndex::new(tools, &self.provider_search)
        })
    }

    /// Returns the description of a toolset, or the empty string if no provider has declared it.
    #[cfg(feature = "search")]
    pub(crate) fn toolset_description(&self, name: &str) -> &str {
        let mut declared = self.providers.iter().flat_map(|provider| provider.toolsets());
        declared.find(|toolset| toolset.name == name).map_or("", |toolset| &toolset.description)
    }

    /// Counts a call with repaired arguments. `find` lists the repairs; it is called only if necessary.
    pub(crate) fn count_repairs<'r>(
        &self,
        id: ToolId,
        table: &Table,
        repaired: RepairedParameters,
        find: impl Fn() -> &'r [Repair],
    ) {
        let entry = &self[id];
        entry.repairs.count(&self.repairs, &entry.name, table, repaired, find);
    }

    /// Finds a tool by its own name.
    pub(crate) fn find(&self, name: &str) -> Option<ToolId> {
        let is = |position: usize| same(self[ToolId(position)].name.as_bytes(), name.as_bytes());
        self.names.find(name, is).map(ToolId)
    }

    /// Finds a toolset by its name or an alias.
    pub(crate) fn toolset(&self, name: &str) -> Option<ToolsetId> {
        self.toolset_by_name(name).or_else(|| self.aliases.get(name).copied())
    }

    fn toolset_by_name(&self, name: &str) -> Option<ToolsetId> {
        self.toolsets.binary_search_by(|toolset| (**toolset).cmp(name)).ok().map(ToolsetId)
    }

    /// Makes the state of the providers in `index`. All names are looked up here and replaced by ids.
    pub(crate) fn new(index: &NameIndex) -> RegistrySnapshot {
        let providers: Vec<Arc<dyn ToolProvider>> =
            index.providers.iter().map(|registered| Arc::clone(&registered.provider)).collect();
        // Collected in one vector, because the declarations are scattered over memory.
        let (mut tools, mut entries) = (Vec::<&Tool>::new(), Vec::new());
        for (name, provider, index) in index.tools() {
            let Some(tool) = providers[provider.0].tools().get(index.0) else { continue };
            let (plan, table) = (DispatchPlan::new(tool), Arc::clone(&tool.arguments));
            let (name, home) = (name.clone(), ToolsetId::default());
            let repairs = ToolCountsCell::default();
            entries.push(ToolEntry {
                name,
                provider,
                index,
                home,
                atoms: Vec::new(),
                plan,
                table,
                repairs,
                #[cfg(feature = "approval")]
                code_parameters: OnceLock::new(),
            });
            tools.push(tool);
        }
        let mut state = RegistrySnapshot {
            generation: index.generation,
            providers: providers.clone(),
            names: NameHashIndex::new(entries.iter().map(|tool| &*tool.name)),
            tools: entries,
            #[cfg(feature = "search")]
            provider_search: index.providers.iter().map(|registered| Arc::clone(&registered.search)).collect(),
            repairs: Arc::clone(&index.repairs),
            facts: index.facts().map(|fact| (fact.name.clone(), fact.default.clone())).collect(),
            ..RegistrySnapshot::default()
        };
        state.link_toolsets(index, &tools);

        let resolve = |tool: &&Tool| tool.atoms.iter().map(|atom| ResolvedAtom::new(atom, &state)).collect();
        let atoms: Vec<Vec<ResolvedAtom>> = tools.iter().map(resolve).collect();
        state.tools.iter_mut().zip(atoms).for_each(|(entry, atoms)| entry.atoms = atoms);
        let declared: Vec<(ProviderIndex, &Toolset)> = providers
            .iter()
            .enumerate()
            .flat_map(|(id, provider)| provider.toolsets().iter().map(move |toolset| (ProviderIndex(id), toolset)))
            .collect();
        let located: Vec<(&Tool, ProviderIndex, ToolsetId)> =
            tools.iter().zip(&state.tools).map(|(tool, entry)| (*tool, entry.provider, entry.home)).collect();
        state.requirements = ResolvedRequirements::new(&state, &located, state.toolsets.len(), &declared);
        state
    }

    /// Builds the names, aliases and graph of all toolsets: the declared ones, and undeclared home toolsets.
    fn link_toolsets(&mut self, index: &NameIndex, tools: &[&Tool]) {
        let (mut homes, mut members) = (HashMap::<&str, usize>::new(), Vec::<(&Cow<'static, str>, Vec<usize>)>::new());
        for (id, tool) in tools.iter().enumerate() {
            let home = *homes.entry(&tool.toolset).or_insert_with(|| {
                members.push((&tool.toolset, Vec::new()));
                members.len() - 1
            });
            members[home].1.push(id);
        }
        let declared: Vec<&Toolset> = index.toolsets(&|name| homes.contains_key(name)).collect();
        let mut names: Vec<&Cow<'static, str>> = members.iter().map(|(home, _)| *home).collect();
        names.extend(declared.iter().map(|toolset| &toolset.name));
        for at in sorted::positions(names.len(), &|a, b| names[a].cmp(names[b])) {
            if self.toolsets.last() != Some(names[at]) {
                self.toolsets.push(names[at].clone());
            }
        }
        let alias = |(alias, toolset): (&Cow<'static, str>, &Toolset)| {
            Some((alias.clone(), self.toolset_by_name(&toolset.name)?))
        };
        self.aliases = index.aliases().filter_map(alias).collect();

        let mut sets: Vec<Set> = self.toolsets.iter().map(|_| Set::default()).collect();
        for (home, tools) in members {
            let Some(home) = self.toolset_by_name(home) else { continue };
            for &tool in &tools {
                self.tools[tool].home = home;
            }
            sets[home.0].tools = tools;
        }
        let find_all = |names: &[Cow<'static, str>]| -> Vec<usize> {
            names.iter().filter_map(|name| Some(self.find(name)?.0)).collect()
        };
        let find_toolset = |name: &Cow<'static, str>| Some(self.toolset(name)?.0);
        for toolset in declared {
            let Some(ToolsetId(id)) = self.toolset_by_name(&toolset.name) else { continue };
            let home_tools = if toolset.closed { Vec::new() } else { std::mem::take(&mut sets[id].tools) };
            sets[id] = Set {
                tools: [find_all(&toolset.tools), home_tools].concat(),
                includes: toolset.includes.iter().filter_map(find_toolset).collect(),
                base: toolset.base.as_ref().and_then(find_toolset),
                excludes: find_all(&toolset.excludes),
            };
        }
        self.graph = Graph { tools: tools.len(), sets };
    }
}
