//! The values of facts in a session, and the atoms of conditions with their names looked up.

use std::borrow::Cow;
use std::sync::Arc;

use crate::data::segment::{Atom, Atoms, Comparison, FactValue};
use crate::registration::ids::{NameLookup, ToolId};
use crate::vec_map::VecMap;

/// Values of facts, by name.
pub(crate) type FactValues = VecMap<Cow<'static, str>, FactValue>;

/// The facts of a session: the values that the host has set, and the defaults of the others.
#[derive(Clone, Copy)]
pub(crate) struct FactLookup<'a> {
    pub(crate) set: &'a Arc<FactValues>,
    pub(crate) defaults: &'a FactValues,
}

/// An atom of a condition. A tool is `None` if no tool provider has it.
#[derive(Clone)]
pub(crate) enum ResolvedAtom {
    Tool(Option<ToolId>),
    Fact(Cow<'static, str>, Comparison, FactValue),
}

impl ResolvedAtom {
    /// Looks up the tool that an atom refers to.
    pub(crate) fn new(atom: &Atom, names: &dyn NameLookup) -> Self {
        match atom {
            Atom::Tool(name) => ResolvedAtom::Tool(names.find(name)),
            Atom::Fact(name) => ResolvedAtom::Fact(name.clone(), Comparison::Equal, FactValue::Boolean(true)),
            Atom::Compared(name, comparison, with) => ResolvedAtom::Fact(name.clone(), *comparison, with.clone()),
        }
    }

    /// Returns the fact that the atom refers to.
    pub(crate) fn fact(&self) -> Option<&Cow<'static, str>> {
        match self {
            ResolvedAtom::Tool(_) => None,
            ResolvedAtom::Fact(name, ..) => Some(name),
        }
    }
}

impl<'a> FactLookup<'a> {
    /// Returns the value of a fact, or `None` if no tool provider declares it.
    pub(crate) fn get(self, name: &str) -> Option<&'a FactValue> {
        self.set.get(name).or_else(|| self.defaults.get(name))
    }

    /// Evaluates atoms in a turn that shows `tools`, which are sorted.
    pub(crate) fn evaluate(self, atoms: &[ResolvedAtom], tools: &[ToolId]) -> Atoms {
        let holds = |atom: &ResolvedAtom| match atom {
            ResolvedAtom::Tool(id) => id.is_some_and(|id| tools.binary_search(&id).is_ok()),
            ResolvedAtom::Fact(name, comparison, with) => {
                self.get(name).is_some_and(|value| comparison.holds(value, with))
            }
        };
        atoms.iter().enumerate().map(|(index, atom)| Atoms::from(holds(atom)) << index).sum()
    }
}
