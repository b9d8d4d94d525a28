//! A tool with `open_world = true` that requires nothing, and whose toolset requires nothing: no variable, program,
//! fact or check. Off by default, because some services need no key.
//!
//! ## Why is this bad
//! Most services need a key. If it is missing, the model still sees the tool, and every call fails.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! lint.external-without-requirement = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/weather.toml
//! description = "Return the weather forecast of the next days for one place. Temperatures are in degrees Celsius."
//! annotations = { read_only = true, open_world = true }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! lint.external-without-requirement = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/weather.toml
//! description = "Return the weather forecast of the next days for one place. Temperatures are in degrees Celsius."
//! annotations = { read_only = true, open_world = true }
//! requires.env = ["WEB_API_KEY"]
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::manifest::RequiresManifest;

pub(super) const RULE: Rule = Rule::new("A010", "external-without-requirement", None, Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let Some(open_world) = tool.manifest.annotations.open_world.as_ref().filter(|open_world| open_world.value) else { return };
    if is_empty(&tool.manifest.requires) && is_empty(&lint[tool.home].manifest.requires) {
        let message = format!("`{}` has `open_world = true` but no requirements", tool.name());
        sink.push(
            Diagnostic::new(codes::EXTERNAL_WITHOUT_REQUIREMENT, open_world.place, message)
                .help("add what it needs to `requires`: a variable, a program, a fact, or `check = true`"),
        );
    }
}

fn is_empty(requires: &RequiresManifest) -> bool {
    let RequiresManifest { env, any_env, programs, os, tools, any_tools, any, when, check, refused } = requires;
    let lists = [env.len(), any_env.len(), programs.len(), os.len(), tools.len(), any_tools.len(), any.len()];
    lists.iter().all(|length| *length == 0) && when.is_none() && check.is_none() && !refused.is_any()
}
