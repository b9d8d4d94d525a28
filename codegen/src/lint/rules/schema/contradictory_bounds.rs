//! Bounds that no value keeps together: a minimum above the maximum, an integer between 3 and 4, more properties that
//! must be sent than may be.
//!
//! ## Why is this bad
//! Whatever a model sends is refused, and it cannot see why. One of the two is a slip.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lines]
//! type = "integer"
//! description = "How many lines to read."
//! minimum = 100
//! maximum = 10
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lines]
//! type = "integer"
//! description = "How many lines to read."
//! minimum = 10
//! maximum = 100
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule, satisfiability};

pub(super) const RULE: Rule = Rule::new("S021", "contradictory-bounds", Some(Level::Error), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for found in tool.manifest.schemas().flat_map(satisfiability::contradictions) {
        sink.push(
            Diagnostic::new(Code::CONTRADICTORY_BOUNDS, found.place, found.message)
                .related(found.other, "together with this")
                .help("change one of the two"),
        );
    }
}
