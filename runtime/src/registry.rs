//! The registry: the providers of one process, their tools under unique names, their toolsets as one graph.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::graph::{Graph, Set};
use crate::segment::{Atom, Comparison, FactValue};
use crate::{Provider, SessionBuilder, Text, Tool, Toolset};

/// The providers of one process. Cheap to clone: clones are the same registry.
///
/// Providers may be added at any time and from any thread; a turn keeps the state that it was made from.
#[derive(Clone, Default)]
pub struct Registry {
    state: Arc<RwLock<Arc<State>>>,
}

impl Registry {
    /// A registry without providers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a provider: all of its tools, or none of them.
    ///
    /// # Errors
    /// When a name is taken: a tool's by any other tool, a toolset's or a fact's by one with another content, or
    /// a tool's or toolset's by toolc itself.
    pub fn add(&self, provider: Box<dyn Provider>) -> Result<(), Collision> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = Arc::new(state.with(provider.into())?);
        Ok(())
    }

    /// Begins a conversation.
    pub fn session(&self) -> SessionBuilder {
        SessionBuilder::new(self.clone())
    }

    pub(crate) fn state(&self) -> Arc<State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    tools: Vec<Text>,
    toolsets: Vec<Text>,
    facts: Vec<Text>,
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lead = "provider refused: ";
        for (what, names) in [("tool", &self.tools), ("toolset", &self.toolsets), ("fact", &self.facts)] {
            for name in names {
                write!(f, "{lead}the {what} name `{name}` is taken")?;
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
    providers: Vec<Arc<dyn Provider>>,
    pub(crate) tools: Vec<Entry>,
    pub(crate) toolsets: BTreeMap<Text, usize>,
    /// Facts and their defaults.
    pub(crate) facts: BTreeMap<Text, FactValue>,
    pub(crate) graph: Graph,
}

/// Where a tool is to be found.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Text,
    provider: usize,
    index: usize,
    /// What its conditions ask. A tool that nobody registered is none.
    pub(crate) atoms: Vec<Asked>,
}

/// An atom, looked up.
#[derive(Clone)]
pub(crate) enum Asked {
    Tool(Option<usize>),
    Fact(Text, Comparison, FactValue),
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

    fn find(&self, name: &str) -> Option<usize> {
        self.tools.binary_search_by(|entry| (*entry.name).cmp(name)).ok()
    }

    /// This state and one provider more. Names are resolved here, once; after it, all is indices.
    fn with(&self, provider: Arc<dyn Provider>) -> Result<State, Collision> {
        let mut next = State {
            providers: self.providers.iter().cloned().chain([provider]).collect(),
            tools: self.tools.clone(),
            ..State::default()
        };
        let added = next.providers.len() - 1;
        for (index, tool) in next.providers[added].tools().iter().enumerate() {
            next.tools.push(Entry { name: tool.name.clone(), provider: added, index, atoms: Vec::new() });
        }
        next.tools.sort_by(|a, b| a.name.cmp(&b.name));

        let mut declared: BTreeMap<&str, &Toolset> = BTreeMap::new();
        let mut toolsets = Vec::new();
        for toolset in next.providers.iter().flat_map(|p| p.toolsets()) {
            let known = *declared.entry(&toolset.name).or_insert(toolset);
            if EVERYTHING.contains(&&*toolset.name) || known != toolset {
                toolsets.push(toolset.name.clone());
            }
        }
        let mut facts = Vec::new();
        for fact in next.providers.iter().flat_map(|p| p.facts()) {
            let known = next.facts.entry(fact.name.clone()).or_insert_with(|| fact.default.clone());
            if *known != fact.default {
                facts.push(fact.name.clone());
            }
        }
        let tools: Vec<Text> = (next.tools.windows(2).filter(|pair| pair[0].name == pair[1].name))
            .map(|pair| pair[0].name.clone())
            .chain(next.tools.iter().filter(|t| RESERVED_TOOLS.contains(&&*t.name)).map(|t| t.name.clone()))
            .collect();
        if !tools.is_empty() || !toolsets.is_empty() || !facts.is_empty() {
            return Err(Collision { tools, toolsets, facts });
        }

        // A home toolset exists even where no provider describes it.
        let homes = (0..next.tools.len()).map(|id| &next.tool(id).toolset);
        let names: Vec<Text> = declared.values().map(|t| &t.name).chain(homes).cloned().collect();
        next.toolsets = names.into_iter().map(|name| (name, 0)).collect();
        next.toolsets.values_mut().enumerate().for_each(|(position, id)| *id = position);

        let tool_ids = |names: &[Text]| names.iter().filter_map(|name| next.find(name)).collect();
        let set_ids = |names: &[Text]| names.iter().filter_map(|name| next.toolsets.get(name).copied()).collect();
        let mut sets: Vec<Set> = (next.toolsets.keys())
            .map(|name| match declared.get(&**name) {
                Some(toolset) => Set {
                    tools: tool_ids(&toolset.tools),
                    includes: set_ids(&toolset.includes),
                    base: toolset.base.as_ref().and_then(|name| next.toolsets.get(name).copied()),
                },
                None => Set::default(),
            })
            .collect();
        for id in 0..next.tools.len() {
            sets[next.toolsets[&next.tool(id).toolset]].tools.push(id);
        }
        next.graph = Graph { tools: next.tools.len(), sets };
        let atoms: Vec<Vec<Asked>> = (0..next.tools.len()).map(|id| next.asked(id)).collect();
        next.tools.iter_mut().zip(atoms).for_each(|(entry, atoms)| entry.atoms = atoms);
        Ok(next)
    }

    fn asked(&self, id: usize) -> Vec<Asked> {
        let ask = |atom: &Atom| match atom {
            Atom::Tool(name) => Asked::Tool(self.find(name)),
            Atom::Fact(name) => Asked::Fact(name.clone(), Comparison::Equal, FactValue::Boolean(true)),
            Atom::Compared(name, comparison, with) => Asked::Fact(name.clone(), *comparison, with.clone()),
        };
        self.tool(id).atoms.iter().map(ask).collect()
    }
}
