//! What a crawler needs of a page: its links, and what it says about being followed.

use std::collections::HashSet;

use dom_query::NodeRef;
use url::Url;

use crate::dom::{attribute, cut, find, find_all, is, joined, parse, squeeze, text, value};
use crate::options::Options;
use crate::page::{Document, MAX_LANGUAGE};

/// The maximum number of links of a page.
const MAX_LINKS: usize = 20_000;

/// A link to another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, without a fragment.
    pub target: Url,
    /// Its text, or the alternative text of its image. Cut at 200 characters.
    pub text: String,
    /// Whether it says `nofollow`, `ugc` or `sponsored`.
    pub nofollow: bool,
}

/// What a page links to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// The links in the order of the page, each target once. The page itself is left out.
    pub links: Vec<Link>,
    /// The address that the page prefers to be known by.
    pub canonical: Option<Url>,
    /// The same page in other languages, with the language as the page writes it.
    pub alternates: Vec<(String, Url)>,
    /// Feeds of the site.
    pub feeds: Vec<Url>,
    /// Where the page leads by itself, and after how many seconds.
    pub refresh: Option<(u32, Url)>,
    /// Whether the page asks not to be kept by search engines.
    pub noindex: bool,
    /// Whether the page asks not to follow its links.
    pub nofollow: bool,
}

/// Reads the links of an HTML page. Documents of other kinds have none. Links are left out after [`Options::output_bytes`] of addresses and
/// texts.
pub fn links(document: &Document<'_>, options: &Options) -> PageLinks {
    if !crate::sniff::kind(document).is_html() {
        return PageLinks::default();
    }
    let bytes = &document.bytes[..document.bytes.len().min(options.input_bytes)];
    let (html, _) = crate::charset::decode(bytes, document.content_type);
    let (page, _) = parse(&html, options.nodes);
    let root = page.root();
    let base = base(&root, document.address);
    let mut found = PageLinks { canonical: crate::metadata::canonical(&root, &base), ..PageLinks::default() };
    for meta in find_all(&root, |element| is(element, "meta")) {
        read_meta(&meta, &base, &mut found);
    }
    let mut left = options.output_bytes;
    for link in find_all(&root, |element| is(element, "link")) {
        read_link(&link, &base, &mut left, &mut found);
    }
    let mut seen: HashSet<Url> = HashSet::from([without_fragment(document.address.clone())]);
    for link in find_all(&root, |element| is(element, "a") || is(element, "area")) {
        if found.links.len() >= MAX_LINKS {
            break;
        }
        let Some(target) = attribute(&link, "href").and_then(|href| address(&base, &href)) else { continue };
        if !seen.contains(&target) {
            let text = label(&link);
            if !fits(&mut left, target.as_str().len() + text.len()) {
                break;
            }
            seen.insert(target.clone());
            let rel = attribute(&link, "rel").unwrap_or_default().to_ascii_lowercase();
            let nofollow = rel.split_ascii_whitespace().any(|word| matches!(word, "nofollow" | "ugc" | "sponsored"));
            found.links.push(Link { target, text, nofollow });
        }
    }
    found
}

/// Whether so many bytes fit into what is left, from which they are taken.
fn fits(left: &mut usize, bytes: usize) -> bool {
    let after = left.checked_sub(bytes);
    *left = after.unwrap_or(0);
    after.is_some()
}

/// What relative addresses of a page are relative to. A base that is too long is ignored.
pub(crate) fn base(root: &NodeRef<'_>, address: &Url) -> Url {
    let base = find(root, |element| is(element, "base") && value(element, "href").is_some());
    let base = base.and_then(|base| joined(address, &attribute(&base, "href")?));
    base.filter(|url| url.scheme().starts_with("http")).unwrap_or_else(|| address.clone())
}

fn address(base: &Url, href: &str) -> Option<Url> {
    joined(base, href).filter(|url| matches!(url.scheme(), "http" | "https")).map(without_fragment)
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

fn label(link: &NodeRef<'_>) -> String {
    let text = text(link);
    let text = if text.is_empty() {
        let image = find(link, |element| is(element, "img"));
        image
            .and_then(|image| attribute(&image, "alt"))
            .or_else(|| attribute(link, "aria-label"))
            .or_else(|| attribute(link, "alt"))
            .map(|alt| squeeze(&alt))
            .unwrap_or_default()
    } else {
        text
    };
    cut(text, 200)
}

fn read_meta(meta: &NodeRef<'_>, base: &Url, found: &mut PageLinks) {
    let content = attribute(meta, "content").unwrap_or_default();
    let is_named = |attribute: &str, wanted: &str| {
        meta.attr(attribute).is_some_and(|name| name.trim().eq_ignore_ascii_case(wanted))
    };
    if is_named("name", "robots") {
        let content = content.to_ascii_lowercase();
        let has = |wanted: &str| content.split(',').map(str::trim).any(|word| word == wanted || word == "none");
        found.noindex |= has("noindex");
        found.nofollow |= has("nofollow");
    }
    if is_named("http-equiv", "refresh") && found.refresh.is_none() {
        let (seconds, rest) = content.split_once([';', ',']).unwrap_or((&content, ""));
        let rest = rest.trim_start();
        let target = match rest.split_once('=') {
            Some((name, target)) if name.trim().eq_ignore_ascii_case("url") => target,
            _ => rest,
        };
        let target = target.trim().trim_matches(['"', '\'']);
        let seconds = seconds.trim().split('.').next().and_then(|seconds| seconds.parse().ok());
        if let (Some(seconds), Some(target), false) = (seconds, joined(base, target), target.is_empty())
            && target.scheme().starts_with("http")
        {
            found.refresh = Some((seconds, target));
        }
    }
}

fn read_link(link: &NodeRef<'_>, base: &Url, left: &mut usize, found: &mut PageLinks) {
    let rel = attribute(link, "rel").unwrap_or_default().to_ascii_lowercase();
    if !rel.split_ascii_whitespace().any(|word| word == "alternate") {
        return;
    }
    let Some(target) = attribute(link, "href")
        .and_then(|href| joined(base, &href))
        .filter(|url| url.scheme().starts_with("http") && fits(left, url.as_str().len()))
    else {
        return;
    };
    let kind = attribute(link, "type").unwrap_or_default().to_ascii_lowercase();
    if matches!(&*kind, "application/rss+xml" | "application/atom+xml" | "application/feed+json") {
        found.feeds.push(target);
    } else if let Some(language) = attribute(link, "hreflang") {
        found.alternates.push((cut(language, MAX_LANGUAGE), target));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> PageLinks {
        let address = Url::parse("https://example.com/a/b?q#f").expect("it is one");
        links(
            &Document { bytes: html.as_bytes(), content_type: Some("text/html"), address: &address },
            &Options::default(),
        )
    }

    fn targets(found: &PageLinks) -> Vec<(&str, &str, bool)> {
        found.links.iter().map(|link| (link.target.as_str(), &*link.text, link.nofollow)).collect()
    }

    #[test]
    fn links_are_absolute_and_each_target_is_there_once() {
        let found = read(
            "<a href=c>C <b>c</b></a><a href='/c#x'>again</a><a href='/c'>root</a><a href='?q'>self</a><a href='#top'>top</a>
             <a href='javascript:x()'>js</a><a href='mailto:a@b.c'>mail</a><a href='http://[bad'>bad</a><a name=x>no</a>
             <a href='//other.org/' rel='NoFollow noopener'><img alt='Other  one'></a><map><area href=d alt=D></map>",
        );
        assert_eq!(
            targets(&found),
            [
                ("https://example.com/a/c", "C c", false),
                ("https://example.com/c", "again", false),
                ("https://other.org/", "Other one", true),
                ("https://example.com/a/d", "D", false)
            ]
        );
    }

    #[test]
    fn a_base_changes_relative_links() {
        let found = read("<base href='/docs/'><link rel=canonical href=x><a href=y>Y</a>");
        assert_eq!(targets(&found), [("https://example.com/docs/y", "Y", false)]);
        assert_eq!(found.canonical.as_ref().map(Url::as_str), Some("https://example.com/docs/x"));
        assert_eq!(targets(&read("<base href='data:x'><a href=y>Y</a>")), [("https://example.com/a/y", "Y", false)]);
    }

    #[test]
    fn long_addresses_are_left_out_and_a_long_base_is_ignored() {
        let (long, half) = ("x".repeat(5000), "x".repeat(3000));
        let found = read(&format!("<base href='/{long}/'><a href=y>Y</a>"));
        assert_eq!(targets(&found), [("https://example.com/a/y", "Y", false)]);
        let found = read(&format!(
            "<base href='/{half}/'><link rel=canonical href={half}><link rel=alternate hreflang=de href={half}>
             <meta http-equiv=refresh content='1;url={half}'><a href={half}>Y</a>"
        ));
        assert_eq!(found, PageLinks::default());
    }

    #[test]
    fn links_end_where_the_options_say() {
        let html: Vec<String> = (0..100).map(|at| format!("<a href={at}>{}</a>", "x".repeat(100))).collect();
        let html = html.concat();
        let address = Url::parse("https://example.com/").expect("it is one");
        let document = Document { bytes: html.as_bytes(), content_type: Some("text/html"), address: &address };
        let found = links(&document, &Options { output_bytes: 1300, ..Options::default() });
        assert_eq!(found.links.len(), 10);
    }

    #[test]
    fn a_page_says_what_robots_may_do() {
        let found = read(
            "<meta name=Robots content='NOINDEX, follow'><meta http-equiv=Refresh content=\"5; URL='/next'\">
             <link rel=alternate hreflang=de href=/de><link rel='alternate' type='application/rss+xml' href=/feed>",
        );
        assert!(found.noindex && !found.nofollow);
        assert_eq!(
            found.refresh.map(|(seconds, url)| (seconds, url.to_string())),
            Some((5, "https://example.com/next".to_owned()))
        );
        assert_eq!(found.alternates[0].1.path(), "/de");
        assert_eq!(found.feeds[0].path(), "/feed");
        let none = read("<meta name=robots content=none><meta http-equiv=refresh content='10'>");
        assert!(none.noindex && none.nofollow && none.refresh.is_none());
    }

    #[test]
    fn other_documents_have_no_links() {
        let address = Url::parse("https://example.com/x.txt").expect("it is one");
        let document = Document { bytes: b"<a href=x>x</a>", content_type: Some("text/plain"), address: &address };
        assert_eq!(links(&document, &Options::default()), PageLinks::default());
    }
}
