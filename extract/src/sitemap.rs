//! Reads sitemaps: lists of the pages of a site.

use url::Url;

use crate::dom::MAX_ADDRESS;
use crate::xml;

/// The maximum number of addresses that the protocol allows in one file.
const MAX_ADDRESSES: usize = 50_000;
/// A longer date is left out, in bytes.
const MAX_DATE: usize = 60;

/// A sitemap, or an index of sitemaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// The pages, with the date of their last change as it is written.
    pub pages: Vec<(Url, Option<String>)>,
    /// Other sitemaps.
    pub sitemaps: Vec<Url>,
    /// Whether the end is missing or damaged.
    pub is_cut: bool,
}

/// Reads a sitemap: XML, or text with one address a line. Compressed ones are decompressed before. Addresses that are not on the web are
/// left out; whether they are on the right site, the caller decides.
pub fn sitemap(bytes: &[u8]) -> Sitemap {
    let (text, _) = crate::charset::decode(bytes, None);
    let mut found = Sitemap::default();
    let address = |text: &str| {
        let text = Some(text.trim()).filter(|text| text.len() <= MAX_ADDRESS)?;
        Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
    };
    let date = |url: &xml::Node| url.child(&["lastmod"]).map(xml::Node::text).filter(|date| date.len() <= MAX_DATE);
    if !text.trim_start().starts_with('<') {
        found.pages = text.lines().take(MAX_ADDRESSES).filter_map(|line| Some((address(line)?, None))).collect();
        return found;
    }
    let Some((root, is_complete)) = xml::read(&text, MAX_ADDRESSES * 16) else {
        found.is_cut = true;
        return found;
    };
    let location = |node: &xml::Node| address(&node.child(&["loc"])?.text());
    for url in root.children("url").take(MAX_ADDRESSES) {
        found.pages.extend(location(url).map(|address| (address, date(url))));
    }
    if !is_complete {
        // The last address may be cut.
        found.pages.pop();
    }
    found.sitemaps.extend(root.children("sitemap").take(MAX_ADDRESSES).filter_map(location));
    found.is_cut = !is_complete;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_sitemaps_are_listed() {
        let found = sitemap(
            b"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
              <url><loc> https://a.example/?x=1&amp;y=2 </loc><lastmod>2024-01-02</lastmod></url><url><loc>ftp://a.example/</loc></url></urlset>",
        );
        assert_eq!(
            found.pages.iter().map(|(url, date)| (url.as_str(), date.as_deref())).collect::<Vec<_>>(),
            [("https://a.example/?x=1&y=2", Some("2024-01-02"))]
        );
        let index = sitemap(b"<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>");
        assert_eq!(index.sitemaps[0].path(), "/1.xml.gz");
        assert_eq!(sitemap(b"https://a.example/\nnonsense\nhttps://a.example/b\n").pages.len(), 2);
    }

    #[test]
    fn long_addresses_and_dates_are_left_out() {
        let long = "x".repeat(5_000);
        let sitemap_of = |address: &str, date: &str| {
            sitemap(format!("<urlset><url><loc>{address}</loc><lastmod>{date}</lastmod></url></urlset>").as_bytes())
        };
        assert_eq!(sitemap_of(&format!("https://a.example/{long}"), "2024-01-02"), Sitemap::default());
        assert_eq!(sitemap_of("https://a.example/", &long).pages[0].1, None);
    }

    #[test]
    fn a_damaged_sitemap_is_read_up_to_the_damage() {
        let found = sitemap(b"<urlset><url><loc>https://a.example/</loc></url><url><loc>https://a.exa");
        assert_eq!((found.pages.len(), found.is_cut), (1, true));
        assert!(sitemap(b"<").is_cut);
        assert_eq!(sitemap(b""), Sitemap::default());
    }
}
