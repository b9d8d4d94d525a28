//! The output formats of findings. Each format has a file here and an entry in [`Format::ALL`].

mod base;
mod concise;
mod github;
mod human;
mod json;
mod sarif;

use toolc_tables::visible::is_control;

use crate::diagnostic::{Diagnostic, Level, Place, Places, Position};

pub use human::plural;

/// The findings of one run.
#[derive(Debug)]
pub struct Report<'r> {
    /// The findings, sorted by place.
    pub findings: &'r [Diagnostic],
    /// Resolves the places of the findings to lines and columns.
    pub places: &'r Places<'r>,
    /// The numbers of tools and toolsets that were checked, or `None` if a finding is an error.
    pub checked: Option<(usize, usize)>,
    /// Whether the output supports colours.
    pub colour: bool,
    /// Which findings the format `human` shows. The other formats always have all findings.
    pub shown: Shown,
    /// How the user runs the compiler, such as `cargo toolc`: for advice on what to run.
    pub program: &'r str,
}

/// Which findings the format `human` shows. Its last line counts all findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All findings.
    All,
    /// Only the first findings of each rule.
    Capped,
    /// Only errors. The last line counts the warnings of each rule.
    Errors,
}

/// An output format of findings.
#[derive(Debug)]
pub struct Format {
    /// The name of the format on the command line.
    pub name: &'static str,
    /// Formats a report.
    pub write: fn(&Report<'_>) -> String,
}

impl Format {
    /// Every format. The first one is the default.
    pub const ALL: &'static [Format] = &[
        Format { name: "human", write: human::write },
        Format { name: "concise", write: concise::write },
        Format { name: "json", write: json::write },
        Format { name: "sarif", write: sarif::write },
        Format { name: "github", write: github::write },
    ];

    /// Returns the format with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|format| format.name == name)
    }
}

impl Report<'_> {
    /// Returns the number of findings with this level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|found| found.level == level).count()
    }

    /// Returns the number of findings that `--fix` can fix.
    pub fn fixable(&self) -> usize {
        self.findings.iter().filter(|found| !found.fix.is_empty()).count()
    }

    /// Returns the path to show for a place, and the positions of its start and end.
    fn locate(&self, place: Place) -> (String, [Position; 2]) {
        (self.places.sources.display(place.source), self.places.positions(place))
    }
}

/// Formats a JSON document. Control characters that JSON allows in strings are escaped as well.
fn json_text(document: &serde_json::Value) -> String {
    let mut text = String::new();
    for letter in format!("{document:#}\n").chars() {
        if letter != '\n' && is_control(letter) {
            text += &format!("\\u{:04x}", u32::from(letter));
        } else {
            text.push(letter);
        }
    }
    text
}

/// Returns the message and the label of a finding, in one line.
fn line(found: &Diagnostic) -> String {
    let label = &found.at.1;
    if label.is_empty() { found.message.clone() } else { format!("{}: {label}", found.message) }
}

/// Returns the message and the label of a finding, followed by one line for each help.
fn text(found: &Diagnostic) -> String {
    let mut text = line(found);
    for help in &found.help {
        text += "\nhelp: ";
        text += help;
    }
    text
}
