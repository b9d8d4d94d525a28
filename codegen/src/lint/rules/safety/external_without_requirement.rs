//! A tool that says `open_world = true`, and that neither it nor its toolset requires anything for: no variable, no program,
//! no fact, no check. Off by default: what is open to everybody needs no key.
//!
//! ## Why is this bad
//! Most services want a key. Where it is missing, the model sees the tool all the same, and every call fails.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! lint.external-without-requirement = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/weather.toml
//! description = "Tell the weather of the next days at one place on earth. Temperatures are in degrees Celsius."
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
//! description = "Tell the weather of the next days at one place on earth. Temperatures are in degrees Celsius."
//! annotations = { read_only = true, open_world = true }
//! requires.env = ["WEB_API_KEY"]
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::manifest::RequiresManifest;

pub(super) const RULE: Rule = Rule::new("A010", "external-without-requirement", None, Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let Some(said) = tool.manifest.annotations.open_world.as_ref().filter(|said| said.value) else { return };
    if is_empty(&tool.manifest.requires) && is_empty(&lint[tool.home].manifest.requires) {
        let message = format!("`{}` is open to the world, and requires nothing", tool.name());
        sink.push(
            Diagnostic::new(Code::EXTERNAL_WITHOUT_REQUIREMENT, said.place, message)
                .help("name in `requires` what it cannot do without: a variable, a program, a fact, or `check = true`"),
        );
    }
}

fn is_empty(requires: &RequiresManifest) -> bool {
    let RequiresManifest { env, any_env, programs, os, tools, any_tools, when, check } = requires;
    let lists = [env.len(), any_env.len(), programs.len(), os.len(), tools.len(), any_tools.len()];
    lists.iter().all(|length| *length == 0) && when.is_none() && check.is_none()
}
