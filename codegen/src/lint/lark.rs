//! Grammars of Lark, read as far as is necessary to find mistakes. Vendors bind a model to a grammar by a decoder such as llguidance, which
//! reads a variant of Lark. It has no priorities of terminals, no templates, no imports but `common`, and the regular expressions of the
//! Rust crate `regex`. Its extensions, such as `%json {...}`, `<token>` and `name[lazy]: ...`, are accepted here, but not read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use toolc::suggest::nearest;

use crate::manifest::text_pattern_error;

/// The maximum number of names in the definitions of a grammar in which terminals are searched for themselves.
const MAX_USES: usize = 2_000;

/// The terminals of `common`, in llguidance 1.9.1.
const COMMON: &[&str] = &[
    "DIGIT",
    "HEXDIGIT",
    "INT",
    "SIGNED_INT",
    "DECIMAL",
    "_EXP",
    "FLOAT",
    "SIGNED_FLOAT",
    "NUMBER",
    "SIGNED_NUMBER",
    "ESCAPED_STRING",
    "LCASE_LETTER",
    "UCASE_LETTER",
    "LETTER",
    "WORD",
    "CNAME",
    "WS_INLINE",
    "WS",
    "CR",
    "LF",
    "NEWLINE",
    "SH_COMMENT",
    "CPP_COMMENT",
    "C_COMMENT",
    "SQL_COMMENT",
];

/// A mistake in a grammar.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// Its bytes.
    pub(super) span: Range<usize>,
    /// What is wrong.
    pub(super) message: String,
    /// What to do.
    pub(super) help: String,
    /// Whether a decoder accepts the grammar, and reads something else from it.
    pub(super) is_accepted: bool,
}

/// Returns the mistakes in a grammar, in order.
pub(super) fn mistakes(grammar: &str) -> Vec<Mistake> {
    let mut found = Vec::new();
    let tokens = tokens(grammar, &mut found);
    let mut reader = Reader {
        grammar,
        tokens: tokens.into_iter().peekable(),
        found,
        defined: BTreeMap::new(),
        used: Vec::new(),
        imported: BTreeSet::new(),
    };
    reader.read();
    let mut found = reader.found;
    found.sort_by_key(|mistake| mistake.span.start);
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The name of a rule or a terminal, perhaps with `?`, `!` or `_` before it.
    Name,
    String,
    Regex,
    Number,
    /// `%` and a word.
    Directive,
    /// An extension of a decoder: `<token>`, `@grammar`, or `%json` or `%regex` with braces.
    Extension,
    /// `?`, `*` or `+`.
    Repetition,
    Sign(char),
    /// `->`
    Alias,
    /// `..`
    Range,
    LineEnd,
}

type Token = (Kind, Range<usize>);

/// Splits a grammar into tokens. What cannot be read ends them, because nothing after it would be understood.
// This function is long because one `match` has an arm for each kind of token.
fn tokens(grammar: &str, found: &mut Vec<Mistake>) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(sign) = grammar[at..].chars().next() {
        let rest = &grammar[at..];
        let word = |start: usize| {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
            rest[start..].find(|letter| !is_part(letter)).map_or(rest.len(), |end| start + end)
        };
        let prefix = rest.len() - rest.trim_start_matches(['?', '!', '_']).len();
        let first = rest[prefix..].chars().next().filter(char::is_ascii_alphabetic);
        // A name ends where its letters change their case.
        let name = |first: char| {
            let is_part = |letter: char| {
                letter.is_ascii_digit()
                    || letter == '_'
                    || letter == '-'
                    || (letter.is_ascii_alphabetic() && letter.is_ascii_uppercase() == first.is_ascii_uppercase())
            };
            rest[prefix..].find(|letter| !is_part(letter)).map_or(rest.len(), |end| prefix + end)
        };
        let line = rest.find('\n').unwrap_or(rest.len());
        let (kind, length) = match sign {
            '\n' => (Some(Kind::LineEnd), 1),
            ' ' | '\t' | '\r' => (None, 1),
            '#' => (None, line),
            '/' if rest.starts_with("//") => (None, line),
            '"' | '/' => match closed(if sign == '"' { &rest[..line] } else { rest }) {
                Some(length) if sign == '"' => (Some(Kind::String), length),
                Some(length) => (Some(Kind::Regex), length),
                None => {
                    let what = if sign == '"' { "a string" } else { "a regular expression" };
                    let message = format!("{what} of the grammar is not closed");
                    let help = format!("close it with `{sign}`");
                    found.push(Mistake { span: at..at + 1, message, help, is_accepted: false });
                    return tokens;
                }
            },
            '%' if ["%json", "%regex", "%lark", "%llguidance"].contains(&&rest[..word(1)]) => {
                let Some(length) = braces(&rest[word(1)..]) else {
                    let message = format!("the braces of `{}` are not closed", &rest[..word(1)]);
                    let help = "write `{...}` after it".to_owned();
                    found.push(Mistake { span: at..at + word(1), message, help, is_accepted: false });
                    return tokens;
                };
                (Some(Kind::Extension), word(1) + length)
            }
            // Nothing has to follow their names.
            '%' if rest.starts_with("%ignore") || rest.starts_with("%import") => {
                (Some(Kind::Directive), "%ignore".len())
            }
            '%' => (Some(Kind::Directive), word(1)),
            '<' if rest[..line].contains('>') => (Some(Kind::Extension), rest.find('>').map_or(1, |end| end + 1)),
            '@' => (Some(Kind::Extension), word(1)),
            '-' if rest.starts_with("->") => (Some(Kind::Alias), 2),
            '.' if rest.starts_with("..") => (Some(Kind::Range), 2),
            '0'..='9' => (Some(Kind::Number), word(0)),
            _ if first.is_some() => (Some(Kind::Name), first.map_or(0, name)),
            '?' | '*' | '+' => (Some(Kind::Repetition), 1),
            ':' | '|' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | '.' | '~' | '-' | '&' => (Some(Kind::Sign(sign)), 1),
            _ => {
                let message = format!("`{}` has no meaning in a grammar of Lark", sign.escape_debug());
                let help = "write what the text contains as a string, such as `\"a\"`, or as `/a regular expression/`";
                found.push(Mistake {
                    span: at..at + sign.len_utf8(),
                    message,
                    help: help.to_owned(),
                    is_accepted: false,
                });
                return tokens;
            }
        };
        tokens.extend(kind.map(|kind| (kind, at..at + length)));
        at += length;
    }
    tokens
}

/// Returns the length of a string or a regular expression with its flags, or `None` if it is not closed.
fn closed(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, letter)| {
        let is_end = letter == quote && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    });
    let end = end?.0 + 1;
    let flags = if quote == '"' { "i" } else { "imslux" };
    Some(text[end..].find(|letter| !flags.contains(letter)).map_or(text.len(), |flags| end + flags))
}

/// Returns the length of JSON in braces, with the space before it.
fn braces(text: &str) -> Option<usize> {
    let start = text.len() - text.trim_start().len();
    let mut objects =
        serde_json::Deserializer::from_str(&text[start..]).into_iter::<serde_json::Map<String, serde_json::Value>>();
    objects.next()?.ok()?;
    Some(start + objects.byte_offset())
}

struct Reader<'g> {
    grammar: &'g str,
    tokens: Peekable<IntoIter<Token>>,
    found: Vec<Mistake>,
    /// The definitions.
    defined: BTreeMap<&'g str, Range<usize>>,
    /// The names in definitions, each with the name of the terminal if the definition is one.
    used: Vec<(Range<usize>, Option<&'g str>)>,
    imported: BTreeSet<&'g str>,
}

impl<'g> Reader<'g> {
    fn read(&mut self) {
        let is_complete = self.found.is_empty();
        while let Some((kind, span)) = self.tokens.next() {
            match kind {
                Kind::LineEnd | Kind::Extension => {}
                Kind::Directive => self.directive(&span),
                Kind::Name => self.definition(span),
                _ => {
                    let message = format!("expected a definition, found `{}`", &self.grammar[span.clone()]);
                    self.add(
                        span,
                        message,
                        "write a definition, such as `start: \"a\"`, or `|` before a further alternative",
                    );
                    self.skip_item();
                }
            }
        }
        // The rest is unknown.
        if !is_complete {
            return;
        }
        if !self.defined.contains_key("start") {
            self.add(0..0, "the grammar has no rule `start`".to_owned(), "add a rule `start` for the whole text");
        }
        let is_short = self.used.len() <= MAX_USES;
        let mut needed: HashMap<&str, Vec<&str>> = HashMap::new();
        for (span, terminal) in &self.used {
            needed.entry(terminal.unwrap_or_default()).or_default().push(name(&self.grammar[span.clone()]));
        }
        for (span, terminal) in std::mem::take(&mut self.used) {
            let name = name(&self.grammar[span.clone()]);
            if !self.defined.contains_key(name) && !self.imported.contains(name) {
                let near = nearest(name, self.defined.keys().copied());
                let help = near.first().map_or("define it".to_owned(), |near| format!("define it, or write `{near}`"));
                self.add(span, format!("the grammar does not define `{name}`"), &help);
            } else if terminal.is_some() && !is_terminal(name) {
                let message = format!("the rule `{name}` is used in a terminal");
                self.add(span, message, "use only terminals there, whose names are in capital letters");
            } else if is_short && terminal.is_some_and(|terminal| reaches(name, terminal, &needed)) {
                let message = format!("the terminal `{}` contains itself", terminal.unwrap_or_default());
                self.add(span, message, "make it a rule, whose name is in small letters");
            }
        }
    }

    fn add(&mut self, span: Range<usize>, message: String, help: &str) {
        self.found.push(Mistake { span, message, help: help.to_owned(), is_accepted: false });
    }

    /// Removes the next token if it is of a kind.
    fn accept(&mut self, kind: Kind) -> Option<Range<usize>> {
        self.tokens.next_if(|(next, _)| *next == kind).map(|(_, span)| span)
    }

    /// Removes the tokens up to the end of the line.
    fn skip_item(&mut self) {
        while self.tokens.next_if(|(kind, _)| *kind != Kind::LineEnd).is_some() {}
    }

    fn directive(&mut self, span: &Range<usize>) {
        match &self.grammar[span.clone()] {
            "%ignore" => self.alternatives(Some("%ignore")),
            "%import" => self.import(span),
            other => {
                let message = format!("`{other}` is not supported by the decoders of vendors");
                self.add(span.clone(), message, "only `%ignore` and `%import common` are");
                self.skip_item();
            }
        }
    }

    /// Reads `common.NAME`, `common.NAME -> OTHER` or `common (NAME, OTHER)`.
    fn import(&mut self, directive: &Range<usize>) {
        let mut names = Vec::new();
        let mut is_renamed = false;
        let is_part = |(kind, _): &Token| !matches!(kind, Kind::LineEnd | Kind::Directive);
        while let Some((kind, span)) = self.tokens.next_if(is_part) {
            is_renamed |= kind == Kind::Alias;
            if kind == Kind::Name {
                let name = name(&self.grammar[span.clone()]);
                if names.first() == Some(&"common") && !is_renamed && !COMMON.contains(&name) {
                    let near = nearest(name, COMMON.iter().copied());
                    let help =
                        near.first().map_or("define it".to_owned(), |near| format!("define it, or write `{near}`"));
                    self.add(span, format!("`common` does not define `{name}`"), &help);
                }
                names.push(name);
            }
        }
        if names.first() != Some(&"common") {
            let message = "the decoders of vendors import nothing but `common`".to_owned();
            self.add(directive.clone(), message, "copy the definitions into the grammar");
        }
        if is_renamed {
            names.drain(..names.len().saturating_sub(1));
        }
        self.imported.extend(names);
    }

    fn definition(&mut self, span: Range<usize>) {
        let name = name(&self.grammar[span.clone()]);
        if let Some(first) = self.defined.insert(name, span.clone()) {
            let line = self.grammar[..first.start].lines().count().max(1);
            self.add(
                span.clone(),
                format!("`{name}` is defined twice"),
                &format!("line {line} defines it: remove one of them"),
            );
        }
        // Options of a decoder.
        if self.accept(Kind::Sign('[')).is_some() {
            while self.tokens.next_if(|(kind, _)| ![Kind::LineEnd, Kind::Sign(']')].contains(kind)).is_some() {}
            self.accept(Kind::Sign(']'));
        }
        if let Some(template) = self.accept(Kind::Sign('{')) {
            self.add(
                template,
                "templates are not supported by the decoders of vendors".to_owned(),
                "write the rules out",
            );
            return self.skip_item();
        }
        if let Some(priority) = self.accept(Kind::Sign('.')) {
            self.accept(Kind::Sign('-'));
            self.accept(Kind::Number);
            let help = "remove it, and write terminals that do not match the same texts";
            self.add(priority, "priorities are not supported by the decoders of vendors".to_owned(), help);
        }
        if self.accept(Kind::Sign(':')).is_none() {
            self.add(span.clone(), format!("expected `:` after `{name}`"), "write a definition as `name: ...`");
            return self.skip_item();
        }
        self.alternatives(Some(name).filter(|name| is_terminal(name)));
    }

    /// Reads what follows the `:` of a definition. `terminal` is the name of the terminal that it defines, if it defines one.
    // This function is long because one `match` has an arm for each kind of token.
    fn alternatives(&mut self, terminal: Option<&'g str>) {
        let mut open: Vec<(char, Range<usize>)> = Vec::new();
        let (mut is_line_end, mut after_atom) = (false, false);
        while let Some((kind, span)) = self.tokens.peek().cloned() {
            // A definition ends with its line, unless the next one begins with `|`.
            let is_next_line = is_line_end && kind != Kind::LineEnd && kind != Kind::Sign('|');
            if is_next_line || kind == Kind::Directive {
                break;
            }
            is_line_end = kind == Kind::LineEnd;
            self.tokens.next();
            let is_atom =
                matches!(kind, Kind::Name | Kind::String | Kind::Regex | Kind::Extension | Kind::Sign(')' | ']'));
            let was_after_atom = std::mem::replace(&mut after_atom, is_atom);
            match kind {
                // Before a part, `~` negates it.
                Kind::Sign('~') if matches!(self.tokens.peek(), Some((Kind::Number, _))) => self.repetition(span),
                Kind::Repetition | Kind::Sign('{') if !was_after_atom => {
                    let message = format!("`{}` repeats nothing", &self.grammar[span.clone()]);
                    self.add(span, message, "write what is repeated before it");
                    return self.skip_item();
                }
                Kind::Number | Kind::Range => {
                    let message = format!("unexpected `{}` in a definition", &self.grammar[span.clone()]);
                    self.add(span, message, "write a string, such as `\"1\"`, or a range, such as `\"a\"..\"f\"`");
                    return self.skip_item();
                }
                Kind::String => {
                    if let Some(range) = self.accept(Kind::Range)
                        && self.accept(Kind::String).is_none()
                    {
                        self.add(range, "a range of characters has no end".to_owned(), "write it as `\"a\"..\"f\"`");
                    }
                }
                Kind::Name => self.used.push((span, terminal)),
                Kind::Regex => self.regex(&span),
                Kind::Alias => drop(self.accept(Kind::Name)),
                Kind::Sign(sign @ ('(' | '[')) => open.push((sign, span)),
                Kind::Sign(sign @ (')' | ']')) => {
                    let opening = if sign == ')' { '(' } else { '[' };
                    if open.pop().is_none_or(|(last, _)| last != opening) {
                        self.add(
                            span,
                            format!("`{sign}` closes nothing"),
                            &format!("remove it, or write `{opening}` before"),
                        );
                    }
                }
                // `{2}`, `{2,3}` or `{,3}`: a repetition.
                Kind::Sign('{') if matches!(self.tokens.peek(), Some((Kind::Number | Kind::Sign(','), _))) => {
                    while self.tokens.next_if(|(kind, _)| matches!(kind, Kind::Number | Kind::Sign(','))).is_some() {}
                    if self.accept(Kind::Sign('}')).is_none() {
                        self.add(span, "`{` is not closed".to_owned(), "close it with `}`");
                    }
                }
                Kind::Sign('{') => {
                    let message = "templates are not supported by the decoders of vendors".to_owned();
                    self.add(span, message, "write the rules out");
                    return self.skip_item();
                }
                Kind::Sign(sign @ (':' | '}' | ',' | '.' | '-')) => {
                    self.add(
                        span,
                        format!("unexpected `{sign}` in a definition"),
                        "begin each definition in a line of its own",
                    );
                    return self.skip_item();
                }
                Kind::LineEnd | Kind::Directive | Kind::Extension | Kind::Repetition | Kind::Sign(_) => {}
            }
        }
        for (sign, span) in open {
            let closing = if sign == '(' { ')' } else { ']' };
            let help = format!("close it with `{closing}`; only before `|` can a new line begin");
            self.add(span, format!("`{sign}` is not closed"), &help);
        }
    }

    /// Reads the numbers after `~`.
    fn repetition(&mut self, span: Range<usize>) {
        self.accept(Kind::Number);
        if self.accept(Kind::Range).is_some() && self.accept(Kind::Number).is_none() {
            self.add(span, "the repetition has no end".to_owned(), "write it as `~2` or `~2..3`");
        }
    }

    fn regex(&mut self, span: &Range<usize>) {
        let text = &self.grammar[span.clone()];
        let (pattern, flags) = text[1..].rsplit_once('/').unwrap_or((&text[1..], ""));
        let pattern = pattern.replace("\\/", "/");
        let flags: String = flags.chars().filter(|flag| *flag != 'l').collect();
        let pattern = if flags.is_empty() { pattern } else { format!("(?{flags}){pattern}") };
        if let Some(why) = text_pattern_error(&pattern) {
            let help = "use the syntax of the Rust crate `regex`, which has no look-around and no backreferences";
            self.add(span.clone(), format!("invalid regular expression: {why}"), help);
        } else if has_lazy_part(&pattern) {
            let message = "the decoders of vendors ignore `?` after a repetition".to_owned();
            let help = "exclude what ends the repetition, as in `/\"[^\"]*\"/`".to_owned();
            self.found.push(Mistake { span: span.clone(), message, help, is_accepted: true });
        }
    }
}

/// Returns whether a definition needs `target`, directly or through others.
fn reaches(name: &str, target: &str, needed: &HashMap<&str, Vec<&str>>) -> bool {
    let (mut pending, mut seen) = (vec![name], BTreeSet::new());
    while let Some(next) = pending.pop() {
        if next == target {
            return true;
        }
        if seen.insert(next) {
            pending.extend(needed.get(next).into_iter().flatten().copied());
        }
    }
    false
}

/// Returns a name without the signs before it, which only say how a tree is built.
fn name(written: &str) -> &str {
    written.trim_start_matches(['?', '!'])
}

fn is_terminal(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(|letter: char| letter.is_ascii_uppercase())
}

/// Returns whether a regular expression repeats something as few times as possible.
fn has_lazy_part(pattern: &str) -> bool {
    struct Lazy;
    impl regex_syntax::ast::Visitor for Lazy {
        type Output = ();
        type Err = ();

        fn finish(self) -> Result<(), ()> {
            Ok(())
        }

        fn visit_pre(&mut self, ast: &regex_syntax::ast::Ast) -> Result<(), ()> {
            match ast {
                regex_syntax::ast::Ast::Repetition(repetition) if !repetition.greedy => Err(()),
                _ => Ok(()),
            }
        }
    }
    let parsed = regex_syntax::ast::parse::Parser::new().parse(pattern);
    parsed.is_ok_and(|ast| regex_syntax::ast::visit(&ast, Lazy).is_err())
}

#[cfg(test)]
mod tests;
