//! Tasks, which own the state that handlers keep between calls.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::panics;
use crate::run::cancel::CancelHandle;
use crate::vec_map::VecMap;

/// A task of an agent, such as a conversation or the job of a sub-agent. Calls [belong](crate::ToolCall::with_task) to
/// a task, and so does the [state](crate::Call::state) that handlers keep between them. Calls without a task belong to
/// their session's own task.
///
/// The host holds it as long as the work continues. Dropping it ends the task: its running calls are cancelled, and its
/// state is dropped.
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
    /// The state, or `None` if the task has ended.
    values: Mutex<Option<Values>>,
}

type Values = VecMap<TypeId, Arc<dyn Any + Send + Sync>>;

impl Task {
    /// The name of the task of calls without a task.
    pub(crate) const DEFAULT: &str = "default";

    /// Starts a task. Two tasks with the same name are different tasks.
    pub fn new(name: impl Into<String>) -> Self {
        let values = Mutex::new(Some(Values::new()));
        Self(Arc::new(TaskInner {
            name: name.into(),
            cancel: CancelHandle::new(),
            user_request: Mutex::default(),
            values,
        }))
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Sets the user's request, for [handlers](crate::Call::user_request) that depend on it. Set it again for each
    /// request that the task serves.
    pub fn set_user_request(&self, text: impl Into<Arc<str>>) {
        *self.0.user_request.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.into());
    }

    /// Cancels its running calls. The task continues, and keeps its state.
    pub fn cancel(&self) {
        self.0.cancel.cancel();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let values = self.0.values().take();
        self.0.cancel.cancel();
        for (_, value) in values.unwrap_or_default() {
            // A value whose drop panics must not keep the others.
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
    /// Returns the task's `T`, created on first use. If the task has ended, it is a new one that is not shared.
    pub(crate) fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let key = TypeId::of::<T>();
        let typed = |value: &Arc<dyn Any + Send + Sync>| Arc::clone(value).downcast().ok();
        if let Some(known) = self.values().as_ref().and_then(|values| values.get(&key)).and_then(typed) {
            return known;
        }
        // Without the lock, because it may panic or access other state.
        let made = Arc::new(T::default());
        let mut values = self.values();
        let Some(values) = values.as_mut() else { return made };
        if let Some(known) = values.get(&key).and_then(typed) {
            return known;
        }
        values.insert(key, made.clone());
        made
    }

    /// Returns the user's current request.
    pub(crate) fn user_request(&self) -> Option<Arc<str>> {
        self.user_request.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn values(&self) -> MutexGuard<'_, Option<Values>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
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
    struct Seen(Mutex<Vec<u32>>);

    fn seen(task: &Task, number: u32) -> Vec<u32> {
        let state = Call::new(ToolCall::new("look", "{}").with_task(task)).state::<Seen>();
        let mut seen = state.0.lock().unwrap();
        seen.push(number);
        seen.clone()
    }

    #[test]
    fn each_task_has_its_own_one_of_each_type() {
        let (one, other) = (Task::new("one"), Task::new("one"));
        assert_eq!([seen(&one, 1), seen(&one, 2), seen(&other, 3)], [vec![1], vec![1, 2], vec![3]]);
        let call = Call::new(ToolCall::new("look", "{}").with_task(&one));
        assert_eq!(*call.state::<String>(), "");
        // A call without a task has nothing that would outlive it.
        let lone = Call::new(ToolCall::new("look", "{}"));
        assert!(!Arc::ptr_eq(&lone.state::<Seen>(), &lone.state::<Seen>()));
    }

    #[test]
    fn it_ends_with_the_task_although_others_still_know_that() {
        let task = Task::new("task");
        let kept = Arc::clone(&task.0);
        let state: Weak<Seen> = Arc::downgrade(&kept.state::<Seen>());
        assert!(state.upgrade().is_some());
        drop(task);
        assert!(state.upgrade().is_none());
        let late = Arc::downgrade(&kept.state::<Seen>());
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
    fn a_panic_leaves_the_rest_whole() {
        let task = Task::new("task");
        let state = Arc::downgrade(&task.0.state::<Seen>());
        assert!(panics::catch(|| task.0.state::<Broken>()).is_err());
        task.0.state::<Stubborn>();
        assert_eq!(seen(&task, 1), [1]);
        drop(task);
        assert!(state.upgrade().is_none());
    }

    /// State that accesses other state when it is created.
    #[derive(Debug)]
    struct Nested(Arc<Seen>);

    thread_local! {
        static TASK: std::cell::RefCell<Option<Arc<TaskInner>>> = const { std::cell::RefCell::new(None) };
    }

    impl Default for Nested {
        fn default() -> Self {
            Nested(TASK.with_borrow(|task| task.as_ref().unwrap().state()))
        }
    }

    #[test]
    fn state_may_be_made_from_other_state() {
        let task = Task::new("task");
        TASK.set(Some(Arc::clone(&task.0)));
        assert!(Arc::ptr_eq(&task.0.state::<Nested>().0, &task.0.state::<Seen>()));
    }
}
