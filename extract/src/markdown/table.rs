//! Tables: of data as tables of Markdown, of layout as the blocks in their cells.

use std::rc::Rc;

use dom_query::{Element, NodeRef};

use super::Writer;
use super::escape::Place;
use super::line::Line;
use super::model::{Block, Context, Kind, child_named, is_inline};
use crate::dom::{attribute, find, is, is_longer, value};

/// The greatest number of columns or rows that a cell spans. Pages that say more do so by mistake.
const MAX_SPAN: usize = 64;
/// The greatest number of columns of a table. What is further to the right is left out.
const MAX_COLUMNS: usize = 256;
/// What separates cells, in bytes.
const SEPARATOR: usize = 3;
/// A cell with more characters is a part of a layout.
const MAX_CELL: usize = 1500;
/// A cell with code of more lines is a part of a layout.
const MAX_CODE_LINES: usize = 4;

/// A cell. Its copies share its text until they are written.
#[derive(Clone)]
struct Cell {
    text: Rc<str>,
    is_header: bool,
}

/// What comes down from a row above.
#[derive(Clone)]
struct Above {
    rows: usize,
    cell: Cell,
}

impl Writer<'_> {
    pub(super) fn table(&self, node: &NodeRef<'_>, element: &Element, context: Context, out: &mut Vec<Block>) {
        let rows = rows(node);
        if let Some(caption) = child_named(node, "caption") {
            self.blocks(&caption, context, out);
        }
        if context.place.cell {
            return self.nested(&rows, context, out);
        }
        if is_layout(node, element, &rows) {
            return self.layout(&rows, context, out);
        }
        let inner = Context { place: Place { cell: true, ..context.place }, indent: 0, ..context };
        let head = rows.iter().take_while(|row| is_head(row)).count();
        let mut grid = self.grid(&rows, inner);
        // Columns and rows without text are spacers.
        grid.retain(|row| row.iter().any(|cell| !cell.text.is_empty()));
        let head = head.min(grid.len());
        // Some cells span more columns than the table has.
        let width = grid
            .iter()
            .filter_map(|row| row.iter().rposition(|cell| !cell.text.is_empty()))
            .max()
            .map_or(0, |last| last + 1);
        if width == 0 {
            return;
        }
        let (header, body) = split_header(grid, head, width);
        let mut text = line_of(header.iter().map(String::as_str), width);
        text.push_str("\n|");
        text.push_str(&" --- |".repeat(width));
        for row in body {
            // Cells that are missing at the end of a row mean the same as empty ones.
            let missing = width.saturating_sub(row.len());
            let width = if self.take(2 * missing) { width } else { row.len().min(width) };
            text.push('\n');
            text.push_str(&line_of(row.iter().map(|cell| &*cell.text), width));
        }
        self.push(Kind::Other, text, context, out);
    }

    /// Reads all cells. A cell that spans rows is repeated in each, since a model reads row by row; a cell that spans columns is followed
    /// by empty ones, or repeated if it is a header.
    fn grid(&self, rows: &[NodeRef<'_>], context: Context) -> Vec<Vec<Cell>> {
        let mut grid: Vec<Vec<Cell>> = Vec::with_capacity(rows.len());
        let mut above: Vec<Option<Above>> = Vec::new();
        for row in rows {
            if !self.take(1 + context.indent) {
                break;
            }
            let mut line: Vec<Cell> = Vec::new();
            for cell in cells(row) {
                self.fill_from_above(&mut line, &mut above);
                if line.len() >= MAX_COLUMNS || self.is_full() {
                    break;
                }
                let text: Rc<str> = self.cell(&cell, context).into();
                let is_header = cell.has_name("th");
                let span = |name: &str| {
                    attribute(&cell, name).and_then(|span| span.parse::<usize>().ok()).unwrap_or(1).clamp(1, MAX_SPAN)
                };
                let (columns, down) = (span("colspan").min(MAX_COLUMNS - line.len()), span("rowspan"));
                for column in 0..columns {
                    let text = if column == 0 || is_header { text.clone() } else { "".into() };
                    if !self.take(SEPARATOR + if column == 0 { 0 } else { text.len() }) && column > 0 {
                        break;
                    }
                    let cell = Cell { text, is_header };
                    if down > 1 {
                        above.resize(above.len().max(line.len() + 1), None);
                        above[line.len()] = Some(Above { rows: down - 1, cell: cell.clone() });
                    }
                    line.push(cell);
                }
            }
            self.fill_from_above(&mut line, &mut above);
            grid.push(line);
        }
        grid
    }

    /// Appends the cells that come down from rows above, as long as they may be written.
    fn fill_from_above(&self, line: &mut Vec<Cell>, above: &mut [Option<Above>]) {
        while let Some(place) = above.get_mut(line.len())
            && let Some(from) = place
            && self.take(SEPARATOR + from.cell.text.len())
        {
            line.push(from.cell.clone());
            from.rows -= 1;
            if from.rows == 0 {
                *place = None;
            }
        }
    }

    /// The content of a cell in one line.
    fn cell(&self, cell: &NodeRef<'_>, context: Context) -> String {
        let mut blocks = Vec::new();
        // What bold headers say is already said by their place.
        let bold = context.bold || cell.has_name("th");
        self.blocks(cell, Context { bold, ..context }, &mut blocks);
        blocks.into_iter().map(|block| block.text.replace('\n', "<br>")).collect::<Vec<_>>().join("<br>")
    }

    /// A table in a cell: its rows in lines, its cells with commas.
    fn nested(&self, rows: &[NodeRef<'_>], context: Context, out: &mut Vec<Block>) {
        let lines = rows.iter().map(|row| {
            let cells = cells(row).into_iter().map(|cell| self.cell(&cell, context)).filter(|text| !text.is_empty());
            cells.collect::<Vec<_>>().join(", ")
        });
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        self.push(Kind::Text, lines.join("<br>"), context, out);
    }

    /// Cells of a layout: one line a row if it has no blocks, else the blocks of each cell.
    fn layout(&self, rows: &[NodeRef<'_>], context: Context, out: &mut Vec<Block>) {
        for row in rows {
            let cells = cells(row);
            if cells.iter().all(|cell| cell.children_it(false).all(|child| is_inline(&child))) {
                let mut line = Line::default();
                for cell in cells {
                    self.inline_children(&cell, context, &mut line);
                    line.push_space();
                }
                self.flush(line, context, out);
                continue;
            }
            for cell in cells {
                self.blocks(&cell, context, out);
            }
        }
    }
}

/// The rows of a table, without the rows of tables in it.
pub(super) fn rows<'a>(table: &NodeRef<'a>) -> Vec<NodeRef<'a>> {
    let mut rows = Vec::new();
    for child in table.children_it(false) {
        if child.has_name("tr") {
            rows.push(child);
        } else if child.has_name("tbody") || child.has_name("thead") || child.has_name("tfoot") {
            rows.extend(child.children_it(false).filter(|row| row.has_name("tr")));
        }
    }
    rows
}

fn cells<'a>(row: &NodeRef<'a>) -> Vec<NodeRef<'a>> {
    row.children_it(false).filter(|cell| cell.has_name("td") || cell.has_name("th")).collect()
}

/// Whether a row belongs to the header: it is in a `thead`, or all its cells are headers.
fn is_head(row: &NodeRef<'_>) -> bool {
    let cells = cells(row);
    let in_head = row.parent().is_some_and(|parent| parent.has_name("thead"));
    in_head || cells.len() > 1 && cells.iter().all(|cell| cell.has_name("th"))
}

/// Whether a table places content on the page, and has no columns of data.
fn is_layout(table: &NodeRef<'_>, element: &Element, rows: &[NodeRef<'_>]) -> bool {
    if matches!(value(element, "role"), Some("presentation" | "none")) {
        return true;
    }
    let has_headers = find(table, |element| matches!(&*element.name.local, "th" | "thead" | "caption")).is_some();
    let widest = rows.iter().map(|row| cells(row).len()).max().unwrap_or(0);
    if (!has_headers || rows.len() < 2) && widest < 2 || !has_headers && rows.len() < 2 {
        return true;
    }
    // All text in one column: the others are spacers.
    let texts = |row: &NodeRef<'_>| cells(row).iter().filter(|cell| is_longer(cell, 0)).count();
    if !has_headers && rows.iter().all(|row| texts(row) < 2) {
        return true;
    }
    let is_large = |cell: &NodeRef<'_>| {
        is_longer(cell, MAX_CELL)
            || cell.descendants_it().any(|inner| match inner.element_ref() {
                Some(element) if is(&element, "pre") => inner.text().trim().lines().count() > MAX_CODE_LINES,
                Some(element) => {
                    matches!(&*element.name.local, "h1" | "h2" | "h3" | "article" | "form")
                        || !has_headers && is(&element, "table")
                }
                None => false,
            })
    };
    rows.iter().any(|row| cells(row).iter().any(is_large))
}

/// The header, from `head` rows, and the other rows. A table without a header gets an empty one: Markdown needs it.
fn split_header(mut grid: Vec<Vec<Cell>>, head: usize, width: usize) -> (Vec<String>, Vec<Vec<Cell>>) {
    let body = grid.split_off(head);
    let mut header = vec![String::new(); width];
    for (column, merged) in header.iter_mut().enumerate() {
        let mut texts: Vec<&str> = Vec::new();
        for cell in grid.iter().filter_map(|row| row.get(column)) {
            if !cell.text.is_empty() && texts.last() != Some(&&*cell.text) {
                texts.push(&cell.text);
            }
        }
        *merged = texts.join(" ");
    }
    // A header cell in a row of data is the name of the row, and spans of it are not repeated.
    let mut body = body;
    for row in &mut body {
        for at in (1..row.len()).rev() {
            if row[at].is_header && row[at - 1].is_header && row[at].text == row[at - 1].text {
                row[at].text = "".into();
            }
        }
    }
    (header, body)
}

fn line_of<'t>(texts: impl Iterator<Item = &'t str>, width: usize) -> String {
    let mut line = String::from("|");
    for text in texts.chain(std::iter::repeat("")).take(width) {
        line.push(' ');
        line.push_str(text);
        line.push_str(if text.is_empty() { "|" } else { " |" });
    }
    line
}
