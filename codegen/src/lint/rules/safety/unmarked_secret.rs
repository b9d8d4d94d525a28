//! A parameter that, by its name, takes a password or a key, and does not say `secret`.
//!
//! ## Why is this bad
//! What is not marked is shown in errors and logs like any other value.
//!
//! ## Example
//! ```toml
//! # manifests/tools/write_file.toml
//! [params.password]
//! type = "string"
//! description = "What the document is encrypted by."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/write_file.toml
//! [params.password]
//! type = "string"
//! description = "What the document is encrypted by."
//! secret = true
//! ```

use toolc::__gen::table::Type;

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::verbs::words;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A060", "unmarked-secret", Some(Level::Warning), Check::Tool(check));

/// What the names of secrets end with. A `token` may be that of a page.
const SECRETS: &[&[&str]] = &[
    &["access", "key"],
    &["access", "token"],
    &["api", "key"],
    &["apikey"],
    &["api", "secret"],
    &["api", "token"],
    &["auth", "token"],
    &["bearer", "token"],
    &["client", "secret"],
    &["passphrase"],
    &["passwd"],
    &["password"],
    &["private", "key"],
    &["refresh", "token"],
    &["secret", "key"],
];

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for parameter in tool.parameters().filter(|parameter| !parameter.secret) {
        let name = words(&parameter.name.value);
        let is_text = parameter.schema.types.contains(&Type::String) && parameter.schema.choices.is_empty();
        if is_text && SECRETS.iter().any(|secret| name[name.len().saturating_sub(secret.len())..] == **secret) {
            let message =
                format!("`{}` of `{}` takes a secret, and does not say so", parameter.name.value, tool.name());
            sink.push(
                Diagnostic::new(Code::UNMARKED_SECRET, parameter.name.place, message)
                    .help("add `secret = true`: its value is then left out of errors and logs"),
            );
        }
    }
}
