//! Chooses the main content of a page: the article that a reader mode would show, or everything that does not belong to the site.

use dom_query::{Document, Element, NodeRef};
use dom_smoothie::{Config, Readability};
use url::Url;

use crate::clean::is_boilerplate;
use crate::dom::{attribute, find, find_all, is, value, with_text};
use crate::markdown::Writer;
use crate::metadata::{Metadata, is_article, is_made_by, is_whole};
use crate::options::Options;
use crate::page::PageKind;

/// Pages with more nodes are not scored: its time grows faster than their number.
const MAX_SCORED: usize = 60_000;
/// Pages with more text are not scored either, in bytes, each counted once for each element around it: scoring reads it as often.
const MAX_TEXT_SCORED: usize = 40 << 20;

/// The content of a page.
pub(crate) struct Content {
    pub(crate) kind: PageKind,
    pub(crate) markdown: String,
    /// Whether it was cut at its greatest size.
    pub(crate) is_cut: bool,
}

/// Chooses the content of a cleaned page.
pub(crate) fn choose(page: Document, metadata: &Metadata, base: &Url, options: &Options) -> Content {
    let write = |root: &NodeRef<'_>, content: &NodeRef<'_>, skip: &dyn Fn(&Element) -> bool, kind| {
        let writer = Writer::new(root, base, skip, options.output_bytes);
        let markdown = if kind == PageKind::Article { writer.write_article(content) } else { writer.write(content) };
        Content { kind, markdown, is_cut: writer.is_cut() }
    };
    let root = page.root();
    let everything = |_: &Element| false;
    if options.whole_page {
        return write(&root, &root, &everything, PageKind::Whole);
    }
    let skip: &dyn Fn(&Element) -> bool = &is_of_site;
    let main = main_content(&page, skip);
    let measured = Measure::of(&main, skip);
    let whole = Measure::of(&root, &everything);
    // Names can mislead: a page of which nearly everything seems to belong to the site is kept.
    let is_misled = measured.text * 8 < whole.text && measured.text < 400;
    let (main, skip) = if is_misled { (body(&page), &everything as &dyn Fn(&Element) -> bool) } else { (main, skip) };
    let is_made = find(&root, is_made_by).is_some();
    let is_declared = is_article(&metadata.types);
    let is_scored = !is_made && can_be_scored(&page) && (is_declared || !is_whole(&metadata.types));
    let of_main = write(&root, &main, skip, PageKind::Main);
    if !is_scored {
        return of_main;
    }
    // What readers have written about an article does not belong to it.
    let measured = Measure::of(&main, &|element| skip(element) || is_declared && is_comments(element));
    // The reader mode finds more without the parts of the site, and in a few pages nothing.
    let stripped = page.clone();
    for part in find_all(&stripped.root(), |element| !is_misled && is_of_site(element)) {
        part.remove_from_parent();
    }
    for article in [stripped, page].into_iter().filter_map(readable) {
        let Some(content) = find(&article.root(), |element| value(element, "id") == Some("readability-page-1")) else {
            continue;
        };
        if is_enough(&Measure::of(&content, &is_of_site), &measured, is_declared) {
            return write(&article.root(), &content, &is_of_site, PageKind::Article);
        }
    }
    of_main
}

fn is_of_site(element: &Element) -> bool {
    is_boilerplate(element) || value(element, "data-site").is_some()
}

fn is_comments(element: &Element) -> bool {
    const NAMES: &[&str] = &[
        "comments",
        "comment-list",
        "commentlist",
        "comments-area",
        "comment-section",
        "comments-section",
        "disqus_thread",
        "respond",
    ];
    let named = ["id", "class"].into_iter().filter_map(|attribute| value(element, attribute));
    named.flat_map(str::split_ascii_whitespace).any(|name| NAMES.contains(&name))
}

/// Finds the article, as the reader modes of browsers do.
fn readable(page: Document) -> Option<Document> {
    let config = Config { keep_classes: true, disable_json_ld: true, ..Config::default() };
    let mut readability = Readability::with_document(page, None, Some(config)).ok()?;
    readability.parse().ok()?;
    Some(readability.doc)
}

/// Whether scoring ends soon.
fn can_be_scored(page: &Document) -> bool {
    let mut left = MAX_TEXT_SCORED;
    let mut open = vec![(page.root(), 0)];
    while let Some((node, depth)) = open.pop() {
        let text = with_text(&node, str::len).unwrap_or(0) * depth;
        if text > left {
            return false;
        }
        left -= text;
        open.extend(node.children_it(false).map(|child| (child, depth + 1)));
    }
    page.tree.len() <= MAX_SCORED
}

/// Whether an article has what the main content has.
fn is_enough(article: &Measure, main: &Measure, is_declared: bool) -> bool {
    if is_declared {
        return article.text * 10 >= main.text && article.code * 2 >= main.code;
    }
    // The main content has more than the article: the article is only taken if what it lacks are mostly links and labels.
    if article.text < 250 {
        return false;
    }
    let noise = (main.text + main.links).saturating_sub(article.text + article.links);
    let is_noisy = main.text > 600 && noise * 100 > (main.text + main.links) * 8;
    is_noisy && article.text * 10 >= main.text * 7 && article.code >= main.code && article.rows * 10 >= main.rows * 9
}

/// How much there is of what.
#[derive(Debug, Default)]
struct Measure {
    /// Characters outside of links.
    text: usize,
    /// Characters in links.
    links: usize,
    /// Blocks of code.
    code: usize,
    /// Rows of tables.
    rows: usize,
}

impl Measure {
    fn of(node: &NodeRef<'_>, skip: &dyn Fn(&Element) -> bool) -> Self {
        let mut measure = Self::default();
        let mut open = vec![(*node, false)];
        while let Some((node, in_link)) = open.pop() {
            if with_text(&node, |text| {
                let chars = text.split_whitespace().map(|word| word.chars().count() + 1).sum::<usize>();
                *(if in_link { &mut measure.links } else { &mut measure.text }) += chars;
            })
            .is_some()
            {
                continue;
            }
            let mut in_link = in_link;
            if let Some(element) = node.element_ref() {
                if skip(&element) {
                    continue;
                }
                match &*element.name.local {
                    "a" => in_link = true,
                    "pre" => measure.code += 1,
                    "tr" => measure.rows += 1,
                    _ => {}
                }
            }
            open.extend(node.children_it(false).map(|child| (child, in_link)));
        }
        measure
    }
}

fn body(page: &Document) -> NodeRef<'_> {
    page.body().unwrap_or_else(|| page.root())
}

/// The element with the main content: the one that the page marks, or its body.
fn main_content<'p>(page: &'p Document, skip: &dyn Fn(&Element) -> bool) -> NodeRef<'p> {
    const IDS: &[&str] = &[
        "content",
        "main",
        "main-content",
        "mw-content-text",
        "maincontent",
        "main_content",
        "page-content",
        "bodycontent",
        "primary",
    ];
    let body = body(page);
    let total = Measure::of(&body, skip).text;
    let is_most = |node: &NodeRef<'_>, share: usize| Measure::of(node, skip).text * 100 >= total * share;
    let marked = find_all(&body, |element| is(element, "main") || value(element, "role") == Some("main"));
    if let Some(main) = marked.into_iter().find(|node| is_most(node, 30)) {
        return main;
    }
    let articles = find_all(&body, |element| is(element, "article"));
    if let [article] = articles.as_slice()
        && is_most(article, 40)
    {
        return *article;
    }
    let named =
        find_all(&body, |element| value(element, "id").is_some_and(|id| IDS.contains(&&*id.to_ascii_lowercase())));
    named.into_iter().find(|node| is_most(node, 50) && attribute(node, "id").is_some()).unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_text_is_not_scored_again_at_each_level() {
        let page = |depth: usize, words: usize| {
            let html = format!("{}{}", "<div>".repeat(depth), "word ".repeat(words));
            can_be_scored(&crate::dom::parse(&html, 1000).0)
        };
        assert!(page(20, 50_000) && page(150, 10_000));
        assert!(!page(150, 60_000));
    }
}
