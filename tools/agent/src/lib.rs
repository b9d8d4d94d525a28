//! Handlers of the shipped toolsets with which an agent organises its own work: `todo`, `memory`, `session_search`,
//! `clarify` and `cronjob`.

mod clarify;
pub mod cronjob;
pub mod memory;
mod session_search;
mod todo;

pub use clarify::{Clarified, Clarifier, ClarifyHandlers, ClarifyQuestion};
pub use cronjob::{ChangesOfJobs, CronjobHandlers, JobHost, NOT_IN_JOBS};
pub use memory::{FileMemory, MemoryHandlers, MemoryStore, MemoryTarget};
pub use session_search::{SessionSearchHandlers, Summarizer};
pub use todo::{TodoHandlers, TodoItem, TodoList, TodoStatus};
