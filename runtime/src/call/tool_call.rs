//! The model's request to run a tool.

use std::sync::Arc;

use crate::call::origin::{CallKind, CallOrigin, Caller};
#[cfg(feature = "approval")]
use crate::call::scope::InputCall;
use crate::call::scope::ScriptCall;
use crate::run::cancel::{CancelEpoch, CancelHandle, OwnedEpoch};
use crate::run::task::{Task, TaskInner};
use crate::run::values::HostValues;

/// A model's request to run a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a str,
    pub(crate) id: &'a str,
    pub(crate) origin: &'a CallOrigin,
    pub(crate) task: Option<(&'a Arc<TaskInner>, CancelEpoch<'a>)>,
    pub(crate) cancel: Option<CancelEpoch<'a>>,
    pub(crate) values: Option<&'a HostValues>,
    pub(crate) is_from_script: bool,
}

impl<'a> ToolCall<'a> {
    /// Returns a call of the tool `name` with `arguments`, the JSON text of an object, as the model wrote it.
    pub const fn new(name: &'a str, arguments: &'a str) -> Self {
        let origin = CallOrigin::MODEL;
        Self { name, arguments, id: "", origin, task: None, cancel: None, values: None, is_from_script: false }
    }

    /// Returns a call of the tool `name` with a text instead of arguments, as models call text tools (`custom` of OpenAI). The text becomes
    /// the value of the tool's only required parameter, which must accept a string. If the tool has no such parameter, the arguments are
    /// the text as a JSON string, so they are repaired or refused like any other arguments.
    pub const fn text(name: &'a str, text: &'a str) -> Self {
        Self { origin: CallOrigin::TEXT, ..Self::new(name, text) }
    }

    /// Sets the id that the vendor's API gave the call. Empty by default.
    #[must_use]
    pub const fn with_id(self, id: &'a str) -> Self {
        Self { id, ..self }
    }

    /// Sets what the vendor's API says about the call, including its [kind](CallKind). By default, it is a function call of the
    /// model itself.
    #[must_use]
    pub const fn with_origin(self, origin: &'a CallOrigin) -> Self {
        Self { origin, ..self }
    }

    /// Assigns the call to a task, instead of the session's own task. Cancelling the task after this cancels the call.
    #[must_use]
    pub fn with_task(self, task: &'a Task) -> Self {
        Self { task: Some((&task.0, task.0.epoch())), ..self }
    }

    /// Sets a handle that cancels the call. If it is already cancelled, the call does not start.
    #[must_use]
    pub const fn with_cancel(self, cancel: &'a CancelHandle) -> Self {
        Self { cancel: Some(CancelEpoch::ever(cancel)), ..self }
    }

    /// Attaches values for the handler of this call. They take precedence over those of the task and the session.
    #[must_use]
    pub const fn with_values(self, values: &'a HostValues) -> Self {
        Self { values: Some(values), ..self }
    }

    /// Returns the request of a call whose handler wants to write input. Its arguments are no longer known.
    #[cfg(feature = "approval")]
    pub(crate) const fn of_input(call: InputCall<'a>) -> Self {
        Self { id: call.id, task: call.task, ..Self::new(call.tool, "") }
    }

    /// Returns the request of a call that a script makes. `name` is the tool's name in the dialect.
    pub(crate) const fn of_script(name: &'a str, call: ScriptCall<'a>) -> Self {
        let ScriptCall { name: _, arguments, id, task, cancel, session: _, values } = call;
        Self { id, task, cancel: Some(cancel), values, is_from_script: true, ..Self::new(name, arguments) }
    }

    /// Returns this call, redirected to another tool with other arguments.
    pub(crate) const fn redirected<'s>(self, name: &'s str, arguments: &'s str) -> ToolCall<'s>
    where
        'a: 's,
    {
        ToolCall { name, arguments, ..self }
    }

    /// Assigns the call to `task`, unless it already has a task.
    pub(crate) fn or_task(self, task: &'a Task) -> Self {
        if self.task.is_some() { self } else { self.with_task(task) }
    }

    /// Returns the tool's name, as the model wrote it.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the JSON text of the arguments, as the model wrote it, or the text of a call of a [text tool](CallKind::Text).
    pub const fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// Returns what the vendor's API says about the call.
    pub const fn origin(&self) -> &'a CallOrigin {
        self.origin
    }

    /// Returns who makes the call.
    pub fn caller(&self) -> Caller<'a> {
        match &self.origin.program {
            _ if self.is_from_script => Caller::Script,
            Some(id) => Caller::Program { id },
            None => Caller::Model,
        }
    }

    /// Returns whether there is a text instead of arguments.
    pub(crate) fn is_text(&self) -> bool {
        self.origin.kind == CallKind::Text
    }

    /// Returns the id of the call in the vendor's API; may be empty.
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// Returns whether a script made the call.
    #[cfg(feature = "search")]
    pub(crate) const fn is_from_script(&self) -> bool {
        self.is_from_script
    }

    /// Returns the state of its task.
    pub(crate) fn task_state(&self) -> Option<&'a TaskInner> {
        self.task.map(|(task, _)| &**task)
    }

    /// Returns the name of its task.
    pub(crate) fn task(&self) -> &'a str {
        self.task.map_or(Task::DEFAULT, |(task, _)| &task.name)
    }

    /// Returns an owned copy without the arguments and values, for the time until the response.
    pub(crate) fn to_owned_request(self) -> OwnedRequest {
        let task = self.task.map(|(task, _)| Arc::clone(task));
        OwnedRequest { name: self.name.into(), id: self.id.into(), origin: self.origin.clone(), task }
    }
}

/// An owned [`ToolCall`], without what only its handler needs.
pub(crate) struct OwnedRequest {
    name: String,
    id: String,
    origin: CallOrigin,
    task: Option<Arc<TaskInner>>,
}

impl OwnedRequest {
    pub(crate) fn borrow(&self) -> ToolCall<'_> {
        let task = self.task.as_ref().map(|task| (task, task.epoch()));
        ToolCall { id: &self.id, origin: &self.origin, task, ..ToolCall::new(&self.name, "") }
    }
}

/// An owned [`ToolCall`].
#[derive(Clone)]
pub(crate) struct OwnedToolCall {
    name: String,
    arguments: String,
    id: String,
    origin: CallOrigin,
    /// The task, with its cancel count at the start of the call.
    task: Option<(Arc<TaskInner>, OwnedEpoch)>,
    cancel: Option<OwnedEpoch>,
    values: Option<HostValues>,
    is_from_script: bool,
}

impl ToolCall<'_> {
    /// Returns an owned copy.
    pub(crate) fn to_owned_call(self) -> OwnedToolCall {
        OwnedToolCall {
            name: self.name.to_owned(),
            arguments: self.arguments.to_owned(),
            id: self.id.to_owned(),
            origin: self.origin.clone(),
            task: self.task.map(|(task, epoch)| (Arc::clone(task), epoch.to_owned_epoch())),
            cancel: self.cancel.map(CancelEpoch::to_owned_epoch),
            values: self.values.cloned(),
            is_from_script: self.is_from_script,
        }
    }
}

impl OwnedToolCall {
    pub(crate) fn borrow(&self) -> ToolCall<'_> {
        ToolCall {
            name: &self.name,
            arguments: &self.arguments,
            id: &self.id,
            origin: &self.origin,
            task: self.task.as_ref().map(|(task, epoch)| (task, epoch.borrow())),
            cancel: self.cancel.as_ref().map(OwnedEpoch::borrow),
            values: self.values.as_ref(),
            is_from_script: self.is_from_script,
        }
    }
}
