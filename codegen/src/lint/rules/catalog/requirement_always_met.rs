//! A list of variables of which one must be set (`any_env`), although `env` requires one of them.
//!
//! ## Why is this bad
//! The list has no effect. Usually the variable was meant to be in one of the two lists only.
//!
//! ## Example
//! ```toml
//! # manifests/tools/web_search.toml
//! [requires]
//! env = ["WEB_API_KEY"]
//! any_env = ["WEB_API_KEY", "WEB_API_TOKEN"]
//! ```
//!
//! ```toml
//! # manifests/env.toml
//! [env.WEB_API_TOKEN]
//! description = "Token of the search service."
//! url = "https://search.example/keys"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/web_search.toml
//! [requires]
//! any_env = ["WEB_API_KEY", "WEB_API_TOKEN"]
//! ```
//!
//! ```toml
//! # manifests/env.toml
//! [env.WEB_API_TOKEN]
//! description = "Token of the search service."
//! url = "https://search.example/keys"
//! ```

use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C065", "requirement-always-met", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let of_tools = lint.tools().map(|(_, tool)| &tool.manifest.requires);
    let of_toolsets = lint.toolsets().map(|(_, toolset)| &toolset.manifest.requires);
    for requires in of_tools.chain(of_toolsets) {
        let both = requires.any_env.iter().find_map(|any| {
            let required = requires.env.iter().find(|required| required.value == any.value)?;
            Some((any, required))
        });
        let Some((any, required)) = both else { continue };
        let message = format!("`any_env` is always met, because `env` requires `{}`", any.value);
        sink.push(
            Diagnostic::new(Code::REQUIREMENT_ALWAYS_MET, any.place, message)
                .related(required.place, "required here")
                .help("remove the variable from `env`, or remove `any_env`"),
        );
    }
}
