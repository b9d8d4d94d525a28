//! How certain it is that a condition is met.

use std::ops::{BitAnd, BitOr, Not};

/// Whether a condition is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    /// It is not met.
    No,
    /// It depends on values that are known only at run time.
    Maybe,
    /// It is met.
    Yes,
}

impl From<bool> for Match {
    fn from(met: bool) -> Self {
        if met { Self::Yes } else { Self::No }
    }
}

/// Whether both conditions are met.
impl BitAnd for Match {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.min(other)
    }
}

/// Whether one of the conditions is met.
impl BitOr for Match {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.max(other)
    }
}

/// The opposite of the condition.
impl Not for Match {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }
}

impl Match {
    /// Returns whether one of several conditions is met.
    pub(crate) fn any(matches: impl IntoIterator<Item = Self>) -> Self {
        let mut best = Self::No;
        for found in matches {
            best = best | found;
            if best == Self::Yes {
                break;
            }
        }
        best
    }

    /// Returns whether all of several conditions are met.
    pub(crate) fn all(matches: impl IntoIterator<Item = Self>) -> Self {
        let mut worst = Self::Yes;
        for found in matches {
            worst = worst & found;
            if worst == Self::No {
                break;
            }
        }
        worst
    }
}
