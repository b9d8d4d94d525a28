//! Pieces of a file that are judged on their own, such as a block of code in a document, and what is found in them.

use std::ops::Range;

use crate::codes::{Code, Severity};

/// How a document presents a piece of code or a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// It runs: a script, or what the text tells the model to do.
    Runs,
    /// The text quotes an example of what not to do, or of what to look for.
    Quotes,
}

/// A piece of a file, without the marks of the document around it.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    pub(crate) text: String,
    pub(crate) voice: Voice,
    /// Whether this is a file that runs, or a part of one, and not of a document.
    pub(crate) is_file: bool,
    /// For each line, its start in `text` and in the file.
    lines: Vec<(usize, usize)>,
}

impl Unit {
    /// Returns a whole file that runs.
    pub(crate) fn whole(text: &str) -> Self {
        Self { is_file: true, ..Self::at(text, 0, Voice::Runs) }
    }

    /// Returns a text that is in the file as it is.
    pub(crate) fn at(text: &str, start: usize, voice: Voice) -> Self {
        Self { text: text.to_owned(), voice, is_file: false, lines: vec![(0, start)] }
    }

    /// Returns lines of a file, joined by line ends. Each is given with its start in the file.
    pub(crate) fn of_lines<'a>(parts: impl IntoIterator<Item = (usize, &'a str)>, voice: Voice) -> Self {
        let (mut text, mut lines) = (String::new(), Vec::new());
        for (start, line) in parts {
            lines.push((text.len(), start));
            text.push_str(line);
            text.push('\n');
        }
        Self { text, voice, is_file: false, lines }
    }

    /// Returns a text that stands for what is at one place of this unit, such as decoded text.
    pub(crate) fn within(&self, at: usize, text: String) -> Self {
        Self { text, lines: vec![(usize::MAX, self.place(at))], ..*self }
    }

    /// Returns the lines with their places in the file.
    pub(crate) fn into_lines(self) -> Vec<(usize, String)> {
        let mut at = 0;
        let lines = self.text.split_inclusive('\n').map(|line| {
            let start = at;
            at += line.len();
            (self.place(start), line.trim_end_matches('\n').to_owned())
        });
        lines.collect()
    }

    /// Returns the place in the file of a position in the text.
    pub(crate) fn place(&self, at: usize) -> usize {
        if let [(usize::MAX, place)] = self.lines.as_slice() {
            return *place;
        }
        let line = self.lines.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        self.lines.get(line).map_or(0, |(start, place)| place + (at - start))
    }

    /// Returns whether the text is not in the file as it is.
    pub(crate) fn is_derived(&self) -> bool {
        matches!(self.lines.as_slice(), [(usize::MAX, _)])
    }
}

/// What was found, with the place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    pub(crate) at: Range<usize>,
    /// The text that the finding is about, if it is not the text of the file at that place.
    pub(crate) matter: Option<String>,
    pub(crate) message: String,
}

impl Found {
    /// Returns a finding about a place in a file.
    pub(crate) fn new(code: Code, at: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, severity: code.severity(), at, matter: None, message: message.into() }
    }

    /// Returns a finding about a place in a unit. What is quoted never blocks.
    pub(crate) fn in_unit(unit: &Unit, code: Code, at: Range<usize>, message: impl Into<String>) -> Self {
        let (start, end) = (unit.place(at.start), unit.place(at.end.max(at.start)));
        let mut found = Self::new(code, start..end.max(start), message);
        if unit.is_derived() {
            found.matter = unit.text.get(at).map(str::to_owned);
        }
        if unit.voice == Voice::Quotes {
            found.severity = Severity::Note;
        }
        found
    }

    pub(crate) fn into_note(mut self) -> Self {
        self.severity = Severity::Note;
        self
    }
}

/// Code inside of other code, such as an argument of `python -c` or of `os.system`, with its place in the unit.
pub(crate) struct Inner {
    pub(crate) language: &'static str,
    pub(crate) text: String,
    pub(crate) at: usize,
}

/// What a unit does, and the code in it that is still to be judged.
#[derive(Default)]
pub(crate) struct Judged {
    pub(crate) found: Vec<Found>,
    pub(crate) inner: Vec<Inner>,
}
