//! Reads XML into a tree, within bounds. Damaged XML is read up to the damage.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Deeper elements are left out.
const MAX_DEPTH: usize = 64;

/// An element.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Its name with its prefix, in lower case.
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) content: Vec<Content>,
}

#[derive(Debug)]
pub(crate) enum Content {
    Text(String),
    Node(Node),
}

impl Node {
    /// The elements in it with one of the names, the first name first.
    pub(crate) fn child<'n>(&'n self, names: &[&'n str]) -> Option<&'n Self> {
        names.iter().find_map(|name| self.children(name).next())
    }

    pub(crate) fn children<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n Self> {
        self.content.iter().filter_map(move |content| match content {
            Content::Node(node) if node.name == name => Some(node),
            _ => None,
        })
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.trim())
    }

    /// Its text and the text in it.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.push_text(&mut out);
        out.trim().to_owned()
    }

    fn push_text(&self, out: &mut String) {
        for content in &self.content {
            match content {
                Content::Text(text) => out.push_str(text),
                Content::Node(node) => node.push_text(out),
            }
        }
    }

    /// What is in it, as HTML. Text is HTML already if `is_escaped`.
    pub(crate) fn html(&self, is_escaped: bool) -> String {
        let mut out = String::new();
        self.push_html(is_escaped, &mut out);
        out
    }

    fn push_html(&self, is_escaped: bool, out: &mut String) {
        for content in &self.content {
            match content {
                Content::Text(text) if is_escaped => out.push_str(text),
                Content::Text(text) => out.push_str(&escaped(text)),
                Content::Node(node) => {
                    let name = node.name.rsplit(':').next().unwrap_or_default();
                    out.push_str(&format!("<{name}"));
                    for (name, value) in &node.attributes {
                        out.push_str(&format!(" {name}=\"{}\"", escaped(value)));
                    }
                    out.push('>');
                    node.push_html(false, out);
                    if !matches!(name, "br" | "img" | "hr" | "wbr" | "input") {
                        out.push_str(&format!("</{name}>"));
                    }
                }
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Reads a document with at most `most` elements and texts. Returns its root, and whether it was read to its end.
pub(crate) fn read(text: &str, most: usize) -> Option<(Node, bool)> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut open: Vec<Node> = vec![Node::default()];
    let mut skipped = 0_usize;
    let mut is_complete = false;
    for _ in 0..most {
        let Ok(event) = reader.read_event() else { break };
        match event {
            Event::Start(_) if open.len() > MAX_DEPTH => skipped += 1,
            Event::Start(start) => open.push(node(&start)),
            Event::Empty(start) => push(&mut open, Content::Node(node(&start))),
            Event::End(_) if skipped > 0 => skipped -= 1,
            Event::End(_) => close(&mut open),
            Event::Text(text) => push_text(&mut open, &text.xml10_content()),
            Event::CData(text) => push_text(&mut open, &text.xml10_content()),
            Event::GeneralRef(entity) => push_text(&mut open, &resolved(&entity)),
            Event::Eof => {
                is_complete = open.len() == 1;
                break;
            }
            _ => {}
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    let root = open.pop()?.content.into_iter().find_map(|content| match content {
        Content::Node(node) => Some(node),
        Content::Text(_) => None,
    })?;
    Some((root, is_complete))
}

fn node(start: &BytesStart<'_>) -> Node {
    let name = start.name().as_ref().to_ascii_lowercase();
    let mut attributes = start.html_attributes();
    let attributes = attributes
        .with_checks(false)
        .filter_map(Result::ok)
        .take(50)
        .map(|attribute| (attribute.key.as_ref().to_ascii_lowercase(), unescaped(&attribute.value)));
    Node { name, attributes: attributes.collect(), content: Vec::new() }
}

fn push(open: &mut [Node], content: Content) {
    if let Some(last) = open.last_mut() {
        last.content.push(content);
    }
}

fn push_text(open: &mut [Node], text: &str) {
    let Some(last) = open.last_mut() else { return };
    match last.content.last_mut() {
        Some(Content::Text(before)) => before.push_str(text),
        _ => last.content.push(Content::Text(text.to_owned())),
    }
}

fn close(open: &mut Vec<Node>) {
    if open.len() > 1
        && let Some(node) = open.pop()
    {
        push(open, Content::Node(node));
    }
}

/// The text of an entity. Those of HTML are left as they are: what reads HTML knows them.
fn resolved(name: &str) -> String {
    let code = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    });
    match (name, code.and_then(char::from_u32)) {
        ("amp", _) => "&".to_owned(),
        ("lt", _) => "<".to_owned(),
        ("gt", _) => ">".to_owned(),
        ("quot", _) => "\"".to_owned(),
        ("apos", _) => "'".to_owned(),
        (_, Some(c)) => c.to_string(),
        _ => format!("&{name};"),
    }
}

fn unescaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.find(';').filter(|end| *end <= 12) {
            Some(end) => {
                out.push_str(&resolved(&rest[..end]));
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}
