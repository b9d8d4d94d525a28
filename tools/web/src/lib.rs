//! The handlers of the shipped toolset `web`.
//!
//! - [`search`] asks services of web search, one after another.
//! - [`readers`] asks services that read a page, where this machine cannot.
//! - [`service`] is what both have in common: accounts, outcomes, and the chain of services.
//! - [`pages`] reads pages, [`pdf`] reads PDF files, and [`crawl`] follows their links. [`outside`] says what a model must know about their texts.

mod crawl;
mod handlers;
mod kept;
mod outside;
mod pages;
mod pdf;
pub mod readers;
pub mod search;
pub mod service;
mod settings;
mod web;

pub use handlers::WebHandlers;
pub use pdf::{PdfProgram, read_pdf};
pub use settings::WebSettings;
