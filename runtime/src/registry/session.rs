//! A session: one conversation's choice of toolsets.

use std::collections::BTreeMap;
use std::fmt;
use std::mem::discriminant;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::call::host::Host;
use crate::nearest::did_you_mean;
use crate::registry::State;
use crate::registry::choice::{Choice, Denied, Granted};
use crate::registry::decide::{Verdicts, World};
use crate::registry::facts::Facts;
use crate::run::clock;
use crate::watch::log::Log;
use crate::watch::trace;
use crate::{
    Approver, Dialect, Env, FactValue, Hook, Progress, Registry, ResultLimits, Spill, Task, Text, Turn, nearest,
};

/// One conversation: what it was granted, out of whatever the registry holds at the time.
pub struct Session {
    registry: Registry,
    choice: Choice,
    env: Env,
    host: Arc<Host>,
    clock: fn() -> Option<Instant>,
    /// What the host said, and the latest turn, which is handed out again while nothing has changed.
    now: Mutex<Now>,
}

struct Now {
    facts: Arc<BTreeMap<Text, FactValue>>,
    denied: Denied,
    /// What its choice comes to, and the toolsets that are missing for it.
    verdicts: Option<(Verdicts, Arc<[Text]>)>,
    latest: Option<Turn>,
}

/// The choices of a session that is about to begin.
#[derive(Debug)]
#[must_use = "a session begins with `build`"]
pub struct SessionBuilder {
    registry: Registry,
    choice: Choice,
    facts: Vec<(Text, FactValue)>,
    env: Env,
    host: Host,
    clock: fn() -> Option<Instant>,
}

impl SessionBuilder {
    pub(crate) fn new(registry: Registry) -> Self {
        let (choice, facts) = (Choice::default(), Vec::new());
        Self { registry, choice, facts, env: Env::process(), host: Host::default(), clock: clock::now }
    }

    /// Calls the session so, for whoever handles its calls.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.host.id = id.into();
        self
    }

    /// Grants what these toolsets resolve to. `all` and `*` are every tool; nothing enabled means `all`.
    pub fn enable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.choice.enabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Takes away what these toolsets resolve to, less what their bases do. Wins over enabling.
    pub fn disable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.choice.disabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Says what the host's world is like. A generated catalog has a `Facts` struct for this.
    pub fn facts(mut self, facts: impl IntoIterator<Item = (Text, FactValue)>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// Looks for what tools require in `env`, instead of the process's environment.
    pub fn env(mut self, env: Env) -> Self {
        self.env = env;
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
    pub fn spill(mut self, spill: Arc<dyn Spill>) -> Self {
        self.host.spill = Some(spill);
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
    /// When the registry knows no toolset or fact of a given name, or a fact of another type: a choice that
    /// silently comes to less than was asked for, or to more, is never right.
    pub fn build(mut self) -> Result<Session, SessionError> {
        // Before all hooks: it sees calls as they arrive.
        self.host.hooks.splice(0..0, Log::if_wanted());
        let state = self.registry.state();
        if let Some(name) = self.choice.unknown(&state) {
            return Err(unknown_toolset(&state, name));
        }
        let Self { registry, choice, facts, env, host, clock } = self;
        let denied = Denied::new(state);
        let now = Mutex::new(Now { facts: Arc::default(), denied, verdicts: None, latest: None });
        let session = Session { registry, choice, env, host: Arc::new(host), clock, now };
        session.set_facts(facts)?;
        Ok(session)
    }
}

impl Session {
    /// What the model is shown now, in `dialect`. An unchanged session hands out the same turn again.
    ///
    /// What the environment and the handlers say of tools is believed for 30 seconds, and then asked again; a turn
    /// that comes out the same has the same definitions, in the same place.
    ///
    /// Toolsets are looked up by name whenever the registry has changed. One that is gone grants nothing until it comes
    /// back, and its [name](Turn::missing_toolsets) is told; what a disabled one took away stays away meanwhile.
    pub fn turn(&self, dialect: Dialect) -> Turn {
        let now = &mut *self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(turn), Some((verdicts, _))) = (&now.latest, &now.verdicts)
            && self.registry.is_at(turn.state())
            && turn.dialect() == dialect
            && verdicts.hold(turn.state(), self.clock)
        {
            return turn.clone();
        }
        let state = self.registry.state();
        now.verdicts.take_if(|(verdicts, _)| !verdicts.hold(&state, self.clock));
        let latest = now.latest.as_ref().filter(|turn| turn.is_of(&state, dialect));
        let facts = Facts { told: &now.facts, defaults: &state.facts };
        let world = World { env: &self.env, facts, clock: self.clock };
        let (verdicts, missing) = now.verdicts.get_or_insert_with(|| {
            let Granted { members, missing } = self.choice.granted(&state, &mut now.denied);
            (Verdicts::new(Arc::clone(&state), &members), missing)
        });
        let set = verdicts.decide(dialect, &world);
        let turn = Turn::new(&state, &self.host, dialect, set, missing, facts, latest);
        trace::made(&turn);
        now.latest = Some(turn.clone());
        turn
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
    pub fn set_facts(&self, facts: impl IntoIterator<Item = (Text, FactValue)>) -> Result<(), SessionError> {
        let state = self.registry.state();
        let facts: Vec<(Text, FactValue)> = facts.into_iter().collect();
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
                    let near = nearest(name, state.facts.keys().map(|name| &**name));
                    return Err(SessionError(format!("unknown fact `{name}`{}", did_you_mean(&near))));
                }
            }
        }
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        // What was said before changes nothing, and prompt caches hold.
        if facts.iter().any(|(name, value)| now.facts.get(name) != Some(value)) {
            Arc::make_mut(&mut now.facts).extend(facts);
            now.latest = None;
        }
        Ok(())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.host.id)
            .field("enabled", &self.choice.enabled)
            .field("disabled", &self.choice.disabled)
            .field("env", &self.env)
            .finish_non_exhaustive()
    }
}

/// A session asked for something that the registry does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionError(String);

fn unknown_toolset(state: &State, name: &str) -> SessionError {
    let near = nearest(name, state.toolsets.keys().map(|name| &**name));
    let hint = if !near.is_empty() {
        did_you_mean(&near)
    } else if let Some(tool) = (0..state.tools.len()).map(|id| state.tool(id)).find(|tool| tool.name == name) {
        format!(": it is a tool, of the toolset `{}`", tool.toolset)
    } else {
        let all: Vec<&str> = state.toolsets.keys().map(|name| &**name).collect();
        format!(": there are all, {}", all.join(", "))
    };
    SessionError(format!("unknown toolset `{name}`{hint}"))
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SessionError {}

#[cfg(test)]
mod tests;
