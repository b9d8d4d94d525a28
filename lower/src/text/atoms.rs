//! The atoms of a manifest: the tools, facts and comparisons in its conditions and texts. Equal atoms are stored once, and
//! conditions refer to them by index.

use std::collections::BTreeSet;

use toolc_tables::diagnostic::{At, Place};

use super::condition::{AtomExpr, Condition};
use super::template::Piece;

/// The index of an atom in [`AtomTable::atoms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(pub usize);

/// The index of a fact in [`AtomTable::facts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactRef(pub usize);

/// A condition of a manifest.
pub type When = Condition<AtomId>;

/// A text of a manifest.
pub type Template = Vec<Piece<AtomId, FactRef>>;

/// The atoms of a manifest, each with the place of its first use.
#[derive(Debug, Clone, Default)]
pub struct AtomTable {
    /// The atoms of the conditions.
    pub atoms: Vec<At<AtomExpr>>,
    /// The facts whose values the texts contain.
    pub facts: Vec<At<String>>,
}

impl AtomTable {
    /// Returns the index of an atom, and adds it if it is new.
    pub fn atom(&mut self, atom: AtomExpr, place: impl FnOnce() -> Place) -> AtomId {
        AtomId(intern(&mut self.atoms, atom, place))
    }

    /// Returns the index of a fact, and adds it if it is new.
    pub fn fact(&mut self, name: String, place: impl FnOnce() -> Place) -> FactRef {
        FactRef(intern(&mut self.facts, name, place))
    }
}

/// The atoms and facts that texts and conditions depend on.
#[derive(Debug, Default)]
pub struct Uses {
    /// The atoms.
    pub atoms: BTreeSet<AtomId>,
    /// The facts whose values are in the texts.
    pub facts: BTreeSet<FactRef>,
}

impl Uses {
    /// Adds those of a text.
    pub fn add_text(&mut self, text: &Template) {
        for piece in text {
            match piece {
                Piece::Text(_) => {}
                Piece::Fact(fact) => drop(self.facts.insert(*fact)),
                Piece::Available { tools, .. } => self.atoms.extend(tools.iter().map(|(atom, _)| *atom)),
                Piece::Choice { branches, otherwise } => {
                    for (when, text) in branches {
                        self.add_condition(when);
                        self.add_text(text);
                    }
                    self.add_text(otherwise);
                }
            }
        }
    }

    /// Adds those of a condition.
    pub fn add_condition(&mut self, when: &When) {
        self.atoms.extend(when.atoms());
    }
}

fn intern<T: PartialEq>(list: &mut Vec<At<T>>, value: T, place: impl FnOnce() -> Place) -> usize {
    list.iter().position(|known| known.value == value).unwrap_or_else(|| {
        list.push(At::new(value, place()));
        list.len() - 1
    })
}
