//! The combinations of atoms that are possible in a turn. Atoms about the same fact are not independent: `facts.mode == "a"` and
//! `facts.mode == "b"` never hold together.

use std::collections::{BTreeMap, BTreeSet};

use toolc::__gen::segment::{Atoms, Comparison};
use toolc::FactValue;

use super::condition::AtomExpr;

/// The comparison of a fact, or `None` if the atom holds when the fact is true.
type Compared<'a> = Option<&'a (Comparison, FactValue)>;

/// Returns every possible combination of these atoms. In a combination, the bit with the index of an atom is set if the atom holds.
///
/// There must not be more atoms than [`Atoms`] has bits.
pub fn turns<'a>(atoms: impl IntoIterator<Item = &'a AtomExpr>) -> Vec<Atoms> {
    turns_with_values(atoms, |_| Vec::new())
}

/// Returns every possible combination of these atoms, if facts have certain values only. `values` returns those of a fact, and none if
/// any value is possible.
///
/// There must not be more atoms than [`Atoms`] has bits.
pub fn turns_with_values<'a>(
    atoms: impl IntoIterator<Item = &'a AtomExpr>,
    values_of: impl Fn(&str) -> Vec<FactValue>,
) -> Vec<Atoms> {
    let mut by_fact: BTreeMap<&str, Vec<(usize, Compared<'_>)>> = BTreeMap::new();
    let mut turns = vec![0];
    for (index, atom) in atoms.into_iter().enumerate() {
        match atom {
            AtomExpr::Tool(_) => turns = combine(&turns, &[0, 1 << index]),
            AtomExpr::Fact(name, compared) => by_fact.entry(name).or_default().push((index, compared.as_ref())),
        }
    }
    for (name, comparisons) in &by_fact {
        // Returns the atoms that hold for a value of the fact.
        let holding_atoms = |value: FactValue| {
            let holds = |compared: Compared<'_>| match compared {
                Some((comparison, literal)) => comparison.holds(&value, literal),
                None => value == FactValue::Boolean(true),
            };
            comparisons.iter().map(|(index, compared)| Atoms::from(holds(*compared)) << index).sum::<Atoms>()
        };
        let mut values = values_of(name);
        if values.is_empty() {
            values = comparisons.iter().flat_map(|(_, compared)| values_around(*compared)).collect();
        }
        let possible: BTreeSet<Atoms> = values.into_iter().map(holding_atoms).collect();
        turns = combine(&turns, &possible.into_iter().collect::<Vec<_>>());
    }
    turns
}

/// Returns the union of each pair of combinations.
fn combine(first: &[Atoms], second: &[Atoms]) -> Vec<Atoms> {
    first.iter().flat_map(|one| second.iter().map(move |other| one | other)).collect()
}

/// Returns values of a fact that together lead to every possible result of a comparison.
fn values_around(compared: Compared<'_>) -> Vec<FactValue> {
    match compared {
        Some((_, FactValue::Integer(literal))) => {
            let around = [literal.saturating_sub(1), *literal, literal.saturating_add(1)].into_iter();
            around.filter(|value| FactValue::INTEGERS.contains(value)).map(FactValue::Integer).collect()
        }
        // The additional character makes the second text differ from all literals.
        Some((_, FactValue::Text(literal))) => {
            vec![FactValue::Text(literal.clone()), FactValue::Text(format!("{literal}\0").into())]
        }
        Some((_, FactValue::Boolean(_))) | None => [true, false].map(FactValue::Boolean).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::condition::{Condition, ParsedAtom, parse};

    fn push_atoms(condition: &Condition<ParsedAtom>, atoms: &mut Vec<AtomExpr>) {
        match condition {
            Condition::Atom(parsed) => atoms.push(parsed.atom.clone()),
            Condition::Not(inner) => push_atoms(inner, atoms),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| push_atoms(part, atoms)),
        }
    }

    #[test]
    fn atoms_about_one_fact_depend_on_each_other() {
        for (condition, count) in [
            ("tools.a and tools.b", 4),
            ("facts.x and facts.y", 4),
            ("facts.mode == 'a' and facts.mode == 'b'", 3),
            ("facts.n > 3 and facts.n < 4", 2),
            ("facts.n > 3 and facts.n < 5", 3),
            ("facts.n >= 3 and facts.n <= 5 and facts.n == 4 and facts.n != 4", 4),
            ("facts.n >= -9007199254740992", 1),
            ("facts.x == true or facts.x != true or facts.x", 2),
        ] {
            let mut atoms = Vec::new();
            push_atoms(&parse(condition).unwrap(), &mut atoms);
            let turns: BTreeSet<Atoms> = turns(&atoms).into_iter().collect();
            assert_eq!(turns.len(), count, "{condition}");
        }
    }
}
