//! What is wrong with a manifest, as data: a code, a place, what was expected, what to do. How it looks is the
//! renderer's business.

mod code;
pub mod docs;
pub(crate) mod errors;
mod places;
mod render;

pub use code::Code;
pub use places::{Places, Position};
pub use render::Renderer;

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolc::__gen::{did_you_mean, nearest};

pub use crate::source::SourceId;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing is written while there is one.
    Error,
    /// Shown, and otherwise let pass.
    Warning,
}

impl Level {
    /// `error`, `warning`.
    pub fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

/// A range of bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub source: SourceId,
    start: u32,
    end: u32,
}

impl Place {
    /// The bytes `span` of `source`, which is far below 4 GiB: see [`crate::source`].
    pub fn new(source: SourceId, span: Range<usize>) -> Self {
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Self { source, start: offset(span.start), end: offset(span.end) }
    }

    /// Whether `other` lies within it.
    pub fn contains(self, other: Place) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// Whether the two overlap or are adjacent.
    pub(crate) fn meets(self, other: Place) -> bool {
        self.source == other.source && self.start <= other.end && other.start <= self.end
    }

    /// The bytes within the file.
    pub fn span(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}

impl<T> At<T> {
    /// `value`, found at `place`.
    pub fn new(value: T, place: Place) -> Self {
        Self { value, place }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of finding.
    pub code: Code,
    /// How much it matters in this run.
    pub level: Level,
    /// What is wrong, in one line.
    pub message: String,
    /// Where, and what to say there. The label may be empty.
    pub at: (Place, String),
    /// Other places that have part in it.
    pub related: Vec<(Place, String)>,
    /// What to do about it.
    pub help: Vec<String>,
    /// What a program may do about it, all of it together. Empty: that takes a person.
    pub fix: Vec<Edit>,
}

/// A change to a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Replaces the text at the place by this one.
    Replace(Place, String),
    /// Without the item of an array, or the entry of a table, at the place.
    Remove(Place),
}

impl Edit {
    /// What it changes.
    pub fn place(&self) -> Place {
        match self {
            Edit::Replace(place, _) | Edit::Remove(place) => *place,
        }
    }
}

impl Diagnostic {
    /// A finding at `place`.
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            level: code.level.unwrap_or(Level::Warning),
            message: message.into(),
            at: (place, String::new()),
            related: Vec::new(),
            help: Vec::new(),
            fix: Vec::new(),
        }
    }

    /// What to say at the place itself.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.at.1 = label.into();
        self
    }

    /// Sets the level of the finding if its code is not given one by the user.
    #[must_use]
    pub(crate) fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Another place that has part in it.
    #[must_use]
    pub fn related(mut self, place: Place, label: impl Into<String>) -> Self {
        self.related.push((place, label.into()));
        self
    }

    /// What to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds what to do about it, if there is anything to add.
    #[must_use]
    pub(crate) fn help_if(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// What a program may do about it, as one of several changes that go together.
    #[must_use]
    pub fn fix(mut self, edit: Edit) -> Self {
        self.fix.push(edit);
        self
    }

    /// Suggests the nearest of `candidates`, or lists them where none is near and they are few.
    #[must_use]
    pub fn help_nearest<'c>(self, name: &str, candidates: impl IntoIterator<Item = &'c str>, what: &str) -> Self {
        const FEW: usize = 24;
        let candidates: Vec<&str> = candidates.into_iter().collect();
        match did_you_mean(&nearest(name, candidates.iter().copied())) {
            Some(question) => self.help(question),
            None if candidates.is_empty() || candidates.len() > FEW => self,
            None => self.help(format!("{what}: {}", ticked(&candidates, ", "))),
        }
    }
}

/// `` `a`, `b` ``
pub fn ticked(names: &[&str], separator: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(separator)
}

/// Where the stages put their findings.
#[derive(Debug, Default)]
pub struct Sink {
    found: Mutex<Vec<Diagnostic>>,
}

impl Sink {
    /// Takes a finding.
    pub fn push(&self, diagnostic: Diagnostic) {
        self.found().push(diagnostic);
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found().is_empty()
    }

    /// Keeps only the findings for which `keep` holds.
    pub(crate) fn retain(&self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.found().retain(keep);
    }

    /// Returns the findings that have a level, sorted by place and without duplicates. `level_of` returns the level of a
    /// finding in this run, or `None` if it is not reported.
    pub(crate) fn finish(self, level_of: impl Fn(&Diagnostic) -> Option<Level>) -> Vec<Diagnostic> {
        let found = std::mem::take(&mut *self.found()).into_iter();
        let levelled = |found: Diagnostic| Some(Diagnostic { level: level_of(&found)?, ..found });
        let mut all: Vec<Diagnostic> = found.filter_map(levelled).collect();
        // By their whole content: the order in which they were pushed depends on the scheduling of threads.
        all.sort_by(|a, b| {
            (a.at.0, a.code.id, &a.message, &a.at.1, &a.related, &a.help)
                .cmp(&(b.at.0, b.code.id, &b.message, &b.at.1, &b.related, &b.help))
        });
        all.dedup();
        all
    }

    fn found(&self) -> MutexGuard<'_, Vec<Diagnostic>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
