//! A toolset whose tools are all in its base. Disabling a toolset removes its tools except those of its base, which
//! is nothing here. A preset that only renames its base is not reported.
//!
//! ## Why is this bad
//! A host that disables the toolset expects its tools to be gone, but all of them stay.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/core.toml
//! includes = ["files", "web"]
//! ```
//!
//! ```toml
//! # manifests/toolsets/chat.toml
//! base = "core"
//! tools = ["web_search"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/core.toml
//! includes = ["files"]
//! ```
//!
//! ```toml
//! # manifests/toolsets/chat.toml
//! base = "core"
//! tools = ["web_search"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C042", "disabling-does-nothing", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (id, toolset) in lint.toolsets() {
        let Some((base, place)) = toolset.base else { continue };
        let tools = lint.resolve(id);
        let is_in_base = |tool| lint.resolve(base).binary_search(tool).is_ok();
        let has_own = toolset.direct().next().is_some() || !toolset.includes.is_empty();
        // A toolset that resolves to nothing has its own rule.
        if tools.is_empty()
            || lint.has_external_tools(id)
            || !tools.iter().all(is_in_base)
            || (toolset.manifest.is_preset() && !has_own)
        {
            continue;
        }
        let base = lint[base].name();
        let message =
            format!("disabling `{}` has no effect: its base `{base}` contains all its tools", toolset.name());
        let found = Diagnostic::new(codes::DISABLING_DOES_NOTHING, toolset.manifest.name.place, message)
            .related(place, "the tools of this base are kept");
        sink.push(if toolset.manifest.includes.is_empty() {
            found.help(format!("add tools that `{base}` does not contain, or make it an alias of `{base}`"))
        } else {
            found.help(format!("remove the tools from `{base}`, or move `{base}` to `includes`"))
        });
    }
}
