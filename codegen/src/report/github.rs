//! The format for GitHub Actions: workflow commands, which annotate the lines of a pull request.

use super::{Report, text};
use crate::diagnostic::Diagnostic;

pub(super) fn write(report: &Report<'_>) -> String {
    let command = |found: &Diagnostic| {
        let (path, [start, end]) = report.locate(found.at.0);
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

/// Escapes the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
