//! The shells whose readings differ.

/// A way to read shell syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// bash.
    Bash,
    /// dash, and other shells with only the syntax of POSIX.
    Dash,
    /// The shell of busybox, which has some of bash's syntax.
    Ash,
}

/// A set of dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Dialects(u8);

impl Dialects {
    /// Adds a dialect.
    pub(crate) fn insert(&mut self, dialect: Dialect) {
        self.0 |= 1 << dialect as u8;
    }

    /// Returns whether a dialect is in the set.
    pub(crate) fn contains(self, dialect: Dialect) -> bool {
        self.0 & 1 << dialect as u8 != 0
    }

    /// Adds the dialects of another set.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}
