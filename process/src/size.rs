//! The size of a terminal.

/// The size of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// The number of lines.
    pub rows: u16,
    /// The number of characters in a line.
    pub columns: u16,
}

impl Default for TerminalSize {
    /// 24 lines of 80 characters.
    fn default() -> Self {
        Self { rows: 24, columns: 80 }
    }
}
