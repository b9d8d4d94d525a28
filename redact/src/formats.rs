//! The formats of keys and tokens of vendors: a value in one of them is secret, whatever the name that it has.
//!
//! One table for everything that looks for such values: the environment of programs, texts that the host keeps, and logs. A format is
//! strict enough that hashes, UUIDs, versions and paths have none.

use std::ops::Range;

use Alphabet::{Alphanumeric, Base64, Dotted, Hex, Upper, Word};

/// The characters after the beginning of a key or token.
#[derive(Clone, Copy)]
enum Alphabet {
    /// `0` to `9`, `a` to `f`.
    Hex,
    /// Digits and upper-case letters.
    Upper,
    /// Digits and letters.
    Alphanumeric,
    /// Also `_` and `-`.
    Word,
    /// Also `.`.
    Dotted,
    /// Digits, letters, `+`, `/`, `=`, `_` and `-`.
    Base64,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Upper => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Alphanumeric => byte.is_ascii_alphanumeric(),
            Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'),
        }
    }
}

/// No maximum.
const ANY: usize = usize::MAX;

/// The beginnings of keys and tokens, each with the characters that follow, and their minimum and maximum number. Sorted.
const FORMATS: &[(&str, Alphabet, usize, usize)] = &[
    ("AC", Hex, 32, 32),
    ("AGE-SECRET-KEY-1", Upper, 50, ANY),
    ("AGPA", Upper, 16, 16),
    ("AIDA", Upper, 16, 16),
    ("AIza", Word, 35, 35),
    ("AKCp", Alphanumeric, 60, ANY),
    ("AKIA", Upper, 16, 16),
    ("AKID", Alphanumeric, 32, 32),
    ("AROA", Upper, 16, 16),
    ("ASIA", Upper, 16, 16),
    ("ATATT3", Base64, 40, ANY),
    ("ATBB", Alphanumeric, 32, 32),
    ("ATCTT3", Base64, 40, ANY),
    ("CFPAT-", Word, 40, ANY),
    ("EAAA", Word, 60, 60),
    ("GOCSPX-", Word, 20, ANY),
    ("GR1348941", Word, 20, ANY),
    ("HRKU-", Word, 36, ANY),
    ("LTAI", Alphanumeric, 16, 20),
    ("NRAK-", Word, 19, ANY),
    ("NRII-", Word, 19, ANY),
    ("NRJS-", Word, 19, ANY),
    ("PMAK-", Word, 50, ANY),
    ("SG.", Dotted, 30, ANY),
    ("SK", Hex, 32, 32),
    ("cio", Alphanumeric, 32, 32),
    ("dapi", Hex, 32, 32),
    ("dckr_oat_", Word, 27, ANY),
    ("dckr_pat_", Word, 27, ANY),
    ("doo_v1_", Hex, 64, 64),
    ("dop_v1_", Hex, 64, 64),
    ("dor_v1_", Hex, 64, 64),
    ("dp.audit.", Dotted, 40, ANY),
    ("dp.ct.", Dotted, 40, ANY),
    ("dp.pt.", Dotted, 40, ANY),
    ("dp.sa.", Dotted, 40, ANY),
    ("dp.scim.", Dotted, 40, ANY),
    ("dp.st.", Dotted, 40, ANY),
    ("fc-", Hex, 32, 32),
    ("figd_", Word, 30, ANY),
    ("fm1a_", Base64, 60, ANY),
    ("fm1r_", Base64, 60, ANY),
    ("fm2_", Base64, 60, ANY),
    ("fo1_", Word, 43, ANY),
    ("gho_", Alphanumeric, 36, ANY),
    ("ghp_", Alphanumeric, 36, ANY),
    ("ghr_", Alphanumeric, 36, ANY),
    ("ghs_", Dotted, 36, ANY),
    ("ghu_", Alphanumeric, 36, ANY),
    ("github_pat_", Word, 22, ANY),
    ("glagent-", Word, 20, ANY),
    ("glc_", Base64, 32, ANY),
    ("glcbt-", Word, 20, ANY),
    ("gldt-", Word, 20, ANY),
    ("glffct-", Word, 20, ANY),
    ("glft-", Word, 20, ANY),
    ("glimt-", Word, 20, ANY),
    ("gloas-", Word, 20, ANY),
    ("glpat-", Dotted, 20, ANY),
    ("glptt-", Word, 20, ANY),
    ("glrt-", Dotted, 20, ANY),
    ("glsa_", Word, 32, ANY),
    ("glsoat-", Word, 20, ANY),
    ("gsk_", Alphanumeric, 40, ANY),
    ("hf_", Alphanumeric, 30, ANY),
    ("hvb.", Word, 24, ANY),
    ("hvs.", Word, 24, ANY),
    ("key-", Hex, 32, 32),
    ("lin_api_", Alphanumeric, 32, ANY),
    ("lin_oauth_", Alphanumeric, 32, ANY),
    ("lsv2_", Word, 32, ANY),
    ("nfp_", Alphanumeric, 36, ANY),
    ("npm_", Alphanumeric, 36, 36),
    ("ntn_", Alphanumeric, 40, ANY),
    ("ops_eyJ", Word, 50, ANY),
    ("pat", Dotted, 79, 79),
    ("pat-eu", Word, 38, ANY),
    ("pat-na", Word, 38, ANY),
    ("pcsk_", Word, 50, ANY),
    ("pplx-", Alphanumeric, 40, ANY),
    ("pscale_oauth_", Dotted, 32, ANY),
    ("pscale_pw_", Dotted, 32, ANY),
    ("pscale_tkn_", Dotted, 32, ANY),
    ("pul-", Hex, 40, 40),
    ("pypi-", Word, 50, ANY),
    ("r8_", Alphanumeric, 37, 37),
    ("rk_live_", Alphanumeric, 16, ANY),
    ("rk_test_", Alphanumeric, 16, ANY),
    ("rubygems_", Hex, 48, 48),
    ("sb_secret_", Word, 20, ANY),
    ("sbp_", Hex, 40, 40),
    ("secret_", Alphanumeric, 43, 43),
    ("shpat_", Hex, 32, 32),
    ("shpca_", Hex, 32, 32),
    ("shppa_", Hex, 32, 32),
    ("shpss_", Hex, 32, 32),
    ("sk-", Alphanumeric, 20, ANY),
    ("sk-admin-", Word, 20, ANY),
    ("sk-ant-", Word, 20, ANY),
    ("sk-lf-", Word, 36, 36),
    ("sk-or-", Word, 40, ANY),
    ("sk-proj-", Word, 20, ANY),
    ("sk-svcacct-", Word, 20, ANY),
    ("sk_", Hex, 48, 48),
    ("sk_live_", Alphanumeric, 16, ANY),
    ("sk_test_", Alphanumeric, 16, ANY),
    ("sl.", Dotted, 100, ANY),
    ("sntrys_", Base64, 40, ANY),
    ("sntryu_", Hex, 64, 64),
    ("sq0atp-", Word, 22, ANY),
    ("sq0csp-", Word, 22, ANY),
    ("tfp_", Word, 40, ANY),
    ("tskey-", Word, 30, ANY),
    ("tvly-", Word, 20, ANY),
    ("v1.0-", Word, 171, 171),
    ("whsec_", Base64, 24, ANY),
    ("xai-", Alphanumeric, 40, ANY),
    ("xapp-", Word, 30, ANY),
    ("xkeysib-", Word, 64, ANY),
    ("xoxa-", Word, 20, ANY),
    ("xoxb-", Word, 20, ANY),
    ("xoxe-", Word, 20, ANY),
    ("xoxe.xox", Dotted, 40, ANY),
    ("xoxo-", Word, 20, ANY),
    ("xoxp-", Word, 20, ANY),
    ("xoxr-", Word, 20, ANY),
    ("xoxs-", Word, 20, ANY),
    ("ya29.", Word, 20, ANY),
];

/// The number of bytes of a token that must have a digit and [different characters](MIN_DIFFERENT).
const MAX_TOKEN_START: usize = 128;
/// The minimum number of different characters of a key or token. Placeholders such as `ghp_xxxxxxxxx` have fewer.
const MIN_DIFFERENT: usize = 6;
/// The minimum lengths of the three parts of a signed token (JWT).
const JWT_PARTS: [usize; 3] = [15, 5, 16];
/// The maximum length of the first two parts.
const MAX_JWT_PART: usize = 2 << 10;
/// The maximum length of a private key.
const MAX_PRIVATE_KEY: usize = 16 << 10;

/// Returns the keys and tokens in a text, in order. They do not overlap.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = private_keys(text);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = if follows_word(bytes, at) { None } else { token(&bytes[at..]) };
        if let Some(length) = end {
            found.push(at..at + length);
        }
        at += end.unwrap_or(1);
    }
    sort(&mut found);
    let mut end = 0;
    // A key of a vendor within a private key belongs to it.
    found.retain(|range| {
        let is_new = range.start >= end;
        end = end.max(range.end);
        is_new
    });
    found
}

/// Sorts parts of a text by their beginnings, the longest first.
pub(crate) fn sort(found: &mut [Range<usize>]) {
    found.sort_unstable_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
}

/// Returns whether a letter, a digit or `_` precedes a place. The letter of an escape such as `\n` in JSON does not count.
fn follows_word(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let is_word = text[before].is_ascii_alphanumeric() || text[before] == b'_';
    let is_escape = b"nrtbf".contains(&text[before]) && before > 0 && text[before - 1] == b'\\';
    is_word && !is_escape
}

/// Returns the length of the key or token with which a text begins.
fn token(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    let begins = |(beginning, ..): &(&str, Alphabet, usize, usize)| beginning.as_bytes()[0];
    let from = FORMATS.partition_point(|format| begins(format) < first);
    let same = FORMATS[from..].iter().take_while(|format| begins(format) == first);
    let formats = same.filter(|(beginning, ..)| text.starts_with(beginning.as_bytes()));
    let lengths = formats.filter_map(|(beginning, alphabet, min, max)| {
        let body = &text[beginning.len()..];
        let is_of_body = |byte: &u8| alphabet.has(*byte);
        // Before the whole is looked at, so that a text of many beginnings takes linear time.
        let start = &body[..body.len().min(MAX_TOKEN_START)];
        let start = &start[..start.iter().position(|byte| !is_of_body(byte)).unwrap_or(start.len())];
        let needs_digit = !matches!(alphabet, Upper);
        if start.len() < (*min).min(MAX_TOKEN_START) || !is_random(start, needs_digit) {
            return None;
        }
        let length = body.iter().position(|byte| !is_of_body(byte)).unwrap_or(body.len());
        let is_end = body.get(length).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        ((*min..=*max).contains(&length) && is_end).then(|| beginning.len() + length)
    });
    lengths.max().or_else(|| signed_token(text))
}

/// Returns whether the beginning of a key is neither a word nor a placeholder.
fn is_random(start: &[u8], needs_digit: bool) -> bool {
    let mut seen = [false; 256];
    for byte in start {
        seen[usize::from(*byte)] = true;
    }
    let has_digit = start.iter().any(u8::is_ascii_digit);
    (has_digit || !needs_digit) && seen.iter().filter(|seen| **seen).count() >= MIN_DIFFERENT
}

/// Returns the length of the signed token (JWT) with which a text begins: three parts in Base64, the first two of JSON objects.
fn signed_token(text: &[u8]) -> Option<usize> {
    let mut length = 0;
    for (number, min) in JWT_PARTS.into_iter().enumerate() {
        let part = &text[length..];
        if number < 2 && !part.starts_with(b"eyJ") {
            return None;
        }
        let max = if number < 2 { MAX_JWT_PART } else { ANY };
        let of_part = part.iter().take(max).take_while(|byte| Word.has(**byte)).count();
        if of_part < min {
            return None;
        }
        length += of_part;
        if number < 2 {
            (text.get(length) == Some(&b'.')).then_some(())?;
            length += 1;
        }
    }
    Some(length)
}

/// Returns the private keys in a text: from `-----BEGIN ... PRIVATE KEY` to the end of the block, also as JSON escapes it, or to the first
/// character that no key has.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    const BEGIN: &str = "-----BEGIN ";
    const KIND: &str = "PRIVATE KEY";
    const END: &str = "-----END ";
    const MAX_KIND: usize = 40;
    let bytes = text.as_bytes();
    let is_of_kind = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(BEGIN) {
        let start = at + offset;
        at = start + BEGIN.len();
        let kind = bytes[at..].iter().take(MAX_KIND).take_while(|byte| is_of_kind(byte)).count();
        if !text[at..at + kind].contains(KIND) {
            continue;
        }
        let is_of_block =
            |byte: &u8| byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-:,.|\\".contains(byte);
        let max = text.floor_char_boundary(at + MAX_PRIVATE_KEY);
        // The end first, so that a text of many short blocks takes linear time.
        let end = text[at..max].find(END).map_or(max, |end| at + end);
        let block = at + bytes[at..end].iter().take_while(|byte| is_of_block(byte)).count();
        at = if block == end && end < max {
            let end = end + END.len();
            let kind = bytes[end..].iter().take(MAX_KIND).take_while(|byte| is_of_kind(byte)).count();
            let dashes = bytes[end + kind..].iter().take(5).take_while(|byte| **byte == b'-').count();
            end + kind + dashes
        } else {
            // A backslash belongs to the quote that follows.
            at + text[at..block].trim_end_matches('\\').len()
        };
        found.push(start..at);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys in a text.
    fn keys(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    // The texts are concatenated, so that secret scanners do not report this file.
    #[test]
    fn keys_of_vendors_are_found_wherever_they_stand() {
        let rest = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        let hex = "46725a2a7b860dcd6c8a1f8b46287cce";
        for key in [
            format!("ghp_{rest}"),
            format!("github_pat_11ABCDEFG0{rest}_{rest}"),
            format!("glpat-{}", &rest[..20]),
            format!("sk-proj-{rest}"),
            format!("sk-ant-api03-{rest}-{rest}AA"),
            format!("sk-{rest}"),
            format!("sk-{hex}"),
            format!("AKIA{}", "IOSFODNN7EXAMPLE"),
            format!("xoxb-{}-{}-{}", "123456789012", "1234567890123", &rest[..24]),
            format!("npm_{rest}"),
            format!("hf_{}", &rest[..34]),
            format!("AIza{}", &rest[..35]),
            format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.{rest}"),
            format!("sk_live_{}", &rest[..24]),
            format!("SG.{}.{rest}", &rest[..22]),
            format!("dop_v1_{hex}{hex}"),
        ] {
            for text in [
                key.clone(),
                format!("K={key};x"),
                format!("\"{key}\""),
                format!("a: {key}, b"),
                format!("é{key}"),
                format!("a\\n{key}\\nb"),
            ] {
                assert_eq!(keys(&text), [key.as_str()], "{text}");
            }
        }
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(FORMATS.is_sorted_by_key(|(beginning, ..)| beginning));
    }

    #[test]
    fn private_keys_are_found_with_their_block() {
        let block = format!(
            "-----BEGIN {0} KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEow+/=\n-----END {0} KEY-----",
            "RSA PRIVATE"
        );
        assert_eq!(keys(&format!("k: {block}\nrest")), [block.as_str()]);
        let json = serde_json::json!({ "a": block, "b": "c" }).to_string();
        let left = find(&json).into_iter().fold(json.clone(), |left, range| left.replace(&json[range], ""));
        assert_eq!(left, r#"{"a":"","b":"c"}"#);
        let cut = serde_json::json!([format!("\"-----BEGIN {} KEY-----\nMII\\", "OPENSSH PRIVATE"), "-----END x"])
            .to_string();
        let left = find(&cut).into_iter().fold(cut.clone(), |left, range| left.replace(&cut[range], ""));
        assert!(serde_json::from_str::<serde_json::Value>(&left).is_ok() && !left.contains("MII"), "{left}");
        assert_eq!(keys("-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----"), [""; 0]);
    }

    #[test]
    fn hashes_ids_paths_and_placeholders_are_not_keys() {
        for text in [
            "3f786850e387550fdab836ed7e6dc881de23001b",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "sha512-9L1fGqSlJQq0v5x7Xk1yqP8O6d5v2m0e0r3b0Yw1bqk6Qb0m5n1G9s1XkQm8mT2r1m4cQ0yN7z4v0a==",
            "d41d8cd98f00b204e9800998ecf8427e",
            "123e4567-e89b-12d3-a456-426614174000",
            "/nix/store/gh3kq8x1v5zj2w9p7m4n6b0c8d1f3g5h-glibc-2.38-44/lib:/usr/lib/x86_64-linux-gnu",
            "/home/me/.rustup/toolchains/1.91-x86_64-unknown-linux-gnu/bin:/usr/local/bin",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-learn-some-long-name-of-a-branch-2",
            "task-sk-abcdefghijklmnopqrstuvwxyz",
            "npm_config_registry_and_other_names_1234567890",
            "key-value-store-with-a-long-name-12345678901234567890",
            "pattern-with-a-very-long-name-that-has-a-digit-1-and-more-and-more-and-more-and-more-and-more",
            "the secret_of_the_very_long_name_with_a_number_1_in_it_and_more",
            "eyJhIjoiYiIsImMiOiJkIiwiZSI6ImYxMjM0NTY3ODkwIn0=",
            "SKILLS1234567890ABCDEF",
            "AKIASHORT1",
            "0.1.0-alpha.1+build.20260301",
            "SSH-2.0-OpenSSH_9.6p1",
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u me@host",
            "LS_COLORS=rs=0:di=01;34:ln=01;36:mh=00:pi=40;33",
            "größe: 5",
        ] {
            assert_eq!(keys(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        let begun = std::time::Instant::now();
        for part in [
            "xoxb-",
            "sk-a-",
            "sk-1a2b3-",
            "eyJ",
            "eyJaaaaaaaaaaaaaaaaaaaaa.",
            "-----BEGIN PRIVATE KEY",
            "-----BEGIN PRIVATE KEY-----END ",
            "eyJ-",
            "SG.",
            "-----BEGIN ",
        ] {
            let text = part.repeat((1 << 18) / part.len());
            assert!(find(&text).iter().all(|range| range.end <= text.len()));
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
