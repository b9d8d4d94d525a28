//! The format for people at a terminal: findings with their source lines, in the style of rustc, and the number of findings.

use std::collections::BTreeMap;

use super::{Report, Shown};
use crate::diagnostic::{Code, Diagnostic, Level, Renderer};

/// The number of findings of one rule that [`Shown::Capped`] shows.
const REPETITIONS: usize = 10;

/// The number of rules that the summary of warnings names.
const NAMED_RULES: usize = 8;

pub(super) fn write(report: &Report<'_>) -> String {
    let renderer = Renderer::new(report.places.sources, report.colour);
    let mut counts: BTreeMap<(&str, Level), usize> = BTreeMap::new();
    let mut is_shown = |found: &&Diagnostic| {
        let count = counts.entry((found.code.id, found.level)).or_default();
        *count += 1;
        match report.shown {
            Shown::All => true,
            Shown::Capped => *count <= REPETITIONS,
            Shown::Errors => found.level == Level::Error,
        }
    };
    let shown: Vec<&Diagnostic> = report.findings.iter().filter(&mut is_shown).collect();
    let mut text: String = shown.into_iter().flat_map(|found| [renderer.render(found), "\n\n".to_owned()]).collect();
    if report.shown == Shown::Capped {
        let mut is_cut = false;
        for ((id, _), count) in counts.iter().filter(|(_, count)| **count > REPETITIONS) {
            text += &format!("... and {} more of {id}: `--all` shows them\n", count - REPETITIONS);
            is_cut = true;
        }
        if is_cut {
            text += "\n";
        }
    }
    text + &summary(report)
}

/// Returns the last line: the numbers of findings, or of what was checked if no finding exists.
fn summary(report: &Report<'_>) -> String {
    let (errors, warnings) = (report.count(Level::Error), report.count(Level::Warning));
    let mut text = match (errors, warnings) {
        (0, 0) => {
            let count = |(tools, toolsets)| {
                format!("{}, {}: no findings\n", plural(tools, "tool"), plural(toolsets, "toolset"))
            };
            return report.checked.map(count).unwrap_or_default();
        }
        (0, warnings) => plural(warnings, "warning"),
        (errors, 0) => plural(errors, "error"),
        (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    };
    if report.shown == Shown::Errors && warnings > 0 {
        text += &format!(": {}; run `{} lint`", by_rule(report.findings), report.program);
    }
    match report.fixable() {
        0 => {}
        count => text += &format!("; {count} can be fixed with `lint --fix`"),
    }
    text + "\n"
}

/// Returns the number of warnings of each rule, the most frequent ones first: `9 parameter-description-missing (M001), 3 ...`.
fn by_rule(findings: &[Diagnostic]) -> String {
    let mut rules: BTreeMap<&str, (Code, usize)> = BTreeMap::new();
    for found in findings.iter().filter(|found| found.level == Level::Warning) {
        rules.entry(found.code.id).or_insert((found.code, 0)).1 += 1;
    }
    let mut rules: Vec<(Code, usize)> = rules.into_values().collect();
    // Rules with equal counts stay in the order of their codes.
    rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let (named, others) = rules.split_at(rules.len().min(NAMED_RULES));
    let mut parts: Vec<String> =
        named.iter().map(|(code, count)| format!("{count} {} ({})", code.name, code.id)).collect();
    if !others.is_empty() {
        let count: usize = others.iter().map(|(_, count)| count).sum();
        parts.push(format!("{count} of {}", plural(others.len(), "other rule")));
    }
    parts.join(", ")
}

/// Returns `1 tool`, `2 tools` and so on.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
