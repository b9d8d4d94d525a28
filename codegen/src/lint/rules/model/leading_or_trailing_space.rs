//! White space at the start or end of a description, or around a value of an enum that consists of words.
//!
//! ## Why is this bad
//! It is sent with every request and means nothing. At the end of a multi-line string it is usually an unintended
//! line break.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = """
//! Read a text file, or a window of its lines. Use it before changing a file.
//! """
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = """
//! Read a text file, or a window of its lines. Use it before changing a file."""
//! ```

use toolc_lower::text::atoms::Template;
use toolc_lower::text::template::Piece;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("M004", "leading-or-trailing-space", Some(Level::Warning), Check::Tool(check)).fixable();

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    let of_dialects = manifest.dialect.iter().filter_map(|dialect| dialect.description.as_ref());
    let of_schemas = manifest.schemas().filter_map(|schema| schema.description.as_ref());
    let all = [&manifest.description].into_iter().chain(of_dialects).chain(of_schemas);
    for place in all.filter(|text| has_space(&text.value)).map(|text| text.place) {
        // If the key is missing, the description has the place of the name.
        let Some(text) = lint.string(place) else { continue };
        let trimmed = text.value().trim();
        let start = text.value().len() - text.value().trim_start().len();
        if trimmed.len() == text.value().len() || trimmed.is_empty() {
            continue;
        }
        let before = text.place(0..start);
        let after = text.place(start + trimmed.len()..text.value().len());
        let spaces: Vec<Place> = [before, after].into_iter().filter(|place| !place.span().is_empty()).collect();
        let end = if before.span().is_empty() { "end" } else { "beginning" };
        let found = Diagnostic::new(
            codes::LEADING_OR_TRAILING_SPACE,
            spaces[0],
            format!("white space at the {end} of a text that models read"),
        );
        let found = spaces[1..].iter().fold(found, |found, place| found.related(*place, "and here"));
        let fixed = spaces.iter().fold(found, |found, place| found.fix(Edit::Replace(*place, String::new())));
        sink.push(fixed.help("remove it"));
    }
    let choices = manifest.schemas().flat_map(|schema| &schema.choices);
    for value in choices.map(|choice| &choice.value).filter(|value| value.value.as_str().is_some_and(is_padded)) {
        let message = format!("white space around a value that models must send: {}", value.value);
        sink.push(
            Diagnostic::new(codes::LEADING_OR_TRAILING_SPACE, value.place, message)
                .help("remove it, here and in the code that compares the value"),
        );
    }
}

/// Returns whether a value of words has white space around it. A separator such as `, ` may need its space.
fn is_padded(value: &str) -> bool {
    value.trim().len() < value.len() && value.contains(char::is_alphanumeric)
}

/// Returns whether a text begins or ends with white space. This is a cheap check, so that most texts are skipped early.
fn has_space(text: &Template) -> bool {
    let is_space_at = |piece: Option<&Piece<_, _>>, is_space: fn(&str) -> bool| matches!(piece, Some(Piece::Text(text)) if is_space(text));
    is_space_at(text.first(), |text| text.starts_with(char::is_whitespace))
        || is_space_at(text.last(), |text| text.ends_with(char::is_whitespace))
}
