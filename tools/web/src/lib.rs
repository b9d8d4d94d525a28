//! The handlers of the shipped toolset `web`.
//!
//! - [`search`] asks vendors of web search, one after another.
//! - [`readers`] asks vendors that read a page, where this machine cannot.
//! - [`vendor`] is what both have in common: accounts, outcomes, and the chain of vendors.
//! - [`pages`] reads pages, [`pdf`] reads PDF files, and [`crawl`] follows their links. [`outside`] says what a model must know about their texts.

mod crawl;
mod handlers;
mod kept;
mod outside;
mod pages;
mod pdf;
pub mod readers;
pub mod search;
mod settings;
pub mod vendor;
mod web;

pub use handlers::WebHandlers;
pub use pdf::{PdfProgram, read_pdf};
pub use settings::WebSettings;
