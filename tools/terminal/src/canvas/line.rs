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
            let at = column - start;
            if let Some(old) = piece.get_mut(at) {
                *old = c;
                return;
            }
            if at == piece.len() {
                piece.push_back(c);
                return;
            }
        }
        self.pieces.insert(column, VecDeque::from([c]));
    }

    /// Erases the column and those after it.
    pub(super) fn erase_from(&mut self, column: usize) {
        self.is_rewritten = true;
        self.columns = self.columns.min(column);
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
            if start + piece.len() > column {
                piece.drain(..column - start);
                self.pieces.insert(column, piece);
            }
        }
    }

    /// Passes the text to `push`.
    pub(super) fn show(&self, push: &mut impl FnMut(char)) {
        let end = self.end();
        let mut column = 0;
        for (start, piece) in self.pieces.range(..end) {
            (column..*start).for_each(|_| push(' '));
            column = end.min(start + piece.len());
            piece.iter().take(column - start).copied().for_each(&mut *push);
        }
        (column..end).for_each(|_| push(' '));
        work::add(end);
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
