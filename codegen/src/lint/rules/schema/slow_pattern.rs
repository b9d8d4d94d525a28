//! A `pattern` that can match one string in exponentially many ways, such as `^(a+)+$` or `^(\w+\s?)*$`.
//!
//! ## Why is this bad
//! A regular expression engine that backtracks, such as those of JavaScript and Python, tries all ways before it refuses a
//! string. Thirty characters can take hours, so one bad argument stops a client or a host.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.label]
//! type = "string"
//! description = "The label of the section to read, in words."
//! pattern = '^(\w+\s?)*$'
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.label]
//! type = "string"
//! description = "The label of the section to read, in words."
//! pattern = '^\w+(\s\w+)*$'
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::patterns::Pattern;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S065", "slow-pattern", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for pattern in tool.manifest.regular_expressions() {
        let Some(part) = Pattern::parse(&pattern.value).and_then(|parsed| parsed.exponential_part()) else { continue };
        let place = lint.string(pattern.place).map_or(pattern.place, |written| written.place(part.clone()));
        let message = format!("matching `{}` can take exponential time", &pattern.value[part]);
        sink.push(
            Diagnostic::new(codes::SLOW_PATTERN, place, message)
                .label("one string can match this in many ways")
                .help("write it so that each string matches in one way: no repetition of what repeats itself, and no two alternatives that match the same"),
        );
    }
}
