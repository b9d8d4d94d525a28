//! The report of an import: what was written, and everything that is not as in the source.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolc_tables::visible::visible;

/// What an entry of the report means for the imported tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Calls mean the same as before.
    Same,
    /// The manifest accepts more than the source, or the model sees less of it.
    Wider,
    /// The manifest accepts less than the source.
    Narrower,
    /// The tool, or an edit of the source, is missing.
    LeftOut,
}

impl Effect {
    /// Returns the word of the report.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Same => "same",
            Effect::Wider => "wider",
            Effect::Narrower => "narrower",
            Effect::LeftOut => "left out",
        }
    }
}

/// A difference between the source and what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The name of the tool in the source, or empty.
    pub tool: String,
    /// The place in the definition of the tool, as a JSON pointer.
    pub pointer: String,
    /// What the source has.
    pub found: String,
    /// What was done.
    pub done: String,
    /// What it means.
    pub effect: Effect,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// It did not exist.
    Created,
    /// The file had other content.
    Changed,
    /// The file has edits of a person, and gets what is new in the source.
    Merged,
    /// The source has the tool no longer.
    Removed,
    /// The file is as the source says.
    Unchanged,
    /// The file differs from the source, and stays as it is.
    Kept,
}

impl Deed {
    /// Returns the word of the report.
    pub fn word(self) -> &'static str {
        match self {
            Deed::Created => "created",
            Deed::Changed => "changed",
            Deed::Merged => "merged",
            Deed::Removed => "removed",
            Deed::Unchanged => "unchanged",
            Deed::Kept => "kept",
        }
    }

    /// Returns whether the file is written or removed.
    pub fn writes(self) -> bool {
        !matches!(self, Deed::Unchanged | Deed::Kept)
    }
}

/// The report of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The differences, in the order of the source.
    pub changes: Vec<Change>,
    /// What happens to each file, by path.
    pub files: Vec<(String, Deed)>,
    /// Whether a person has to look at something: a tool that was left out, or a conflict.
    pub is_incomplete: bool,
}

impl Report {
    /// Adds a change.
    pub fn add(
        &mut self,
        tool: &str,
        pointer: &str,
        found: impl Into<String>,
        done: impl Into<String>,
        effect: Effect,
    ) {
        let (tool, pointer) = (tool.to_owned(), pointer.to_owned());
        self.changes.push(Change { tool, pointer, found: short(&found.into()), done: done.into(), effect });
    }

    /// Adds a tool or an item that was left out.
    pub fn left_out(&mut self, tool: &str, pointer: &str, found: impl Into<String>, done: impl Into<String>) {
        self.add(tool, pointer, found, done, Effect::LeftOut);
        self.is_incomplete = true;
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> Value {
        let change = |change: &Change| {
            json!({
                "tool": change.tool, "pointer": change.pointer, "found": change.found, "done": change.done,
                "effect": change.effect.word(),
            })
        };
        let file = |(path, deed): &(String, Deed)| json!({ "path": path, "deed": deed.word() });
        json!({
            "format": 1,
            "complete": !self.is_incomplete,
            "files": self.files.iter().map(file).collect::<Value>(),
            "changes": self.changes.iter().map(change).collect::<Value>(),
        })
    }

    /// Returns the report as text. `is_dry` says that nothing was written.
    pub fn to_text(&self, is_dry: bool) -> String {
        let mut out = String::new();
        for (path, deed) in self.files.iter().filter(|(_, deed)| *deed != Deed::Unchanged) {
            let _ = writeln!(out, "{}: {}", deed.word(), visible(path));
        }
        let mut last = None;
        // The others change nothing, except for names, which a person calls.
        let is_shown =
            |change: &&Change| change.effect != Effect::Same || change.tool.is_empty() || change.pointer == "/name";
        for change in self.changes.iter().filter(is_shown) {
            if last != Some(&change.tool) && !change.tool.is_empty() {
                let _ = writeln!(out, "\n{}", visible(&change.tool));
            }
            last = Some(&change.tool);
            let place = if change.pointer.is_empty() { "/" } else { &change.pointer };
            let found = if change.found.is_empty() { String::new() } else { format!(" `{}`", visible(&change.found)) };
            let (place, done) = (visible(place).into_owned(), visible(&change.done).into_owned());
            let _ = writeln!(out, "  {}: {place}{found}: {done}", change.effect.word());
        }
        let count = |effect| self.changes.iter().filter(|change| change.effect == effect).count();
        let files = |wanted: Deed| self.files.iter().filter(|(_, deed)| *deed == wanted).count();
        let deeds = [Deed::Created, Deed::Changed, Deed::Merged, Deed::Removed, Deed::Kept, Deed::Unchanged];
        let deeds = deeds.into_iter().filter(|deed| files(*deed) > 0);
        let mut words: Vec<String> = deeds.map(|deed| format!("{} {}", files(deed), deed.word())).collect();
        let effects = [Effect::Wider, Effect::Narrower, Effect::LeftOut];
        words.extend(effects.into_iter().filter(|it| count(*it) > 0).map(|it| format!("{} {}", count(it), it.word())));
        let hidden = self.changes.iter().filter(|change| !is_shown(change)).count();
        words.extend((hidden > 0).then(|| format!("{hidden} without an effect on calls, which --json lists")));
        let dry = if is_dry { "; nothing was written" } else { "" };
        let _ =
            writeln!(out, "{}{dry}", if words.is_empty() { "nothing to import".to_owned() } else { words.join(", ") });
        out
    }
}

/// Returns a name as a step of a JSON pointer.
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The maximum number of characters of a part of a source in the report.
const MAX_SHOWN: usize = 160;

/// Returns the beginning of a text, on one line.
fn short(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(MAX_SHOWN) {
        None => one_line,
        Some((end, _)) => format!("{}…", &one_line[..end]),
    }
}
