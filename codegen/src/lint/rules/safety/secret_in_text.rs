//! A text anywhere in a manifest, including comments, that looks like a key, a token or a password. The rule
//! recognizes the formats of well-known issuers, the first line of private keys, and passwords in URLs, connection strings
//! and prose. Obvious examples, with one character repeated or with `...` or `<...>`, are allowed.
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
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::Regex;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink, SourceId};
use crate::lint::{Check, Lint, Rule, StringLiteral};

pub(super) const RULE: Rule = Rule::new("A005", "secret-in-text", Some(Level::Warning), Check::File(check));

/// Kinds of secrets: a name, a list of substrings, and a pattern. Each match of the pattern contains one of the substrings. The
/// secret is the group `secret`, `token` or `mixed`, or else the whole match. The group `token` must have letters and digits, and
/// `mixed` at least three of lower case, upper case, digits and signs, because the text may also be a word.
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
    ("an Azure account key", &["AccountKey=", "SharedAccessKey="], r"\b(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    ("an Azure signature", &["sig="], r"[?&]sig=(?P<secret>[A-Za-z0-9%+/]{40,}(?:%3D|=)*)"),
    ("a Databricks token", &["dapi"], r"\bdapi[a-f0-9]{32}(?:-\d)?\b"),
    ("a Discord bot token", &["."], r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}\b"),
    ("a Groq key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{40,}\b"),
    ("an xAI key", &["xai-"], r"\bxai-[A-Za-z0-9]{40,}\b"),
    ("a Perplexity key", &["pplx-"], r"\bpplx-[A-Za-z0-9]{40,}\b"),
    ("an OpenRouter key", &["sk-or-"], r"\bsk-or-(?:v\d-)?[a-f0-9]{40,}\b"),
    ("a Langfuse key", &["sk-lf-"], r"\bsk-lf-[a-f0-9-]{36}\b"),
    ("a LangSmith key", &["lsv2_"], r"\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b"),
    ("a Replicate token", &["r8_"], r"\br8_[A-Za-z0-9]{37}\b"),
    ("an ElevenLabs key", &["sk_"], r"\bsk_[a-f0-9]{48}\b"),
    ("a Tavily key", &["tvly-"], r"\btvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}\b"),
    ("a Firecrawl key", &["fc-"], r"\bfc-[a-f0-9]{32}\b"),
    ("a Pinecone key", &["pcsk_"], r"\bpcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,}\b"),
    ("a Twilio key", &["SK", "AC"], r"\b(?:SK|AC)[a-f0-9]{32}\b"),
    ("a Mailgun key", &["key-"], r"\bkey-[a-f0-9]{32}\b"),
    ("a Mailchimp key", &["-us"], r"\b[a-f0-9]{32}-us\d{1,2}\b"),
    ("a Brevo key", &["xkeysib-"], r"\bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b"),
    ("an Atlassian token", &["ATATT3", "ATCTT3", "ATBB"], r"\bAT[AC]TT3[A-Za-z0-9_=-]{40,}|\bATBB[A-Za-z0-9]{32}\b"),
    ("an Airtable token", &["pat"], r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b"),
    ("a Dropbox token", &["sl."], r"\bsl\.(?:u\.)?[A-Za-z0-9_-]{100,}"),
    ("a Square token", &["sq0", "EAAA"], r"\bsq0[a-z]{3}-[A-Za-z0-9_-]{22,}|\bEAAA[A-Za-z0-9_-]{60}\b"),
    ("a Sentry token", &["sntrys_", "sntryu_"], r"\bsntrys_[A-Za-z0-9+/=_]{40,}|\bsntryu_[a-f0-9]{64}\b"),
    ("a Grafana token", &["glsa_", "glc_"], r"\bglsa_[A-Za-z0-9]{32}_[a-f0-9]{8}\b|\bglc_[A-Za-z0-9+/=]{32,}"),
    ("a New Relic key", &["NRAK-", "NRJS-", "NRII-"], r"\bNR(?:AK|JS|II)-[A-Za-z0-9_-]{19,}"),
    ("a Vault token", &["hvs.", "hvb."], r"\bhv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("a Terraform token", &[".atlasv1."], r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    ("a Pulumi token", &["pul-"], r"\bpul-[a-f0-9]{40}\b"),
    ("a Doppler token", &["dp."], r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}"),
    ("a Supabase key", &["sbp_", "sb_secret_"], r"\bsbp_[a-f0-9]{40}\b|\bsb_secret_[A-Za-z0-9_-]{20,}"),
    ("a PlanetScale secret", &["pscale_"], r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    ("a Postman key", &["PMAK-"], r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b"),
    ("a RubyGems key", &["rubygems_"], r"\brubygems_[a-f0-9]{48}\b"),
    ("a Docker token", &["dckr_"], r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    ("a Netlify token", &["nfp_"], r"\bnfp_[A-Za-z0-9]{36,}\b"),
    ("a Heroku key", &["HRKU-"], r"\bHRKU-[A-Za-z0-9_-]{36,}"),
    ("a Fly token", &["FlyV1", "fo1_"], r"\bFlyV1 fm\d[a-z]?_[A-Za-z0-9+/=,_-]{60,}|\bfo1_[A-Za-z0-9_-]{43}\b"),
    ("a Tailscale key", &["tskey-"], r"\btskey-[a-z]+-[A-Za-z0-9]{10,}-[A-Za-z0-9]{20,}"),
    ("a Contentful token", &["CFPAT-"], r"\bCFPAT-[A-Za-z0-9_-]{40,}"),
    ("an Asana token", &["/"], r"\b[012]/\d{16}(?:/\d{16})?:[a-f0-9]{32}\b"),
    ("a HubSpot token", &["pat-"], r"\bpat-(?:na|eu)\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b"),
    ("a Typeform token", &["tfp_"], r"\btfp_[A-Za-z0-9_-]{40,}"),
    ("an Alibaba Cloud key", &["LTAI"], r"\bLTAI[A-Za-z0-9]{16,20}\b"),
    ("a Tencent Cloud key", &["AKID"], r"\bAKID[A-Za-z0-9]{32}\b"),
    ("a Cloudflare key", &["v1.0-"], r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b"),
    ("a 1Password token", &["ops_eyJ"], r"\bops_eyJ[A-Za-z0-9_-]{50,}"),
    ("an Artifactory key", &["AKCp"], r"\bAKCp[A-Za-z0-9]{60,}\b"),
    ("a Slack token", &["xoxe."], r"\bxoxe\.xox[bp]-\d-[A-Za-z0-9]{100,}"),
    ("an AWS secret key", &["ecret"], r"(?i)\baws_?secret_?access_?key\b\W{1,5}(?P<secret>[A-Za-z0-9/+]{40})\b"),
    ("a bearer token", &["earer "], r"\b[Bb]earer +(?P<token>[A-Za-z0-9_~+/.-]{20,}=*)"),
    (
        "a password in a connection string",
        &["assword=", "wd=", "ASSWORD="],
        r"(?i)\b(?:password|pwd)=(?P<mixed>[^\s;,'\x22`<>{}$&]{6,})(?:;|&|\s|['\x22`]|$)",
    ),
    (
        "a password",
        &["assw", "ASSW", "assphrase", "ecret", "ECRET", "oken", "OKEN", "key", "KEY", "Key"],
        r"(?i)\b(?:password|passwd|passphrase|(?:api|access|secret|private)[_ -]?(?:key|token)|auth[_ -]?token|client[_ -]?secret|secret)\b\s*(?:is\s|:|=)\s*['\x22`]?(?P<mixed>[^\s'\x22`,;<>{}()\[\]]{8,})",
    ),
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

/// The compiled patterns. Most are never needed, so each is compiled on first use.
static PATTERNS: LazyLock<Vec<OnceLock<Regex>>> = LazyLock::new(|| KINDS.iter().map(|_| OnceLock::new()).collect());

fn pattern(kind: usize) -> &'static Regex {
    PATTERNS[kind].get_or_init(|| Regex::new(KINDS[kind].2).expect("the pattern is valid"))
}

/// The substrings of all patterns, and the pattern of each.
static SUBSTRINGS: LazyLock<(AhoCorasick, Vec<usize>)> = LazyLock::new(|| {
    let all = KINDS.iter().enumerate().flat_map(|(kind, (_, substrings, _))| substrings.iter().map(move |one| (*one, kind)));
    let (substrings, kinds): (Vec<&str>, Vec<usize>) = all.unzip();
    (AhoCorasick::new(substrings).expect("the substrings are few"), kinds)
});

/// Returns the patterns that a text could match, by their substrings.
fn candidates(text: &str) -> impl Iterator<Item = usize> {
    let (substrings, kinds) = &*SUBSTRINGS;
    let mut is_candidate = vec![false; KINDS.len()];
    for found in substrings.find_overlapping_iter(text) {
        is_candidate[kinds[found.pattern().as_usize()]] = true;
    }
    (0..KINDS.len()).filter(move |&kind| is_candidate[kind])
}

fn check(lint: &Lint<'_>, file: SourceId, tool: Option<&Tool>, sink: &Sink) {
    let text: &str = &lint.sources.get(file).text;
    for (span, what) in secrets(text) {
        report(Place::new(file, span.clone()), what, &text[span], sink);
    }
    // What is written with escapes is not found in the source.
    let literals = tool.into_iter().flat_map(|tool| lint.strings(tool));
    for literal in literals.filter(StringLiteral::is_escaped) {
        for (span, what) in secrets(literal.value()) {
            let place = literal.place(span.clone());
            if place.span().len() != span.len() {
                report(place, what, &literal.value()[span], sink);
            }
        }
    }
}

fn report(place: Place, what: &str, secret: &str, sink: &Sink) {
    let message = format!("this text looks like {what}: `{}`", shown(secret));
    sink.push(
        Diagnostic::new(codes::SECRET_IN_TEXT, place, message)
            .help("remove it, read it from an environment variable (`requires.env`), and revoke it if it is real"),
    );
}

/// Returns the secrets of a text that do not overlap, with their kinds.
fn secrets(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found: Vec<(Range<usize>, &'static str)> = Vec::new();
    for kind in candidates(text) {
        for captures in pattern(kind).captures_iter(text) {
            let named = ["secret", "token", "mixed"].into_iter().find_map(|name| Some((name, captures.name(name)?)));
            let Some((name, secret)) = named.or_else(|| Some(("", captures.get(0)?))) else { continue };
            let overlaps = |(other, _): &(Range<usize>, &str)| other.start < secret.end() && secret.start() < other.end;
            if !found.iter().any(overlaps) && is_secret(secret.as_str(), name) {
                found.push((secret.range(), KINDS[kind].0));
            }
        }
    }
    found
}

/// Returns whether a text that matched a pattern is a secret, by the group that it is in.
fn is_secret(text: &str, group: &str) -> bool {
    let letters: BTreeSet<char> = text.chars().collect();
    let classes: [fn(&u8) -> bool; 4] =
        [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit, u8::is_ascii_punctuation];
    let [lower, upper, digit, sign] = classes.map(|class| text.bytes().any(|byte| class(&byte)));
    let is_varied = match group {
        "secret" => true,
        "token" => digit && (lower || upper) && letters.len() >= 10,
        // A path, a version or a name of code also has signs.
        "mixed" => {
            let is_code = text.contains(['/', '(', '=']) || text.contains("::") || text.ends_with(':') || text.contains("...");
            digit && usize::from(lower) + usize::from(upper) + usize::from(sign) >= 2 && !is_code && letters.len() >= MIN_DIFFERENT_CHARS
                && (upper && lower || sign && (lower || upper)) && !is_identifier(text)
        }
        _ => letters.len() >= MIN_DIFFERENT_CHARS,
    };
    is_varied && !PLACEHOLDERS.is_match(text)
}

/// Returns whether a text is the name of something in code, or a number with its unit: `sha256`, `max_8-length`, `v1.2.3`.
fn is_identifier(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.".contains(&byte));
    let is_constant = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_plain || is_constant
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
        secrets(text).into_iter().map(|(_, kind)| kind).collect()
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
            (format!("AccountKey={rest}{rest}=="), "an Azure account key"),
            (format!("dapi{}", "46725a2a7b860dcd6c8a1f8b46287cce"), "a Databricks token"),
            (format!("M0ZBfdTEmxI6CmuxV5EbOApZ.{}.7ihGyiRUIQfHOJMaidDn87XG3-q", "OXzcyc"), "a Discord bot token"),
            (format!("gsk_{rest}7FlaZ7Vt0SXj"), "a Groq key"),
            (format!("such as Bearer {rest} for"), "a bearer token"),
            ("password: Tr0ub4dor&3x!".to_owned(), "a password"),
            ("The api_key is \"aK3-99xQ-zz7\"".to_owned(), "a password"),
            ("Server=db;User Id=sa;Password=Xy7-bc9Q;".to_owned(), "a password in a connection string"),
            (format!("SK{}", "86e4d3cea27d26934b484e73cf575dca"), "a Twilio key"),
            (format!("key-{}", "115cea325a65e19cbae530282bd36cb9"), "a Mailgun key"),
            (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{rest}"), "a signed token"),
        ] {
            assert!(found(&text).contains(&what), "{text} {:?}", found(&text));
            // The runtime has a table of its own, without regular expressions.
            let logged = toolc_redact::without_secrets(&text, &[]);
            assert!(found(&logged).is_empty(), "{logged}");
        }
    }

    #[test]
    fn every_pattern_is_valid() {
        assert!((0..KINDS.len()).all(|kind| !pattern(kind).as_str().is_empty()));
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
            "Bearer authentication is required",
            "Authorization: Bearer YOUR_TOKEN_GOES_HERE_1234",
            "Bearer <token>",
            "password: at least 8 characters",
            "secret = true",
            "The token is base64-encoded",
            "api_key: sha256-hash",
            "password=changeme;",
            "access_token: string (optional)",
            "key: https://x.example/Path1",
            "The password: MUST contain upper case",
            "the secret is stored in ${SECRET_1}",
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
