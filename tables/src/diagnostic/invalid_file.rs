//! The error about one file: all its findings.

use std::error::Error;
use std::fmt;

use super::{Diagnostic, Renderer, Sink};
use crate::source::Files;

/// The error about a file: the findings, with excerpts of the file.
#[derive(Debug)]
pub struct InvalidFile {
    diagnostics: Vec<Diagnostic>,
    text: String,
}

impl InvalidFile {
    /// Returns the findings.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for InvalidFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for InvalidFile {}

impl Sink {
    /// Fails if there is a finding. `files` has the file.
    pub fn into_result(self, files: &dyn Files) -> Result<(), InvalidFile> {
        let diagnostics = self.finish(|found| Some(found.level));
        if diagnostics.is_empty() {
            return Ok(());
        }
        let renderer = Renderer::new(files, false);
        let texts: Vec<String> = diagnostics.iter().map(|found| renderer.render(found)).collect();
        Err(InvalidFile { text: texts.join("\n\n"), diagnostics })
    }
}
