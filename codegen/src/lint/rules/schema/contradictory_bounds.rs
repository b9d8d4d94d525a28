//! Bounds that no value can satisfy: a minimum above the maximum, an integer strictly between 3 and 4, or more
//! required properties than `maxProperties` allows.
//!
//! ## Why is this bad
//! Every value is refused, and a model cannot see why. One of the bounds is a mistake.
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

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule, satisfiability};

pub(super) const RULE: Rule = Rule::new("S021", "contradictory-bounds", Some(Level::Error), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for found in tool.manifest.schemas().flat_map(satisfiability::contradictions) {
        sink.push(
            Diagnostic::new(codes::CONTRADICTORY_BOUNDS, found.place, found.message)
                .related(found.other, "contradicts this")
                .help("change one of them"),
        );
    }
}
