//! Conditions: a boolean over `tools.NAME` (is that tool in this turn) and `facts.NAME`.
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

/// Parentheses and `not` nest at most this deep.
const DEEPEST: usize = 32;

/// A condition over atoms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition<A> {
    /// What is asked.
    Atom(A),
    /// It does not hold.
    Not(Box<Condition<A>>),
    /// All of these hold.
    And(Vec<Condition<A>>),
    /// One of these holds.
    Or(Vec<Condition<A>>),
}

impl<A> Condition<A> {
    /// Whether it holds where those atoms do of which `atom` says so.
    pub fn holds(&self, atom: &impl Fn(&A) -> bool) -> bool {
        match self {
            Condition::Atom(asked) => atom(asked),
            Condition::Not(inner) => !inner.holds(atom),
            Condition::And(parts) => parts.iter().all(|part| part.holds(atom)),
            Condition::Or(parts) => parts.iter().any(|part| part.holds(atom)),
        }
    }

    /// Its atoms, in order.
    pub fn atoms(&self) -> Vec<&A> {
        match self {
            Condition::Atom(asked) => vec![asked],
            Condition::Not(inner) => inner.atoms(),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().flat_map(Condition::atoms).collect(),
        }
    }

    /// The same over other atoms.
    pub fn map<B>(self, link: &mut impl FnMut(A) -> B) -> Condition<B> {
        let mut all = |parts: Vec<Condition<A>>| parts.into_iter().map(|part| part.map(link)).collect();
        match self {
            Condition::And(parts) => Condition::And(all(parts)),
            Condition::Or(parts) => Condition::Or(all(parts)),
            Condition::Not(inner) => Condition::Not(Box::new(inner.map(link))),
            Condition::Atom(atom) => Condition::Atom(link(atom)),
        }
    }
}

/// An atom as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Where, in the text.
    pub span: Range<usize>,
    /// What is asked.
    pub asks: AtomExpr,
}

/// What an atom asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AtomExpr {
    /// Whether this tool is in the turn.
    Tool(String),
    /// Whether this fact is true, or compares so.
    Fact(String, Option<(Comparison, FactValue)>),
}

/// Signs, each with what it says where its sides change places.
const MIRRORED: [(&str, &str); 6] = [("==", "=="), ("!=", "!="), ("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")];

const SIGNS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<", Comparison::Less),
    ("<=", Comparison::LessOrEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterOrEqual),
];

/// Reads a condition that is the whole of `text`.
pub fn parse(text: &str) -> Result<Condition<Written>, Fault> {
    parse_within(text, 0..text.len())
}

/// Reads the condition `text[span]`. Faults are placed in `text`.
pub(super) fn parse_within(text: &str, span: Range<usize>) -> Result<Condition<Written>, Fault> {
    let mut cursor = Cursor::new(text, span);
    let condition = either(&mut cursor, 0)?;
    match cursor.next()? {
        None => Ok(condition),
        Some((Token::Sign("="), span)) => Err(Fault::new(span, "`=` compares nothing").help("write `==`")),
        Some((Token::Sign(")"), span)) => Err(Fault::new(span, "`)` closes nothing")),
        Some((Token::Sign(sign), span)) if SIGNS.iter().any(|(known, _)| *known == sign) => {
            let message = format!("`{sign}` compares nothing: only a fact can be compared, and with one value");
            Err(Fault::new(span, message)
                .help("`tools.NAME` is a condition by itself; join conditions by `and` or `or`"))
        }
        Some((token, span)) => {
            let message = format!("{} after the end of the condition", token.show());
            Err(Fault::new(span, message).help("join conditions by `and` or `or`"))
        }
    }
}

fn either(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition<Written>, Fault> {
    joined(cursor, depth, "or", both, Condition::Or)
}

fn both(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition<Written>, Fault> {
    joined(cursor, depth, "and", single, Condition::And)
}

type Read = fn(&mut Cursor<'_>, usize) -> Result<Condition<Written>, Fault>;

fn joined(
    cursor: &mut Cursor<'_>,
    depth: usize,
    word: &str,
    read: Read,
    join: fn(Vec<Condition<Written>>) -> Condition<Written>,
) -> Result<Condition<Written>, Fault> {
    let first = read(cursor, depth)?;
    let mut parts = vec![first];
    while matches!(cursor.peek()?, Some((Token::Word(found), _)) if found == word) {
        cursor.next()?;
        parts.push(read(cursor, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { join(parts) })
}

fn single(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition<Written>, Fault> {
    let missing = |span| {
        let fault = Fault::new(span, "a condition is missing here");
        Err(fault.help("name a tool or a fact: `tools.NAME`, `facts.NAME`"))
    };
    let Some((token, span)) = cursor.next()? else { return missing(cursor.end()) };
    if depth > DEEPEST {
        return Err(Fault::new(span, format!("nested more than {DEEPEST} deep")));
    }
    match token {
        Token::Word(word) if word == "not" => Ok(Condition::Not(Box::new(single(cursor, depth + 1)?))),
        Token::Sign("(") => {
            let inner = either(cursor, depth + 1)?;
            match cursor.next()? {
                Some((Token::Sign(")"), _)) => Ok(inner),
                Some((token, found)) => Err(Fault::new(found, format!("expected `)`, found {}", token.show()))),
                None => Err(Fault::new(span, "this parenthesis is never closed")),
            }
        }
        Token::Word(word) if word == "and" || word == "or" => missing(span.start..span.start),
        Token::Word(word) if word != "true" && word != "false" => atom(cursor, &word, span).map(Condition::Atom),
        token => {
            let fault = Fault::new(span.clone(), format!("expected a condition, found {}", token.show()));
            Err(match turned(cursor, span)? {
                Some(turned) => fault.help(format!("the fact goes on the left: `{turned}`")),
                None => fault,
            })
        }
    }
}

/// Suggests the reverse of a comparison whose value, at `value`, is before the fact.
fn turned(cursor: &mut Cursor<'_>, value: Range<usize>) -> Result<Option<String>, Fault> {
    let Some((Token::Sign(sign), _)) = cursor.next()? else { return Ok(None) };
    let Some((_, mirrored)) = MIRRORED.iter().find(|(known, _)| *known == sign) else { return Ok(None) };
    let Some((Token::Word(fact), _)) = cursor.next()? else { return Ok(None) };
    let turned = format!("{fact} {mirrored} {}", cursor.written(value));
    Ok(fact.starts_with("facts.").then_some(turned))
}

fn atom(cursor: &mut Cursor<'_>, word: &str, span: Range<usize>) -> Result<Written, Fault> {
    match word.split_once('.') {
        Some(("tools", name)) if PORTABLE.accepts(name) => Ok(Written { span, asks: AtomExpr::Tool(name.to_owned()) }),
        Some(("facts", name)) if PORTABLE.accepts(name) => comparison(cursor, name, span),
        Some(("tools" | "facts", name)) => {
            let what = if name.is_empty() {
                format!("a name is missing after `{word}`")
            } else {
                format!("`{name}` is not a valid name")
            };
            let fault = Fault::new(span, what);
            Err(fault.help(format!("a name is {}", PORTABLE.expected())))
        }
        other => {
            let fault = Fault::new(span, format!("`{word}` is neither a tool nor a fact"));
            Err(match other {
                None => fault.help(format!("write `tools.{word}` or `facts.{word}`")),
                Some(_) => fault.help("what can be asked is `tools.NAME` and `facts.NAME`"),
            })
        }
    }
}

fn comparison(cursor: &mut Cursor<'_>, name: &str, span: Range<usize>) -> Result<Written, Fault> {
    let fact = |span, compared| Written { span, asks: AtomExpr::Fact(name.to_owned(), compared) };
    let Some((Token::Sign(sign), at)) = cursor.peek()? else { return Ok(fact(span, None)) };
    let Some((_, comparison)) = SIGNS.into_iter().find(|(known, _)| *known == sign) else {
        return Ok(fact(span, None));
    };
    cursor.next()?;
    let literal = match cursor.next()? {
        Some((Token::Text(text), at)) => (FactValue::Text(text.into()), at),
        Some((Token::Integer(integer), at)) if !FactValue::INTEGERS.contains(&integer) => {
            return Err(Fault::new(at, format!("`{integer}` is beyond what a fact can be: integers within ±2^53")));
        }
        Some((Token::Integer(integer), at)) => (FactValue::Integer(integer), at),
        Some((Token::Word(word), at)) if word == "true" || word == "false" => (FactValue::Boolean(word == "true"), at),
        Some((token, at)) => {
            let message =
                format!("a fact is compared with a text, an integer, true or false, not with {}", token.show());
            return Err(Fault::new(at, message));
        }
        None => return Err(Fault::new(at, format!("expected a value after `{sign}`"))),
    };
    Ok(fact(span.start..literal.1.end, Some((comparison, literal.0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(condition: &Condition<Written>) -> String {
        let join = |parts: &[Condition<Written>], word: &str| {
            format!("({})", parts.iter().map(show).collect::<Vec<_>>().join(word))
        };
        match condition {
            Condition::Atom(Written { asks: AtomExpr::Tool(name), .. }) => format!("t:{name}"),
            Condition::Atom(Written { asks: AtomExpr::Fact(name, None), .. }) => format!("f:{name}"),
            Condition::Atom(Written { asks: AtomExpr::Fact(name, Some((comparison, literal))), .. }) => {
                format!("f:{name}{comparison:?}{literal:?}")
            }
            Condition::Not(inner) => format!("!{}", show(inner)),
            Condition::And(parts) => join(parts, " & "),
            Condition::Or(parts) => join(parts, " | "),
        }
    }

    #[test]
    fn and_binds_closer_than_or_and_not_closest() {
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

    /// What the runtime tells a person of a condition is what a manifest may say, and means the same.
    #[test]
    fn what_the_runtime_writes_reads_back() {
        use toolc::__gen::segment;
        use toolc::__gen::segment::{Atom, Op};
        let atoms = [
            Atom::Tool("a".to_owned().into()),
            Atom::Fact("b".to_owned().into()),
            Atom::Compared("c".to_owned().into(), Comparison::LessOrEqual, FactValue::Integer(-3)),
            Atom::Compared("d".to_owned().into(), Comparison::NotEqual, FactValue::Text(r#"it's "\"#.into())),
        ];
        let asks = |written: &Written, of: &Atom| match (&written.asks, of) {
            (AtomExpr::Tool(name), Atom::Tool(other)) | (AtomExpr::Fact(name, None), Atom::Fact(other)) => {
                name == other
            }
            (AtomExpr::Fact(name, Some((sign, value))), Atom::Compared(other, other_sign, other_value)) => {
                name == other && sign == other_sign && value == other_value
            }
            _ => false,
        };
        // Every condition of so many steps.
        let steps = [Op::Atom(0), Op::Atom(1), Op::Atom(2), Op::Atom(3), Op::Not, Op::And, Op::Or];
        let (mut open, mut count) = (vec![(Vec::new(), 0)], 0);
        while let Some((ops, depth)) = open.pop() {
            if depth == 1 {
                let condition = segment::Condition(ops.clone());
                let text = condition.to_manifest(&atoms);
                let read = parse(&text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
                for holding in 0..1_u16 << atoms.len() {
                    let holds = |written: &Written| {
                        let at = atoms.iter().position(|atom| asks(written, atom)).expect("it is one of them");
                        holding >> at & 1 == 1
                    };
                    assert_eq!(read.holds(&holds), condition.holds(holding), "{text}");
                }
                count += 1;
            }
            for op in steps.into_iter().filter(|_| ops.len() < 6) {
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
    fn a_mistake_is_found_at_its_place() {
        for (text, at, message) in [
            ("", 0..0, "a condition is missing here"),
            ("tools.a and", 11..11, "a condition is missing here"),
            ("tools.a tools.b", 8..15, "`tools.b` after the end of the condition"),
            ("web", 0..3, "`web` is neither a tool nor a fact"),
            ("(tools.a", 0..1, "this parenthesis is never closed"),
            ("facts.x = 'a'", 8..9, "`=` compares nothing"),
            ("facts.x == 1.5", 11..14, "`1.5` is not a 64-bit integer, and facts cannot be fractions"),
            ("facts.x ==", 8..10, "expected a value after `==`"),
            (
                "facts.x == tools.y",
                11..18,
                "a fact is compared with a text, an integer, true or false, not with `tools.y`",
            ),
            ("tools.a | tools.b", 8..9, "`|` means nothing here"),
            ("tools.a || tools.b", 8..10, "`||` means nothing here"),
            ("!tools.a", 0..1, "`!` means nothing here"),
            ("facts.n === 3", 8..11, "`===` means nothing here"),
            ("tools.a AND tools.b", 8..11, "`AND` means nothing here"),
            ("2 > facts.depth", 0..1, "expected a condition, found `2`"),
            ("true", 0..4, "expected a condition, found `true`"),
            ("facts.x == 'a", 11..13, "this text has no closing '"),
            ("tools.é", 0..8, "`é` is not a valid name"),
            ("facts.", 0..6, "a name is missing after `facts.`"),
            ("env.HOME", 0..8, "`env.HOME` is neither a tool nor a fact"),
            ("or tools.a", 0..0, "a condition is missing here"),
            ("tools.a and or tools.b", 12..12, "a condition is missing here"),
            ("tools.a)", 7..8, "`)` closes nothing"),
            ("tools.a == true", 8..10, "`==` compares nothing: only a fact can be compared, and with one value"),
            ("facts.n > 0 < 3", 12..13, "`<` compares nothing: only a fact can be compared, and with one value"),
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
