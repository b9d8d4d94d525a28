//! Services that are asked over HTTP: their accounts, what a request to them led to, and the order in which they are asked.

mod account;
pub(crate) mod accounts;
mod chain;
mod date;
mod failure;
mod json;
mod outcome;
mod request;
mod text;

pub use account::{Access, Account, Key, KeyPlace, KeyUse, NotConfigured, Sign, Variables};
pub use chain::{Budget, Chain, Ended, Rests};
pub use outcome::{Failure, Outcome, Tried};

pub(crate) use chain::{First, Got};
pub(crate) use date::{common, today};
pub(crate) use json::{at, number, text, texts};
pub(crate) use request::{Request, ask};
pub(crate) use text::{clean, cut};
