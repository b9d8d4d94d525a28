//! The format for GitHub Actions: workflow commands, which annotate the lines of a pull request.

use toolc_tables::visible::is_control;

use super::base::Base;
use super::{Report, text};
use crate::diagnostic::Diagnostic;

pub(super) fn write(report: &Report<'_>) -> String {
    let base = Base::new(report.places.sources);
    let command = |found: &Diagnostic| {
        let path = base.path(found.at.0.source);
        let [start, end] = report.places.positions(found.at.0);
        // GitHub accepts columns only for a place within one line.
        let columns = if start.line == end.line {
            format!(",col={},endColumn={}", start.column, end.column)
        } else {
            String::new()
        };
        format!(
            "::{} file={},line={},endLine={}{columns},title={}::{}\n",
            found.level.word(),
            property(&path),
            start.line,
            end.line,
            property(&found.code.to_string()),
            data(&text(found)),
        )
    };
    report.findings.iter().map(command).collect()
}

/// Escapes the message of a command. Commands have no escapes for other control characters than line breaks.
fn data(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '%' => escaped += "%25",
            '\r' => escaped += "%0D",
            '\n' => escaped += "%0A",
            letter if is_control(letter) => escaped.extend(letter.escape_default()),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Escapes the value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
