//! Calls to pass to a handler directly, in a test.

use std::borrow::Cow;
use std::fmt;

use super::Heard;
use crate::args::Slots;
use crate::call::{Call, ToolCall};
use crate::data::catalog::{Definition, Fact, Tool, Toolset};
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::data::segment::FactValue;
use crate::provider::{HandlerReply, ToolProvider};
use crate::registry::Registry;
use crate::run::cancel::CancelEpoch;
use crate::run::cancel::CancelHandle;
use crate::run::task::Task;
use crate::session::turn::Turn;

/// A caller of handlers in a test: a task with its state, a turn with its tools and facts, a cancel handle, and the
/// reported progress. Each caller has its own task.
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
    heard: Heard,
    session: String,
    tools: Vec<Tool>,
    facts: Vec<Fact>,
    turn: Turn,
}

impl Caller {
    /// Returns a caller with a new task.
    pub fn new() -> Self {
        let heard = Heard::default();
        let turn = turn("", &[], &[], &heard);
        let (session, tools, facts) = (String::new(), Vec::new(), Vec::new());
        Self { task: Task::new("test"), cancel: CancelHandle::new(), heard, session, tools, facts, turn }
    }

    /// Sets the session's [id](Call::session).
    #[must_use]
    pub fn in_session(self, id: impl Into<String>) -> Self {
        Self { session: id.into(), ..self }.in_its_turn()
    }

    /// Adds these [tools](Call::has_tool) to the turn.
    ///
    /// # Panics
    /// Panics if a tool is added twice.
    #[must_use]
    #[track_caller]
    pub fn with_tools<S: Into<Cow<'static, str>>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.tools.extend(names.into_iter().map(|name| shown(name.into())));
        self.in_its_turn()
    }

    /// Sets a [fact](Call::fact) of the turn.
    ///
    /// # Panics
    /// Panics if the fact is already set to another value.
    #[must_use]
    #[track_caller]
    pub fn with_fact(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<FactValue>) -> Self {
        self.facts.push(Fact { name: name.into(), default: value.into() });
        self.in_its_turn()
    }

    #[track_caller]
    fn in_its_turn(mut self) -> Self {
        self.turn = turn(&self.session, &self.tools, &self.facts, &self.heard);
        self
    }

    /// Returns the task of the calls, for example to set the [user request](Task::set_user_request).
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Returns a call of `tool`, with the id `call_1`. All calls of a caller belong to one task: what a handler
    /// [keeps](Call::state) for one of them is available to the next, and to the test.
    pub fn call<'a>(&'a self, tool: &'a str) -> Call<'a> {
        let request = ToolCall::new(tool, "{}").with_id("call_1").with_task(&self.task);
        Call::in_scope(tool, request, CancelEpoch::ever(&self.cancel), &self.turn)
    }

    /// Cancels all calls of this caller, including future ones.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Returns the progress that calls have reported, in order: `2 of 3: crunching`, or less if they report less.
    pub fn progress(&self) -> Vec<String> {
        self.heard.all()
    }
}

impl Default for Caller {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("cancel", &self.cancel).field("heard", &self.heard).finish_non_exhaustive()
    }
}

/// The tools of a caller's turn, which are never called.
struct Shown {
    tools: Vec<Tool>,
    definitions: Vec<Option<Definition>>,
    facts: Vec<Fact>,
}

impl ToolProvider for Shown {
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

fn shown(name: Cow<'static, str>) -> Tool {
    Tool { name, toolset: "test".into(), ..Tool::default() }
}

#[track_caller]
fn turn(session: &str, tools: &[Tool], facts: &[Fact], heard: &Heard) -> Turn {
    let (registry, hearing) = (Registry::new(), heard.clone());
    let definitions = tools.iter().map(|_| Some(Cow::from("{}").into())).collect();
    let shown = Shown { tools: tools.to_vec(), definitions, facts: facts.to_vec() };
    if let Err(collision) = registry.add(Box::new(shown)) {
        panic!("the caller has no such turn: {collision}");
    }
    let session = registry.session().id(session).env(Env::empty()).on_progress(move |event| hearing.note(event));
    match session.build() {
        Ok(session) => session.turn_blocking(Dialect::OpenAi),
        Err(error) => panic!("the caller has no such session: {error}"),
    }
}
