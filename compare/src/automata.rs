//! Inclusion of regular expressions: whether every text in which one finds a match, another one finds one in as well.

use std::collections::{HashSet, VecDeque};

use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, nfa::thompson};

/// The maximum size of an automaton, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The maximum number of states that are visited.
const MAX_STATES: usize = 20_000;

/// Whether one expression is included in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inclusion {
    Included,
    /// Only the first one finds a match in this text.
    Text(String),
    /// One of them is not supported, or too large.
    Unknown,
}

type Dfa = dense::DFA<Vec<u32>>;

/// Decides whether every text that matches `narrow` also matches `wide`.
pub(crate) fn inclusion(narrow: &str, wide: &str) -> Inclusion {
    if narrow == wide {
        return Inclusion::Included;
    }
    // Texts are UTF-8: the third automaton refuses other bytes.
    let automata = [narrow, wide, r"\A(?s:.)*\z"].map(automaton);
    let [Some(narrow), Some(wide), Some(texts)] = &automata else { return Inclusion::Unknown };
    search([narrow, wide, texts]).unwrap_or(Inclusion::Unknown)
}

fn automaton(pattern: &str) -> Option<Dfa> {
    dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(StartKind::Unanchored)
                .dfa_size_limit(Some(MAX_BYTES))
                .determinize_size_limit(Some(MAX_BYTES)),
        )
        .thompson(thompson::Config::new().nfa_size_limit(Some(MAX_BYTES)))
        .build(pattern)
        .ok()
}

/// The state of an automaton, or `None` once it has found a match.
type State = Option<StateID>;

/// Walks through the automata in parallel, the shortest texts first. `None` if an automaton gives up.
fn search(automata: [&Dfa; 3]) -> Option<Inclusion> {
    let mut first = [None; 3];
    for (state, dfa) in first.iter_mut().zip(automata) {
        *state = Some(dfa.start_state(&start::Config::new().anchored(Anchored::No)).ok()?);
    }
    let mut seen: HashSet<[State; 3]> = HashSet::from([first]);
    let mut queue: VecDeque<([State; 3], Vec<u8>)> = VecDeque::from([(first, Vec::new())]);
    while let Some((states, text)) = queue.pop_front() {
        let ends = [0, 1, 2].map(|index| {
            states[index].is_none_or(|state| automata[index].is_match_state(automata[index].next_eoi_state(state)))
        });
        if ends == [true, false, true]
            && let Ok(text) = String::from_utf8(text.clone())
        {
            return Some(Inclusion::Text(text));
        }
        // What one can type comes first.
        for byte in (b' '..=b'~').chain(0..b' ').chain(0x7f..=0xff) {
            let mut next = states;
            for (state, dfa) in next.iter_mut().zip(automata) {
                let Some(current) = *state else { continue };
                let following = dfa.next_state(current, byte);
                if dfa.is_quit_state(following) {
                    return None;
                }
                *state = (!dfa.is_match_state(following)).then_some(following);
            }
            // The wide one has found a match, or the narrow one never will, or this is not a text.
            let is_dead = |index: usize| next[index].is_some_and(|state: StateID| automata[index].is_dead_state(state));
            if next[1].is_none() || is_dead(0) || is_dead(2) || !seen.insert(next) {
                continue;
            }
            if seen.len() > MAX_STATES {
                return None;
            }
            let mut text = text.clone();
            text.push(byte);
            queue.push_back((next, text));
        }
    }
    Some(Inclusion::Included)
}

#[cfg(test)]
mod tests {
    use super::{Inclusion, inclusion};

    #[test]
    fn expressions_are_compared_by_the_texts_that_match() {
        for (narrow, wide, expected) in [
            ("^(ab)+$", "^ab(ab)*$", Inclusion::Included),
            ("^a{3}$", "^[ab]+$", Inclusion::Included),
            ("^[ab]+$", "^a{3}$", Inclusion::Text("a".to_owned())),
            ("", ".", Inclusion::Text(String::new())),
            ("ab", "a", Inclusion::Included),
            ("a", "ab", Inclusion::Text("a".to_owned())),
            ("^\\d+$", "^[0-9]+$", Inclusion::Text("٠".to_owned())),
            ("^[0-9]+$", "^\\d+$", Inclusion::Included),
            ("^é$", "^.$", Inclusion::Included),
            ("", "", Inclusion::Included),
            ("^a", "(?s)^.", Inclusion::Included),
            ("(", "a", Inclusion::Unknown),
        ] {
            assert_eq!(inclusion(narrow, wide), expected, "{narrow} in {wide}");
        }
    }
}
