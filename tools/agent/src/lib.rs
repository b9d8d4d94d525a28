//! Handlers of the shipped toolsets with which an agent organises its own work: `todo`, `memory`, `session_search` and `clarify`.

mod clarify;
pub mod memory;
mod session_search;
mod todo;

pub use clarify::{Clarified, Clarifier, ClarifyHandlers, ClarifyQuestion};
pub use memory::{FileMemory, MemoryHandlers, MemoryStore, MemoryTarget};
pub use session_search::{SessionSearchHandlers, Summarizer};
pub use todo::{TodoHandlers, TodoItem, TodoList, TodoStatus};
