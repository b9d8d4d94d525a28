//! The format for editors and `grep`: a line for each finding, `PATH:LINE:COLUMN: LEVEL[CODE] NAME: MESSAGE`.

use toolc_tables::visible::visible;

use super::{Report, line};
use crate::diagnostic::Diagnostic;

pub(super) fn write(report: &Report<'_>) -> String {
    let format_line = |found: &Diagnostic| {
        let (path, [start, _]) = report.locate(found.at.0);
        let (level, code) = (found.level.word(), found.code);
        let (path, message) = (visible(&path), line(found));
        format!("{path}:{}:{}: {level}[{}] {}: {}\n", start.line, start.column, code.id, code.name, visible(&message))
    };
    report.findings.iter().map(format_line).collect()
}
