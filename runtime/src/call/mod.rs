//! A call: the model's request, and the context for its handler.

pub(crate) mod approval;
pub(crate) mod hooks;
pub(crate) mod response;
pub(crate) mod scope;

use crate::run::lifetime::CallLifetime;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use crate::call::scope::CallScope;
use crate::data::env::Env;
use crate::data::segment::FactValue;
use crate::run::cancel::{CancelEpoch, CancelSources, CancelledFuture};
use crate::run::cancel::{CancelHandle, CancellationToken};
use crate::run::progress::Progress;
use crate::run::task::Task;
use crate::run::task::TaskInner;

/// A model's request to run a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    name: &'a str,
    arguments: &'a str,
    id: &'a str,
    task: Option<(&'a Arc<TaskInner>, CancelEpoch<'a>)>,
    cancel: Option<CancelEpoch<'a>>,
}

impl<'a> ToolCall<'a> {
    /// Returns a call of the tool `name` with `arguments`, the JSON text of an object, as the model wrote it.
    pub const fn new(name: &'a str, arguments: &'a str) -> Self {
        Self { name, arguments, id: "", task: None, cancel: None }
    }

    /// Sets the id of the call in the vendor's API. Empty by default.
    #[must_use]
    pub const fn with_id(self, id: &'a str) -> Self {
        Self { id, ..self }
    }

    /// Assigns the call to a task; by default, it belongs to the session's own task. Cancelling the task from now on
    /// cancels the call.
    #[must_use]
    pub fn with_task(self, task: &'a Task) -> Self {
        Self { task: Some((&task.0, CancelEpoch::now(&task.0.cancel))), ..self }
    }

    /// Cancels the call when `cancel` is cancelled. If it already is, the call does not start.
    #[must_use]
    pub const fn with_cancel(self, cancel: &'a CancelHandle) -> Self {
        Self { cancel: Some(CancelEpoch::ever(cancel)), ..self }
    }

    /// Returns the same call of another tool, with other arguments.
    pub(crate) const fn redirected<'s>(self, name: &'s str, arguments: &'s str) -> ToolCall<'s>
    where
        'a: 's,
    {
        ToolCall { name, arguments, ..self }
    }

    /// Assigns the call to this task, unless it has one.
    pub(crate) fn or_task(self, task: &'a Task) -> Self {
        if self.task.is_some() { self } else { self.with_task(task) }
    }

    /// Returns the tool's name, as the model wrote it.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the JSON text of the arguments, as the model wrote it.
    pub const fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// Returns the id of the call in the vendor's API; may be empty.
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// Returns the name of its task.
    pub(crate) fn task(&self) -> &'a str {
        self.task.map_or(Task::DEFAULT, |(task, _)| &task.name)
    }

    /// Returns an owned copy, for as long as it takes to answer.
    pub(crate) fn to_owned_request(self) -> OwnedRequest {
        OwnedRequest { name: self.name.into(), id: self.id.into(), task: self.task.map(|(task, _)| Arc::clone(task)) }
    }
}

/// An owned [`ToolCall`], without its arguments.
pub(crate) struct OwnedRequest {
    name: String,
    id: String,
    task: Option<Arc<TaskInner>>,
}

impl OwnedRequest {
    pub(crate) fn borrow(&self) -> ToolCall<'_> {
        let task = self.task.as_ref().map(|task| (task, CancelEpoch::now(&task.cancel)));
        ToolCall { name: &self.name, arguments: "", id: &self.id, task, cancel: None }
    }
}

/// The context of a call, for its handler.
pub struct Call<'a> {
    tool: &'a str,
    request: ToolCall<'a>,
    session: Option<CancelEpoch<'a>>,
    scope: Option<&'a dyn CallScope>,
    /// Created if the call may continue after its caller has stopped waiting.
    life: OnceLock<Arc<CallLifetime>>,
}

impl<'a> Call<'a> {
    /// Returns the context of `request`. The runtime creates one for each call; a test of a handler creates its own.
    pub const fn new(request: ToolCall<'a>) -> Self {
        Self { tool: request.name, request, session: None, scope: None, life: OnceLock::new() }
    }

    /// Returns the context of `request` for the tool with the own name `tool`, in this turn of a session with this
    /// cancel handle.
    pub(crate) const fn in_scope(
        tool: &'a str,
        request: ToolCall<'a>,
        session: CancelEpoch<'a>,
        scope: &'a dyn CallScope,
    ) -> Self {
        Self { tool, request, session: Some(session), scope: Some(scope), life: OnceLock::new() }
    }

    /// Returns the tool's own name, whatever its name in the model's dialect.
    pub const fn tool(&self) -> &'a str {
        self.tool
    }

    /// Returns the id of the call in the vendor's API; may be empty.
    pub const fn id(&self) -> &'a str {
        self.request.id
    }

    /// Returns the name of the call's task.
    pub fn task(&self) -> &'a str {
        self.request.task()
    }

    /// Returns the user's request, if the host has [set](Task::set_user_request) it: the request that this call is a
    /// step of.
    pub fn user_request(&self) -> Option<Arc<str>> {
        self.request.task.and_then(|(task, _)| task.user_request())
    }

    /// Returns the [id](crate::SessionBuilder::id) of the session; empty if the host has not set one.
    pub fn session(&self) -> &'a str {
        self.scope.map_or("", |scope| scope.session_id())
    }

    /// Returns the value of a fact in the call's turn: the value that the host set, or the default. `None` for an
    /// unknown fact.
    ///
    /// ```
    /// use toolc::{Call, FactValue};
    ///
    /// fn may_show_pictures(call: &Call<'_>) -> bool {
    ///     call.fact("vision") == Some(&FactValue::Boolean(true))
    /// }
    /// ```
    pub fn fact(&self, name: &str) -> Option<&'a FactValue> {
        self.scope?.fact(name)
    }

    /// Returns the environment of the session, in which a handler finds what its tool
    /// [requires](crate::availability::Requirement::Env). For a call without a session, it is the process's
    /// environment.
    ///
    /// ```
    /// use toolc::{Call, ToolError};
    ///
    /// fn key(call: &Call<'_>) -> Result<String, ToolError> {
    ///     call.env().var("WEATHER_KEY").ok_or_else(|| ToolError::new("WEATHER_KEY is not set any more"))
    /// }
    /// ```
    pub fn env(&self) -> Env {
        self.scope.map_or_else(Env::process, |scope| scope.env().clone())
    }

    /// Returns whether the model was also shown the tool `name`, so that a result may refer to it. `name` is the tool's
    /// own name, whatever its name in the model's dialect.
    pub fn has_tool(&self, name: &str) -> bool {
        self.scope.is_some_and(|scope| scope.shows(name))
    }

    /// Returns the task's only `T`, shared by all calls of the task, and created on first use. It is dropped when the
    /// task ends. Use a type of your own, and a lock for anything that changes.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use toolc::{Call, Task, ToolCall};
    ///
    /// #[derive(Default)]
    /// struct Reads(AtomicU32);
    ///
    /// fn read(call: &Call<'_>) -> u32 {
    ///     call.state::<Reads>().0.fetch_add(1, Ordering::Relaxed)
    /// }
    ///
    /// let task = Task::new("errand");
    /// let call = Call::new(ToolCall::new("read", "{}").with_task(&task));
    /// assert_eq!([read(&call), read(&call)], [0, 1]);
    /// ```
    ///
    /// A call without a task, in a test of a handler, gets a new `T` each time.
    pub fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.request.task.map_or_else(Arc::default, |(task, _)| task.state())
    }

    /// Returns whether the call is cancelled: the host cancelled it, its task or its session, or it exceeded its time
    /// limit. This is cheap: check it often, and then stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel_sources().into_iter().flatten().any(CancelEpoch::is_cancelled)
    }

    /// Completes when the call is cancelled. An async handler that waits for it is polled once more, to clean up,
    /// before it is dropped.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {
        self.life();
        CancelledFuture::new(self.cancel_sources())
    }

    /// Returns a token for threads and tasks that the handler starts.
    pub fn cancellation(&self) -> CancellationToken {
        self.life();
        CancellationToken::new(self.cancel_sources())
    }

    /// Reports progress to the host: `done` of `total`, in any unit, and what is being done. Reports arrive in order,
    /// and never after the answer: later ones are dropped.
    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let Some(sink) = self.scope.and_then(|scope| scope.progress()) else { return };
        let event = Progress { tool: self.tool, id: self.id(), task: self.task(), done, total, message };
        match self.life.get() {
            Some(life) => life.tell(|| sink(&event)),
            None => sink(&event),
        }
    }

    /// Returns the handles that cancel the call.
    pub(crate) fn cancel_sources(&self) -> CancelSources<'_> {
        let own = self.life.get().map(|life| CancelEpoch::ever(&life.over));
        [own, self.request.cancel, self.request.task.map(|(_, since)| since), self.session]
    }

    /// Returns the part of the call that can outlive it.
    pub(crate) fn life(&self) -> &Arc<CallLifetime> {
        self.life.get_or_init(Arc::default)
    }

    /// Marks the call as abandoned: its handler sees that it is cancelled, and its progress is ignored.
    pub(crate) fn give_up(&self) {
        if let Some(life) = self.life.get() {
            life.give_up();
        }
    }

    /// Returns whether the handler waits for a thread.
    pub(crate) fn is_queued(&self) -> bool {
        self.life.get().is_some_and(|life| life.queued.load(Ordering::Relaxed))
    }

    /// Returns an owned copy, for another thread.
    pub(crate) fn to_owned_call(&self) -> OwnedCall {
        OwnedCall {
            tool: self.tool.into(),
            id: self.id().into(),
            task: self.request.task.map(|(task, _)| Arc::clone(task)),
            cancellation: self.cancellation(),
            scope: self.scope.map(CallScope::to_shared),
            life: Arc::clone(self.life()),
        }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("tool", &self.tool)
            .field("id", &self.id())
            .field("task", &self.task())
            .finish_non_exhaustive()
    }
}

/// An owned [`Call`].
pub(crate) struct OwnedCall {
    tool: String,
    id: String,
    task: Option<Arc<TaskInner>>,
    cancellation: CancellationToken,
    scope: Option<Arc<dyn CallScope>>,
    life: Arc<CallLifetime>,
}

impl OwnedCall {
    pub(crate) fn borrow(&self) -> Call<'_> {
        let [_, cancel, of_task, session] = self.cancellation.sources();
        let task = self.task.as_ref().zip(of_task);
        let request = ToolCall { name: &self.tool, arguments: "", id: &self.id, task, cancel };
        let life = OnceLock::from(Arc::clone(&self.life));
        Call { tool: &self.tool, request, session, scope: self.scope.as_deref(), life }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Turn;
    use crate::data::dialect::Dialect;
    use crate::fakes::{Fake, renamed, tool};
    use crate::session::SessionBuilder;
    use std::sync::Mutex;

    fn turn(set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
        let fake = Fake::new([renamed("find", tool("search", "web", &[])), tool("own", "home", &[])]);
        let session = fake.fact("chat", false).fact("vision", false).registry().session().enable(["home"]);
        set(session).build().unwrap().turn_blocking(Dialect::OpenAi)
    }

    fn collecting() -> (Arc<Mutex<Vec<String>>>, Turn) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let tell = Arc::clone(&told);
        (told, turn(|session| session.on_progress(move |event| tell.lock().unwrap().push(format!("{event:?}")))))
    }

    #[test]
    fn it_knows_its_turn_here_and_on_another_thread() {
        let env = Env::empty().with_var("KEY", "value");
        let turn = turn(|s| s.env(env).id("chat-7").enable(["web"]).facts([("chat".into(), true.into())]));
        let (task, cancel) = (Task::new("errand"), CancelHandle::new());
        let call = Call::in_scope("own", ToolCall::new("own", "{}").with_task(&task), CancelEpoch::now(&cancel), &turn);
        assert_eq!(call.user_request(), None);
        task.set_user_request("buy tea");
        let owned = call.to_owned_call();
        for call in [&call, &owned.borrow()] {
            assert_eq!((call.session(), call.user_request().as_deref()), ("chat-7", Some("buy tea")));
            assert_eq!(call.env().var("KEY").as_deref(), Some("value"));
            assert_eq!(call.fact("chat"), Some(&FactValue::Boolean(true)));
            assert_eq!(call.fact("vision"), Some(&FactValue::Boolean(false)), "the default");
            assert_eq!(call.fact("chta"), None);
            assert_eq!(
                ["own", "search", "find", "missing"].map(|name| call.has_tool(name)),
                [true, true, false, false]
            );
        }
        task.set_user_request("make it coffee");
        assert_eq!(owned.borrow().user_request().as_deref(), Some("make it coffee"));
    }

    #[test]
    fn one_of_no_turn_knows_nothing() {
        let call = Call::new(ToolCall::new("own", "{}"));
        assert_eq!(
            (call.session(), call.user_request(), call.fact("chat"), call.has_tool("own")),
            ("", None, None, false)
        );
    }

    #[test]
    fn a_tool_that_is_not_shown_is_none() {
        let (turn, cancel) = (turn(|session| session), CancelHandle::new());
        let call = Call::in_scope("own", ToolCall::new("own", "{}"), CancelEpoch::now(&cancel), &turn);
        assert_eq!(["own", "search"].map(|name| call.has_tool(name)), [true, false]);
    }

    #[test]
    fn progress_is_told_in_order_and_never_after_the_end() {
        let (told, turn) = collecting();
        let (cancel, task) = (CancelHandle::new(), Task::new("errand"));
        let request = ToolCall::new("shown", "{}").with_id("7").with_task(&task);
        let call = Call::in_scope("own", request, CancelEpoch::now(&cancel), &turn);
        call.progress(1.0, None, "here");
        let owned = call.to_owned_call();
        owned.borrow().progress(2.0, Some(4.0), "there");
        call.give_up();
        owned.borrow().progress(3.0, Some(4.0), "too late");
        call.progress(3.0, Some(4.0), "too late");
        let shown = |done, total, message| {
            format!("{:?}", Progress { tool: "own", id: "7", task: "errand", done, total, message })
        };
        assert_eq!(*told.lock().unwrap(), [shown(1.0, None, "here"), shown(2.0, Some(4.0), "there")]);
        Call::new(request).progress(1.0, None, "no listener");
    }

    #[test]
    fn every_switch_stops_it_here_and_on_another_thread() {
        for pulled in 0..4 {
            let (cancel, session, task) = (CancelHandle::new(), CancelHandle::new(), Task::new("errand"));
            let request = ToolCall::new("look", "{}").with_task(&task).with_cancel(&cancel);
            let turn = turn(|session| session);
            let call = Call::in_scope("look", request, CancelEpoch::now(&session), &turn);
            let owned = call.to_owned_call();
            assert!(!call.is_cancelled() && !owned.borrow().is_cancelled());
            match pulled {
                0 => cancel.cancel(),
                1 => task.cancel(),
                2 => session.cancel(),
                _ => call.give_up(),
            }
            assert!(call.is_cancelled() && owned.borrow().is_cancelled(), "{pulled}");
            assert!(owned.cancellation.is_cancelled());
        }
    }
}
