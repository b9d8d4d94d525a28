//! Finds secrets in texts and environment variables, by value, name and the formats of vendors, and replaces them. It is a crate of its
//! own, so that programs can keep secrets out of what they store and show without the runtime for tools.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod credential;
mod formats;
mod forms;
mod named;
mod redactor;
mod text;
mod words;

pub use credential::{is_credential, is_secret};
pub use redactor::{REDACTED, RedactedStream, Redactor, is_distinctive};
pub use text::{without_secrets, without_secrets_except};
pub use words::words;

/// Runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
