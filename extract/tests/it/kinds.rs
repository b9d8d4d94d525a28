//! Documents that are not pages, apart from PDF files, and what callers read in their results.

use toolc_extract::{Document, ExtractError, Fault, Options, Page, PageKind, extract};
use url::Url;

pub(crate) fn read(bytes: &[u8], content_type: &str, path: &str) -> Result<Page, ExtractError> {
    let address = Url::parse("https://example.com/").and_then(|url| url.join(path)).expect("it is an address");
    extract(&Document { bytes, content_type: Some(content_type), address: &address }, &Options::default())
}

pub(crate) fn page(bytes: &[u8], content_type: &str) -> Page {
    read(bytes, content_type, "feeds/x").expect("it can be read")
}

#[test]
fn rss_becomes_a_section_for_each_entry() {
    let feed = br#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel><title>Tide &amp; Co</title><atom:link href="https://example.com/feed" rel="self"/><link>https://example.com/</link><description>News of tides</description><language>en</language>
<item><title>High [tide] &amp; low</title><link>https://example.com/a?x=1&amp;y=2</link><pubDate>Wed, 01 May 2024 10:20:30 +0200</pubDate><dc:creator>Ada</dc:creator><description>Short.</description>
<content:encoded><![CDATA[<h2>Why</h2><p>Because of the <a href="/moon">moon</a>.</p>]]></content:encoded></item>
<item><title>Escaped</title><guid isPermaLink="true">https://example.com/b</guid><description>&lt;p&gt;A &lt;b&gt;bold&lt;/b&gt; word &amp;amp; more&lt;/p&gt;</description></item>
<item><description>No title</description></item>
</channel></rss>"#;
    let page = page(feed, "application/rss+xml");
    assert_eq!(
        (page.kind, page.title.as_deref(), page.description.as_deref(), page.language.as_deref()),
        (PageKind::Feed, Some("Tide & Co"), Some("News of tides"), Some("en"))
    );
    let expected = "## [High \\[tide\\] & low](https://example.com/a?x=1&y=2)

2024-05-01T10:20:30+02:00 · Ada

#### Why

Because of the [moon](https://example.com/moon).

## [Escaped](https://example.com/b)

A **bold** word & more

## Untitled

No title";
    assert_eq!(page.markdown, expected);
    assert!(page.quality.is_good(), "{}", page.quality);
}

#[test]
fn atom_and_rss_1_are_feeds_too() {
    let atom = br#"<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="text">Gezeiten</title><author><name>Bo</name></author>
<entry><title type="html">A &lt;em&gt;B&lt;/em&gt;</title><link rel="edit" href="/edit"/><link href="/a"/><updated>2024-05-01T00:00:00Z</updated><author><name>Cy</name></author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One<br/>two &amp; <code>x &lt; y</code></p></div></content></entry>
<entry><title>Text</title><summary type="text">1 &lt; 2 &amp; 3</summary></entry></feed>"#;
    let page = page(atom, "application/atom+xml; charset=utf-8");
    assert_eq!(
        (page.title.as_deref(), page.byline.as_deref(), page.language.as_deref()),
        (Some("Gezeiten"), Some("Bo"), Some("de"))
    );
    let expected =
        "## [A B](https://example.com/a)\n\n2024-05-01T00:00:00Z · Cy\n\nOne\\\ntwo & `x < y`\n\n## Text\n\n1 < 2 & 3";
    assert_eq!(page.markdown, expected);
    let rdf = br#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>Old</title></channel><item><title>One</title><link>https://example.com/1</link></item></rdf:RDF>"#;
    assert_eq!(self::page(rdf, "text/xml").markdown, "## [One](https://example.com/1)");
}

#[test]
fn a_json_feed_is_a_feed_and_other_json_is_laid_out() {
    let feed = br#"{"version":"https://jsonfeed.org/version/1.1","title":"Tides","items":[{"id":"1","url":"https://example.com/1","title":"One & <two>","date_published":"2024-05-01T00:00:00Z","content_text":"First.\n\nSecond <b>."},{"id":"2","content_html":"<p>Html</p>"}]}"#;
    let page = page(feed, "application/feed+json");
    assert_eq!((page.kind, page.title.as_deref()), (PageKind::Feed, Some("Tides")));
    assert_eq!(
        page.markdown,
        "## [One & <two>](https://example.com/1)\n\n2024-05-01T00:00:00Z\n\nFirst.\n\nSecond \\<b>.\n\n## Untitled\n\nHtml"
    );
    let json = self::page(
        br#"{"items":[{"a":1,"b":"text that is long enough to need a line of its own"},{"a":2}]}"#,
        "application/json",
    );
    assert_eq!(json.kind, PageKind::Json);
    assert!(json.markdown.starts_with("{\n  \"items\": [\n"), "{}", json.markdown);
}

#[test]
fn a_damaged_feed_is_read_up_to_the_damage() {
    let page = page(b"<rss><channel><title>T</title><item><title>One</title></item><item><title>Two</ti", "text/xml");
    assert!(page.markdown.starts_with("## One"));
    assert_eq!(page.quality.faults, [Fault::Damaged]);
    assert!(!page.quality.is_fatal());
    let empty = self::page(b"<rss><channel><title>T</title></channel></rss>", "text/xml");
    assert_eq!(empty.quality.faults, [Fault::Empty]);
}

#[test]
fn text_stays_as_it_is() {
    let source = "fn main() {\r\n    let x = \"*\";\x1b[31m\r\n}\r\n";
    let page = page(source.as_bytes(), "text/plain");
    assert_eq!((page.kind, &*page.markdown), (PageKind::Text, "fn main() {\n    let x = \"*\";[31m\n}"));
    let csv = self::page(b"a,b\n1,2\n", "text/csv");
    assert_eq!((csv.kind, &*csv.markdown), (PageKind::Table, "| a | b |\n| --- | --- |\n| 1 | 2 |"));
    let xml = self::page(b"<?xml version='1.0'?><config><a/></config>", "application/xml");
    assert_eq!((xml.kind, &*xml.markdown), (PageKind::Xml, "<?xml version='1.0'?><config><a/></config>"));
    let latin = self::page(b"caf\xe9", "text/plain; charset=iso-8859-1");
    assert_eq!((&*latin.markdown, latin.quality.is_good()), ("café", true));
}

#[test]
fn what_has_no_text_is_an_error_with_its_name_and_size() {
    let error = read(b"\x89PNG\r\n\x1a\n0000", "image/png", "x.png").expect_err("it is a picture");
    assert_eq!(error, ExtractError::NotText { what: "PNG image".to_owned(), bytes: 12 });
    assert_eq!(error.to_string(), "expected a page or a text, and the address has sent a PNG image of 12 bytes");
    let error =
        read(b"PK\x03\x04 xl/workbook.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "x")
            .expect_err("it is a workbook");
    assert!(error.to_string().contains("Excel workbook (xlsx) of 20 bytes"), "{error}");
}

#[test]
fn an_empty_document_says_so() {
    for (bytes, content_type) in [
        (&b""[..], "text/html"),
        (b"<html><body></body></html>", "text/html"),
        (b"", "text/plain"),
        (b" \n ", "application/json"),
    ] {
        let page = page(bytes, content_type);
        assert_eq!(page.quality.faults, [Fault::Empty], "{bytes:?} {content_type}");
        assert!(page.quality.is_fatal());
    }
}

#[test]
fn a_wrong_character_set_is_reported() {
    let twice = "<main><p>SchÃ¶ne GrÃ¼ÃŸe aus KÃ¶ln, und mÃ¶glichst bald.</p></main>";
    assert_eq!(page(twice.as_bytes(), "text/html; charset=utf-8").quality.faults, [Fault::Mojibake]);
    let broken = [b"<main><p>\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4 and one broken \xff in a page of text.</p></main>".as_slice()].concat();
    assert_eq!(page(&broken, "text/html; charset=utf-8").quality.faults, [Fault::Mojibake]);
}

#[test]
fn the_whole_page_has_its_navigation() {
    let html = "<body><nav><a href=/a>Menu entry</a></nav><main><p>The text.</p></main><footer>Imprint</footer></body>";
    let address = Url::parse("https://example.com/").expect("it is an address");
    let document = Document { bytes: html.as_bytes(), content_type: Some("text/html"), address: &address };
    let whole = extract(&document, &Options { whole_page: true, ..Options::default() }).expect("it is a page");
    assert_eq!(
        (whole.kind, &*whole.markdown),
        (PageKind::Whole, "[Menu entry](https://example.com/a)\n\nThe text.\n\nImprint")
    );
    let main = extract(&document, &Options::default()).expect("it is a page");
    assert_eq!((main.kind, &*main.markdown), (PageKind::Main, "The text."));
}
