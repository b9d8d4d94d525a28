//! HTML pages.

use url::Url;

use crate::content;
use crate::dom::{parse, squeeze};
use crate::links::base;
use crate::markdown::{Writer, outside_of_links};
use crate::metadata;
use crate::options::Options;
use crate::page::Page;
use crate::parts::headings;
use crate::quality::{self, Fault, Judged, Signs};

/// With fewer letters and digits outside of links, what is before the title is navigation.
const MAX_BEFORE: usize = 40;

/// Turns a page into Markdown. `is_cut` says that the end of the page is missing already.
pub(crate) fn read(html: &str, address: &Url, is_cut: bool, options: &Options) -> Page {
    let (document, is_parsed) = parse(html, options.nodes);
    let base = base(&document.root(), address);
    let metadata = metadata::read(&document, &base);
    let signs = Signs::read(&document);
    crate::clean::clean(&document);
    let shown = quality::shown(&document);
    let content = content::choose(document, &metadata, &base, options);
    let mut page = Page::new(content.kind, content.markdown);
    if let Some(title) = &metadata.title {
        remove_title(&mut page.markdown, title);
    }
    let judged = Judged {
        text: &page.markdown,
        shown: &shown,
        is_for_pay: metadata.is_for_pay,
        is_article: metadata.published.is_some() || metadata.byline.is_some(),
    };
    page.quality = quality::judge(&signs, &judged);
    if page.markdown.is_empty() && page.quality.is_good() {
        page.quality.add(Fault::Empty);
    }
    if is_cut || !is_parsed || content.is_cut {
        page.quality.add(Fault::Truncated);
    }
    Page {
        title: metadata.title,
        byline: metadata.byline,
        published: metadata.published,
        language: metadata.language,
        site: metadata.site,
        description: metadata.description,
        canonical: metadata.canonical,
        ..page
    }
}

/// Turns a piece of HTML, such as an entry of a feed, into Markdown.
pub(crate) fn fragment(html: &str, address: &Url, options: &Options) -> String {
    if !html.contains(['<', '&']) {
        return squeeze(html);
    }
    let (document, _) = parse(html, options.nodes);
    crate::clean::clean(&document);
    let keep = |_: &dom_query::Element| false;
    Writer::new(&document.root(), address, &keep, options.output_bytes).write(&document.root())
}

/// The text of a piece of HTML that is one line, such as a title.
pub(crate) fn line(html: &str, options: &Options) -> String {
    if !html.contains(['<', '&']) {
        return squeeze(html);
    }
    let (document, _) = parse(html, options.nodes.min(1000));
    squeeze(&document.root().text())
}

/// Removes the heading that says what the title says, if it is at the beginning. Links before it are the way to the page.
fn remove_title(markdown: &mut String, title: &str) {
    let same =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let wanted = same(title);
    let Some(heading) = headings(markdown).into_iter().take(3).find(|heading| same(&heading.text) == wanted) else {
        return;
    };
    let before = &markdown[..heading.offset];
    let is_first = heading.level <= 2
        && outside_of_links(before) < MAX_BEFORE
        && !before.lines().any(|line| line.starts_with("!["));
    if is_first {
        let end = markdown[heading.offset..].find('\n').map_or(markdown.len(), |end| heading.offset + end);
        *markdown = markdown[end..].trim_start_matches('\n').to_owned();
    }
}
