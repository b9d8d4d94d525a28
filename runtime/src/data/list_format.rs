//! Conditions and requirements as text: in the syntax of manifests, and for people.

use crate::data::requirement::Requirement;
use crate::data::segment::{Atom, Condition, FactValue, Op};
use std::borrow::Cow;
use std::fmt;

/// Formats an atom in the syntax of manifests.
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Tool(name) => write!(f, "tools.{name}"),
            Atom::Fact(name) => write!(f, "facts.{name}"),
            Atom::Compared(name, comparison, value) => write!(f, "facts.{name} {} {value}", comparison.sign()),
        }
    }
}

/// Formats a value in the syntax of manifests.
impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactValue::Text(text) => write!(f, "'{}'", text.replace('\\', r"\\").replace('\'', r"\'")),
            FactValue::Boolean(flag) => write!(f, "{flag}"),
            FactValue::Integer(integer) => write!(f, "{integer}"),
        }
    }
}

/// The precedence of an expression, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Or,
    And,
    Atom,
}

impl Condition {
    /// Returns the condition in the syntax of manifests. `atoms` are the atoms that it refers to. An empty condition is
    /// `true`.
    ///
    /// ```
    /// use toolc::__gen::segment::{Atom, Condition, Op};
    ///
    /// let atoms = [Atom::Tool("web_search".into()), Atom::Fact("vision".into())];
    /// let condition = Condition(vec![Op::Atom(0), Op::Atom(1), Op::Not, Op::And]);
    /// assert_eq!(condition.to_manifest(&atoms), "tools.web_search and not facts.vision");
    /// ```
    pub fn to_manifest(&self, atoms: &[Atom]) -> String {
        let mut parts: Vec<(String, Precedence)> = Vec::new();
        let parenthesized = |(text, precedence): (String, Precedence), min: Precedence| {
            if precedence < min { format!("({text})") } else { text }
        };
        for op in &self.0 {
            let mut take = || parts.pop().unwrap_or_else(|| ("?".to_owned(), Precedence::Atom));
            let part = match *op {
                Op::Atom(atom) => {
                    let atom = atoms.get(usize::from(atom));
                    (atom.map_or_else(|| "?".to_owned(), Atom::to_string), Precedence::Atom)
                }
                Op::Not => (format!("not {}", parenthesized(take(), Precedence::Atom)), Precedence::Atom),
                Op::And | Op::Or => {
                    let (word, precedence) =
                        if *op == Op::And { ("and", Precedence::And) } else { ("or", Precedence::Or) };
                    let (right, left) = (take(), take());
                    (
                        format!("{} {word} {}", parenthesized(left, precedence), parenthesized(right, precedence)),
                        precedence,
                    )
                }
            };
            parts.push(part);
        }
        parts.pop().map_or_else(|| "true".to_owned(), |(text, _)| text)
    }
}

/// Formats the requirement as the end of a sentence that begins with "needs".
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Requirement::Env(names) => all_of(f, "environment variable", names),
            Requirement::AnyEnv(names) => one_of(f, "environment variable", names),
            Requirement::Programs(names) => all_of(f, "program", names),
            Requirement::Os(names) => one_of(f, "system", names),
            Requirement::Tools(names) => all_of(f, "tool", names),
            Requirement::AnyTools(names) => one_of(f, "tool", names),
            Requirement::When { condition, atoms } => write!(f, "`{}`", condition.to_manifest(atoms)),
            Requirement::Any(alternatives) => one_of_these(f, alternatives),
            Requirement::Check => f.write_str("its availability check to pass"),
        }
    }
}

/// Writes alternatives, for example "one of these: the environment variable `A`, the program `b`". A row of variables is written as one.
pub(crate) fn one_of_these(f: &mut fmt::Formatter<'_>, alternatives: &[Requirement]) -> fmt::Result {
    f.write_str("one of these: ")?;
    let single = |one: &Requirement| match one {
        Requirement::Env(names) if names.len() == 1 => names.first().cloned(),
        _ => None,
    };
    let mut rest = alternatives;
    while let [first, ..] = rest {
        let row: Vec<Cow<'static, str>> = rest.iter().map_while(single).collect();
        match &*row {
            [] | [_] => write!(f, "{first}")?,
            row => write!(f, "the environment variables {}", list(row, "or"))?,
        }
        rest = &rest[row.len().max(1)..];
        f.write_str(if rest.is_empty() { "" } else { ", " })?;
    }
    Ok(())
}

/// Writes a list, for example "the programs `a` and `b`".
pub(crate) fn all_of(f: &mut fmt::Formatter<'_>, what: &str, names: &[Cow<'static, str>]) -> fmt::Result {
    let plural = if names.len() == 1 { "" } else { "s" };
    write!(f, "the {what}{plural} {}", list(names, "and"))
}

/// Writes a list, for example "one of the programs `a` and `b`".
pub(crate) fn one_of(f: &mut fmt::Formatter<'_>, what: &str, names: &[Cow<'static, str>]) -> fmt::Result {
    match names {
        [_] => all_of(f, what, names),
        names => write!(f, "one of the {what}s {}", list(names, "and")),
    }
}

/// Returns a list, for example "`a`, `b` and `c`".
pub(crate) fn list(names: &[Cow<'static, str>], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match &*quoted {
        [several @ .., one] if !several.is_empty() => format!("{} {last} {one}", several.join(", ")),
        all => all.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::segment::Comparison;
    use crate::fakes::texts;

    #[test]
    fn conditions_are_written_as_in_a_manifest() {
        use Op::{And, Atom as A, Not, Or};
        let atoms = [
            Atom::Tool("a".into()),
            Atom::Fact("b".into()),
            Atom::Compared("c".into(), Comparison::GreaterOrEqual, FactValue::Integer(-2)),
            Atom::Compared("d".into(), Comparison::NotEqual, FactValue::Text(r"it's \".into())),
        ];
        for (ops, text) in [
            (&[][..], "true"),
            (&[A(0)], "tools.a"),
            (&[A(1), Not, Not], "not not facts.b"),
            (&[A(0), A(1), And, A(2), Or], "tools.a and facts.b or facts.c >= -2"),
            (&[A(0), A(1), A(2), Or, And], "tools.a and (facts.b or facts.c >= -2)"),
            (&[A(0), A(1), And, A(3), And], r"tools.a and facts.b and facts.d != 'it\'s \\'"),
            (&[A(0), A(1), Or, Not, A(1), And], "not (tools.a or facts.b) and facts.b"),
            // Damaged data must not panic.
            (&[And], "? and ?"),
            (&[A(9)], "?"),
        ] {
            assert_eq!(Condition(ops.to_vec()).to_manifest(&atoms), text);
        }
    }

    #[test]
    fn requirements_read_well() {
        let when = Requirement::When { condition: Condition(vec![Op::Atom(0)]), atoms: vec![Atom::Fact("x".into())] };
        for (requirement, text) in [
            (Requirement::Env(texts(&["A", "B"])), "the environment variables `A` and `B`"),
            (Requirement::AnyEnv(texts(&["A", "B"])), "one of the environment variables `A` and `B`"),
            (Requirement::Programs(texts(&["git"])), "the program `git`"),
            (Requirement::Os(texts(&["linux"])), "the system `linux`"),
            (Requirement::Os(texts(&["linux", "macos"])), "one of the systems `linux` and `macos`"),
            (Requirement::Tools(texts(&["a", "b", "c"])), "the tools `a`, `b` and `c`"),
            (Requirement::AnyTools(texts(&["a"])), "the tool `a`"),
            (
                Requirement::Any(vec![
                    Requirement::Env(texts(&["A"])),
                    Requirement::Env(texts(&["B"])),
                    Requirement::Env(texts(&["C", "D"])),
                    Requirement::Programs(texts(&["e"])),
                ]),
                "one of these: the environment variables `A` or `B`, the environment variables `C` and `D`, the program `e`",
            ),
            (when, "`facts.x`"),
            (Requirement::Check, "its availability check to pass"),
        ] {
            assert_eq!(requirement.to_string(), text);
        }
    }
}
