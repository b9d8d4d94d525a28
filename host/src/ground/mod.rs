//! What every part of the program stands on: text for a person, questions on the standard streams, times. Knows no profile.

pub(crate) mod ask;
pub(crate) mod error;
mod executor;
pub(crate) mod folders;
pub(crate) mod hardening;
pub(crate) mod show;
pub(crate) mod terminal;
pub(crate) mod time;

pub(crate) use executor::executor;
