//! Handlers of the shipped toolsets with which an agent organises its own work: `todo` and `memory`.

pub mod memory;
mod todo;

pub use memory::{FileMemory, MemoryHandlers, MemoryStore, MemoryTarget};
pub use todo::{TodoHandlers, TodoItem, TodoList, TodoStatus};
