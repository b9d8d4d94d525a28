//! Tables: columns that share the width, or one line for each cell if there are too many.

use pulldown_cmark::Alignment;

use crate::span::{Span, Style, width, wrap};

/// The narrowest column.
const NARROWEST: usize = 4;
/// What separates columns, and its width.
const SEPARATOR: &str = " │ ";
const SEPARATOR_WIDTH: usize = 3;

#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) alignments: Vec<Alignment>,
    /// The rows, of which the first is the header.
    pub(crate) rows: Vec<Vec<Vec<Span>>>,
}

impl Table {
    /// Returns the rows of a table in this number of columns of the terminal.
    pub(crate) fn lay_out(self, columns: usize) -> Vec<Vec<Span>> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let between = count.saturating_sub(1) * SEPARATOR_WIDTH;
        if count == 0 || columns < between + count * NARROWEST {
            return self.into_records(columns);
        }
        let cell = |row: &[Vec<Span>], column: usize| row.get(column).map_or(0, |cell| width(cell));
        let natural: Vec<usize> = (0..count)
            .map(|column| self.rows.iter().map(|row| cell(row, column)).max().unwrap_or_default().max(1))
            .collect();
        let widths = shares(&natural, columns - between);
        let mut rows = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            rows.extend(self.row(row, &widths, index == 0));
            if index == 0 {
                let line: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                rows.push(vec![Span::new(line.join("─┼─"), Style::DIM)]);
            }
        }
        rows
    }

    fn row(&self, cells: &[Vec<Span>], widths: &[usize], is_header: bool) -> Vec<Vec<Span>> {
        let lines = |column: usize| {
            let mut spans = cells.get(column).cloned().unwrap_or_default();
            for span in &mut spans {
                span.style.bold |= is_header;
            }
            wrap(&spans, widths[column])
        };
        let cells: Vec<Vec<Vec<Span>>> = (0..widths.len()).map(lines).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        (0..height).map(|line| self.line(&cells, widths, line)).collect()
    }

    /// Returns one line of a row.
    fn line(&self, cells: &[Vec<Vec<Span>>], widths: &[usize], line: usize) -> Vec<Span> {
        let mut spans = Vec::new();
        for (column, cell) in cells.iter().enumerate() {
            if column > 0 {
                spans.push(Span::new(SEPARATOR, Style::DIM));
            }
            let content = cell.get(line).map(Vec::as_slice).unwrap_or_default();
            let free = widths[column].saturating_sub(width(content));
            let left = match self.alignments.get(column) {
                Some(Alignment::Right) => free,
                Some(Alignment::Center) => free / 2,
                _ => 0,
            };
            let is_last = column + 1 == widths.len();
            spans.push(Span::new(" ".repeat(left), Style::PLAIN));
            spans.extend_from_slice(content);
            spans.push(Span::new(" ".repeat(if is_last { 0 } else { free - left }), Style::PLAIN));
        }
        spans.retain(|span| !span.text.is_empty());
        spans
    }

    /// Returns a line `header: cell` for each cell, with a blank line between rows.
    fn into_records(self, columns: usize) -> Vec<Vec<Span>> {
        let mut rows = self.rows.into_iter();
        let header = rows.next().unwrap_or_default();
        let mut lines = Vec::new();
        for (index, row) in rows.enumerate() {
            if index > 0 {
                lines.push(Vec::new());
            }
            for (column, cell) in row.into_iter().enumerate() {
                let mut spans = header.get(column).cloned().unwrap_or_default();
                for span in &mut spans {
                    span.style.bold = true;
                }
                spans.push(Span::new(": ", Style::PLAIN));
                spans.extend(cell);
                lines.extend(wrap(&spans, columns));
            }
        }
        lines
    }
}

/// Divides the width: a column that needs less than an equal share gets what it needs, and the others share the rest.
fn shares(natural: &[usize], available: usize) -> Vec<usize> {
    let mut widths = vec![0; natural.len()];
    let (mut left, mut open): (usize, Vec<usize>) = (available, (0..natural.len()).collect());
    loop {
        let share = left / open.len().max(1);
        let (small, large): (Vec<usize>, Vec<usize>) = open.iter().partition(|column| natural[**column] <= share);
        for column in &small {
            widths[*column] = natural[*column];
            left -= natural[*column];
        }
        if small.is_empty() || large.is_empty() {
            for column in large {
                widths[column] = share.max(1);
            }
            return widths;
        }
        open = large;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_columns_keep_their_width_and_wide_ones_share_the_rest() {
        assert_eq!(shares(&[3, 5], 20), [3, 5]);
        assert_eq!(shares(&[3, 50, 40], 23), [3, 10, 10]);
        assert_eq!(shares(&[50, 50], 20), [10, 10]);
    }
}
