//! The book of a registry: which providers there are, and who claims which name. A change costs what the provider brings,
//! not what the registry holds; the state that turns are made of comes from it when one is asked for.
//!
//! Everything that a provider brings is entered first and looked at then: a name means one thing only where its claims
//! agree. What is refused is taken out again.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::nearest::did_you_mean;
use crate::registry::refusal::Refusal;
use crate::registry::{EVERYTHING, RESERVED_TOOLS};
use crate::segment::FactValue;
use crate::{Dialect, Provider, ProviderId, Text, Tool, Toolset, nearest};

/// Who has which name. The claims of one name are in the order in which their providers came.
#[derive(Default)]
pub(super) struct Book {
    /// How many changes there were.
    pub(super) number: u64,
    pub(super) providers: BTreeMap<ProviderId, Held>,
    /// Tools by their own names: the last one is it, the others are overridden.
    tools: Claims<usize>,
    /// Names that dialects give to tools, each with the own name of the tool.
    called: Claims<(Dialect, Text)>,
    /// Toolsets that are described.
    toolsets: Claims<usize>,
    /// Home toolsets of tools.
    homes: Claims<()>,
    /// Further names of toolsets, each with the toolset's name.
    aliases: Claims<Text>,
    facts: Claims<FactValue>,
}

/// What is claimed under each name, by whom.
type Claims<T> = BTreeMap<Text, Vec<(ProviderId, T)>>;

/// A provider, and how it was added.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) provider: Arc<dyn Provider>,
    /// Whether its tools may stand in for others that came before.
    pub(super) overriding: bool,
    #[cfg(feature = "search")]
    pub(super) indexed: Arc<crate::search::Indexed>,
}

impl Held {
    pub(super) fn new(provider: Arc<dyn Provider>, overriding: bool) -> Self {
        Self {
            #[cfg(feature = "search")]
            indexed: Arc::new(crate::search::Indexed::new(Arc::clone(&provider))),
            provider,
            overriding,
        }
    }
}

/// Claims a name.
fn claim<T>(claims: &mut Claims<T>, name: &Text, id: ProviderId, what: T) {
    let claims = claims.entry(name.clone()).or_default();
    claims.insert(claims.partition_point(|(other, _)| *other <= id), (id, what));
}

/// Gives up every claim of `id` on a name.
fn disclaim<T>(claims: &mut Claims<T>, name: &Text, id: ProviderId) {
    if let Entry::Occupied(mut entry) = claims.entry(name.clone()) {
        entry.get_mut().retain(|(other, _)| *other != id);
        if entry.get().is_empty() {
            entry.remove();
        }
    }
}

/// The names that dialects give to a tool beside its own.
fn further(tool: &Tool) -> impl Iterator<Item = (Dialect, &Text)> {
    let names = tool.names.iter().map(|(dialect, name)| (*dialect, name));
    names.filter(|(_, name)| **name != tool.name)
}

/// The further names of a toolset.
fn aliases(toolset: &Toolset) -> impl Iterator<Item = &Text> {
    toolset.aliases.iter().filter(|alias| **alias != toolset.name)
}

/// Whatever a toolset brings along.
fn edges(toolset: &Toolset) -> impl Iterator<Item = &Text> {
    toolset.includes.iter().chain(&toolset.base)
}

impl Book {
    /// Enters a provider, whatever speaks against it.
    pub(super) fn enter(&mut self, id: ProviderId, held: Held) {
        for (index, tool) in held.provider.tools().iter().enumerate() {
            claim(&mut self.tools, &tool.name, id, index);
            claim(&mut self.homes, &tool.toolset, id, ());
            for (dialect, name) in further(tool) {
                claim(&mut self.called, name, id, (dialect, tool.name.clone()));
            }
        }
        for (index, toolset) in held.provider.toolsets().iter().enumerate() {
            claim(&mut self.toolsets, &toolset.name, id, index);
            for alias in aliases(toolset) {
                claim(&mut self.aliases, alias, id, toolset.name.clone());
            }
        }
        for fact in held.provider.facts() {
            claim(&mut self.facts, &fact.name, id, fact.default.clone());
        }
        self.providers.insert(id, held);
    }

    /// Takes a provider out.
    pub(super) fn leave(&mut self, id: ProviderId) -> Option<Held> {
        let held = self.providers.remove(&id)?;
        for tool in held.provider.tools() {
            disclaim(&mut self.tools, &tool.name, id);
            disclaim(&mut self.homes, &tool.toolset, id);
            further(tool).for_each(|(_, name)| disclaim(&mut self.called, name, id));
        }
        for toolset in held.provider.toolsets() {
            disclaim(&mut self.toolsets, &toolset.name, id);
            aliases(toolset).for_each(|alias| disclaim(&mut self.aliases, alias, id));
        }
        held.provider.facts().iter().for_each(|fact| disclaim(&mut self.facts, &fact.name, id));
        Some(held)
    }

    /// The tools that can be called, by name: each one's provider and index.
    pub(super) fn tools(&self) -> impl Iterator<Item = (&Text, ProviderId, usize)> {
        self.tools.iter().filter_map(|(name, claims)| claims.last().map(|&(id, index)| (name, id, index)))
    }

    /// Facts and their defaults.
    pub(super) fn facts(&self) -> impl Iterator<Item = (&Text, &FactValue)> {
        self.facts.iter().filter_map(|(name, claims)| claims.first().map(|(_, default)| (name, default)))
    }

    /// The toolsets that are described, where `is_home` tells those that have home tools. One of run time that lists
    /// nothing is there as long as it has any.
    pub(super) fn toolsets(&self, is_home: &dyn Fn(&str) -> bool) -> impl Iterator<Item = &Toolset> {
        self.toolsets.iter().filter_map(move |(name, claims)| {
            let toolset = self.described(name)?;
            let lasts = !toolset.tools.is_empty() || edges(toolset).next().is_some();
            let is_static = || claims.iter().any(|(id, _)| !self.providers[id].provider.checks_names());
            (lasts || is_home(name) || is_static()).then_some(toolset)
        })
    }

    /// What is said of a toolset.
    pub(super) fn described(&self, name: &str) -> Option<&Toolset> {
        let &(id, index) = self.toolsets.get(name)?.first()?;
        self.providers[&id].provider.toolsets().get(index)
    }

    /// What speaks against the provider that was entered last, or in place of another one.
    pub(super) fn refusals(&self, id: ProviderId) -> Vec<Refusal> {
        let mut found = Vec::new();
        let Some(held) = self.providers.get(&id) else { return found };
        for tool in held.provider.tools() {
            self.check_tool(tool, &mut found);
        }
        for toolset in held.provider.toolsets() {
            self.check_toolset(toolset, &mut found);
        }
        for fact in held.provider.facts() {
            let defaults = &self.facts[&fact.name];
            if defaults.iter().any(|(_, default)| *default != defaults[0].1) {
                found.push(Refusal::FactTaken(fact.name.clone()));
            }
        }
        self.check_rings(held.provider.toolsets(), &mut found);
        if held.provider.checks_names() {
            held.provider.toolsets().iter().for_each(|toolset| self.check_names(toolset, &mut found));
        }
        found
    }

    fn check_tool(&self, tool: &Tool, found: &mut Vec<Refusal>) {
        let overrides = |pair: &[(ProviderId, usize)]| pair[0].0 != pair[1].0 && self.providers[&pair[1].0].overriding;
        let is_another = |(_, (_, own)): &(ProviderId, (Dialect, Text))| *own != tool.name;
        let called = self.called.get(&tool.name).is_some_and(|claims| claims.iter().any(is_another));
        if called {
            found.push(Refusal::CalledTaken(tool.name.clone()));
        }
        if !self.tools[&tool.name].windows(2).all(overrides) {
            found.push(Refusal::ToolTaken(tool.name.clone()));
        }
        for (dialect, name) in further(tool) {
            let is_taken = |(_, (other, own)): &(ProviderId, (Dialect, Text))| *other == dialect && *own != tool.name;
            if self.tools.contains_key(name) || self.called[name].iter().any(is_taken) {
                found.push(Refusal::CalledTaken(name.clone()));
            }
        }
        let names = std::iter::once(&tool.name).chain(further(tool).map(|(_, name)| name));
        let reserved = names.filter(|name| RESERVED_TOOLS.contains(&&***name));
        found.extend(reserved.cloned().map(Refusal::ToolReserved));
        if EVERYTHING.contains(&&*tool.toolset) {
            found.push(Refusal::ToolsetReserved(tool.toolset.clone()));
        } else if self.aliases.contains_key(&tool.toolset) {
            found.push(Refusal::AliasTaken(tool.toolset.clone()));
        }
    }

    fn check_toolset(&self, toolset: &Toolset, found: &mut Vec<Refusal>) {
        let name = &toolset.name;
        if EVERYTHING.contains(&&**name) {
            found.push(Refusal::ToolsetReserved(name.clone()));
        }
        let says_so = |(id, index): &(ProviderId, usize)| self.providers[id].provider.toolsets()[*index] == *toolset;
        if !self.toolsets[name].iter().all(says_so) {
            found.push(Refusal::ToolsetTaken(name.clone()));
        }
        if self.aliases.contains_key(name) {
            found.push(Refusal::AliasTaken(name.clone()));
        }
        for alias in aliases(toolset) {
            let is_name = self.toolsets.contains_key(alias) || self.homes.contains_key(alias);
            if EVERYTHING.contains(&&**alias) {
                found.push(Refusal::ToolsetReserved(alias.clone()));
            } else if is_name || self.aliases[alias].iter().any(|(_, of)| of != name) {
                found.push(Refusal::AliasTaken(alias.clone()));
            }
        }
    }

    /// The toolset that this is the name, or a legacy name, of.
    fn meant(&self, name: &str) -> Option<&Toolset> {
        self.described(name).or_else(|| self.described(&self.aliases.get(name)?.first()?.1))
    }

    /// Looks for ways from `toolsets` that lead back. Depth first, with the way kept by hand: it may be long.
    fn check_rings<'b>(&'b self, toolsets: &'b [Toolset], found: &mut Vec<Refusal>) {
        // Where on the way a toolset stands; none once everything behind it has been seen.
        let mut seen: HashMap<&str, Option<usize>> = HashMap::new();
        for first in toolsets.iter().filter(|toolset| edges(toolset).next().is_some()) {
            if seen.contains_key(&*first.name) {
                continue;
            }
            seen.insert(&first.name, Some(0));
            let mut way = vec![(first, edges(first))];
            while let Some((toolset, open)) = way.last_mut() {
                let Some(next) = open.next() else {
                    seen.insert(&toolset.name, None);
                    way.pop();
                    continue;
                };
                let Some(next) = self.meant(next) else { continue };
                match seen.get(&*next.name) {
                    Some(None) => {}
                    Some(&Some(start)) => {
                        let ring = way[start..].iter().map(|(toolset, _)| toolset.name.clone());
                        found.push(Refusal::Ring(ring.chain([next.name.clone()]).collect()));
                    }
                    None => {
                        seen.insert(&next.name, Some(way.len()));
                        way.push((next, edges(next)));
                    }
                }
            }
        }
    }

    /// Whether there is all that a toolset names, and that is anything.
    fn check_names(&self, toolset: &Toolset, found: &mut Vec<Refusal>) {
        let of = || toolset.name.clone();
        let is_toolset = |name: &Text| {
            self.toolsets.contains_key(name) || self.homes.contains_key(name) || self.aliases.contains_key(name)
        };
        for name in toolset.tools.iter().chain(&toolset.excludes).filter(|name| !self.tools.contains_key(*name)) {
            let hint = if is_toolset(name) {
                ": it is a toolset; name it in `includes`".to_owned()
            } else {
                did_you_mean(&nearest(name, self.tools.keys().map(|name| &**name)))
            };
            found.push(Refusal::UnknownTool { toolset: of(), name: name.clone(), hint });
        }
        for name in edges(toolset).filter(|name| !is_toolset(name)) {
            let hint = if EVERYTHING.contains(&&**name) {
                ": it stands for every tool, and sessions enable it; name the toolsets that are meant".to_owned()
            } else if self.tools.contains_key(name) {
                ": it is a tool; name it in `tools`".to_owned()
            } else {
                did_you_mean(&nearest(name, self.toolsets.keys().chain(self.homes.keys()).map(|name| &**name)))
            };
            found.push(Refusal::UnknownToolset { toolset: of(), name: name.clone(), hint });
        }
        let has_home_tools = !toolset.closed && self.homes.contains_key(&toolset.name);
        if toolset.tools.is_empty() && edges(toolset).next().is_none() && !has_home_tools {
            found.push(Refusal::Empty(of()));
        }
    }
}
