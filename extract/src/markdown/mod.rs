//! Writes a tree of HTML as Markdown: `CommonMark` with the tables, task lists, strikethrough and footnotes of GitHub, and `$` around
//! formulas.

mod block;
mod escape;
mod inline;
mod line;
mod list;
mod model;
mod table;
mod trim;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use dom_query::{Element, NodeRef};
use url::Url;

pub(crate) use trim::outside_of_links;

use crate::dom::{find_all, has_class, is, joined, text, value};

/// Writes the parts of one page.
pub(crate) struct Writer<'p> {
    /// What relative addresses are relative to.
    base: &'p Url,
    /// Which elements are left out.
    skip: &'p dyn Fn(&Element) -> bool,
    /// The labels of footnotes, by the `id` of the element with their text.
    notes: HashMap<String, String>,
    /// How many bytes may still be written. Text counts where it is read from the page, and what is put around it where that is decided:
    /// nothing counts again in the blocks around it. When nothing is left, no more is read, and what has been read is written.
    left: Cell<usize>,
}

impl<'p> Writer<'p> {
    /// Prepares to write parts of a page. `page` is its root, where footnotes are looked for.
    pub(crate) fn new(page: &NodeRef<'_>, base: &'p Url, skip: &'p dyn Fn(&Element) -> bool, most: usize) -> Self {
        Self { base, skip, notes: footnotes(page), left: Cell::new(most) }
    }

    /// Writes what is in a node.
    pub(crate) fn write(&self, node: &NodeRef<'_>) -> String {
        let mut blocks = Vec::new();
        self.blocks(node, model::Context::default(), &mut blocks);
        model::join(blocks)
    }

    /// Writes an article without what surrounds its text.
    pub(crate) fn write_article(&self, node: &NodeRef<'_>) -> String {
        let mut blocks = Vec::new();
        self.blocks(node, model::Context::default(), &mut blocks);
        model::join(trim::trim(blocks))
    }

    /// Whether the Markdown was cut at its greatest size.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_full()
    }

    /// Whether nothing more may be written.
    fn is_full(&self) -> bool {
        self.left.get() == 0
    }

    /// Counts bytes. Returns whether they may be written. If not, nothing is left.
    fn take(&self, bytes: usize) -> bool {
        let after = self.left.get().checked_sub(bytes);
        self.left.set(after.unwrap_or(0));
        after.is_some()
    }

    /// Counts the bytes that `write` appends to a line.
    fn append(&self, line: &mut line::Line, write: impl FnOnce(&mut line::Line)) {
        let before = line.len();
        write(line);
        self.take(line.len().saturating_sub(before));
    }

    /// Counts the lines of a text, of which each costs `line` bytes more than its own. Returns the text up to the last line that fits, or a
    /// part of the first one.
    fn fitting<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let mut end = 0;
        for whole in text.split_inclusive('\n') {
            let left = self.left.get();
            if !self.take(whole.len() + line) {
                end = if end == 0 { text.floor_char_boundary(left.min(whole.len())) } else { end };
                break;
            }
            end += whole.len();
        }
        text[..end].trim_end_matches('\n')
    }

    /// The absolute form of an address of the page, if a model could fetch it.
    fn absolute(&self, address: &str) -> Option<Url> {
        joined(self.base, address).filter(|url| matches!(url.scheme(), "http" | "https" | "mailto" | "ftp" | "tel"))
    }
}

/// Finds links to footnotes: the `id` each leads to, and its label.
fn footnotes(page: &NodeRef<'_>) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for link in find_all(page, |element| is(element, "a")) {
        let Some(id) = note_target(&link) else { continue };
        let label = text(&link);
        let label = label.trim_matches(['[', ']', '(', ')', ' ']);
        if !label.is_empty() && label.len() <= 20 && !label.contains(char::is_whitespace) {
            found.entry(id).or_insert_with(|| label.to_owned());
        }
    }
    if !found.is_empty() {
        let ids: HashSet<String> =
            page.descendants_it().filter_map(|node| node.id_attr().map(|id| id.to_string())).collect();
        found.retain(|id, _| ids.contains(id));
    }
    found
}

/// The `id` of the footnote to which a link leads.
fn note_target(link: &NodeRef<'_>) -> Option<String> {
    let element = link.element_ref()?;
    let id = value(&element, "href")?.strip_prefix('#').filter(|id| !id.is_empty())?;
    let is_marked = has_class(&element, &["footnote-ref", "footnote-reference", "footref", "noteref"])
        || value(&element, "role") == Some("doc-noteref")
        || element.attrs.iter().any(|attribute| &*attribute.name.local == "data-footnote-ref");
    let is_back = has_class(&element, BACK_LINKS) || value(&element, "role") == Some("doc-backlink");
    let in_sup = link.parent().is_some_and(|parent| parent.has_name("sup"));
    (!is_back && (is_marked || in_sup)).then(|| id.to_owned())
}

/// Classes of links from a footnote back to the text, and of the labels of footnotes.
const BACK_LINKS: &[&str] = &[
    "footnote-backref",
    "fn-backref",
    "footnote-back",
    "reversefootnote",
    "mw-cite-backlink",
    "backlink",
    "data-footnote-backref",
];
