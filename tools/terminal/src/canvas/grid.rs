//! A plain grid of characters to compare a canvas with: every jump makes the lines that it passes, and every blank is stored.

use super::{MAX_COLUMN, MAX_LINES};
use crate::escapes::{EscapeFilter, Token};

#[derive(Default)]
struct Grid {
    /// Lines that cannot change any more.
    done: String,
    /// The lines, each with whether it was written more than once.
    lines: Vec<(Vec<char>, bool)>,
    row: usize,
    column: usize,
    saved: (usize, usize),
    has_cleared: bool,
    is_home: bool,
    has_screen: bool,
}

/// Returns the text that an output without long lines leaves.
pub(super) fn shown(output: &str) -> String {
    let (mut filter, mut grid) = (EscapeFilter::default(), Grid::default());
    grid.reset();
    for c in output.chars() {
        let Some(token) = filter.read(c) else { continue };
        grid.write(token);
        grid.is_home = matches!(token, Token::Sequence("" | "1;1", 'H' | 'f'));
    }
    grid.finish();
    grid.done
}

impl Grid {
    fn write(&mut self, token: Token<'_>) {
        match token {
            Token::Text('\n') => self.next_line(),
            Token::Text(c) => {
                let (column, line) = (self.column, &mut self.lines[self.row]);
                line.1 |= column < line.0.len();
                line.0.resize(line.0.len().max(column + 1), ' ');
                line.0[column] = c;
                self.column += 1;
            }
            Token::Return => self.column = 0,
            Token::Backspace => self.column = self.column.saturating_sub(1),
            Token::Escape('7') | Token::Sequence(_, 's') => self.saved = (self.row, self.column),
            Token::Escape('8') | Token::Sequence(_, 'u') => {
                (self.row, self.column) = (self.saved.0.min(self.lines.len() - 1), self.saved.1.min(MAX_COLUMN));
            }
            Token::Escape('M') => self.row = self.row.saturating_sub(1),
            Token::Escape(_) => {}
            Token::Sequence("?1049", last @ ('h' | 'l')) => {
                if last == 'h' && !self.has_screen {
                    self.finish();
                } else if self.has_screen {
                    self.reset();
                }
                self.has_screen = last == 'h';
            }
            Token::Sequence(parameters, last) => {
                let mut numbers = parameters.split(';').map(|number| number.parse().unwrap_or(0));
                let (first, second) = (numbers.next().unwrap(), numbers.next().unwrap_or(0));
                self.control(first, second, last);
            }
        }
    }

    fn control(&mut self, first: usize, second: usize, last: char) {
        let count = first.clamp(1, MAX_COLUMN);
        match last {
            'A' | 'F' => self.row = self.row.saturating_sub(count),
            'B' | 'E' => self.jump_to(self.row + count),
            'C' => self.column = (self.column + count).min(MAX_COLUMN),
            'D' => self.column = self.column.saturating_sub(count),
            'G' | '`' => self.column = count - 1,
            'H' | 'f' => {
                self.jump_to(count - 1);
                self.column = second.clamp(1, MAX_COLUMN) - 1;
            }
            'J' => self.erase_lines(first),
            'K' => self.erase_line(first),
            _ => {}
        }
        if matches!(last, 'E' | 'F') {
            self.column = 0;
        }
    }

    fn jump_to(&mut self, row: usize) {
        self.row = row.min(MAX_LINES - 1);
        let rows = self.lines.len().max(self.row + 1);
        self.lines.resize(rows, (Vec::new(), false));
    }

    fn next_line(&mut self) {
        self.lines.resize(self.lines.len().max(self.row + 2), (Vec::new(), false));
        (self.row, self.column) = (self.row + 1, 0);
        if self.lines.len() > MAX_LINES {
            let line = self.lines.remove(0);
            self.done += &(text(&line) + "\n");
            self.row -= 1;
            self.saved.0 = self.saved.0.saturating_sub(1);
        }
    }

    fn erase_line(&mut self, what: usize) {
        let (column, line) = (self.column, &mut self.lines[self.row]);
        match what {
            0 => line.0.truncate(column),
            1 => line.0.iter_mut().take(column + 1).for_each(|c| *c = ' '),
            2 => line.0.clear(),
            _ => return,
        }
        line.1 = true;
    }

    fn erase_lines(&mut self, what: usize) {
        if (what == 2 || (what == 0 && self.is_home)) && !self.has_cleared {
            let is_open = !self.lines.last().unwrap().0.is_empty();
            self.finish();
            self.done += if is_open { "\n" } else { "" };
            self.has_cleared = true;
            return;
        }
        for (row, line) in self.lines.iter_mut().enumerate() {
            if what == 2 || (what == 0 && row > self.row) || (what == 1 && row < self.row) {
                *line = (Vec::new(), true);
            }
        }
        if what < 2 {
            self.erase_line(what);
        }
    }

    fn finish(&mut self) {
        while self.lines.len() > self.row + 1 && self.lines.last() == Some(&(Vec::new(), true)) {
            self.lines.pop();
        }
        let lines: Vec<String> = self.lines.iter().map(text).collect();
        self.done += &lines.join("\n");
        self.reset();
    }

    /// Begins with an empty line, as after a cleared screen.
    fn reset(&mut self) {
        (self.row, self.column, self.saved) = (0, 0, (0, 0));
        self.lines = vec![(Vec::new(), false)];
    }
}

fn text((line, is_rewritten): &(Vec<char>, bool)) -> String {
    let text: String = line.iter().collect();
    if *is_rewritten { text.trim_end_matches(' ').to_owned() } else { text }
}
