//! From text to a TOML tree with places, or to the syntax errors that stand for themselves.

use toml::Spanned;
use toml::de::DeTable;

use crate::diagnostic::{Code, Diagnostic, Place, Sink, SourceId};
use crate::source::Source;

/// The most syntax errors reported for one file.
const MOST: usize = 5;

/// Messages of the parser for an unclosed bracket, which spans the following lines.
const UNCLOSED: &[&str] = &["unclosed array", "unclosed inline table"];

/// The file's tree; none if it has syntax errors, which are reported.
pub(super) fn parse<'s>(id: SourceId, source: &'s Source, sink: &Sink) -> Option<Spanned<DeTable<'s>>> {
    if let Some((at, why)) = &source.fault {
        sink.push(Diagnostic::new(Code::SYNTAX, Place::new(id, *at..*at), why.as_str()));
        return None;
    }
    let (document, errors) = DeTable::parse_recoverable(&source.text);
    if errors.is_empty() {
        return Some(document);
    }
    report(id, &source.text, sink);
    None
}

/// Reports the first error of the text; then that of the text without that line, and so on. The parser goes on
/// after an error, but most of what it says then is about the first one; all of it, where a bracket is not closed.
fn report(id: SourceId, text: &str, sink: &Sink) {
    let mut text = text.to_owned();
    let mut last = None;
    let mut header_gone = false;
    for _ in 0..MOST {
        let (_, errors) = DeTable::parse_recoverable(&text);
        let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
        // Without its header a table's keys fall into the table above it.
        let own = errors.iter().filter(|error| !header_gone || error.message() != "duplicate key");
        let Some(error) = own.min_by_key(|error| start(error)) else { return };
        let line = line_around(&text, start(error));
        if last == Some(line.clone()) {
            return;
        }
        let why = match error.message() {
            "recursion limit" | "cannot recurse further; max recursion depth met" => {
                "keys or values that nest too deep"
            }
            // The parser says this of words that begin like `nan` and `inf`.
            why if why.starts_with("invalid float, expected `") => "this is not a TOML value",
            why => why,
        };
        let place = Place::new(id, error.span().unwrap_or(0..0));
        let found = Diagnostic::new(Code::SYNTAX, place, "the file is not TOML").label(why);
        let found = instead(&text, start(error)).into_iter().fold(found, Diagnostic::help);
        sink.push(found.help("mend this first: nothing else in the file is checked until then"));
        if errors.iter().any(|error| UNCLOSED.iter().any(|what| error.message().starts_with(what))) {
            return;
        }
        header_gone |= text[line.clone()].trim_start().starts_with('[');
        // Spaces keep the offsets after them right.
        text.replace_range(line.clone(), &" ".repeat(line.len()));
        last = Some(line);
    }
}

/// What to write instead of the word there, where others write it so.
fn instead(text: &str, at: usize) -> Option<String> {
    let rest = &text[text.floor_char_boundary(at.min(text.len()))..];
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let lead = usize::from(rest.starts_with('$'));
    let length = rest[lead..].find(|letter| !is_part(letter)).unwrap_or(rest.len() - lead);
    let word = &rest[..lead + length];
    match word {
        "$" => None,
        "null" | "None" | "nil" => Some("TOML has no null: write `{ json = 'null' }`, or leave the key out".to_owned()),
        "True" | "False" => Some(format!("write `{}`", word.to_lowercase())),
        _ if lead == 1 => Some(format!("quote it: `\"{word}\"`")),
        _ => None,
    }
}

fn line_around(text: &str, at: usize) -> std::ops::Range<usize> {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    start..end
}
