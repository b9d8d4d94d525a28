//! A tool as the dialects have it, for rules about what is sent. Each dialect is narrowed to once, whoever asks.

use std::cell::OnceCell;

use super::Lint;
use crate::catalog::Tool;
use crate::dialects::Dialect;
use crate::lower::narrow::Narrowed;
use crate::lower::{accepts, parameters};

/// A tool, and what it comes to.
#[derive(Debug)]
pub struct Shown<'l, 'c> {
    /// The catalog that it is of.
    pub lint: &'l Lint<'c>,
    /// The tool.
    pub tool: &'l Tool,
    /// In the order of the settings' dialects.
    narrowed: Vec<OnceCell<Narrowed<'l>>>,
}

impl<'l, 'c> Shown<'l, 'c> {
    pub(super) fn new(lint: &'l Lint<'c>, tool: &'l Tool) -> Self {
        Self { lint, tool, narrowed: lint.settings().dialects.iter().map(|_| OnceCell::new()).collect() }
    }

    /// The dialects that take it, each with the schema of its arguments there, made when it is asked for.
    pub fn dialects<'s>(&'s self) -> impl Iterator<Item = (&'static Dialect, impl FnOnce() -> &'s Narrowed<'l>)> {
        let tool = self.tool;
        let dialects = self.lint.settings().dialects.iter().copied().zip(&self.narrowed);
        dialects
            .filter(move |(dialect, _)| accepts(dialect, tool))
            .map(move |(dialect, narrowed)| (dialect, move || narrowed.get_or_init(|| parameters(dialect, tool))))
    }
}
