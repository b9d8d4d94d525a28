//! The name index of a registry: its tool providers and the names that they claim. The cost of a change depends on the
//! provider, not on the registry. The state that turns are made from is built from it on demand.
//!
//! All claims of a provider are entered first and checked then: all claims of a name must agree. A refused provider is
//! removed again.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::data::catalog::{Fact, Tool, Toolset};
use crate::data::dialect::Dialect;
use crate::data::graph::cycles;
use crate::provider::ToolProvider;
use crate::registration::ProviderId;
use crate::registration::ids::{IndexInProvider, ProviderIndex};
use crate::registration::refusal::Refusal;
use crate::registration::{EVERYTHING, RESERVED_TOOLS};
use crate::sorted;
use crate::text::nearest::nearest;
use crate::text::nearest::suggestion;

/// The claims of names.
#[derive(Default)]
pub(crate) struct NameIndex {
    /// The number of changes.
    pub(crate) number: u64,
    /// In the order in which they were added, which is the order of their ids.
    pub(crate) providers: Vec<RegisteredProvider>,
    /// The claims of each [`NameKind`].
    claims: [Claims; 6],
}

/// The kind of a name.
#[derive(Clone, Copy)]
enum NameKind {
    /// A tool's name: the last claim wins, and overrides the others.
    Tool,
    /// A tool's name in a dialect, if it differs from its own.
    Called,
    /// The name of a declared toolset.
    Toolset,
    /// The name of a tool's home toolset.
    Home,
    /// An alias of a toolset.
    Alias,
    Fact,
}

/// The claims of each name, in the order in which their providers were added.
type Claims = BTreeMap<Cow<'static, str>, Vec<Claim>>;

/// A claim of a name: by this provider, for its item at this index. The claim of a home refers to its tool, that of an
/// alias to its toolset.
#[derive(Clone, Copy)]
struct Claim {
    id: ProviderId,
    index: usize,
}

/// A registered tool provider.
#[derive(Clone)]
pub(crate) struct RegisteredProvider {
    pub(crate) id: ProviderId,
    pub(crate) provider: Arc<dyn ToolProvider>,
    /// Whether its tools may override earlier ones.
    pub(crate) overriding: bool,
    #[cfg(feature = "search")]
    pub(crate) search: Arc<crate::registration::search_index::ProviderSearchIndex>,
}

impl RegisteredProvider {
    pub(crate) fn new(id: ProviderId, provider: Arc<dyn ToolProvider>, overriding: bool) -> Self {
        Self {
            id,
            #[cfg(feature = "search")]
            search: Arc::new(crate::registration::search_index::ProviderSearchIndex::new(Arc::clone(&provider))),
            provider,
            overriding,
        }
    }
}

/// Returns the names of a provider, each with the index of its item.
fn names(provider: &dyn ToolProvider) -> Vec<(NameKind, &Cow<'static, str>, usize)> {
    let mut names = Vec::new();
    for (index, tool) in provider.tools().iter().enumerate() {
        names.push((NameKind::Tool, &tool.name, index));
        names.push((NameKind::Home, &tool.toolset, index));
        names.extend(further(tool).map(|(_, name)| (NameKind::Called, name, index)));
    }
    for (index, toolset) in provider.toolsets().iter().enumerate() {
        names.push((NameKind::Toolset, &toolset.name, index));
        names.extend(aliases(toolset).map(|alias| (NameKind::Alias, alias, index)));
    }
    names.extend(provider.facts().iter().enumerate().map(|(index, fact)| (NameKind::Fact, &fact.name, index)));
    names
}

/// Returns the names of a tool in dialects, if they differ from its own.
fn further(tool: &Tool) -> impl Iterator<Item = (Dialect, &Cow<'static, str>)> {
    let names = tool.names.iter().map(|(dialect, name)| (*dialect, name));
    names.filter(|(_, name)| **name != tool.name)
}

/// Returns the aliases of a toolset.
fn aliases(toolset: &Toolset) -> impl Iterator<Item = &Cow<'static, str>> {
    toolset.aliases.iter().filter(|alias| **alias != toolset.name)
}

/// Returns the includes and the base of a toolset.
fn edges(toolset: &Toolset) -> impl Iterator<Item = &Cow<'static, str>> {
    toolset.includes.iter().chain(&toolset.base)
}

/// Records the refusal of a name.
fn refuse(found: &mut Vec<Refusal>, why: fn(Cow<'static, str>) -> Refusal, name: &str) {
    found.push(why(Cow::Owned(name.to_owned())));
}

impl NameIndex {
    /// Enters a provider without checking it.
    pub(crate) fn enter(&mut self, held: RegisteredProvider) {
        for (sort, name, index) in names(&*held.provider) {
            let claims = self.claims[sort as usize].entry(name.clone()).or_default();
            claims.insert(claims.partition_point(|other| other.id <= held.id), Claim { id: held.id, index });
        }
        self.providers.insert(self.place(held.id), held);
    }

    /// Removes a provider.
    pub(crate) fn leave(&mut self, id: ProviderId) -> Option<RegisteredProvider> {
        let place = self.place(id);
        self.providers.get(place).filter(|held| held.id == id)?;
        let held = self.providers.remove(place);
        for (sort, name, _) in names(&*held.provider) {
            if let Entry::Occupied(mut entry) = self.claims[sort as usize].entry(name.clone()) {
                entry.get_mut().retain(|claim| claim.id != id);
                if entry.get().is_empty() {
                    entry.remove();
                }
            }
        }
        Some(held)
    }

    /// Returns the position of a provider, or the position where it belongs.
    fn place(&self, id: ProviderId) -> usize {
        self.providers.partition_point(|held| held.id < id)
    }

    fn held(&self, claim: Claim) -> &RegisteredProvider {
        &self.providers[self.place(claim.id)]
    }

    fn tool(&self, claim: Claim) -> &Tool {
        &self.held(claim).provider.tools()[claim.index]
    }

    fn toolset(&self, claim: Claim) -> &Toolset {
        &self.held(claim).provider.toolsets()[claim.index]
    }

    fn fact(&self, claim: Claim) -> &Fact {
        &self.held(claim).provider.facts()[claim.index]
    }

    /// Returns the claims of a name. Empty if it has no meaning of this kind.
    #[inline(never)]
    fn claims(&self, sort: NameKind, name: &str) -> &[Claim] {
        self.claims[sort as usize].get(name).map_or(&[], Vec::as_slice)
    }

    fn has(&self, sort: NameKind, name: &str) -> bool {
        !self.claims(sort, name).is_empty()
    }

    /// Returns all names of a kind, in order, each with its first and its last claim.
    fn all(&self, sort: NameKind) -> impl Iterator<Item = (&Cow<'static, str>, Claim, Claim)> {
        let claims = self.claims[sort as usize].iter();
        claims.filter_map(|(name, claims)| Some((name, *claims.first()?, *claims.last()?)))
    }

    /// Returns the tools that can be called, by name.
    pub(crate) fn tools(&self) -> impl Iterator<Item = (&Cow<'static, str>, ProviderIndex, IndexInProvider)> {
        self.all(NameKind::Tool)
            .map(|(name, _, last)| (name, ProviderIndex(self.place(last.id)), IndexInProvider(last.index)))
    }

    /// Returns the facts, by name.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.all(NameKind::Fact).map(|(_, first, _)| self.fact(first))
    }

    /// Returns the aliases of toolsets, in order, each with its toolset.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = (&Cow<'static, str>, &Toolset)> {
        self.all(NameKind::Alias).map(|(name, first, _)| (name, self.toolset(first)))
    }

    /// Returns the declared toolsets, by name. `is_home` says whether a toolset has home tools. One of run time that
    /// lists nothing exists as long as it has any.
    pub(crate) fn toolsets(&self, is_home: &dyn Fn(&str) -> bool) -> impl Iterator<Item = &Toolset> {
        self.all(NameKind::Toolset).filter_map(move |(name, first, _)| {
            let toolset = self.toolset(first);
            let lasts = !toolset.tools.is_empty() || edges(toolset).next().is_some();
            let is_static = |claim: &Claim| !self.held(*claim).provider.checks_names();
            let is_there = lasts || is_home(name) || self.claims(NameKind::Toolset, name).iter().any(is_static);
            is_there.then_some(toolset)
        })
    }

    /// Returns the declaration of a toolset.
    pub(crate) fn described(&self, name: &str) -> Option<&Toolset> {
        self.claims(NameKind::Toolset, name).first().map(|&first| self.toolset(first))
    }

    /// Returns whether a claim of a name contradicts those of the provider `id`. The claims of other providers agree,
    /// or they would have been refused: of these, only the first and the last are compared with all claims of `id`.
    fn differs(&self, id: ProviderId, sort: NameKind, name: &str, otherwise: &dyn Fn(Claim) -> bool) -> bool {
        let claims = self.claims(sort, name);
        let ends = claims.first().into_iter().chain(claims.last());
        let own = claims.partition_point(|claim| claim.id < id)..claims.partition_point(|claim| claim.id <= id);
        ends.chain(&claims[own]).any(|&claim| otherwise(claim))
    }

    /// Returns the refusals of the provider that was just entered or replaced: sorted, without duplicates.
    pub(crate) fn refusals(&self, id: ProviderId, provider: &dyn ToolProvider) -> Vec<Refusal> {
        let mut found = Vec::new();
        for tool in provider.tools() {
            self.check_tool(tool, &mut found);
        }
        for toolset in provider.toolsets() {
            self.check_toolset(id, toolset, &mut found);
        }
        for fact in provider.facts() {
            if self.differs(id, NameKind::Fact, &fact.name, &|claim| self.fact(claim) != fact) {
                refuse(&mut found, Refusal::FactConflict, &fact.name);
            }
        }
        self.check_cycles(provider.toolsets(), &mut found);
        if provider.checks_names() {
            provider.toolsets().iter().for_each(|toolset| self.check_names(toolset, &mut found));
        }
        let order = sorted::positions(found.len(), &|a, b| found[a].cmp(&found[b]));
        let mut found: Vec<Refusal> = order.into_iter().map(|at| found[at].clone()).collect();
        found.dedup();
        found
    }

    fn check_tool(&self, tool: &Tool, found: &mut Vec<Refusal>) {
        let overrides = |pair: &[Claim]| pair[0].id != pair[1].id && self.held(pair[1]).overriding;
        if self.claims(NameKind::Called, &tool.name).iter().any(|&claim| self.tool(claim).name != tool.name) {
            refuse(found, Refusal::DialectNameTaken, &tool.name);
        }
        if !self.claims(NameKind::Tool, &tool.name).windows(2).all(overrides) {
            refuse(found, Refusal::ToolNameTaken, &tool.name);
        }
        for (dialect, name) in further(tool) {
            let is_taken = |&claim: &Claim| {
                let other = self.tool(claim);
                other.name_in(dialect) == Some(name) && other.name != tool.name
            };
            if self.has(NameKind::Tool, name) || self.claims(NameKind::Called, name).iter().any(is_taken) {
                refuse(found, Refusal::DialectNameTaken, name);
            }
        }
        let names = std::iter::once(&tool.name).chain(further(tool).map(|(_, name)| name));
        let reserved = names.filter(|name| RESERVED_TOOLS.contains(&&***name));
        reserved.for_each(|name| refuse(found, Refusal::ToolNameReserved, name));
        if EVERYTHING.contains(&&*tool.toolset) {
            refuse(found, Refusal::ToolsetNameReserved, &tool.toolset);
        } else if self.has(NameKind::Alias, &tool.toolset) {
            refuse(found, Refusal::AliasTaken, &tool.toolset);
        }
    }

    fn check_toolset(&self, id: ProviderId, toolset: &Toolset, found: &mut Vec<Refusal>) {
        let name = &toolset.name;
        if EVERYTHING.contains(&&**name) {
            refuse(found, Refusal::ToolsetNameReserved, name);
        }
        if self.differs(id, NameKind::Toolset, name, &|claim| self.toolset(claim) != toolset) {
            refuse(found, Refusal::ToolsetNameTaken, name);
        }
        if self.has(NameKind::Alias, name) {
            refuse(found, Refusal::AliasTaken, name);
        }
        for alias in aliases(toolset) {
            let is_name = self.has(NameKind::Toolset, alias) || self.has(NameKind::Home, alias);
            let is_anothers = |claim| self.toolset(claim).name != *name;
            if EVERYTHING.contains(&&**alias) {
                refuse(found, Refusal::ToolsetNameReserved, alias);
            } else if is_name || self.differs(id, NameKind::Alias, alias, &is_anothers) {
                refuse(found, Refusal::AliasTaken, alias);
            }
        }
    }

    /// Returns the toolset with this name or alias.
    fn meant(&self, name: &str) -> Option<&Toolset> {
        let claim = self.claims(NameKind::Toolset, name).first().or_else(|| self.claims(NameKind::Alias, name).first());
        claim.map(|&claim| self.toolset(claim))
    }

    /// Reports the cycles to which `toolsets` lead.
    fn check_cycles<'b>(&'b self, toolsets: &'b [Toolset], found: &mut Vec<Refusal>) {
        let own: HashMap<&str, &Toolset> = toolsets.iter().map(|toolset| (&*toolset.name, toolset)).collect();
        let next = |name: &'b str| {
            let toolset = own.get(name).copied().or_else(|| self.meant(name));
            let targets = toolset.into_iter().flat_map(edges).filter_map(|target| self.meant(target));
            targets.map(|target| (&*target.name, ())).collect()
        };
        for cycle in cycles(toolsets.iter().map(|toolset| &*toolset.name), next) {
            let names = cycle.iter().chain(cycle.first()).map(|(name, ())| Cow::Owned((*name).to_owned()));
            found.push(Refusal::IncludeCycle(names.collect()));
        }
    }

    /// Checks that everything a toolset names exists, and that it is not empty.
    fn check_names(&self, toolset: &Toolset, found: &mut Vec<Refusal>) {
        let of = || toolset.name.clone();
        let is_tool = |name: &Cow<'static, str>| self.has(NameKind::Tool, name);
        let is_toolset = |name: &Cow<'static, str>| {
            [NameKind::Toolset, NameKind::Home, NameKind::Alias].iter().any(|&sort| self.has(sort, name))
        };
        let near = |name: &str, sorts: &[NameKind]| {
            let known = sorts.iter().flat_map(|&sort| self.claims[sort as usize].keys());
            suggestion(&nearest(name, known.map(|name| &**name)))
        };
        for name in toolset.tools.iter().chain(&toolset.excludes).filter(|name| !is_tool(name)) {
            let hint = if is_toolset(name) {
                ": it is a toolset; name it in `includes`".to_owned()
            } else {
                near(name, &[NameKind::Tool])
            };
            found.push(Refusal::UnknownTool { toolset: of(), name: name.clone(), hint });
        }
        for name in edges(toolset).filter(|name| !is_toolset(name)) {
            let hint = if EVERYTHING.contains(&&**name) {
                ": it stands for every tool, and sessions enable it; name the toolsets that are meant".to_owned()
            } else if is_tool(name) {
                ": it is a tool; name it in `tools`".to_owned()
            } else {
                near(name, &[NameKind::Toolset, NameKind::Home])
            };
            found.push(Refusal::UnknownToolset { toolset: of(), name: name.clone(), hint });
        }
        let has_home_tools = !toolset.closed && self.has(NameKind::Home, &toolset.name);
        if toolset.tools.is_empty() && edges(toolset).next().is_none() && !has_home_tools {
            found.push(Refusal::EmptyToolset(of()));
        }
    }
}
