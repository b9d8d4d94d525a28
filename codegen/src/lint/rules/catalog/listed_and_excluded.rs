//! A tool that a toolset both lists in `tools` and leaves out by `excludes`.
//!
//! ## Why is this bad
//! The exclude wins, so the list promises a tool that the toolset does not have. One of the two is a leftover.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/desk.toml
//! tools = ["read_file", "web_search"]
//! excludes = ["web_search"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/desk.toml
//! tools = ["read_file"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("C061", "listed-and-excluded", Some(Level::Warning), Check::Catalog(check)).fixable();

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, toolset) in lint.toolsets() {
        let manifest = &toolset.manifest;
        for excluded in &manifest.excludes {
            let Some(listed) = manifest.tools.iter().find(|listed| listed.value == excluded.value) else { continue };
            let message = format!("`{}` both lists and excludes `{}`", toolset.name(), excluded.value);
            sink.push(
                Diagnostic::new(codes::LISTED_AND_EXCLUDED, excluded.place, message)
                    .related(listed.place, "listed here")
                    .help("the exclude wins: remove the tool from `tools`, or from `excludes`")
                    .fix(Edit::Remove(listed.place)),
            );
        }
    }
}
