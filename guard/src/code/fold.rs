//! Computes texts that a program puts together from constants.

use std::collections::BTreeMap;

use super::lex::Kind;
use super::program::{Chain, Program};
use crate::decode;

/// A text that is known in part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folded {
    pub(crate) text: String,
    /// Whether no part is unknown. An unknown part is written as [`UNKNOWN`].
    pub(crate) is_complete: bool,
    /// Whether a part was decoded.
    pub(crate) is_decoded: bool,
    /// The number of pieces.
    pub(crate) pieces: usize,
    /// The elements of the last list.
    pub(crate) list: Vec<String>,
}

/// What stands for an unknown part of a text.
pub(crate) const UNKNOWN: &str = "$X";

/// The maximum depth of expressions, and the maximum size of a text.
const MAX_DEPTH: usize = 12;

/// The texts of variables.
pub(crate) type Texts = BTreeMap<String, Folded>;

impl Folded {
    fn push(&mut self, other: &Self) {
        if self.text.len() + other.text.len() <= decode::MAX_DECODED {
            self.text.push_str(&other.text);
        } else {
            self.is_complete = false;
        }
        self.is_complete &= other.is_complete;
        self.is_decoded |= other.is_decoded;
        // A text can double itself in each line.
        self.pieces = self.pieces.saturating_add(other.pieces);
        self.list.clone_from(&other.list);
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_complete: true, is_decoded: false, pieces: 1, list: Vec::new() }
    }

    fn unknown() -> Self {
        Self { is_complete: false, ..Self::plain(UNKNOWN) }
    }

    fn decoded(text: String) -> Self {
        Self { is_decoded: true, ..Self::plain(text) }
    }
}

/// Returns the text of an expression.
pub(crate) fn fold(program: &Program, texts: &Texts, from: usize, to: usize) -> Folded {
    Folder { program, texts }.range(from, to, MAX_DEPTH)
}

struct Folder<'p> {
    program: &'p Program,
    texts: &'p Texts,
}

impl Folder<'_> {
    fn range(&self, from: usize, to: usize, depth: usize) -> Folded {
        let mut folded = Folded { is_complete: true, ..Folded::default() };
        let Some(depth) = depth.checked_sub(1) else { return Folded::unknown() };
        let mut at = from;
        while at < to.min(self.program.tokens.len()) && self.program.spend(1) {
            let token = &self.program.tokens[at];
            match token.kind {
                Kind::Text | Kind::Number => folded.push(&Folded::plain(token.text.as_str())),
                Kind::Line => {}
                // What a loop does to each element comes before it.
                Kind::Name if token.text == "for" && at > from && self.program.language.name == "python" => break,
                Kind::Name => {
                    at = self.name(at, to, depth, &mut folded);
                    continue;
                }
                Kind::Sign => {
                    at = self.sign(at, to, depth, &mut folded);
                    continue;
                }
            }
            at += 1;
        }
        folded
    }

    fn sign(&self, at: usize, to: usize, depth: usize, folded: &mut Folded) -> usize {
        let program = self.program;
        let close = program.pair[at].min(to);
        match program.tokens[at].text.as_str() {
            "(" => {
                folded.push(&self.range(at + 1, close, depth));
                close + 1
            }
            "[" if program.is(at + 1, ":") && program.is(at + 2, ":") || program.is(at + 1, "::") => {
                // `[::-1]`
                folded.text = folded.text.chars().rev().collect();
                folded.is_decoded = true;
                close + 1
            }
            "[" => {
                let list = self.list(at, close, depth);
                folded.push(&list);
                close + 1
            }
            "{" => {
                folded.push(&Folded::unknown());
                close + 1
            }
            "." | "?." => self.method(at, to, depth, folded),
            "+" | "," | ";" | ")" | "]" | "}" => at + 1,
            "/" => {
                folded.text.push('/');
                at + 1
            }
            _ => {
                folded.is_complete = false;
                at + 1
            }
        }
    }

    fn list(&self, open: usize, close: usize, depth: usize) -> Folded {
        let elements: Vec<Folded> =
            self.program.arguments((open, close)).into_iter().map(|(from, to)| self.range(from, to, depth)).collect();
        let numbers: Option<Vec<u32>> = elements.iter().map(|element| number(&element.text)).collect();
        let mut folded = Folded { is_complete: true, ..Folded::default() };
        if let Some(numbers) = numbers.filter(|numbers| numbers.len() > 3) {
            folded = Folded::decoded(numbers.into_iter().filter_map(char::from_u32).collect());
        } else {
            for element in &elements {
                folded.push(element);
            }
        }
        folded.list = elements.into_iter().map(|element| element.text).collect();
        folded
    }

    /// Reads a chain of names with its call.
    fn name(&self, at: usize, to: usize, depth: usize, folded: &mut Folded) -> usize {
        let Some(chain) = self.program.chain(at) else { return at + 1 };
        let Some((open, close)) = chain.call.filter(|(open, _)| *open < to) else {
            if matches!(
                chain.first.as_str(),
                "await" | "new" | "return" | "async" | "lambda" | "yield" | "as" | "const"
            ) && chain.end == at + 1
            {
                return at + 1;
            }
            let interpreter = match chain.path.as_str() {
                "sys.executable" => Some("python3"),
                "process.execPath" | "process.argv0" => Some("node"),
                _ => None,
            };
            if let Some(interpreter) = interpreter {
                folded.push(&Folded::plain(interpreter));
                return chain.end;
            }
            let known = self
                .texts
                .get(&chain.path)
                .or_else(|| self.texts.get(&chain.first))
                .filter(|_| chain.end == at + 1 || self.texts.contains_key(&chain.path));
            folded.push(&known.cloned().unwrap_or_else(Folded::unknown));
            return chain.end.max(at + 1);
        };
        let close = close.min(to);
        // A method of a value that is known: `X.join(...)`, `X.replace(...)`.
        let owner = chain.path.rsplit_once('.').and_then(|(owner, method)| Some((self.texts.get(owner)?, method)));
        if let Some((text, method)) = owner {
            let mut own = text.clone();
            self.apply(method, (open, close), depth, &mut own);
            folded.push(&own);
            return close + 1;
        }
        folded.push(&self.call(&chain, (open, close), depth));
        close + 1
    }

    fn call(&self, chain: &Chain, call: (usize, usize), depth: usize) -> Folded {
        let arguments = self.program.arguments(call);
        let argument = |index: usize| arguments.get(index).map(|(from, to)| self.range(*from, *to, depth));
        let first = || argument(0).unwrap_or_else(Folded::unknown);
        let decode_first = |decode: fn(&str) -> Option<Vec<u8>>| {
            let own = first();
            match decode(&own.text).filter(|_| own.is_complete) {
                Some(bytes) => Folded::decoded(decode::text_of(&bytes)),
                None => Folded { is_decoded: true, ..Folded::unknown() },
            }
        };
        match chain.last() {
            "b64decode" | "atob" | "urlsafe_b64decode" | "standard_b64decode" | "a2b_base64" | "decodebytes"
            | "base64_decode" | "decode64" | "decode_base64" | "DecodeString" => decode_first(decode::base64),
            "unhexlify" | "fromhex" | "hex2bin" => decode_first(decode::hex),
            "str_rot13" => Folded::decoded(decode::rot13(&first().text)),
            "decode" if chain.path.starts_with("codecs") => {
                match argument(1).map(|encoding| encoding.text.to_lowercase()) {
                    Some(encoding) if encoding.contains("rot") => Folded::decoded(decode::rot13(&first().text)),
                    Some(encoding) if encoding.contains("hex") => decode_first(decode::hex),
                    _ => decode_first(decode::base64),
                }
            }
            "from" if chain.path.ends_with("Buffer.from") => {
                match argument(1).map(|encoding| encoding.text.to_lowercase()).as_deref() {
                    Some("base64" | "base64url") => decode_first(decode::base64),
                    Some("hex") => decode_first(decode::hex),
                    _ => first(),
                }
            }
            "fromCharCode" | "fromCodePoint" | "chr" | "bytes" | "bytearray" => self.characters(call, depth),
            "str" | "String" | "expanduser" | "Path" | "abspath" | "realpath" | "quote" | "fspath" | "toString"
            | "split" | "URL" | "print" | "list" | "tuple" | "glob" | "iglob" | "sorted" | "shlex" => first(),
            "home" | "homedir" | "expandvars" => {
                Folded::plain(if arguments.is_empty() { "~".to_owned() } else { first().text })
            }
            "join" | "joinpath" | "resolve" => {
                let parts: Vec<Folded> = (0..arguments.len()).filter_map(argument).collect();
                let mut folded = Folded { is_complete: true, ..Folded::default() };
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        folded.text.push('/');
                    }
                    folded.push(part);
                }
                folded
            }
            _ => Folded::unknown(),
        }
    }

    /// Returns the letters with these numbers.
    fn characters(&self, call: (usize, usize), depth: usize) -> Folded {
        let mut text = String::new();
        for (from, to) in self.program.arguments(call) {
            let element = self.range(from, to, depth);
            if self.program.is(from, "[") || self.program.is(from, "...") {
                return element;
            }
            // `chr(n) for n in numbers`.
            let numbers: Option<Vec<char>> =
                element.list.iter().map(|text| number(text).and_then(char::from_u32)).collect();
            if let Some(letters) = numbers.filter(|letters| letters.len() > 3) {
                return Folded::decoded(letters.into_iter().collect());
            }
            match number(&element.text).and_then(char::from_u32) {
                Some(letter) => text.push(letter),
                None => return Folded { is_decoded: true, ..Folded::unknown() },
            }
        }
        Folded::decoded(text)
    }

    /// Applies a method to what was read.
    fn method(&self, at: usize, to: usize, depth: usize, folded: &mut Folded) -> usize {
        let Some(name) = self.program.token(at + 1).filter(|token| token.kind == Kind::Name) else { return at + 1 };
        if !self.program.is(at + 2, "(") {
            return at + 2;
        }
        let close = self.program.pair[at + 2].min(to);
        self.apply(&name.text, (at + 2, close), depth, folded);
        close + 1
    }

    fn apply(&self, method: &str, call: (usize, usize), depth: usize, folded: &mut Folded) {
        let arguments = self.program.arguments(call);
        let argument =
            |index: usize| arguments.get(index).map(|(from, to)| self.range(*from, *to, depth)).unwrap_or_default();
        match method {
            // Python: the separator has the method; JavaScript: the list.
            "join" => {
                let first = argument(0);
                let (separator, list) = if self.program.language.name == "python" {
                    (folded.text.clone(), first.list.clone())
                } else {
                    (first.text.clone(), folded.list.clone())
                };
                // What a loop makes of a list is not the list.
                let is_loop = (call.0..call.1).any(|at| self.program.is_name(at, "for"));
                if list.is_empty() || is_loop {
                    let is_reversed_letters = folded.list.is_empty() && separator.is_empty();
                    if self.program.language.name == "python" {
                        folded.text = first.text;
                    } else if !is_reversed_letters {
                        folded.is_complete = false;
                    }
                } else {
                    folded.text = list.join(&separator);
                }
                folded.is_complete &= first.is_complete;
                folded.is_decoded |= first.is_decoded;
                folded.pieces += first.pieces;
            }
            "reverse" => {
                folded.text = folded.text.chars().rev().collect();
                folded.is_decoded = true;
            }
            "replace" | "replaceAll" => {
                let (from, to) = (argument(0).text, argument(1).text);
                if !from.is_empty() && folded.text.len() * (1 + to.len()) <= decode::MAX_DECODED {
                    folded.text = folded.text.replace(&from, &to);
                }
                folded.pieces += 1;
            }
            "decode" | "encode" | "toString" | "strip" | "trim" | "split" | "lower" | "toLowerCase" | "expanduser"
            | "resolve" | "absolute" | "as_posix" | "rstrip" | "lstrip" => {}
            "concat" | "joinpath" => {
                if method == "joinpath" {
                    folded.text.push('/');
                }
                folded.push(&argument(0));
            }
            _ => folded.is_complete = false,
        }
    }
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
