//! A toolset all of whose tools its base holds, too: disabling it takes away what it resolves to, less what its base
//! resolves to, which is nothing. A preset that only gives its base another name is not meant.
//!
//! ## Why is this bad
//! A host that disables it believes that its tools are gone. All of them are still there.
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

use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C042", "disabling-does-nothing", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (id, toolset) in lint.toolsets() {
        let Some((base, place)) = toolset.base else { continue };
        let tools = lint.resolved(id);
        let is_in_base = |tool| lint.resolved(base).binary_search(tool).is_ok();
        let has_own = toolset.direct().next().is_some() || !toolset.includes.is_empty();
        // One that resolves to nothing is told as that.
        if tools.is_empty()
            || lint.has_external_tools(id)
            || !tools.iter().all(is_in_base)
            || (toolset.manifest.is_preset() && !has_own)
        {
            continue;
        }
        let base = lint[base].name();
        let message =
            format!("disabling `{}` does nothing: its base, `{base}`, holds all that it holds", toolset.name());
        let found = Diagnostic::new(Code::DISABLING_DOES_NOTHING, toolset.manifest.name.place, message)
            .related(place, "what this resolves to stays");
        sink.push(if toolset.manifest.includes.is_empty() {
            found.help(format!("give it tools that `{base}` does not hold, or make it an alias of `{base}`"))
        } else {
            found.help(format!("take out of `{base}` what should go with it, or make `{base}` one of its `includes`"))
        });
    }
}
