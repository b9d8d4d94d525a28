//! The emit stage: renders all generated files, as pure functions of the checked catalog. Only [`write`](crate::write) changes the
//! disk. Each emitter has a file here and an entry in [`EMITTERS`].

mod catalog;
pub mod compiled;
mod conditional;
mod declarations;
mod digests;
mod git_attributes;
mod languages;
mod manifest_schemas;
mod python;
mod readme;
mod rewrites;
mod rust;
mod schemas;
mod turn;
mod turn_definitions;

use std::fmt;

use rayon::prelude::*;

use crate::catalog::ToolId;
use crate::check::Checked;
use crate::lower::{Lowered, lower};
use crate::project::GENERATED;

pub use rewrites::rewrites;
pub(crate) use rust::usual_programs;
pub use turn::Turn;
pub use turn_definitions::conditional_definitions;

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The path relative to the project, with `/` as separator.
    pub path: String,
    /// The text.
    pub text: String,
}

/// A generated file that is not rendered yet.
#[derive(Debug)]
pub struct Draft<'c> {
    /// The path relative to the project, with `/` as separator.
    pub path: String,
    /// The parts of the text, in order. Most files have one part.
    pub parts: Vec<Part<'c>>,
    /// Whether the text is packed data, which people cannot review.
    pub is_packed: bool,
}

/// A part of a generated file that is not rendered yet.
pub struct Part<'c> {
    /// The manifests that the text depends on.
    pub inputs: Inputs,
    text: Box<dyn Fn() -> String + Send + Sync + 'c>,
}

/// The manifests that a text depends on. Every variant also includes the shared inputs: all manifests that are not tools, and the
/// parts of a tool manifest that other files use (name, home, execution, requirements).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inputs {
    /// Only the shared inputs.
    Common,
    /// The manifests of these tools.
    Tools(Vec<ToolId>),
    /// The manifests of all tools.
    All,
}

impl<'c> Draft<'c> {
    /// Creates a file of one part, in the folder of generated files.
    fn new(path: impl AsRef<str>, inputs: Inputs, text: impl Fn() -> String + Send + Sync + 'c) -> Self {
        Self { path: format!("{GENERATED}/{}", path.as_ref()), parts: vec![Part::new(inputs, text)], is_packed: false }
    }
}

impl<'c> Part<'c> {
    fn new(inputs: Inputs, text: impl Fn() -> String + Send + Sync + 'c) -> Self {
        Self { inputs, text: Box::new(text) }
    }

    /// Renders the text.
    pub fn text(&self) -> String {
        (self.text)()
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}

type Emitter = for<'c> fn(&'c Lowered<'c>) -> Vec<Draft<'c>>;

/// The emitters. The readme is first: the mark in it identifies the folder of gen, even if gen is stopped early. The digests are
/// last: if gen is stopped before it writes them, the build script still reports that the generated code is out of date.
const EMITTERS: &[Emitter] = &[
    readme::emit,
    git_attributes::emit,
    manifest_schemas::emit,
    rust::emit,
    python::emit,
    languages::emit,
    schemas::emit,
    catalog::emit,
    digests::emit,
];

/// Returns all generated files of a catalog. They are rendered on demand.
pub fn drafts<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    if catalog.plugin().is_some() {
        return languages::emit(catalog);
    }
    EMITTERS.iter().flat_map(|emitter| emitter(catalog)).collect()
}

/// Returns the files for programs in other languages as they are in a turn: the catalog and the definitions. They are rendered on
/// demand.
pub fn portable_drafts<'c>(catalog: &'c Lowered<'c>, turn: &'c Turn) -> Vec<Draft<'c>> {
    [catalog::in_turn(catalog, turn), schemas::in_turn(catalog, turn)].into_iter().flatten().collect()
}

/// Renders all generated files of a catalog.
pub fn emit(catalog: &Checked) -> Vec<Output> {
    let lowered = lower(catalog);
    // Each file is a job of its own, because their sizes differ: one thread might otherwise get all large ones.
    let outputs = drafts(&lowered).into_par_iter().with_max_len(1).map(|draft| {
        let text = draft.parts.iter().map(Part::text).collect();
        Output { path: draft.path, text }
    });
    outputs.collect()
}
