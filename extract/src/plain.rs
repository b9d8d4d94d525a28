//! Text that is not HTML: as it is, or as a table if it is a small one.

use std::fmt::Write as _;

/// A table with more rows or columns stays as it is: as Markdown it would only be longer.
const MAX_ROWS: usize = 200;
const MAX_COLUMNS: usize = 20;

/// Text with the line ends and without the characters that terminals act on.
pub(crate) fn cleaned(text: &str) -> String {
    text.replace("\r\n", "\n").chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// A small table of separated values as Markdown.
pub(crate) fn table(text: &str, separator: char) -> Option<String> {
    let rows = rows(text, separator)?;
    let width = rows.first()?.len();
    if !(2..=MAX_COLUMNS).contains(&width) || rows.len() < 2 || rows.iter().any(|row| row.len() != width) {
        return None;
    }
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push('|');
        for cell in row {
            let _ = write!(out, " {} |", cell.trim().replace('|', "\\|").replace('\n', "<br>"));
        }
        if at == 0 {
            out.push_str("\n|");
            out.push_str(&" --- |".repeat(width));
        }
    }
    Some(out)
}

/// Reads separated values, as RFC 4180 says. Returns nothing for more rows or columns than a small table has.
fn rows(text: &str, separator: char) -> Option<Vec<Vec<String>>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.trim_end().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
                if rows.len() > MAX_ROWS {
                    return None;
                }
            }
            '\r' if !quoted => {}
            c if c == separator && !quoted => {
                row.push(std::mem::take(&mut cell));
                if row.len() >= MAX_COLUMNS {
                    return None;
                }
            }
            c => cell.push(c),
        }
    }
    row.push(cell);
    rows.push(row);
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_table_is_shown_as_one() {
        let csv = "name,note\r\n\"Doe, J.\",\"says \"\"x|y\"\"\nand more\"\nb,\n";
        assert_eq!(
            table(csv, ',').as_deref(),
            Some("| name | note |\n| --- | --- |\n| Doe, J. | says \"x\\|y\"<br>and more |\n| b |  |")
        );
        assert_eq!(table("a\tb\n1\t2", '\t').as_deref(), Some("| a | b |\n| --- | --- |\n| 1 | 2 |"));
    }

    #[test]
    fn large_and_ragged_tables_stay_text() {
        assert_eq!(table(&"a,b\n".repeat(300), ','), None);
        assert_eq!(table("a,b\n1\n", ','), None);
        assert_eq!(rows(&",".repeat(MAX_COLUMNS), ','), None);
        assert_eq!(rows(&",".repeat(MAX_COLUMNS - 1), ',').map(|rows| rows[0].len()), Some(MAX_COLUMNS));
        assert_eq!(table("no table\nat all", ','), None);
        assert_eq!(table("", ','), None);
    }
}
