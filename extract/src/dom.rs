//! Parses HTML within bounds of nodes and depth, and reads nodes.

use std::borrow::Cow;
use std::cell::{Cell, Ref};

use dom_query::{Document, Element, NodeData, NodeId, NodeRef};
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ParseOpts, QualName, parse_document};
use url::Url;

/// The maximum depth of a tree. Deeper elements become siblings at this depth, so that no later stage can overflow its stack. Pages that
/// people read are rarely deeper than 60.
pub(crate) const MAX_DEPTH: usize = 192;
/// Parsing ends when this many nodes are deeper than [`MAX_DEPTH`]: the parser's own work grows with the square of the depth.
const MAX_DEEPER: usize = 1000;
/// The parser is fed in pieces of this size, in bytes, and its bounds are looked at after each.
const PIECE: usize = 4 << 10;
/// The maximum length of an address, in bytes. Browsers and servers rarely take longer ones.
pub(crate) const MAX_ADDRESS: usize = 4096;
/// How many classes of an element are looked at.
const MAX_NAMES: usize = 100;
/// Parsing ends within a tag that has this many separators: the parser compares each attribute with all others of its tag.
const MAX_SEPARATORS: usize = 30_000;

/// Parses a page. Returns the tree, and whether all of the page is in it.
pub(crate) fn parse(html: &str, max_nodes: usize) -> (Document, bool) {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    let mut parser = parse_document(Bounded::default(), options);
    let (mut rest, mut separators, mut calls) = (html, 0, 0);
    while !rest.is_empty() {
        let sink = &parser.tokenizer.sink.sink;
        if sink.nodes.get() > max_nodes || sink.deeper.get() > MAX_DEEPER || separators > MAX_SEPARATORS {
            break;
        }
        let (piece, after) =
            rest.split_at(rest.floor_char_boundary(if sink.deeper.get() > 0 { PIECE / 4 } else { PIECE }));
        parser.process(StrTendril::from(piece));
        rest = after;
        let now = parser.tokenizer.sink.sink.nodes.get();
        let here = piece.bytes().filter(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'/' | b'"' | b'\'')).count();
        separators = if now == calls { separators + here } else { 0 };
        calls = now;
    }
    (parser.finish(), rest.is_empty())
}

/// A tree that bounds its depth and counts its nodes.
#[derive(Default)]
struct Bounded {
    tree: Document,
    nodes: Cell<usize>,
    deeper: Cell<usize>,
}

impl Bounded {
    /// Returns where a child of `parent` is inserted.
    fn parent_for_child(&self, parent: NodeId) -> NodeId {
        self.nodes.set(self.nodes.get() + 1);
        if self.tree.tree.ancestor_ids_of_it(&parent, Some(MAX_DEPTH)).count() < MAX_DEPTH {
            return parent;
        }
        self.deeper.set(self.deeper.get() + 1);
        let ancestors = self.tree.tree.ancestor_ids_of(&parent, None);
        ancestors.get(ancestors.len() - MAX_DEPTH).copied().unwrap_or(parent)
    }

    /// Moves a subtree up if it is too deep after the parser has moved it.
    fn remove_deeper(&self) {
        let tree = &self.tree.tree;
        let mut open = vec![(tree.root().id, 0)];
        while let Some((node, depth)) = open.pop() {
            if depth > MAX_DEPTH + 2 {
                tree.remove_from_parent(&node);
            } else {
                open.extend(tree.child_ids_of_it(&node, false).map(|child| (child, depth + 1)));
            }
        }
    }
}

impl TreeSink for Bounded {
    type ElemName<'a> = Ref<'a, QualName>;
    type Output = Document;
    type Handle = NodeId;

    fn finish(self) -> Document {
        self.remove_deeper();
        self.tree
    }

    /// Errors are not kept: broken pages have thousands.
    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        self.tree.get_document()
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.tree.get_template_contents(target)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.set_quirks_mode(mode);
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.tree.elem_name(target)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        self.tree.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.tree.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.tree.create_pi(target, data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.tree.append(&self.parent_for_child(*parent), child);
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        self.nodes.set(self.nodes.get() + 1);
        self.tree.append_before_sibling(sibling, child);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        self.nodes.set(self.nodes.get() + 1);
        self.tree.append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.tree.append_doctype_to_document(name, public, system);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        self.tree.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        self.tree.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &NodeId) -> bool {
        self.tree.is_mathml_annotation_xml_integration_point(handle)
    }
}

/// The name of an element, or an empty string for other nodes.
pub(crate) fn name(node: &NodeRef<'_>) -> String {
    node.element_ref().map(|element| element.name.local.to_string()).unwrap_or_default()
}

/// The value of an attribute that has one, without space around it.
pub(crate) fn attribute(node: &NodeRef<'_>, name: &str) -> Option<String> {
    value(&*node.element_ref()?, name).map(str::to_owned)
}

/// The value of an attribute that has one, without space around it.
pub(crate) fn value<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    let attribute = element.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
    Some(attribute.value.trim()).filter(|value| !value.is_empty())
}

/// Whether an element has one of the classes.
pub(crate) fn has_class(element: &Element, classes: &[&str]) -> bool {
    value(element, "class").is_some_and(|value| names(value).any(|class| classes.contains(&class)))
}

/// The first names in a list, such as the value of `class`. Elements are looked at often, and a page can have one with a million classes.
pub(crate) fn names(value: &str) -> impl Iterator<Item = &str> {
    value.split_ascii_whitespace().take(MAX_NAMES)
}

/// Whether the text in a node has more characters than `most`, with single spaces. Reads no more than it needs.
pub(crate) fn is_longer(node: &NodeRef<'_>, most: usize) -> bool {
    let mut chars = 0;
    let mut after_space = true;
    node.descendants_it().any(|inner| {
        with_text(&inner, |text| {
            text.chars().any(|c| {
                let is_space = c.is_whitespace();
                chars += usize::from(!is_space || !after_space);
                after_space = is_space;
                // A space at the end is not a part of the text.
                chars > most + usize::from(is_space)
            })
        }) == Some(true)
    })
}

/// Calls `read` with the text of a node that is a text.
pub(crate) fn with_text<R>(node: &NodeRef<'_>, read: impl FnOnce(&str) -> R) -> Option<R> {
    node.query(|inner| match &inner.data {
        NodeData::Text { contents } => Some(read(contents)),
        _ => None,
    })
    .flatten()
}

/// The text in a node, with single spaces.
pub(crate) fn text(node: &NodeRef<'_>) -> String {
    squeeze(&node.text())
}

/// A text with single spaces, and without space around it.
pub(crate) fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The first characters of a text.
pub(crate) fn cut(mut text: String, most: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
        text.shrink_to_fit();
    }
    text
}

/// The address to which a reference leads, unless it is too long: a long `base` is copied into each.
pub(crate) fn joined(base: &Url, reference: &str) -> Option<Url> {
    let is_short = |text: &str| text.len() <= MAX_ADDRESS;
    Some(reference)
        .filter(|text| is_short(text))
        .and_then(|text| base.join(text).ok())
        .filter(|url| is_short(url.as_str()))
}

/// The first element for which `test` holds, below a node.
pub(crate) fn find<'a>(node: &NodeRef<'a>, test: impl Fn(&Element) -> bool) -> Option<NodeRef<'a>> {
    node.descendants_it().find(|node| node.element_ref().is_some_and(|element| test(&element)))
}

/// All elements for which `test` holds, below a node.
pub(crate) fn find_all<'a>(node: &NodeRef<'a>, test: impl Fn(&Element) -> bool) -> Vec<NodeRef<'a>> {
    node.descendants_it().filter(|node| node.element_ref().is_some_and(|element| test(&element))).collect()
}

/// Whether an element has this name.
pub(crate) fn is(element: &Element, name: &str) -> bool {
    &*element.name.local == name
}
