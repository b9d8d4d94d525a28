//! Bodies that are not messages of an API, such as the response of a proxy, a login page or a wrong address.

use crate::text::display::Truncated;
use crate::wire::WireError;

/// The maximum length of a quoted text, in words and in characters.
const MAX_WORDS: usize = 8;
const MAX_CHARS: usize = 80;
/// The part of a body that is read to describe it, in bytes.
pub(super) const MAX_BYTES: usize = 4096;
/// Tags at the beginning of a page.
const TAGS: &[&str] = &["<!doctype html", "<html", "<head", "<title", "<body", "<h1"];
/// Fields of server-sent events.
const FIELDS: &[&str] = &["data", "event", "id", "retry"];

/// The bytes with which some servers begin a body. They are not part of it.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns the error about a body that is not JSON.
pub(super) fn other_body(body: &str) -> WireError {
    WireError::UnexpectedBody { description: describe(&body[..body.floor_char_boundary(MAX_BYTES)]) }
}

/// Returns whether a JSON text can be a message: an object or an array.
pub(super) fn is_json(body: &str) -> bool {
    matches!(body.trim_start().as_bytes().first(), Some(b'{' | b'['))
}

fn describe(body: &str) -> String {
    let text = body.trim_matches(|letter: char| letter == '\u{feff}' || letter.is_whitespace());
    if text.is_empty() {
        return "an empty body".to_owned();
    }
    let lower = text.to_ascii_lowercase();
    if text.starts_with('<') && TAGS.iter().any(|tag| lower.contains(tag)) {
        return match title(text, &lower) {
            Some(title) => format!("an HTML page with the title \"{}\"", words(title)),
            None => "an HTML page".to_owned(),
        };
    }
    if begins_events(text.as_bytes()) {
        return "server-sent events, although the response is not a stream".to_owned();
    }
    format!("a text that begins with \"{}\"", words(text))
}

/// Returns whether a text begins like server-sent events.
pub(super) fn begins_events(text: &[u8]) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let is_whole = line.len() < text.len();
    match line.iter().position(|byte| *byte == b':') {
        Some(end) => end == 0 || FIELDS.iter().any(|field| field.as_bytes() == &line[..end]),
        // A field without a value, or one that was cut off.
        None => FIELDS
            .iter()
            .any(|field| if is_whole { field.as_bytes() == line } else { field.as_bytes().starts_with(line) }),
    }
}

/// Returns the beginning of a page up to the end of its title, or `None` if the title is incomplete or missing.
pub(super) fn with_title(page: &[u8]) -> Option<&[u8]> {
    let tag = b"</title";
    page.windows(tag.len()).position(|part| part.eq_ignore_ascii_case(tag)).map(|at| &page[..at + tag.len()])
}

/// Returns the title or the first heading of a page. `lower` is the page in lower case.
fn title<'t>(page: &'t str, lower: &str) -> Option<&'t str> {
    ["title", "h1"].iter().find_map(|tag| {
        let start = lower.find(&format!("<{tag}"))?;
        let start = start + lower[start..].find('>')? + 1;
        let end = start + lower[start..].find("</")?;
        Some(page[start..end].trim()).filter(|title| !title.is_empty())
    })
}

/// Returns the first words of a text, on one line.
fn words(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut first = words.by_ref().take(MAX_WORDS).collect::<Vec<_>>().join(" ");
    if words.next().is_some() {
        first.push('…');
    }
    Truncated(&first, MAX_CHARS).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_described_in_a_few_words() {
        let long = format!("<html>{}</html>", "<p>x</p>".repeat(10_000));
        for (body, expected) in [
            ("", "an empty body"),
            (" \u{feff}\n", "an empty body"),
            ("<!DOCTYPE html>\n<Title lang=en>Sign\n in</Title>", "an HTML page with the title \"Sign in\""),
            ("<html><h1>502 Bad Gateway</h1>", "an HTML page with the title \"502 Bad Gateway\""),
            ("<!-- x --><html><title></title>", "an HTML page"),
            (&long, "an HTML page"),
            ("<?xml version=\"1.0\"?><Error>", "a text that begins with \"<?xml version=\"1.0\"?><Error>\""),
            (
                "upstream connect error or\u{1b}[2J disconnect/reset before headers. reset reason: timeout",
                "a text that begins with \"upstream connect error or\\u{1b}[2J disconnect/reset before headers. reset…\"",
            ),
            ("data: {}\n\n", "server-sent events, although the response is not a stream"),
            (": a comment", "server-sent events, although the response is not a stream"),
        ] {
            assert_eq!(other_body(body), WireError::UnexpectedBody { description: expected.to_owned() });
        }
        let letters = other_body(&"x".repeat(100_000)).to_string();
        assert!(letters.chars().count() < 200, "{letters}");
    }

    #[test]
    fn the_beginning_of_events_is_recognized_before_it_is_complete() {
        for text in ["", "d", "data", "data:", "id: 1", "retry\n", ":", "\u{feff}event: x"] {
            assert!(begins_events(text.as_bytes()), "{text:?}");
        }
        for text in ["x", "dat\n", "datax", "Bad Gateway: data"] {
            assert!(!begins_events(text.as_bytes()), "{text:?}");
        }
    }
}
