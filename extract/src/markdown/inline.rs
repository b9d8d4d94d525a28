//! Inline content: emphasis, code, links, images and formulas.

use dom_query::{Element, NodeRef};

use super::escape::code_span;
use super::line::Line;
use super::model::Context;
use super::{BACK_LINKS, Writer, note_target};
use crate::dom::{has_class, is, name, squeeze, value, with_text};

impl Writer<'_> {
    /// Appends what is in a node.
    pub(super) fn inline_children(&self, node: &NodeRef<'_>, context: Context, line: &mut Line) {
        for child in node.children_it(false) {
            if self.is_full() {
                break;
            }
            self.inline(&child, context, line);
        }
    }

    /// Appends a node.
    pub(super) fn inline(&self, node: &NodeRef<'_>, context: Context, line: &mut Line) {
        if with_text(node, |text| self.append(line, |line| line.push_text(text, context.place))).is_some() {
            return;
        }
        let Some(element) = node.element_ref() else { return };
        if self.is_left_out(&element) {
            // What is left out separates the words around it, as a field separates labels.
            if matches!(&*element.name.local, "input" | "select" | "textarea" | "button") {
                line.push_space();
            }
            return;
        }
        match &*element.name.local {
            "br" => {
                self.take(1 + context.indent);
                line.push_break();
            }
            "wbr" | "rp" => {}
            "strong" | "b" if !context.bold => self.marked(node, "**", Context { bold: true, ..context }, line),
            "em" | "i" | "cite" | "dfn" | "var" if !context.italic => {
                self.marked(node, "*", Context { italic: true, ..context }, line);
                // Most forums show who is quoted in a line of its own.
                if is(&element, "cite") && node.text().trim_end().ends_with(':') {
                    line.push_space();
                }
            }
            "del" | "s" | "strike" => self.marked(node, "~~", context, line),
            "code" | "kbd" | "samp" | "tt" => self.code(node, &element, context, line),
            "a" => self.link(node, &element, context, line),
            "img" => self.image(&element, line),
            "video" | "audio" | "iframe" => self.media(node, &element, line),
            "sup" | "sub" => self.script(node, &element, context, line),
            // Many pages set dates apart by style only.
            "time" => {
                line.separate();
                self.inline_children(node, context, line);
            }
            "q" => {
                line.push_raw("\u{201c}");
                self.inline_children(node, context, line);
                line.push_raw("\u{201d}");
            }
            "rt" => {
                line.push_raw("(");
                self.inline_children(node, context, line);
                line.push_raw(")");
            }
            "input" => {
                line.push_raw(if has_attribute(&element, "checked") { "[x]" } else { "[ ]" });
                line.push_space();
            }
            "figcaption" | "p" | "div" | "li" | "dt" | "dd" | "tr" | "td" | "th" | "option" => {
                line.push_space();
                self.inline_children(node, context, line);
                line.push_space();
            }
            _ => self.inline_children(node, context, line),
        }
    }

    /// Whether an element is left out wherever it is.
    pub(super) fn is_left_out(&self, element: &Element) -> bool {
        let is_control = match &*element.name.local {
            "script" | "style" | "template" | "noscript" | "head" | "title" | "meta" | "link" | "button" | "select"
            | "textarea" | "svg" | "canvas" | "object" | "embed" | "map" | "datalist" | "progress" | "meter"
            | "frameset" => true,
            "input" => value(element, "type") != Some("checkbox"),
            _ => false,
        };
        is_control
            || has_class(element, BACK_LINKS)
            || value(element, "role") == Some("doc-backlink")
            || (self.skip)(element)
    }

    fn marked(&self, node: &NodeRef<'_>, marker: &'static str, context: Context, line: &mut Line) {
        let mut inner = Line::default();
        self.inline_children(node, context, &mut inner);
        self.take(2 * marker.len());
        line.push_marked(marker, inner);
    }

    fn code(&self, node: &NodeRef<'_>, element: &Element, context: Context, line: &mut Line) {
        let code = node.text();
        if let Some(display) = value(element, "data-formula") {
            let dollars = if display == "block" { "$$" } else { "$" };
            let formula = squeeze(&code);
            let formula = if context.place.cell { formula.replace('|', "\\vert ") } else { formula };
            return self.append(line, |line| line.push_raw(&format!("{dollars}{formula}{dollars}")));
        }
        // A code element that is only a link, as in the references of many manuals.
        if let Some(link) = only_link(node) {
            return self.link_of_code(node, &link, context, line);
        }
        let squeezed = squeeze(&code);
        if squeezed.is_empty() {
            line.push_space();
        } else {
            self.append(line, |line| line.push_raw(&code_span(&squeezed, context.place)));
        }
    }

    fn link_of_code(&self, node: &NodeRef<'_>, anchor: &NodeRef<'_>, context: Context, line: &mut Line) {
        let code = code_span(&squeeze(&node.text()), context.place);
        let target = anchor.attr("href").and_then(|href| self.target(&href)).filter(|_| !context.place.link);
        self.append(line, |line| match target {
            Some(target) => line.push_link(&format!("[{code}]({target})")),
            None => line.push_raw(&code),
        });
    }

    fn link(&self, node: &NodeRef<'_>, element: &Element, context: Context, line: &mut Line) {
        if is_permalink(node, element) {
            return;
        }
        if let Some(label) = note_target(node).and_then(|id| self.notes.get(&id)) {
            return self.append(line, |line| line.push_raw(&format!("[^{label}]")));
        }
        let target = value(element, "href").and_then(|href| self.target(href)).filter(|_| !context.place.link);
        let Some(target) = target else { return self.inline_children(node, context, line) };
        let place = super::escape::Place { link: true, ..context.place };
        let mut inner = Line::default();
        self.inline_children(node, Context { place, ..context }, &mut inner);
        let (text, before, after) = inner.into_parts();
        if before {
            line.push_space();
        }
        let text = text.replace('\n', " ");
        if !text.is_empty() {
            let plain = squeeze(&node.text());
            let is_address = target.trim_end_matches('/') == plain.trim_end_matches('/') && target.starts_with("http");
            self.take(target.len() + 4);
            line.push_link(&if is_address { format!("<{target}>") } else { format!("[{text}]({target})") });
        }
        if after {
            line.push_space();
        }
    }

    /// The address of a link as Markdown, or nothing if it leads to the page itself or runs a script.
    pub(super) fn target(&self, href: &str) -> Option<String> {
        if href.trim_start().starts_with('#') {
            return None;
        }
        let url = self.absolute(href.trim())?;
        let here =
            url.fragment().is_some() && url[..url::Position::AfterQuery] == self.base[..url::Position::AfterQuery];
        (!here).then(|| destination(url.as_str()))
    }

    fn image(&self, element: &Element, line: &mut Line) {
        let Some(alt) = value(element, "alt").map(squeeze).filter(|alt| !alt.is_empty() && !alt.contains("://")) else {
            return;
        };
        if has_class(element, &["emoji", "wp-smiley", "emojione"]) {
            return self.append(line, |line| line.push_raw(&alt));
        }
        if let Some(source) = self.image_address(element) {
            let alt = alt.replace('[', "\\[").replace(']', "\\]");
            self.append(line, |line| line.push_link(&format!("![{alt}]({source})")));
        }
    }

    /// The address of a picture that people see.
    pub(super) fn image_address(&self, element: &Element) -> Option<String> {
        let is_dot =
            ["width", "height"].iter().any(|side| value(element, side).is_some_and(|size| matches!(size, "0" | "1")));
        let source = image_source(element).and_then(|source| self.absolute(source)).filter(|_| !is_dot)?;
        source.scheme().starts_with("http").then(|| destination(source.as_str()))
    }

    /// Video and sound as links.
    fn media(&self, node: &NodeRef<'_>, element: &Element, line: &mut Line) {
        let kind = name(node);
        let source = value(element, "src").map(str::to_owned).or_else(|| {
            let source = crate::dom::find(node, |element| crate::dom::is(element, "source"))?;
            crate::dom::attribute(&source, "src")
        });
        let title = value(element, "title").or_else(|| value(element, "aria-label")).map(squeeze);
        let title = match (&*kind, title) {
            // Frames without a title are advertisements and counters.
            ("iframe", None) => return,
            ("iframe", Some(title)) => title,
            ("video", title) => title.unwrap_or_else(|| "Video".to_owned()),
            (_, title) => title.unwrap_or_else(|| "Audio".to_owned()),
        };
        if let Some(source) =
            source.and_then(|source| self.absolute(&source)).filter(|url| url.scheme().starts_with("http"))
        {
            let title = title.replace('[', "\\[").replace(']', "\\]");
            self.append(line, |line| line.push_link(&format!("[{title}]({})", destination(source.as_str()))));
        }
    }

    /// Superscripts and subscripts: in the characters that Unicode has for them, or as `^(...)` and `_(...)`.
    fn script(&self, node: &NodeRef<'_>, element: &Element, context: Context, line: &mut Line) {
        let plain = squeeze(&node.text());
        let is_sup = &*element.name.local == "sup";
        let has_link = crate::dom::find(node, |element| crate::dom::is(element, "a")).is_some();
        if has_link || plain.is_empty() {
            return self.inline_children(node, context, line);
        }
        let table = if is_sup { SUPERSCRIPTS } else { SUBSCRIPTS };
        let small: Option<String> =
            plain.chars().map(|c| table.iter().find(|(from, _)| *from == c).map(|(_, to)| *to)).collect();
        self.append(line, |line| match (small, is_sup) {
            (Some(small), _) => line.push_raw(&small),
            (None, true) if matches!(&*plain, "st" | "nd" | "rd" | "th" | "TM" | "tm" | "®" | "™") => {
                line.push_raw(&plain);
            }
            (None, true) => line.push_raw(&format!("^({plain})")),
            (None, false) => line.push_raw(&format!("\\_({plain})")),
        });
    }
}

const SUPERSCRIPTS: &[(char, char)] = &[
    ('0', '⁰'),
    ('1', '¹'),
    ('2', '²'),
    ('3', '³'),
    ('4', '⁴'),
    ('5', '⁵'),
    ('6', '⁶'),
    ('7', '⁷'),
    ('8', '⁸'),
    ('9', '⁹'),
    ('+', '⁺'),
    ('-', '⁻'),
    ('−', '⁻'),
    ('(', '⁽'),
    (')', '⁾'),
    ('n', 'ⁿ'),
    ('i', 'ⁱ'),
];
const SUBSCRIPTS: &[(char, char)] = &[
    ('0', '₀'),
    ('1', '₁'),
    ('2', '₂'),
    ('3', '₃'),
    ('4', '₄'),
    ('5', '₅'),
    ('6', '₆'),
    ('7', '₇'),
    ('8', '₈'),
    ('9', '₉'),
    ('+', '₊'),
    ('-', '₋'),
    ('−', '₋'),
    ('(', '₍'),
    (')', '₎'),
];

/// The only content of a node, if it is a link.
fn only_link<'a>(node: &NodeRef<'a>) -> Option<NodeRef<'a>> {
    let mut inner = *node;
    loop {
        let mut children =
            inner.children_it(false).filter(|child| with_text(child, |text| text.trim().is_empty()) != Some(true));
        let child = children.next().filter(dom_query::NodeRef::is_element)?;
        if children.next().is_some() {
            return None;
        }
        if child.has_name("a") {
            return Some(child);
        }
        inner = child;
    }
}

/// The address of an image. Pages that load images late keep it in other attributes.
fn image_source(element: &Element) -> Option<&str> {
    let sources =
        ["src", "data-src", "data-original", "data-lazy-src"].into_iter().filter_map(|name| value(element, name));
    let set =
        ["srcset", "data-srcset"].into_iter().filter_map(|name| value(element, name)?.split_ascii_whitespace().next());
    sources.chain(set).find(|source| !source.starts_with("data:") && !source.starts_with("blob:"))
}

/// Whether a link leads to the heading or the line that it is in.
fn is_permalink(node: &NodeRef<'_>, element: &Element) -> bool {
    let is_here = value(element, "href").is_some_and(|href| href.contains('#'));
    let text = squeeze(&node.text());
    let is_marked = has_class(element, PERMALINKS)
        || text.is_empty()
        || matches!(&*text, "#" | "¶" | "§" | "🔗" | "↩" | "↩︎" | "^" | "Anchor");
    is_here
        && is_marked
        && (text.chars().count() <= 2
            || has_class(element, PERMALINKS) && text.starts_with("Permalink")
            || text == "Anchor")
}

const PERMALINKS: &[&str] = &[
    "headerlink",
    "anchor",
    "hash-link",
    "header-anchor",
    "permalink",
    "anchorjs-link",
    "doc-anchor",
    "heading-anchor",
    "anchor-link",
    "direct-link",
];

/// An address in the parentheses of a link.
fn destination(url: &str) -> String {
    let mut depth = 0_i32;
    let balanced = url.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (0..=1).contains(&depth)
    });
    let url = if balanced && depth == 0 { url.to_owned() } else { url.replace('(', "%28").replace(')', "%29") };
    url.replace('|', "%7C")
}

fn has_attribute(element: &Element, name: &str) -> bool {
    element.attrs.iter().any(|attribute| &*attribute.name.local == name)
}
