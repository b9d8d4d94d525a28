//! The name index of a registry: its tool providers and the names that they claim. The cost of a change depends on the
//! provider, not on the registry. The state that turns are made from is built from it on demand.
//!
//! All claims of a provider are entered first and checked then: all claims of a name must agree. A refused provider is
//! removed again.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::data::catalog::{Fact, Tool, Toolset};
use crate::data::dialect::Dialect;
use crate::graph::cycles;
use crate::provider::ToolProvider;
use crate::registration::ProviderId;
use crate::registration::claims::{Claim, Claims};
use crate::registration::ids::{IndexInProvider, ProviderIndex};
use crate::registration::refusal::Refusal;
use crate::registration::repair_counts::RepairCounts;
use crate::registration::{EVERYTHING, RESERVED_TOOLS};
use crate::sorted;
use crate::text::nearest::suggestion;

/// The claims of names.
#[derive(Default)]
pub(crate) struct NameIndex {
    /// The number of changes so far.
    pub(crate) generation: u64,
    /// The counts of repaired arguments, which do not depend on the names.
    pub(crate) repairs: Arc<RepairCounts>,
    /// The providers, in the order in which they were added, which is the order of their ids.
    pub(crate) providers: Vec<RegisteredProvider>,
    /// The claims of each [`NameKind`].
    claims: [Claims; 6],
}

/// The kind of a name.
#[derive(Clone, Copy)]
enum NameKind {
    /// A tool's name: the last claim wins, and overrides the others.
    Tool,
    /// A tool's name in a dialect, if it differs from its own name.
    DialectName,
    /// The name of a declared toolset.
    Toolset,
    /// The name of a tool's home toolset.
    Home,
    /// An alias of a toolset.
    Alias,
    Fact,
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
        names.extend(dialect_names(tool).map(|(_, name)| (NameKind::DialectName, name, index)));
    }
    for (index, toolset) in provider.toolsets().iter().enumerate() {
        names.push((NameKind::Toolset, &toolset.name, index));
        names.extend(aliases(toolset).map(|alias| (NameKind::Alias, alias, index)));
    }
    names.extend(provider.facts().iter().enumerate().map(|(index, fact)| (NameKind::Fact, &fact.name, index)));
    names
}

/// Returns the names of a tool in dialects that differ from its own name.
fn dialect_names(tool: &Tool) -> impl Iterator<Item = (Dialect, &Cow<'static, str>)> {
    let names = tool.names.iter().map(|(dialect, name)| (*dialect, name));
    names.filter(|(_, name)| **name != tool.name)
}

/// Returns the aliases of a toolset, except those that equal its name.
fn aliases(toolset: &Toolset) -> impl Iterator<Item = &Cow<'static, str>> {
    toolset.aliases.iter().filter(|alias| **alias != toolset.name)
}

/// Returns the includes and the base of a toolset.
fn edges(toolset: &Toolset) -> impl Iterator<Item = &Cow<'static, str>> {
    toolset.includes.iter().chain(&toolset.base)
}

/// Appends the refusal of a name.
fn refuse(refusals: &mut Vec<Refusal>, reason: fn(Cow<'static, str>) -> Refusal, name: &str) {
    refusals.push(reason(Cow::Owned(name.to_owned())));
}

impl NameIndex {
    /// Inserts a provider without checking it.
    pub(crate) fn insert(&mut self, registered: RegisteredProvider) {
        for (kind, name, index) in names(&*registered.provider) {
            self.claims[kind as usize].insert(name, Claim { id: registered.id, index });
        }
        self.providers.insert(self.position(registered.id), registered);
    }

    /// Removes a provider.
    pub(crate) fn remove(&mut self, id: ProviderId) -> Option<RegisteredProvider> {
        let position = self.position(id);
        self.providers.get(position).filter(|registered| registered.id == id)?;
        let registered = self.providers.remove(position);
        for (kind, name, _) in names(&*registered.provider) {
            self.claims[kind as usize].remove(name, id);
        }
        Some(registered)
    }

    /// Returns the position of a provider, or the position at which to insert it.
    fn position(&self, id: ProviderId) -> usize {
        self.providers.partition_point(|registered| registered.id < id)
    }

    fn registered(&self, claim: Claim) -> &RegisteredProvider {
        &self.providers[self.position(claim.id)]
    }

    fn tool(&self, claim: Claim) -> &Tool {
        &self.registered(claim).provider.tools()[claim.index]
    }

    fn toolset(&self, claim: Claim) -> &Toolset {
        &self.registered(claim).provider.toolsets()[claim.index]
    }

    fn fact(&self, claim: Claim) -> &Fact {
        &self.registered(claim).provider.facts()[claim.index]
    }

    /// Returns the claims of a name of this kind.
    fn claims(&self, kind: NameKind, name: &str) -> &[Claim] {
        self.claims[kind as usize].get(name)
    }

    fn has(&self, kind: NameKind, name: &str) -> bool {
        !self.claims(kind, name).is_empty()
    }

    /// Returns all names of a kind, sorted, each with its first and its last claim.
    fn names_of_kind(&self, kind: NameKind) -> impl Iterator<Item = (&Cow<'static, str>, Claim, Claim)> {
        let claims = self.claims[kind as usize].iter();
        claims.filter_map(|(name, claims)| Some((name, *claims.first()?, *claims.last()?)))
    }

    /// Returns the tools that can be called, by name.
    pub(crate) fn tools(&self) -> impl Iterator<Item = (&Cow<'static, str>, ProviderIndex, IndexInProvider)> {
        self.names_of_kind(NameKind::Tool)
            .map(|(name, _, last)| (name, ProviderIndex(self.position(last.id)), IndexInProvider(last.index)))
    }

    /// Returns the facts, by name.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.names_of_kind(NameKind::Fact).map(|(_, first, _)| self.fact(first))
    }

    /// Returns the aliases of toolsets, in order, each with its toolset.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = (&Cow<'static, str>, &Toolset)> {
        self.names_of_kind(NameKind::Alias).map(|(name, first, _)| (name, self.toolset(first)))
    }

    /// Returns the declared toolsets, sorted by name. `is_home` returns whether a toolset has home tools. A toolset of run
    /// time that names no tools or toolsets only exists while it has home tools.
    pub(crate) fn toolsets(&self, is_home: &dyn Fn(&str) -> bool) -> impl Iterator<Item = &Toolset> {
        self.names_of_kind(NameKind::Toolset).filter_map(move |(name, first, _)| {
            let toolset = self.toolset(first);
            let names_others = !toolset.tools.is_empty() || edges(toolset).next().is_some();
            let is_static = |claim: &Claim| !self.registered(*claim).provider.checks_names();
            let exists = names_others || is_home(name) || self.claims(NameKind::Toolset, name).iter().any(is_static);
            exists.then_some(toolset)
        })
    }

    /// Returns the declaration of a toolset.
    pub(crate) fn declaration(&self, name: &str) -> Option<&Toolset> {
        self.claims(NameKind::Toolset, name).first().map(|&first| self.toolset(first))
    }

    /// Returns whether a claim of a name conflicts with the provider `id`: whether `differs` returns true for it. The claims of
    /// the other providers agree with each other, or they would have been refused. So only the first and the last of them are
    /// compared, besides all claims of `id`.
    fn conflicts(&self, id: ProviderId, kind: NameKind, name: &str, differs: &dyn Fn(Claim) -> bool) -> bool {
        let claims = self.claims(kind, name);
        let ends = claims.first().into_iter().chain(claims.last());
        let own = claims.partition_point(|claim| claim.id < id)..claims.partition_point(|claim| claim.id <= id);
        ends.chain(&claims[own]).any(|&claim| differs(claim))
    }

    /// Checks a provider that was just inserted or replaced. Returns its refusals, sorted, without duplicates.
    pub(crate) fn refusals(&self, id: ProviderId, provider: &dyn ToolProvider) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        for tool in provider.tools() {
            self.check_tool(tool, &mut refusals);
        }
        for toolset in provider.toolsets() {
            self.check_toolset(id, toolset, &mut refusals);
        }
        for fact in provider.facts() {
            if self.conflicts(id, NameKind::Fact, &fact.name, &|claim| self.fact(claim) != fact) {
                refuse(&mut refusals, Refusal::FactConflict, &fact.name);
            }
        }
        self.check_cycles(provider.toolsets(), &mut refusals);
        if provider.checks_names() {
            provider.toolsets().iter().for_each(|toolset| self.check_names(toolset, &mut refusals));
        }
        let order = sorted::positions(refusals.len(), &|a, b| refusals[a].cmp(&refusals[b]));
        let mut refusals: Vec<Refusal> = order.into_iter().map(|at| refusals[at].clone()).collect();
        refusals.dedup();
        refusals
    }

    fn check_tool(&self, tool: &Tool, refusals: &mut Vec<Refusal>) {
        let overrides = |pair: &[Claim]| pair[0].id != pair[1].id && self.registered(pair[1]).overriding;
        if self.claims(NameKind::DialectName, &tool.name).iter().any(|&claim| self.tool(claim).name != tool.name) {
            refuse(refusals, Refusal::DialectNameTaken, &tool.name);
        }
        if !self.claims(NameKind::Tool, &tool.name).windows(2).all(overrides) {
            refuse(refusals, Refusal::ToolNameTaken, &tool.name);
        }
        for (dialect, name) in dialect_names(tool) {
            let is_taken = |&claim: &Claim| {
                let other = self.tool(claim);
                other.name_in(dialect) == Some(name) && other.name != tool.name
            };
            if self.has(NameKind::Tool, name) || self.claims(NameKind::DialectName, name).iter().any(is_taken) {
                refuse(refusals, Refusal::DialectNameTaken, name);
            }
        }
        let names = std::iter::once(&tool.name).chain(dialect_names(tool).map(|(_, name)| name));
        let reserved = names.filter(|name| RESERVED_TOOLS.contains(&&***name));
        reserved.for_each(|name| refuse(refusals, Refusal::ToolNameReserved, name));
        if EVERYTHING.contains(&&*tool.toolset) {
            refuse(refusals, Refusal::ToolsetNameReserved, &tool.toolset);
        } else if self.has(NameKind::Alias, &tool.toolset) {
            refuse(refusals, Refusal::AliasTaken, &tool.toolset);
        }
    }

    fn check_toolset(&self, id: ProviderId, toolset: &Toolset, refusals: &mut Vec<Refusal>) {
        let name = &toolset.name;
        if EVERYTHING.contains(&&**name) {
            refuse(refusals, Refusal::ToolsetNameReserved, name);
        }
        if self.conflicts(id, NameKind::Toolset, name, &|claim| self.toolset(claim) != toolset) {
            refuse(refusals, Refusal::ToolsetNameTaken, name);
        }
        if self.has(NameKind::Alias, name) {
            refuse(refusals, Refusal::AliasTaken, name);
        }
        for alias in aliases(toolset) {
            let is_name = self.has(NameKind::Toolset, alias) || self.has(NameKind::Home, alias);
            let is_of_another = |claim| self.toolset(claim).name != *name;
            if EVERYTHING.contains(&&**alias) {
                refuse(refusals, Refusal::ToolsetNameReserved, alias);
            } else if is_name || self.conflicts(id, NameKind::Alias, alias, &is_of_another) {
                refuse(refusals, Refusal::AliasTaken, alias);
            }
        }
    }

    /// Returns the toolset with this name or alias.
    fn resolve_toolset(&self, name: &str) -> Option<&Toolset> {
        let claim = self.claims(NameKind::Toolset, name).first().or_else(|| self.claims(NameKind::Alias, name).first());
        claim.map(|&claim| self.toolset(claim))
    }

    /// Appends a refusal for each include cycle that can be reached from `toolsets`.
    fn check_cycles<'b>(&'b self, toolsets: &'b [Toolset], refusals: &mut Vec<Refusal>) {
        // The toolsets that have been reached so far, and their positions by name.
        let mut reached: Vec<&Toolset> = toolsets.iter().collect();
        let mut positions: HashMap<&str, usize> =
            toolsets.iter().enumerate().map(|(position, toolset)| (&*toolset.name, position)).collect();
        let next = |position: usize| {
            let targets = edges(reached[position]).filter_map(|target| self.resolve_toolset(target));
            let targets: Vec<&'b Toolset> = targets.collect();
            let mut position_of = |target: &'b Toolset| {
                *positions.entry(&target.name).or_insert_with(|| {
                    reached.push(target);
                    reached.len() - 1
                })
            };
            targets.into_iter().map(|target| (position_of(target), ())).collect()
        };
        for cycle in cycles(0..toolsets.len(), next) {
            let names = cycle.iter().chain(cycle.first()).map(|&(position, ())| reached[position].name.clone());
            refusals.push(Refusal::IncludeCycle(names.collect()));
        }
    }

    /// Checks that a toolset is not empty, and that the tools and toolsets that it names exist.
    fn check_names(&self, toolset: &Toolset, refusals: &mut Vec<Refusal>) {
        let owner = || toolset.name.clone();
        let is_tool = |name: &Cow<'static, str>| self.has(NameKind::Tool, name);
        let is_toolset = |name: &Cow<'static, str>| {
            [NameKind::Toolset, NameKind::Home, NameKind::Alias].iter().any(|&kind| self.has(kind, name))
        };
        let suggest = |name: &str, kinds: &[NameKind]| {
            let known = kinds.iter().flat_map(|&kind| self.claims[kind as usize].iter().map(|(name, _)| name));
            suggestion(name, known.map(|name| &**name))
        };
        for name in toolset.tools.iter().chain(&toolset.excludes).filter(|name| !is_tool(name)) {
            let hint = if is_toolset(name) {
                ": it is a toolset; name it in `includes`".to_owned()
            } else {
                suggest(name, &[NameKind::Tool])
            };
            refusals.push(Refusal::UnknownTool { toolset: owner(), name: name.clone(), hint });
        }
        for name in edges(toolset).filter(|name| !is_toolset(name)) {
            let hint = if EVERYTHING.contains(&&**name) {
                ": it means all tools, and only sessions can enable it; name the toolsets to include".to_owned()
            } else if is_tool(name) {
                ": it is a tool; name it in `tools`".to_owned()
            } else {
                suggest(name, &[NameKind::Toolset, NameKind::Home])
            };
            refusals.push(Refusal::UnknownToolset { toolset: owner(), name: name.clone(), hint });
        }
        let has_home_tools = !toolset.closed && self.has(NameKind::Home, &toolset.name);
        if toolset.tools.is_empty() && edges(toolset).next().is_none() && !has_home_tools {
            refusals.push(Refusal::EmptyToolset(owner()));
        }
    }
}
