//! Conditional definitions: JSON text in segments. The tools and facts of a turn determine which segments are included.
//!
//! The compiler has already placed commas and escaped strings, so that rendering only copies or skips segments.

use crate::text::json;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A set of the atoms of a tool that are true: bit `i` stands for atom `i`. A tool has at most [`MAX_ATOMS`].
pub type Atoms = u16;

/// The maximum number of atoms in the conditions of one tool, so that the compiler can test all 4,096 combinations.
pub const MAX_ATOMS: usize = 12;

/// An atom of a condition: a boolean expression without operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// Whether this tool is in the turn.
    Tool(Cow<'static, str>),
    /// Whether this boolean fact is true.
    Fact(Cow<'static, str>),
    /// Whether the comparison of this fact with this value holds.
    Compared(Cow<'static, str>, Comparison, FactValue),
}

/// A comparison operator.
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

/// The value of a fact. There are no fractional numbers, because one value can have several spellings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactValue {
    /// A string.
    Text(Cow<'static, str>),
    /// A boolean.
    Boolean(bool),
    /// An integer from -2^53 to 2^53, which every JSON implementation represents exactly.
    Integer(i64),
}

impl FactValue {
    /// The range of integers of a fact.
    pub const INTEGERS: RangeInclusive<i64> = -(1 << 53)..=1 << 53;

    /// Returns the name of the type with an article: `a string`.
    pub fn noun(&self) -> &'static str {
        match self {
            FactValue::Text(_) => "a string",
            FactValue::Boolean(_) => "a boolean",
            FactValue::Integer(_) => "an integer",
        }
    }

    /// Parses a value of the same type as this one, for example from a command line. Returns `None` if the text is not such a
    /// value: a boolean is `true` or `false`, an integer is within [`INTEGERS`](Self::INTEGERS).
    pub fn parse_same_type(&self, text: &str) -> Option<FactValue> {
        match self {
            FactValue::Text(_) => Some(text.to_owned().into()),
            FactValue::Boolean(_) => text.parse().ok().map(FactValue::Boolean),
            FactValue::Integer(_) => {
                text.parse().ok().filter(|integer| Self::INTEGERS.contains(integer)).map(FactValue::Integer)
            }
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

/// An instruction of a condition, in reverse Polish notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Pushes whether this atom is true.
    Atom(u8),
    /// Negates the top of the stack.
    Not,
    /// Pops two values, and pushes whether both are true.
    And,
    /// Pops two values, and pushes whether at least one is true.
    Or,
}

/// A boolean expression over atoms. An empty one is always true.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition(pub Vec<Op>);

impl Condition {
    /// Evaluates the condition for these true atoms.
    pub fn holds(&self, atoms: Atoms) -> bool {
        // A stack of bits, with the top at the lowest bit. The compiler ensures that 64 bits are enough.
        let mut stack = 0_u64;
        for op in &self.0 {
            stack = match *op {
                Op::Atom(atom) => stack << 1 | u64::from(atoms >> (atom & 15) & 1),
                Op::Not => stack ^ 1,
                Op::And => stack >> 1 & (stack | !1),
                Op::Or => stack >> 1 | (stack & 1),
            };
        }
        self.0.is_empty() || stack & 1 == 1
    }
}

/// A segment of a definition's JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Static text.
    Text(Cow<'static, str>),
    /// The following `segments` segments are only included if the condition is true.
    When {
        /// The condition.
        condition: Condition,
        /// The number of segments that depend on the condition, including those of nested conditions.
        segments: u16,
    },
    /// The value of a fact, inside a JSON string. The number is the index in the tool's facts.
    Fact(u16),
    /// A list of the tools whose atom is true, inside a JSON string.
    Available {
        /// The tools in the order of the list: the index of the atom, and the escaped name.
        tools: Vec<(u8, Cow<'static, str>)>,
        /// The escaped separator.
        join: Cow<'static, str>,
    },
}

/// Returns the maximum size of the rendered `segments` in bytes, without values of facts and lists of tools.
pub fn max_len(segments: &[Segment]) -> usize {
    let text = |segment: &Segment| if let Segment::Text(text) = segment { text.len() } else { 0 };
    segments.iter().map(text).sum()
}

/// Appends the text of `segments` to `out`. `facts` are the values of the tool's facts, in order.
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
                let available = tools.iter().filter(|(atom, _)| atoms >> (atom & 15) & 1 == 1);
                for (index, (_, name)) in available.enumerate() {
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
    /// Returns the operator in the syntax of manifests.
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

    /// Returns whether the comparison of `fact` with `with` holds. It is false for values of different types.
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
    fn conditions_evaluate_like_boolean_operators() {
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
    fn segments_are_skipped_with_nested_ones() {
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
