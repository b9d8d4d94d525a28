//! Handlers of the shipped toolsets with which an agent organises its own work: `todo`.

mod todo;

pub use todo::{TodoHandlers, TodoItem, TodoList, TodoStatus};
