//! JSON in Python's spelling, which models write into strings: `{'a': True, 'b': [None,],}`.
//!
//! It supports single quotes, Python's constants and escapes, and a trailing comma, also mixed with JSON. Nothing else
//! of Python is supported: no tuples, sets, prefixes, comments or number forms.

use serde_json::{Map, Number, Value};

use crate::data::number;

/// Returns the array or object in `text`, with at most `depth` nested levels.
pub(super) fn parse(text: &str, depth: usize) -> Option<Value> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(depth)?;
    parser.skip_space();
    (parser.at == text.len()).then_some(value)
}

struct Parser<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> Parser<'s> {
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
            b'\'' | b'"' => self.string().map(Value::String),
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
            map.insert(key, self.value(depth)?);
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
            let end = rest.bytes().position(|b| b == quote || matches!(b, b'\\' | b'\n' | b'\r'))?;
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
            'a' => '\u{7}',
            'v' => '\u{b}',
            'x' => char::from_u32(self.hex(2)?)?,
            'U' => char::from_u32(self.hex(8)?)?,
            'u' => match self.hex(4)? {
                high @ 0xd800..=0xdbff => {
                    self.at += self.rest().starts_with("\\u").then_some(2)?;
                    let low = self.hex(4)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)?
                }
                code => char::from_u32(code)?,
            },
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
        ] {
            assert_eq!(parse(text, 3), Some(value), "{text}");
        }
    }

    #[test]
    fn other_text_is_not_a_literal() {
        let invalid = "[|[1|[1,|[,]|[1,,2]|[1 2]|{'a'}|{'a':}|{1: 2}|{'a' 1}|(1,)|{1, 2}|[1] 2|['a]|['a\n']|[Truex]|[NaN]|[1_0]|\
                  [007]|[+1]|[0x1]|[1.]|[u'a']|[٣]|['\\ud800']|['\\u12']|['\\x+1']|['\\0']|['\\U00110000']|[1] # c|[[[[1]]]]|";
        for text in invalid.split('|') {
            assert_eq!(parse(text, 3), None, "{text}");
        }
        assert_eq!(parse(&"[".repeat(100_000), 64), None);
    }
}
