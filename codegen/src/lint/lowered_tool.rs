//! A tool as lowered to each dialect, for rules about what is sent. Each dialect is lowered at most once.

use std::cell::OnceCell;

use toolc_lower::dialects::Dialect;
use toolc_lower::narrow::Narrowed;

use super::Lint;
use crate::catalog::Tool;
use crate::lower::{accepts, parameters};

/// A tool and its lowered schemas.
#[derive(Debug)]
pub struct LoweredTool<'l, 'c> {
    /// The linter's input.
    pub lint: &'l Lint<'c>,
    /// The tool.
    pub tool: &'l Tool,
    /// One for each dialect of the settings, in their order.
    narrowed: Vec<OnceCell<Narrowed<'l>>>,
}

impl<'l, 'c> LoweredTool<'l, 'c> {
    pub(super) fn new(lint: &'l Lint<'c>, tool: &'l Tool) -> Self {
        Self { lint, tool, narrowed: lint.settings().dialects.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Returns the dialects that accept the tool. The functions return its argument schema, lowered on first use.
    pub fn dialects<'s>(&'s self) -> impl Iterator<Item = (&'static Dialect, impl FnOnce() -> &'s Narrowed<'l>)> {
        let tool = self.tool;
        let dialects = self.lint.settings().dialects.iter().copied().zip(&self.narrowed);
        dialects
            .filter(move |(dialect, _)| accepts(dialect, tool))
            .map(move |(dialect, narrowed)| (dialect, move || narrowed.get_or_init(|| parameters(dialect, tool))))
    }
}
