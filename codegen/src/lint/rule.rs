//! What a rule is, and the codes by which everything else speaks of rules.

use std::fmt;
use std::ops::Deref;

use super::Lint;
use super::docs::Docs;
use super::shown::Shown;
use crate::catalog::Tool;
use crate::diagnostic::{Level, Sink};
use crate::lower::narrow::Loss;

/// A kind of finding. Everything about it stands in one file, below `lint/rules`.
#[derive(Debug)]
pub struct Rule {
    /// Its short form: its category's letter and a number. Never used again for anything else.
    pub id: &'static str,
    /// Its name: words with hyphens between them.
    pub name: &'static str,
    /// How much it matters where nobody says otherwise. None: it is off.
    pub level: Option<Level>,
    /// How it is looked for.
    pub check: Check,
    /// Whether a finding of it may bring a fix.
    pub fixable: bool,
    /// Its file, which begins with its documentation.
    pub(super) source: &'static str,
}

/// How a rule is looked for.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// An earlier stage tells of it, and cannot go on with what it found: it is always an error.
    Reader,
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
        Self { id, name, level, check, fixable: false, source: "" }
    }

    /// What an earlier stage tells of.
    pub(super) const fn of_the_reader(id: &'static str, name: &'static str) -> Self {
        Self::new(id, name, Some(Level::Error), Check::Reader)
    }

    /// With fixes that change nothing but what is told.
    pub(super) const fn fixable(self) -> Self {
        Self { fixable: true, ..self }
    }

    /// Whether its level cannot be set: there is nothing to go on with where it is found.
    pub fn is_fixed(&self) -> bool {
        matches!(self.check, Check::Reader)
    }

    /// The letter of its category.
    pub fn category(&self) -> &'static str {
        &self.id[..1]
    }

    /// What it says about itself.
    pub fn docs(&self) -> Docs {
        Docs::read(self.source)
    }
}

/// A rule, as findings and settings speak of it.
#[derive(Clone, Copy)]
pub struct Code {
    pub(super) rule: &'static Rule,
}

impl Deref for Code {
    type Target = Rule;

    fn deref(&self) -> &Rule {
        self.rule
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// `C001 syntax`
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.name)
    }
}
