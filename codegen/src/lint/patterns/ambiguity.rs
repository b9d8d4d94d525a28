//! Whether a pattern can match one string in exponentially many ways.
//!
//! The pattern becomes an automaton whose states are the character classes of the pattern (Glushkov's construction), with the
//! number of ways in which each class can follow another. A state is ambiguous if one string leads from it back to it along two
//! ways. Repeating that string doubles the number of ways each time.

use std::collections::BTreeMap;
use std::ops::Range;

use regex_syntax::ast::{AssertionKind, Ast, RepetitionKind, RepetitionRange};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Class, ClassUnicode, HirKind};

/// Larger patterns are not analysed.
const MAX_STATES: usize = 120;

/// The limit on pairs of edges, which the analysis compares.
const MAX_EDGE_PAIRS: usize = 250_000;

/// A repetition whose limit is at least this is as costly as one without a limit.
const MANY: u32 = 10;

/// Returns the repetition within which the pattern is ambiguous.
pub(super) fn exponential_part(text: &str, ast: &Ast) -> Option<Range<usize>> {
    let mut automaton = Automaton { text, states: Vec::new(), follow: Vec::new(), loops: Vec::new(), ends: false };
    let whole = automaton.add(ast)?;
    let state = automaton.ambiguous_state()?;
    // An engine backtracks only if something that must follow the loop does not match.
    let can_stop = !automaton.ends && whole.last.iter().any(|&last| automaton.are_connected(state, last));
    let outermost =
        automaton.loops.iter().filter(|(_, states)| states.contains(&state)).max_by_key(|(span, _)| span.len());
    outermost.filter(|_| !can_stop).map(|(span, _)| span.clone())
}

/// A state, as an index.
type State = usize;

struct Automaton<'t> {
    text: &'t str,
    /// The characters that each state accepts.
    states: Vec<ClassUnicode>,
    /// The states that can follow each state, with the number of ways.
    follow: Vec<BTreeMap<State, u32>>,
    /// The repetitions, with their states.
    loops: Vec<(Range<usize>, Range<State>)>,
    /// Whether the pattern requires the end of the string.
    ends: bool,
}

/// A part of the pattern: the states with which it can begin and end, and whether it can match nothing.
struct Part {
    first: Vec<State>,
    last: Vec<State>,
    is_optional: bool,
}

const EMPTY: Part = Part { first: Vec::new(), last: Vec::new(), is_optional: true };

impl Automaton<'_> {
    /// Adds a part of the pattern. Returns `None` if the pattern is too large.
    fn add(&mut self, ast: &Ast) -> Option<Part> {
        match ast {
            Ast::Empty(_) | Ast::Flags(_) => Some(EMPTY),
            Ast::Assertion(assertion) => {
                self.ends |= matches!(assertion.kind, AssertionKind::EndLine | AssertionKind::EndText);
                Some(EMPTY)
            }
            Ast::Group(group) => self.add(&group.ast),
            Ast::Alternation(alternation) => {
                let mut whole = Part { is_optional: false, ..EMPTY };
                for branch in &alternation.asts {
                    let part = self.add(branch)?;
                    whole.first.extend(part.first);
                    whole.last.extend(part.last);
                    whole.is_optional |= part.is_optional;
                }
                Some(whole)
            }
            Ast::Concat(concat) => {
                let mut whole = EMPTY;
                for next in &concat.asts {
                    let part = self.add(next)?;
                    whole = self.join(whole, part);
                }
                Some(whole)
            }
            Ast::Repetition(repetition) => {
                let (min, max) = bounds(&repetition.op.kind);
                let start = self.states.len();
                let part = self.add(&repetition.ast)?;
                if max.is_none_or(|max| max >= MANY) {
                    self.connect(&part.last, &part.first);
                    let span = repetition.span.start.offset..repetition.span.end.offset;
                    self.loops.push((span, start..self.states.len()));
                }
                Some(Part { is_optional: part.is_optional || min == 0, ..part })
            }
            Ast::Literal(_) | Ast::Dot(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) | Ast::ClassBracketed(_) => {
                self.states.push(self.class(ast)?);
                self.follow.push(BTreeMap::new());
                let state = self.states.len() - 1;
                (state < MAX_STATES).then(|| Part { first: vec![state], last: vec![state], is_optional: false })
            }
        }
    }

    fn join(&mut self, one: Part, other: Part) -> Part {
        self.connect(&one.last, &other.first);
        let with = |own: Vec<State>, others: Vec<State>, is_optional| {
            if is_optional { own.into_iter().chain(others).collect() } else { own }
        };
        Part {
            first: with(one.first, other.first, one.is_optional),
            last: with(other.last, one.last, other.is_optional),
            is_optional: one.is_optional && other.is_optional,
        }
    }

    fn connect(&mut self, from: &[State], to: &[State]) {
        for &state in from {
            for next in to {
                *self.follow[state].entry(*next).or_default() += 1;
            }
        }
    }

    /// Returns the characters of a literal or a class.
    fn class(&self, ast: &Ast) -> Option<ClassUnicode> {
        let hir = Translator::new().translate(self.text, ast).ok()?;
        match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
            HirKind::Literal(literal) => {
                let letter = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
                Some(ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new(letter, letter)]))
            }
            _ => None,
        }
    }

    /// Returns whether each of two states leads to the other.
    fn are_connected(&self, one: State, other: State) -> bool {
        self.reachable(one)[other] && self.reachable(other)[one]
    }

    /// Returns which states follow a state after one or more characters.
    fn reachable(&self, from: State) -> Vec<bool> {
        let mut reachable = vec![false; self.states.len()];
        let mut pending = vec![from];
        while let Some(state) = pending.pop() {
            for &next in self.follow[state].keys() {
                if !std::mem::replace(&mut reachable[next], true) {
                    pending.push(next);
                }
            }
        }
        reachable
    }

    fn ambiguous_state(&self) -> Option<State> {
        let count = self.states.len();
        let edges: usize = self.follow.iter().map(BTreeMap::len).sum();
        if edges * edges > MAX_EDGE_PAIRS {
            return None;
        }
        let reachable: Vec<Vec<bool>> = (0..count).map(|state| self.reachable(state)).collect();
        let is_in_loop_of = |state: State, other: State| reachable[state][other] && reachable[other][state];
        // Two ways from one class to the next, both within a loop.
        let doubled =
            |state: &State| self.follow[*state].iter().any(|(next, ways)| *ways > 1 && is_in_loop_of(*state, *next));
        if let Some(state) = (0..count).find(doubled) {
            return Some(state);
        }
        let overlap: Vec<Vec<bool>> = (0..count)
            .map(|one| (0..count).map(|other| overlaps(&self.states[one], &self.states[other])).collect())
            .collect();
        // Two ways along different states: a walk of two states at once that starts and ends at one state.
        (0..count).filter(|&state| reachable[state][state]).find(|&state| {
            let step = |(one, other): (State, State)| {
                let others = move |next: State| self.follow[other].keys().map(move |other| (next, *other));
                let pairs = self.follow[one].keys().flat_map(move |next| others(*next));
                let is_possible = |(one, other): &(State, State)| {
                    overlap[*one][*other] && is_in_loop_of(state, *one) && is_in_loop_of(state, *other)
                };
                pairs.filter(is_possible).collect::<Vec<_>>()
            };
            // The states of the two walks, and whether they have differed before.
            let mut seen = vec![[false; 2]; count * count];
            let mut pending = vec![((state, state), false)];
            while let Some((pair, have_differed)) = pending.pop() {
                for next in step(pair) {
                    let have_differed = have_differed || next.0 != next.1;
                    if have_differed && next == (state, state) {
                        return true;
                    }
                    if !std::mem::replace(&mut seen[next.0 * count + next.1][usize::from(have_differed)], true) {
                        pending.push((next, have_differed));
                    }
                }
            }
            false
        })
    }
}

fn overlaps(one: &ClassUnicode, other: &ClassUnicode) -> bool {
    let mut common = one.clone();
    common.intersect(other);
    !common.ranges().is_empty()
}

/// Returns the least and the greatest number of repetitions.
fn bounds(kind: &RepetitionKind) -> (u32, Option<u32>) {
    match kind {
        RepetitionKind::ZeroOrOne => (0, Some(1)),
        RepetitionKind::ZeroOrMore => (0, None),
        RepetitionKind::OneOrMore => (1, None),
        RepetitionKind::Range(RepetitionRange::Exactly(count)) => (*count, Some(*count)),
        RepetitionKind::Range(RepetitionRange::AtLeast(min)) => (*min, None),
        RepetitionKind::Range(RepetitionRange::Bounded(min, max)) => (*min, Some(*max)),
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::patterns::Pattern;

    #[test]
    fn exponential_patterns_are_distinguished() {
        let part =
            |text| Pattern::parse(text).expect("the pattern is valid").exponential_part().map(|span| &text[span]);
        for (text, expected) in [
            ("^(a+)+$", "(a+)+"),
            ("^(a|a)*$", "(a|a)*"),
            ("^(a*)*$", "(a*)*"),
            (r"^(\w+\s?)*$", r"(\w+\s?)*"),
            ("^(([a-z])+.)+[A-Z]([a-z])+$", "(([a-z])+.)+"),
            (r"^([a-zA-Z0-9]+\.?)+@x$", r"([a-zA-Z0-9]+\.?)+"),
            ("(x+x+)+y", "(x+x+)+"),
            ("^(a|ab|b)*$", "(a|ab|b)*"),
            ("^(a|[a-c])+!", "(a|[a-c])+"),
            (r"^(\d+|\w)*$", r"(\d+|\w)*"),
            ("^(a?b?)*$", "(a?b?)*"),
            ("^(.*,)*x$", "(.*,)*"),
            ("^([a-z]{1,63})+$", "([a-z]{1,63})+"),
            ("^(a+){10,}$", "(a+){10,}"),
            (r"^\s*([\w-]+\s*,?\s*)*$", r"([\w-]+\s*,?\s*)*"),
        ] {
            assert_eq!(part(text), Some(expected), "{text}");
        }
        for text in [
            "^a+$",
            "^[a-z]+(-[a-z]+)*$",
            r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$",
            r"^[\w.+-]+@([\w-]+\.)+[\w-]{2,4}$",
            "^(a|b)*$",
            "^(ab|cd)*$",
            r"^\s+|\s+$",
            r"^(\d{1,3}\.){3}\d{1,3}$",
            "(a+)+",
            "(a|a)*",
            r"^(https?://)?[\w.-]+(/[\w.-]*)*$",
            r"^([^,]*,)*[^,]*$",
            r"^#([0-9a-fA-F]{3}){1,2}$",
            r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?$",
            "^([A-Z][a-z]+)+$",
            "^(a+b)+$",
        ] {
            assert_eq!(part(text), None, "{text}");
        }
    }
}
