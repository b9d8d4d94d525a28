//! A strict reading of YAML into a tree with places, bounded in depth and size.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

/// The deepest nesting. Metadata of skills in the wild has five levels.
const MAX_DEPTH: usize = 16;
/// The most nodes.
const MAX_NODES: usize = 4_096;
/// The most nodes that aliases stand for, so that aliases cannot multiply a small text.
const MAX_ALIASED: usize = 64;

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Its bytes in the text. The end of a collection in block style is not exact.
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
    pub(crate) mark: Mark,
    /// The node is written in flow style: `[a, b]` or `{a: b}`.
    pub(crate) flow: bool,
}

/// Whether a node has an anchor or a tag, or is an alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    /// An alias, or the anchor with this number.
    Alias(usize),
    /// A tag that YAML does not define.
    Tag,
    /// An anchor without an alias: its author meant a text.
    Stray,
}

impl Mark {
    /// Returns whether the author of a text did not mean the mark.
    pub(crate) fn is_stray(self) -> bool {
        matches!(self, Self::Tag | Self::Stray)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Scalar { text: String, plain: bool },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// Returns a text as a node.
    pub(crate) fn text(text: String, range: Range<usize>) -> Self {
        Self { range, kind: Kind::Scalar { text, plain: false }, mark: Mark::None, flow: false }
    }

    /// Returns the text of a scalar.
    pub(crate) fn scalar(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns whether the node is a scalar that means the absence of a value.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Returns the value of a key, or `None` if it is missing or null.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Kind::Map(pairs) = &self.kind else { return None };
        pairs
            .iter()
            .find(|(key, _)| key.scalar() == Some(name))
            .map(|(_, value)| value)
            .filter(|value| !value.is_null())
    }

    /// Changes the places of the node and of all below it.
    pub(crate) fn place(&mut self, at: &dyn Fn(usize) -> usize) {
        self.visit(&mut |node| node.range = at(node.range.start)..at(node.range.end));
    }

    /// Changes the node and all below it.
    fn visit(&mut self, change: &mut dyn FnMut(&mut Self)) {
        change(self);
        match &mut self.kind {
            Kind::Scalar { .. } => {}
            Kind::List(items) => items.iter_mut().for_each(|item| item.visit(change)),
            Kind::Map(pairs) => pairs.iter_mut().for_each(|(key, value)| {
                key.visit(change);
                value.visit(change);
            }),
        }
    }

    /// Returns the number of nodes, including this one.
    fn count(&self) -> usize {
        1 + match &self.kind {
            Kind::Scalar { .. } => 0,
            Kind::List(items) => items.iter().map(Self::count).sum(),
            Kind::Map(pairs) => pairs.iter().map(|(key, value)| key.count() + value.count()).sum(),
        }
    }
}

/// Why a text is not YAML.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    /// The byte where the parser stopped.
    pub(crate) offset: usize,
    pub(crate) message: String,
    /// The text exceeds a bound of the reader, or refers to itself.
    pub(crate) is_bound: bool,
}

/// Reads one YAML document.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    let mut reader = Reader::new(text);
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                return Err(Fault {
                    offset: reader.offset(*error.marker()),
                    is_bound: error.info().contains("recursion limit"),
                    message: error.info().to_owned(),
                });
            }
        };
        let range = reader.offset(span.start)..reader.offset(span.end);
        let offset = range.start;
        reader.event(event, range).map_err(|message| Fault { offset, is_bound: true, message })?;
    }
    let mut root =
        reader.root.take().ok_or(Fault { offset: 0, is_bound: false, message: "the text holds no value".into() })?;
    root.visit(&mut |node| {
        if matches!(node.mark, Mark::Alias(anchor) if !reader.used.contains(&anchor)) {
            node.mark = Mark::Stray;
        }
    });
    Ok(root)
}

/// A collection that is being read.
struct Open {
    node: Node,
    anchor: usize,
    /// The key whose value is read next.
    key: Option<Node>,
}

struct Reader<'a> {
    text: &'a str,
    /// The byte of each character, unless all are ASCII.
    offsets: Option<Vec<usize>>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    used: BTreeSet<usize>,
    nodes: usize,
    aliased: usize,
    documents: usize,
    root: Option<Node>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let offsets = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect());
        Self {
            text,
            offsets,
            open: Vec::new(),
            anchors: BTreeMap::new(),
            used: BTreeSet::new(),
            nodes: 0,
            aliased: 0,
            documents: 0,
            root: None,
        }
    }

    fn offset(&self, marker: Marker) -> usize {
        let index = marker.index();
        self.offsets
            .as_ref()
            .map_or(Some(index), |offsets| offsets.get(index).copied())
            .unwrap_or(self.text.len())
            .min(self.text.len())
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<(), String> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err("a second document begins".into());
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let kind = Kind::Scalar { text: text.into_owned(), plain };
                let node = Node { range, kind, mark: mark(anchor, tag.as_ref()), flow: false };
                self.add(node, anchor)?;
            }
            Event::Alias(anchor) => {
                let mut node =
                    self.anchors.get(&anchor).cloned().ok_or("an alias refers to a collection that contains it")?;
                (node.range, node.mark) = (range, Mark::Alias(anchor));
                self.used.insert(anchor);
                self.aliased += node.count();
                if self.aliased > MAX_ALIASED {
                    return Err(format!("aliases stand for more than {MAX_ALIASED} values"));
                }
                self.add(node, 0)?;
            }
            Event::SequenceStart(anchor, tag) => self.start(Kind::List(Vec::new()), range, anchor, tag.as_ref())?,
            Event::MappingStart(anchor, tag) => self.start(Kind::Map(Vec::new()), range, anchor, tag.as_ref())?,
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(mut open) = self.open.pop() {
                    open.node.range.end = range.end.max(open.node.range.start);
                    self.add(open.node, open.anchor)?;
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn start(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        anchor: usize,
        tag: Option<&Cow<'_, Tag>>,
    ) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("the text is nested deeper than {MAX_DEPTH} levels"));
        }
        let flow = self.text[range.start..].starts_with(['[', '{']);
        let node = Node { range, kind, mark: mark(anchor, tag), flow };
        self.open.push(Open { node, anchor, key: None });
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), String> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(format!("the text has more than {MAX_NODES} values"));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut open.node.kind, open.key.take()) {
            (Kind::List(items), _) => items.push(node),
            (Kind::Map(pairs), Some(key)) => pairs.push((key, node)),
            (Kind::Map(_), None) => open.key = Some(node),
            (Kind::Scalar { .. }, _) => {}
        }
        Ok(())
    }
}

/// Returns the mark of a node. The tags of YAML's core schema, such as `!!str`, do not count.
fn mark(anchor: usize, tag: Option<&Cow<'_, Tag>>) -> Mark {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema() => Mark::Tag,
        _ if anchor > 0 => Mark::Alias(anchor),
        _ => Mark::None,
    }
}

/// Returns a text in quotes, on one line. YAML and JSON readers take the double quotes.
pub(crate) fn quoted(text: &str) -> String {
    let is_special = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{feff}');
    if !text.contains(is_special) && text.contains(['"', '\\']) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if is_special(c) => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns whether a plain scalar is converted to another type than text by readers of YAML 1.1 or 1.2.
pub(crate) fn is_converted(text: &str) -> bool {
    const WORDS: &[&str] =
        &["true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", ".nan", ".inf", "-.inf", "+.inf"];
    if WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        return true;
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(|c: char| c.is_ascii_digit())
        && digits.replace('_', "").parse::<f64>().is_ok();
    let radix = ["0x", "0o", "0b"].iter().find_map(|prefix| digits.strip_prefix(prefix));
    is_number
        || radix.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        || is_date(text)
}

/// Returns whether a text begins like a date or is a time in base 60, as `2026-11-30` and `12:30`.
fn is_date(text: &str) -> bool {
    let is_digits = |part: &str, count: usize| {
        part.len() <= count && !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let date = text.split(['T', 't', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split('-').collect();
    let is_date =
        matches!(parts[..], [y, m, d] if y.len() == 4 && is_digits(y, 4) && is_digits(m, 2) && is_digits(d, 2));
    let is_time = text.contains(':') && text.split(':').all(|part| is_digits(part, 2));
    (is_date && text[date.len()..].bytes().all(|byte| byte.is_ascii_digit() || b"TtZz:+-. ".contains(&byte))) || is_time
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_places_in_bytes() {
        let text = "é: ü\nlist:\n  - [a, b]\n  - {k: \"v\"}\n";
        let node = parse(text).unwrap();
        let Kind::Map(pairs) = &node.kind else { panic!("{node:?}") };
        assert_eq!((&text[pairs[0].0.range.clone()], &text[pairs[0].1.range.clone()]), ("é", "ü"));
        let Kind::List(items) = &pairs[1].1.kind else { panic!("{pairs:?}") };
        assert!(items.iter().all(|item| item.flow) && !pairs[1].1.flow && !node.flow);
        assert_eq!(items[1].get("k").and_then(Node::scalar), Some("v"));
        assert_eq!(&text[items[1].range.start..items[1].range.start + 3], "{k:");
        assert!(parse("a: [1,\n").is_err_and(|fault| fault.offset >= 3));
        assert!(parse("a: 1\n---\nb: 2\n").is_err(), "two documents");
        assert!(parse("a: !x b\nc: &d e\nf: !!str 1\n").is_ok_and(|node| {
            let Kind::Map(pairs) = &node.kind else { return false };
            pairs.iter().map(|(_, value)| value.mark.is_stray()).eq([true, true, false])
        }));
    }

    #[test]
    fn depth_and_aliases_are_bounded() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert!(parse(&deep).is_err_and(|fault| fault.message.contains("16 levels")));
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..9 {
            let before = format!("*a{}, ", level - 1).repeat(9);
            bomb.push_str(&format!("a{level}: &a{level} [{before}]\n"));
        }
        assert!(parse(&bomb).is_err_and(|fault| fault.is_bound && bomb[..fault.offset].matches('\n').count() == 1));
        assert!(parse("a: &a [*a]\n").is_err_and(|fault| fault.is_bound));
        assert!(parse("a: &a b\nc: *a\n").is_ok_and(|node| !node.get("a").unwrap().mark.is_stray()));
    }

    #[test]
    fn quoted_texts_are_read_back() {
        for text in [
            "",
            "a: b",
            "say \"hi\"",
            "it's \\ \"x\"",
            "a\nb\tc",
            "\u{1}\u{85}\u{feff}\u{2028}",
            "'",
            "\"",
            "\\",
            "é #1",
        ] {
            assert_eq!(
                parse(&format!("k: {}\n", quoted(text))).unwrap().get("k").and_then(Node::scalar),
                Some(text),
                "{}",
                quoted(text)
            );
        }
    }

    #[test]
    fn texts_that_readers_convert_are_recognized() {
        for text in [
            "1",
            "-1.5",
            "1_000",
            "0x1f",
            "1e3",
            "yes",
            "Off",
            "~",
            ".5",
            "2026-11-30",
            "2026-11-30T10:00:00Z",
            "12:30",
            ".inf",
        ] {
            assert!(is_converted(text), "{text}");
        }
        for text in
            ["1.2.3", "one", "v1", "-", "a-b-c", "2026", "10:30 o'clock", "nano", "0xyz", "2026-11-30 to 2026-12-01"]
        {
            assert_eq!(is_converted(text), text == "2026", "{text}");
        }
    }
}
