//! Sessions: conversations, each with its own choice of toolsets.

pub(crate) mod changes;
pub(crate) mod config;
pub(crate) mod prepared;
mod scope;
pub(crate) mod turn;
mod vendor_tools;

use std::borrow::Cow;
use std::fmt;
use std::mem::{self, discriminant};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(feature = "tracing")]
use crate::availability::HiddenReason;
use crate::availability::resolve::{Candidates, EnvSnapshot};
use crate::availability::selection::DeniedTools;
use crate::call::approval::Approver;
use crate::call::hooks::Hook;
use crate::data::dialect::Dialect;
use crate::data::segment::FactValue;
use crate::env::Env;
#[cfg(feature = "debug-log")]
use crate::observe::log::Log;
#[cfg(feature = "tracing")]
use crate::observe::trace;
use crate::provider::probe_cache::{DEFAULT_TIMEOUT, Expiry, ProbePolicy, ProbeScope, ProbeStatus};
use crate::registration::atoms::{FactLookup, FactValues};
use crate::registration::state::RegistrySnapshot;
use crate::registry::Registry;
use crate::registry::error::{SessionError, SessionErrorKind};
use crate::result::limit::ResultLimits;
use crate::result::spill::SpillStore;
use crate::run::clock::Clock;
use crate::run::progress::Progress;
use crate::run::task::Task;
use crate::session::config::SessionConfig;
use crate::session::turn::{Observers, Turn};
use crate::text::nearest::{did_you_mean, nearest_name};
use toolc_redact::Redactor;

impl Registry {
    /// Returns a builder of a session: one conversation.
    pub fn session(&self) -> SessionBuilder {
        SessionBuilder::new(self.clone())
    }
}

/// One conversation with its own choice of toolsets, facts, hooks and environment. It makes a [`Turn`] for each request to
/// the model, from the tools that the registry currently holds. See [`Registry::session`].
pub struct Session {
    registry: Registry,
    config: Arc<SessionConfig>,
    observers: Option<&'static dyn Observers>,
    probes: ProbeScope,
    clock: Clock,
    /// The time that a turn waits for checks.
    check_timeout: Duration,
    state: Mutex<SessionState>,
}

struct SessionState {
    /// The facts that the host has set.
    facts: Arc<FactValues>,
    denied: DeniedTools,
    /// The latest results of environment lookups.
    env: Option<Arc<EnvSnapshot>>,
    latest: Option<Latest>,
}

/// A turn whose checks have not run yet.
struct TurnDraft {
    state: Arc<RegistrySnapshot>,
    dialect: Dialect,
    facts: Arc<FactValues>,
    /// The change counter of the probe cache when the draft was made.
    changes: u64,
    env: Arc<EnvSnapshot>,
    candidates: Candidates,
}

/// The latest turn, which is reused while nothing changes.
struct Latest {
    turn: Turn,
    expiry: Expiry,
    /// The change counter of the probe cache when the turn was started.
    changes: u64,
}

/// A builder of a [`Session`]: see [`Registry::session`].
#[derive(Debug)]
#[must_use = "call `build` to get a session"]
pub struct SessionBuilder {
    registry: Registry,
    facts: Vec<(Cow<'static, str>, FactValue)>,
    pub(crate) config: SessionConfig,
    /// What runs hooks, the approver and permissions, if there are any.
    pub(crate) observers: Option<&'static dyn Observers>,
    pub(crate) clock: Clock,
    check_timeout: Duration,
}

impl SessionBuilder {
    pub(crate) fn new(registry: Registry) -> Self {
        let (config, clock) = (SessionConfig::default(), Clock::default());
        Self { registry, facts: Vec::new(), config, observers: None, clock, check_timeout: DEFAULT_TIMEOUT }
    }

    /// Sets the session's id, which handlers get from [`Call::session`](crate::Call::session). Empty by default.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.config.id = id.into();
        self
    }

    /// Enables toolsets, by name or alias: grants their tools, including those of their bases. `all` and `*` mean all tools.
    /// A session that enables neither toolsets nor tools is granted all tools.
    pub fn enable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.config.selection.enabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Disables toolsets, by name or alias: denies their tools, except those of their bases. Disabling wins over enabling.
    pub fn disable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.config.selection.disabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Enables tools, in addition to the tools of enabled toolsets. A name may be another spelling or an alias, as in a call. If no toolset is enabled, the session
    /// is only granted these tools.
    pub fn enable_tools<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.config.selection.enabled_tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Disables tools. Disabling wins over enabling. A name may be another spelling or an alias, as in a call.
    pub fn disable_tools<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.config.selection.disabled_tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets facts, by name. All other facts have their declared default. A generated catalog has a struct `Facts`, which can
    /// be passed here.
    pub fn facts(mut self, facts: impl IntoIterator<Item = (Cow<'static, str>, FactValue)>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// Sets the home folder: the folder in which the host keeps what belongs to the user, such as settings, memories and caches.
    /// Handlers get it from [`Call::home`](crate::Call::home), and keep their own files in it. It should be an absolute path.
    /// By default, a session has none.
    pub fn home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.config.home = Some(folder.into());
        self
    }

    /// Attaches a value for the handlers of all calls of the session, which they get from [`Call::value`](crate::Call::value).
    /// It replaces the value of the same type. A value of a [task](Task::set_value) or of a
    /// [call](crate::ToolCall::with_values) takes precedence.
    ///
    /// The type may be a trait object, so that a handler does not depend on the implementation:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolc::{Call, Registry, Session, ToolOutput, ToolResult};
    ///
    /// /// What the crate of the handlers needs.
    /// trait NoteStore: Send + Sync {
    ///     fn read(&self, title: &str) -> Option<String>;
    /// }
    ///
    /// fn read_note(call: &Call<'_>, title: &str) -> ToolResult {
    ///     let notes = call.require_value::<dyn NoteStore>()?;
    ///     Ok(ToolOutput::text(notes.read(title).unwrap_or_default()))
    /// }
    ///
    /// fn start(registry: &Registry, notes: impl NoteStore + 'static) -> Session {
    ///     registry.session().value::<dyn NoteStore>(Arc::new(notes)).build().unwrap()
    /// }
    /// # struct NoNotes;
    /// # impl NoteStore for NoNotes {
    /// #     fn read(&self, _: &str) -> Option<String> { None }
    /// # }
    /// # start(&Registry::new(), NoNotes);
    /// # let call = toolc::ToolCall::new("read_note", "{}");
    /// # assert!(read_note(&Call::new(call), "a").is_err());
    /// # let notes = toolc::HostValues::new().with::<dyn NoteStore>(Arc::new(NoNotes));
    /// # assert!(read_note(&Call::new(call.with_values(&notes)), "a").is_ok());
    /// ```
    pub fn value<T: ?Sized + Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        self.config.values = mem::take(&mut self.config.values).with(value);
        self
    }

    /// Sets the environment in which requirements are looked up. By default, it is the process's environment. Sessions with
    /// the process's environment share the results of checks; a session with another environment has its own results.
    pub fn env(mut self, env: Env) -> Self {
        self.config.env = env;
        self
    }

    /// Sets the time limit for all availability checks of a turn together, 2 seconds by default. See
    /// [`ToolProvider::available`](crate::ToolProvider::available).
    pub fn check_timeout(mut self, timeout: Duration) -> Self {
        self.check_timeout = timeout;
        self
    }

    /// Adds a hook. Hooks run in the order in which they were added.
    pub fn hook(mut self, hook: Arc<dyn Hook>) -> Self {
        self.config.hooks.push(hook);
        self.observed()
    }

    /// Sets the approver of calls that need approval. Without an approver, such calls are refused.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.config.approver = Some(approver);
        self.observed()
    }

    /// Sets the time limit of a decision of the approver, 60 seconds by default. A timeout denies the call.
    pub fn approval_timeout(mut self, timeout: Duration) -> Self {
        self.config.approval_timeout = timeout;
        self
    }

    /// Sets rules about calls of any tool, which deny calls, or require or spare approval.
    pub fn permissions(mut self, permissions: Arc<dyn crate::call::permissions::Permissions>) -> Self {
        self.config.permissions = Some(permissions);
        self.observed()
    }

    /// Judges shell commands by rules before each call of a tool that runs them. A command that the rules deny never runs. A command that
    /// needs approval is decided by the approver, one question at a time, in the order of the calls. Without an approver, such a command
    /// does not run.
    #[cfg(feature = "approval")]
    pub fn commands(mut self, commands: crate::call::approval::policy::CommandApproval) -> Self {
        self.config.commands = Some(commands);
        self.observed()
    }

    /// Sets the limits on the length of results. A tool's own limit takes precedence over [`per_call`](ResultLimits::per_call).
    pub fn result_limits(mut self, limits: ResultLimits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Sets the store for results that are too long. It is used in turns that show the [`spill_reader`](Self::spill_reader), and in all
    /// turns with [`link_spilled`](Self::link_spilled). Otherwise such results are cut, and the rest is lost.
    pub fn spill_store(mut self, store: Arc<dyn SpillStore>) -> Self {
        self.config.spill_store = Some(store);
        self
    }

    /// Stores results that are too long even in turns without the [`spill_reader`](Self::spill_reader). The host then links to them itself,
    /// as an MCP server does with resources.
    pub fn link_spilled(mut self) -> Self {
        self.config.links_spilled = true;
        self
    }

    /// Sets the tool with which the model reads stored results, by its own name: a tool that reads files by their paths. The
    /// text of a shortened result refers to it. Without such a tool, results are stored only with [`link_spilled`](Self::link_spilled),
    /// because the model could not read them.
    pub fn spill_reader(mut self, tool: impl Into<String>) -> Self {
        self.config.spill_reader = Some(tool.into());
        self
    }

    /// Enables tool search. If the definitions of all deferrable tools of a turn are larger than the threshold, the model gets
    /// `tool_search`, `tool_describe` and `tool_call` instead of these definitions, or uses the
    /// [vendor's search](crate::search::ToolSearch::by_vendor). Deferred tools are still part of the turn: conditions on them are true,
    /// and calls of them run with the same hooks and limits.
    #[cfg(feature = "search")]
    pub fn tool_search(mut self, search: crate::render::search_tools::ToolSearch) -> Self {
        self.config.search = Some(search);
        self
    }

    /// Sets the time limit of calls, 300 seconds by default. A tool's own limit takes precedence. The time includes waiting
    /// for a thread. Sync handlers have no time limit, because they cannot be stopped.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.config.timeout = timeout;
        self
    }

    /// Sets a callback for progress reports. The reports of a call arrive in order, and never after its response. The
    /// callback blocks the handler, so it should only pass the report on. It must not wait for the call.
    pub fn on_progress(mut self, callback: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        self.config.progress = Some(Arc::new(callback));
        self
    }

    /// Builds the session.
    ///
    /// # Errors
    /// Returns an error for an unknown toolset, tool or fact, and for a fact whose value has the wrong type or is out of
    /// range.
    pub fn build(mut self) -> Result<Session, SessionError> {
        // The log comes before all hooks, so that it sees calls as they arrive.
        #[cfg(feature = "debug-log")]
        if let Some(log) = Log::if_enabled(|| self.registry.redactor(&self.config.env)) {
            self.config.hooks.insert(0, log);
            self = self.observed();
        }
        let state = self.registry.state();
        if let Some(name) = self.config.selection.unknown_toolset(&state) {
            return Err(unknown_toolset(&state, name));
        }
        let unknown = |name: &str| {
            SessionError::unknown(SessionErrorKind::UnknownTool, name, state.tools.iter().map(|tool| &*tool.name))
        };
        self.config.selection.resolve_tools(&state).map_err(|name| unknown(&name))?;
        if let Some(name) = self.config.spill_reader.as_deref().filter(|name| state.find(name).is_none()) {
            return Err(unknown(name));
        }
        let Self { registry, facts, config, observers, clock, check_timeout } = self;
        let probes = registry.probe_cache().scope(&config.env);
        let state = SessionState { facts: Arc::default(), denied: DeniedTools::new(state), env: None, latest: None };
        let (config, state) = (Arc::new(config), Mutex::new(state));
        let session = Session { registry, config, observers, probes, clock, check_timeout, state };
        session.set_facts(facts)?;
        Ok(session)
    }
}

impl Session {
    /// Returns the current turn in `dialect`. As long as nothing changes, it returns the same turn again without any work.
    ///
    /// Results of environment lookups and checks are cached for 30 seconds. Checks that must run do so concurrently on a
    /// separate thread pool, and this method waits for them, at most for the session's
    /// [`check_timeout`](SessionBuilder::check_timeout). Turns with the same tools and facts share their definitions.
    ///
    /// Toolsets are resolved by name again whenever the registry has changed. A toolset that no longer exists grants nothing
    /// until it is registered again, and is listed in [`missing_toolsets`](Turn::missing_toolsets). The tools of a disabled
    /// toolset that no longer exists stay disabled.
    pub async fn turn(&self, dialect: Dialect) -> Turn {
        let draft = match self.unchanged_turn(dialect) {
            Ok(turn) => return turn,
            Err(state) => self.draft(state, dialect),
        };
        let mut statuses = Vec::new();
        if !draft.candidates.probes.is_empty() {
            statuses = self.probes.run(&draft.candidates.probes, &self.probe_policy()).await;
        }
        self.complete(draft, statuses)
    }

    /// Returns the current turn like [`turn`](Self::turn), for synchronous code: blocks this thread while checks run.
    pub fn turn_blocking(&self, dialect: Dialect) -> Turn {
        let draft = match self.unchanged_turn(dialect) {
            Ok(turn) => return turn,
            Err(state) => self.draft(state, dialect),
        };
        let mut statuses = Vec::new();
        if !draft.candidates.probes.is_empty() {
            statuses = self.probes.run_blocking(&draft.candidates.probes, &self.probe_policy());
        }
        self.complete(draft, statuses)
    }

    /// Returns the latest turn if it is still valid, or else the locked state, to make the next turn from.
    #[inline]
    fn unchanged_turn(&self, dialect: Dialect) -> Result<Turn, MutexGuard<'_, SessionState>> {
        let state = self.state();
        if let Some(Latest { turn, expiry, changes }) = &state.latest
            && self.registry.is_current(turn.state())
            && turn.dialect() == dialect
            && *changes == self.probes.cache().changes()
            && !expiry.is_over(&self.clock)
        {
            return Ok(turn.clone());
        }
        Err(state)
    }

    /// Starts a turn: looks up the environment, and determines the checks to run. Releases the lock.
    fn draft(&self, mut session: MutexGuard<'_, SessionState>, dialect: Dialect) -> TurnDraft {
        let (state, changes) = (self.registry.state(), self.probes.cache().changes());
        let policy = self.probe_policy();
        let facts = Arc::clone(&session.facts);
        let latest_env = session.env.clone().filter(|env| env.belongs_to(&state));
        let env = match latest_env {
            Some(env) if env.is_valid(changes, &policy) => {
                drop(session);
                env
            }
            outdated => {
                let granted = self.config.selection.granted(&state, &mut session.denied);
                drop(session);
                // There is no snapshot of this state of the registry, so the providers may have changed.
                if outdated.is_none() {
                    self.probes.cache().retain_providers(&state.providers);
                }
                Arc::new(EnvSnapshot::new(Arc::clone(&state), granted, changes, &policy))
            }
        };
        let candidates = env.candidates(dialect, FactLookup { set: &facts, defaults: &state.facts });
        TurnDraft { state, dialect, facts, changes, env, candidates }
    }

    /// Makes a turn from a draft and the results of its checks.
    fn complete(&self, draft: TurnDraft, statuses: Vec<ProbeStatus>) -> Turn {
        let TurnDraft { state, dialect, facts, changes, env, candidates } = draft;
        let availability = env.conclude(candidates, statuses, &self.clock);
        let expiry = availability.expiry;
        let (turn, before) = {
            let session = &mut *self.state();
            let before = session.latest.as_ref().map(|latest| latest.turn.clone());
            let latest = before.as_ref().filter(|turn| turn.belongs_to(&state, dialect));
            let lookup = FactLookup { set: &facts, defaults: &state.facts };
            let turn = Turn::new(&state, &self.config, dialect, availability, lookup, latest, self.observers);
            // If facts were set meanwhile, this turn is already outdated, and the next call makes a new one.
            if Arc::ptr_eq(&session.facts, &facts) {
                session.env = Some(env);
                session.latest = Some(Latest { turn: turn.clone(), expiry, changes });
            }
            (turn, before)
        };
        #[cfg(feature = "tracing")]
        {
            let undeclared = |reason: &&HiddenReason| matches!(reason, HiddenReason::UndeclaredDialect(_));
            if let Some(reason) = turn.hidden().map(|hidden| hidden.reason).find(undeclared) {
                trace::undeclared_dialect(reason);
            }
            trace::turn_made(turn.flakes(), turn.hidden().map(|hidden| (hidden.tool, hidden.reason)));
        }
        if let Some(before) = before.filter(|before| before.dialect() == dialect) {
            self.report_changes(&before, &turn);
        }
        turn
    }

    /// Reports to hooks and subscribers what differs between the tools of two turns.
    fn report_changes(&self, before: &Turn, turn: &Turn) {
        if turn.has_definitions_of(before) {
            return;
        }
        #[cfg(feature = "tracing")]
        if trace::is_on() {
            let changes = turn.changes_since(before);
            if !changes.is_empty() {
                trace::tools_changed(&self.config.id, &changes);
            }
        }
        if let Some(observers) = self.observers {
            observers.tools_changed(before, turn);
        }
    }

    fn probe_policy(&self) -> ProbePolicy<'_> {
        ProbePolicy { env: &self.config.env, clock: &self.clock, timeout: self.check_timeout }
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the task of calls that have no task of their own. It ends with the session and its turns, or by [`Task::end`].
    pub fn task(&self) -> &Task {
        &self.config.task
    }

    /// Returns a redactor, which replaces the secrets of the session in texts. Secrets are the values of variables that the host has set
    /// [as secrets](Env::with_secret) or that a provider declares as secret. In the values of other variables, they are the keys and tokens
    /// in a vendor's format.
    pub fn redactor(&self) -> Redactor {
        self.registry.redactor(&self.config.env)
    }

    /// Cancels the session's running calls. Later calls are not affected.
    pub fn cancel(&self) {
        self.config.cancel.cancel();
    }

    /// Sets facts, by name. They apply to later turns; existing turns keep their facts.
    ///
    /// # Errors
    /// Returns an error for an unknown fact, and for a value that has the wrong type or is out of range. Then no fact is set.
    pub fn set_facts(
        &self,
        facts: impl IntoIterator<Item = (Cow<'static, str>, FactValue)>,
    ) -> Result<(), SessionError> {
        let state = self.registry.state();
        let facts: Vec<(Cow<'static, str>, FactValue)> = facts.into_iter().collect();
        for (name, value) in &facts {
            match state.facts.get(name) {
                Some(_) if matches!(value, FactValue::Integer(i) if !FactValue::INTEGERS.contains(i)) => {
                    let message = format!("the fact `{name}` must be an integer from -2^53 to 2^53");
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
        // Setting the same values again must not change the definitions, so that prompt caches stay valid.
        if facts.iter().any(|(name, value)| session.facts.get(name) != Some(value)) {
            let current = Arc::make_mut(&mut session.facts);
            for (name, value) in facts {
                current.insert(name, value);
            }
            // The latest turn is expired and not dropped, because the next turn can reuse its definitions.
            if let Some(latest) = &mut session.latest {
                latest.expiry = Expiry::Expired;
            }
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

fn unknown_toolset(state: &RegistrySnapshot, name: &str) -> SessionError {
    let similar = nearest_name(name, state.toolsets.iter().map(|name| &**name));
    let hint = if let Some(tool) = state.tool_ids().map(|id| state.tool(id)).find(|tool| tool.name == name) {
        format!(": it is a tool, of the toolset `{}`", tool.toolset)
    } else if let Some(question) = did_you_mean(&similar) {
        format!(": {question}")
    } else {
        let known = state.toolsets.iter().map(|name| format!(", `{name}`"));
        format!(": the known toolsets are `all`{}", known.collect::<String>())
    };
    SessionError::new(SessionErrorKind::UnknownToolset, name, format!("unknown toolset `{name}`{hint}"))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod typescript_tests;
