//! The registry: the providers of one process, their tools under unique names, their toolsets as one graph.

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
use crate::registry::error::SessionError;

/// The providers of one process. Cheap to clone: clones are the same registry.
///
/// Providers may come, be replaced and go at any time and from any thread. A session's next turn shows what has changed;
/// a turn keeps what it was made from, and so its providers, as long as anybody holds it.
///
/// No provider may ask its registry while that asks it for its tools, toolsets or facts.
#[derive(Clone, Default)]
pub struct Registry {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    now: Mutex<RegistryState>,
    /// The book's own number, to be looked at without a lock.
    number: AtomicU64,
    /// What handlers say of their tools.
    checks: Arc<ProbeCache>,
}

#[derive(Default)]
struct RegistryState {
    book: NameIndex,
    /// What the book comes to. None: it has changed since somebody asked.
    state: Option<Arc<State>>,
}

/// What a registry says of a toolset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsetInfo {
    /// What was declared; of a home toolset that nobody describes, its name.
    pub declared: Toolset,
    /// The tools that it resolves to, by name.
    pub resolved: Vec<Cow<'static, str>>,
}

impl Registry {
    /// A registry without providers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a provider: all that it brings, or nothing.
    ///
    /// # Errors
    /// When a name is taken: a tool's by any other tool, be it that one's name in the same dialect; a toolset's or a
    /// fact's by one with another content; an alias by any other toolset; or a tool's or toolset's by toolc itself. When
    /// toolsets would bring themselves along. Of [dynamic tools](crate::DynamicTools) also when a toolset names what is
    /// not there, or holds nothing.
    pub fn add(&self, provider: Box<dyn ToolProvider>) -> Result<ProviderId, RegistryError> {
        self.enter(provider.into(), false)
    }

    /// Adds a provider whose tools stand in for those of the same names that are there. Those are as if they were not,
    /// and come back when this one goes. Of several that override one tool, the last one does.
    ///
    /// # Errors
    /// As [`add`](Self::add); a tool's name is taken where another tool has it in a dialect.
    pub fn add_overriding(&self, provider: Box<dyn ToolProvider>) -> Result<ProviderId, RegistryError> {
        self.enter(provider.into(), true)
    }

    /// Puts a provider in the place of another, at once: no turn has both, or neither. It overrides what that one
    /// overrode, and is overridden by those by which that one was. If it is refused, the other one stays.
    ///
    /// # Errors
    /// As [`add`](Self::add), and when that provider is not there any more.
    pub fn replace(&self, id: ProviderId, provider: Box<dyn ToolProvider>) -> Result<(), RegistryError> {
        let provider: Arc<dyn ToolProvider> = ready(provider.into());
        // Dropped when the lock is free, as is one that is refused: what providers do then is their own affair.
        let _left;
        let mut now = self.lock();
        let Some(old) = now.book.leave(id) else { return RegistryError::of(vec![Refusal::NoProvider(id)]) };
        now.book.enter(RegisteredProvider::new(id, Arc::clone(&provider), old.overriding));
        if let Err(error) = RegistryError::of(now.book.refusals(id, &*provider)) {
            now.book.leave(id);
            now.book.enter(old);
            return Err(error);
        }
        _left = (old, self.changed(&mut now));
        Ok(())
    }

    /// Removes a provider, and says whether it was there. Turns that are under way keep it.
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
        if let Err(error) = RegistryError::of(now.book.refusals(id, &*provider)) {
            now.book.leave(id);
            return Err(error);
        }
        _left = self.changed(&mut now);
        Ok(id)
    }

    /// Forgets what the environment and the handlers said of the tools, for all sessions: each looks and asks again for its
    /// next turn, and takes no failure for a flake. For a host that has just changed what tools require.
    pub fn invalidate_all(&self) {
        self.shared.checks.forget(|_, _| true);
    }

    /// The same for one tool, with what its toolset has to pass, or for one toolset, with all of its home tools.
    ///
    /// # Errors
    /// When there is no tool and no toolset of this name.
    pub fn invalidate(&self, name: &str) -> Result<(), SessionError> {
        let state = self.state();
        let toolset = state.toolset(name).map(|id| &state.toolsets[id]);
        let tool = state.find(name).map(|id| state.tool(id));
        if tool.is_none() && toolset.is_none() {
            let known = state.tools.iter().map(|tool| &*tool.name).chain(state.toolsets.iter().map(|name| &**name));
            return Err(SessionError::unknown("tool or toolset", name, known));
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

    /// The names of all tools, sorted. Which of them a model is shown, a [turn](crate::Session::turn) says.
    pub fn tools(&self) -> Vec<Cow<'static, str>> {
        self.state().tools.iter().map(|tool| tool.name.clone()).collect()
    }

    /// What is declared of a tool.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        let state = self.state();
        state.find(name).map(|id| state.tool(id).clone())
    }

    /// The names of all toolsets, sorted, without aliases, `all` and `*`.
    pub fn toolsets(&self) -> Vec<Cow<'static, str>> {
        self.state().toolsets.clone()
    }

    /// What there is to say of the toolset of this name or alias.
    pub fn toolset(&self, name: &str) -> Option<ToolsetInfo> {
        let mut now = self.lock();
        let state = now.state();
        let id = state.toolset(name)?;
        let name = &state.toolsets[id];
        let bare = || Toolset { name: name.clone(), ..Toolset::default() };
        let declared = now.book.described(name).cloned().unwrap_or_else(bare);
        drop(now);
        let members = state.graph.resolve(id).into_iter().zip(&state.tools);
        let resolved = members.filter(|(is_member, _)| *is_member).map(|(_, tool)| tool.name.clone()).collect();
        Some(ToolsetInfo { declared, resolved })
    }

    pub(crate) fn checks(&self) -> &Arc<ProbeCache> {
        &self.shared.checks
    }

    pub(crate) fn state(&self) -> Arc<State> {
        self.lock().state()
    }

    /// Whether this is still its state.
    pub(crate) fn is_at(&self, state: &State) -> bool {
        self.shared.number.load(Ordering::Acquire) == state.number
    }

    fn lock(&self) -> MutexGuard<'_, RegistryState> {
        self.shared.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says so. What was known of the book is to be dropped when the lock is free.
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

/// A provider that has been asked for all that it brings: a generated one reads that once, which takes its time.
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
