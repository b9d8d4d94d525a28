//! A parameter whose name suggests a password or key, without `secret = true`.
//!
//! ## Why is this bad
//! The value appears in errors and logs.
//!
//! ## Example
//! ```toml
//! # manifests/tools/write_file.toml
//! [params.password]
//! type = "string"
//! description = "The password that encrypts the document."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/write_file.toml
//! [params.password]
//! type = "string"
//! description = "The password that encrypts the document."
//! secret = true
//! ```

use toolc::__gen::table::Type;

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::verbs::words;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A060", "unmarked-secret", Some(Level::Warning), Check::Tool(check));

/// Endings of the names of secrets. `token` is missing, because it is often a page token.
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
                format!("`{}` of `{}` seems to be a secret, but is not marked as one", parameter.name.value, tool.name());
            sink.push(
                Diagnostic::new(Code::UNMARKED_SECRET, parameter.name.place, message)
                    .help("add `secret = true`, so that errors and logs omit the value"),
            );
        }
    }
}
