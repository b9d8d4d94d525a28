//! Templates: text with `{% if %}`, `{{ facts.NAME }}` and `{{ available('a', 'b', join=', ') }}`.
//!
//! Trimming, filters and comments are not supported. `{{ 'TEXT' }}` writes the quoted text, so `{{ '{{' }}` writes braces.

use std::ops::Range;

use toolc::__gen::name::PORTABLE;

use super::Fault;
use super::condition::{self, AtomExpr, Condition};
use super::cursor::{Cursor, Token};

/// The maximum nesting depth of `{% if %}`.
const MAX_DEPTH: usize = 16;

/// A piece of a template, over atoms `A` and facts `F`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<A, F> {
    /// A text that is the same in every turn.
    Text(String),
    /// The value of a fact.
    Fact(F),
    /// The names of those of some tools that are in the turn.
    Available {
        /// The atom and the name of each tool.
        tools: Vec<(A, String)>,
        /// The text between two names.
        join: String,
    },
    /// The pieces of the first branch whose condition holds.
    Choice {
        /// The branches, in order.
        branches: Vec<Branch<A, F>>,
        /// The pieces if no condition holds.
        otherwise: Vec<Piece<A, F>>,
    },
}

/// A condition, and the pieces if it is the first that holds.
pub type Branch<A, F> = (Condition<A>, Vec<Piece<A, F>>);

/// The name of a fact, and its bytes in the text.
pub type ParsedFact = (String, Range<usize>);

type ParsedPiece = Piece<super::condition::ParsedAtom, ParsedFact>;

impl<A, F> Piece<A, F> {
    /// Replaces each atom and fact by the result of a function.
    pub fn map<B, G>(self, map_atom: &mut impl FnMut(A) -> B, map_fact: &mut impl FnMut(F) -> G) -> Piece<B, G> {
        match self {
            Piece::Text(text) => Piece::Text(text),
            Piece::Fact(fact) => Piece::Fact(map_fact(fact)),
            Piece::Available { tools, join } => {
                Piece::Available { tools: tools.into_iter().map(|(tool, name)| (map_atom(tool), name)).collect(), join }
            }
            Piece::Choice { branches, otherwise } => Piece::Choice {
                branches: branches
                    .into_iter()
                    .map(|(condition, pieces)| {
                        let condition = condition.map(map_atom);
                        (condition, pieces.into_iter().map(|piece| piece.map(map_atom, map_fact)).collect())
                    })
                    .collect(),
                otherwise: otherwise.into_iter().map(|piece| piece.map(map_atom, map_fact)).collect(),
            },
        }
    }
}

/// Parses a template.
///
/// # Errors
/// The first syntax error.
pub fn parse(text: &str) -> Result<Vec<ParsedPiece>, Fault> {
    let mut parser = Parser { text, at: 0 };
    let (pieces, end) = parser.pieces(0)?;
    match end {
        None => Ok(pieces),
        Some(tag) => Err(Fault::new(tag.span, format!("`{}` without an `if` before it", tag.word))),
    }
}

/// Tags of other template languages, in lower case and without `_` and `-`, and those to write instead.
const TAGS: &[(&str, &str)] = &[
    ("elseif", "elif CONDITION"),
    ("elsif", "elif CONDITION"),
    ("elif", "elif CONDITION"),
    ("else", "else"),
    ("if", "if CONDITION"),
    ("endif", "endif"),
    ("end", "endif"),
    ("fi", "endif"),
    ("unless", "if not CONDITION"),
    ("when", "if CONDITION"),
];

/// Returns what to write instead of an expression that is a single word.
fn expression_help(word: &str) -> String {
    match word.split_once('.') {
        Some(("tools", tool)) => {
            format!("write the name itself within `{{% if {word} %}}`, or `{{{{ available('{tool}') }}}}`")
        }
        Some((_, name))
            if PORTABLE.accepts(name)
                && !toolc::suggest::nearest(word, [format!("facts.{name}").as_str()]).is_empty() =>
        {
            format!("write `{{{{ facts.{name} }}}}`")
        }
        None if PORTABLE.accepts(word) => {
            format!("write `{{{{ facts.{word} }}}}`, or `{{{{ '{{{{' }}}}` for literal braces")
        }
        _ => "write `facts.NAME`, `available('tool', ...)`, or a quoted text".to_owned(),
    }
}

struct Parser<'s> {
    text: &'s str,
    at: usize,
}

/// A tag: `{% word ... %}`.
struct Tag {
    word: String,
    /// The bytes from the opening to the closing brace.
    span: Range<usize>,
    /// The bytes between the word and `%}`.
    rest: Range<usize>,
}

impl Parser<'_> {
    /// Parses pieces up to a tag other than `if`, which is returned, or to the end.
    fn pieces(&mut self, depth: usize) -> Result<(Vec<ParsedPiece>, Option<Tag>), Fault> {
        let mut pieces = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            // One search for all delimiters: searching for each would read the rest of the text again at every tag.
            let Some(position) = rest.as_bytes().windows(2).position(is_delimiter) else {
                push_text(&mut pieces, rest);
                self.at = self.text.len();
                return Ok((pieces, None));
            };
            push_text(&mut pieces, &rest[..position]);
            self.at += position;
            match &rest[position..position + 2] {
                "{{" => {
                    let piece = self.expression()?;
                    match piece {
                        Piece::Text(text) => push_text(&mut pieces, &text),
                        piece => pieces.push(piece),
                    }
                }
                "{%" => {
                    let tag = self.tag()?;
                    if tag.word != "if" {
                        return Ok((pieces, Some(tag)));
                    }
                    pieces.push(self.choice(tag, depth + 1)?);
                }
                "{#" => {
                    let fault = Fault::new(self.at..self.at + 2, "comments are not part of the template language");
                    return Err(fault.help("use a TOML comment, or write `{{ '{#' }}` for the literal characters"));
                }
                sign => {
                    let fault = Fault::new(self.at..self.at + 2, format!("unmatched `{sign}`"));
                    return Err(fault.help(format!("write `{{{{ '{sign}' }}}}` for the literal characters")));
                }
            }
        }
    }

    /// Parses the branches of an `if` up to its `endif`.
    fn choice(&mut self, opening: Tag, depth: usize) -> Result<ParsedPiece, Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::new(opening.span, format!("`if` nested more than {MAX_DEPTH} levels deep")));
        }
        let mut branches = Vec::new();
        let mut otherwise = None;
        let mut current = opening;
        let opened = current.span.clone();
        loop {
            let condition = match current.word.as_str() {
                "if" | "elif" => Some(condition::parse_within(self.text, current.rest.clone())?),
                _ => None,
            };
            let (pieces, next) = self.pieces(depth)?;
            match condition {
                Some(condition) => branches.push((condition, pieces)),
                None => otherwise = Some(pieces),
            }
            let Some(next) = next else {
                return Err(Fault::new(opened, "unclosed `if`").help("close it with `{% endif %}`"));
            };
            match (next.word.as_str(), &otherwise) {
                ("endif", _) => {
                    self.expect_no_arguments(&next)?;
                    return Ok(Piece::Choice { branches, otherwise: otherwise.unwrap_or_default() });
                }
                ("elif" | "else", Some(_)) => {
                    let fault = Fault::new(next.span, format!("`{}` after `else`", next.word));
                    return Err(if next.word == "elif" {
                        fault.help("`else` is the last branch: move it after the `elif`")
                    } else {
                        fault.help("an `if` has one `else`: write `{% elif CONDITION %}` for a further case")
                    });
                }
                ("else", None) => self.expect_no_arguments(&next)?,
                _ => {}
            }
            current = next;
        }
    }

    /// Reports an `else` or `endif` with anything after the word.
    fn expect_no_arguments(&self, tag: &Tag) -> Result<(), Fault> {
        match Cursor::new(self.text, tag.rest.clone()).next()? {
            None => Ok(()),
            Some((token, span)) => {
                let fault = Fault::new(span.clone(), format!("unexpected {} after `{}`", token.show(), tag.word));
                Err(if tag.word == "else" {
                    let condition = self.text[span.start..tag.rest.end].trim();
                    fault.help(format!(
                        "write `{{% elif {} %}}`",
                        condition.strip_prefix("if").unwrap_or(condition).trim()
                    ))
                } else {
                    fault.help(format!("write `{{% {} %}}`", tag.word))
                })
            }
        }
    }

    /// Parses a tag up to its `%}`.
    fn tag(&mut self) -> Result<Tag, Fault> {
        let span = self.delimited("%}")?;
        let inner = span.start + 2..span.end - 2;
        let text = &self.text[inner.clone()];
        if let Some(sign) = find_trimming(text) {
            return Err(trimming_fault(&inner, text, sign));
        }
        let (word, start) = match Cursor::new(self.text, inner.clone()).next()? {
            Some((Token::Word(word), found)) => (word, found),
            Some((token, found)) => return Err(Fault::new(found, format!("expected a tag, found {}", token.show()))),
            None => return Err(Fault::new(span, "empty tag")),
        };
        if !["if", "elif", "else", "endif"].contains(&word.as_str()) {
            let fault = Fault::new(start, format!("unknown tag `{word}`"));
            let plain = word.to_lowercase().replace(['_', '-'], "");
            return Err(match TAGS.iter().find(|(other, _)| *other == plain) {
                Some((_, tag)) => fault.help(format!("write `{{% {tag} %}}`")),
                None => fault.help("the tags are `if`, `elif`, `else`, `endif`"),
            });
        }
        Ok(Tag { word, span, rest: start.end..inner.end })
    }

    /// Parses `{{ ... }}`.
    fn expression(&mut self) -> Result<ParsedPiece, Fault> {
        let span = self.delimited("}}")?;
        let inner = span.start + 2..span.end - 2;
        let text = &self.text[inner.clone()];
        if let Some(sign) = find_trimming(text) {
            return Err(trimming_fault(&inner, text, sign));
        }
        let mut cursor = Cursor::new(self.text, inner);
        let piece = match cursor.next()? {
            Some((Token::Text(text), _)) => Piece::Text(text),
            Some((Token::Word(word), at)) if word == "available" => Self::available(&mut cursor, at)?,
            Some((Token::Word(word), at)) => match word.split_once('.') {
                Some(("facts", name)) if PORTABLE.accepts(name) => Piece::Fact((name.to_owned(), at)),
                _ => {
                    let fault = Fault::new(at, format!("unknown template expression `{word}`"));
                    return Err(fault.help(expression_help(&word)));
                }
            },
            Some((token, at)) => return Err(Fault::new(at, format!("unknown template expression {}", token.show()))),
            None => return Err(Fault::new(span, "empty template expression")),
        };
        match cursor.next() {
            Ok(None) => Ok(piece),
            Ok(Some((token, at))) => {
                let fault = Fault::new(at, format!("unexpected {} after the expression", token.show()));
                Err(fault.help("an expression has no operators: write `{% if CONDITION %}...{% else %}...{% endif %}`"))
            }
            // An unexpected sign is probably a filter of Jinja.
            Err(fault) => Err(fault.help("filters and operators are not part of the template language")),
        }
    }

    /// Parses the arguments of `available`.
    fn available(cursor: &mut Cursor<'_>, at: Range<usize>) -> Result<ParsedPiece, Fault> {
        let expect = |cursor: &mut Cursor<'_>, sign: &'static str| match cursor.next()? {
            Some((Token::Sign(found), at)) if found == sign => Ok(at),
            Some((token, at)) => Err(Fault::new(at, format!("expected `{sign}`, found {}", token.show()))),
            None => Err(Fault::new(cursor.end(), format!("expected `{sign}`"))),
        };
        expect(cursor, "(")?;
        let (mut tools, mut join) = (Vec::new(), None);
        loop {
            match cursor.next()? {
                Some((Token::Sign(")"), _)) => break,
                Some((Token::Text(name), at)) if join.is_none() => {
                    if tools.iter().any(|(_, known)| *known == name) {
                        return Err(Fault::new(at, format!("`{name}` is named twice")));
                    }
                    tools.push((condition::ParsedAtom { atom: AtomExpr::Tool(name.clone()), span: at }, name));
                }
                Some((Token::Word(word), at)) if word == "join" && join.is_none() => {
                    expect(cursor, "=")?;
                    match cursor.next()? {
                        Some((Token::Text(text), _)) => join = Some(text),
                        _ => return Err(Fault::new(at, "`join` must be a quoted text")),
                    }
                }
                Some((token, at)) => {
                    let fault = Fault::new(at, format!("expected a tool's name in quotes, found {}", token.show()));
                    return Err(fault.help("write `available('a', 'b', join=' or ')`, with `join` last if at all"));
                }
                None => return Err(Fault::new(cursor.end(), "expected `)`")),
            }
            match cursor.next()? {
                Some((Token::Sign(","), _)) => {}
                Some((Token::Sign(")"), _)) => break,
                Some((token, at)) => {
                    return Err(Fault::new(at, format!("expected `,` or `)`, found {}", token.show())));
                }
                None => return Err(Fault::new(cursor.end(), "expected `)`")),
            }
        }
        if tools.is_empty() {
            return Err(Fault::new(at, "`available` needs at least one tool"));
        }
        Ok(Piece::Available { tools, join: join.unwrap_or_else(|| ", ".to_owned()) })
    }

    /// Returns the span from the opening delimiter at the current position to the closing one, and moves past it. Closing
    /// delimiters in quoted texts are ignored.
    fn delimited(&mut self, closing: &str) -> Result<Range<usize>, Fault> {
        let start = self.at;
        let mut quote = None;
        let mut letters = self.text[start + 2..].char_indices();
        while let Some((at, letter)) = letters.next() {
            let at = start + 2 + at;
            match quote {
                None if self.text[at..].starts_with(closing) => {
                    self.at = at + 2;
                    return Ok(start..self.at);
                }
                None if letter == '\'' || letter == '"' => quote = Some(letter),
                Some(_) if letter == '\\' => drop(letters.next()),
                Some(open) if letter == open => quote = None,
                _ => {}
            }
        }
        let opening = &self.text[start..start + 2];
        let fault = Fault::new(start..start + 2, format!("`{opening}` without `{closing}`"));
        Err(fault.help(format!("close it, or write `{{{{ '{opening}' }}}}` for the literal characters")))
    }
}

/// Returns whether two bytes are a delimiter: `{{`, `{%`, `{#`, or one of their closing counterparts.
fn is_delimiter(pair: &[u8]) -> bool {
    matches!(pair, [b'{', b'{' | b'%' | b'#'] | [b'}' | b'%' | b'#', b'}'])
}

/// Appends a text. Adjacent texts are joined.
fn push_text(pieces: &mut Vec<ParsedPiece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(last)) => last.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// Returns the position of `-` or `+` at the start or end of a tag. In Jinja, these characters control the trimming of white space.
fn find_trimming(inner: &str) -> Option<usize> {
    if inner.starts_with(['-', '+']) {
        return Some(0);
    }
    inner.ends_with(['-', '+']).then(|| inner.len() - 1)
}

fn trimming_fault(inner: &Range<usize>, text: &str, at: usize) -> Fault {
    let place = inner.start + at..inner.start + at + 1;
    let fault = Fault::new(
        place,
        format!("`{}` trims white space in Jinja, and is not part of the template language", &text[at..=at]),
    );
    fault.help("remove it, and write the white space that you need")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(pieces: &[ParsedPiece]) -> String {
        let piece = |piece: &ParsedPiece| match piece {
            Piece::Text(text) => format!("{text:?}"),
            Piece::Fact((name, _)) => format!("fact:{name}"),
            Piece::Available { tools, join } => {
                format!("{:?} by {join:?}", tools.iter().map(|(_, name)| name).collect::<Vec<_>>())
            }
            Piece::Choice { branches, otherwise } => {
                let branches: Vec<String> = branches.iter().map(|(_, pieces)| show(pieces)).collect();
                format!("[{} else {}]", branches.join(" elif "), show(otherwise))
            }
        };
        pieces.iter().map(piece).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn templates_contain_text_facts_tools_and_choices() {
        for (text, shown) in [
            ("plain { text }", r#""plain { text }""#),
            ("a{{ facts.x }}b", r#""a" fact:x "b""#),
            ("a {{ '{{' }} b {{'%}'}}", r#""a {{ b %}""#),
            ("{{ available('a', \"b\", join=' or ') }}", r#"["a", "b"] by " or ""#),
            ("{{available('a',)}}", r#"["a"] by ", ""#),
            ("{% if tools.a %}x{% elif tools.b %}y{% else %}z{% endif %}!", r#"["x" elif "y" else "z"] "!""#),
            ("{% if tools.a %}{% if tools.b %}x{% endif %}{% endif %}", r#"[["x" else ] else ]"#),
            ("{% if facts.x == '%}' %}x{% endif %}", r#"["x" else ]"#),
        ] {
            assert_eq!(show(&parse(text).unwrap()), shown, "{text}");
        }
    }

    #[test]
    fn errors_have_the_right_span() {
        for (text, at, message) in [
            ("a{% if tools.a %}b", 1..17, "unclosed `if`"),
            ("a{% endif %}", 1..12, "`endif` without an `if` before it"),
            ("{% if tools.a %}{% else %}{% else %}{% endif %}", 26..36, "`else` after `else`"),
            ("{% for x in y %}", 3..6, "unknown tag `for`"),
            ("{% if %}{% endif %}", 5..5, "expected a condition"),
            ("{{ facts.x | upper }}", 11..12, "unexpected `|`"),
            ("{{ tools.x }}", 3..10, "unknown template expression `tools.x`"),
            ("{{ x", 0..2, "`{{` without `}}`"),
            ("a }} b", 2..4, "unmatched `}}`"),
            ("a {# b #}", 2..4, "comments are not part of the template language"),
            ("{%- if tools.a %}", 2..3, "`-` trims white space in Jinja, and is not part of the template language"),
            ("{{ available() }}", 3..12, "`available` needs at least one tool"),
            ("{{ available('a', 'a') }}", 18..21, "`a` is named twice"),
            ("{{ available('a', join=3) }}", 18..22, "`join` must be a quoted text"),
            ("{% if tools.a and %}x{% endif %}", 17..17, "expected a condition"),
            ("{{ }}", 0..5, "empty template expression"),
            ("{% if tools.a %}{% endif tools.a %}", 25..32, "unexpected `tools.a` after `endif`"),
        ] {
            let fault = parse(text).unwrap_err();
            assert_eq!((fault.span, fault.message.as_str()), (at, message), "{text}");
        }
        let deep = "{% if tools.a %}".repeat(100_000);
        assert!(parse(&deep).unwrap_err().message.contains("deep"));
    }
}
