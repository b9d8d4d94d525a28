//! What a rule is.

use super::Lint;
use super::shown::Shown;
use crate::catalog::Tool;
use crate::diagnostic::{Code, Level, Sink};
use crate::lower::narrow::Loss;

/// A rule of the linter. Everything about it is in one file below `lint/rules`.
#[derive(Debug)]
pub struct Rule {
    /// Its code.
    pub code: Code,
    /// How its findings are found.
    pub check: Check,
}

/// How a rule is looked for.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// The linter itself tells of it: it is about comments and settings of the linter's own.
    Linter,
    /// Tool by tool, on all processors. What most rules are.
    Tool(fn(&Lint<'_>, &Tool, &Sink)),
    /// In the whole catalog at once. The catalog may have errors.
    Catalog(fn(&Lint<'_>, &Sink)),
    /// In what the whole catalog comes to, which there is only where nothing is an error before any rule looks.
    Output(fn(&Lint<'_>, &Sink)),
    /// In what each tool comes to in the dialects, where nothing is an error. Tool by tool, on all processors.
    Shown(fn(&Shown<'_, '_>, &Sink)),
    /// Among what is lost of a tool in the dialects, as `Shown`.
    Lost(Lost),
}

/// The losses that a rule tells of.
#[derive(Debug, Clone, Copy)]
pub struct Lost {
    /// In this dialect. None: in any, as far as no other rule tells of it.
    pub dialect: Option<&'static str>,
    /// Which of them.
    pub is_told: fn(&Loss) -> bool,
}

impl Check {
    /// Whether there has to be a catalog without errors.
    pub(super) fn needs_output(&self) -> bool {
        matches!(self, Self::Output(_) | Self::Shown(_) | Self::Lost(_))
    }
}

impl Rule {
    /// A rule without fixes. The registry adds its documentation.
    pub(super) const fn new(id: &'static str, name: &'static str, level: Option<Level>, check: Check) -> Self {
        Self { code: Code::rule(id, name, level), check }
    }

    /// The same rule with fixes, which change only what was reported.
    pub(super) const fn fixable(self) -> Self {
        Self { code: self.code.fixable(), ..self }
    }
}
