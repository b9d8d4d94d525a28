//! A parameter whose name suggests a password, a key or another secret, without `secret = true`. A bare `token` counts only
//! if its description says that it grants access. A parameter that is described as the name or the path of a secret is allowed.
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

use std::sync::LazyLock;

use regex::Regex;
use toolc::__gen::table::Type;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::verbs::words;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A060", "unmarked-secret", Some(Level::Warning), Check::Tool(check));

/// Endings of the names of secrets.
const SECRETS: &[&[&str]] = &[
    &["access", "key"],
    &["access", "token"],
    &["api", "key"],
    &["apikey"],
    &["api", "secret"],
    &["api", "token"],
    &["auth", "token"],
    &["bearer"],
    &["bearer", "token"],
    &["client", "secret"],
    &["connection", "string"],
    &["conn", "str"],
    &["conn", "string"],
    &["cookie"],
    &["credential"],
    &["credentials"],
    &["cvv"],
    &["encryption", "key"],
    &["id", "token"],
    &["jwt"],
    &["mnemonic"],
    &["otp"],
    &["passcode"],
    &["passphrase"],
    &["passwd"],
    &["password"],
    &["pin"],
    &["pin", "code"],
    &["private", "key"],
    &["recovery", "code"],
    &["refresh", "token"],
    &["secret"],
    &["secret", "key"],
    &["secret", "token"],
    &["secret", "value"],
    &["security", "code"],
    &["seed", "phrase"],
    &["session", "cookie"],
    &["session", "token"],
    &["signing", "key"],
    &["ssh", "key"],
    &["totp"],
    &["verification", "code"],
];

/// Names that are secrets only after another word: `db_pass`, but not `pass`.
const SUFFIXES: &[&str] = &["pass", "pwd", "pat"];

/// Descriptions of something about a secret: its name, its place, or what it is for.
static ABOUT: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)^\W*(?:(?:the|a|an|optional)\s+)*(?:\w+\s+){0,2}(?:name|id|identifier|path|file|arn|reference|type|kind|number of|location)s?\s+(?:of|for|to|that|in)\b|\bgpio\b|\bon the map\b|\bmessage to pin\b|\bpinned\b")
});

/// Descriptions of a `token` that grants access, and of other tokens.
static AUTHORIZES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)\b(?:auth\w*|bearer|api|access|secret|credentials?|log ?in|sign(?:ed)? in|jwt|oauth|personal)\b"));
static OTHER_TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\b(?:page|pagination|next|cursor|continu\w+|sync|resume|file|folder|document|sheet|wiki|node|llm|tokens)\b")
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for parameter in tool.parameters().filter(|parameter| !parameter.secret) {
        let schema = &parameter.schema;
        let text = schema.description.as_ref().and_then(|text| lint.full_text(tool, &text.value)).unwrap_or_default();
        let is_text = schema.types.contains(&Type::String) && schema.choices.is_empty() && schema.constant.is_none();
        if is_text && is_secret(&parameter.name.value, &text) {
            let message =
                format!("`{}` of `{}` seems to be a secret, but is not marked as one", parameter.name.value, tool.name());
            sink.push(
                Diagnostic::new(codes::UNMARKED_SECRET, parameter.name.place, message)
                    .help("add `secret = true`, so that errors and logs omit the value"),
            );
        }
    }
}

/// Returns whether the name of a parameter, or its name and its description, say that its value is a secret.
fn is_secret(name: &str, text: &str) -> bool {
    let name = words(name);
    let Some((last, before)) = name.split_last() else { return false };
    let ends_with = |secret: &&[&str]| name[name.len().saturating_sub(secret.len())..] == **secret;
    let is_named = SECRETS.iter().any(ends_with) || !before.is_empty() && SUFFIXES.contains(&&**last);
    // A bare `token` may be a page token, or that of a document.
    let is_token = last == "token" && before.is_empty() && AUTHORIZES.is_match(text) && !OTHER_TOKEN.is_match(text);
    (is_named || is_token) && !ABOUT.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognized_by_name_and_text() {
        for (name, text) in [
            ("secret", ""),
            ("credentials", "For the database."),
            ("db_pass", ""),
            ("connectionString", "MongoDB connection string"),
            ("ssh_key", "The key."),
            ("pin", "For the card."),
            ("otp", ""),
            ("session_cookie", ""),
            ("github_pat", ""),
            ("token", "API token"),
            ("token", "The bearer token to authenticate with."),
        ] {
            assert!(is_secret(name, text), "{name} {text}");
        }
        for (name, text) in [
            ("secret_name", ""),
            ("secret", "Name of the secret to read."),
            ("token", "The token of the next page."),
            ("token", "File token"),
            ("token", ""),
            ("page_token", ""),
            ("pass", "How many passes."),
            ("pin", "The GPIO pin."),
            ("private_key", "Path of the file"),
            ("password_length", ""),
            ("max_tokens", ""),
        ] {
            assert!(!is_secret(name, text), "{name} {text}");
        }
    }
}
