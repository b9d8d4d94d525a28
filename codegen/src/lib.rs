//! The compiler of tool manifests.
//!
//! ```text
//! files ──scan──▶ Sources ──parse──▶ Manifests ──resolve──▶ Catalog ──check, lint──▶ Checked ──lower──▶ Lowered ──emit──▶ Draft ──write──▶ disk
//!         source            manifest             catalog             check  lint            lower             emit            write
//! ```
//!
//! A module per stage, a type per stage, and [`compile`] below reads top to bottom. No stage stops at the first
//! mistake: what is broken is reported, set aside, and not spoken of again.

pub mod catalog;
pub mod check;
pub mod cli;
pub mod conditional_json;
pub mod diagnostic;
pub mod dialects;
pub mod emit;
pub mod format;
pub mod ledger;
pub mod lint;
pub mod lower;
pub mod manifest;
mod names;
pub mod report;
pub mod schema;
pub mod source;
pub mod text;
pub mod write;

use std::fmt;

use check::Checked;
use diagnostic::{Diagnostic, Sink};
use lint::Options;
use source::Sources;

/// What a set of sources comes to.
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

/// The tool itself could not do its work: a folder that cannot be read, a disk that is full. Not a mistake in a
/// manifest: that is a [`Diagnostic`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// With a text that completes "error: ...", names the path, and says what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}
