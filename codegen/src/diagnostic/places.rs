//! Converts places to lines and columns, and to JSON pointers of keys and values, which stay the same when lines move.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Place, SourceId};
use crate::source::Sources;

/// A line and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in characters.
    pub column: usize,
}

/// Converts places to positions and pointers. Each file is parsed at most once, on first use.
pub struct Places<'s> {
    /// The files.
    pub sources: &'s Sources,
    trees: Vec<OnceLock<Tree<'s>>>,
}

impl fmt::Debug for Places<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places").finish_non_exhaustive()
    }
}

impl<'s> Places<'s> {
    /// Creates a converter for the places in these files.
    pub fn new(sources: &'s Sources) -> Self {
        // The last one is for the baseline, in which places have no pointers.
        Self { sources, trees: (0..=sources.all().len()).map(|_| OnceLock::new()).collect() }
    }

    /// Returns the positions of the start and the end of a place.
    pub fn positions(&self, place: Place) -> [Position; 2] {
        let text = &self.sources.get(place.source).text;
        let position = |at: usize| {
            let before = &text[..text.floor_char_boundary(at.min(text.len()))];
            let line = before.rfind('\n').map_or(0, |newline| newline + 1);
            Position { line: before.matches('\n').count() + 1, column: before[line..].chars().count() + 1 }
        };
        [position(place.span().start), position(place.span().end)]
    }

    /// Returns the JSON pointer of the innermost key or value that contains the place, such as `/params/url/type`. The empty pointer
    /// is the whole file.
    pub fn pointer(&self, place: Place) -> String {
        let tree = self.tree(place.source);
        tree.innermost(&place.span()).map_or(String::new(), |node| tree.pointer(node))
    }

    /// Returns the keys and values of a file.
    pub(crate) fn tree(&self, id: SourceId) -> &Tree<'s> {
        self.trees[id.0 as usize].get_or_init(|| Tree::new(&self.sources.get(id).text))
    }
}

/// The keys and values of a file, with their places. Empty if the file is not valid TOML.
#[derive(Debug, Default)]
pub(crate) struct Tree<'s> {
    text: &'s str,
    nodes: Vec<Node<'s>>,
}

#[derive(Debug)]
struct Node<'s> {
    parent: Option<usize>,
    step: Step<'s>,
    /// The range of the key, if this is an entry of a table.
    key: Option<Range<usize>>,
    /// The range of the value, or of the header if this is a table with a header.
    value: Range<usize>,
    /// The first byte of the key or header, or `None` if the table is implied, as `a` in `a.b = 1` or `[a.b]`.
    start: Option<usize>,
    is_string: bool,
}

/// A token of a JSON pointer.
#[derive(Debug)]
enum Step<'s> {
    Key(Cow<'s, str>),
    Index(usize),
}

impl<'s> Tree<'s> {
    fn new(text: &'s str) -> Self {
        let (document, errors) = DeTable::parse_recoverable(text);
        let mut tree = Self { text, nodes: Vec::new() };
        if errors.is_empty() {
            tree.read_table(None, document.into_inner());
        }
        tree
    }

    fn read_table(&mut self, parent: Option<usize>, table: DeTable<'s>) {
        for (key, value) in table {
            let span = key.span();
            self.read(parent, Step::Key(key.into_inner()), Some(span), value);
        }
    }

    fn read(&mut self, parent: Option<usize>, step: Step<'s>, key: Option<Range<usize>>, value: Spanned<DeValue<'s>>) {
        let id = self.nodes.len();
        let span = value.span();
        let has_header = value.get_ref().is_table() && self.text[span.start..].starts_with('[');
        let start = match &key {
            _ if has_header => Some(span.start),
            None => Some(span.start),
            Some(key) => (key.start < span.start).then_some(key.start),
        };
        self.nodes.push(Node { parent, step, key, start, value: span, is_string: value.get_ref().is_str() });
        match value.into_inner() {
            DeValue::Table(table) => self.read_table(Some(id), table),
            DeValue::Array(items) => {
                for (index, item) in items.into_iter().enumerate() {
                    self.read(Some(id), Step::Index(index), None, item);
                }
            }
            _ => {}
        }
    }

    /// Returns the shortest key or value that contains the span.
    fn innermost(&self, span: &Range<usize>) -> Option<usize> {
        let length = |node: &Node<'_>| {
            let ranges = node.key.iter().chain([&node.value]);
            ranges.filter(|range| range.start <= span.start && span.end <= range.end).map(ExactSizeIterator::len).min()
        };
        let candidates = self.nodes.iter().enumerate().filter_map(|(id, node)| Some((length(node)?, id)));
        // An array of tables and its first table have the same header: prefer the table, which has the greater id.
        candidates.min_by_key(|(length, id)| (*length, usize::MAX - id)).map(|(_, id)| id)
    }

    fn pointer(&self, node: usize) -> String {
        let node = &self.nodes[node];
        let before = node.parent.map_or(String::new(), |parent| self.pointer(parent));
        match &node.step {
            Step::Key(key) => format!("{before}/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => format!("{before}/{index}"),
        }
    }

    /// Returns whether the byte at this offset is part of a key or a string, so that a `#` does not begin a comment.
    pub(crate) fn is_in_string(&self, offset: usize) -> bool {
        let strings = self.nodes.iter().filter(|node| node.is_string).map(|node| &node.value);
        strings.chain(self.nodes.iter().filter_map(|node| node.key.as_ref())).any(|range| range.contains(&offset))
    }

    /// Returns the pointers of the outermost entries and items that start within the span.
    pub(crate) fn starting_in(&self, span: &Range<usize>) -> Vec<String> {
        let starts = |node: &Node<'_>| node.start.is_some_and(|start| span.contains(&start));
        let is_nested = |node: &Node<'_>| {
            let parents = std::iter::successors(node.parent, |&id| self.nodes[id].parent);
            parents.map(|id| &self.nodes[id]).any(starts)
        };
        let outermost = (0..self.nodes.len()).filter(|&id| starts(&self.nodes[id]) && !is_nested(&self.nodes[id]));
        outermost.map(|id| self.pointer(id)).collect()
    }

    /// Returns the offset of the first key or header of the file.
    pub(crate) fn start(&self) -> Option<usize> {
        self.nodes.iter().filter_map(|node| node.start).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# top\na.b = 1\na.c = { x = '#' }\n\n[p.q.r] # one\nz = \"é\"\n[p.q]\ny = 2\n[[l]]\nm = 1\n[[l]]\n\"m/~\" = [\n  1,\n  2, 3\n]\n";

    #[test]
    fn pointers_lead_to_the_innermost_key_or_value() {
        let sources = Sources::from_memory([("manifests/tools/t.toml".to_owned(), FILE.to_owned())]);
        let places = Places::new(&sources);
        let pointer = |text: &str| {
            let start = FILE.find(text).unwrap();
            places.pointer(Place::new(SourceId(0), start..start + text.len()))
        };
        let found =
            ["# top", "b = 1", "b", "x =", "'#'", "p.q.r", "r", "z", "y", "[[l]]", "m = 1", "2, 3", "3", "\"m/"];
        let found = found.map(pointer);
        let expected = [
            "",
            "",
            "/a/b",
            "/a/c",
            "/a/c/x",
            "/p/q/r",
            "/p/q/r",
            "/p/q/r/z",
            "/p/q/y",
            "/l/0",
            "",
            "/l/1/m~1~0",
            "/l/1/m~1~0/2",
            "/l/1/m~1~0",
        ];
        assert_eq!(found, expected);
        let at = FILE.find("é\"").unwrap();
        let [start, end] = places.positions(Place::new(SourceId(0), at..at + 3));
        assert_eq!((start.line, start.column, end.line, end.column), (6, 6, 6, 8));
    }

    #[test]
    fn each_line_has_the_entries_and_items_that_start_in_it() {
        let tree = Tree::new(FILE);
        let lines = FILE.split_inclusive('\n').scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(tree.starting_in(&(start..*at)))
        });
        let found: Vec<String> = lines.map(|pointers| pointers.join(" ")).collect();
        let expected = [
            "",
            "/a/b",
            "/a/c",
            "",
            "/p/q/r",
            "/p/q/r/z",
            "/p/q",
            "/p/q/y",
            "/l/0",
            "/l/0/m",
            "/l/1",
            "/l/1/m~1~0",
            "/l/1/m~1~0/0",
            "/l/1/m~1~0/1 /l/1/m~1~0/2",
            "",
        ];
        assert_eq!(found, expected);
        assert!(tree.is_in_string(FILE.find("#'").unwrap()) && !tree.is_in_string(FILE.find("# one").unwrap()));
        assert_eq!(tree.start(), FILE.find("b = 1"));
    }
}
