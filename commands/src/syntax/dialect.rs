//! The dialects of shell syntax that are read.

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

impl Dialect {
    /// All dialects.
    pub(crate) const ALL: [Self; 3] = [Self::Bash, Self::Dash, Self::Ash];
}

impl Dialects {
    pub(crate) const ALL: Self = Self(7);
    pub(crate) const BASH: Self = Self(1);
    pub(crate) const POSIX: Self = Self(6);

    /// Returns the set of one dialect.
    pub(crate) fn only(dialect: Dialect) -> Self {
        Self(1 << dialect as u8)
    }

    /// Adds a dialect.
    pub(crate) fn insert(&mut self, dialect: Dialect) {
        self.merge(Self::only(dialect));
    }

    /// Adds the dialects of another set.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Returns whether a dialect is in the set.
    pub(crate) fn contains(self, dialect: Dialect) -> bool {
        self.0 & 1 << dialect as u8 != 0
    }

    /// Returns the dialects of the set.
    pub(crate) fn iter(self) -> impl Iterator<Item = Dialect> {
        Dialect::ALL.into_iter().filter(move |dialect| self.contains(*dialect))
    }
}
