//! Shows the reasons why a command needs approval or is denied.

use std::fmt::Write as _;
use std::ops::Range;

use crate::ground::show::{Look, Style, one_line};

/// One reason.
#[derive(Debug)]
pub(crate) struct Reason<'a> {
    /// The name of the rule or of the doubt.
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    /// What the person should check. May be empty.
    pub(crate) check: &'a str,
    /// The part of the command line that caused the reason: its range of bytes, its text, and the path that it names.
    pub(crate) bytes: Range<usize>,
    pub(crate) text: Option<&'a str>,
    pub(crate) path: Option<&'a str>,
    pub(crate) is_certain: bool,
}

/// Returns the reasons as text. Reasons that depend on the same unknown value are listed together.
pub(crate) fn reasons(reasons: &[Reason<'_>], look: Look) -> String {
    let mut text = String::new();
    let is_same = |one: &Reason<'_>, other: &Reason<'_>| {
        !one.is_certain && !other.is_certain && one.bytes == other.bytes && one.path == other.path
    };
    for group in reasons.chunk_by(is_same) {
        match group {
            [reason] => add(&mut text, reason, look),
            [first, ..] => {
                let part = first
                    .text
                    .map_or_else(|| "a part of the command".to_owned(), |part| format!("`{}`", one_line(part)));
                let _ = writeln!(text, "{part} is known only at run time. The command may be one of these:");
                for reason in group {
                    let name = look.paint(Style::Strong, &one_line(reason.name));
                    let _ = writeln!(text, "    {name}: {}", sentence(&one_line(reason.description)));
                }
            }
            [] => {}
        }
    }
    text
}

fn add(text: &mut String, reason: &Reason<'_>, look: Look) {
    let uncertain = if reason.is_certain { "" } else { " (possibly: depends on values known only at run time)" };
    let name = look.paint(Style::Strong, &one_line(reason.name));
    let _ = writeln!(text, "{name}: {}{uncertain}", sentence(&one_line(reason.description)));
    for (label, value) in [("text", reason.text), ("path", reason.path), ("check", Some(reason.check))] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let _ = writeln!(text, "    {:7}{}", format!("{label}:"), one_line(value));
        }
    }
}

/// Adds a capital letter and a full stop to a text, because descriptions of doubts have neither.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let end = if text.ends_with('.') { "" } else { "." };
    first.chain(letters).collect::<String>() + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_depend_on_one_unknown_value_are_listed_together() {
        let reason = |name, bytes: Range<usize>, is_certain| Reason {
            name,
            description: "does something",
            check: "Why?",
            bytes,
            text: Some("$1"),
            path: None,
            is_certain,
        };
        let list =
            [reason("a", 0..2, true), reason("b", 3..5, false), reason("c", 3..5, false), reason("d", 6..8, false)];
        assert_eq!(
            reasons(&list, Look::new(None)),
            "a: Does something.\n    text:  $1\n    check: Why?\n\
             `$1` is known only at run time. The command may be one of these:\n    b: Does something.\n    c: Does something.\n\
             d: Does something. (possibly: depends on values known only at run time)\n    text:  $1\n    check: Why?\n"
        );
    }
}
