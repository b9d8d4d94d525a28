//! For GitHub Actions: commands that show each finding at its line in a pull request.

use super::{Report, text};

pub(super) fn write(report: &Report<'_>) -> String {
    let one = |found: &crate::diagnostic::Diagnostic| {
        let (path, [start, end]) = report.locate(found.at.0);
        // Columns are only taken where the place is within one line.
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
    report.findings.iter().map(one).collect()
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
