//! Parses TOML to a tree with places, and reports syntax errors.

use toml::Spanned;
use toml::de::DeTable;

use crate::diagnostic::{Code, Diagnostic, Place, Sink, SourceId};
use crate::source::Source;

/// The maximum number of syntax errors that are reported for a file.
const MAX_ERRORS: usize = 5;

/// Messages of the parser for an unclosed bracket, which spans the following lines.
const UNCLOSED: &[&str] = &["unclosed array", "unclosed inline table"];

/// Returns the tree of a file, or `None` if it has syntax errors, which are reported.
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

/// Reports the first error of the text, then the first error of the text without that line, and so on. The further errors of the
/// parser are not used, since most of them are consequences of the first one. After an unclosed bracket all are, so it is the last one.
fn report(id: SourceId, text: &str, sink: &Sink) {
    let mut text = text.to_owned();
    let mut last = None;
    let mut lost_header = false;
    for _ in 0..MAX_ERRORS {
        let (_, errors) = DeTable::parse_recoverable(&text);
        let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
        // Without its header, the keys of a table belong to the previous table, and may be duplicates there.
        let relevant = errors.iter().filter(|error| !lost_header || error.message() != "duplicate key");
        let Some(error) = relevant.min_by_key(|error| start(error)) else { return };
        let line = line_around(&text, start(error));
        if last == Some(line.clone()) {
            return;
        }
        let why = match error.message() {
            "recursion limit" | "cannot recurse further; max recursion depth met" => {
                "keys or values that nest too deep"
            }
            // The message of the parser for words that begin like `nan` and `inf`.
            why if why.starts_with("invalid float, expected `") => "this is not a TOML value",
            why => why,
        };
        let place = Place::new(id, error.span().unwrap_or(0..0));
        let found = Diagnostic::new(Code::SYNTAX, place, "invalid TOML").label(why);
        let found = found.help_if(foreign_value_help(&text, start(error)));
        sink.push(found.help("fix this first: the rest of the file is not checked"));
        if errors.iter().any(|error| UNCLOSED.iter().any(|what| error.message().starts_with(what))) {
            return;
        }
        lost_header |= text[line.clone()].trim_start().starts_with('[');
        // Spaces keep the offsets of the following text.
        text.replace_range(line.clone(), &" ".repeat(line.len()));
        last = Some(line);
    }
}

/// Returns a help for the word at an offset if it is a value of another language, such as `null`.
fn foreign_value_help(text: &str, at: usize) -> Option<String> {
    let rest = &text[text.floor_char_boundary(at.min(text.len()))..];
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let lead = usize::from(rest.starts_with('$'));
    let length = rest[lead..].find(|letter| !is_part(letter)).unwrap_or(rest.len() - lead);
    let word = &rest[..lead + length];
    match word {
        "$" => None,
        "null" | "None" | "nil" => Some("TOML has no null: write `{ json = 'null' }`, or remove the key".to_owned()),
        "True" | "False" => Some(format!("write `{}`", word.to_lowercase())),
        _ if lead == 1 => Some(format!("quote it: `\"{word}\"`")),
        _ => None,
    }
}

/// Returns the range of the line at an offset, without its line break.
fn line_around(text: &str, at: usize) -> std::ops::Range<usize> {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    start..end
}
