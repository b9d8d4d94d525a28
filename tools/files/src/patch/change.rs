//! The changes that a patch describes, regardless of its format.

/// A change of one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileChange<'a> {
    /// The path in the patch, without the prefixes `a/` and `b/` of git.
    pub(super) path: String,
    pub(super) kind: ChangeKind<'a>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChangeKind<'a> {
    Create {
        content: String,
    },
    Delete {
        /// The lines that the file must contain, or `None` if the patch does not contain them.
        hunks: Option<Vec<Hunk<'a>>>,
    },
    Update {
        hunks: Vec<Hunk<'a>>,
        move_to: Option<String>,
        /// Whether each hunk applies to the result of the previous hunks, so that the hunks can be in any order. Otherwise all hunks apply to the
        /// old text.
        sequential: bool,
    },
}

/// A change of some lines, with the unchanged lines around them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk<'a> {
    /// The line number in the patch at which the hunk begins.
    pub(super) patch_line: usize,
    pub(super) lines: Vec<(Op, &'a str)>,
    /// The line number in the old file at which the hunk begins, if the patch contains it.
    pub(super) start: Option<usize>,
    /// Lines that the file has before the hunk, in this order. They restrict where the hunk can be.
    pub(super) anchors: Vec<&'a str>,
    /// Whether the hunk is at the end of the file.
    pub(super) at_end: bool,
    /// Whether the patch says that the last line of the old file has no newline.
    pub(super) old_unterminated: bool,
    /// Whether the patch says that the last line of the new file has no newline.
    pub(super) new_unterminated: bool,
}

/// What a hunk does with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Keep,
    Remove,
    Add,
}

impl<'a> Hunk<'a> {
    /// Returns the lines that must be in the file.
    pub(super) fn old_lines(&self) -> Vec<&'a str> {
        self.lines.iter().filter(|(op, _)| *op != Op::Add).map(|(_, line)| *line).collect()
    }

    /// Returns the lines after the change.
    pub(super) fn new_lines(&self) -> Vec<&'a str> {
        self.lines.iter().filter(|(op, _)| *op != Op::Remove).map(|(_, line)| *line).collect()
    }

    /// Returns whether the hunk adds or removes a line, or a newline.
    pub(super) fn is_change(&self) -> bool {
        self.lines.iter().any(|(op, _)| *op != Op::Keep) || self.old_unterminated != self.new_unterminated
    }

    /// Records that the last line has no newline.
    pub(super) fn mark_unterminated(&mut self) {
        let op = self.lines.last().map_or(Op::Keep, |(op, _)| *op);
        self.old_unterminated |= op != Op::Add;
        self.new_unterminated |= op != Op::Remove;
    }

    /// Removes the last `count` lines.
    pub(super) fn truncate_by(&mut self, count: usize) {
        self.lines.truncate(self.lines.len().saturating_sub(count));
    }
}
