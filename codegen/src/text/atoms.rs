//! What the conditions and texts of one manifest ask, each question once: conditions are over their positions.

use super::condition::{AtomExpr, Condition};
use super::template::Piece;
use crate::diagnostic::{At, Place};

/// Position of a question about a tool or a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(pub usize);

/// Position of a fact whose value is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactRef(pub usize);

/// A condition of a manifest.
pub type When = Condition<AtomId>;

/// A text of a manifest.
pub type Template = Vec<Piece<AtomId, FactRef>>;

/// All atoms of one manifest, each where it is first asked.
#[derive(Debug, Clone, Default)]
pub struct AtomTable {
    /// What conditions ask.
    pub atoms: Vec<At<AtomExpr>>,
    /// Facts whose values are written out.
    pub facts: Vec<At<String>>,
}

impl AtomTable {
    /// The position of a question, new or known.
    pub fn atom(&mut self, asks: AtomExpr, place: impl FnOnce() -> Place) -> AtomId {
        AtomId(position(&mut self.atoms, asks, place))
    }

    /// The position of a fact, new or known.
    pub fn fact(&mut self, name: String, place: impl FnOnce() -> Place) -> FactRef {
        FactRef(position(&mut self.facts, name, place))
    }
}

fn position<T: PartialEq>(list: &mut Vec<At<T>>, value: T, place: impl FnOnce() -> Place) -> usize {
    list.iter().position(|known| known.value == value).unwrap_or_else(|| {
        list.push(At::new(value, place()));
        list.len() - 1
    })
}
