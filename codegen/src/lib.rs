//! The compiler of toolc: it checks the TOML manifests of an agent's tools, and writes typed Rust, JSON schemas for each vendor, and
//! a catalog.
//!
//! Most projects use it through its command line: `cargo toolc`, or an `xtask` that calls [`cli::main`]. [`compile`] checks
//! manifests that a program has in memory. The stages are:
//!
//! ```text
//! files ──scan──▶ Sources ──parse──▶ Manifests ──resolve──▶ Catalog ──check, lint──▶ Checked ──lower──▶ Lowered ──emit──▶ Draft ──write──▶ disk
//!         source            manifest             catalog             check  lint            lower             emit            write
//! ```
//!
//! Each stage has a module and a result type. No stage stops at the first error: it reports each broken item once, and omits it.

#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "only code that writes files uses them"))]

#[cfg(feature = "cli")]
pub mod cli;
pub mod diagnostic;

// The stages of the compiler. They are public for tests and for the crate `toolc-plugins`, and may change in any release.
#[doc(hidden)]
#[cfg(feature = "emit")]
pub mod build_cache;
#[doc(hidden)]
pub mod catalog;
#[doc(hidden)]
pub mod check;
pub mod commands;
#[doc(hidden)]
#[cfg(feature = "emit")]
pub mod docs;
#[doc(hidden)]
#[cfg(feature = "emit")]
pub mod emit;
mod failure;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub mod fix;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub mod format;
#[doc(hidden)]
pub mod kept;
#[doc(hidden)]
pub mod lint;
#[doc(hidden)]
pub mod lower;
#[doc(hidden)]
pub mod manifest;
#[cfg(feature = "emit")]
mod markdown;
#[cfg(feature = "emit")]
mod names;
#[doc(hidden)]
pub mod project;
mod quick;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub mod report;
#[cfg(feature = "cli")]
mod scaffold;
#[doc(hidden)]
pub mod source;
mod timings;
#[doc(hidden)]
#[cfg(feature = "emit")]
pub mod write;

pub use catalog::Catalog;
pub use check::Checked;
pub use failure::Failure;
pub use lint::Options;
pub use source::Sources;
#[doc(hidden)]
pub use toolc_lower::{conditional_json, dialects, schema, text};

use diagnostic::{Diagnostic, Sink};
use kept::Kept;
use manifest::KeptManifests;
use timings::Timings;

/// The result of compiling sources.
#[derive(Debug)]
pub struct Compilation {
    /// The catalog, or `None` if a finding is an error.
    pub catalog: Option<Checked>,
    /// The findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the sources of a project: everything between reading the files and writing the output.
pub fn compile(sources: &Sources) -> Compilation {
    compile_with(sources, &Options::default())
}

/// Compiles the sources of a project with other lint rules or levels than those of its `toolc.toml`.
pub fn compile_with(sources: &Sources, options: &Options) -> Compilation {
    compile_timed(sources, options, None, &mut Timings::default())
}

/// Compiles the sources of a project with what an earlier run kept.
#[doc(hidden)]
pub fn compile_with_kept(sources: &Sources, kept: &Kept) -> Compilation {
    compile_timed(sources, &Options::default(), Some(kept), &mut Timings::default())
}

/// Compiles the sources of a project, and measures the stages. Manifests are read, and the rules of the linter run, only if nothing valid was
/// kept about a tool.
pub(crate) fn compile_timed(
    sources: &Sources,
    options: &Options,
    kept: Option<&Kept>,
    timings: &mut Timings,
) -> Compilation {
    let (catalog, diagnostics) = inspect(sources, options, kept, timings);
    Compilation { catalog: Checked::new(catalog, &diagnostics), diagnostics }
}

/// Checks the sources of a project with what an earlier run kept. Returns the catalog even if a finding is an error: it lacks what could not
/// be read.
#[doc(hidden)]
pub fn inspect_with_kept(sources: &Sources, kept: Option<&Kept>) -> (Catalog, Vec<Diagnostic>) {
    inspect(sources, &Options::default(), kept, &mut Timings::default())
}

/// Checks the sources of a project. Returns the catalog even if a finding is an error: it lacks what could not be read.
pub(crate) fn inspect(
    sources: &Sources,
    options: &Options,
    kept: Option<&Kept>,
    timings: &mut Timings,
) -> (Catalog, Vec<Diagnostic>) {
    let sink = Sink::default();
    let manifests = timings.measure("parse", || {
        let kept = kept.map(|kept| KeptManifests::new(&kept.manifests));
        (manifest::parse_with(sources, kept.as_ref(), &sink), kept)
    });
    let (manifests, kept_manifests) = manifests;
    let catalog = timings.measure("resolve", || catalog::resolve(manifests, &sink));
    timings.measure("check", || {
        check::check(&catalog, &sink);
        if let Some(kept) = kept_manifests.filter(|_| sink.is_empty()) {
            kept.keep(catalog.tools().map(|(_, tool)| &*tool.manifest));
        }
    });
    let kept = kept.map(|kept| &kept.findings);
    let diagnostics = timings.measure("lint", || lint::lint(&catalog, sources, options, kept, sink));
    (catalog, diagnostics)
}

/// Runs the examples of the README as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
