//! Texts that match a regular expression or have a format.

use regex_syntax::hir::{Class, Hir, HirKind};

/// The maximum length of a text, in bytes.
const MAX_BYTES: usize = 8_192;

/// The maximum number of texts for one expression.
const MAX_TEXTS: usize = 12;

/// Returns texts that match an expression: short ones, and some with other letters or more repetitions. What the expression asserts
/// about the text around a match is not considered, so a text may not match after all.
pub(crate) fn matching(pattern: &str) -> Vec<String> {
    regex_syntax::parse(pattern).map(|hir| texts(&hir)).unwrap_or_default()
}

fn texts(hir: &Hir) -> Vec<String> {
    let mut all = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => vec![String::from_utf8_lossy(&literal.0).into_owned()],
        HirKind::Class(class) => letters(class).into_iter().map(String::from).collect(),
        HirKind::Capture(capture) => texts(&capture.sub),
        HirKind::Alternation(parts) => parts.iter().flat_map(|part| texts(part).into_iter().take(3)).collect(),
        HirKind::Concat(parts) => concatenated(parts),
        HirKind::Repetition(repetition) => {
            let inner = texts(&repetition.sub);
            let (min, max) = (repetition.min, repetition.max.unwrap_or(repetition.min + 40));
            let mut counts = vec![min, min + 1, min + 2, max];
            counts.retain(|count| (min..=max).contains(count));
            counts.dedup();
            let repeat = |count: u32| inner.iter().take(2).map(move |text| text.repeat(count as usize));
            counts.into_iter().filter(|count| *count < 2_000).flat_map(repeat).collect()
        }
    };
    all.retain(|text| text.len() <= MAX_BYTES);
    all.dedup();
    all.truncate(MAX_TEXTS);
    all
}

/// Varies one part at a time: the others have their first text.
fn concatenated(parts: &[Hir]) -> Vec<String> {
    let each: Vec<Vec<String>> = parts.iter().map(texts).collect();
    let first = |part: &Vec<String>| part.first().cloned().unwrap_or_default();
    let mut all = vec![each.iter().map(first).collect::<String>()];
    for (varied, texts) in each.iter().enumerate() {
        for text in texts.iter().skip(1) {
            let part = |(index, part)| if index == varied { text.clone() } else { first(part) };
            all.push(each.iter().enumerate().map(part).collect());
        }
    }
    all
}

/// Returns usual letters of a class, and the first and the last one of each range.
fn letters(class: &Class) -> Vec<char> {
    let Class::Unicode(class) = class else { return Vec::new() };
    let has = |letter: &char| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(letter));
    let usual = ['a', 'b', '1', 'Z', '-', ' ', 'é'].into_iter().filter(has);
    let ends = class.ranges().iter().take(4).flat_map(|range| [range.start(), range.end()]);
    usual.chain(ends).collect()
}

/// Returns texts that have a format of JSON Schema.
pub(crate) fn of_format(format: &str) -> &'static [&'static str] {
    match format {
        "date-time" => &["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+01:00"],
        "date" => &["2026-01-31", "2024-02-29"],
        "time" => &["12:00:00Z", "23:59:59+01:00"],
        "duration" => &["P1D", "PT5M"],
        "email" | "idn-email" => &["a@example.com", "first.last@example.org"],
        "hostname" | "idn-hostname" => &["example.com", "localhost"],
        "ipv4" => &["192.0.2.1"],
        "ipv6" => &["2001:db8::1", "::"],
        "uri" | "iri" => &["https://example.com/a?b=c", "urn:x:y"],
        "uri-reference" | "iri-reference" => &["/a/b", "https://example.com/"],
        "uri-template" => &["/a/{b}"],
        "uuid" => &["123e4567-e89b-12d3-a456-426614174000"],
        "json-pointer" => &["/a/0", ""],
        "relative-json-pointer" => &["0/a"],
        "regex" => &["^a+$"],
        _ => &["a"],
    }
}
