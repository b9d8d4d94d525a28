//! A closed toolset that does not list a tool whose home it is.
//!
//! ## Why is this bad
//! A closed toolset contains only the tools that it lists, so that it does not grow by accident. The unlisted tool is
//! missing from its own home.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! closed = true
//! tools = ["read_file"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! closed = true
//! tools = ["read_file", "write_file"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C033", "unlisted-home-tool", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.manifest.closed) {
        for &id in toolset.home_tools.iter().filter(|id| !toolset.tools.contains(id)) {
            let tool = &lint[id];
            let message = format!("`{}` is the home of `{}` but does not list it", toolset.name(), tool.name());
            sink.push(
                Diagnostic::new(codes::UNLISTED_HOME_TOOL, tool.manifest.name.place, message)
                    .related(toolset.manifest.name.place, "this toolset is closed")
                    .help(format!("add `{}` to its `tools`, or move the tool to another home toolset", tool.name())),
            );
        }
    }
}
