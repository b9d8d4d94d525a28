//! A `pattern` that every string matches, such as `.*` or an empty one, or that no string matches, such as `a^b`.
//!
//! ## Why is this bad
//! A pattern need only match a part of the string. If it can match nothing at all, it restricts nothing. If something must
//! precede `^` or follow `$`, every value is refused.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.label]
//! type = "string"
//! description = "The label of the section to read."
//! pattern = '[a-z]*'
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.label]
//! type = "string"
//! description = "The label of the section to read."
//! pattern = '^[a-z]*$'
//! ```

use crate::lint::codes;
use super::unportable_pattern::{foreign, in_slashes};
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::patterns::Pattern;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S066", "pointless-pattern", Some(Level::Warning), Check::Tool(check)).fixable();

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for pattern in tool.manifest.patterns().filter(|pattern| in_slashes(&pattern.value).is_none()) {
        // The parser would take it as the other language does.
        if !foreign(&pattern.value).is_empty() {
            continue;
        }
        let Some(parsed) = Pattern::parse(&pattern.value) else { continue };
        let found = |message: &str| Diagnostic::new(codes::POINTLESS_PATTERN, pattern.place, message);
        if parsed.matches_nothing() {
            sink.push(
                found("no string matches this pattern")
                    .help("`^` matches only the start of the string, and `$` only its end: move or remove them"),
            );
        } else if parsed.matches_everything() {
            sink.push(
                found("every string matches this pattern")
                    .help("remove it; to restrict the whole string, write `^...$` around the pattern")
                    .fix(Edit::Remove(pattern.place)),
            );
        }
    }
}
