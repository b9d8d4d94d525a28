//! A text anywhere in a manifest, including comments, that looks like a key, a token or a password. The rule
//! recognizes the formats of well-known issuers, the first line of private keys, and passwords in URLs. Obvious
//! examples, with one character repeated or with `...` or `<...>`, are allowed.
//!
//! ## Why is this bad
//! Manifests are committed, and a model can repeat everything that it reads. A key that was committed must be
//! revoked. Models also send made-up keys.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.source]
//! type = "string"
//! description = "Where to read from, such as postgres://app:hT7kq2vX@db.example/files."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.source]
//! type = "string"
//! description = "Where to read from, such as postgres://db.example/files. The host adds the password."
//! ```

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rayon::prelude::*;
use regex::Regex;

use crate::diagnostic::{Code, Diagnostic, Level, Place, Sink, SourceId};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A005", "secret-in-text", Some(Level::Warning), Check::Catalog(check));

/// Kinds of secrets: a name, a list of substrings, and a pattern. Each match of the pattern contains one of the substrings. The
/// secret is the group `secret`, or the whole match.
const KINDS: &[(&str, &[&str], &str)] = &[
    ("a private key", &["PRIVATE KEY"], r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    (
        "an AWS access key",
        &["AKIA", "ASIA", "AGPA", "AROA", "AIDA"],
        r"\b(?:AKIA|ASIA|AGPA|AROA|AIDA)[A-Z2-7]{16}\b|\bAKIA[A-Z0-9]{16}\b",
    ),
    (
        "a GitHub token",
        &["gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_"],
        r"\bgh[opsur]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{22,}\b",
    ),
    (
        "a GitLab token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-"],
        r"\bgl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_-]{20,}",
    ),
    ("an Anthropic key", &["sk-ant-"], r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("an OpenAI key", &["sk-"], r"\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,}|\bsk-[A-Za-z0-9]{20,}\b"),
    (
        "a Stripe key",
        &["k_live_", "k_test_", "whsec_"],
        r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b|\bwhsec_[A-Za-z0-9]{24,}\b",
    ),
    ("a Slack token", &["xox", "xapp-"], r"\bxox[abeoprs]-[A-Za-z0-9-]{16,}|\bxapp-\d-[A-Za-z0-9-]{16,}"),
    (
        "a Slack webhook URL",
        &["hooks.slack.com"],
        r"https://hooks\.slack\.com/services/(?P<secret>T\w{6,}/B\w{6,}/\w{16,})",
    ),
    (
        "a Discord webhook URL",
        &["/api/webhooks/"],
        r"https://(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks/(?P<secret>\d{15,}/[\w-]{40,})",
    ),
    (
        "a Google key",
        &["AIza", "ya29.", "GOCSPX-"],
        r"\bAIza[A-Za-z0-9_-]{35}\b|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}",
    ),
    ("a Hugging Face token", &["hf_"], r"\bhf_[A-Za-z0-9]{30,}\b"),
    ("an npm token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("a PyPI token", &["pypi-"], r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("a crates.io token", &["cio"], r"\bcio[A-Za-z0-9]{32}\b"),
    ("a SendGrid key", &["SG."], r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("a Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
    ("a DigitalOcean token", &["_v1_"], r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    ("a Notion token", &["ntn_", "secret_"], r"\bntn_[A-Za-z0-9]{40,}\b|\bsecret_[A-Za-z0-9]{43}\b"),
    ("a Linear token", &["lin_"], r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}\b"),
    ("a Figma token", &["figd_"], r"\bfigd_[A-Za-z0-9_-]{30,}"),
    ("a Telegram token", &[":AA"], r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,35}\b"),
    ("an age key", &["AGE-SECRET-KEY-1"], r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("a signed token", &["eyJ"], r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"),
    (
        "a password in a URL",
        &["://"],
        r"\b[a-z][a-z0-9+.-]*://[^\s/:@'\x22<>`]*:(?P<secret>[^\s/:@'\x22<>`]{3,})@[\w\[]",
    ),
];

/// Placeholders for passwords and keys.
static PLACEHOLDERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[\[({$%*].*|\.\.\.|…|^(?:pass|passwd|password|passw0rd|pw|pwd|secret|token|key|api_?key|x+|y+|user|my[_-]?\w*|your[_-]?\w*|example\w*|changeme|\w*placeholder\w*|\w*redacted\w*)$|x{6,}|\*{3,}|your[_-]")
        .expect("the pattern is valid")
});

/// The least number of different characters of a secret.
const MIN_DIFFERENT_CHARS: usize = 6;

static PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| KINDS.iter().map(|(.., pattern)| Regex::new(pattern).expect("the pattern is valid")).collect());

/// Returns the patterns that a text could match, by their substrings.
fn candidates(text: &str) -> impl Iterator<Item = usize> {
    (0..KINDS.len()).filter(move |&kind| KINDS[kind].1.iter().any(|letters| text.contains(letters)))
}

fn check(lint: &Lint<'_>, sink: &Sink) {
    let sources: Vec<_> = (0..).map(SourceId).zip(lint.sources.all()).collect();
    sources.par_iter().for_each(|(id, source)| {
        let mut reported: Vec<std::ops::Range<usize>> = Vec::new();
        for kind in candidates(&source.text) {
            for found in PATTERNS[kind].captures_iter(&source.text) {
                let Some(secret) = found.name("secret").or(found.get(0)) else { continue };
                let overlaps = |other: &std::ops::Range<usize>| other.start < secret.end() && secret.start() < other.end;
                if reported.iter().any(overlaps) || !is_secret(secret.as_str(), found.name("secret").is_some()) {
                    continue;
                }
                reported.push(secret.range());
                let what = KINDS[kind].0;
                let message = format!("this text looks like {what}: `{}`", shown(secret.as_str()));
                sink.push(
                    Diagnostic::new(Code::SECRET_IN_TEXT, Place::new(*id, secret.range()), message)
                        .help("remove it, read it from an environment variable (`requires.env`), and revoke it if it is real"),
                );
            }
        }
    });
}

fn is_secret(text: &str, is_password: bool) -> bool {
    let letters: BTreeSet<char> = text.chars().collect();
    !PLACEHOLDERS.is_match(text) && (is_password || letters.len() >= MIN_DIFFERENT_CHARS)
}

/// Returns the first characters of a secret, enough to find it.
fn shown(secret: &str) -> String {
    if secret.starts_with("-----") {
        return secret.to_owned();
    }
    let count = if secret.len() > 16 { 6 } else { 1 };
    format!("{}...", secret.chars().take(count).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        let secrets = |kind: usize| {
            PATTERNS[kind].captures_iter(text).filter_map(|found| {
                let named = found.name("secret");
                let secret = named.or(found.get(0))?;
                is_secret(secret.as_str(), named.is_some()).then_some(())
            })
        };
        candidates(text).filter(|&kind| secrets(kind).next().is_some()).map(|kind| KINDS[kind].0).collect()
    }

    // The texts are concatenated, so that secret scanners do not report this file.
    #[test]
    fn secrets_are_recognized_by_their_format() {
        let rest = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        for (text, what) in [
            (format!("use ghp_{rest} here"), "a GitHub token"),
            (format!("sk-ant-api03-{rest}"), "an Anthropic key"),
            (format!("sk-proj-{rest}"), "an OpenAI key"),
            (format!("AKIA{}", "IOSFODNN7EXAMPLE"), "an AWS access key"),
            (format!("xoxb-{}-{rest}", "123456789012"), "a Slack token"),
            (format!("-----BEGIN {} KEY-----", "RSA PRIVATE"), "a private key"),
            (format!("https://bob:{}@host.example/x", "hunter2"), "a password in a URL"),
            (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{rest}"), "a signed token"),
        ] {
            assert!(found(&text).contains(&what), "{text} {:?}", found(&text));
        }
    }

    #[test]
    fn placeholders_are_not_secrets() {
        for text in [
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-ant-... or sk-...",
            "https://user:password@host/x",
            "postgres://user:<password>@host",
            "postgres://user:${PASSWORD}@host",
            "https://user:pass@host",
            "git@github.com:owner/repo.git",
            "https://example.com:8080/a@b",
            "skip-level-one-two-three-four-five",
            "task-management-for-everybody-here",
            "risk-abcdefghijklmnopqrstuvwxyz",
            "BEGIN PRIVATE KEY",
            "http://host:1234@x",
        ] {
            assert_eq!(
                found(text),
                if text == "http://host:1234@x" { vec!["a password in a URL"] } else { vec![] },
                "{text}"
            );
        }
    }
}
