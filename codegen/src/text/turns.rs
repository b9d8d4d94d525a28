//! The combinations of answers to some atoms that there can be. Atoms about one fact are not independent: it has
//! one value, so that `facts.mode == "a"` and `facts.mode == "b"` never hold together.

use std::collections::{BTreeMap, BTreeSet};

use toolc::__gen::segment::{Atoms, Comparison};
use toolc::FactValue;

use super::condition::AtomExpr;

/// How a fact is compared; none: whether it is true.
type Compared<'a> = Option<&'a (Comparison, FactValue)>;

/// Every possible combination of these atoms. There must be no more atoms than [`Atoms`] has bits.
pub(crate) fn turns<'a>(asked: impl IntoIterator<Item = &'a AtomExpr>) -> Vec<Atoms> {
    let mut groups: BTreeMap<&str, Vec<(usize, Compared<'_>)>> = BTreeMap::new();
    let mut turns = vec![0];
    for (index, asks) in asked.into_iter().enumerate() {
        match asks {
            AtomExpr::Tool(_) => turns = combined(&turns, &[0, 1 << index]),
            AtomExpr::Fact(name, compared) => groups.entry(name).or_default().push((index, compared.as_ref())),
        }
    }
    for asked in groups.values() {
        let answers = |value: FactValue| {
            let holds = |compared: Compared<'_>| match compared {
                Some((comparison, with)) => comparison.holds(&value, with),
                None => value == FactValue::Boolean(true),
            };
            asked.iter().map(|(index, compared)| Atoms::from(holds(*compared)) << index).sum::<Atoms>()
        };
        let answers: BTreeSet<Atoms> =
            asked.iter().flat_map(|(_, compared)| values_around(*compared)).map(answers).collect();
        turns = combined(&turns, &answers.into_iter().collect::<Vec<_>>());
    }
    turns
}

fn combined(some: &[Atoms], others: &[Atoms]) -> Vec<Atoms> {
    some.iter().flat_map(|some| others.iter().map(move |other| some | other)).collect()
}

/// Values of a fact between which a comparison tells.
fn values_around(compared: Compared<'_>) -> Vec<FactValue> {
    match compared {
        Some((_, FactValue::Integer(with))) => {
            let around = [with.saturating_sub(1), *with, with.saturating_add(1)].into_iter();
            around.filter(|value| FactValue::INTEGERS.contains(value)).map(FactValue::Integer).collect()
        }
        // Longer by an unusual letter, so that it differs from all values that it is compared with.
        Some((_, FactValue::Text(with))) => {
            vec![FactValue::Text(with.clone()), FactValue::Text(format!("{with}\0").into())]
        }
        Some((_, FactValue::Boolean(_))) | None => [true, false].map(FactValue::Boolean).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::condition::{Condition, Written, parse};

    fn asks(condition: &Condition<Written>, all: &mut Vec<AtomExpr>) {
        match condition {
            Condition::Atom(written) => all.push(written.asks.clone()),
            Condition::Not(inner) => asks(inner, all),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| asks(part, all)),
        }
    }

    #[test]
    fn what_is_asked_of_one_fact_is_answered_together() {
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
            let mut asked = Vec::new();
            asks(&parse(condition).unwrap(), &mut asked);
            let turns: BTreeSet<Atoms> = turns(&asked).into_iter().collect();
            assert_eq!(turns.len(), count, "{condition}");
        }
    }
}
