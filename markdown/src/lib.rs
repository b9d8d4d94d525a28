//! Shows Markdown in a terminal while it is being written.
//!
//! A [`Stream`] takes the pieces of a text as they arrive. It returns the rows of each block as soon as nothing that follows can change
//! them, and the rows so far of the rest as a preview, which the caller replaces later. Code is returned line by line.
//!
//! - `pulldown-cmark` reads the text: `CommonMark` with tables, task lists and strikethrough. A line break in a paragraph stays one.
//! - `syntect` colours code, with the grammars of `two-face`. The colours are the sixteen of the terminal, so they fit its theme.
//! - The address of a link is always shown, next to its text.
//! - Without styles, the marks that they replace stay, such as the backticks of code.
//!
//! The caller escapes control characters before, because only the caller knows how it shows them.

mod code;
mod look;
mod rows;
mod span;
mod stream;
mod table;

pub use code::highlighted;
pub use look::{Look, NARROWEST};
pub use stream::Stream;

/// Wraps plain text after blanks, into lines of at most `columns` columns.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let rows = span::wrap(&[span::Span::new(text, span::Style::PLAIN)], columns);
    rows.iter().map(|row| row.iter().map(|span| span.text.as_str()).collect()).collect()
}

/// Returns the rows of a complete text.
pub fn rows(text: &str, look: Look) -> Vec<String> {
    let mut stream = Stream::default();
    let mut rows = stream.push(text, look);
    rows.extend(stream.finish(look));
    rows
}
