//! State that belongs to a task. There is no end-of-task event, so memory is bounded by forgetting the task
//! that has been quiet for longest.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// As many tasks as are remembered.
const MOST_TASKS: usize = 1_000;

/// A `T` for each task, made on first use.
#[derive(Debug, Default)]
pub(crate) struct PerTask<T> {
    /// The most recently used last.
    tasks: Mutex<VecDeque<(String, T)>>,
}

impl<T: Default> PerTask<T> {
    /// Runs `work` on the state of `task`. Other tasks wait meanwhile: keep it short.
    pub(crate) fn with<R>(&self, task: &str, work: impl FnOnce(&mut T) -> R) -> R {
        // A panic loses the state of its own task only; all tasks going dark would be worse.
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        // Searched from the back: the task that calls is most likely the one that called last.
        let known = tasks.iter().rposition(|(name, _)| name == task).and_then(|at| tasks.remove(at));
        if known.is_none() && tasks.len() >= MOST_TASKS {
            tasks.pop_front();
        }
        let (name, mut state) = known.unwrap_or_else(|| (task.to_owned(), T::default()));
        let result = work(&mut state);
        tasks.push_back((name, state));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_has_its_own_and_the_quietest_is_forgotten() {
        let state = PerTask::<u32>::default();
        state.with("a", |n| *n = 1);
        state.with("b", |n| *n = 2);
        for i in 0..MOST_TASKS - 2 {
            state.with(&format!("t{i}"), |_| ());
        }
        assert_eq!(state.with("a", |n| *n), 1);
        state.with("one too many", |_| ());
        assert_eq!(state.with("a", |n| *n), 1, "used lately");
        assert_eq!(state.with("b", |n| *n), 0, "forgotten");
    }
}
