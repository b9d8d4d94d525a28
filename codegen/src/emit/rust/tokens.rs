//! Tokens of Rust, and the macro `quote!`, which makes them.
//!
//! The macro has the syntax of the crate `quote`, without nested repetitions. Its tokens are what the printer needs: most are static
//! texts, and operators are whole. With the crate, each word is allocated, checked and read again: gen of 1,000 tools then takes 1.18 times
//! the instructions.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Deref;
use std::rc::Rc;

use proc_macro2::{Delimiter, Ident, Literal, Span};

/// Tokens in a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tokens {
    tokens: Vec<Token>,
    /// The index of an opening `|` of the parameters of a closure.
    open_bar: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name, a literal, or a keyword that is spaced like a name.
    Word(Text),
    /// A keyword with a space after it.
    Keyword(&'static str),
    /// With its apostrophe.
    Lifetime(Text),
    Operator(&'static str),
    /// A line of documentation, including its slashes.
    Doc(Text),
    /// A group. The delimiter is `None` for the parameters of a closure.
    Group(Delimiter, Rc<Inner>),
}

use Token::{Doc, Group, Keyword, Lifetime, Operator, Word};

/// The tokens of a group.
#[derive(Debug, PartialEq)]
pub(super) struct Inner {
    tokens: Vec<Token>,
    /// The least number of columns that the group takes on one line, or `None` if it always takes several.
    min_width: Option<usize>,
}

impl Inner {
    fn new(delimiter: Delimiter, tokens: Vec<Token>) -> Rc<Self> {
        let width = |token: &Token| match token {
            Word(text) | Lifetime(text) | Doc(text) => Some(text.as_str().len()),
            Keyword(text) | Operator(text) => Some(text.len()),
            Group(_, inner) => inner.min_width,
        };
        let always_breaks = delimiter == Delimiter::Brace && is_block(&tokens);
        // The brackets, without a comma that may be omitted.
        let around = 2 - usize::from(matches!(tokens.last(), Some(Operator(","))));
        let inside = if always_breaks { None } else { tokens.iter().map(width).sum::<Option<usize>>() };
        Rc::new(Self { min_width: inside.map(|inside| inside + around), tokens })
    }

    /// Returns whether the group may fit in so many columns.
    pub(super) fn may_fit(&self, columns: usize) -> bool {
        self.min_width.is_some_and(|width| width <= columns)
    }
}

impl Deref for Inner {
    type Target = [Token];

    fn deref(&self) -> &[Token] {
        &self.tokens
    }
}

/// Returns whether the content of braces is always broken into lines: items, statements, fields with documentation.
pub(super) fn is_block(inner: &[Token]) -> bool {
    let needs_lines = |token: &Token| matches!(token, Doc(_) | Operator(";" | "=>" | "#"));
    inner.iter().any(needs_lines) || matches!(inner.first(), Some(Word(word)) if matches!(word.as_str(), "fn" | "pub"))
}

/// The text of a token. It is often copied.
#[derive(Debug, Clone)]
pub(super) enum Text {
    Static(&'static str),
    Shared(Rc<str>),
}

impl Text {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Static(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

const KEYWORDS: &[&str] =
    &["as", "dyn", "else", "for", "if", "impl", "in", "let", "match", "move", "mut", "return", "use", "where"];

fn keyword(word: &str) -> Option<&'static str> {
    KEYWORDS.iter().find(|keyword| **keyword == word).copied()
}

impl Tokens {
    pub(super) fn as_slice(&self) -> &[Token] {
        &self.tokens
    }

    pub(super) fn push(&mut self, token: Token) {
        self.tokens.push(token);
    }

    /// Appends a name or a keyword.
    pub(super) fn word(&mut self, word: &'static str) {
        self.push(if keyword(word).is_some() { Keyword(word) } else { Word(Text::Static(word)) });
    }

    /// Appends a name, a keyword or a literal that is not static.
    pub(super) fn shared(&mut self, word: String) {
        self.push(keyword(&word).map_or_else(|| Word(word.into()), Keyword));
    }

    /// Appends a line of documentation, without line breaks and without space around it.
    pub(super) fn doc(&mut self, line: &str) {
        let gap = if line.is_empty() { "" } else { " " };
        self.push(Doc(["///", gap, line].concat().into()));
    }

    /// Appends an operator. Bars enclose the parameters of a closure.
    pub(super) fn operator(&mut self, operator: &'static str) {
        match (operator, self.open_bar) {
            ("|", None) => self.open_bar = Some(self.tokens.len()),
            ("|", Some(start)) => {
                let parameters = self.tokens.split_off(start);
                self.push(Group(Delimiter::None, Inner::new(Delimiter::None, parameters)));
                self.open_bar = None;
            }
            _ => self.push(Operator(operator)),
        }
    }

    /// Appends a group. One of `#[doc = "..."]` becomes a line of documentation.
    pub(super) fn group(&mut self, delimiter: Delimiter, inner: Self) {
        match documentation(&self.tokens, delimiter, &inner.tokens) {
            Some((hashes, line)) => {
                self.tokens.truncate(self.tokens.len() - hashes);
                self.push(Doc(line.into()));
            }
            None => self.push(Group(delimiter, Inner::new(delimiter, inner.tokens))),
        }
    }
}

/// If `inner` is the content of `#[doc = "..."]`, returns the number of tokens before the brackets and the line as a comment.
fn documentation(before: &[Token], delimiter: Delimiter, inner: &[Token]) -> Option<(usize, String)> {
    let [Word(doc), Operator("="), Word(literal)] = inner else { return None };
    if delimiter != Delimiter::Bracket || doc.as_str() != "doc" {
        return None;
    }
    let (slashes, hashes) = match before {
        [.., Operator("#"), Operator("!")] => ("//!", 2),
        [.., Operator("#")] => ("///", 1),
        _ => return None,
    };
    let comment = |text: &str| {
        // A comment cannot contain a line break, and a line that begins with `////` is not documentation.
        let is_plain = !text.contains(['\n', '\r']) && !text.starts_with('/');
        is_plain.then(|| (hashes, [slashes, text.trim_end()].concat()))
    };
    let literal = literal.as_str();
    if let Some(plain) = raw_text(literal).or_else(|| within_quotes(literal).filter(|plain| !plain.contains('\\'))) {
        return comment(plain);
    }
    comment(&syn::parse_str::<syn::LitStr>(literal).ok()?.value())
}

/// Returns the text of a raw literal.
fn raw_text(literal: &str) -> Option<&str> {
    within_quotes(literal.strip_prefix('r')?.trim_matches('#'))
}

fn within_quotes(literal: &str) -> Option<&str> {
    literal.strip_prefix('"')?.strip_suffix('"')
}

/// What `quote!` can insert.
pub(super) trait ToTokens {
    fn to_tokens(&self, out: &mut Tokens);
}

impl<T: ToTokens + ?Sized> ToTokens for &T {
    fn to_tokens(&self, out: &mut Tokens) {
        (**self).to_tokens(out);
    }
}

impl<T: ToTokens> ToTokens for Option<T> {
    fn to_tokens(&self, out: &mut Tokens) {
        if let Some(some) = self {
            some.to_tokens(out);
        }
    }
}

impl ToTokens for Tokens {
    fn to_tokens(&self, out: &mut Tokens) {
        out.tokens.extend_from_slice(&self.tokens);
    }
}

impl ToTokens for Token {
    fn to_tokens(&self, out: &mut Tokens) {
        out.push(self.clone());
    }
}

impl ToTokens for Ident {
    fn to_tokens(&self, out: &mut Tokens) {
        out.shared(self.to_string());
    }
}

impl ToTokens for bool {
    fn to_tokens(&self, out: &mut Tokens) {
        out.word(if *self { "true" } else { "false" });
    }
}

impl ToTokens for str {
    fn to_tokens(&self, out: &mut Tokens) {
        out.push(string(self));
    }
}

impl ToTokens for String {
    fn to_tokens(&self, out: &mut Tokens) {
        self.as_str().to_tokens(out);
    }
}

impl ToTokens for Cow<'_, str> {
    fn to_tokens(&self, out: &mut Tokens) {
        (**self).to_tokens(out);
    }
}

impl ToTokens for Literal {
    fn to_tokens(&self, out: &mut Tokens) {
        out.shared(self.to_string());
    }
}

/// Returns a name. It must be valid in Rust.
pub(super) fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// Returns the literal of a number without a suffix.
pub(super) fn unsuffixed(number: impl Display) -> Token {
    Word(number.to_string().into())
}

/// Returns a literal as it is.
pub(super) fn literal(text: String) -> Token {
    Word(text.into())
}

/// Returns a string literal. Writing the usual literal takes a fraction of the time of escaping each letter.
pub(super) fn string(text: &str) -> Token {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    let is_plain = text.bytes().all(is_plain);
    literal(if is_plain { ["\"", text, "\""].concat() } else { Literal::string(text).to_string() })
}

/// What `quote!` can repeat: an iterator, which is used up, or a list.
pub(super) trait Items: Iterator + Sized {
    fn items(self) -> Self {
        self
    }
}

impl<I: Iterator> Items for I {}

/// See [`Items`].
pub(super) trait ListItems<T> {
    fn items(&self) -> std::slice::Iter<'_, T>;
}

impl<T> ListItems<T> for [T] {
    fn items(&self) -> std::slice::Iter<'_, T> {
        self.iter()
    }
}

/// Makes [`Tokens`]. `#name` inserts a variable, and `#(...),*` repeats what is in the parentheses for each item of the variables there.
macro_rules! quote {
    ($($tokens:tt)*) => {{
        #[allow(unused_mut, reason = "an empty text changes nothing")]
        let mut out = $crate::emit::rust::tokens::Tokens::default();
        push_tokens!(out $($tokens)*);
        out
    }};
}

macro_rules! push_tokens {
    ($out:ident) => {};
    ($out:ident #($($inner:tt)*)* $($rest:tt)*) => {
        repeat!($out [] [] [$($inner)*] $($inner)*);
        push_tokens!($out $($rest)*);
    };
    ($out:ident #($($inner:tt)*) $separator:tt * $($rest:tt)*) => {
        repeat!($out [] [$separator] [$($inner)*] $($inner)*);
        push_tokens!($out $($rest)*);
    };
    ($out:ident #$name:ident $($rest:tt)*) => {
        $crate::emit::rust::tokens::ToTokens::to_tokens(&$name, &mut $out);
        push_tokens!($out $($rest)*);
    };
    ($out:ident ($($inner:tt)*) $($rest:tt)*) => {
        $out.group(::proc_macro2::Delimiter::Parenthesis, quote!($($inner)*));
        push_tokens!($out $($rest)*);
    };
    ($out:ident [$($inner:tt)*] $($rest:tt)*) => {
        $out.group(::proc_macro2::Delimiter::Bracket, quote!($($inner)*));
        push_tokens!($out $($rest)*);
    };
    ($out:ident {$($inner:tt)*} $($rest:tt)*) => {
        $out.group(::proc_macro2::Delimiter::Brace, quote!($($inner)*));
        push_tokens!($out $($rest)*);
    };
    ($out:ident $token:tt $($rest:tt)*) => {
        push_token!($out $token);
        push_tokens!($out $($rest)*);
    };
}

macro_rules! push_token {
    ($out:ident _) => {
        $out.word("_")
    };
    // A minus would be read as the beginning of a literal.
    ($out:ident -) => {
        $out.operator("-")
    };
    ($out:ident >>) => {
        $out.operator(">");
        $out.operator(">");
    };
    ($out:ident $name:ident) => {
        $out.word(stringify!($name))
    };
    ($out:ident $name:lifetime) => {{
        use $crate::emit::rust::tokens::{Text, Token};
        $out.push(Token::Lifetime(Text::Static(stringify!($name))));
    }};
    ($out:ident $literal:literal) => {{
        use $crate::emit::rust::tokens::{Text, Token};
        $out.push(Token::Word(Text::Static(stringify!($literal))));
    }};
    ($out:ident $operator:tt) => {
        $out.operator(stringify!($operator))
    };
}

/// Collects the variables of a repetition in the first brackets. With all of them, repeats what is in the third ones.
macro_rules! repeat {
    ($out:ident [$($name:ident)*] [] [$($body:tt)*]) => {{
        #[allow(unused_imports, reason = "one of them")]
        use $crate::emit::rust::tokens::{Items as _, ListItems as _};
        $(let mut $name = $name.items();)*
        loop {
            $(let Some($name) = $name.next() else { break };)*
            push_tokens!($out $($body)*);
        }
    }};
    ($out:ident [$($name:ident)*] [$separator:tt] [$($body:tt)*]) => {{
        #[allow(unused_imports, reason = "one of them")]
        use $crate::emit::rust::tokens::{Items as _, ListItems as _};
        $(let mut $name = $name.items();)*
        let mut is_first = true;
        loop {
            $(let Some($name) = $name.next() else { break };)*
            if !std::mem::take(&mut is_first) {
                push_token!($out $separator);
            }
            push_tokens!($out $($body)*);
        }
    }};
    ($out:ident [$($name:ident)*] $separator:tt $body:tt #$next:ident $($rest:tt)*) => {
        repeat!($out [$($name)* $next] $separator $body $($rest)*)
    };
    ($out:ident $names:tt $separator:tt $body:tt ($($inner:tt)*) $($rest:tt)*) => {
        repeat!($out $names $separator $body $($inner)* $($rest)*)
    };
    ($out:ident $names:tt $separator:tt $body:tt [$($inner:tt)*] $($rest:tt)*) => {
        repeat!($out $names $separator $body $($inner)* $($rest)*)
    };
    ($out:ident $names:tt $separator:tt $body:tt {$($inner:tt)*} $($rest:tt)*) => {
        repeat!($out $names $separator $body $($inner)* $($rest)*)
    };
    ($out:ident $names:tt $separator:tt $body:tt $skipped:tt $($rest:tt)*) => {
        repeat!($out $names $separator $body $($rest)*)
    };
}

#[cfg(test)]
pub(super) mod tests {
    use proc_macro2::{Spacing, TokenStream, TokenTree};

    use super::*;

    /// Operators of several characters. Each without its last character is an operator as well.
    const LONG_OPERATORS: &[&str] =
        &["::", "=>", "->", "..", "..=", "||", "&&", "==", "!=", "<=", ">=", "+=", "-=", ".", ":", "="];

    /// Returns the tokens of a Rust text.
    pub(in super::super) fn read(text: &str) -> Tokens {
        read_stream(text.parse().expect("the text is Rust"))
    }

    fn read_stream(stream: TokenStream) -> Tokens {
        let mut out = Tokens::default();
        let mut stream = stream.into_iter().peekable();
        while let Some(token) = stream.next() {
            match token {
                TokenTree::Group(group) => out.group(group.delimiter(), read_stream(group.stream())),
                TokenTree::Ident(name) => out.shared(name.to_string()),
                TokenTree::Literal(literal) => out.push(Word(literal.to_string().into())),
                TokenTree::Punct(first) if first.as_char() == '\'' => {
                    let name = stream.next().expect("a lifetime has a name");
                    out.push(Token::Lifetime(format!("'{name}").into()));
                }
                TokenTree::Punct(first) => {
                    let mut operator = first.as_char().to_string();
                    let mut spacing = first.spacing();
                    while spacing == Spacing::Joint
                        && let Some(TokenTree::Punct(next)) = stream.peek()
                        && LONG_OPERATORS.contains(&&*format!("{operator}{}", next.as_char()))
                    {
                        operator.push(next.as_char());
                        spacing = next.spacing();
                        stream.next();
                    }
                    out.operator(operator.leak());
                }
            }
        }
        out
    }

    #[test]
    fn the_macro_makes_the_tokens_of_its_text() {
        macro_rules! both {
            ($($tokens:tt)*) => {
                (quote!($($tokens)*), read(stringify!($($tokens)*)))
            };
        }
        let (made, expected) = both! {
            //! About "the" file.
            #![allow(dead_code)]
            /// Documented.
            #[doc = "Two\nlines."]
            #[doc = " With \"quotes\"."]
            pub struct S<'a, T: A + B> { pub a: &'a T, pub r#type: Map<String, Vec<Vec<(i64,)>>> }
            impl<T> From<::a::B<'_>> for S<'static, T> where T: ?Sized, {
                fn f(&mut self, _: u8) -> impl Future<Output = Result<Vec<Option<T>>, ()>> + Send {
                    let x = a(move |y, z| y - -1, || !true, 'c', b"text", 1.5e-3);
                    match x { 0..=4 if x == 1 && y != 2 => self.b(x)?, _ => C { a: 1, ..C::D } }
                }
            }
        };
        assert_eq!(made, expected);
    }

    #[test]
    fn variables_are_inserted_and_repeated() {
        let (name, none, list) = (ident("x"), None::<Tokens>, [quote!(a: u8), quote!(b)]);
        let (count, texts) = (unsuffixed(3), ["plain", "\"\n"].into_iter());
        let made = quote! {
            #[doc = #name] fn #name(#(#list),*) { #none [#(#list)*]; #(g(#texts, #list);)* #count }
        };
        let expected = "#[doc = x] fn x(a: u8, b) { [a: u8 b]; g(\"plain\", a: u8); g(\"\\\"\\n\", b); 3 }";
        assert_eq!(made, read(expected));
    }
}
