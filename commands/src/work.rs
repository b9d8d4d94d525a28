//! The limits of a line, and of the work for it. All re-reading (code inside of code, backquotes, other dialects) spends from the same budget.

/// The maximum length of a line in bytes. Longer lines are not read.
pub const MAX_BYTES: usize = 64 * 1024;
/// The maximum depth of nesting: substitutions, compound commands, and code inside of code.
pub const MAX_DEPTH: usize = 64;

/// Steps for each byte of the line. One step is about one byte that is read.
const STEPS_PER_BYTE: u32 = 20;
/// Steps for each command, in the parser and again when it is examined.
pub(crate) const COMMAND: usize = 64;
/// Steps for each word that is read.
pub(crate) const WORD: usize = 16;
/// Steps for each word that is copied.
pub(crate) const COPY: usize = 20;
/// Steps for every line, however short.
const BASE: u32 = 60_000;

/// A budget of steps.
#[derive(Debug)]
pub(crate) struct Work {
    left: u32,
}

/// The budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl Work {
    /// Returns the budget of a line with this many bytes.
    pub(crate) fn for_bytes(bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Self { left: bytes.saturating_mul(STEPS_PER_BYTE).saturating_add(BASE) }
    }

    /// Spends steps.
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
