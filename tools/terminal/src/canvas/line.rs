//! A line that a program may write again and erase, any number of times. Only what was written is stored, so that blanks cost
//! nothing, and an erased character costs no more than the writing of it.

use std::collections::{BTreeMap, VecDeque};

use super::work;

/// A line of a [`Canvas`](super::Canvas).
#[derive(Debug, Default)]
pub(super) struct Line {
    /// What was written, by the column where it begins. The columns between are blank.
    pieces: BTreeMap<usize, VecDeque<char>>,
    columns: usize,
    /// Whether the program has written the line more than once. It then ends without the spaces that cover older text.
    is_rewritten: bool,
    /// The number of columns that the reader has seen, up to the first that has changed since.
    seen: usize,
    /// Whether the reader has seen the end of the line.
    is_end_seen: bool,
}

impl Line {
    /// Returns the number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns whether the program has erased all of the line.
    pub(super) fn is_erased(&self) -> bool {
        self.is_rewritten && self.columns == 0
    }

    pub(super) fn put(&mut self, column: usize, c: char) {
        work::add(1);
        self.is_rewritten |= column < self.columns;
        self.columns = self.columns.max(column + 1);
        if let Some((start, piece)) = self.pieces.range_mut(..=column).next_back() {
            let (at, len) = (column - start, piece.len());
            match piece.get_mut(at) {
                Some(old) if *old == c => return,
                Some(old) => *old = c,
                None if at == len => piece.push_back(c),
                None => drop(self.pieces.insert(column, VecDeque::from([c]))),
            }
        } else {
            self.pieces.insert(column, VecDeque::from([c]));
        }
        self.change(column);
    }

    /// Notes that a column has changed. A reader that has seen it sees all of the line again.
    fn change(&mut self, column: usize) {
        if column < self.seen || self.is_end_seen {
            (self.seen, self.is_end_seen) = (0, false);
        }
    }

    /// Erases the column and those after it.
    pub(super) fn erase_from(&mut self, column: usize) {
        self.is_rewritten = true;
        if column < self.columns {
            self.columns = column;
            self.change(column);
        }
        while let Some(mut last) = self.pieces.last_entry() {
            work::add(1);
            if *last.key() < column {
                let kept = column - last.key();
                last.get_mut().truncate(kept);
                return;
            }
            last.remove();
        }
    }

    /// Erases the columns before this one. Those after it stay where they are.
    pub(super) fn erase_before(&mut self, column: usize) {
        self.is_rewritten = true;
        while let Some(first) = self.pieces.first_entry().filter(|first| *first.key() < column) {
            work::add(1);
            let (start, mut piece) = first.remove_entry();
            self.change(start);
            if start + piece.len() > column {
                piece.drain(..column - start);
                self.pieces.insert(column, piece);
            }
        }
    }

    /// Passes the text to `push`, each character with whether it is new to the reader.
    pub(super) fn show(&self, push: &mut impl FnMut(char, bool)) {
        let end = self.end();
        let mut columns = 0..;
        let mut show = |c| push(c, columns.next() >= Some(self.seen));
        let mut shown = 0;
        for (start, piece) in self.pieces.range(..end) {
            (shown..*start).for_each(|_| show(' '));
            shown = end.min(start + piece.len());
            piece.iter().take(shown - start).copied().for_each(&mut show);
        }
        (shown..end).for_each(|_| show(' '));
        work::add(end);
    }

    /// Passes the text and a newline to `push`.
    pub(super) fn show_with_end(&self, push: &mut impl FnMut(char, bool)) {
        self.show(push);
        push('\n', !self.is_end_seen);
    }

    /// Notes that the reader has seen the line, and its end if another line follows.
    pub(super) fn mark_as_seen(&mut self, has_end: bool) {
        (self.seen, self.is_end_seen) = (self.end(), has_end);
    }

    /// Returns the number of columns that are shown.
    fn end(&self) -> usize {
        if !self.is_rewritten {
            return self.columns;
        }
        for (start, piece) in self.pieces.iter().rev() {
            work::add(piece.len());
            if let Some(at) = piece.iter().rposition(|c| *c != ' ') {
                return start + at + 1;
            }
        }
        0
    }
}
