//! A call: the model's request, and the context for its handler.

pub(crate) mod approval;
pub(crate) mod changes;
pub(crate) mod completed;
#[cfg(feature = "approval")]
pub(crate) mod decision;
pub(crate) mod found_directory;
pub(crate) mod hooks;
pub(crate) mod origin;
pub(crate) mod permissions;
pub(crate) mod response;
pub(crate) mod scope;
mod tool_call;

use crate::run::lifetime::CallLifetime;
use std::any::{Any, type_name};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
pub use tool_call::ToolCall;
pub(crate) use tool_call::{OwnedRequest, OwnedToolCall};

#[cfg(feature = "approval")]
use crate::call::approval::shell::{JudgedStart, ShellState, ShellStates};
#[cfg(feature = "approval")]
use crate::call::decision::Decisions;
use crate::call::origin::{CallOrigin, Caller};
use crate::call::scope::CallScope;
use crate::data::segment::FactValue;
use crate::env::Env;
use crate::result::error::ToolError;
use crate::run::cancel::CancellationToken;
use crate::run::cancel::{CancelEpoch, CancelSources, CancelledFuture};
use crate::run::progress::Progress;
use crate::run::task::TaskInner;
use crate::run::values::HostValues;

/// The context of a call, for its handler.
pub struct Call<'a> {
    tool: &'a str,
    pub(crate) request: ToolCall<'a>,
    pub(crate) session: Option<CancelEpoch<'a>>,
    scope: Option<&'a dyn CallScope>,
    /// The state that can outlive the call. Created if the handler may continue after its caller has stopped waiting.
    lifetime: OnceLock<Arc<CallLifetime>>,
    /// Where the command of the call starts, if it was judged.
    #[cfg(feature = "approval")]
    judged: Option<Arc<JudgedStart>>,
    /// The decisions about the call, if it is observed.
    #[cfg(feature = "approval")]
    decisions: Option<Arc<Decisions>>,
}

impl<'a> Call<'a> {
    /// Returns the context of `request`. The runtime creates one for each call; a test of a handler creates its own.
    pub const fn new(request: ToolCall<'a>) -> Self {
        Self {
            tool: request.name,
            request,
            session: None,
            scope: None,
            lifetime: OnceLock::new(),
            #[cfg(feature = "approval")]
            judged: None,
            #[cfg(feature = "approval")]
            decisions: None,
        }
    }

    /// Returns the context of `request` in a turn (`scope`). `tool` is the tool's own name, and `session` the session's
    /// cancel handle.
    pub(crate) const fn in_scope(
        tool: &'a str,
        request: ToolCall<'a>,
        session: CancelEpoch<'a>,
        scope: &'a dyn CallScope,
    ) -> Self {
        Self {
            tool,
            request,
            session: Some(session),
            scope: Some(scope),
            lifetime: OnceLock::new(),
            #[cfg(feature = "approval")]
            judged: None,
            #[cfg(feature = "approval")]
            decisions: None,
        }
    }

    /// Returns the tool's own name, whatever its name in the model's dialect.
    pub const fn tool(&self) -> &'a str {
        self.tool
    }

    /// Returns the id of the call in the vendor's API; may be empty.
    pub const fn id(&self) -> &'a str {
        self.request.id
    }

    /// Returns `arguments`, those of this call, in which what `write` returns replaces each number that a [`Value`](serde_json::Value) does
    /// not hold as the model wrote it: a number beyond 64 bits, or `3.10`. `write` gets its digits, a JSON number.
    #[must_use]
    pub fn with_digits(
        &self,
        mut arguments: serde_json::Value,
        write: &dyn Fn(&str) -> serde_json::Value,
    ) -> serde_json::Value {
        crate::args::restore_numbers(self.request.arguments(), &mut arguments, write);
        arguments
    }

    /// Returns who makes the call: the model, a program of the model, or a script.
    pub fn caller(&self) -> Caller<'a> {
        self.request.caller()
    }

    /// Returns the name of the call's task.
    pub fn task(&self) -> &'a str {
        self.request.task()
    }

    /// Returns the user's request that the task works on, if the host has [set](crate::Task::set_user_request) it.
    pub fn user_request(&self) -> Option<Arc<str>> {
        self.request.task.and_then(|(task, _)| task.user_request())
    }

    /// Returns the working directory in which the task begins, if the host has [set](crate::Task::set_directory) it.
    pub fn directory(&self) -> Option<PathBuf> {
        self.request.task.and_then(|(task, _)| task.directory())
    }

    /// Returns the kind of environment in which the task acts, if the host has [set](crate::Task::set_environment) it for this task.
    pub fn environment(&self) -> Option<Arc<str>> {
        self.request.task.and_then(|(task, _)| task.environment())
    }

    /// Returns the state of this tool's shell in this task. If the call's command was judged, it is the state with which that was
    /// done, also if another call has changed it in the meantime.
    ///
    /// The directory is the [task's](Self::directory), unless a handler has set another one.
    #[cfg(feature = "approval")]
    pub fn shell_state(&self) -> Arc<ShellState> {
        if let Some(judged) = &self.judged {
            return Arc::clone(&judged.state);
        }
        let state = self.state::<ShellStates>().get(self.tool);
        match self.directory() {
            Some(directory) if state.directory.is_none() => {
                Arc::new(ShellState { directory: Some(directory), ..ShellState::clone(&state) })
            }
            _ => state,
        }
    }

    /// Returns the directory in which the call's command was judged, as an absolute path. A handler starts the command there and nowhere
    /// else. `None` if the command was not judged, or if the directory is not known: then the handler finds it.
    ///
    /// It is the directory that the handlers [have found](crate::ToolProvider::start_directory), or else the one that an argument such as
    /// `workdir` names.
    #[cfg(feature = "approval")]
    pub fn start_directory(&self) -> Option<&Path> {
        Some(&self.judged.as_ref()?.directory.as_ref()?.path)
    }

    /// Returns what tells the folder of [`start_directory`](Self::start_directory) from another one that has taken its place, as the
    /// handlers [have found](crate::directory::FoundDirectory::identity) it. A handler must start the command in this folder or not at all.
    #[cfg(feature = "approval")]
    pub fn start_identity(&self) -> Option<(u64, u64)> {
        self.judged.as_ref()?.directory.as_ref()?.identity
    }

    /// Changes the state of this tool's shell for later calls of this task. The commands of these calls are judged with it.
    #[cfg(feature = "approval")]
    pub fn set_shell_state(&self, state: ShellState) {
        self.state::<ShellStates>().set(self.tool, state);
    }

    /// Sets the list to which the decisions about input and code of the handler are added.
    #[cfg(feature = "approval")]
    pub(crate) fn set_decisions(&mut self, decisions: Option<Arc<Decisions>>) {
        self.decisions = decisions;
    }

    /// Sets where the call's command starts, as it was judged.
    #[cfg(feature = "approval")]
    pub(crate) fn set_judged_start(&mut self, judged: Option<Arc<JudgedStart>>) {
        self.judged = judged;
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

    /// Returns the session's environment, with the variables that the tool
    /// [requires](crate::availability::Requirement::Env). For a call without a session, it is the process's environment.
    ///
    /// ```
    /// use toolc::{Call, ToolError};
    ///
    /// fn key(call: &Call<'_>) -> Result<String, ToolError> {
    ///     call.env().var("WEATHER_KEY").ok_or_else(|| ToolError::new("`WEATHER_KEY` is no longer set"))
    /// }
    /// ```
    pub fn env(&self) -> Env {
        self.scope.map_or_else(Env::process, |scope| scope.env().clone())
    }

    /// Returns the [home folder](crate::SessionBuilder::home) of the session: the folder in which the host keeps what belongs to
    /// the user. `None` if the host has not set one. The folder may not exist yet.
    ///
    /// ```
    /// use std::fs;
    /// use toolc::{Call, ToolError, ToolOutput, ToolResult};
    ///
    /// fn save_bookmark(call: &Call<'_>, url: &str) -> ToolResult {
    ///     let home = call.home().ok_or_else(|| ToolError::new("this host has no folder for bookmarks"))?;
    ///     fs::create_dir_all(home)?;
    ///     fs::write(home.join("bookmark"), url)?;
    ///     Ok(ToolOutput::text("saved"))
    /// }
    /// # assert!(save_bookmark(&Call::new(toolc::ToolCall::new("save_bookmark", "{}")), "").is_err());
    /// ```
    pub fn home(&self) -> Option<&'a Path> {
        self.scope?.home()
    }

    /// Returns whether the turn shows the tool with the own name `name`, so that a result may mention it to the model.
    pub fn has_tool(&self, name: &str) -> bool {
        self.scope.is_some_and(|scope| scope.shows(name))
    }

    /// Returns the task's value of type `T`, which is shared by all calls of the task and created by `T::default` on first
    /// use. It is dropped when the task ends. Use a type of your own, and a lock or an atomic for anything that changes. A host
    /// that knows the type gets the value from [`Task::state`](crate::Task::state).
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
    /// For a call without a task (a [`Call::new`] in a test), each call of this method returns a new value.
    pub fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.request.task.map_or_else(Arc::default, |(task, _)| task.state_or_default())
    }

    /// Returns the value of type `T` that the host has attached to the [call](ToolCall::with_values), to its
    /// [task](crate::Task::set_value), or to the [session](crate::SessionBuilder::value): the first of these.
    ///
    /// If the tool cannot work without the value, use [`require_value`](Self::require_value).
    pub fn value<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let of_call = self.request.values.and_then(HostValues::get);
        let of_task = || self.request.task.and_then(|(task, _)| task.value());
        let of_session = || self.scope.and_then(|scope| scope.values().get());
        of_call.or_else(of_task).or_else(of_session)
    }

    /// Returns the same as [`value`](Self::value), or the error of the call if there is no such value.
    ///
    /// # Errors
    /// Returns an error of the kind [`ErrorKind::Failed`](crate::ErrorKind::Failed) that names the type and the tool. It tells the
    /// model to do without the tool, because no other arguments would help.
    pub fn require_value<T: ?Sized + Send + Sync + 'static>(&self) -> Result<Arc<T>, ToolError> {
        self.value().ok_or_else(|| {
            let (name, tool) = (type_name::<T>(), self.tool);
            ToolError::new(format!("this host does not provide `{name}`, which `{tool}` needs: do without this tool"))
        })
    }

    /// Returns whether the call is cancelled: the host cancelled the call, its task or its session, or the call exceeded
    /// its time limit. Handlers should check this often (it is cheap), and then stop.
    pub fn is_cancelled(&self) -> bool {
        let is_over = |source: Option<CancelEpoch<'_>>| source.is_some_and(CancelEpoch::is_cancelled);
        let [own, request, task, session] = self.cancel_sources();
        is_over(own) || is_over(request) || is_over(task) || is_over(session)
    }

    /// Completes when the call is cancelled. After a cancellation, the future of an async handler is polled once more
    /// before it is dropped, so that code after this `await` can clean up.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {
        self.lifetime();
        CancelledFuture::new(self.cancel_sources())
    }

    /// Returns a cancellation token, for threads and async tasks that the handler starts.
    pub fn cancellation(&self) -> CancellationToken {
        self.lifetime();
        CancellationToken::new(self.cancel_sources())
    }

    /// Reports progress to the host: `done` of `total` (in any unit), and a message for people. Reports arrive in order.
    /// Reports after the call's response are dropped.
    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let Some(sink) = self.scope.and_then(|scope| scope.progress()) else { return };
        let event = Progress { tool: self.tool, id: self.id(), task: self.task(), done, total, message };
        match self.lifetime.get() {
            Some(lifetime) => lifetime.report(|| sink(&event)),
            None => sink(&event),
        }
    }

    /// Returns the scope of the call as this type, if the call has a scope.
    pub(crate) fn scope_as<S: CallScope>(&self) -> Option<&'a S> {
        let scope: &'a dyn Any = self.scope?;
        scope.downcast_ref()
    }

    /// Returns the list to which the decisions about input and code of the handler are added.
    #[cfg(feature = "approval")]
    pub(crate) fn decisions(&self) -> Option<&Decisions> {
        self.decisions.as_deref()
    }

    /// Returns the handles that cancel the call.
    pub(crate) fn cancel_sources(&self) -> CancelSources<'_> {
        let own = self.lifetime.get().map(|lifetime| CancelEpoch::ever(&lifetime.over));
        [own, self.request.cancel, self.request.task.map(|(_, since)| since), self.session]
    }

    /// Returns the part of the call that can outlive it.
    pub(crate) fn lifetime(&self) -> &Arc<CallLifetime> {
        self.lifetime.get_or_init(Arc::default)
    }

    /// Marks the call as abandoned: its handler sees that it is cancelled, and its progress is ignored.
    pub(crate) fn abandon(&self) {
        if let Some(lifetime) = self.lifetime.get() {
            lifetime.abandon();
        }
    }

    /// Returns whether the handler waits for a thread.
    pub(crate) fn is_queued(&self) -> bool {
        self.lifetime.get().is_some_and(|lifetime| lifetime.queued.load(Ordering::Relaxed))
    }

    /// Returns an owned copy, for another thread.
    pub(crate) fn to_owned_call(&self) -> OwnedCall {
        OwnedCall {
            tool: self.tool.into(),
            id: self.id().into(),
            task: self.request.task.map(|(task, _)| Arc::clone(task)),
            cancellation: self.cancellation(),
            values: self.request.values.cloned(),
            origin: self.request.origin.clone(),
            is_from_script: self.request.is_from_script,
            scope: self.scope.map(CallScope::to_shared),
            lifetime: Arc::clone(self.lifetime()),
            #[cfg(feature = "approval")]
            judged: self.judged.clone(),
            #[cfg(feature = "approval")]
            decisions: self.decisions.clone(),
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
    values: Option<HostValues>,
    origin: CallOrigin,
    is_from_script: bool,
    scope: Option<Arc<dyn CallScope>>,
    lifetime: Arc<CallLifetime>,
    #[cfg(feature = "approval")]
    judged: Option<Arc<JudgedStart>>,
    /// The decisions about the call, if it is observed.
    #[cfg(feature = "approval")]
    decisions: Option<Arc<Decisions>>,
}

impl OwnedCall {
    pub(crate) fn borrow(&self) -> Call<'_> {
        let [_, cancel, of_task, session] = self.cancellation.sources();
        let task = self.task.as_ref().zip(of_task);
        let values = self.values.as_ref();
        let is_from_script = self.is_from_script;
        let (id, origin) = (&*self.id, &self.origin);
        let request = ToolCall { id, origin, task, cancel, values, is_from_script, ..ToolCall::new(&self.tool, "") };
        let lifetime = OnceLock::from(Arc::clone(&self.lifetime));
        Call {
            tool: &self.tool,
            request,
            session,
            scope: self.scope.as_deref(),
            lifetime,
            #[cfg(feature = "approval")]
            judged: self.judged.clone(),
            #[cfg(feature = "approval")]
            decisions: self.decisions.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Turn;
    use crate::data::dialect::Dialect;
    use crate::fakes::{Fake, renamed, tool};
    use crate::run::cancel::CancelHandle;
    use crate::run::task::Task;
    use crate::session::SessionBuilder;
    use std::sync::Mutex;

    fn turn(set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
        let fake = Fake::new([renamed("find", tool("search", "web", &[])), tool("own", "home", &[])]);
        let session = fake.fact("chat", false).fact("vision", false).registry().session().enable(["home"]);
        set(session).build().unwrap().turn_blocking(Dialect::OpenAi)
    }

    /// Returns a turn, and the list of its progress reports.
    fn collecting() -> (Arc<Mutex<Vec<String>>>, Turn) {
        let events = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&events);
        (events, turn(|session| session.on_progress(move |event| sink.lock().unwrap().push(format!("{event:?}")))))
    }

    #[test]
    fn a_call_and_its_owned_copy_have_the_turns_context() {
        let env = Env::empty().with_var("KEY", "value");
        let turn =
            turn(|s| s.env(env).id("chat-7").home("/users/ada").enable(["web"]).facts([("chat".into(), true.into())]));
        let (task, cancel) = (Task::new("errand"), CancelHandle::new());
        let call = Call::in_scope("own", ToolCall::new("own", "{}").with_task(&task), CancelEpoch::now(&cancel), &turn);
        assert_eq!(call.user_request(), None);
        task.set_user_request("buy tea");
        let owned = call.to_owned_call();
        for call in [&call, &owned.borrow()] {
            assert_eq!((call.session(), call.user_request().as_deref()), ("chat-7", Some("buy tea")));
            assert_eq!(call.env().var("KEY").as_deref(), Some("value"));
            assert_eq!(call.home(), Some(Path::new("/users/ada")));
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
    fn a_call_without_a_turn_has_no_context() {
        let call = Call::new(ToolCall::new("own", "{}"));
        assert_eq!(
            (call.session(), call.user_request(), call.fact("chat"), call.has_tool("own")),
            ("", None, None, false)
        );
        assert_eq!(call.home(), None);
    }

    #[test]
    fn hidden_tools_are_not_available_to_a_call() {
        let (turn, cancel) = (turn(|session| session), CancelHandle::new());
        let call = Call::in_scope("own", ToolCall::new("own", "{}"), CancelEpoch::now(&cancel), &turn);
        assert_eq!(["own", "search"].map(|name| call.has_tool(name)), [true, false]);
    }

    #[test]
    fn progress_is_reported_in_order_and_never_after_the_end() {
        let (events, turn) = collecting();
        let (cancel, task) = (CancelHandle::new(), Task::new("errand"));
        let request = ToolCall::new("shown", "{}").with_id("7").with_task(&task);
        let call = Call::in_scope("own", request, CancelEpoch::now(&cancel), &turn);
        call.progress(1.0, None, "here");
        let owned = call.to_owned_call();
        owned.borrow().progress(2.0, Some(4.0), "there");
        call.abandon();
        owned.borrow().progress(3.0, Some(4.0), "too late");
        call.progress(3.0, Some(4.0), "too late");
        let report = |done, total, message| {
            format!("{:?}", Progress { tool: "own", id: "7", task: "errand", done, total, message })
        };
        assert_eq!(*events.lock().unwrap(), [report(1.0, None, "here"), report(2.0, Some(4.0), "there")]);
        Call::new(request).progress(1.0, None, "no listener");
    }

    #[test]
    fn every_cancel_source_cancels_the_call_and_its_owned_copy() {
        for source in 0..4 {
            let (cancel, session, task) = (CancelHandle::new(), CancelHandle::new(), Task::new("errand"));
            let request = ToolCall::new("look", "{}").with_task(&task).with_cancel(&cancel);
            let turn = turn(|session| session);
            let call = Call::in_scope("look", request, CancelEpoch::now(&session), &turn);
            let owned = call.to_owned_call();
            assert!(!call.is_cancelled() && !owned.borrow().is_cancelled());
            match source {
                0 => cancel.cancel(),
                1 => task.cancel(),
                2 => session.cancel(),
                _ => call.abandon(),
            }
            assert!(call.is_cancelled() && owned.borrow().is_cancelled(), "{source}");
            assert!(owned.cancellation.is_cancelled());
        }
    }
}
