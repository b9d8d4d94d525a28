//! The facts of a session, and the values of a tool's atoms.

use crate::data::segment::{Atom, Atoms, Comparison, FactValue};
use crate::registration::state::State;
use crate::vec_map::VecMap;
use std::borrow::Cow;
use std::sync::Arc;

/// Values of facts, by name.
pub(crate) type FactValues = VecMap<Cow<'static, str>, FactValue>;

/// The facts that the host has set, and the defaults of the others.
#[derive(Clone, Copy)]
pub(crate) struct FactLookup<'a> {
    pub(crate) told: &'a Arc<FactValues>,
    pub(crate) defaults: &'a FactValues,
}

/// A resolved atom. An unregistered tool has no position.
#[derive(Clone)]
pub(crate) enum ResolvedAtom {
    Tool(Option<usize>),
    Fact(Cow<'static, str>, Comparison, FactValue),
}

impl ResolvedAtom {
    /// Resolves `atom` in `state`.
    pub(crate) fn new(atom: &Atom, state: &State) -> Self {
        match atom {
            Atom::Tool(name) => ResolvedAtom::Tool(state.find(name)),
            Atom::Fact(name) => ResolvedAtom::Fact(name.clone(), Comparison::Equal, FactValue::Boolean(true)),
            Atom::Compared(name, comparison, with) => ResolvedAtom::Fact(name.clone(), *comparison, with.clone()),
        }
    }

    /// Returns the fact that it refers to, if any.
    pub(crate) fn fact(&self) -> Option<&Cow<'static, str>> {
        match self {
            ResolvedAtom::Tool(_) => None,
            ResolvedAtom::Fact(name, ..) => Some(name),
        }
    }
}

impl<'a> FactLookup<'a> {
    /// Returns the value of the fact `name`, if the fact exists.
    pub(crate) fn get(self, name: &str) -> Option<&'a FactValue> {
        self.told.get(name).or_else(|| self.defaults.get(name))
    }

    /// Returns which of these are true. `there` says whether a tool is in the turn.
    pub(crate) fn atoms(self, asked: &[ResolvedAtom], there: &dyn Fn(usize) -> bool) -> Atoms {
        let holds = |asked: &ResolvedAtom| match asked {
            ResolvedAtom::Tool(id) => id.is_some_and(there),
            ResolvedAtom::Fact(name, comparison, with) => {
                self.get(name).is_some_and(|value| comparison.holds(value, with))
            }
        };
        asked.iter().enumerate().map(|(index, asked)| Atoms::from(holds(asked)) << index).sum()
    }
}
