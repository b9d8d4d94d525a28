//! Handlers of the shipped toolsets with which an agent organises its own work: `todo`, `memory`, `session_search`,
//! `clarify`, `cronjob`, and the tools of the toolset `kanban`.

mod clarify;
pub mod cronjob;
mod kanban;
pub mod memory;
mod session_search;
mod skills;
mod todo;

pub use clarify::{Clarifier, ClarifyHandlers, ClarifyOutcome, ClarifyQuestion};
pub use cronjob::{CronjobHandlers, JobChangeHook, JobFolderHook, JobHost, NOT_IN_JOBS};
pub use kanban::{
    BoardWorker, DEFAULT_BOARD, InvalidTitle, KanbanHandlers, card_name, card_text_problem, card_title, is_board_name,
};
pub use memory::{FileMemory, MemoryHandlers, MemoryStore, MemoryTarget};
pub use session_search::{SessionSearchHandlers, Summarizer};
pub use skills::{SkillNames, checked_skills};
pub use todo::{TodoHandlers, TodoItem, TodoList, TodoStatus};
