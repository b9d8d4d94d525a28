//! The name of an environment variable with lower-case letters.
//!
//! ## Why is this bad
//! Environment variables are written in upper case by convention. On Linux and macOS, `web_api_key` and `WEB_API_KEY`
//! are two variables, so a user who sets the usual one sees no effect.
//!
//! ## Example
//! ```toml
//! # manifests/env.toml
//! [env.web_api_key]
//! description = "Key of the search service."
//! ```
//!
//! ```toml
//! # manifests/tools/web_search.toml
//! [requires]
//! any_env = ["WEB_API_KEY", "web_api_key"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/web_search.toml
//! [requires]
//! env = ["WEB_API_KEY"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C056", "variable-in-lower-case", Some(Level::Warning), Check::Catalog(check));

/// Variables that programs read in lower case.
const CONVENTIONAL: [&str; 4] = ["http_proxy", "https_proxy", "no_proxy", "all_proxy"];

fn check(lint: &Lint<'_>, sink: &Sink) {
    for name in lint.variables().iter().map(|variable| &variable.name) {
        let is_lower = name.value.contains(|letter: char| letter.is_ascii_lowercase());
        if is_lower && !CONVENTIONAL.contains(&name.value.as_str()) {
            let message = format!("the variable `{}` is not in upper case", name.value);
            let found = Diagnostic::new(codes::VARIABLE_IN_LOWER_CASE, name.place, message);
            sink.push(found.help(format!("rename it to `{}`", name.value.to_uppercase())));
        }
    }
}
