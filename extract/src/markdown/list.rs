//! Lists, and lists of definitions.

use dom_query::{Element, NodeRef};

use super::Writer;
use super::line::Line;
use super::model::{Block, Context, Kind, join, prefixed};
use crate::dom::{find, has_class, is, value, with_text};

/// Lists deeper than this are not indented further: indentation grows with the square of the depth.
const MAX_LISTS: usize = 12;
/// `CommonMark` takes a longer number for text.
const MAX_NUMBER: i64 = 999_999_999;

impl Writer<'_> {
    pub(super) fn list(&self, node: &NodeRef<'_>, element: &Element, context: Context, out: &mut Vec<Block>) {
        let inner = in_list(context);
        let mut number =
            (&*element.name.local == "ol").then(|| value(element, "start").and_then(number_of).unwrap_or(1));
        let mut items: Vec<(String, Vec<Block>)> = Vec::new();
        let mut notes = Vec::new();
        for child in node.children_it(false) {
            if self.is_full() {
                break;
            }
            let Some(child_element) = child.element_ref() else {
                let mut blocks = Vec::new();
                let mut line = Line::default();
                with_text(&child, |text| self.append(&mut line, |line| line.push_text(text, inner.place)));
                self.flush(line, inner, &mut blocks);
                if !blocks.is_empty() {
                    items.push(("- ".to_owned(), blocks));
                }
                continue;
            };
            if self.is_left_out(&child_element) {
                continue;
            }
            if let Some(label) = value(&child_element, "id").and_then(|id| self.notes.get(id)) {
                self.note(&child, label, context, &mut notes);
                continue;
            }
            let mut blocks = Vec::new();
            if is(&child_element, "li") {
                if let (Some(number), Some(value)) = (&mut number, value(&child_element, "value").and_then(number_of)) {
                    *number = value;
                }
                self.blocks(&child, inner, &mut blocks);
            } else {
                // A list directly in a list belongs to the item before it.
                self.wrapped(&child, inner, &mut blocks);
                if matches!(&*child_element.name.local, "ul" | "ol")
                    && let Some((_, before)) = items.last_mut()
                {
                    before.append(&mut blocks);
                    continue;
                }
            }
            if blocks.is_empty() {
                continue;
            }
            items.push((number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. ")), blocks));
            number = number.map(|number| (number + 1).min(MAX_NUMBER));
        }
        self.push_items(items, context, out);
        out.append(&mut notes);
    }

    /// Appends the blocks of an element, the element included.
    fn wrapped(&self, node: &NodeRef<'_>, context: Context, out: &mut Vec<Block>) {
        match node.element_ref() {
            Some(element) if matches!(&*element.name.local, "ul" | "ol") => self.list(node, &element, context, out),
            _ => self.blocks(node, context, out),
        }
    }

    /// Appends items with their markers.
    fn push_items(&self, items: Vec<(String, Vec<Block>)>, context: Context, out: &mut Vec<Block>) {
        let is_tight = items.iter().all(|(_, blocks)| {
            let texts = blocks.iter().take_while(|block| block.kind == Kind::Text).count();
            texts <= 1 && blocks[texts..].iter().all(|block| block.kind == Kind::List)
        });
        if context.place.cell {
            return self.push_items_in_cell(items, context, out);
        }
        let mut list = String::new();
        for (marker, blocks) in items {
            if !list.is_empty() {
                list.push_str(if is_tight { "\n" } else { "\n\n" });
            }
            let text = if is_tight {
                blocks.into_iter().map(|block| block.text).collect::<Vec<_>>().join("\n")
            } else {
                join(blocks)
            };
            let indent = if context.lists < MAX_LISTS { " ".repeat(marker.len()) } else { String::new() };
            list.push_str(&prefixed(&text, &marker, &indent, ""));
        }
        self.push(Kind::List, list, context, out);
    }

    fn push_items_in_cell(&self, items: Vec<(String, Vec<Block>)>, context: Context, out: &mut Vec<Block>) {
        let items: Vec<String> = items
            .into_iter()
            .map(|(marker, blocks)| {
                let text = blocks.into_iter().map(|block| block.text).collect::<Vec<_>>().join("<br>");
                format!("{marker}{text}")
            })
            .collect();
        self.push(Kind::List, items.join("<br>"), context, out);
    }

    /// Appends a list of definitions as a list of terms, with the definitions in their items.
    pub(super) fn definitions(&self, node: &NodeRef<'_>, context: Context, out: &mut Vec<Block>) {
        let inner = in_list(context);
        let mut items: Vec<(String, Vec<Block>)> = Vec::new();
        let mut terms: Vec<String> = Vec::new();
        let mut parts = Vec::new();
        parts_of(node, &mut parts);
        for part in parts {
            if self.is_full() {
                break;
            }
            let Some(element) = part.element_ref() else { continue };
            if self.is_left_out(&element) {
                continue;
            }
            if is(&element, "dt") {
                terms.extend(self.term(&part, &element, inner));
                continue;
            }
            let mut blocks = Vec::new();
            if let Some(label) = value(&element, "id").and_then(|id| self.notes.get(id)) {
                self.note(&part, label, context, out);
                continue;
            }
            self.blocks(&part, inner, &mut blocks);
            match (terms.is_empty(), items.last_mut()) {
                (true, Some((_, before))) => before.append(&mut blocks),
                (true, None) => items.push(("- ".to_owned(), blocks)),
                (false, _) => items.push(("- ".to_owned(), with_term(&std::mem::take(&mut terms), blocks))),
            }
        }
        if !terms.is_empty() {
            items.push(("- ".to_owned(), with_term(&terms, Vec::new())));
        }
        items.retain(|(_, blocks)| !blocks.is_empty());
        if !items.is_empty() {
            self.push_items(items, context, out);
        }
    }

    /// A term: bold, or as code if it is code or the signature of a function.
    fn term(&self, node: &NodeRef<'_>, element: &Element, context: Context) -> Option<String> {
        if has_class(element, &["sig", "sig-object"]) {
            let without = |node: &NodeRef<'_>| {
                node.ancestors_it(Some(4)).any(|ancestor| {
                    ancestor
                        .element_ref()
                        .is_some_and(|element| has_class(&element, &["headerlink", "viewcode-link", "viewcode-back"]))
                })
            };
            let mut signature = String::new();
            for part in node.descendants_it().filter(|part| !without(part)) {
                with_text(&part, |text| signature.push_str(text));
            }
            let signature = crate::dom::squeeze(&signature);
            self.take(signature.len());
            return (!signature.is_empty()).then(|| super::escape::code_span(&signature, context.place));
        }
        let mut line = Line::default();
        let has_own = find(node, |element| matches!(&*element.name.local, "code" | "strong" | "b")).is_some();
        self.inline_children(node, Context { bold: !has_own || context.bold, ..context }, &mut line);
        let (text, ..) = line.into_parts();
        let text = text.replace('\n', " ");
        match (text.is_empty(), has_own) {
            (true, _) => None,
            (false, true) => Some(text),
            (false, false) => Some(format!("**{text}**")),
        }
    }
}

/// The number of an item, if Markdown can have it.
fn number_of(written: &str) -> Option<i64> {
    written.parse::<i64>().ok().map(|number| number.clamp(0, MAX_NUMBER))
}

/// What is around the items of a list. Numbers are mostly short.
fn in_list(context: Context) -> Context {
    let indent = if context.lists < MAX_LISTS { 3 } else { 0 };
    Context { lists: context.lists + 1, ..context.indented(indent) }
}

/// The terms and definitions of a list, even if they are grouped by `div`.
fn parts_of<'a>(node: &NodeRef<'a>, out: &mut Vec<NodeRef<'a>>) {
    for child in node.children_it(false) {
        if child.has_name("div") {
            parts_of(&child, out);
        } else if child.has_name("dt") || child.has_name("dd") {
            out.push(child);
        }
    }
}

/// Puts terms before the first text of their definition.
fn with_term(terms: &[String], mut blocks: Vec<Block>) -> Vec<Block> {
    let terms = terms.join(", ");
    match blocks.first_mut() {
        Some(first) if first.kind == Kind::Text => {
            let colon = if terms.trim_end_matches('*').ends_with(':') { "" } else { ":" };
            first.text = format!("{terms}{colon} {}", first.text);
        }
        _ => blocks.insert(0, Block { kind: Kind::Text, text: terms }),
    }
    blocks
}
