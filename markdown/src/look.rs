//! What the terminal can show.

/// The terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The width in columns. Rows are shorter, so that none wraps.
    pub width: usize,
    /// Whether text can have colours and other styles.
    pub styled: bool,
}

/// The narrowest terminal, in columns. In a narrower one, rows wrap.
pub const NARROWEST: usize = 8;

impl Look {
    pub(crate) fn at_least_narrowest(self) -> Self {
        Self { width: self.width.max(NARROWEST), ..self }
    }
}
