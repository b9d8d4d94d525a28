//! A `pattern` whose backslashes were escaped once too often: it contains `\\d`, `\\w`, `\\s` or `\\.`, and matches a
//! backslash instead of a digit. TOML strings in single quotes have no escapes: write `\d` there, and `\\d` in double
//! quotes.
//!
//! ## Why is this bad
//! The pattern refuses every value that it was written for.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.revision]
//! type = "string"
//! description = "The number of the revision to read."
//! pattern = '^\\d+$'
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.revision]
//! type = "string"
//! description = "The number of the revision to read."
//! pattern = '^\d+$'
//! ```

use std::ops::Range;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S067", "double-escaped-pattern", Some(Level::Warning), Check::Tool(check)).fixable();

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for pattern in tool.manifest.regular_expressions() {
        let spans = double_escapes(&pattern.value);
        let Some(span) = spans.first().cloned() else { continue };
        let written = lint.string(pattern.place);
        let escape = &pattern.value[span.clone()];
        let place = written.as_ref().map_or(pattern.place, |written| written.place(span));
        let message = format!("`{escape}` matches a backslash, followed by what `{}` matches", &escape[2..]);
        let found = Diagnostic::new(codes::DOUBLE_ESCAPED_PATTERN, place, message)
            .label("escaped twice")
            .help(format!("write `{0}` in single quotes, or `\\{0}` in double quotes", &escape[1..]));
        // The first of the two backslashes is removed, however it is written.
        let backslashes = spans.iter().filter_map(|span| Some(written.as_ref()?.place(span.start..span.start + 1)));
        sink.push(backslashes.fold(found, |found, place| found.fix(Edit::Replace(place, String::new()))));
    }
}

/// Finds escaped backslashes that were probably meant to begin a class or to escape a dot.
fn double_escapes(pattern: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = pattern[at..].find('\\').map(|start| at + start) {
        let rest = &pattern[start + 1..];
        at = start + 1 + rest.chars().next().map_or(0, char::len_utf8);
        let Some(after) = rest.strip_prefix('\\') else { continue };
        // In a pattern of paths, such as `\\\\server` or `C:\\.*`, backslashes are meant.
        let is_path = pattern.contains(":\\\\") || pattern.contains("\\\\\\\\") || pattern[..start].ends_with("[^");
        let mut letters = after.chars();
        let (first, second) = (letters.next(), letters.next());
        let is_word = second.is_some_and(|next| next.is_alphanumeric() || next == '_');
        let is_meant = match first {
            Some('d' | 'w' | 's' | 'b' | 'D' | 'W' | 'S' | 'B') => is_word,
            Some('.') => second.is_none_or(|next| matches!(next, '*' | '+' | '?' | '{' | ')' | '$')),
            _ => true,
        };
        if !is_meant && !is_path {
            found.push(start..start + 3);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_escapes_are_distinguished_from_backslashes() {
        for (pattern, escapes) in [
            (r"^\\d+$", vec![r"\\d"]),
            (r"^[\\w-]+\\.\\w+$", vec![r"\\w", r"\\.", r"\\w"]),
            (r"\\s*,\\s*", vec![r"\\s", r"\\s"]),
            (r"^\d+\.\w+$", vec![]),
            (r"^[A-Z]:\\\w+", vec![]),
            (r"^[A-Z]:\\.*$", vec![]),
            (r"^\\\\server\\share", vec![]),
            (r"^[^\\/]+$", vec![]),
            (r"\\.*", vec![]),
            (r"^\\(foo)", vec![]),
            (r"\\", vec![]),
        ] {
            let found: Vec<&str> = double_escapes(pattern).into_iter().map(|span| &pattern[span]).collect();
            assert_eq!(found, escapes, "{pattern}");
        }
    }
}
