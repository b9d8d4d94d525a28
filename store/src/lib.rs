//! What the host keeps from one run to the next, in one SQLite file.
//!
//! A [`Database`] is the file. Each store on it is a type of its own, such as [`Approvals`].

mod approvals;
mod database;
mod error;

pub use approvals::{Approval, Approvals};
pub use database::Database;
pub use error::StoreError;
