//! A session: one conversation's choice of toolsets.

pub(crate) mod config;
pub(crate) mod turn;

use crate::registry::error::SessionError;
use std::borrow::Cow;
use std::fmt;
use std::mem::discriminant;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::availability::probe_cache::{DEFAULT_TIMEOUT, Expiry, ProbePolicy, ProbeScope};
use crate::availability::resolve::EnvSnapshot;
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
use crate::text::nearest::did_you_mean;
use crate::text::nearest::nearest;

impl Registry {
    /// Begins a conversation.
    pub fn session(&self) -> SessionBuilder {
        SessionBuilder::new(self.clone())
    }
}

/// One conversation: what it was granted, out of whatever the registry holds at the time.
pub struct Session {
    registry: Registry,
    host: Arc<SessionConfig>,
    world: ProbeScope,
    clock: Clock,
    /// How long a turn waits for checks.
    patience: Duration,
    now: Mutex<SessionState>,
}

struct SessionState {
    /// What the host said.
    facts: Arc<FactValues>,
    denied: DeniedTools,
    /// What the environment said.
    seen: Option<Arc<EnvSnapshot>>,
    latest: Option<Latest>,
}

/// The latest turn, which is handed out again while nothing has changed.
struct Latest {
    turn: Turn,
    until: Expiry,
    /// How much had changed when it was begun.
    changes: u64,
}

/// The choices of a session that is about to begin.
#[derive(Debug)]
#[must_use = "a session begins with `build`"]
pub struct SessionBuilder {
    registry: Registry,
    facts: Vec<(Cow<'static, str>, FactValue)>,
    host: SessionConfig,
    pub(crate) clock: Clock,
    patience: Duration,
}

impl SessionBuilder {
    pub(crate) fn new(registry: Registry) -> Self {
        let (host, clock) = (SessionConfig::default(), Clock::default());
        Self { registry, facts: Vec::new(), host, clock, patience: DEFAULT_TIMEOUT }
    }

    /// Calls the session so, for whoever handles its calls.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.host.id = id.into();
        self
    }

    /// Grants what these toolsets resolve to. `all` and `*` are every tool; nothing enabled means `all`.
    pub fn enable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.host.choice.enabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Takes away what these toolsets resolve to, less what their bases do. Wins over enabling.
    pub fn disable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.host.choice.disabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Grants these tools, by their own names, beside what toolsets grant. Where only tools are enabled, it is those.
    pub fn enable_tools<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.host.choice.enabled_tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Takes these tools away. Wins over enabling.
    pub fn disable_tools<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.host.choice.disabled_tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Says what the host's world is like. A generated catalog has a `FactLookup` struct for this.
    pub fn facts(mut self, facts: impl IntoIterator<Item = (Cow<'static, str>, FactValue)>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// Looks for what tools require in `env`, instead of the process's environment. What handlers say of their tools in an
    /// environment of its own is said for this session alone; sessions in the process's environment share it.
    pub fn env(mut self, env: Env) -> Self {
        self.host.env = env;
        self
    }

    /// Waits this long for what handlers say of their tools, 2 seconds by default: all of them are asked at the same time,
    /// and no turn takes longer. See [`ToolProvider::available`](crate::ToolProvider::available).
    pub fn check_timeout(mut self, timeout: Duration) -> Self {
        self.patience = timeout;
        self
    }

    /// Has a say in every call, after the hooks that were added before it.
    pub fn hook(mut self, hook: Arc<dyn Hook>) -> Self {
        self.host.hooks.push(hook);
        self
    }

    /// Asks this one about calls that have to be approved. Without, they are refused.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.host.approver = Some(approver);
        self
    }

    /// Waits this long for whoever approves a call, 60 seconds by default. No answer by then is a denial.
    pub fn approval_timeout(mut self, timeout: Duration) -> Self {
        self.host.patience = timeout;
        self
    }

    /// Tells the model this much of results, where a tool itself does not say how much.
    pub fn result_limits(mut self, limits: ResultLimits) -> Self {
        self.host.limits = limits;
        self
    }

    /// Keeps results here that are too long. Without, they are cut, and the rest is lost.
    pub fn spill(mut self, spill: Arc<dyn SpillStore>) -> Self {
        self.host.spill = Some(spill);
        self
    }

    /// Has tool search stand for tools where there are many: the model is told of `tool_search`, `tool_describe` and
    /// `tool_call` in place of all tools that may be [deferred](crate::behaviour::Behaviour::defer). Those count as there:
    /// conditions on them hold, and they can be called, under the same hooks and limits as ever.
    #[cfg(feature = "search")]
    pub fn tool_search(mut self, search: crate::render::search_tools::ToolSearch) -> Self {
        self.host.search = Some(search);
        self
    }

    /// How long a call may take where its tool says nothing; 300 seconds by default. The time that it waits for a thread
    /// counts. Sync handlers run to their end: nothing can stop them.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.host.timeout = timeout;
        self
    }

    /// Tells `tell` how far calls have come, in the order in which a call's handler says so, and nothing after the call's
    /// answer. It is called on whatever thread the handler runs, which waits meanwhile: pass the event on, and do not wait
    /// for the call.
    pub fn on_progress(mut self, tell: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        self.host.progress = Some(Arc::new(tell));
        self
    }

    /// Begins the session.
    ///
    /// # Errors
    /// When the registry knows no toolset, tool or fact of a given name, or a fact of another type: a choice that
    /// silently comes to less than was asked for, or to more, is never right.
    pub fn build(mut self) -> Result<Session, SessionError> {
        // Before all hooks: it sees calls as they arrive.
        if let Some(log) = Log::if_wanted() {
            self.host.hooks.insert(0, log);
        }
        let state = self.registry.state();
        if let Some(name) = self.host.choice.unknown(&state) {
            return Err(unknown_toolset(&state, name));
        }
        if let Some(name) = self.host.choice.unknown_tool(&state) {
            return Err(SessionError::unknown("tool", name, state.tools.iter().map(|tool| &*tool.name)));
        }
        let Self { registry, facts, host, clock, patience } = self;
        let (world, host) = (registry.checks().world(&host.env), Arc::new(host));
        let now = SessionState { facts: Arc::default(), denied: DeniedTools::new(state), seen: None, latest: None };
        let session = Session { registry, host, world, clock, patience, now: Mutex::new(now) };
        session.set_facts(facts)?;
        Ok(session)
    }
}

impl Session {
    /// What the model is shown now, in `dialect`. An unchanged session hands out the same turn again.
    ///
    /// What the environment and the handlers say of tools is believed for 30 seconds, and then asked again; a turn
    /// that comes out the same has the same definitions, in the same place. Where handlers have to be asked, this waits
    /// for them, up to the session's [`check_timeout`](SessionBuilder::check_timeout).
    ///
    /// Toolsets are looked up by name whenever the registry has changed. One that is gone grants nothing until it comes
    /// back, and its [name](Turn::missing_toolsets) is told; what a disabled one took away stays away meanwhile.
    pub fn turn(&self, dialect: Dialect) -> Turn {
        let mut now = self.now();
        if let Some(Latest { turn, until, changes }) = &now.latest
            && self.registry.is_at(turn.state())
            && turn.dialect() == dialect
            && *changes == self.world.checks().changes()
            && !until.is_over(&self.clock)
        {
            return turn.clone();
        }
        let (state, changes) = (self.registry.state(), self.world.checks().changes());
        let terms = ProbePolicy { env: &self.host.env, clock: &self.clock, patience: self.patience };
        let known = now.seen.clone().filter(|seen| seen.is_of(&state));
        let is_new = known.is_none();
        let known = known.filter(|seen| seen.holds(changes, &terms));
        let granted = known.is_none().then(|| self.host.choice.granted(&state, &mut now.denied));
        let facts = Arc::clone(&now.facts);
        // Nothing is locked while anybody is asked.
        drop(now);
        if is_new {
            self.world.checks().keep(&state.providers);
        }
        let seen = known.unwrap_or_else(|| {
            let granted = granted.unwrap_or_default();
            Arc::new(EnvSnapshot::new(Arc::clone(&state), granted, changes, &terms))
        });
        let told = FactLookup { told: &facts, defaults: &state.facts };
        let set = seen.decide(dialect, told, &self.world, &terms);
        let until = set.until;
        let now = &mut *self.now();
        let latest = now.latest.as_ref().map(|latest| &latest.turn).filter(|turn| turn.is_of(&state, dialect));
        let turn = Turn::new(&state, &self.host, dialect, set, told, latest);
        #[cfg(feature = "tracing")]
        trace::made(turn.flakes(), turn.hidden().map(|hidden| (hidden.tool, hidden.reason)));
        // What has been said meanwhile is for the next turn.
        if Arc::ptr_eq(&now.facts, &facts) {
            now.seen = Some(seen);
            now.latest = Some(Latest { turn: turn.clone(), until, changes });
        }
        turn
    }

    fn now(&self) -> MutexGuard<'_, SessionState> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task of its calls that name none.
    pub fn task(&self) -> &Task {
        &self.host.task
    }

    /// Cancels its calls that are under way; what begins later does so as before.
    pub fn cancel(&self) {
        self.host.cancel.cancel();
    }

    /// Says what has changed in the host's world. Turns that are under way keep what they were made with.
    ///
    /// # Errors
    /// When the registry knows no fact of a given name, or one of another type; then nothing is taken.
    pub fn set_facts(
        &self,
        facts: impl IntoIterator<Item = (Cow<'static, str>, FactValue)>,
    ) -> Result<(), SessionError> {
        let state = self.registry.state();
        let facts: Vec<(Cow<'static, str>, FactValue)> = facts.into_iter().collect();
        for (name, value) in &facts {
            match state.facts.get(name) {
                Some(_) if matches!(value, FactValue::Integer(i) if !FactValue::INTEGERS.contains(i)) => {
                    return Err(SessionError(format!("the fact `{name}` is an integer within ±2^53")));
                }
                Some(default) if discriminant(default) == discriminant(value) => {}
                Some(default) => {
                    let (is, told) = (default.noun(), value.noun());
                    return Err(SessionError(format!("the fact `{name}` is {is}, and cannot be {told}")));
                }
                None => {
                    return Err(SessionError::unknown("fact", name, state.facts.keys().map(|name| &**name)));
                }
            }
        }
        let mut now = self.now();
        // What was said before changes nothing, and prompt caches hold.
        if facts.iter().any(|(name, value)| now.facts.get(name) != Some(value)) {
            let told = Arc::make_mut(&mut now.facts);
            for (name, value) in facts {
                told.insert(name, value);
            }
            // The next turn is made from what this one shows.
            now.latest.iter_mut().for_each(|latest| latest.until = Expiry::Expired);
        }
        Ok(())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.host.id)
            .field("enabled", &self.host.choice.enabled)
            .field("disabled", &self.host.choice.disabled)
            .field("env", &self.host.env)
            .finish_non_exhaustive()
    }
}

fn unknown_toolset(state: &State, name: &str) -> SessionError {
    let near = nearest(name, state.toolsets.iter().map(|name| &**name));
    let hint = if !near.is_empty() {
        did_you_mean(&near)
    } else if let Some(tool) = (0..state.tools.len()).map(|id| state.tool(id)).find(|tool| tool.name == name) {
        format!(": it is a tool, of the toolset `{}`", tool.toolset)
    } else {
        format!(": there are all, {}", state.toolsets.join(", "))
    };
    SessionError(format!("unknown toolset `{name}`{hint}"))
}

#[cfg(test)]
mod tests;
