//! Blocks: paragraphs, headings, quotations, code, and what joins them.

use dom_query::{Element, NodeRef};

use super::Writer;
use super::escape::{Place, fenced};
use super::line::Line;
use super::model::{Block, Context, Kind, heading_level, is_inline, join, paragraph, prefixed};
use crate::dom::{find, find_all, has_class, is, text, value};

impl Writer<'_> {
    /// Appends the blocks in a node.
    pub(super) fn blocks(&self, node: &NodeRef<'_>, context: Context, out: &mut Vec<Block>) {
        let mut line = Line::default();
        for child in node.children_it(false) {
            if self.is_full() {
                break;
            }
            if is_inline(&child) {
                self.inline(&child, context, &mut line);
                continue;
            }
            self.flush(std::mem::take(&mut line), context, out);
            self.block(&child, context, out);
        }
        self.flush(line, context, out);
    }

    /// Appends the paragraphs of a line.
    pub(super) fn flush(&self, line: Line, context: Context, out: &mut Vec<Block>) {
        for text in line.into_paragraphs() {
            self.push(Kind::Text, paragraph(&text, context), context, out);
        }
    }

    /// Appends a block whose text has been counted. The blank line before it counts.
    pub(super) fn push(&self, kind: Kind, text: String, context: Context, out: &mut Vec<Block>) {
        if !text.is_empty() {
            self.take(2 + context.indent);
            out.push(Block { kind, text });
        }
    }

    /// Appends an element that is a block, or that contains one.
    fn block(&self, node: &NodeRef<'_>, context: Context, out: &mut Vec<Block>) {
        let Some(element) = node.element_ref() else { return };
        if self.is_left_out(&element) {
            return;
        }
        if let Some(label) = value(&element, "id").and_then(|id| self.notes.get(id)) {
            return self.note(node, label, context, out);
        }
        if let Some(level) = heading_level(&element) {
            return self.heading(node, level, context, out);
        }
        match &*element.name.local {
            "pre" => self.code_block(node, &element, context, out),
            "hr" if !context.place.cell => self.push(Kind::Rule, "---".to_owned(), context, out),
            "hr" => {}
            "ul" | "ol" | "menu" | "dir" => self.list(node, &element, context, out),
            "dl" => self.definitions(node, context, out),
            "table" => self.table(node, &element, context, out),
            "blockquote" => self.quote(node, context, out),
            "summary" | "legend" if find(node, |inner| heading_level(inner).is_some()).is_none() => {
                self.bold(node, context, out);
            }
            "figure" => self.figure(node, context, out),
            "a" => self.card(node, &element, context, out),
            "code" => self.formula(node, context, out),
            _ if is_admonition(&element) && !context.place.cell => self.quote(node, context, out),
            _ if is_title_of_admonition(&element) => self.bold(node, context, out),
            _ => self.blocks(node, context, out),
        }
    }

    fn heading(&self, node: &NodeRef<'_>, level: usize, context: Context, out: &mut Vec<Block>) {
        let mut line = Line::default();
        if context.place.cell || context.lists > 0 {
            self.inline_children(node, Context { bold: true, ..context }, &mut line);
            let (text, ..) = line.into_parts();
            let text = text.replace('\n', " ");
            if !text.is_empty() {
                self.push(Kind::Text, format!("**{text}**"), context, out);
            }
            return;
        }
        self.inline_children(node, Context { bold: true, ..context }, &mut line);
        let (text, ..) = line.into_parts();
        let text = text.replace('\n', " ");
        if !text.is_empty() {
            self.push(Kind::Heading, format!("{} {text}", "#".repeat(level)), context, out);
        }
    }

    fn code_block(&self, node: &NodeRef<'_>, element: &Element, context: Context, out: &mut Vec<Block>) {
        let code = node.text();
        let code = code.trim_start_matches(['\n', '\r']).trim_end();
        let code = self.fitting(code, 1 + context.indent);
        if code.trim().is_empty() {
            return;
        }
        if context.place.cell {
            let spans = code.lines().map(|line| match line.trim_end() {
                "" => String::new(),
                line => super::escape::code_span(line, context.place),
            });
            return self.push(Kind::Text, spans.collect::<Vec<_>>().join("<br>"), context, out);
        }
        let text = fenced(code, value(element, "data-language").unwrap_or_default());
        self.push(Kind::Code, text, context, out);
    }

    fn formula(&self, node: &NodeRef<'_>, context: Context, out: &mut Vec<Block>) {
        let mut line = Line::default();
        self.inline(node, context, &mut line);
        let (text, ..) = line.into_parts();
        self.push(Kind::Other, text, context, out);
    }

    fn quote(&self, node: &NodeRef<'_>, context: Context, out: &mut Vec<Block>) {
        if context.place.cell {
            return self.blocks(node, context, out);
        }
        let mut blocks = Vec::new();
        self.blocks(node, context.indented(2), &mut blocks);
        if !blocks.is_empty() {
            self.push(Kind::Other, prefixed(&join(blocks), "> ", "> ", ">"), context, out);
        }
    }

    fn bold(&self, node: &NodeRef<'_>, context: Context, out: &mut Vec<Block>) {
        let mut line = Line::default();
        self.inline_children(node, Context { bold: true, ..context }, &mut line);
        let (text, ..) = line.into_parts();
        if !text.is_empty() {
            self.push(Kind::Text, format!("**{}**", text.replace('\n', " ")), context, out);
        }
    }

    /// A figure: the caption of a picture replaces its alternative text, which mostly says the same.
    fn figure(&self, node: &NodeRef<'_>, context: Context, out: &mut Vec<Block>) {
        let images = find_all(node, |element| is(element, "img"));
        let has_other = find(node, |element| {
            matches!(&*element.name.local, "pre" | "table" | "blockquote" | "ul" | "ol" | "video" | "iframe")
        })
        .is_some();
        let caption = find(node, |element| is(element, "figcaption"));
        let ([image], Some(caption), false) = (images.as_slice(), caption, has_other) else {
            return self.blocks(node, context, out);
        };
        let source = image.element_ref().and_then(|image| self.image_address(&image));
        let text = text(&caption);
        match source {
            Some(source) if !text.is_empty() => {
                let text = text.replace('[', "\\[").replace(']', "\\]");
                self.take(text.len() + source.len());
                self.push(Kind::Text, format!("![{text}]({source})"), context, out);
            }
            _ => self.blocks(node, context, out),
        }
    }

    /// A link around blocks: the link is put on the heading, or on the first text.
    fn card(&self, node: &NodeRef<'_>, element: &Element, context: Context, out: &mut Vec<Block>) {
        let mut blocks = Vec::new();
        let target = value(element, "href").and_then(|href| self.target(href)).filter(|_| !context.place.link);
        let place = Place { link: context.place.link || target.is_some(), ..context.place };
        self.blocks(node, Context { place, ..context }, &mut blocks);
        let best = blocks.iter().position(|block| block.kind == Kind::Heading);
        let best =
            best.or_else(|| blocks.iter().position(|block| block.kind == Kind::Text && !block.text.starts_with("![")));
        let best = best.or_else(|| blocks.iter().position(|block| block.kind == Kind::Text));
        if let (Some(target), Some(best)) = (target, best) {
            self.take(target.len());
            let block = &mut blocks[best];
            let start = if block.kind == Kind::Heading { block.text.find(' ').map_or(0, |at| at + 1) } else { 0 };
            block.text = format!("{}[{}]({target})", &block.text[..start], block.text[start..].replace("\\\n", " "));
        }
        out.append(&mut blocks);
    }

    /// The text of a footnote.
    pub(super) fn note(&self, node: &NodeRef<'_>, label: &str, context: Context, out: &mut Vec<Block>) {
        let mut blocks = Vec::new();
        self.blocks(node, context.indented(4), &mut blocks);
        let text = join(blocks);
        let text = text.strip_prefix("[]").unwrap_or(&text).trim_start();
        // Some pages repeat the label before the text.
        let text = text.strip_prefix(label).map_or(text, |rest| rest.trim_start_matches(['.', ')', ']', ' ', '\n']));
        if !text.is_empty() {
            self.take(label.len());
            self.push(Kind::Note, prefixed(text, &format!("[^{label}]: "), "    ", ""), context, out);
        }
    }
}

fn is_admonition(element: &Element) -> bool {
    has_class(
        element,
        &["admonition", "theme-admonition", "callout", "markdown-alert", "notecard", "alert", "admonitionblock"],
    ) && !is(element, "table")
}

fn is_title_of_admonition(element: &Element) -> bool {
    value(element, "class").is_some_and(|classes| {
        classes.split_ascii_whitespace().any(|class| {
            ["admonition-title", "admonitionHeading", "admonition-heading", "markdown-alert-title", "callout-title"]
                .iter()
                .any(|title| class.starts_with(title))
        })
    })
}
