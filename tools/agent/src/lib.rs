//! Handlers of the shipped toolsets with which an agent organises its own work: `todo`, `memory`, `session_search` and `clarify`.

mod clarify;
pub mod memory;
mod session_search;
mod todo;

pub use clarify::{Clarified, Clarifier, ClarifyHandlers, ClarifyQuestion};
pub use memory::{FileMemory, MemoryHandlers, MemoryStore, MemoryTarget};
pub use session_search::{SessionSearchHandlers, Summarizer};
pub use todo::{TodoHandlers, TodoItem, TodoList, TodoStatus};

/// The tools that a job does not have: it makes no jobs, and no person answers its questions.
pub const NOT_IN_JOBS: [&str; 1] = ["clarify"];
