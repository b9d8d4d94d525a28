//! The registry: the tool providers of one process, their tools under unique names, and their toolsets as one graph.

pub(crate) mod error;

use crate::registration::ProviderId;
use crate::registration::state::State;
use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::availability::probe_cache::{ProbeCache, ProbeSubject};
use crate::data::catalog::{Tool, Toolset};
use crate::provider::ToolProvider;
use crate::registration::name_index::{NameIndex, RegisteredProvider};
use crate::registration::refusal::{Refusal, RegistryError};
use crate::registry::error::{SessionError, SessionErrorKind};

/// The tool providers of one process. Cheap to clone: clones are the same registry.
///
/// Providers can be added, replaced and removed at any time and from any thread. A session's next turn shows the
/// change. An existing turn keeps its providers as long as it exists.
///
/// A provider must not call its registry while the registry calls its methods for tools, toolsets or facts.
#[derive(Clone, Default)]
pub struct Registry {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    now: Mutex<RegistryState>,
    /// The number of changes of the name index, readable without a lock.
    number: AtomicU64,
    /// The cached results of checks.
    checks: Arc<ProbeCache>,
}

#[derive(Default)]
struct RegistryState {
    book: NameIndex,
    /// The state, or `None` if the name index has changed since the last request.
    state: Option<Arc<State>>,
}

/// Information about a registered toolset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolsetInfo {
    /// The declaration. For an undeclared home toolset, it only has a name.
    pub declared: Toolset,
    /// The tools that it resolves to, by name.
    pub resolved: Vec<Cow<'static, str>>,
}

impl Registry {
    /// Returns a registry without providers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool provider, with all its tools and toolsets, or nothing of it if it is refused.
    ///
    /// # Errors
    /// Returns an error if a name is taken: a tool's name by any other tool, also by its name in the same dialect; a
    /// toolset's or a fact's name by one with other content; an alias by any other toolset; or a name that toolc
    /// reserves. Also if toolsets form an include cycle, and, for [dynamic tools](crate::DynamicTools), if a toolset
    /// names something unknown or is empty.
    pub fn add(&self, provider: Box<dyn ToolProvider>) -> Result<ProviderId, RegistryError> {
        self.enter(provider.into(), false)
    }

    /// Adds a tool provider whose tools replace registered tools of the same name. Replaced tools reappear when this
    /// provider is removed. If several providers override one tool, the most recent one wins.
    ///
    /// # Errors
    /// Returns the same errors as [`add`](Self::add). A tool's name is taken only if another tool has it in a dialect.
    pub fn add_overriding(&self, provider: Box<dyn ToolProvider>) -> Result<ProviderId, RegistryError> {
        self.enter(provider.into(), true)
    }

    /// Replaces a tool provider atomically: no turn has both, or neither. The new one overrides the same tools, and is
    /// overridden by the same providers. If it is refused, the old one stays.
    ///
    /// # Errors
    /// Returns the same errors as [`add`](Self::add), and an error if the old provider is not registered.
    pub fn replace(&self, id: ProviderId, provider: Box<dyn ToolProvider>) -> Result<(), RegistryError> {
        let provider: Arc<dyn ToolProvider> = ready(provider.into());
        // Dropped after the lock is released, because dropping a provider may run any code.
        let _left;
        let mut now = self.lock();
        let Some(old) = now.book.leave(id) else { return RegistryError::check(vec![Refusal::UnknownProvider(id)]) };
        now.book.enter(RegisteredProvider::new(id, Arc::clone(&provider), old.overriding));
        if let Err(error) = RegistryError::check(now.book.refusals(id, &*provider)) {
            now.book.leave(id);
            now.book.enter(old);
            return Err(error);
        }
        _left = (old, self.changed(&mut now));
        Ok(())
    }

    /// Removes a tool provider, and returns whether it was registered. Existing turns keep it.
    pub fn remove(&self, id: ProviderId) -> bool {
        let _left;
        let mut now = self.lock();
        let Some(held) = now.book.leave(id) else { return false };
        _left = (held, self.changed(&mut now));
        true
    }

    fn enter(&self, provider: Arc<dyn ToolProvider>, overriding: bool) -> Result<ProviderId, RegistryError> {
        let provider = ready(provider);
        let _left;
        let mut now = self.lock();
        let id = ProviderId::next();
        now.book.enter(RegisteredProvider::new(id, Arc::clone(&provider), overriding));
        if let Err(error) = RegistryError::check(now.book.refusals(id, &*provider)) {
            now.book.leave(id);
            return Err(error);
        }
        _left = self.changed(&mut now);
        Ok(id)
    }

    /// Drops the cached results of environment lookups and checks, for all sessions: each checks again for its next
    /// turn, and no failure counts as a flake. For a host that has just changed something that tools require.
    pub fn invalidate_all(&self) {
        self.shared.checks.forget(|_, _| true);
    }

    /// Drops these results for one tool and the requirements of its toolset, or for one toolset and all its home tools.
    ///
    /// # Errors
    /// Returns an error if there is no tool or toolset with this name.
    pub fn invalidate(&self, name: &str) -> Result<(), SessionError> {
        let state = self.state();
        let toolset = state.toolset(name).map(|id| &state.toolsets[id.0]);
        let tool = state.find(name).map(|id| state.tool(id));
        if tool.is_none() && toolset.is_none() {
            let known = state.tools.iter().map(|tool| &*tool.name).chain(state.toolsets.iter().map(|name| &**name));
            return Err(SessionError::unknown(SessionErrorKind::UnknownName, name, known));
        }
        self.shared.checks.forget(|provider, subject| match subject {
            ProbeSubject::Toolset(asked) => {
                toolset.is_some_and(|toolset| toolset == asked) || tool.is_some_and(|tool| tool.toolset == *asked)
            }
            ProbeSubject::Tool(index) => provider
                .tools()
                .get(*index)
                .is_some_and(|asked| asked.name == name || toolset.is_some_and(|toolset| asked.toolset == *toolset)),
        });
        Ok(())
    }

    /// Returns the names of all tools, sorted. A [turn](crate::Session::turn) says which of them are shown.
    pub fn tools(&self) -> Vec<Cow<'static, str>> {
        self.state().tools.iter().map(|tool| tool.name.clone()).collect()
    }

    /// Returns the declaration of a tool.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        let state = self.state();
        state.find(name).map(|id| state.tool(id).clone())
    }

    /// Returns the names of all toolsets, sorted, without aliases, `all` and `*`.
    pub fn toolsets(&self) -> Vec<Cow<'static, str>> {
        self.state().toolsets.clone()
    }

    /// Returns information about the toolset with this name or alias.
    pub fn toolset(&self, name: &str) -> Option<ToolsetInfo> {
        let mut now = self.lock();
        let state = now.state();
        let id = state.toolset(name)?;
        let name = &state.toolsets[id.0];
        let bare = || Toolset { name: name.clone(), ..Toolset::default() };
        let declared = now.book.described(name).cloned().unwrap_or_else(bare);
        drop(now);
        let members = state.graph.resolve(id.0).into_iter().zip(&state.tools);
        let resolved = members.filter(|(is_member, _)| *is_member).map(|(_, tool)| tool.name.clone()).collect();
        Some(ToolsetInfo { declared, resolved })
    }

    pub(crate) fn checks(&self) -> &Arc<ProbeCache> {
        &self.shared.checks
    }

    pub(crate) fn state(&self) -> Arc<State> {
        self.lock().state()
    }

    /// Returns whether this is the current state.
    pub(crate) fn is_at(&self, state: &State) -> bool {
        self.shared.number.load(Ordering::Acquire) == state.number
    }

    fn lock(&self) -> MutexGuard<'_, RegistryState> {
        self.shared.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a change. The returned state must be dropped after the lock is released.
    fn changed(&self, now: &mut RegistryState) -> Option<Arc<State>> {
        now.book.number += 1;
        self.shared.number.store(now.book.number, Ordering::Release);
        now.state.take()
    }
}

impl RegistryState {
    fn state(&mut self) -> Arc<State> {
        Arc::clone(self.state.get_or_insert_with(|| Arc::new(State::new(&self.book))))
    }
}

/// Loads all data of a provider before it is registered: a generated provider unpacks its data once, which takes time.
fn ready(provider: Arc<dyn ToolProvider>) -> Arc<dyn ToolProvider> {
    let _ = (provider.tools(), provider.toolsets(), provider.facts());
    provider
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.tools()).field("toolsets", &self.toolsets()).finish()
    }
}

#[cfg(test)]
mod tests;
