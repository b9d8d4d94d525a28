//! The parts of a rule: its code, and the function that finds violations.

use toolc_lower::narrow::Loss;

use super::Lint;
use super::lowered_tool::LoweredTool;
use crate::catalog::Tool;
use crate::diagnostic::{Code, Level, Sink, SourceId};

/// A rule of the linter. Everything about it is in one file below `lint/rules`.
#[derive(Debug)]
pub struct Rule {
    /// The code of its findings.
    pub code: Code,
    /// How the linter runs it.
    pub check: Check,
}

/// How the linter runs a rule.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// Built into the linter: rules about `allow` comments and lint settings.
    Linter,
    /// Once for each file, in parallel, with the tool that it declares. A finding may depend only on what [`Tool`](Self::Tool) says.
    File(fn(&Lint<'_>, SourceId, Option<&Tool>, &Sink)),
    /// Once for each tool, in parallel. Most rules are of this kind. Findings are [kept](super::kept). They may depend only on the tool's
    /// manifest, on files that are not manifests of tools, and on [what all tools share](super::kept::shared_digest), because only a change of
    /// these makes the rule run again.
    Tool(fn(&Lint<'_>, &Tool, &Sink)),
    /// Once for the catalog, which may contain errors.
    Catalog(fn(&Lint<'_>, &Sink)),
    /// Once for the catalog, but only if the earlier stages reported no errors.
    Output(fn(&Lint<'_>, &Sink)),
    /// Once for each tool as lowered to the dialects, in parallel, but only if the earlier stages reported no errors.
    LoweredTool(fn(&LoweredTool<'_, '_>, &Sink)),
    /// Reports the matching losses of each lowered tool.
    Loss(LossFilter),
}

/// The losses that a rule reports.
#[derive(Debug, Clone, Copy)]
pub struct LossFilter {
    /// The dialect, or `None` for every dialect in which no more specific rule reports the loss.
    pub dialect: Option<&'static str>,
    /// Whether the rule reports a loss.
    pub matches: fn(&Loss) -> bool,
}

impl Check {
    /// Returns whether the check requires a catalog without errors.
    pub(super) fn needs_valid_catalog(&self) -> bool {
        matches!(self, Self::Output(_) | Self::LoweredTool(_) | Self::Loss(_))
    }
}

impl Rule {
    /// Creates a rule without fixes. The registry adds its documentation.
    pub(super) const fn new(id: &'static str, name: &'static str, level: Option<Level>, check: Check) -> Self {
        Self { code: Code::rule(id, name, level), check }
    }

    /// Marks the rule as having fixes, which change only what it reported.
    pub(super) const fn fixable(self) -> Self {
        Self { code: self.code.fixable(), ..self }
    }
}
