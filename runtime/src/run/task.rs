//! Tasks: groups of calls that share state and are cancelled together.

use std::any::{Any, TypeId};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::panics;
use crate::run::cancel::{CancelEpoch, CancelHandle};
use crate::run::values::HostValues;
use crate::vec_map::VecMap;

/// A task of an agent, such as a conversation or the job of a sub-agent. The calls that
/// [belong](crate::ToolCall::with_task) to a task share [state](crate::Call::state), and can be cancelled together. Calls
/// without a task belong to their session's own task.
///
/// Dropping the `Task` ends the task: its running calls are cancelled, and its state and values are dropped. [`Task::end`] does
/// the same for a task that is shared.
///
/// ```
/// use toolc::{Task, ToolCall};
///
/// let errand = Task::new("errand-7");
/// let request = ToolCall::new("look_up", "{}").with_task(&errand);
/// ```
pub struct Task(pub(crate) Arc<TaskInner>);

/// The shared part of a task.
pub(crate) struct TaskInner {
    pub(crate) name: String,
    pub(crate) cancel: CancelHandle,
    /// Set before the calls of an ending task are cancelled.
    has_ended: AtomicBool,
    user_request: Mutex<Option<Arc<str>>>,
    directory: Mutex<Option<PathBuf>>,
    environment: Mutex<Option<Arc<str>>>,
    /// What the task holds, or `None` if it has ended.
    content: Mutex<Option<Content>>,
}

#[derive(Default)]
struct Content {
    /// The state that handlers keep.
    state: VecMap<TypeId, Arc<dyn Any + Send + Sync>>,
    /// The values of the host.
    values: HostValues,
}

impl Task {
    /// The name of the task of calls without a task.
    pub(crate) const DEFAULT: &str = "default";

    /// Returns a new task. Names do not have to be unique.
    pub fn new(name: impl Into<String>) -> Self {
        Self(Arc::new(TaskInner {
            name: name.into(),
            cancel: CancelHandle::new(),
            has_ended: AtomicBool::new(false),
            user_request: Mutex::default(),
            directory: Mutex::default(),
            environment: Mutex::default(),
            content: Mutex::new(Some(Content::default())),
        }))
    }

    /// Returns the name of the task.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Sets the user's current request, which handlers get from [`Call::user_request`](crate::Call::user_request). Set it again
    /// for each new request.
    pub fn set_user_request(&self, text: impl Into<Arc<str>>) {
        *self.0.user_request.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.into());
    }

    /// Attaches a value for the handlers of the task's calls, which they get from [`Call::value`](crate::Call::value). It replaces
    /// the value of the same type, and takes precedence over that of the [session](crate::SessionBuilder::value). It is dropped
    /// when the task ends.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolc::{Call, Task, ToolCall};
    ///
    /// /// The chat in which the user has written.
    /// struct Chat(i64);
    ///
    /// let task = Task::new("answer");
    /// task.set_value(Arc::new(Chat(17)));
    /// let call = Call::new(ToolCall::new("send", "{}").with_task(&task));
    /// assert_eq!(call.value::<Chat>().map(|chat| chat.0), Some(17));
    /// ```
    pub fn set_value<T: ?Sized + Send + Sync + 'static>(&self, value: Arc<T>) {
        let mut content = self.0.content();
        let dropped = match content.as_mut() {
            Some(content) => content.values.replace(value),
            None => Some(Arc::new(value) as Arc<dyn Any + Send + Sync>),
        };
        // Released first, because a destructor may run any code.
        drop(content);
        drop(dropped);
    }

    /// Returns the value of type `T` that handlers keep in the task with [`Call::state`](crate::Call::state), or `None` if no
    /// handler has created it, or if the task has ended.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use toolc::{Call, Task, ToolCall};
    ///
    /// /// What is still to be done.
    /// #[derive(Default)]
    /// pub struct Plan(pub Mutex<Vec<String>>);
    ///
    /// fn plan(call: &Call<'_>, step: &str) {
    ///     call.state::<Plan>().0.lock().unwrap().push(step.to_owned());
    /// }
    ///
    /// let task = Task::new("errand");
    /// assert!(task.state::<Plan>().is_none());
    /// plan(&Call::new(ToolCall::new("plan", "{}").with_task(&task)), "buy tea");
    /// let steps = task.state::<Plan>().map(|plan| plan.0.lock().unwrap().clone());
    /// assert_eq!(steps, Some(vec!["buy tea".to_owned()]));
    /// ```
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.content().as_ref()?.state()
    }

    /// Sets the working directory in which the task begins: an absolute path, which handlers get from
    /// [`Call::directory`](crate::Call::directory). By default, it is that of the handlers.
    pub fn set_directory(&self, path: impl Into<PathBuf>) {
        *self.0.directory.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.into());
    }

    /// Sets the kind of environment in which the task's commands and file tools act, such as `sandbox` or `docker`. Handlers get it
    /// from [`Call::environment`](crate::Call::environment), and commands are judged for it. By default, it is that of the session.
    ///
    /// Set it before the first call of the task: what a handler has already started keeps running where it is.
    pub fn set_environment(&self, kind: impl Into<Arc<str>>) {
        *self.0.environment.lock().unwrap_or_else(PoisonError::into_inner) = Some(kind.into());
    }

    /// Cancels the running calls of the task. Later calls are not affected, and the task keeps its state.
    pub fn cancel(&self) {
        self.0.cancel.cancel();
    }

    /// Ends the task, as dropping it does: cancels its running calls, and drops its state and values. Handlers of later calls are
    /// not started; the calls are answered as cancelled. Ending a task again has no effect.
    ///
    /// This is for a task that others still refer to, such as the [own task of a session](crate::Session::task), which
    /// otherwise ends with the last turn of the session, or with the last handler that is still running.
    pub fn end(&self) {
        self.0.has_ended.store(true, Ordering::SeqCst);
        // Taken out first, so that destructors run without the lock.
        let content = self.0.content().take();
        self.0.cancel.cancel();
        let Content { state, values } = content.unwrap_or_default();
        for value in state.into_iter().map(|(_, value)| value).chain(values.into_values()) {
            // A panic in the destructor of one value must not prevent the others from being dropped.
            let _ = panics::catch(|| drop(value));
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.end();
    }
}

impl Content {
    /// Returns the state of type `T`.
    fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.state.get(&TypeId::of::<T>()).and_then(|value| Arc::clone(value).downcast().ok())
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(&self.name()).finish()
    }
}

impl TaskInner {
    /// Returns the task's value of type `T`, which is created on first use. If the task has ended, the value is new and not
    /// shared.
    pub(crate) fn state_or_default<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        if let Some(existing) = self.content().as_ref().and_then(Content::state) {
            return existing;
        }
        // Created without the lock, because `T::default` may panic or access other state of the task.
        let new = Arc::new(T::default());
        let mut content = self.content();
        let Some(content) = content.as_mut() else { return new };
        if let Some(existing) = content.state() {
            return existing;
        }
        content.state.insert(TypeId::of::<T>(), new.clone());
        new
    }

    /// Returns the epoch of a call that begins now. If the task has ended, the call is cancelled.
    pub(crate) fn epoch(&self) -> CancelEpoch<'_> {
        // Read in the opposite order of `Task::end`, so that a call that begins meanwhile is cancelled by one or the other.
        let now = CancelEpoch::now(&self.cancel);
        if self.has_ended.load(Ordering::SeqCst) { CancelEpoch::ever(&self.cancel) } else { now }
    }

    /// Returns the host's value of type `T`.
    pub(crate) fn value<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.content().as_ref()?.values.get()
    }

    /// Returns the user's current request.
    pub(crate) fn user_request(&self) -> Option<Arc<str>> {
        self.user_request.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the working directory in which the task begins, if the host has set it.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        self.directory.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the kind of environment of the task, if the host has set it.
    pub(crate) fn environment(&self) -> Option<Arc<str>> {
        self.environment.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn content(&self) -> MutexGuard<'_, Option<Content>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for TaskInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{OnceLock, Weak};

    use super::*;
    use crate::call::{Call, ToolCall};

    #[derive(Debug, Default)]
    struct Numbers(Mutex<Vec<u32>>);

    /// Adds a number to the state of a task, and returns all numbers.
    fn add_number(task: &Task, number: u32) -> Vec<u32> {
        let state = Call::new(ToolCall::new("look", "{}").with_task(task)).state::<Numbers>();
        let mut numbers = state.0.lock().unwrap();
        numbers.push(number);
        numbers.clone()
    }

    #[test]
    fn each_task_has_one_value_of_each_type() {
        let (one, other) = (Task::new("one"), Task::new("one"));
        assert_eq!([add_number(&one, 1), add_number(&one, 2), add_number(&other, 3)], [vec![1], vec![1, 2], vec![3]]);
        let call = Call::new(ToolCall::new("look", "{}").with_task(&one));
        assert_eq!(*call.state::<String>(), "");
        // The state of a call without a task is dropped with the call.
        let lone = Call::new(ToolCall::new("look", "{}"));
        assert!(!Arc::ptr_eq(&lone.state::<Numbers>(), &lone.state::<Numbers>()));
    }

    #[test]
    fn state_is_dropped_when_the_task_ends() {
        let task = Task::new("task");
        let kept = Arc::clone(&task.0);
        let state: Weak<Numbers> = Arc::downgrade(&kept.state_or_default::<Numbers>());
        assert!(state.upgrade().is_some());
        drop(task);
        assert!(state.upgrade().is_none());
        let late = Arc::downgrade(&kept.state_or_default::<Numbers>());
        assert!(late.upgrade().is_none(), "an ended task keeps nothing");
    }

    #[test]
    fn a_host_sees_the_state_of_a_task_and_does_not_create_it() {
        let task = Task::new("task");
        assert!(task.state::<Numbers>().is_none());
        assert_eq!(add_number(&task, 1), [1]);
        let seen = task.state::<Numbers>().expect("a handler has created it");
        assert_eq!(add_number(&task, 2), [1, 2]);
        assert_eq!(*seen.0.lock().unwrap(), [1, 2]);
        assert!(task.state::<String>().is_none());
    }

    #[test]
    fn an_ended_task_keeps_nothing_and_cancels_all_its_calls() {
        let task = Task::new("task");
        let before = Call::new(ToolCall::new("look", "{}").with_task(&task));
        let state = Arc::downgrade(&before.state::<Numbers>());
        let value = Arc::new(1_u8);
        task.set_value(Arc::clone(&value));
        for _ in 0..2 {
            task.end();
            let after = Call::new(ToolCall::new("look", "{}").with_task(&task));
            assert!(before.is_cancelled() && after.is_cancelled());
            assert!(before.cancellation().is_cancelled() && after.to_owned_call().borrow().is_cancelled());
            task.set_value(Arc::clone(&value));
            assert_eq!((after.value::<u8>(), add_number(&task, 1)), (None, vec![1]));
        }
        assert!(state.upgrade().is_none() && task.state::<Numbers>().is_none());
        assert_eq!(Arc::strong_count(&value), 1);
    }

    /// State that uses its task when it is dropped.
    #[derive(Debug, Default)]
    struct Farewell(OnceLock<(Arc<TaskInner>, Arc<AtomicBool>)>);

    impl Drop for Farewell {
        fn drop(&mut self) {
            if let Some((task, was_dropped)) = self.0.take() {
                // A deadlock if the lock of the task were held.
                task.state_or_default::<Numbers>();
                was_dropped.store(true, Ordering::SeqCst);
            }
        }
    }

    #[test]
    fn state_may_use_its_task_when_it_is_dropped() {
        let (task, was_dropped) = (Task::new("task"), Arc::new(AtomicBool::new(false)));
        let state = task.0.state_or_default::<Farewell>();
        state.0.set((Arc::clone(&task.0), Arc::clone(&was_dropped))).unwrap();
        drop(state);
        task.end();
        assert!(was_dropped.load(Ordering::SeqCst));
    }

    #[derive(Debug)]
    struct Broken;

    impl Default for Broken {
        fn default() -> Self {
            panic!("cannot be made")
        }
    }

    #[derive(Debug, Default)]
    struct Stubborn;

    impl Drop for Stubborn {
        fn drop(&mut self) {
            panic!("cannot be dropped")
        }
    }

    #[test]
    fn a_panic_does_not_affect_other_state() {
        let task = Task::new("task");
        let state = Arc::downgrade(&task.0.state_or_default::<Numbers>());
        assert!(panics::catch(|| task.0.state_or_default::<Broken>()).is_err());
        task.0.state_or_default::<Stubborn>();
        assert_eq!(add_number(&task, 1), [1]);
        drop(task);
        assert!(state.upgrade().is_none());
    }

    /// State that accesses other state when it is created.
    #[derive(Debug)]
    struct Nested(Arc<Numbers>);

    thread_local! {
        static TASK: std::cell::RefCell<Option<Arc<TaskInner>>> = const { std::cell::RefCell::new(None) };
    }

    impl Default for Nested {
        fn default() -> Self {
            Nested(TASK.with_borrow(|task| task.as_ref().unwrap().state_or_default()))
        }
    }

    #[test]
    fn state_may_access_other_state_when_it_is_created() {
        let task = Task::new("task");
        TASK.set(Some(Arc::clone(&task.0)));
        assert!(Arc::ptr_eq(&task.0.state_or_default::<Nested>().0, &task.0.state_or_default::<Numbers>()));
    }
}
