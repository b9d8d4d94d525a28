//! Limits on the size of a line and on the work to read it. Text that is read again (code inside code, backquotes, other dialects)
//! counts against the same budget.

/// The maximum length of a line in bytes. Longer lines are not read.
pub const MAX_BYTES: usize = 64 * 1024;
/// The maximum depth of nesting: substitutions, compound commands, and code inside of code.
pub const MAX_DEPTH: usize = 64;

/// Steps in the budget for each byte of the line. Reading a byte takes about one step.
const STEPS_PER_BYTE: u32 = 7;
/// The cost of a command, in the parser and again when it is unfolded.
pub(crate) const COMMAND: usize = 64;
/// The cost of reading a word.
pub(crate) const WORD: usize = 16;
/// The cost of each part of a word after the first.
pub(crate) const PART: usize = 8;
/// The cost of copying a word, and that of copying each of its parts.
pub(crate) const COPY: usize = 10;
/// The cost of a scope, with the part of a word that refers to it.
pub(crate) const SCOPE: usize = 2 * COPY;
/// Steps in the budget of every line.
const BASE: u32 = 100_000;

/// A budget of steps.
#[derive(Debug)]
pub(crate) struct Work {
    left: u32,
}

/// The budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl Work {
    /// Returns the budget for a line of this length.
    pub(crate) fn for_bytes(bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Self { left: bytes.saturating_mul(STEPS_PER_BYTE).saturating_add(BASE) }
    }

    /// Takes steps from the budget.
    #[inline]
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let left = self.left.checked_sub(steps);
        self.left = left.unwrap_or_default();
        left.map(drop).ok_or(Exhausted)
    }

    /// Returns the steps that are left.
    pub(crate) fn left(&self) -> u32 {
        self.left
    }
}
