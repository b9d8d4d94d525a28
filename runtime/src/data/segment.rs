//! Definitions with conditions: text in pieces, of which a turn's set of tools and its facts decide which are there.
//!
//! Everything that can be settled when the text is compiled has been: commas, escapes, which of several texts. What
//! is left at run time is to copy pieces, and to skip some.

use crate::text::json;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Which of a tool's atoms hold: bit `i` for atom `i`. A tool has at most [`MOST_ATOMS`].
pub type Atoms = u16;

/// Different questions that the conditions of one tool may ask. Every combination of answers can be tested: 4,096.
pub const MOST_ATOMS: usize = 12;

/// One question that conditions ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// Whether this tool is in the turn.
    Tool(Cow<'static, str>),
    /// Whether this fact is true.
    Fact(Cow<'static, str>),
    /// How this fact compares.
    Compared(Cow<'static, str>, Comparison, FactValue),
}

/// How a fact is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// What a host says about its world. Never a fraction: those have no one spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactValue {
    /// A string.
    Text(Cow<'static, str>),
    /// A boolean.
    Boolean(bool),
    /// An integer, within ±2^53 so that every language can hold it.
    Integer(i64),
}

impl FactValue {
    /// The integers that a fact may be: those that every language can hold.
    pub const INTEGERS: RangeInclusive<i64> = -(1 << 53)..=1 << 53;

    /// What it is, in words.
    pub fn noun(&self) -> &'static str {
        match self {
            FactValue::Text(_) => "a string",
            FactValue::Boolean(_) => "a boolean",
            FactValue::Integer(_) => "an integer",
        }
    }
}

impl From<&'static str> for FactValue {
    fn from(text: &'static str) -> Self {
        FactValue::Text(text.into())
    }
}

impl From<String> for FactValue {
    fn from(text: String) -> Self {
        FactValue::Text(text.into())
    }
}

impl From<bool> for FactValue {
    fn from(flag: bool) -> Self {
        FactValue::Boolean(flag)
    }
}

impl From<i64> for FactValue {
    fn from(integer: i64) -> Self {
        FactValue::Integer(integer)
    }
}

/// A step of a condition, in the order in which a stack machine takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Puts down whether this atom holds.
    Atom(u8),
    /// Turns the last answer round.
    Not,
    /// Takes two answers, puts down whether both hold.
    And,
    /// Takes two answers, puts down whether one holds.
    Or,
}

/// A boolean over atoms. Empty: always.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition(pub Vec<Op>);

impl Condition {
    /// Whether it holds.
    pub fn holds(&self, atoms: Atoms) -> bool {
        // The answers are the bits, the last one the lowest. The compiler lets no condition need 64.
        let mut answers = 0_u64;
        for op in &self.0 {
            answers = match *op {
                Op::Atom(atom) => answers << 1 | u64::from(atoms >> (atom & 15) & 1),
                Op::Not => answers ^ 1,
                Op::And => answers >> 1 & (answers | !1),
                Op::Or => answers >> 1 | (answers & 1),
            };
        }
        self.0.is_empty() || answers & 1 == 1
    }
}

/// A piece of a definition's JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// As it is.
    Text(Cow<'static, str>),
    /// The next `segments` stand here only where the condition holds.
    When {
        /// The condition.
        condition: Condition,
        /// How many, those under further conditions included.
        segments: u16,
    },
    /// A fact's value, within a JSON string: its position among the tool's facts.
    Fact(u16),
    /// Those of these tools whose atom holds, within a JSON string.
    Available {
        /// Their atoms and names, in the order in which they are written.
        tools: Vec<(u8, Cow<'static, str>)>,
        /// What stands between two of them, escaped.
        join: Cow<'static, str>,
    },
}

/// How many bytes `segments` come to at most, facts and lists of tools aside.
pub fn most(segments: &[Segment]) -> usize {
    let text = |segment: &Segment| if let Segment::Text(text) = segment { text.len() } else { 0 };
    segments.iter().map(text).sum()
}

/// Appends the text that `segments` come to.
pub fn render(segments: &[Segment], atoms: Atoms, facts: &[FactValue], out: &mut String) {
    let mut next = 0;
    while let Some(segment) = segments.get(next) {
        next += 1;
        match segment {
            Segment::Text(text) => out.push_str(text),
            Segment::When { condition, segments } => {
                if !condition.holds(atoms) {
                    next += usize::from(*segments);
                }
            }
            Segment::Fact(fact) => match facts.get(usize::from(*fact)) {
                Some(FactValue::Text(text)) => json::push_escaped(out, text),
                Some(FactValue::Boolean(true)) => out.push_str("true"),
                Some(FactValue::Boolean(false)) => out.push_str("false"),
                Some(FactValue::Integer(integer)) => out.push_str(&integer.to_string()),
                None => {}
            },
            Segment::Available { tools, join } => {
                let there = tools.iter().filter(|(atom, _)| atoms >> (atom & 15) & 1 == 1);
                for (index, (_, name)) in there.enumerate() {
                    if index > 0 {
                        out.push_str(join);
                    }
                    out.push_str(name);
                }
            }
        }
    }
}

impl Comparison {
    /// The sign for it in a condition.
    pub const fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }

    /// Whether `fact` compares so with `with`. A fact of another type compares with nothing.
    pub fn holds(self, fact: &FactValue, with: &FactValue) -> bool {
        let order = match (fact, with) {
            (FactValue::Text(a), FactValue::Text(b)) => a.cmp(b),
            (FactValue::Boolean(a), FactValue::Boolean(b)) => a.cmp(b),
            (FactValue::Integer(a), FactValue::Integer(b)) => a.cmp(b),
            _ => return false,
        };
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_hold_as_their_truth_tables_say() {
        use Op::{And, Atom, Not, Or};
        for atoms in 0..8 {
            let [a, b, c] = [0, 1, 2].map(|atom| atoms >> atom & 1 == 1);
            for (ops, holds) in [
                (&[][..], true),
                (&[Atom(0)], a),
                (&[Atom(0), Not], !a),
                (&[Atom(0), Atom(1), And], a && b),
                (&[Atom(0), Atom(1), Or], a || b),
                (&[Atom(0), Atom(1), Not, And, Atom(2), Or], (a && !b) || c),
                (&[Atom(0), Atom(1), Atom(2), Or, And], a && (b || c)),
                (&[Atom(0), Atom(1), Atom(2), Or, Not, And, Not], !(a && !(b || c))),
            ] {
                assert_eq!(Condition(ops.to_vec()).holds(atoms), holds, "{ops:?} {atoms:b}");
            }
        }
    }

    #[test]
    fn pieces_are_skipped_with_what_is_in_them() {
        let when = |op, segments| Segment::When { condition: Condition(vec![op]), segments };
        let text = |text: &'static str| Segment::Text(text.into());
        let segments = [
            text("a"),
            when(Op::Atom(0), 3),
            text("b"),
            when(Op::Atom(1), 1),
            text("c"),
            Segment::Fact(0),
            Segment::Available { tools: vec![(0, "x".into()), (1, "y".into())], join: " or ".into() },
        ];
        let facts = [FactValue::Text("\"".into())];
        for (atoms, expected) in [(0, "a\\\""), (1, "ab\\\"x"), (2, "a\\\"y"), (3, "abc\\\"x or y")] {
            let mut out = String::new();
            render(&segments, atoms, &facts, &mut out);
            assert_eq!(out, expected);
        }
    }
}
