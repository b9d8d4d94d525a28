//! The basis of all other modules: text for the terminal, standard streams, folders and times. Nothing here depends on a profile.

pub(crate) mod ask;
pub(crate) mod error;
mod executor;
pub(crate) mod folders;
pub(crate) mod hardening;
pub(crate) mod show;
pub(crate) mod tell;
pub(crate) mod terminal;
pub(crate) mod time;
pub(crate) mod words;

pub(crate) use executor::executor;
