//! Tasks: groups of calls that share state and are cancelled together.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::panics;
use crate::run::cancel::CancelHandle;
use crate::run::values::HostValues;
use crate::vec_map::VecMap;

/// A task of an agent, such as a conversation or the job of a sub-agent. The calls that
/// [belong](crate::ToolCall::with_task) to a task share [state](crate::Call::state), and can be cancelled together. Calls
/// without a task belong to their session's own task.
///
/// Dropping the `Task` ends the task: its running calls are cancelled, and its state is dropped.
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
    user_request: Mutex<Option<Arc<str>>>,
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
            user_request: Mutex::default(),
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
        let previous = content.as_mut().and_then(|content| content.values.replace(value));
        // Released first, because dropping the previous value may run any code.
        drop(content);
        drop(previous);
    }

    /// Cancels the running calls of the task. Later calls are not affected, and the task keeps its state.
    pub fn cancel(&self) {
        self.0.cancel.cancel();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let content = self.0.content().take();
        self.0.cancel.cancel();
        let Content { state, values } = content.unwrap_or_default();
        for value in state.into_iter().map(|(_, value)| value).chain(values.into_values()) {
            // A panic in the destructor of one value must not prevent the others from being dropped.
            let _ = panics::catch(|| drop(value));
        }
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
    pub(crate) fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let key = TypeId::of::<T>();
        let typed = |value: &Arc<dyn Any + Send + Sync>| Arc::clone(value).downcast().ok();
        if let Some(existing) = self.content().as_ref().and_then(|content| content.state.get(&key)).and_then(typed) {
            return existing;
        }
        // Created without the lock, because `T::default` may panic or access other state of the task.
        let new = Arc::new(T::default());
        let mut content = self.content();
        let Some(content) = content.as_mut() else { return new };
        if let Some(existing) = content.state.get(&key).and_then(typed) {
            return existing;
        }
        content.state.insert(key, new.clone());
        new
    }

    /// Returns the host's value of type `T`.
    pub(crate) fn value<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.content().as_ref()?.values.get()
    }

    /// Returns the user's current request.
    pub(crate) fn user_request(&self) -> Option<Arc<str>> {
        self.user_request.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
    use std::sync::Weak;

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
        let state: Weak<Numbers> = Arc::downgrade(&kept.state::<Numbers>());
        assert!(state.upgrade().is_some());
        drop(task);
        assert!(state.upgrade().is_none());
        let late = Arc::downgrade(&kept.state::<Numbers>());
        assert!(late.upgrade().is_none(), "an ended task keeps nothing");
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
        let state = Arc::downgrade(&task.0.state::<Numbers>());
        assert!(panics::catch(|| task.0.state::<Broken>()).is_err());
        task.0.state::<Stubborn>();
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
            Nested(TASK.with_borrow(|task| task.as_ref().unwrap().state()))
        }
    }

    #[test]
    fn state_may_access_other_state_when_it_is_created() {
        let task = Task::new("task");
        TASK.set(Some(Arc::clone(&task.0)));
        assert!(Arc::ptr_eq(&task.0.state::<Nested>().0, &task.0.state::<Numbers>()));
    }
}
