//! Lines of a text, and positions in the units that the client counts in.

use std::ops::Range as Span;

use lsp_types::{Position, Range, TextEdit};

/// The unit of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every client knows.
    Utf16,
}

/// Returns the position of a byte.
pub(crate) fn position(text: &str, offset: usize, encoding: Encoding) -> Position {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before[..start].matches('\n').count();
    let column = match encoding {
        Encoding::Utf8 => offset - start,
        Encoding::Utf16 => before[start..].chars().map(char::len_utf16).sum(),
    };
    Position::new(number(line), number(column))
}

/// Returns the byte at a position. A column after the end of a line is the end, and a line after the last one is the end of the text.
pub(crate) fn offset(text: &str, position: Position, encoding: Encoding) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        match text[start..].find('\n') {
            Some(length) => start += length + 1,
            None => return text.len(),
        }
    }
    let line = text[start..].split('\n').next().unwrap_or_default();
    let wanted = position.character as usize;
    let mut column = 0;
    for (at, letter) in line.char_indices() {
        if column >= wanted {
            return start + at;
        }
        column += match encoding {
            Encoding::Utf8 => letter.len_utf8(),
            Encoding::Utf16 => letter.len_utf16(),
        };
    }
    start + line.len()
}

/// Returns the range of bytes.
pub(crate) fn range(text: &str, span: &Span<usize>, encoding: Encoding) -> Range {
    Range::new(position(text, span.start, encoding), position(text, span.end, encoding))
}

/// Returns the edit from one text to another: the range from the first to the last difference. `None` if they are equal.
pub(crate) fn edit(old: &str, new: &str, encoding: Encoding) -> Option<TextEdit> {
    if old == new {
        return None;
    }
    let same = |(a, b): &(char, char)| a == b;
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
    let [old_rest, new_rest] = [&old[start..], &new[start..]];
    let end: usize =
        old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
    let span = start..old.len() - end;
    Some(TextEdit::new(range(old, &span, encoding), new_rest[..new_rest.len() - end].to_owned()))
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_the_units_of_the_client() {
        let text = "a\n😀é x\n";
        for (encoding, columns) in [(Encoding::Utf8, [4, 6]), (Encoding::Utf16, [2, 3])] {
            for (at, column) in [6, 8].into_iter().zip(columns) {
                assert_eq!(position(text, at, encoding), Position::new(1, column));
                assert_eq!(offset(text, Position::new(1, column), encoding), at);
            }
        }
    }

    #[test]
    fn positions_outside_of_the_text_are_at_an_end() {
        let text = "ab\nc";
        let at = |line, column| offset(text, Position::new(line, column), Encoding::Utf16);
        assert_eq!([at(0, 99), at(1, 99), at(9, 0)], [2, 4, 4]);
        assert_eq!(position(text, 99, Encoding::Utf16), Position::new(1, 1));
    }

    #[test]
    fn an_edit_covers_only_what_differs() {
        let found = edit("one é two", "one ü two", Encoding::Utf8).expect("the texts differ");
        assert_eq!((found.range, found.new_text.as_str()), (Range::new(Position::new(0, 4), Position::new(0, 6)), "ü"));
        assert_eq!(edit("a", "a", Encoding::Utf8), None);
    }
}
