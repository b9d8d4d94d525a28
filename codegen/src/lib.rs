//! The compiler of tool manifests.
//!
//! ```text
//! files ──scan──▶ Sources ──parse──▶ Manifests ──resolve──▶ Catalog ──check, lint──▶ Checked ──lower──▶ Lowered ──emit──▶ Draft ──write──▶ disk
//!         source            manifest             catalog             check  lint            lower             emit            write
//! ```
//!
//! A module per stage, a type per stage, and [`compile`] below reads top to bottom. No stage stops at the first
//! mistake: what is broken is reported once and set aside.

#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "what writes files uses the rest"))]

#[cfg(feature = "emit")]
pub mod build_cache;
pub mod catalog;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod conditional_json;
pub mod diagnostic;
pub mod dialects;
#[doc(hidden)]
#[cfg(feature = "emit")]
pub mod docs;
#[cfg(feature = "emit")]
pub mod emit;
mod failure;
#[cfg(feature = "cli")]
pub mod fix;
#[cfg(feature = "cli")]
pub mod format;
pub mod lint;
pub mod lower;
pub mod manifest;
#[cfg(feature = "emit")]
mod markdown;
#[cfg(feature = "emit")]
mod names;
pub mod project;
#[cfg(feature = "cli")]
pub mod report;
pub mod schema;
pub mod source;
pub mod text;
#[cfg(feature = "emit")]
pub mod write;

pub use failure::Failure;

use check::Checked;
use diagnostic::{Diagnostic, Sink};
use lint::Options;
use source::Sources;

/// The result of compiling sources.
#[derive(Debug)]
pub struct Compilation {
    /// The catalog, if nothing in it is an error.
    pub catalog: Option<Checked>,
    /// Every finding, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Everything between reading the files and writing the output.
pub fn compile(sources: &Sources) -> Compilation {
    compile_with(sources, &Options::default())
}

/// The same, with other rules or levels than the project's.
pub fn compile_with(sources: &Sources, options: &Options) -> Compilation {
    let sink = Sink::default();
    let manifests = manifest::parse(sources, &sink);
    let catalog = catalog::resolve(manifests, &sink);
    check::check(&catalog, &sink);
    let diagnostics = lint::lint(&catalog, sources, options, sink);
    Compilation { catalog: Checked::new(catalog, &diagnostics), diagnostics }
}

/// The README's examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
