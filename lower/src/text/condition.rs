//! Conditions: boolean expressions over `tools.NAME` (this tool is in the turn) and `facts.NAME`.
//!
//! ```text
//! or   = and { "or" and }          and  = not { "and" not }        not = "not" not | atom | "(" or ")"
//! atom = "tools." NAME | "facts." NAME [ ("==" | "!=" | "<" | "<=" | ">" | ">=") (TEXT | INTEGER | "true" | "false") ]
//! ```

use std::ops::Range;

use toolc::__gen::name::PORTABLE;
use toolc::__gen::segment::Comparison;
use toolc::FactValue;

use super::Fault;
use super::cursor::{Cursor, Token};
use super::foreign;

/// The maximum nesting depth of parentheses and `not`.
const MAX_DEPTH: usize = 32;

/// A condition over atoms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition<A> {
    /// Holds if the atom holds.
    Atom(A),
    /// Holds if the condition does not hold.
    Not(Box<Condition<A>>),
    /// Holds if all conditions hold.
    And(Vec<Condition<A>>),
    /// Holds if at least one condition holds.
    Or(Vec<Condition<A>>),
}

impl<A> Condition<A> {
    /// Evaluates the condition. `atom_holds` says whether an atom holds.
    pub fn holds(&self, atom_holds: &impl Fn(&A) -> bool) -> bool {
        match self {
            Condition::Atom(atom) => atom_holds(atom),
            Condition::Not(inner) => !inner.holds(atom_holds),
            Condition::And(parts) => parts.iter().all(|part| part.holds(atom_holds)),
            Condition::Or(parts) => parts.iter().any(|part| part.holds(atom_holds)),
        }
    }

    /// Returns the atoms of the condition, in order.
    pub fn atoms(&self) -> Vec<&A> {
        match self {
            Condition::Atom(atom) => vec![atom],
            Condition::Not(inner) => inner.atoms(),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().flat_map(Condition::atoms).collect(),
        }
    }

    /// Replaces each atom by the result of `map_atom`.
    pub fn map<B>(self, map_atom: &mut impl FnMut(A) -> B) -> Condition<B> {
        let mut map_all = |parts: Vec<Condition<A>>| parts.into_iter().map(|part| part.map(map_atom)).collect();
        match self {
            Condition::And(parts) => Condition::And(map_all(parts)),
            Condition::Or(parts) => Condition::Or(map_all(parts)),
            Condition::Not(inner) => Condition::Not(Box::new(inner.map(map_atom))),
            Condition::Atom(atom) => Condition::Atom(map_atom(atom)),
        }
    }
}

/// A parsed atom with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedAtom {
    /// The bytes of the atom in the text.
    pub span: Range<usize>,
    /// The atom.
    pub atom: AtomExpr,
}

/// An atom with the names as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AtomExpr {
    /// Holds if this tool is in the turn.
    Tool(String),
    /// Holds if the comparison with this fact holds, or without a comparison, if the fact is true.
    Fact(String, Option<(Comparison, FactValue)>),
}

/// The comparison signs, and the sign with the same meaning if the operands are swapped.
const MIRRORED: [(&str, &str); 6] = [("==", "=="), ("!=", "!="), ("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")];

const SIGNS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<", Comparison::Less),
    ("<=", Comparison::LessOrEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterOrEqual),
];

/// Parses a condition.
///
/// # Errors
/// The first syntax error.
pub fn parse(text: &str) -> Result<Condition<ParsedAtom>, Fault> {
    parse_within(text, 0..text.len())
}

/// Parses the condition `text[span]`. The spans of the result and of errors are within `text`.
pub(super) fn parse_within(text: &str, span: Range<usize>) -> Result<Condition<ParsedAtom>, Fault> {
    let mut cursor = Cursor::new(text, span);
    let condition = parse_or(&mut cursor, 0)?;
    match cursor.next()? {
        None => Ok(condition),
        Some((Token::Sign("="), span)) => Err(Fault::new(span, "`=` is not a comparison").help("write `==`")),
        Some((Token::Sign(")"), span)) => Err(Fault::new(span, "unmatched `)`").help("remove it, or add the `(`")),
        Some((Token::Sign(sign), span)) if SIGNS.iter().any(|(known, _)| *known == sign) => {
            let message = format!("unexpected `{sign}`: only a fact can be compared, and only with one value");
            let (before, rest) = cursor.around(&span);
            Err(Fault::new(span, message).help(foreign::second_comparison(before, sign, rest)))
        }
        Some((token, span)) => {
            let message = format!("{} after the end of the condition", token.show());
            let (before, rest) = cursor.around(&span);
            let help = match &token {
                Token::Word(word) => foreign::after_condition(before, word, rest),
                _ => None,
            };
            Err(Fault::new(span, message).help(help.unwrap_or_else(|| "join conditions with `and` or `or`".to_owned())))
        }
    }
}

fn parse_or(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition<ParsedAtom>, Fault> {
    parse_joined(cursor, depth, "or", parse_and, Condition::Or)
}

fn parse_and(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition<ParsedAtom>, Fault> {
    parse_joined(cursor, depth, "and", parse_not, Condition::And)
}

type Parse = fn(&mut Cursor<'_>, usize) -> Result<Condition<ParsedAtom>, Fault>;

/// Parses one or more operands with `operator` between them.
fn parse_joined(
    cursor: &mut Cursor<'_>,
    depth: usize,
    operator: &str,
    parse_operand: Parse,
    join: fn(Vec<Condition<ParsedAtom>>) -> Condition<ParsedAtom>,
) -> Result<Condition<ParsedAtom>, Fault> {
    let mut parts = vec![parse_operand(cursor, depth)?];
    while matches!(cursor.peek()?, Some((Token::Word(word), _)) if word == operator) {
        cursor.next()?;
        parts.push(parse_operand(cursor, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { join(parts) })
}

fn parse_not(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition<ParsedAtom>, Fault> {
    let missing = |span| {
        let fault = Fault::new(span, "expected a condition");
        Err(fault.help("name a tool or a fact: `tools.NAME`, `facts.NAME`"))
    };
    let Some((token, span)) = cursor.next()? else { return missing(cursor.end()) };
    if depth > MAX_DEPTH {
        return Err(Fault::new(span, format!("condition nested more than {MAX_DEPTH} levels deep")));
    }
    match token {
        Token::Word(word) if word == "not" => Ok(Condition::Not(Box::new(parse_not(cursor, depth + 1)?))),
        Token::Sign("(") => {
            let inner = parse_or(cursor, depth + 1)?;
            match cursor.next()? {
                Some((Token::Sign(")"), _)) => Ok(inner),
                Some((token, found)) => Err(Fault::new(found, format!("expected `)`, found {}", token.show()))),
                None => Err(Fault::new(span, "unclosed parenthesis").help("add the closing `)`")),
            }
        }
        Token::Word(word) if word == "and" || word == "or" => missing(span.start..span.start),
        Token::Word(word) if word != "true" && word != "false" => parse_atom(cursor, &word, span).map(Condition::Atom),
        token => {
            let fault = Fault::new(span.clone(), format!("expected a condition, found {}", token.show()));
            let (before, rest) = cursor.around(&span);
            let value = cursor.text(span.clone());
            if let Some(help) = foreign::value_as_condition(before, value, rest) {
                return Err(fault.help(help));
            }
            Err(match swap_operands(cursor, span) {
                Ok(Some(swapped)) => fault.help(format!("write the fact on the left: `{swapped}`")),
                _ => {
                    fault.help("a condition is `tools.NAME`, `facts.NAME`, or a comparison such as `facts.NAME == 'x'`")
                }
            })
        }
    }
}

/// Returns a comparison with its operands swapped if its value, at `value`, is before the fact.
fn swap_operands(cursor: &mut Cursor<'_>, value: Range<usize>) -> Result<Option<String>, Fault> {
    let Some((Token::Sign(sign), _)) = cursor.next()? else { return Ok(None) };
    let Some((_, mirrored)) = MIRRORED.iter().find(|(known, _)| *known == sign) else { return Ok(None) };
    let Some((Token::Word(fact), _)) = cursor.next()? else { return Ok(None) };
    let swapped = format!("{fact} {mirrored} {}", cursor.text(value));
    Ok(if fact.starts_with("facts.") { Some(swapped) } else { None })
}

fn parse_atom(cursor: &mut Cursor<'_>, word: &str, span: Range<usize>) -> Result<ParsedAtom, Fault> {
    match word.split_once('.') {
        Some(("tools", name)) if PORTABLE.accepts(name) => {
            Ok(ParsedAtom { span, atom: AtomExpr::Tool(name.to_owned()) })
        }
        Some(("facts", name)) if PORTABLE.accepts(name) => parse_comparison(cursor, name, span),
        Some(("tools" | "facts", name)) => {
            let message = if name.is_empty() {
                format!("a name is missing after `{word}`")
            } else {
                format!("`{name}` is not a valid name")
            };
            let fault = Fault::new(span, message);
            Err(fault.help(format!("a name is {}", PORTABLE.expected())))
        }
        _ => {
            let (_, rest) = cursor.around(&span);
            let help = foreign::unknown_atom(word, rest);
            Err(Fault::new(span, format!("`{word}` is neither a tool nor a fact")).help(help))
        }
    }
}

fn parse_comparison(cursor: &mut Cursor<'_>, name: &str, span: Range<usize>) -> Result<ParsedAtom, Fault> {
    let fact = |span, compared| ParsedAtom { span, atom: AtomExpr::Fact(name.to_owned(), compared) };
    let Some((Token::Sign(sign), at)) = cursor.peek()? else { return Ok(fact(span, None)) };
    let Some((_, comparison)) = SIGNS.into_iter().find(|(known, _)| *known == sign) else {
        return Ok(fact(span, None));
    };
    cursor.next()?;
    let literal = match cursor.next()? {
        Some((Token::Text(text), at)) => (FactValue::Text(text.into()), at),
        Some((Token::Integer(integer), at)) if !FactValue::INTEGERS.contains(&integer) => {
            return Err(Fault::new(at, format!("`{integer}` is out of range: a fact is an integer within ±2^53")));
        }
        Some((Token::Integer(integer), at)) => (FactValue::Integer(integer), at),
        Some((Token::Word(word), at)) if word == "true" || word == "false" => (FactValue::Boolean(word == "true"), at),
        Some((Token::Word(word), at)) => {
            let (message, help) = foreign::value(&word, sign);
            return Err(Fault::new(at, message).help(help));
        }
        Some((token, at)) => {
            let message = format!("expected a string, an integer, `true` or `false`, found {}", token.show());
            return Err(
                Fault::new(at, message).help(format!("write the value after `{sign}`, with a string in quotes"))
            );
        }
        None => {
            let fault = Fault::new(at, format!("expected a value after `{sign}`"));
            return Err(fault.help("write a string in quotes, an integer, `true` or `false`"));
        }
    };
    Ok(fact(span.start..literal.1.end, Some((comparison, literal.0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(condition: &Condition<ParsedAtom>) -> String {
        let join = |parts: &[Condition<ParsedAtom>], word: &str| {
            format!("({})", parts.iter().map(show).collect::<Vec<_>>().join(word))
        };
        match condition {
            Condition::Atom(ParsedAtom { atom: AtomExpr::Tool(name), .. }) => format!("t:{name}"),
            Condition::Atom(ParsedAtom { atom: AtomExpr::Fact(name, None), .. }) => format!("f:{name}"),
            Condition::Atom(ParsedAtom { atom: AtomExpr::Fact(name, Some((comparison, literal))), .. }) => {
                format!("f:{name}{comparison:?}{literal:?}")
            }
            Condition::Not(inner) => format!("!{}", show(inner)),
            Condition::And(parts) => join(parts, " & "),
            Condition::Or(parts) => join(parts, " | "),
        }
    }

    #[test]
    fn precedence_is_not_before_and_before_or() {
        for (text, shown) in [
            ("tools.a", "t:a"),
            ("not tools.a and tools.b or facts.c", "((!t:a & t:b) | f:c)"),
            ("tools.a and (tools.b or not not tools.c-d)", "(t:a & (t:b | !!t:c-d))"),
            ("facts.x == 'it\\'s' or facts.n>=-3", "(f:xEqualText(\"it's\") | f:nGreaterOrEqualInteger(-3))"),
            ("facts.b != true\n and  tools.a", "(f:bNotEqualBoolean(true) & t:a)"),
        ] {
            assert_eq!(show(&parse(text).unwrap()), shown, "{text}");
        }
    }

    /// The runtime shows conditions in the syntax of manifests, with the same meaning.
    #[test]
    fn conditions_that_the_runtime_shows_can_be_parsed() {
        use toolc::__gen::segment;
        use toolc::__gen::segment::{Atom, Op};
        const MAX_STEPS: usize = 6;
        let atoms = [
            Atom::Tool("a".to_owned().into()),
            Atom::Fact("b".to_owned().into()),
            Atom::Compared("c".to_owned().into(), Comparison::LessOrEqual, FactValue::Integer(-3)),
            Atom::Compared("d".to_owned().into(), Comparison::NotEqual, FactValue::Text(r#"it's "\"#.into())),
        ];
        let is_same = |parsed: &ParsedAtom, atom: &Atom| match (&parsed.atom, atom) {
            (AtomExpr::Tool(name), Atom::Tool(other)) | (AtomExpr::Fact(name, None), Atom::Fact(other)) => {
                name == other
            }
            (AtomExpr::Fact(name, Some((sign, value))), Atom::Compared(other, other_sign, other_value)) => {
                name == other && sign == other_sign && value == other_value
            }
            _ => false,
        };
        // Every condition of at most `MAX_STEPS` steps. `depth` is the number of operands on the stack.
        let steps = [Op::Atom(0), Op::Atom(1), Op::Atom(2), Op::Atom(3), Op::Not, Op::And, Op::Or];
        let (mut open, mut count) = (vec![(Vec::new(), 0)], 0);
        while let Some((ops, depth)) = open.pop() {
            if depth == 1 {
                let condition = segment::Condition(ops.clone());
                let text = condition.to_manifest(&atoms);
                let read = parse(&text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
                for holding in 0..1_u16 << atoms.len() {
                    let holds = |written: &ParsedAtom| {
                        let at = atoms.iter().position(|atom| is_same(written, atom)).expect("the atom is in the list");
                        holding >> at & 1 == 1
                    };
                    assert_eq!(read.holds(&holds), condition.holds(holding), "{text}");
                }
                count += 1;
            }
            if ops.len() == MAX_STEPS {
                continue;
            }
            for op in steps {
                let after = match op {
                    Op::Atom(_) => depth + 1,
                    Op::Not if depth > 0 => depth,
                    Op::And | Op::Or if depth > 1 => depth - 1,
                    _ => continue,
                };
                open.push(([&ops[..], &[op]].concat(), after));
            }
        }
        assert!(count > 1_000, "{count}");
    }

    #[test]
    fn errors_have_the_right_span() {
        for (text, at, message) in [
            ("", 0..0, "expected a condition"),
            ("tools.a and", 11..11, "expected a condition"),
            ("tools.a tools.b", 8..15, "`tools.b` after the end of the condition"),
            ("web", 0..3, "`web` is neither a tool nor a fact"),
            ("(tools.a", 0..1, "unclosed parenthesis"),
            ("facts.x = 'a'", 8..9, "`=` is not a comparison"),
            ("facts.x == 1.5", 11..14, "`1.5` is not a 64-bit integer, and facts cannot be fractions"),
            ("facts.x ==", 8..10, "expected a value after `==`"),
            ("facts.x == tools.y", 11..18, "`tools.y` cannot be the value of a comparison"),
            ("tools.a | tools.b", 8..9, "unexpected `|`"),
            ("tools.a || tools.b", 8..10, "unexpected `||`"),
            ("!tools.a", 0..1, "unexpected `!`"),
            ("facts.n === 3", 8..11, "unexpected `===`"),
            ("tools.a AND tools.b", 8..11, "unexpected `AND`"),
            ("2 > facts.depth", 0..1, "expected a condition, found `2`"),
            ("true", 0..4, "expected a condition, found `true`"),
            ("facts.x == 'a", 11..13, "this text has no closing '"),
            ("tools.é", 0..8, "`é` is not a valid name"),
            ("facts.", 0..6, "a name is missing after `facts.`"),
            ("env.HOME", 0..8, "`env.HOME` is neither a tool nor a fact"),
            ("or tools.a", 0..0, "expected a condition"),
            ("tools.a and or tools.b", 12..12, "expected a condition"),
            ("tools.a)", 7..8, "unmatched `)`"),
            ("tools.a == true", 8..10, "unexpected `==`: only a fact can be compared, and only with one value"),
            ("facts.n > 0 < 3", 12..13, "unexpected `<`: only a fact can be compared, and only with one value"),
        ] {
            let fault = parse(text).unwrap_err();
            assert_eq!((fault.span, fault.message.as_str()), (at, message), "{text}");
        }
        let deep = format!("{}tools.a", "not ".repeat(100_000));
        assert!(parse(&deep).unwrap_err().message.contains("deep"));
        let deep = format!("{}tools.a", "(".repeat(100_000));
        assert!(parse(&deep).unwrap_err().message.contains("deep"));
    }
}
