//! What the Markdown of a page is made of: blocks, what is around them, and what joins them.

use dom_query::{Element, NodeRef};

use super::escape::{Place, line_start};
use crate::dom::value;

/// What is around a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) place: Place,
    /// How many lists are around it.
    pub(super) lists: usize,
    /// How many bytes what is around it puts before each line.
    pub(super) indent: usize,
}

impl Context {
    /// The same, in a block that puts `bytes` before each line.
    pub(super) fn indented(self, bytes: usize) -> Self {
        Self { indent: self.indent + bytes, ..self }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Heading,
    List,
    Code,
    Note,
    Rule,
    Other,
}

/// A block, without blank lines around it.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// Elements that are blocks, whatever a style sheet makes of them.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
    "caption",
];

/// Whether a node is an element that begins a new block.
pub(crate) fn is_block(node: &NodeRef<'_>) -> bool {
    node.element_ref().is_some_and(|element| {
        BLOCKS.contains(&&*element.name.local)
            || value(&element, "data-formula") == Some("block")
            || heading_level(&element).is_some()
    })
}

pub(super) fn has_block(node: &NodeRef<'_>) -> bool {
    node.descendants_it().any(|inner| is_block(&inner))
}

/// The level of a heading, from 1 to 6.
pub(super) fn heading_level(element: &Element) -> Option<usize> {
    let level = match &*element.name.local {
        "h1" => 1,
        "h2" => 2,
        "h3" => 3,
        "h4" => 4,
        "h5" => 5,
        "h6" => 6,
        _ if value(element, "role") == Some("heading") => {
            value(element, "aria-level").and_then(|level| level.parse().ok()).unwrap_or(2)
        }
        _ => return None,
    };
    // The level before another stage has changed it.
    Some(value(element, "data-level").and_then(|level| level.parse().ok()).unwrap_or(level).clamp(1, 6))
}

/// Whether a node is written in a line with what is next to it.
pub(super) fn is_inline(node: &NodeRef<'_>) -> bool {
    !is_block(node) && !has_block(node)
}

/// A paragraph, with its line breaks as Markdown.
pub(super) fn paragraph(text: &str, context: Context) -> String {
    if context.place.cell {
        return text.replace('\n', "<br>");
    }
    text.lines().map(line_start).collect::<Vec<_>>().join("\\\n")
}

/// Puts `first` before the first line, `other` before other lines, and `blank` for blank lines.
pub(super) fn prefixed(text: &str, first: &str, other: &str, blank: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8 + first.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        match (at, line.is_empty()) {
            (0, _) => out.push_str(first),
            (_, true) => out.push_str(blank),
            (_, false) => out.push_str(other),
        }
        out.push_str(line);
    }
    out
}

/// Joins blocks by blank lines. Rules at the ends, and before headings and other rules, separate nothing.
pub(super) fn join(blocks: Vec<Block>) -> String {
    let mut out = String::new();
    let mut pending: Option<Kind> = None;
    let mut last = Kind::Rule;
    for block in blocks {
        if block.kind == Kind::Rule {
            pending = (!out.is_empty()).then_some(Kind::Rule);
            continue;
        }
        if pending.take().is_some() && block.kind != Kind::Heading {
            out.push_str("\n\n---");
            last = Kind::Rule;
        }
        if !out.is_empty() {
            out.push_str(if last == Kind::Note && block.kind == Kind::Note { "\n" } else { "\n\n" });
        }
        out.push_str(&block.text);
        last = block.kind;
    }
    out
}

/// The caption of a table or a figure.
pub(super) fn child_named<'a>(node: &NodeRef<'a>, name: &str) -> Option<NodeRef<'a>> {
    node.children_it(false).find(|child| child.has_name(name))
}
