//! Findings as programs and people read them. A format is a file here and a line in [`Format::ALL`].

mod concise;
mod github;
mod human;
mod json;
mod sarif;

use crate::diagnostic::{Diagnostic, Level, Place, Places, Position};

pub use human::plural;

/// Everything that one run found.
#[derive(Debug)]
pub struct Report<'r> {
    /// By place.
    pub findings: &'r [Diagnostic],
    /// Tells where they are.
    pub places: &'r Places<'r>,
    /// How many tools and toolsets were looked at, where nothing was an error.
    pub looked_at: Option<(usize, usize)>,
    /// Whether the text is for a terminal that shows colours.
    pub colour: bool,
}

/// How findings are written.
#[derive(Debug)]
pub struct Format {
    /// As it is named on the command line.
    pub name: &'static str,
    /// The text.
    pub write: fn(&Report<'_>) -> String,
}

impl Format {
    /// Every format; the first one is used where none is asked for.
    pub const ALL: &'static [Format] = &[
        Format { name: "human", write: human::write },
        Format { name: "concise", write: concise::write },
        Format { name: "json", write: json::write },
        Format { name: "sarif", write: sarif::write },
        Format { name: "github", write: github::write },
    ];

    /// The format of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|format| format.name == name)
    }
}

impl Report<'_> {
    /// How many findings of that level there are.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|found| found.level == level).count()
    }

    /// How many of them a program may fix.
    pub fn fixable(&self) -> usize {
        self.findings.iter().filter(|found| !found.fix.is_empty()).count()
    }

    /// The path to show, and where the place begins and ends there.
    fn locate(&self, place: Place) -> (String, [Position; 2]) {
        (self.places.sources.display(place.source), self.places.positions(place))
    }
}

/// What a finding says in one line: its message, and its label.
fn line(found: &Diagnostic) -> String {
    let label = &found.at.1;
    if label.is_empty() { found.message.clone() } else { format!("{}: {label}", found.message) }
}

/// The same, with what to do about it, a line for each.
fn text(found: &Diagnostic) -> String {
    found.help.iter().fold(line(found), |text, help| text + "\nhelp: " + help)
}
