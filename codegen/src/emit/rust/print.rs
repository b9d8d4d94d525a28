//! Formats tokens as Rust source text. The emitters make the tokens with `quote!`.
//!
//! This is not a formatter for all of Rust: it supports only what is emitted here, which are items, types, literals, calls,
//! `match` and closures. It is faster than prettyplease, which needs a syntax tree: with prettyplease in its place, gen
//! takes 1.4 times the processor time for 10,000 tools in one dialect. The output has the same tokens as the input, except
//! for commas before closing brackets.

use std::fmt::Write as _;
use std::ops::Range;

use proc_macro2::{Delimiter, Ident, Punct, Spacing, TokenStream, TokenTree};

/// The maximum width of a line, in bytes. A longer literal exceeds it.
const WIDTH: usize = 120;

/// The number of spaces of each level of indentation.
const STEP: usize = 4;

/// Formats items that are nested in `levels` modules, without empty lines around them.
pub(super) fn print(tokens: TokenStream, levels: usize) -> String {
    let mut printer = Printer { out: String::new(), line_start: 0, indent: levels * STEP, width: WIDTH };
    printer.elements(&read(tokens), true);
    printer.out.push('\n');
    printer.out
}

/// Formats an expression without `match` and closures on one line.
pub(super) fn print_line(tokens: TokenStream) -> String {
    let mut printer = Printer { out: String::new(), line_start: 0, indent: 0, width: usize::MAX };
    printer.sequence(&read(tokens), 0);
    printer.out
}

enum Token {
    /// A name, a literal, or a keyword that is spaced like a name.
    Word(TokenTree),
    /// A keyword with a space after it.
    Keyword(&'static str),
    Lifetime(Ident),
    Operator(&'static str),
    /// A line of documentation, including its slashes.
    Doc(String),
    /// A group. The delimiter is `None` for the parameters of a closure.
    Group(Delimiter, Vec<Token>),
}

use Token::{Doc, Group, Keyword, Lifetime, Operator, Word};

const KEYWORDS: &[&str] =
    &["as", "dyn", "else", "for", "if", "impl", "in", "let", "match", "move", "mut", "return", "use", "where"];

/// Operators of one character.
const SHORT_OPERATORS: &str = ":,=&.<>#|-;!+*?'@/%^$~";

/// Operators of several characters. Each without its last character is an operator as well. `<` and `>` are brackets, never
/// parts of shifts.
const LONG_OPERATORS: &[&str] = &["::", "=>", "->", "..", "..=", "||", "&&", "==", "!=", "<=", ">=", "+=", "-="];

fn read(tokens: TokenStream) -> Vec<Token> {
    let mut out = Vec::new();
    // The index of an opening `|` of closure parameters.
    let mut open_bar = None;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (delimiter, inner) = (group.delimiter(), group.stream());
                // Without the group, the stream has one owner, and iterating over it does not copy it.
                drop(group);
                let inner = read(inner);
                match documentation(&out, &inner) {
                    Some((hashes, line)) => {
                        out.truncate(out.len() - hashes);
                        out.push(Doc(line));
                    }
                    None if delimiter == Delimiter::None => out.extend(inner),
                    None => out.push(Group(delimiter, inner)),
                }
            }
            TokenTree::Ident(ident) => {
                let keyword = KEYWORDS.iter().find(|keyword| ident == **keyword);
                out.push(keyword.map_or_else(|| Word(ident.into()), |keyword| Keyword(keyword)));
            }
            TokenTree::Literal(_) => out.push(Word(token)),
            TokenTree::Punct(punct) => match (punct.as_char(), tokens.peek()) {
                ('\'', Some(TokenTree::Ident(name))) => {
                    out.push(Lifetime(name.clone()));
                    tokens.next();
                }
                _ => match (operator(&punct, &mut tokens), open_bar) {
                    ("|", None) => open_bar = Some(out.len()),
                    ("|", Some(start)) => {
                        let parameters = out.split_off(start);
                        out.push(Group(Delimiter::None, parameters));
                        open_bar = None;
                    }
                    (operator, _) => out.push(Operator(operator)),
                },
            },
        }
    }
    out
}

/// Returns the longest operator that begins with `first`.
fn operator(first: &Punct, rest: &mut std::iter::Peekable<impl Iterator<Item = TokenTree>>) -> &'static str {
    let index = SHORT_OPERATORS.find(first.as_char()).unwrap_or_else(|| unreachable!("`{first}` is not an operator"));
    let mut found = &SHORT_OPERATORS[index..=index];
    let mut spacing = first.spacing();
    while spacing == Spacing::Joint
        && let Some(TokenTree::Punct(next)) = rest.peek()
        && let Some(longer) = LONG_OPERATORS
            .iter()
            .find(|longer| longer.strip_prefix(found) == Some(next.as_char().encode_utf8(&mut [0; 4])))
    {
        (found, spacing) = (longer, next.spacing());
        rest.next();
    }
    found
}

/// If `inner` is the content of `#[doc = "..."]`, returns the number of tokens before the brackets and the line as a comment.
fn documentation(before: &[Token], inner: &[Token]) -> Option<(usize, String)> {
    let [Word(TokenTree::Ident(doc)), Operator("="), Word(TokenTree::Literal(text))] = inner else { return None };
    let (slashes, hashes) = match before {
        [.., Operator("#"), Operator("!")] => ("//!", 2),
        [.., Operator("#")] => ("///", 1),
        _ => return None,
    };
    let written = text.to_string();
    let plain = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let text = match plain.filter(|plain| !plain.contains('\\')) {
        Some(plain) => plain.to_owned(),
        None => match syn::Lit::new(text.clone()) {
            syn::Lit::Str(text) => text.value(),
            _ => return None,
        },
    };
    // A comment cannot contain a line break, and a line that begins with `////` is not documentation.
    let is_plain = !text.contains(['\n', '\r']) && !text.starts_with('/');
    (doc == "doc" && is_plain).then(|| (hashes, format!("{slashes}{}", text.trim_end())))
}

struct Printer {
    out: String,
    /// The offset of the start of the last line.
    line_start: usize,
    indent: usize,
    width: usize,
}

impl Printer {
    /// Prints the elements of a file or a block, each on its own lines. If the elements are `items`, those of several lines have
    /// empty lines around them.
    fn elements(&mut self, mut rest: &[Token], items: bool) {
        let is_list = !items && rest.iter().any(|token| matches!(token, Operator(",")));
        let mut is_previous_long: Option<bool> = None;
        while !rest.is_empty() {
            let (element, after) = rest.split_at(element_end(rest, items));
            let start = self.out.len();
            self.element(element);
            if is_list && matches!(element.last(), Some(Word(_) | Group(..) | Operator(">"))) {
                self.out.push(',');
            }
            let is_long = is_inner(element) || self.out[start..].trim_start().contains('\n');
            if items && is_previous_long.is_some_and(|is_previous_long| is_previous_long || is_long) {
                self.out.insert(start, '\n');
                self.line_start += 1;
            }
            is_previous_long = Some(is_long);
            rest = after;
        }
    }

    /// Prints an element. Each line of documentation and each attribute before it is on its own line.
    fn element(&mut self, mut rest: &[Token]) {
        loop {
            let length = match rest {
                [] => return,
                [Doc(_), ..] => 1,
                [Operator("#"), Group(..), ..] => 2,
                [Operator("#"), Operator("!"), Group(..), ..] => 3,
                _ => rest.len(),
            };
            let (first, after) = rest.split_at(length);
            self.new_line(0);
            self.sequence(first, 0);
            rest = after;
        }
    }

    /// Prints tokens in a row, so that `reserved` more columns fit after them. Groups that do not fit are printed on several lines.
    fn sequence(&mut self, tokens: &[Token], reserved: usize) {
        for (index, token) in tokens.iter().enumerate() {
            // The body of a function with a `where` clause begins on a new line.
            let is_body_after_where = matches!(token, Group(Delimiter::Brace, _)) && ends_with(&tokens[..index], ",");
            match token {
                Keyword("where") => self.new_line(0),
                _ if is_body_after_where => self.new_line(0),
                // A trait bound that does not fit begins a new line.
                _ if ends_with(&tokens[..index], "+") && !self.fits(tokens, index..bound_end(tokens, index)) => {
                    self.new_line(1);
                }
                _ if index > 0 && has_gap(tokens, index) => self.out.push(' '),
                _ => {}
            }
            let Group(delimiter, inner) = token else {
                self.token(token);
                continue;
            };
            let start = self.out.len();
            // The group stays on this line if the tokens up to the next group fit as well.
            let next = next_group(tokens, index + 1);
            // A space and the bracket of the next group need two columns.
            let needed = if next < tokens.len() { 2 } else { reserved };
            if !is_body_after_where && self.flat(tokens, index) {
                let end = self.out.len();
                let fits = self.flat_all(tokens, index + 1..next) && self.column() + needed <= self.width;
                self.out.truncate(end);
                if fits {
                    continue;
                }
            }
            self.out.truncate(start);
            self.broken(*delimiter, inner, contains_items(&tokens[..index]), reserved);
        }
    }

    /// Prints a group on several lines.
    fn broken(&mut self, delimiter: Delimiter, inner: &[Token], items: bool, reserved: usize) {
        let (open, close) = brackets(delimiter);
        self.out.push_str(open);
        if delimiter == Delimiter::Brace && is_block(inner) {
            self.indent += STEP;
            self.elements(inner, items);
            self.indent -= STEP;
            self.new_line(0);
        } else {
            let parts = parts(inner);
            if let [only] = parts.as_slice()
                && delimiter != Delimiter::Brace
            {
                self.sequence(only, reserved + 1);
            } else {
                self.parts_on_lines(&parts, parts.len() > 1 || ends_with(inner, ","));
            }
        }
        self.out.push_str(close);
    }

    /// Prints the parts of a group on indented lines, with a comma after each one if `has_commas`.
    fn parts_on_lines(&mut self, parts: &[&[Token]], has_commas: bool) {
        self.indent += STEP;
        // A list of names has several names per line.
        let are_names = parts.iter().all(|part| matches!(part, [Word(_)]));
        for (index, part) in parts.iter().enumerate() {
            if are_names && index > 0 && self.fits(part, 0..1) {
                self.out.push(' ');
            } else {
                self.new_line(0);
            }
            self.sequence(part, 1);
            // Rust allows no comma after the base of a struct (`..base`).
            let is_base = matches!(part.first(), Some(Operator("..")));
            if !is_base && has_commas {
                self.out.push(',');
            }
        }
        self.indent -= STEP;
        self.new_line(0);
    }

    /// Prints a token on the current line. Returns `false` if it does not fit; part of it may have been written then.
    fn flat(&mut self, tokens: &[Token], index: usize) -> bool {
        let Group(delimiter, inner) = &tokens[index] else {
            self.token(&tokens[index]);
            return self.column() <= self.width;
        };
        let is_brace = *delimiter == Delimiter::Brace;
        if is_brace && is_block(inner) {
            return false;
        }
        // `use a::{b, c}` has no spaces inside its braces.
        let is_padded = is_brace && !inner.is_empty() && !ends_with(&tokens[..index], "::");
        let (open, close) = brackets(*delimiter);
        self.out.push_str(open);
        // A tuple with one element needs its comma; a call does not.
        let is_call = index > 0 && !has_gap(tokens, index);
        let needs_comma = *delimiter == Delimiter::Parenthesis && !is_call && parts(inner).len() == 1;
        let end = inner.len() - usize::from(!needs_comma && ends_with(inner, ","));
        if is_padded {
            self.out.push(' ');
        }
        if !self.flat_all(inner, 0..end) {
            return false;
        }
        if is_padded {
            self.out.push(' ');
        }
        self.out.push_str(close);
        self.column() <= self.width
    }

    /// Prints tokens on the current line, as [`flat`](Self::flat) does.
    fn flat_all(&mut self, tokens: &[Token], range: Range<usize>) -> bool {
        for index in range {
            if index > 0 && has_gap(tokens, index) {
                self.out.push(' ');
            }
            if !self.flat(tokens, index) {
                return false;
            }
        }
        true
    }

    /// Returns whether these tokens, a space before them, and a space and a bracket after them fit on the current line.
    fn fits(&mut self, tokens: &[Token], range: Range<usize>) -> bool {
        let start = self.out.len();
        let fits = self.flat_all(tokens, range) && self.column() + 3 <= self.width;
        self.out.truncate(start);
        fits
    }

    fn token(&mut self, token: &Token) {
        match token {
            Word(word) => {
                let _ = write!(self.out, "{word}");
            }
            Lifetime(name) => {
                let _ = write!(self.out, "'{name}");
            }
            Keyword(text) | Operator(text) => self.out.push_str(text),
            Doc(line) => self.out.push_str(line),
            Group(..) => unreachable!("groups are printed by `flat` and `broken`"),
        }
    }

    fn new_line(&mut self, levels: usize) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.line_start = self.out.len();
        self.out.extend(std::iter::repeat_n(' ', self.indent + levels * STEP));
    }

    /// Returns the length of the current line, in bytes.
    fn column(&self) -> usize {
        self.out.len() - self.line_start
    }
}

/// Returns whether the tokens begin with inner documentation (`//!`) or an inner attribute (`#![..]`).
fn is_inner(tokens: &[Token]) -> bool {
    match tokens {
        [Doc(line), ..] => line.starts_with("//!"),
        [Operator("#"), Operator("!"), Group(..), ..] => true,
        _ => false,
    }
}

/// Returns the end of the first element. An element ends after inner attributes, a `;` or a block. If the elements are not items, it
/// also ends after a `,`.
fn element_end(tokens: &[Token], items: bool) -> usize {
    let mut end = 0;
    while is_inner(&tokens[end..]) {
        // `//!` is one token, `#![..]` is three.
        end += if matches!(tokens[end], Doc(_)) { 1 } else { 3 };
    }
    if end > 0 {
        return end;
    }
    let mut angles = 0;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Operator("<") => angles += 1,
            Operator(">") => angles -= 1,
            Operator(";") => return index + 1,
            Operator(",") if !items && angles == 0 => return index + 1,
            Group(Delimiter::Brace, _) => match tokens.get(index + 1) {
                // An attribute or a path, such as that of a macro, begins the next element. Other operators continue this one.
                Some(Operator(operator)) if !matches!(*operator, "#" | "::") => {}
                Some(Keyword("as" | "else")) => {}
                _ => return index + 1,
            },
            _ => {}
        }
    }
    tokens.len()
}

/// Splits tokens at their commas.
fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let mut angles = 0;
    let is_end = |token: &Token| {
        match token {
            Operator("<") => angles += 1,
            Operator(">") => angles -= 1,
            _ => {}
        }
        angles == 0 && matches!(token, Operator(","))
    };
    let mut parts: Vec<&[Token]> = tokens.split(is_end).collect();
    // Nothing follows a trailing comma.
    parts.pop_if(|part| part.is_empty());
    parts
}

/// Returns whether the content of braces is always broken into lines: items, statements, fields with documentation.
fn is_block(inner: &[Token]) -> bool {
    let needs_lines = |token: &Token| matches!(token, Doc(_) | Operator(";" | "=>" | "#"));
    inner.iter().any(needs_lines)
        || matches!(inner.first(), Some(Word(TokenTree::Ident(word))) if word == "fn" || word == "pub")
}

/// Returns whether the braces that follow `before` contain items.
fn contains_items(before: &[Token]) -> bool {
    let decides = |token: &Token| match token {
        Keyword("impl") => Some(true),
        Word(TokenTree::Ident(word)) if word == "mod" || word == "trait" => Some(true),
        Word(TokenTree::Ident(word)) if word == "fn" => Some(false),
        _ => None,
    };
    before.iter().find_map(decides).unwrap_or(false)
}

/// Returns the index of the next group that can be broken, or the number of tokens.
fn next_group(tokens: &[Token], from: usize) -> usize {
    let can_break = |token: &Token| matches!(token, Group(_, inner) if !inner.is_empty());
    tokens[from..].iter().position(can_break).map_or(tokens.len(), |at| from + at)
}

/// Returns the end of a trait bound: the index of the next `+`, `,` or group, or the number of tokens.
fn bound_end(tokens: &[Token], from: usize) -> usize {
    let ends = |token: &Token| matches!(token, Operator("+" | ",") | Group(..));
    tokens[from..].iter().position(ends).map_or(tokens.len(), |at| from + at)
}

fn ends_with(tokens: &[Token], operator: &str) -> bool {
    matches!(tokens.last(), Some(Operator(last)) if *last == operator)
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::None => ("|", "|"),
    }
}

/// Returns whether there is a space before a token that is not the first one.
fn has_gap(tokens: &[Token], index: usize) -> bool {
    const ROUND: Delimiter = Delimiter::Parenthesis;
    const SQUARE: Delimiter = Delimiter::Bracket;
    match (&tokens[index - 1], &tokens[index]) {
        (Operator("::" | "." | ".." | "..=" | "<" | "&" | "*" | "#"), _)
        | (
            Operator("!"),
            Word(_) | Keyword(_) | Lifetime(_) | Operator(_) | Doc(_) | Group(ROUND | SQUARE | Delimiter::None, _),
        )
        | (_, Operator("," | ";" | ":" | "." | "?" | ">"))
        | (Word(_), Operator("!" | ".." | "..=" | "<"))
        | (Keyword("impl" | "for"), Operator("<")) => false,
        (before, Operator("::") | Group(ROUND | SQUARE, _)) => {
            !matches!(before, Word(_) | Operator(">") | Group(ROUND | SQUARE, _))
        }
        // A space follows the operator of a subtraction, but not the sign of a number.
        (Operator("-"), _) => matches!(&tokens[..index - 1], [.., Word(_) | Operator(">") | Group(..)]),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn emitted_code_is_formatted() {
        let long = "x".repeat(100);
        let tokens = quote! {
            //! About the file.
            #![allow(dead_code)]
            use ::a::{B, C};
            use ::a::*;
            /// Documented.
            #[derive(Debug)]
            pub struct S<'a, T: A + B> { pub a: &'a T, #[doc = "Two\nlines."] pub b: Map<String, (i64,)> }
            pub enum E { A, B(u8) }
            impl<T> From<::a::B<'_>> for S<'static, T> where T: A, {
                type X = T;
                fn short(&self) -> &[T] { &*self.0 }
                fn long(&mut self, a: usize, b: &'static str) -> impl ::core::future::Future<Output = Result<Vec<Option<T>>, ()>> + Send {
                    let x = ::a::b(move |y, z| y - -1, || !true);
                    match x { 0..=4 if x == 1 => self.b(x)?, _ => C { a: 1, ..C::D } }
                }
            }
            mod m { const X: &[X] = &[X::Y(Borrowed(#long)), X { a: [1, 2,] }]; static Y: &[(u8, Y)] = &[]; }
        };
        let text = print(tokens, 0);
        assert_eq!(
            text,
            format!(
                r#"//! About the file.
#![allow(dead_code)]

use ::a::{{B, C}};
use ::a::*;

/// Documented.
#[derive(Debug)]
pub struct S<'a, T: A + B> {{
    pub a: &'a T,
    #[doc = "Two\nlines."]
    pub b: Map<String, (i64,)>,
}}

pub enum E {{ A, B(u8) }}

impl<T> From<::a::B<'_>> for S<'static, T>
where T: A,
{{
    type X = T;
    fn short(&self) -> &[T] {{ &*self.0 }}

    fn long(
        &mut self,
        a: usize,
        b: &'static str,
    ) -> impl ::core::future::Future<Output = Result<Vec<Option<T>>, ()>> + Send {{
        let x = ::a::b(move |y, z| y - -1, || !true);
        match x {{
            0..=4 if x == 1 => self.b(x)?,
            _ => C {{ a: 1, ..C::D }},
        }}
    }}
}}

mod m {{
    const X: &[X] = &[
        X::Y(Borrowed("{long}")),
        X {{ a: [1, 2] }},
    ];

    static Y: &[(u8, Y)] = &[];
}}
"#
            )
        );
        assert_eq!(print(text.parse().unwrap(), 0), text);
    }

    /// Appends the texts of names, operators, literals and brackets, without commas before closing brackets.
    fn push_texts(tokens: TokenStream, out: &mut Vec<String>) {
        for token in tokens {
            if let TokenTree::Group(group) = token {
                let (open, close) = brackets(group.delimiter());
                out.push(open.to_owned());
                push_texts(group.stream(), out);
                out.pop_if(|last| last == ",");
                out.push(close.to_owned());
            } else {
                out.push(token.to_string());
            }
        }
    }

    #[test]
    fn formatting_keeps_the_tokens() {
        let bounds = (0..40).map(|index| quote::format_ident!("Bound{index}"));
        let elements: Vec<_> =
            (0..40).map(|index| quote!(Some::<Long<Name>>(-#index, "text", b"text", 'c', 1.5e-3))).collect();
        let tokens = quote! {
            pub(crate) fn f<T: #(#bounds)+*>(x: Box<dyn Fn(&'_ T) -> Vec<Vec<T>> + 'static>) -> [T; 4] where T: for<'a> X<'a>, {
                if let Some(x) = y && !z || a != b { return x.0[1]?.await; } else { loop { break 'a; } }
                x += macro_call![a; b] as ::core::primitive::u8 % 4;
                [#(#elements),*]
            }
            #[cfg_attr(any(a, b = "c"), d(e))]
            const _: () = { #(#elements;)* };
            static EMPTY: () = ();
            trait A: B { const C: u8; type D: ?Sized; fn e(self: Self, (a, _): (u8, u16)); }
            enum F { G { h: u8 }, I(u8,), J = 4 }
            use self::{a::{b, c as d}, super::*, crate::e};
        };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        push_texts(tokens.clone(), &mut before);
        push_texts(print(tokens, 0).parse().unwrap(), &mut after);
        assert_eq!(before, after);
    }
}
