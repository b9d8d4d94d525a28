//! A [`Caller`] creates the context that a test needs to call a handler directly.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ProgressLog;
use crate::args::Slots;
use crate::call::{Call, ToolCall};
use crate::data::catalog::{Definition, Fact, Tool, Toolset};
use crate::data::dialect::Dialect;
use crate::data::segment::FactValue;
use crate::env::Env;
use crate::provider::{HandlerReply, ToolProvider};
use crate::registry::Registry;
use crate::run::cancel::CancelEpoch;
use crate::run::cancel::CancelHandle;
use crate::run::task::Task;
use crate::session::turn::Turn;

/// A source of contexts ([`Call`]), which a test passes to handlers. Each caller has its own task with its state, a turn with
/// tools and facts, a cancel handle, and a list of the reported progress.
///
/// ```
/// use toolc::testing::{Caller, assert_reply};
/// use toolc::{Call, ToolError, ToolOutput, ToolResult};
///
/// fn crunch(call: &Call<'_>) -> ToolResult {
///     for step in 0..3 {
///         if call.is_cancelled() {
///             return Err(ToolError::new("interrupted"));
///         }
///         call.progress(f64::from(step), Some(3.0), "crunching");
///     }
///     Ok(ToolOutput::text("done"))
/// }
///
/// let caller = Caller::new();
/// assert_reply!(crunch(&caller.call("crunch")), "done");
/// assert_eq!(caller.progress(), ["0 of 3: crunching", "1 of 3: crunching", "2 of 3: crunching"]);
///
/// caller.cancel();
/// assert_reply!(crunch(&caller.call("crunch")), Err(Failed, "interrupted"));
/// ```
pub struct Caller {
    task: Task,
    cancel: CancelHandle,
    progress: ProgressLog,
    session: String,
    home: Option<PathBuf>,
    tools: Vec<Tool>,
    facts: Vec<Fact>,
    turn: Turn,
}

impl Caller {
    /// Returns a caller with a new task, and a turn without tools and facts.
    pub fn new() -> Self {
        let progress = ProgressLog::default();
        let turn = turn("", None, &[], &[], &progress);
        let (session, home, tools, facts) = (String::new(), None, Vec::new(), Vec::new());
        Self { task: Task::new("test"), cancel: CancelHandle::new(), progress, session, home, tools, facts, turn }
    }

    /// Sets the session's [id](Call::session). Empty by default.
    #[must_use]
    pub fn with_session_id(self, id: impl Into<String>) -> Self {
        Self { session: id.into(), ..self }.with_new_turn()
    }

    /// Sets the [home folder](Call::home) of the session. None by default.
    #[must_use]
    pub fn with_home(self, folder: impl Into<PathBuf>) -> Self {
        Self { home: Some(folder.into()), ..self }.with_new_turn()
    }

    /// Adds tools with these names to the turn: see [`Call::has_tool`].
    ///
    /// # Panics
    /// Panics if a tool is added twice.
    #[must_use]
    #[track_caller]
    pub fn with_tools<S: Into<Cow<'static, str>>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.tools.extend(names.into_iter().map(|name| tool(name.into())));
        self.with_new_turn()
    }

    /// Sets a fact of the turn: see [`Call::fact`].
    ///
    /// # Panics
    /// Panics if the fact is already set to a different value.
    #[must_use]
    #[track_caller]
    pub fn with_fact(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<FactValue>) -> Self {
        self.facts.push(Fact { name: name.into(), default: value.into() });
        self.with_new_turn()
    }

    /// Attaches a value to the task of the calls: see [`Call::value`].
    #[must_use]
    pub fn with_value<T: ?Sized + Send + Sync + 'static>(self, value: Arc<T>) -> Self {
        self.task.set_value(value);
        self
    }

    #[track_caller]
    fn with_new_turn(mut self) -> Self {
        self.turn = turn(&self.session, self.home.as_deref(), &self.tools, &self.facts, &self.progress);
        self
    }

    /// Returns the task of the calls, for example to set the [user request](Task::set_user_request).
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Returns the context of a call of `tool`, with the id `call_1`. All calls of a caller belong to one task, so they share
    /// [state](Call::state).
    pub fn call<'a>(&'a self, tool: &'a str) -> Call<'a> {
        let request = ToolCall::new(tool, "{}").with_id("call_1").with_task(&self.task);
        Call::in_scope(tool, request, CancelEpoch::ever(&self.cancel), &self.turn)
    }

    /// Cancels all calls of this caller, including future ones.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Returns the progress that calls have reported, in order. An entry has the form `2 of 3: crunching`; the total and the
    /// message are omitted if they were not reported.
    pub fn progress(&self) -> Vec<String> {
        self.progress.all()
    }
}

impl Default for Caller {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("cancel", &self.cancel).field("progress", &self.progress).finish_non_exhaustive()
    }
}

/// The tool provider of a caller's turn. Its tools are never called: a test calls handlers directly.
struct TurnTools {
    tools: Vec<Tool>,
    definitions: Vec<Option<Definition>>,
    facts: Vec<Fact>,
}

impl ToolProvider for TurnTools {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, _: Dialect) -> &[Option<Definition>] {
        &self.definitions
    }

    fn toolsets(&self) -> &[Toolset] {
        &[]
    }

    fn facts(&self) -> &[Fact] {
        &self.facts
    }

    fn call<'a>(&'a self, index: usize, _: Slots<'_, '_>, _: &'a Call<'a>) -> HandlerReply<'a> {
        HandlerReply::no_such_tool(index)
    }
}

fn tool(name: Cow<'static, str>) -> Tool {
    Tool { name, toolset: "test".into(), ..Tool::default() }
}

#[track_caller]
fn turn(session: &str, home: Option<&Path>, tools: &[Tool], facts: &[Fact], progress: &ProgressLog) -> Turn {
    let (registry, log) = (Registry::new(), progress.clone());
    let definitions = tools.iter().map(|_| Some(Cow::from("{}").into())).collect();
    let provider = TurnTools { tools: tools.to_vec(), definitions, facts: facts.to_vec() };
    if let Err(error) = registry.add(Box::new(provider)) {
        panic!("cannot create the turn of the caller: {error}");
    }
    let mut session = registry.session().id(session).env(Env::empty()).on_progress(move |event| log.record(event));
    if let Some(home) = home {
        session = session.home(home);
    }
    match session.build() {
        Ok(session) => session.turn_blocking(Dialect::OpenAi),
        Err(error) => panic!("cannot create the session of the caller: {error}"),
    }
}
