//! Feeds: RSS 2.0, RSS 1.0, Atom and JSON Feed. An entry becomes a section with its date, its author and its text.

use serde_json::Value;
use url::Url;

use crate::date::Published;
use crate::dom::{cut, joined};
use crate::html::{fragment, line};
use crate::options::Options;
use crate::page::{MAX_FACT, MAX_TITLE, Page, PageKind};
use crate::parts::headings;
use crate::quality::Fault;
use crate::xml::{self, Node};

/// The maximum number of entries that are shown.
const MAX_ENTRIES: usize = 200;
/// The maximum number of elements and texts of a feed.
const MAX_NODES: usize = 500_000;

/// An entry, with its text as HTML.
#[derive(Debug, Default)]
struct Entry {
    title: String,
    link: Option<String>,
    author: Option<String>,
    date: Option<String>,
    html: String,
}

/// Reads a feed in XML. Returns nothing for XML of another kind.
pub(crate) fn read_xml(text: &str, address: &Url, options: &Options) -> Option<Page> {
    let (root, is_complete) = xml::read(text, MAX_NODES)?;
    let channel = match &*root.name {
        "rss" | "rdf:rdf" => root.child(&["channel"])?,
        "feed" => &root,
        _ => return None,
    };
    let mut page = Page::new(PageKind::Feed, String::new());
    let text_of =
        |names: &[&str]| channel.child(names).map(|node| line(&html_of(node), options)).filter(|text| !text.is_empty());
    page.title = text_of(&["title"]);
    page.description = text_of(&["subtitle", "description", "tagline"]);
    page.language = text_of(&["language", "dc:language"]).or_else(|| root.attribute("xml:lang").map(str::to_owned));
    page.byline = channel.child(&["author"]).and_then(|author| author.child(&["name"])).map(Node::text);
    let items = if root.name == "rdf:rdf" { &root } else { channel };
    let entries: Vec<Entry> =
        items.children("item").chain(items.children("entry")).take(MAX_ENTRIES + 1).map(entry).collect();
    fill(&mut page, entries, address, options);
    if !is_complete {
        page.quality.add(Fault::Damaged);
    }
    Some(page)
}

fn entry(node: &Node) -> Entry {
    let text = |names: &[&str]| node.child(names).map(Node::text).filter(|text| !text.is_empty());
    let links = || node.children("link");
    let link = links()
        .find(|link| link.attribute("rel").is_none_or(|rel| rel == "alternate"))
        .and_then(|link| link.attribute("href").map(str::to_owned).or_else(|| Some(link.text())))
        .filter(|link| !link.is_empty())
        .or_else(|| node.children("guid").find(|guid| guid.attribute("ispermalink") != Some("false")).map(Node::text));
    let author = node
        .child(&["dc:creator"])
        .or_else(|| node.child(&["author"]))
        .map(|author| author.child(&["name"]).unwrap_or(author).text());
    Entry {
        title: node.child(&["title"]).map(html_of).unwrap_or_default(),
        link,
        author: author.filter(|author| !author.is_empty()),
        date: text(&["published", "pubdate", "dc:date", "updated"]),
        html: node.child(&["content:encoded", "content", "description", "summary"]).map(html_of).unwrap_or_default(),
    }
}

/// The content of an element as HTML. Only what says that it is plain text is plain text.
fn html_of(node: &Node) -> String {
    match node.attribute("type") {
        Some("text" | "xhtml" | "application/xhtml+xml") => node.html(false),
        _ => node.html(true),
    }
}

/// Reads a JSON Feed. Returns nothing for other JSON.
pub(crate) fn read_json(text: &str, address: &Url, options: &Options) -> Option<Page> {
    // JSON that is not a feed is not parsed.
    if !text.get(..text.floor_char_boundary(2000))?.contains("jsonfeed.org/version/") {
        return None;
    }
    let feed: Value = serde_json::from_str(text).ok()?;
    let items = feed.get("items")?.as_array()?;
    let string = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).map(str::to_owned).filter(|text| !text.is_empty())
    };
    let author = |value: &Value| {
        let author = value.get("authors").and_then(|authors| authors.get(0)).or_else(|| value.get("author"))?;
        string(author, "name")
    };
    let mut page = Page::new(PageKind::Feed, String::new());
    page.title = string(&feed, "title");
    page.description = string(&feed, "description");
    page.language = string(&feed, "language");
    page.byline = author(&feed);
    let entries = items.iter().take(MAX_ENTRIES + 1).map(|item| Entry {
        title: string(item, "title").map(|title| escaped(&title)).unwrap_or_default(),
        link: string(item, "url").or_else(|| string(item, "external_url")),
        author: author(item),
        date: string(item, "date_published"),
        html: string(item, "content_html")
            .or_else(|| {
                string(item, "content_text").map(|text| format!("<p>{}</p>", escaped(&text).replace("\n\n", "</p><p>")))
            })
            .or_else(|| string(item, "summary").map(|text| escaped(&text)))
            .unwrap_or_default(),
    });
    let entries = entries.collect();
    fill(&mut page, entries, address, options);
    Some(page)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Writes the entries.
fn fill(page: &mut Page, mut entries: Vec<Entry>, address: &Url, options: &Options) {
    if entries.len() > MAX_ENTRIES {
        entries.truncate(MAX_ENTRIES);
        page.quality.add(Fault::Truncated);
    }
    if entries.is_empty() {
        page.quality.add(Fault::Empty);
    }
    for entry in entries {
        if !page.markdown.is_empty() {
            page.markdown.push_str("\n\n");
        }
        let left = options.output_bytes.saturating_sub(page.markdown.len());
        if left == 0 {
            page.quality.add(Fault::Truncated);
            break;
        }
        page.markdown.push_str(&section(&entry, address, &Options { output_bytes: left, ..*options }));
    }
}

fn section(entry: &Entry, address: &Url, options: &Options) -> String {
    let link = entry
        .link
        .as_deref()
        .and_then(|link| joined(address, link.trim()))
        .filter(|url| url.scheme().starts_with("http"));
    let title = cut(line(&entry.title, options), MAX_TITLE);
    let date = entry.date.as_deref().and_then(Published::read).map(|date| date.at.unwrap_or(date.written));
    let title = match (title.is_empty(), &date) {
        (false, _) => title,
        (true, Some(date)) => date.clone(),
        (true, None) => "Untitled".to_owned(),
    };
    let bracketed = title.replace('[', "\\[").replace(']', "\\]");
    let heading = match &link {
        Some(link) => format!("## [{bracketed}]({})", link.as_str().replace('(', "%28").replace(')', "%29")),
        None => format!("## {title}"),
    };
    let about: Vec<String> =
        date.into_iter().chain(entry.author.as_deref().map(|author| cut(line(author, options), MAX_FACT))).collect();
    let text = fragment(&entry.html, link.as_ref().unwrap_or(address), options);
    let parts = [heading, about.join(" · "), below(&text)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Moves the headings of a text below the heading of its entry.
fn below(markdown: &str) -> String {
    let (mut out, mut at) = (String::with_capacity(markdown.len()), 0);
    for heading in headings(markdown) {
        out.push_str(&markdown[at..heading.offset]);
        out.push_str(&"##"[..usize::from(6 - heading.level).min(2)]);
        at = heading.offset;
    }
    out.push_str(&markdown[at..]);
    out
}
