//! A tool with both `read_only = true` and `destructive = true`.
//!
//! ## Why is this bad
//! Hosts run read-only tools without approval and in parallel with others. One of the two annotations is wrong.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! annotations = { read_only = true, destructive = true, open_world = false }
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! annotations = { read_only = true, open_world = false }
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A003", "read-only-and-destructive", Some(Level::Error), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let annotations = &tool.manifest.annotations;
    if let (Some(read_only), Some(destructive)) = (&annotations.read_only, &annotations.destructive)
        && read_only.value
        && destructive.value
    {
        let message = format!("`{}` is both read-only and destructive", tool.name());
        sink.push(
            Diagnostic::new(codes::READ_ONLY_AND_DESTRUCTIVE, destructive.place, message)
                .related(read_only.place, "declared read-only here")
                .help("remove one of the two annotations"),
        );
    }
}
