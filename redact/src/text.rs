//! Secrets in text that is logged: known values, keys and tokens of known formats, passwords in URLs, and values whose name says
//! that they are secret.
//!
//! It finds what the lint rule `secret-in-text` finds, and more: an audit log can do without a harmless word.

use std::ops::Range;

use crate::credential::is_secret_name;
use crate::formats;
use crate::redactor::{REDACTED, is_distinctive};

/// The number of bytes in which the `@` of a URL is looked for.
const MAX_AUTHORITY: usize = 512;
/// A word of this length with letters of both cases and digits is taken for a key of an unknown format.
const MIN_KEY_LEN: usize = 40;

/// Returns the text with [`REDACTED`] in place of these values, and of everything that seems to be secret.
pub fn without_secrets(text: &str, values: &[String]) -> String {
    without_secrets_except(text, values, &[])
}

/// Like [`without_secrets`], but the values of these names are only replaced for what they look like, although the names contain a word such as
/// `token`: in `context_tokens = 200`, the value is a number of tokens.
pub fn without_secrets_except(text: &str, values: &[String], harmless: &[&str]) -> String {
    let mut found: Vec<Range<usize>> = Vec::new();
    for value in values.iter().filter(|value| is_distinctive(value)) {
        found.extend(text.match_indices(value.as_str()).map(|(at, _)| at..at + value.len()));
    }
    found.extend(formats::find(text));
    tokens(text, &mut found);
    passwords_in_urls(text, &mut found);
    named_values(text, harmless, &mut found);
    formats::sort(&mut found);
    let (mut redacted, mut end) = (String::new(), 0);
    for range in found {
        if range.start >= end {
            redacted.push_str(&text[end..range.start]);
            redacted.push_str(REDACTED);
        }
        end = end.max(range.end);
    }
    redacted.push_str(&text[end..]);
    redacted
}

fn is_of_token(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_.=+".contains(letter)
}

/// Finds words that look like keys of unknown formats, and the secret parts of addresses.
fn tokens(text: &str, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    for part in text.split(|letter: char| !is_of_token(letter)) {
        let start = at;
        at += part.len() + text[at + part.len()..].chars().next().map_or(0, char::len_utf8);
        if part.len() < 16 {
            continue;
        }
        // A key can follow a name (`KEY=...`).
        let names = part.rfind('=').filter(|sign| sign + 1 < part.trim_end_matches('=').len());
        let index = names.map_or(0, |sign| sign + 1);
        if is_key(&part[index..]) {
            found.push(start + index..start + part.len());
        }
        let before = &text[..start];
        let follows_id =
            before.ends_with(':') && before.trim_end_matches(':').ends_with(|last: char| last.is_ascii_digit());
        if follows_id && (part.starts_with("AA") && part.len() >= 34 || is_hex(part))
            || before.ends_with("/webhooks/")
            || before.ends_with("services/T")
        {
            found.push(start..start + part.len());
        }
    }
    for marker in ["hooks.slack.com/services/", "/api/webhooks/"] {
        for (index, _) in text.match_indices(marker) {
            let from = index + marker.len();
            let length =
                text[from..].find(|letter: char| !is_of_token(letter) && letter != '/').unwrap_or(text.len() - from);
            found.push(from..from + length);
        }
    }
}

/// Returns whether a word looks like a key of an unknown format, or has the format of a token without a fixed beginning.
fn is_key(word: &str) -> bool {
    let body = word.trim_end_matches('=');
    let classes: [fn(&u8) -> bool; 3] = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    let is_mixed = || classes.iter().all(|class| body.bytes().filter(class).count() >= 3);
    let mut parts = body.splitn(4, '.').map(str::len);
    let has_three_parts = match [parts.next(), parts.next(), parts.next(), parts.next()] {
        [Some(first), Some(second), Some(third), None] => first >= 20 && second >= 5 && third >= 20,
        _ => false,
    };
    body.len() >= MIN_KEY_LEN && is_mixed() && (!body.contains(['.', '=']) || has_three_parts)
        || body.contains(".atlasv1.")
        || body
            .rsplit_once("-us")
            .is_some_and(|(key, center)| is_hex(key) && center.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether a word is a hexadecimal number of 128 bits.
fn is_hex(word: &str) -> bool {
    word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Finds the passwords of `scheme://user:password@host`.
fn passwords_in_urls(text: &str, found: &mut Vec<Range<usize>>) {
    for (at, separator) in text.match_indices("://") {
        let start = at + separator.len();
        let rest = &text[start..];
        let end =
            rest.find(|letter: char| letter.is_whitespace() || "/?#'\"`<>|;&".contains(letter)).unwrap_or(rest.len());
        // A password may have a `/` that is not encoded. A port may be followed by one, too.
        let has_port =
            rest[..end].rsplit_once(':').is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let sign = rest.bytes().take(MAX_AUTHORITY).position(|byte| byte == b'@' || byte.is_ascii_whitespace());
        let sign = sign.filter(|sign| rest.as_bytes()[*sign] == b'@' && *sign > end && !has_port);
        let end = sign.unwrap_or(end);
        let authority = rest.get(..end).unwrap_or_default();
        let user = authority.rfind('@').map_or(authority, |sign| &authority[..sign]);
        let has_host = user.len() < authority.len() || rest[end..].starts_with('@');
        if has_host
            && let Some(colon) = user.find(':')
            && colon + 1 < user.len()
        {
            found.push(start + colon + 1..start + user.len());
        }
    }
}

/// Finds values after names: `TOKEN=x`, `token = "x"`, `password: x`, `--api-key x`, `-u user:password`, `Authorization: Bearer x`.
fn named_values(text: &str, harmless: &[&str], found: &mut Vec<Range<usize>>) {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let mut at = 0;
    while let Some(offset) = text[at..].find(is_of_name) {
        let start = at + offset;
        let end = start + text[start..].find(|letter| !is_of_name(letter)).unwrap_or(text.len() - start);
        let (name, rest) = (&text[start..end], &text[end..]);
        at = end;
        let is_scheme = ["bearer", "basic"].iter().any(|scheme| name.eq_ignore_ascii_case(scheme));
        let quote = usize::from(rest.starts_with(['"', '\'']));
        let is_user = matches!(name, "-u" | "--user" | "--proxy-user");
        let value = match rest[quote..].chars().next() {
            Some(' ') if is_user => {
                let value = value_at(text, end + 1);
                at = value.end;
                let colon = text[value.clone()].find(':');
                found.extend(colon.map(|colon| value.start + colon + 1..value.end));
                continue;
            }
            Some(' ') if is_scheme => secret_value(text, end + 1, MIN_BEARER_LEN),
            _ if is_scheme || harmless.contains(&name) || !is_secret_name(name) => continue,
            // In `PASSWORD=token`, `token` is not a scheme.
            Some('=') => secret_word(text, end + quote + 1),
            Some(':') => {
                let blanks = rest[quote + 1..].bytes().take_while(|byte| *byte == b' ').count();
                secret_value(text, end + quote + 1 + blanks, 1)
            }
            Some(' ') if name.starts_with('-') => secret_value(text, end + 1, 1),
            // In TOML, and in the source of programs.
            Some(' ') if rest.trim_start_matches(' ').starts_with("= \"") => {
                let sign = text[end..].find('=').unwrap_or_default();
                secret_value(text, end + sign + 2, 1)
            }
            // In prose, as in the message of a commit.
            Some(' ') if rest.starts_with(" is ") => {
                let (value, is_secret) = secret_value(text, end + " is ".len(), MIN_BEARER_LEN);
                let has_digit = text[value.clone()].bytes().any(|byte| byte.is_ascii_digit());
                (value, is_secret && has_digit)
            }
            _ => continue,
        };
        let (range, is_secret) = value;
        at = range.end.max(end);
        if is_secret {
            found.push(range);
        }
    }
}

/// The minimum length of a word after `Bearer` that is a token.
const MIN_BEARER_LEN: usize = 8;

/// Returns the word at a position, and whether it is secret: not an expansion or an option.
fn secret_word(text: &str, start: usize) -> (Range<usize>, bool) {
    let value = value_at(text, start);
    let shown = &text[value.clone()];
    let is_other = shown.starts_with(['$', '`', '<', '[']) || shown.starts_with("--");
    (value, !shown.is_empty() && !is_other)
}

/// Returns the value at a position, and whether it is secret: not too short, and not an expansion or an option. A scheme such as
/// `Bearer` is skipped.
fn secret_value(text: &str, start: usize, min_len: usize) -> (Range<usize>, bool) {
    let mut value = value_at(text, start);
    let schemes = ["bearer", "basic", "token", "digest"];
    if schemes.iter().any(|scheme| text[value.clone()].eq_ignore_ascii_case(scheme)) {
        value = value_at(text, value.end + 1);
    }
    let shown = &text[value.clone()];
    let is_other = shown.starts_with(['$', '`', '<', '[']) || shown.starts_with("--");
    let is_secret = shown.len() >= min_len && !is_other;
    (value, is_secret)
}

/// Returns the range of the word at a position, without its quotes.
fn value_at(text: &str, start: usize) -> Range<usize> {
    let Some(rest) = text.get(start..) else { return text.len()..text.len() };
    let quoted = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''));
    let (start, rest) = if quoted.is_some() { (start + 1, &rest[1..]) } else { (start, rest) };
    let is_end = |letter: char| match quoted {
        Some(quote) => letter == quote,
        None => letter.is_whitespace() || "'\"`;|&<>(){},".contains(letter),
    };
    start..start + rest.find(is_end).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    // The texts are concatenated, so that secret scanners do not report this file.
    #[test]
    fn secrets_are_replaced() {
        let rest = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        for (text, secret) in [
            (format!("curl -H 'Authorization: Bearer {rest}' https://x"), rest.to_owned()),
            (format!("git push https://ghp_{rest}@github.com/x"), format!("ghp_{rest}")),
            (format!("export K=sk-ant-api03-{rest}; ls"), format!("sk-ant-api03-{rest}")),
            ("psql postgres://me:hunter2@db/x".to_owned(), "hunter2".to_owned()),
            ("psql postgres://me:hunt/er2@db/x".to_owned(), "hunt/er2".to_owned()),
            ("DB_PASSWORD=hunter2 ./run".to_owned(), "hunter2".to_owned()),
            ("DB_PASSWORD='hunter2 and more' ./run".to_owned(), "hunter2 and more".to_owned()),
            ("login --password hunter2 --user me".to_owned(), "hunter2".to_owned()),
            ("api_key = \"hunter2\"".to_owned(), "hunter2".to_owned()),
            ("login --api-key=hunter2".to_owned(), "hunter2".to_owned()),
            ("curl -u me:hunter2 https://x".to_owned(), "hunter2".to_owned()),
            ("echo '{\"client_secret\": \"hunter2\"}'".to_owned(), "hunter2".to_owned()),
            (format!("aws AKIA{}", "IOSFODNN7EXAMPLE"), format!("AKIA{}", "IOSFODNN7EXAMPLE")),
            ("PASSWORD=secret ./run".to_owned(), "=secret".to_owned()),
            ("PASSWORD=token ./run".to_owned(), "=token".to_owned()),
            ("TOKEN=test".to_owned(), "=test".to_owned()),
            ("DB_PASS='basic' x".to_owned(), "'basic".to_owned()),
            ("password: secret".to_owned(), ": secret".to_owned()),
            ("echo known-value".to_owned(), "known-value".to_owned()),
            (format!("x {rest}{rest} y"), format!("{rest}{rest}")),
            (
                format!("echo '-----BEGIN {0} KEY-----\nabc\n-----END {0} KEY-----' > k", "RSA PRIVATE"),
                "abc".to_owned(),
            ),
        ] {
            let redacted = without_secrets(&text, &["known-value".to_owned()]);
            assert!(!redacted.contains(&secret) && redacted.contains(REDACTED), "{text}: {redacted}");
        }
    }

    #[test]
    fn the_rest_of_the_line_is_kept() {
        let redacted = without_secrets("A_TOKEN=x1y2 curl -u me:pw https://u:p@h/?q=1 -o out && rm -rf build", &[]);
        assert_eq!(redacted, "A_TOKEN=[secret] curl -u me:[secret] https://u:[secret]@h/?q=1 -o out && rm -rf build");
    }

    #[test]
    fn hostile_lines_take_linear_time() {
        let begun = std::time::Instant::now();
        for part in [
            "://",
            "a-",
            "token=",
            "-----BEGIN PRIVATE KEY",
            "-----BEGIN ",
            "token=$",
            "-u a",
            "x:",
            "sk-a-",
            "Bearer ",
        ] {
            let line = part.repeat((1 << 18) / part.len());
            assert!(!without_secrets(&line, &[]).is_empty());
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    }

    #[test]
    fn harmless_lines_are_kept() {
        for text in [
            "rm -rf build",
            "git push --force origin main",
            "git reset --hard 3f786850e387550fdab836ed7e6dc881de23001b",
            "curl https://example.com:8080/a@b",
            "export PATH=$HOME/bin:$PATH",
            "deploy --token $TOKEN --key ~/.ssh/id_rsa",
            "sort --key=2 file",
            "grep -r 'password' src",
            "cargo test the_password_is_checked_before_the_user_logs_in",
            "ls /usr/lib/x86_64-linux-gnu/libSomethingWithALongName2.so",
            "echo größe: 5",
        ] {
            assert_eq!(without_secrets(text, &[]), text);
        }
    }
}
