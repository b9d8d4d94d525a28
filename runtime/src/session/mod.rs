//! Sessions: one conversation with its own choice of toolsets.

pub(crate) mod config;
pub(crate) mod turn;

use crate::registry::error::{SessionError, SessionErrorKind};
use std::borrow::Cow;
use std::fmt;
use std::mem::discriminant;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::availability::probe_cache::{DEFAULT_TIMEOUT, Expiry, ProbePolicy, ProbeScope, ProbeStatus};
use crate::availability::resolve::{Candidates, EnvSnapshot};
use crate::availability::selection::DeniedTools;
use crate::call::approval::Approver;
use crate::call::hooks::Hook;
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::data::segment::FactValue;
use crate::observe::log::Log;
#[cfg(feature = "tracing")]
use crate::observe::trace;
use crate::registration::atoms::{FactLookup, FactValues};
use crate::registration::state::State;
use crate::registry::Registry;
use crate::result::limit::ResultLimits;
use crate::result::spill::SpillStore;
use crate::run::clock::Clock;
use crate::run::progress::Progress;
use crate::run::task::Task;
use crate::session::config::SessionConfig;
use crate::session::turn::Turn;
use crate::text::nearest::nearest;
use crate::text::nearest::suggestion;

impl Registry {
    /// Starts to configure a session: one conversation.
    pub fn session(&self) -> SessionBuilder {
        SessionBuilder::new(self.clone())
    }
}

/// One conversation: the tools that it was granted, from those that the registry currently holds.
pub struct Session {
    registry: Registry,
    config: Arc<SessionConfig>,
    world: ProbeScope,
    clock: Clock,
    /// The time that a turn waits for checks.
    check_timeout: Duration,
    state: Mutex<SessionState>,
}

struct SessionState {
    /// The facts that the host has set.
    facts: Arc<FactValues>,
    denied: DeniedTools,
    /// The results of environment lookups.
    env: Option<Arc<EnvSnapshot>>,
    latest: Option<Latest>,
}

/// A turn whose checks may still have to run.
struct TurnDraft {
    state: Arc<State>,
    dialect: Dialect,
    facts: Arc<FactValues>,
    /// The change counter when it was started.
    changes: u64,
    env: Arc<EnvSnapshot>,
    candidates: Candidates,
}

/// The latest turn, which is reused while nothing changes.
struct Latest {
    turn: Turn,
    until: Expiry,
    /// The change counter when it was started.
    changes: u64,
}

/// A builder of a [`Session`].
#[derive(Debug)]
#[must_use = "a session begins with `build`"]
pub struct SessionBuilder {
    registry: Registry,
    facts: Vec<(Cow<'static, str>, FactValue)>,
    config: SessionConfig,
    pub(crate) clock: Clock,
    check_timeout: Duration,
}

impl SessionBuilder {
    pub(crate) fn new(registry: Registry) -> Self {
        let (config, clock) = (SessionConfig::default(), Clock::default());
        Self { registry, facts: Vec::new(), config, clock, check_timeout: DEFAULT_TIMEOUT }
    }

    /// Sets the session's id, which handlers can read.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.config.id = id.into();
        self
    }

    /// Enables toolsets: grants their tools and their bases' tools. `all` and `*` stand for all tools. A session that
    /// enables nothing has all tools.
    pub fn enable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.config.selection.enabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Disables toolsets: removes their tools, but not those of their bases. Wins over enabling.
    pub fn disable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.config.selection.disabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Enables tools, by their own names, in addition to those of enabled toolsets. If no toolset is enabled, the
    /// session has only these.
    pub fn enable_tools<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.config.selection.enabled_tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Disables tools. Wins over enabling.
    pub fn disable_tools<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.config.selection.disabled_tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets facts. A generated catalog has a struct `Facts` for this.
    pub fn facts(mut self, facts: impl IntoIterator<Item = (Cow<'static, str>, FactValue)>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// Sets the environment in which tools' requirements are looked up, instead of the process's. Results of checks in
    /// an environment of its own belong to this session only; sessions in the process's environment share them.
    pub fn env(mut self, env: Env) -> Self {
        self.config.env = env;
        self
    }

    /// Sets the time limit for all availability checks of a turn, which run concurrently: 2 seconds by default. See
    /// [`ToolProvider::available`](crate::ToolProvider::available).
    pub fn check_timeout(mut self, timeout: Duration) -> Self {
        self.check_timeout = timeout;
        self
    }

    /// Adds a hook, which runs after the previously added ones.
    pub fn hook(mut self, hook: Arc<dyn Hook>) -> Self {
        self.config.hooks.push(hook);
        self
    }

    /// Sets the approver of calls that need approval. Without one, such calls are refused.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.config.approver = Some(approver);
        self
    }

    /// Sets the time limit of the approver, 60 seconds by default. A timeout denies the call.
    pub fn approval_timeout(mut self, timeout: Duration) -> Self {
        self.config.approval_timeout = timeout;
        self
    }

    /// Sets the limits of results, for tools without a limit of their own.
    pub fn result_limits(mut self, limits: ResultLimits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Sets the store for results that are too long. Without one, they are cut, and the rest is lost.
    pub fn spill(mut self, spill: Arc<dyn SpillStore>) -> Self {
        self.config.spill = Some(spill);
        self
    }

    /// Enables tool search for large sets of tools: the model is shown `tool_search`, `tool_describe` and `tool_call`
    /// instead of all deferrable tools. Deferred tools are in the turn: conditions on them are true, and they can be
    /// called, with the same hooks and limits as always.
    #[cfg(feature = "search")]
    pub fn tool_search(mut self, search: crate::render::search_tools::ToolSearch) -> Self {
        self.config.search = Some(search);
        self
    }

    /// Sets the time limit of calls of tools without one; 300 seconds by default. Waiting for a thread counts. Sync
    /// handlers have no time limit, because they cannot be stopped.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.config.timeout = timeout;
        self
    }

    /// Sets a callback for progress reports: in order for each call, and none after the call's response. It runs on the
    /// handler's thread, which waits for it: pass the report on, and do not wait for the call.
    pub fn on_progress(mut self, tell: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        self.config.progress = Some(Arc::new(tell));
        self
    }

    /// Builds the session.
    ///
    /// # Errors
    /// Returns an error for an unknown toolset, tool or fact, or a fact of another type: silently granting fewer or
    /// more tools is never right.
    pub fn build(mut self) -> Result<Session, SessionError> {
        // The log comes before all hooks, so that it sees calls as they arrive.
        if let Some(log) = Log::if_wanted() {
            self.config.hooks.insert(0, log);
        }
        let state = self.registry.state();
        if let Some(name) = self.config.selection.unknown(&state) {
            return Err(unknown_toolset(&state, name));
        }
        if let Some(name) = self.config.selection.unknown_tool(&state) {
            return Err(SessionError::unknown(
                SessionErrorKind::UnknownTool,
                name,
                state.tools.iter().map(|tool| &*tool.name),
            ));
        }
        let Self { registry, facts, config, clock, check_timeout } = self;
        let world = registry.checks().world(&config.env);
        let state = SessionState { facts: Arc::default(), denied: DeniedTools::new(state), env: None, latest: None };
        let (config, state) = (Arc::new(config), Mutex::new(state));
        let session = Session { registry, config, world, clock, check_timeout, state };
        session.set_facts(facts)?;
        Ok(session)
    }
}

impl Session {
    /// Returns the current turn in `dialect`. A session that has not changed returns the same turn again, at once.
    ///
    /// Results of environment lookups and checks are cached for 30 seconds. A turn with the same tools has the same
    /// definitions, at the same address. If checks must run, they run on a thread pool of their own, and this waits until
    /// they have answered, at most for the session's [`check_timeout`](SessionBuilder::check_timeout).
    ///
    /// Toolsets are resolved by name whenever the registry has changed. One that no longer exists grants nothing until
    /// it comes back, and is listed in [`missing_toolsets`](Turn::missing_toolsets). The tools of a disabled one stay
    /// disabled meanwhile.
    pub async fn turn(&self, dialect: Dialect) -> Turn {
        let draft = match self.unchanged_turn(dialect) {
            Ok(turn) => return turn,
            Err(state) => self.draft(state, dialect),
        };
        let mut statuses = Vec::new();
        if !draft.candidates.probes.is_empty() {
            statuses = self.world.ask(&draft.candidates.probes, &self.probe_policy()).await;
        }
        self.complete(draft, statuses)
    }

    /// [`turn`](Self::turn) for code that is not asynchronous: this thread waits for checks.
    pub fn turn_blocking(&self, dialect: Dialect) -> Turn {
        let draft = match self.unchanged_turn(dialect) {
            Ok(turn) => return turn,
            Err(state) => self.draft(state, dialect),
        };
        let mut statuses = Vec::new();
        if !draft.candidates.probes.is_empty() {
            statuses = self.world.ask_blocking(&draft.candidates.probes, &self.probe_policy());
        }
        self.complete(draft, statuses)
    }

    /// Returns the latest turn if it is still valid, or else the state to make the next turn from.
    fn unchanged_turn(&self, dialect: Dialect) -> Result<Turn, MutexGuard<'_, SessionState>> {
        let state = self.state();
        if let Some(Latest { turn, until, changes }) = &state.latest
            && self.registry.is_at(turn.state())
            && turn.dialect() == dialect
            && *changes == self.world.checks().changes()
            && !until.is_over(&self.clock)
        {
            return Ok(turn.clone());
        }
        Err(state)
    }

    /// Begins a turn: looks up the environment, and finds the checks to run. No lock is held afterwards.
    fn draft(&self, mut session: MutexGuard<'_, SessionState>, dialect: Dialect) -> TurnDraft {
        let (state, changes) = (self.registry.state(), self.world.checks().changes());
        let policy = self.probe_policy();
        let facts = Arc::clone(&session.facts);
        let known = session.env.clone().filter(|env| env.is_of(&state));
        let env = match known {
            Some(env) if env.is_valid(changes, &policy) => {
                drop(session);
                env
            }
            outdated => {
                let granted = self.config.selection.granted(&state, &mut session.denied);
                drop(session);
                if outdated.is_none() {
                    self.world.checks().keep(&state.providers);
                }
                Arc::new(EnvSnapshot::new(Arc::clone(&state), granted, changes, &policy))
            }
        };
        let candidates = env.candidates(dialect, FactLookup { set: &facts, defaults: &state.facts });
        TurnDraft { state, dialect, facts, changes, env, candidates }
    }

    /// Makes a turn of a draft and the results of its checks.
    fn complete(&self, draft: TurnDraft, statuses: Vec<ProbeStatus>) -> Turn {
        let TurnDraft { state, dialect, facts, changes, env, candidates } = draft;
        let set = env.conclude(candidates, statuses, &self.clock);
        let until = set.expiry;
        let session = &mut *self.state();
        let latest = session.latest.as_ref().map(|latest| &latest.turn).filter(|turn| turn.is_of(&state, dialect));
        let lookup = FactLookup { set: &facts, defaults: &state.facts };
        let turn = Turn::new(&state, &self.config, dialect, set, lookup, latest);
        #[cfg(feature = "tracing")]
        trace::made(turn.flakes(), turn.hidden().map(|hidden| (hidden.tool, hidden.reason)));
        // Facts that were set meanwhile are for the next turn.
        if Arc::ptr_eq(&session.facts, &facts) {
            session.env = Some(env);
            session.latest = Some(Latest { turn: turn.clone(), until, changes });
        }
        turn
    }

    fn probe_policy(&self) -> ProbePolicy<'_> {
        ProbePolicy { env: &self.config.env, clock: &self.clock, timeout: self.check_timeout }
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the task of calls without a task.
    pub fn task(&self) -> &Task {
        &self.config.task
    }

    /// Cancels the session's running calls. Later calls are not affected.
    pub fn cancel(&self) {
        self.config.cancel.cancel();
    }

    /// Sets facts. Existing turns keep the facts that they were made with.
    ///
    /// # Errors
    /// Returns an error for an unknown fact, or one of another type; then no fact is set.
    pub fn set_facts(
        &self,
        facts: impl IntoIterator<Item = (Cow<'static, str>, FactValue)>,
    ) -> Result<(), SessionError> {
        let state = self.registry.state();
        let facts: Vec<(Cow<'static, str>, FactValue)> = facts.into_iter().collect();
        for (name, value) in &facts {
            match state.facts.get(name) {
                Some(_) if matches!(value, FactValue::Integer(i) if !FactValue::INTEGERS.contains(i)) => {
                    let message = format!("the fact `{name}` must be an integer within ±2^53");
                    return Err(SessionError::new(SessionErrorKind::FactRange, name, message));
                }
                Some(default) if discriminant(default) == discriminant(value) => {}
                Some(default) => {
                    let (expected, actual) = (default.noun(), value.noun());
                    let message = format!("the fact `{name}` must be {expected}, not {actual}");
                    return Err(SessionError::new(SessionErrorKind::FactType, name, message));
                }
                None => {
                    return Err(SessionError::unknown(
                        SessionErrorKind::UnknownFact,
                        name,
                        state.facts.keys().map(|name| &**name),
                    ));
                }
            }
        }
        let mut session = self.state();
        // Setting the same value again changes nothing, so that prompt caches stay valid.
        if facts.iter().any(|(name, value)| session.facts.get(name) != Some(value)) {
            let told = Arc::make_mut(&mut session.facts);
            for (name, value) in facts {
                told.insert(name, value);
            }
            // Expires the latest turn; the next one is made from it.
            session.latest.iter_mut().for_each(|latest| latest.until = Expiry::Expired);
        }
        Ok(())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.config.id)
            .field("enabled", &self.config.selection.enabled)
            .field("disabled", &self.config.selection.disabled)
            .field("env", &self.config.env)
            .finish_non_exhaustive()
    }
}

fn unknown_toolset(state: &State, name: &str) -> SessionError {
    let near = nearest(name, state.toolsets.iter().map(|name| &**name));
    let hint = if !near.is_empty() {
        suggestion(&near)
    } else if let Some(tool) = state.tool_ids().map(|id| state.tool(id)).find(|tool| tool.name == name) {
        format!(": it is a tool, of the toolset `{}`", tool.toolset)
    } else {
        format!(": there are all, {}", state.toolsets.join(", "))
    };
    SessionError::new(SessionErrorKind::UnknownToolset, name, format!("unknown toolset `{name}`{hint}"))
}

#[cfg(test)]
mod tests;
