//! The registry: the tool providers of one process, their tools under unique names, and their toolsets as one graph.

pub(crate) mod error;

use crate::registration::ProviderId;
use crate::registration::state::RegistrySnapshot;
use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::data::catalog::{Fact, Tool, Toolset};
use crate::env::Env;
use crate::provider::ToolProvider;
use crate::provider::probe_cache::{ProbeCache, ProbeSubject};
use crate::registration::name_index::{NameIndex, RegisteredProvider};
use crate::registration::refusal::{Refusal, RegistryError};
use crate::registration::repair_counts::RepairCount;
use crate::registry::error::{SessionError, SessionErrorKind};
use toolc_redact::Redactor;

/// The tool providers of a process. Cheap to clone: clones share the same registry.
///
/// Providers can be added, replaced and removed at any time and from any thread. Sessions see the change in their next
/// turn. Existing turns keep the providers that they were made with.
///
/// A provider's methods that return its tools, toolsets or facts must not call the registry, which would deadlock.
#[derive(Clone, Default)]
pub struct Registry {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<RegistryState>,
    /// The generation of the name index, readable without a lock.
    generation: AtomicU64,
    /// The cached results of checks.
    probe_cache: Arc<ProbeCache>,
}

#[derive(Default)]
struct RegistryState {
    names: NameIndex,
    /// The state, or `None` if the name index has changed since it was made.
    state: Option<Arc<RegistrySnapshot>>,
}

/// Information about a registered toolset: see [`Registry::toolset`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolsetInfo {
    /// The declaration. For a home toolset that no provider declares, it only has a name.
    pub declared: Toolset,
    /// The names of the tools that the toolset resolves to, sorted.
    pub resolved: Vec<Cow<'static, str>>,
}

impl Registry {
    /// Returns a registry without providers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool provider with all its tools and toolsets. If it is refused, nothing is added.
    ///
    /// # Errors
    /// Returns an error with all reasons if
    ///
    /// - a tool's name, or its name in a dialect, belongs to another tool;
    /// - another provider declares a toolset or fact of the same name with different content;
    /// - an alias is the name or alias of another toolset;
    /// - a name is reserved by toolc;
    /// - toolsets include each other in a cycle;
    /// - a toolset of [dynamic tools](crate::DynamicTools) is empty, or names an unknown tool or toolset.
    pub fn add(&self, provider: Box<dyn ToolProvider>) -> Result<ProviderId, RegistryError> {
        self.insert(provider.into(), false)
    }

    /// Adds a tool provider whose tools replace registered tools of the same name. Replaced tools are available again when
    /// this provider is removed. If several providers override one tool, the most recent one wins.
    ///
    /// # Errors
    /// Returns the same errors as [`add`](Self::add), except that the name of a tool may belong to another tool (but not the
    /// name in a dialect).
    pub fn add_overriding(&self, provider: Box<dyn ToolProvider>) -> Result<ProviderId, RegistryError> {
        self.insert(provider.into(), true)
    }

    /// Replaces a tool provider atomically: each turn has either the old or the new one. The new provider takes over the id,
    /// and the position among providers that override each other. If it is refused, the old one stays.
    ///
    /// # Errors
    /// Returns the same errors as [`add`](Self::add), and an error if `id` is not registered.
    pub fn replace(&self, id: ProviderId, provider: Box<dyn ToolProvider>) -> Result<(), RegistryError> {
        let provider: Arc<dyn ToolProvider> = preload(provider.into())?;
        // Declared before the lock, so that it is dropped after it: dropping a provider may run any code.
        let _dropped_unlocked;
        let mut locked = self.lock();
        let Some(old) = locked.names.remove(id) else {
            return RegistryError::check(vec![Refusal::UnknownProvider(id)]);
        };
        locked.names.insert(RegisteredProvider::new(id, Arc::clone(&provider), old.overriding));
        if let Err(error) = RegistryError::check(locked.names.refusals(id, &*provider)) {
            locked.names.remove(id);
            locked.names.insert(old);
            return Err(error);
        }
        _dropped_unlocked = (old, self.record_change(&mut locked));
        Ok(())
    }

    /// Removes a tool provider. Existing turns keep it. Returns whether it was registered.
    pub fn remove(&self, id: ProviderId) -> bool {
        let _dropped_unlocked;
        let mut locked = self.lock();
        let Some(removed) = locked.names.remove(id) else { return false };
        _dropped_unlocked = (removed, self.record_change(&mut locked));
        true
    }

    fn insert(&self, provider: Arc<dyn ToolProvider>, overriding: bool) -> Result<ProviderId, RegistryError> {
        let provider = preload(provider)?;
        let _dropped_unlocked;
        let mut locked = self.lock();
        let id = ProviderId::next();
        locked.names.insert(RegisteredProvider::new(id, Arc::clone(&provider), overriding));
        if let Err(error) = RegistryError::check(locked.names.refusals(id, &*provider)) {
            locked.names.remove(id);
            return Err(error);
        }
        _dropped_unlocked = self.record_change(&mut locked);
        Ok(id)
    }

    /// Drops all cached results of environment lookups and checks, for all sessions. Sessions look up and check again for
    /// their next turn, and no failure counts as a flake. Call it after changing something that tools require.
    pub fn invalidate_all(&self) {
        self.shared.probe_cache.invalidate(&|_, _| true);
    }

    /// Drops the cached results for one tool and its home toolset, or for one toolset and all its home tools: see
    /// [`invalidate_all`](Self::invalidate_all).
    ///
    /// # Errors
    /// Returns an error if no tool or toolset has this name.
    pub fn invalidate(&self, name: &str) -> Result<(), SessionError> {
        let state = self.state();
        let toolset = state.toolset(name).map(|id| &state.toolsets[id.0]);
        let tool = state.find(name).map(|id| state.tool(id));
        if tool.is_none() && toolset.is_none() {
            let known = state.tools.iter().map(|tool| &*tool.name).chain(state.toolsets.iter().map(|name| &**name));
            return Err(SessionError::unknown(SessionErrorKind::UnknownName, name, known));
        }
        self.shared.probe_cache.invalidate(&|provider, subject| match subject {
            ProbeSubject::Toolset(name) => {
                toolset.is_some_and(|toolset| toolset == name) || tool.is_some_and(|tool| tool.toolset == *name)
            }
            ProbeSubject::Tool(index) => provider.tools().get(*index).is_some_and(|checked| {
                checked.name == name || toolset.is_some_and(|toolset| checked.toolset == *toolset)
            }),
        });
        Ok(())
    }

    /// Returns the names of all registered tools, sorted, whether a session shows them or not.
    pub fn tools(&self) -> Vec<Cow<'static, str>> {
        self.state().tools.iter().map(|tool| tool.name.clone()).collect()
    }

    /// Returns the declaration of a tool, or `None` if it is unknown.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        let state = self.state();
        state.find(name).map(|id| state.tool(id).clone())
    }

    /// Returns the declaration of the tool that a person calls `name`. Like the name in a call, this may be the name in another case or with
    /// `-` instead of `_`, or an alias, if it fits only one tool.
    pub fn tool_called(&self, name: &str) -> Option<Tool> {
        let state = self.state();
        state.resolve_name(name).map(|id| state.tool(id).clone())
    }

    /// Returns the names of all toolsets, sorted. Aliases, `all` and `*` are not included.
    pub fn toolsets(&self) -> Vec<Cow<'static, str>> {
        self.state().toolsets.clone()
    }

    /// Returns information about the toolset with this name or alias, or `None` if it is unknown.
    pub fn toolset(&self, name: &str) -> Option<ToolsetInfo> {
        let mut locked = self.lock();
        let state = locked.state();
        let id = state.toolset(name)?;
        let name = &state.toolsets[id.0];
        let undeclared = || Toolset { name: name.clone(), ..Toolset::default() };
        let declared = locked.names.declaration(name).cloned().unwrap_or_else(undeclared);
        drop(locked);
        let members = state.graph.resolve(id.0).into_iter().zip(&state.tools);
        let resolved = members.filter(|(is_member, _)| *is_member).map(|(_, tool)| tool.name.clone()).collect();
        Some(ToolsetInfo { declared, resolved })
    }

    /// Returns the declared facts, sorted by name.
    pub fn facts(&self) -> Vec<Fact> {
        self.state().facts.iter().map(|(name, default)| Fact::new(name.clone(), default.clone())).collect()
    }

    /// Returns a value that replaces secrets in texts: the values of the variables of `env` that the host has set [as
    /// secrets](Env::with_secret), of those that a provider declares as secret, and all keys and tokens in the format of a vendor that other
    /// variables have. Any other value of a variable that a provider declares as not secret is left.
    pub fn redactor(&self, env: &Env) -> Redactor {
        self.state().redactor(env)
    }

    /// Returns how many calls of each tool had a parameter that was [repaired](crate::repair), since the registry was made.
    /// The counts are sorted by tool and parameter; those of zero are omitted. Calls with invalid arguments do not count.
    pub fn repairs(&self) -> Vec<RepairCount> {
        let counts = Arc::clone(&self.lock().names.repairs);
        counts.list()
    }

    pub(crate) fn probe_cache(&self) -> &Arc<ProbeCache> {
        &self.shared.probe_cache
    }

    pub(crate) fn state(&self) -> Arc<RegistrySnapshot> {
        self.lock().state()
    }

    /// Returns whether `state` is the current state.
    pub(crate) fn is_current(&self, state: &RegistrySnapshot) -> bool {
        self.shared.generation.load(Ordering::Acquire) == state.generation
    }

    fn lock(&self) -> MutexGuard<'_, RegistryState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a change. Returns the outdated state, which must be dropped after the lock is released.
    fn record_change(&self, locked: &mut RegistryState) -> Option<Arc<RegistrySnapshot>> {
        locked.names.generation += 1;
        self.shared.generation.store(locked.names.generation, Ordering::Release);
        locked.state.take()
    }
}

impl RegistryState {
    fn state(&mut self) -> Arc<RegistrySnapshot> {
        Arc::clone(self.state.get_or_insert_with(|| Arc::new(RegistrySnapshot::new(&self.names))))
    }
}

/// Calls all methods that load data of a provider, before the lock is taken: a generated provider unpacks its data on first
/// use, which takes time.
fn preload(provider: Arc<dyn ToolProvider>) -> Result<Arc<dyn ToolProvider>, RegistryError> {
    RegistryError::check(provider.damage().map(Refusal::Damaged).into_iter().collect())?;
    let _ = (provider.tools(), provider.toolsets(), provider.facts());
    Ok(provider)
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.tools()).field("toolsets", &self.toolsets()).finish()
    }
}

#[cfg(test)]
mod tests;
