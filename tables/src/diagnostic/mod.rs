//! Diagnostics: the findings of the compiler as data. The formats of a report, such as [`Renderer`], turn them into text.

mod code;
pub mod docs;
mod invalid_file;
mod render;

pub use code::Code;
pub use invalid_file::InvalidFile;
pub use render::Renderer;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolc::suggest::{did_you_mean, nearest};

pub use crate::source::{Files, SourceId};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Prevents the output: gen writes nothing while an error exists.
    Error,
    /// Is reported, and does not prevent the output.
    Warning,
}

impl Level {
    /// Returns `error` or `warning`.
    pub fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

/// A range of bytes in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub source: SourceId,
    start: u32,
    end: u32,
}

impl Place {
    /// Creates the place of the bytes `span` in `source`. Sources are limited to 4 MiB, so every offset fits in 32 bits.
    pub fn new(source: SourceId, span: Range<usize>) -> Self {
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Self { source, start: offset(span.start), end: offset(span.end) }
    }

    /// Returns whether `other` is in the same file and within this range.
    pub fn contains(self, other: Place) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// Returns whether the two ranges overlap or are adjacent.
    pub fn touches(self, other: Place) -> bool {
        self.source == other.source && self.start <= other.end && other.start <= self.end
    }

    /// Returns the range of bytes within the file.
    pub fn span(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value of a manifest, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// The place of the value.
    pub place: Place,
}

impl<T> At<T> {
    /// Creates a value with its place.
    pub fn new(value: T, place: Place) -> Self {
        Self { value, place }
    }

    /// Returns a value that no file says.
    pub fn nowhere(value: T) -> Self {
        Self { value, place: Place::new(SourceId(0), 0..0) }
    }
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of finding.
    pub code: Code,
    /// The level of the finding in this run.
    pub level: Level,
    /// What is wrong, in one line.
    pub message: String,
    /// The place of the finding, and the label to show there. The label may be empty.
    pub at: (Place, String),
    /// Other places that explain the finding, with their labels.
    pub related: Vec<(Place, String)>,
    /// What to write instead.
    pub help: Vec<String>,
    /// The edits that fix the finding; they belong together. Empty if the finding has no automatic fix.
    pub fix: Vec<Edit>,
}

/// A change to a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Replaces the text at the place.
    Replace(Place, String),
    /// Removes the item of an array, or the entry of a table, at the place.
    Remove(Place),
}

impl Edit {
    /// Returns the place that the edit changes.
    pub fn place(&self) -> Place {
        match self {
            Edit::Replace(place, _) | Edit::Remove(place) => *place,
        }
    }
}

impl Diagnostic {
    /// Creates a finding with the default level of its code.
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

    /// Sets the label of the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.at.1 = label.into();
        self
    }

    /// Sets the level. A level that the user sets for the code overrides it.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Adds another place that explains the finding.
    #[must_use]
    pub fn related(mut self, place: Place, label: impl Into<String>) -> Self {
        self.related.push((place, label.into()));
        self
    }

    /// Adds a help: what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds a help if it is `Some`.
    #[must_use]
    pub fn help_if(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Adds an edit to the fix. All edits of a fix are applied together.
    #[must_use]
    pub fn fix(mut self, edit: Edit) -> Self {
        self.fix.push(edit);
        self
    }

    /// Adds a help that suggests the candidates that are similar to `name`. If none is similar, the help lists all candidates
    /// after `title`, unless there are more than 24.
    #[must_use]
    pub fn help_nearest<'c>(self, name: &str, candidates: impl IntoIterator<Item = &'c str>, title: &str) -> Self {
        const MAX_LISTED: usize = 24;
        let candidates: Vec<&str> = candidates.into_iter().collect();
        match did_you_mean(&nearest(name, candidates.iter().copied())) {
            Some(question) => self.help(question),
            None if candidates.is_empty() || candidates.len() > MAX_LISTED => self,
            None => self.help(format!("{title}: {}", ticked(&candidates, ", "))),
        }
    }
}

/// Puts each name in backticks, and joins them: `` `a`, `b` ``.
pub fn ticked(names: &[&str], separator: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(separator)
}

/// A collection of findings to which all stages and threads add.
///
/// A stage that refuses a part of a manifest reports why, and [refuses](Sink::refuse) its place. What later stages find there is a
/// consequence, and is dropped.
#[derive(Debug, Default)]
pub struct Sink {
    /// Each with its number.
    findings: Mutex<Vec<(usize, Diagnostic)>>,
    /// The number of the next finding.
    next: AtomicUsize,
    refused: Mutex<Vec<Refused>>,
}

/// A part of a manifest that was refused.
#[derive(Debug)]
struct Refused {
    place: Place,
    /// The reason.
    code: Code,
    /// The number of the first finding that can be a consequence.
    first: usize,
}

impl Sink {
    /// Adds a finding.
    pub fn push(&self, diagnostic: Diagnostic) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.lock().push((number, diagnostic));
    }

    /// Returns whether no finding was added.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Marks a part of a manifest as refused while it is read, for the reason `code`. Findings from then on can be consequences.
    pub fn refuse(&self, place: Place, code: Code) {
        self.push_refused(Refused { place, code, first: self.next.load(Ordering::Relaxed) });
    }

    /// Marks a part of a manifest as refused by a check. All findings with another code are consequences: checks run in any order.
    pub fn refuse_in_check(&self, place: Place, code: Code) {
        self.push_refused(Refused { place, code, first: 0 });
    }

    fn push_refused(&self, refused: Refused) {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).push(refused);
    }

    /// Drops the findings in refused parts of manifests. `is_independent` says which findings are true in any case.
    pub fn drop_consequences(&self, is_independent: impl Fn(Code) -> bool) {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.is_empty() {
            return;
        }
        self.lock().retain(|(number, found)| {
            let places = [found.at.0].into_iter().chain(found.related.iter().map(|(place, _)| *place));
            let is_in = |refused: &Refused| {
                refused.first <= *number
                    && refused.code != found.code
                    && places.clone().any(|place| refused.place.contains(place))
            };
            is_independent(found.code) || !refused.iter().any(is_in)
        });
    }

    /// Keeps only the findings for which `keep` holds.
    pub fn retain(&self, mut keep: impl FnMut(&Diagnostic) -> bool) {
        self.lock().retain(|(_, found)| keep(found));
    }

    /// Returns the findings in the order in which they were added.
    pub fn into_findings(self) -> Vec<Diagnostic> {
        std::mem::take(&mut *self.lock()).into_iter().map(|(_, found)| found).collect()
    }

    /// Returns the findings that have a level, sorted by place and without duplicates. `level_of` returns the level of a
    /// finding in this run, or `None` if it is not reported.
    pub fn finish(self, level_of: impl Fn(&Diagnostic) -> Option<Level>) -> Vec<Diagnostic> {
        let findings = std::mem::take(&mut *self.lock()).into_iter().map(|(_, found)| found);
        let with_level = |finding: Diagnostic| Some(Diagnostic { level: level_of(&finding)?, ..finding });
        let mut findings: Vec<Diagnostic> = findings.filter_map(with_level).collect();
        // By the whole content: the order of the pushes depends on the scheduling of threads.
        findings.sort_by(|a, b| {
            (a.at.0, a.code.id, &a.message, &a.at.1, &a.related, &a.help)
                .cmp(&(b.at.0, b.code.id, &b.message, &b.at.1, &b.related, &b.help))
        });
        findings.dedup();
        findings
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(usize, Diagnostic)>> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
