//! Lays out a command in rows that fit the terminal.

use unicode_width::UnicodeWidthStr as _;

use super::glyphs::{Glyph, glyphs};
use super::{Look, Mark, Style};

/// The margin of the first row of a line.
const LINE_MARGIN: &str = "  | ";
/// The margin of the further rows of a line that is too long for the terminal.
const CONTINUATION_MARGIN: &str = "  : ";

/// Returns a command as rows: the full text, wrapped, with the marked parts underlined. Without styles, a row of `^` below a row marks
/// the parts.
pub(crate) fn command(text: &str, marks: &[Mark], look: Look) -> String {
    let mut output = String::new();
    for (margin, row) in rows(&glyphs(text, marks), look.width.saturating_sub(LINE_MARGIN.len() + 1)) {
        output.push_str(margin);
        let mut pieces: Vec<(Style, String)> = Vec::new();
        for glyph in row {
            let is_marked = is_marked(glyph, marks);
            let style = match glyph.is_placeholder {
                true => Style::Code,
                false if is_marked => Style::Marked,
                false => Style::Plain,
            };
            match pieces.last_mut() {
                Some((last, text)) if *last == style => text.push_str(&glyph.text),
                _ => pieces.push((style, glyph.text.clone())),
            }
        }
        output.extend(pieces.iter().map(|(style, text)| look.paint(*style, text)));
        output.push('\n');
        if !look.styled && row.iter().any(|glyph| is_marked(glyph, marks)) {
            let below =
                row.iter().map(|glyph| if is_marked(glyph, marks) { "^" } else { " " }.repeat(glyph.text.width()));
            output.push_str(&" ".repeat(LINE_MARGIN.len()));
            output.push_str(below.collect::<String>().trim_end());
            output.push('\n');
        }
    }
    output
}

fn is_marked(glyph: &Glyph, marks: &[Mark]) -> bool {
    marks.iter().any(|mark| mark.bytes.start < glyph.bytes.end && glyph.bytes.start < mark.bytes.end)
}

/// Splits glyphs into rows of at most `width` columns. A row ends after a blank, if its second half contains one.
fn rows(glyphs: &[Glyph], width: usize) -> Vec<(&'static str, &[Glyph])> {
    let mut rows = Vec::new();
    for line in glyphs.split(Glyph::is_line_end) {
        let (mut margin, mut rest) = (LINE_MARGIN, line);
        loop {
            let mut columns = 0;
            let fitting = rest.iter().take_while(|glyph| {
                columns += glyph.width;
                columns <= width
            });
            let fitting = fitting.count().max(1);
            if fitting >= rest.len() {
                rows.push((margin, rest));
                break;
            }
            let blank = rest[..fitting].iter().rposition(Glyph::is_blank).filter(|at| *at >= fitting / 2);
            let (row, others) = rest.split_at(blank.map_or(fitting, |at| at + 1));
            rows.push((margin, row));
            (margin, rest) = (CONTINUATION_MARGIN, others);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look { width: 40, styled: false };

    fn mark(text: &str, part: &str) -> Mark {
        let start = text.find(part).expect("the part is in the text");
        Mark { bytes: start..start + part.len(), disguised: false }
    }

    #[test]
    fn a_marked_part_is_underlined() {
        let text = "cd a && rm -rf b";
        let marks = [mark(text, "rm -rf b")];
        assert_eq!(command(text, &marks, PLAIN), "  | cd a && rm -rf b\n            ^^^^^^^^\n");
        let styled = Look { styled: true, ..PLAIN };
        assert_eq!(command(text, &marks, styled), "  | cd a && \u{1b}[4;31mrm -rf b\u{1b}[0m\n");
    }

    #[test]
    fn long_lines_are_wrapped_and_nothing_is_lost() {
        let text = format!("echo {} && rm -rf {}\nls", "word ".repeat(10), "x".repeat(60));
        let shown = command(&text, &[mark(&text, "rm -rf")], PLAIN);
        let rows: Vec<&str> = shown.lines().filter(|row| !row.trim().starts_with('^')).collect();
        assert!(rows.iter().all(|row| row.len() < PLAIN.width), "{shown}");
        assert_eq!(rows.iter().filter(|row| row.starts_with(LINE_MARGIN)).count(), 2, "{shown}");
        let joined: String = rows
            .iter()
            .map(|row| if row.starts_with(LINE_MARGIN) { "\n" } else { "" }.to_owned() + &row[4..])
            .collect();
        assert_eq!(joined.trim_start(), text);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let text = "\u{6784}".repeat(40);
        let shown = command(&text, &[mark(&text, "\u{6784}")], PLAIN);
        assert!(shown.lines().all(|row| row.width() < PLAIN.width), "{shown}");
        assert!(shown.contains("\n    ^^\n"), "{shown}");
    }

    #[test]
    fn the_whole_placeholder_of_a_marked_character_is_marked() {
        let text = "r\u{200b}m";
        let shown = command(text, &[mark(text, "\u{200b}")], PLAIN);
        assert_eq!(shown, "  | r<U+200B>m\n     ^^^^^^^^\n");
    }
}
