//! Finds the keys and values of a TOML text that may be broken, because its author is still typing.

use std::ops::Range;

/// The maximum number of keys on the way to a value, and of brackets around it. What is deeper is not found.
const MAX_DEPTH: usize = 64;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A part of the header of a table.
    Header,
    /// A part of a key.
    Key,
    /// A string. The range is between its quotes.
    Text,
    /// Another value.
    Other,
}

/// A part of a key, or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// The keys that lead to it, itself included if it is a key. Items of an array have the path of the array.
    pub(crate) path: Vec<String>,
    pub(crate) role: Role,
    pub(crate) range: Range<usize>,
}

/// What can be written at the end of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Slot {
    /// Nothing that can be completed.
    #[default]
    None,
    /// A part of the header of a table below `path`.
    Header { path: Vec<String>, start: usize },
    /// A key of the table at `path`.
    Key { path: Vec<String>, start: usize },
    /// A value of the key at `path`.
    Value { path: Vec<String>, start: usize, quoted: bool },
}

/// The keys and values of a text.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// In the order of the text.
    pub(crate) nodes: Vec<Node>,
    /// What can be written at the end of the text.
    pub(crate) slot: Slot,
}

impl Scan {
    /// Returns the node at a byte. Its end counts as well.
    pub(crate) fn at(&self, offset: usize) -> Option<&Node> {
        self.nodes
            .iter()
            .filter(|node| node.range.start <= offset && offset <= node.range.end)
            .min_by_key(|node| node.range.len())
    }
}

/// Finds the keys and values of a text.
pub(crate) fn scan(text: &str) -> Scan {
    let mut scanner = Scanner { text, at: 0, found: Scan::default() };
    scanner.document();
    scanner.found
}

/// The text after a position is not what the brackets around it expect: it is read as the next key.
struct Astray;

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    found: Scan,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
    }

    fn blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    }

    /// Skips white space, line breaks and comments.
    fn gap(&mut self) {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace());
            if self.peek() != Some(b'#') {
                return;
            }
            self.line();
        }
    }

    /// Skips the rest of the line, in which nothing can be completed.
    fn line(&mut self) {
        let slot = std::mem::take(&mut self.found.slot);
        self.skip_while(|byte| byte != b'\n');
        if self.at < self.text.len() {
            self.found.slot = slot;
        }
    }

    fn push(&mut self, path: &[String], role: Role, range: Range<usize>) {
        self.found.nodes.push(Node { path: path.to_vec(), role, range });
    }

    fn document(&mut self) {
        let mut table: Vec<String> = Vec::new();
        loop {
            // After the last word of the text, the slot is the one of that word.
            if self.at == self.text.len() && self.at > 0 {
                return;
            }
            self.found.slot = Slot::Key { path: table.clone(), start: self.at };
            self.gap();
            if self.peek().is_none() {
                if let Slot::Key { start, .. } = &mut self.found.slot {
                    *start = self.at;
                }
                return;
            }
            let start = self.at;
            let is_astray = match self.peek() {
                Some(b'[') => {
                    table = self.header();
                    false
                }
                _ => self.entry(&table, 0).is_err(),
            };
            self.blanks();
            let is_first_in_line = self.text[..self.at].trim_end_matches([' ', '\t']).ends_with('\n');
            // What follows a broken value in its line is skipped, unless it is a key of a next line.
            let is_next_key = is_astray && is_first_in_line && self.at > start;
            if !is_next_key && !matches!(self.peek(), Some(b'\n') | None) {
                self.line();
            }
        }
    }

    fn header(&mut self) -> Vec<String> {
        self.skip_while(|byte| byte == b'[');
        let path = self.dotted(&[], Role::Header);
        self.blanks();
        if self.peek() == Some(b']') {
            self.skip_while(|byte| byte == b']');
            self.found.slot = Slot::None;
        }
        path
    }

    /// Reads the parts of a key, and returns the path with them.
    fn dotted(&mut self, before: &[String], role: Role) -> Vec<String> {
        let mut path = before.to_vec();
        loop {
            self.blanks();
            let (parent, start) = (path.clone(), self.at);
            self.found.slot = match role {
                Role::Header => Slot::Header { path: parent, start },
                _ => Slot::Key { path: parent, start },
            };
            let range = if let Some(quote @ (b'"' | b'\'')) = self.peek() {
                self.short_string(quote)
            } else {
                self.skip_while(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$') || byte >= 0x80
                });
                start..self.at
            };
            if range.is_empty() || path.len() >= MAX_DEPTH {
                return path;
            }
            path.push(self.text[range.clone()].to_owned());
            self.push(&path, role, range);
            if self.at < self.text.len() {
                self.blanks();
            }
            if self.peek() != Some(b'.') {
                return path;
            }
            self.at += 1;
        }
    }

    /// Reads `key = value`, or as much of it as is written.
    fn entry(&mut self, table: &[String], depth: usize) -> Result<(), Astray> {
        let path = self.dotted(table, Role::Key);
        self.blanks();
        if self.peek() != Some(b'=') {
            return Ok(());
        }
        self.at += 1;
        self.blanks();
        self.value(&path, depth)
    }

    fn value(&mut self, path: &[String], depth: usize) -> Result<(), Astray> {
        let start = self.at;
        self.found.slot = Slot::Value { path: path.to_vec(), start, quoted: false };
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.found.slot = Slot::Value { path: path.to_vec(), start: start + 1, quoted: true };
                let is_long = self.text[start..].starts_with(if quote == b'"' { "\"\"\"" } else { "'''" });
                let range = if is_long { self.long_string(path, quote) } else { self.short_string(quote) };
                self.push(path, Role::Text, range.clone());
                if self.at > range.end {
                    self.found.slot = Slot::None;
                }
                Ok(())
            }
            Some(b'[') if depth < MAX_DEPTH => self.array(path, depth + 1),
            Some(b'{') if depth < MAX_DEPTH => self.inline_table(path, depth + 1),
            _ => {
                self.skip_while(|byte| !matches!(byte, b',' | b']' | b'}' | b'#' | b'\n' | b'=' | b'\r'));
                let end = start + self.text[start..self.at].trim_end().len();
                if end > start {
                    self.push(path, Role::Other, start..end);
                }
                Ok(())
            }
        }
    }

    fn array(&mut self, path: &[String], depth: usize) -> Result<(), Astray> {
        self.at += 1;
        let mut is_after_item = false;
        loop {
            if is_after_item && self.peek().is_none() {
                return Ok(());
            }
            self.gap();
            self.found.slot = Slot::Value { path: path.to_vec(), start: self.at, quoted: false };
            match self.peek() {
                None => return Ok(()),
                Some(b']') => {
                    self.at += 1;
                    self.found.slot = Slot::None;
                    return Ok(());
                }
                Some(b',') => {
                    self.at += 1;
                    is_after_item = false;
                }
                Some(b'}' | b'=') => return Err(Astray),
                Some(_) => {
                    is_after_item = true;
                    let start = self.at;
                    self.value(path, depth)?;
                    self.check_item(start)?;
                }
            }
        }
    }

    /// Goes back to the start of an item that is the key of a next line: the bracket before it was never closed.
    fn check_item(&mut self, start: usize) -> Result<(), Astray> {
        let is_first_in_line = self.text[..start].trim_end_matches([' ', '\t']).ends_with('\n');
        self.blanks();
        if self.peek() == Some(b'=') && is_first_in_line {
            self.at = start;
            self.found.nodes.retain(|node| node.range.start < start);
            return Err(Astray);
        }
        if self.peek() == Some(b'=') {
            self.at += 1;
        }
        Ok(())
    }

    fn inline_table(&mut self, path: &[String], depth: usize) -> Result<(), Astray> {
        self.at += 1;
        let mut is_after_item = false;
        loop {
            if is_after_item && self.peek().is_none() {
                return Ok(());
            }
            self.gap();
            self.found.slot = Slot::Key { path: path.to_vec(), start: self.at };
            match self.peek() {
                None => return Ok(()),
                Some(b'}') => {
                    self.at += 1;
                    self.found.slot = Slot::None;
                    return Ok(());
                }
                Some(b',') => {
                    self.at += 1;
                    is_after_item = false;
                }
                Some(_) => {
                    is_after_item = true;
                    let start = self.at;
                    self.entry(path, depth)?;
                    if self.at == start {
                        return Err(Astray);
                    }
                }
            }
        }
    }

    /// Reads a string in one line. Returns the range between its quotes.
    fn short_string(&mut self, quote: u8) -> Range<usize> {
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => break,
                b'\\' if quote == b'"' && self.at + 1 < self.text.len() => self.at += 2,
                byte if byte == quote => {
                    self.at += 1;
                    return start..self.at - 1;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.text.floor_char_boundary(self.at);
        start..self.at
    }

    fn long_string(&mut self, path: &[String], quote: u8) -> Range<usize> {
        self.at += 3;
        let start = self.at;
        self.found.slot = Slot::Value { path: path.to_vec(), start, quoted: true };
        let end = [quote; 3];
        while self.at < self.text.len() {
            if self.text.as_bytes()[self.at..].starts_with(&end) {
                let inner = self.at;
                self.at += 3;
                return start..inner;
            }
            let is_escape = quote == b'"' && self.peek() == Some(b'\\');
            self.at = (self.at + 1 + usize::from(is_escape)).min(self.text.len());
        }
        start..self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what can be written at the `|` of a text.
    fn slot(text: &str) -> (&'static str, String, String) {
        let before = &text[..text.find('|').expect("the text has a cursor")];
        match scan(before).slot {
            Slot::None => ("none", String::new(), String::new()),
            Slot::Header { path, start } => ("header", path.join("."), before[start..].to_owned()),
            Slot::Key { path, start } => ("key", path.join("."), before[start..].to_owned()),
            Slot::Value { path, start, quoted } => {
                (if quoted { "text" } else { "value" }, path.join("."), before[start..].to_owned())
            }
        }
    }

    #[test]
    fn the_cursor_is_in_a_key_or_a_value() {
        for (text, kind, path, prefix) in [
            ("|", "key", "", ""),
            ("na|", "key", "", "na"),
            ("name = |", "value", "name", ""),
            ("name = \"a|", "text", "name", "a"),
            ("name = \"a\"|", "none", "", ""),
            ("name = \"a\" # x|", "none", "", ""),
            ("name = \"a\"\n|", "key", "", ""),
            ("[params.x]\nty|", "key", "params.x", "ty"),
            ("[params.|", "header", "params", ""),
            ("[par|", "header", "", "par"),
            ("[a]\nb.c|", "key", "a.b", "c"),
            ("a = { b = 1, c|", "key", "a", "c"),
            ("a = { b = { c = \"x|", "text", "a.b.c", "x"),
            ("a = [\"b\", \"c|", "text", "a", "c"),
            ("a = [\n  # why\n  \"b\",\n  |", "value", "a", ""),
            ("a = \"\"\"x {% if |", "text", "a", "x {% if "),
            ("a = [\"b\"\nc = \"d|", "text", "c", "d"),
            ("a = \"unclosed\nb = tr|", "value", "b", "tr"),
            ("= = ]\n[t]\nx|", "key", "t", "x"),
        ] {
            assert_eq!(slot(text), (kind, path.to_owned(), prefix.to_owned()), "{text}");
        }
    }

    #[test]
    fn nodes_have_the_path_of_their_table() {
        let text = "name = 'n'\n[[a.b]]\nc = [1, { d = \"é\" }]\n";
        let found: Vec<String> = scan(text)
            .nodes
            .iter()
            .map(|node| format!("{} {}", node.path.join("."), &text[node.range.clone()]))
            .collect();
        assert_eq!(found, ["name name", "name n", "a a", "a.b b", "a.b.c c", "a.b.c 1", "a.b.c.d d", "a.b.c.d é"]);
    }

    #[test]
    fn any_text_ends() {
        let parts = ["[", "]", "{", "}", "\"", "'", "\"\"\"", "=", ".", ",", "a", "\n", "#", "\\", "é", " "];
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            let text: String = (0..12)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    parts[usize::try_from(seed >> 40).unwrap_or(0) % parts.len()]
                })
                .collect();
            for node in scan(&text).nodes {
                assert!(text.get(node.range.clone()).is_some(), "{text:?}");
            }
        }
        assert!(scan(&"[".repeat(100_000)).nodes.is_empty());
        assert!(scan(&"a.".repeat(100_000)).nodes.len() < 100);
        let _ = scan(&format!("a = {}", "[{ a = ".repeat(10_000)));
    }
}
