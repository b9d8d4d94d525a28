//! Almost JSON, as models write it: in Python's spelling (`{'a': True, 'b': [None,],}`), or with line breaks inside of strings.
//!
//! It supports single quotes, Python's constants and escapes, a trailing comma, and line breaks and tabs that are not
//! escaped, also mixed with JSON. Nothing else of Python is supported: no tuples, sets, prefixes, comments or number forms.

use serde_json::{Map, Number, Value};

use crate::number;

/// Returns the array or object in `text`, a string of the arguments, with at most `depth` nested levels.
pub(super) fn parse(text: &str, depth: usize) -> Option<Value> {
    Parser::new(text, false).whole(depth)
}

/// Returns the array or object in `text`, which are the arguments as a whole. A key that occurs twice is not accepted, nor are
/// escapes that JSON does not have: they show that the model did not escape its backslashes, so that others may be wrong.
pub(super) fn parse_arguments(text: &str, depth: usize) -> Option<Value> {
    Parser::new(text, true).whole(depth)
}

/// How a string or a number is written in a value of [`spelled_value`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling<'s> {
    /// The digits of a number.
    Number(&'s str),
    /// The content of a string.
    Text(&'s str),
}

/// The first letter of the strings in which numbers are kept, and of those in which strings are.
const NUMBER: char = 'n';
const TEXT: char = 't';

/// Returns the value in `text`, JSON or almost JSON, with the digits of its numbers: see [`spelling`].
pub(super) fn spelled_value(text: &str) -> Option<Value> {
    Parser { spells: true, ..Parser::new(text, false) }.whole(MAX_SPELLED_DEPTH)
}

/// Returns how a string or a number is written.
pub(super) fn spelling(spelled: &Value) -> Option<Spelling<'_>> {
    let text = spelled.as_str()?;
    text.strip_prefix(NUMBER).map(Spelling::Number).or_else(|| text.strip_prefix(TEXT).map(Spelling::Text))
}

/// Returns the last of several objects, if all of them are equal, except for empty ones before the others: the model or the server has
/// said the arguments twice, or has begun with an empty object.
pub(super) fn last_said(text: &str) -> Option<&str> {
    let mut parser = Parser { spells: true, ..Parser::new(text, true) };
    let mut last: Option<(Value, &str)> = None;
    for _ in 0..MAX_SAID {
        parser.skip_space();
        if parser.at == text.len() {
            return last.map(|(_, text)| text);
        }
        let start = parser.at;
        let value = parser.value(MAX_SPELLED_DEPTH)?;
        let is_repetition =
            last.as_ref().is_none_or(|(before, _)| *before == value || before.as_object().is_some_and(Map::is_empty));
        if !value.is_object() || !is_repetition {
            return None;
        }
        last = Some((value, &text[start..parser.at]));
    }
    None
}

/// The maximum depth of a text that is read for its digits.
const MAX_SPELLED_DEPTH: usize = 127;
/// The maximum number of objects that say the same.
const MAX_SAID: usize = 16;

struct Parser<'s> {
    text: &'s str,
    at: usize,
    /// Whether keys must be unique, and escapes those of JSON.
    strict: bool,
    /// Whether numbers and strings are returned with their [`Spelling`].
    spells: bool,
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, strict: bool) -> Self {
        Self { text, at: 0, strict, spells: false }
    }

    fn whole(mut self, depth: usize) -> Option<Value> {
        let value = self.value(depth)?;
        self.skip_space();
        (self.at == self.text.len()).then_some(value)
    }

    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Skips white space and `byte`, if that comes next.
    fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        match self.peek()? {
            b'[' => self.array(depth.checked_sub(1)?).map(Value::Array),
            b'{' => self.object(depth.checked_sub(1)?).map(Value::Object),
            b'\'' | b'"' if self.spells => Some(format!("{TEXT}{}", self.string()?).into()),
            b'\'' | b'"' => self.string().map(Value::String),
            b'-' | b'0'..=b'9' if self.spells => {
                let start = self.at;
                self.number()?;
                Some(format!("{NUMBER}{}", &self.text[start..self.at]).into())
            }
            b'-' | b'0'..=b'9' => self.number().map(Value::Number),
            _ => self.word(),
        }
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Value>> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.eat(b']') {
            items.push(self.value(depth)?);
            if !self.eat(b',') {
                return self.eat(b']').then_some(items);
            }
        }
        Some(items)
    }

    fn object(&mut self, depth: usize) -> Option<Map<String, Value>> {
        self.at += 1;
        let mut map = Map::new();
        while !self.eat(b'}') {
            let key = self.string()?;
            if !self.eat(b':') {
                return None;
            }
            let value = self.value(depth)?;
            if map.insert(key, value).is_some() && self.strict {
                return None;
            }
            if !self.eat(b',') {
                return self.eat(b'}').then_some(map);
            }
        }
        Some(map)
    }

    fn word(&mut self) -> Option<Value> {
        let words = [
            ("True", Value::Bool(true)),
            ("False", Value::Bool(false)),
            ("None", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Null),
        ];
        let rest = self.rest();
        let (word, value) = words.into_iter().find(|(word, _)| rest.starts_with(word))?;
        self.at += word.len();
        Some(value)
    }

    fn number(&mut self) -> Option<Number> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '+' | '-' | '.' | 'e' | 'E'));
        let text = &rest[..end.unwrap_or(rest.len())];
        self.at += text.len();
        number::parse(text)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek().filter(|b| matches!(b, b'\'' | b'"'))?;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let strict = self.strict;
            let is_stray = |byte: u8| strict && byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t');
            let end = rest.bytes().position(|byte| byte == quote || byte == b'\\' || is_stray(byte))?;
            out.push_str(&rest[..end]);
            self.at += end + 1;
            match rest.as_bytes()[end] {
                b'\\' => self.escape(&mut out)?,
                byte if byte == quote => return Some(out),
                _ => return None,
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        let letter = self.rest().chars().next()?;
        self.at += letter.len_utf8();
        let character = match letter {
            '\'' | '"' | '\\' | '/' => letter,
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => match self.hex(4)? {
                high @ 0xd800..=0xdbff => {
                    self.at += self.rest().starts_with("\\u").then_some(2)?;
                    let low = self.hex(4)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)?
                }
                code => char::from_u32(code)?,
            },
            _ if self.strict => return None,
            'a' => '\u{7}',
            'v' => '\u{b}',
            'x' => char::from_u32(self.hex(2)?)?,
            'U' => char::from_u32(self.hex(8)?)?,
            '0'..='9' | '\n' | '\r' | 'N' => return None,
            // Python keeps the backslash of an unknown escape: '\d' is two characters.
            other => {
                out.push('\\');
                other
            }
        };
        out.push(character);
        Some(())
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest().get(..digits).filter(|t| t.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += digits;
        u32::from_str_radix(text, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_and_python_literals_are_parsed_and_can_be_mixed() {
        for (text, value) in [
            ("[]", json!([])),
            ("{'a': True, \"b\": [None, false,],}", json!({"a": true, "b": [null, false]})),
            (r#" [ 'it\'s', "it's", 'say "hi"' ] "#, json!(["it's", "it's", "say \"hi\""])),
            (r"['\x41\u00e9\U0001f600\ud83d\ude00\n\d+\\']", json!(["Aé😀😀\n\\d+\\"])),
            ("[-1.5e3, 0, 9007199254740993]", json!([-1500.0, 0, 9_007_199_254_740_993_i64])),
            ("{'a': 1, 'a': 2}", json!({"a": 2})),
            ("[\"a\n\tb\", 'c\r\n']", json!(["a\n\tb", "c\r\n"])),
        ] {
            assert_eq!(parse(text, 3), Some(value), "{text}");
        }
    }

    #[test]
    fn other_text_is_not_a_literal() {
        let invalid = "[|[1|[1,|[,]|[1,,2]|[1 2]|{'a'}|{'a':}|{1: 2}|{'a' 1}|(1,)|{1, 2}|[1] 2|['a]|['a\n]|[Truex]|[NaN]|[1_0]|\
                  [007]|[+1]|[0x1]|[1.]|[u'a']|[٣]|['\\ud800']|['\\u12']|['\\x+1']|['\\0']|['\\U00110000']|[1] # c|[[[[1]]]]|";
        for text in invalid.split('|') {
            assert_eq!(parse(text, 3), None, "{text}");
        }
        assert_eq!(parse(&"[".repeat(100_000), 64), None);
    }

    #[test]
    fn whole_arguments_have_unique_keys_and_the_escapes_of_json() {
        let value = json!({"a": "it's \n\u{e9}", "b": [true]});
        assert_eq!(parse_arguments("{'a': 'it\\'s \\n\\u00e9', \"b\": [True,],}", 3), Some(value));
        for text in
            ["{'a': 1, 'a': 2}", r#"{"a": "C:\dir\new",}"#, r"{'a': '\x41'}", r#"{"a": "\*",}"#, "{'a': '\u{1}'}"]
        {
            assert_eq!(parse_arguments(text, 3), None, "{text}");
            assert!(parse(text, 3).is_some(), "{text}");
        }
    }
}
