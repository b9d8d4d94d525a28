//! Shows what the judge found about a command: the parts of the line, and the reasons why it needs approval or is denied.

use std::fmt::Write as _;

use toolc::approval::CommandFinding;
use toolc_commands::DoubtKind;

use crate::ground::show::{Look, Mark, Style, command, escaped_characters, one_line, wrapped};

/// The columns before the second row of a rule.
const INDENT: usize = 4;

/// Returns a command line in which the parts that the findings are about are marked, and the meaning of its escaped characters.
pub(crate) fn judged_line(line: &str, findings: &[CommandFinding], look: Look) -> String {
    // A line with a secret is replaced by a shorter text, to which the spans do not apply.
    let is_inside = |finding: &&CommandFinding| line.get(finding.span.range()).is_some();
    let mark = |finding: &CommandFinding| Mark {
        bytes: finding.span.range(),
        disguised: finding.rule == DoubtKind::LookAlike.name(),
    };
    let marks: Vec<Mark> = findings.iter().filter(is_inside).map(mark).collect();
    let mut text = command(line, &marks, look);
    for (code, meaning) in escaped_characters(line, &marks) {
        let _ = writeln!(text, "    {} {meaning}", look.paint(Style::Code, &code));
    }
    text
}

/// Returns the findings as text. `part_of` returns the part of the command line to show with a finding. Findings that depend on the same
/// unknown value are listed together.
pub(crate) fn reasons<'l>(
    findings: &[CommandFinding],
    part_of: impl Fn(&CommandFinding) -> Option<&'l str>,
    look: Look,
) -> String {
    let mut text = String::new();
    let is_same = |one: &CommandFinding, other: &CommandFinding| {
        !one.is_certain && !other.is_certain && one.span == other.span && one.path == other.path
    };
    for group in findings.chunk_by(is_same) {
        match group {
            [finding] => add(&mut text, finding, part_of(finding), look),
            [first, ..] => {
                let part = part_of(first);
                let part =
                    part.map_or_else(|| "a part of the command".to_owned(), |part| format!("`{}`", one_line(part)));
                let line = format!("{part} is known only at run time. The command may be one of these:");
                let _ = writeln!(text, "{}", wrapped(&line, 0, look));
                for finding in group {
                    let narrower = Look { width: look.width.saturating_sub(INDENT), ..look };
                    let summary = summary(finding, "", narrower).replace('\n', "\n    ");
                    let _ = writeln!(text, "    {summary}");
                }
            }
            [] => {}
        }
    }
    text
}

fn add(text: &mut String, finding: &CommandFinding, part: Option<&str>, look: Look) {
    let uncertain = if finding.is_certain { "" } else { " (possibly: depends on values known only at run time)" };
    let _ = writeln!(text, "{}", summary(finding, uncertain, look));
    for (label, value) in [("text", part), ("path", finding.path.as_deref()), ("check", Some(&*finding.check))] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let line = format!("    {:7}{}", format!("{label}:"), one_line(value));
            let _ = writeln!(text, "{}", wrapped(&line, VALUE_INDENT, look));
        }
    }
}

/// The columns before the values of a reason.
const VALUE_INDENT: usize = 11;

/// Returns the rule and what it says, with an addition.
fn summary(finding: &CommandFinding, addition: &str, look: Look) -> String {
    let rule = one_line(&finding.rule);
    let line = wrapped(&format!("{rule}: {}{addition}", one_line(&finding.description)), INDENT, look);
    // A style has no width, so it is added to the wrapped text.
    match line.strip_prefix(&rule) {
        Some(rest) => format!("{}{rest}", look.paint(Style::Strong, &rule)),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use toolc_commands::{Span, Surroundings, judge};

    use super::*;

    #[test]
    fn reasons_that_depend_on_one_unknown_value_are_listed_together() {
        let judgement = judge("rm -rf a", toolc_catalog::commands::rules(), &Surroundings::default());
        let finding = |name: &str, start, end, is_certain| {
            let mut finding = CommandFinding::from(&judgement.findings[0]);
            (finding.rule, finding.description) = (name.to_owned(), "Does something.".to_owned());
            (finding.check, finding.path) = ("Why?".to_owned(), None);
            (finding.span, finding.is_certain) = (Span { start, end }, is_certain);
            finding
        };
        let list =
            [finding("a", 0, 2, true), finding("b", 3, 5, false), finding("c", 3, 5, false), finding("d", 6, 8, false)];
        assert_eq!(
            reasons(&list, |_| Some("$1"), Look::new(None)),
            "a: Does something.\n    text:  $1\n    check: Why?\n\
             `$1` is known only at run time. The command may be one of these:\n    b: Does something.\n    c: Does something.\n\
             d: Does something. (possibly: depends on values known only at run time)\n    text:  $1\n    check: Why?\n"
        );
    }
}
