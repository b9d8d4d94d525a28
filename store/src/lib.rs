//! The data that a host keeps between runs, in one SQLite file.
//!
//! A [`Database`] is the file. Each store in it has its own type: [`Approvals`], [`Boards`], [`Jobs`], [`Ledger`] and [`Sessions`].

mod approvals;
mod boards;
mod database;
mod error;
mod jobs;
mod ledger;
mod sessions;
mod time;

pub use approvals::{Approval, Approvals};
pub use boards::{
    Actor, Attachment, BlockKind, BoardError, Boards, Card, CardDetails, CardFilter, CardNote, CardOutcome, CardStatus,
    InitialState, MAX_ATTACHMENTS, MAX_ATTEMPTS, MAX_CARDS, NewCard, Workspace,
};
pub use database::Database;
pub use error::StoreError;
pub use jobs::{
    Claim, Job, JobRun, JobState, JobWork, Jobs, LEASE, Lease, MAX_JOBS, MAX_OUTPUT_CHARS, MAX_RUNS, NewJob,
    RunOutcome, Schedule, ScheduleError,
};
pub use ledger::{Ledger, Spent};
pub use sessions::{
    CallName, CallRecord, MessageKind, NewCall, NewMessage, NewSession, Order, Search, SearchHit, SessionInfo,
    Sessions, StoredMessage, TokenCounts,
};
pub use time::{parse_time, time_text};
