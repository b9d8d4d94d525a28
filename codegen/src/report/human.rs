//! The format for people at a terminal: each finding with its source lines, in the style of rustc.

use super::Report;
use crate::diagnostic::{Level, Renderer};

pub(super) fn write(report: &Report<'_>) -> String {
    let renderer = Renderer::new(report.places.sources, report.colour);
    let mut text: String =
        report.findings.iter().flat_map(|found| [renderer.render(found), "\n\n".to_owned()]).collect();
    match (report.count(Level::Error), report.count(Level::Warning)) {
        (0, 0) => {
            if let Some((tools, toolsets)) = report.checked {
                text += &format!("{}, {}: no findings\n", plural(tools, "tool"), plural(toolsets, "toolset"));
            }
            return text;
        }
        (0, warnings) => text += &plural(warnings, "warning"),
        (errors, 0) => text += &plural(errors, "error"),
        (errors, warnings) => text += &format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    }
    match report.fixable() {
        0 => {}
        count => text += &format!("; {count} can be fixed with `lint --fix`"),
    }
    text + "\n"
}

/// Returns `1 tool`, `2 tools` and so on.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
