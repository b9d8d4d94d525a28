//! Emit: everything that is written, as pure functions of the checked catalog. Only [`write`](crate::write) touches
//! the disk. An emitter is a file here and a line in [`EMITTERS`].

mod catalog;
mod manifest_schemas;
mod readme;
mod rust;
mod schemas;

use std::fmt;

use rayon::prelude::*;

use crate::catalog::ToolId;
use crate::check::Checked;
use crate::lower::{Lowered, lower};
use crate::project::GENERATED;

/// One file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Below the project's root, with `/` between its parts.
    pub path: String,
    /// All of its text.
    pub text: String,
}

/// A file whose text is yet to be made.
#[derive(Debug)]
pub struct Draft<'c> {
    /// Below the project's root, with `/` between its parts.
    pub path: String,
    /// Its text, in order: most files are one part.
    pub parts: Vec<Part<'c>>,
}

/// A part of a file, whose text is yet to be made.
pub struct Part<'c> {
    /// What it is made of.
    pub inputs: Inputs,
    text: Box<dyn Fn() -> String + Send + Sync + 'c>,
}

/// The manifests that a text depends on. Every variant also includes the shared inputs: all manifests that are not tools, and the
/// parts of a tool manifest that other files use (name, home, execution, requirements).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inputs {
    /// Nothing else.
    Common,
    /// The manifests of these tools.
    Tools(Vec<ToolId>),
    /// Every tool's.
    All,
}

impl<'c> Draft<'c> {
    /// A file in the folder of generated files.
    fn new(path: impl AsRef<str>, inputs: Inputs, text: impl Fn() -> String + Send + Sync + 'c) -> Self {
        Self { path: format!("{GENERATED}/{}", path.as_ref()), parts: vec![Part::new(inputs, text)] }
    }
}

impl<'c> Part<'c> {
    fn new(inputs: Inputs, text: impl Fn() -> String + Send + Sync + 'c) -> Self {
        Self { inputs, text: Box::new(text) }
    }

    /// Its text.
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

/// The readme comes first: it is the mark by which gen knows its folder again, however early it was stopped.
const EMITTERS: &[Emitter] = &[readme::emit, manifest_schemas::emit, rust::emit, schemas::emit, catalog::emit];

/// Returns every file that is generated from a catalog.
pub fn drafts<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    EMITTERS.iter().flat_map(|emitter| emitter(catalog)).collect()
}

/// The same, with every text.
pub fn emit(catalog: &Checked) -> Vec<Output> {
    let lowered = lower(catalog);
    let outputs = drafts(&lowered).into_par_iter().map(|draft| {
        let text = draft.parts.iter().map(Part::text).collect();
        Output { path: draft.path, text }
    });
    outputs.collect()
}
