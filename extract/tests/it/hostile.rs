//! Documents that are made to break readers: nothing panics, and the work stays bounded.

use std::fs;
use std::time::{Duration, Instant};

use toolc_extract::{Document, Fault, Options, Page, extract, headings, links, part, sitemap};
use url::Url;

use crate::pages::{all, read};

/// What the largest of these documents may take, in a build without optimization on a busy machine. They take a tenth of it.
const LONG: Duration = Duration::from_secs(30);

fn timed(name: &str, html: &str) -> Page {
    let start = Instant::now();
    let page = read(html.as_bytes(), &Options::default());
    let time = start.elapsed();
    if std::env::var_os("TOOLC_TIMES").is_some() {
        println!("{name}: {time:?}");
    }
    assert!(time < LONG, "{name}: {time:?}");
    assert!(page.markdown.len() <= Options::default().output_bytes);
    page
}

/// `before`, a number and `after`, for all numbers below `count`.
fn numbered(count: usize, before: &str, after: &str) -> String {
    let parts: Vec<String> = (0..count).map(|at| format!("{before}{at}{after}")).collect();
    parts.concat()
}

#[test]
fn deep_nesting_is_cut_and_reported() {
    let text = "<p>The text at the end.</p>";
    for tag in [
        "div",
        "span",
        "b",
        "ul><li",
        "blockquote",
        "table><tr><td",
        "font color=1",
        "svg><g",
        "a href=x",
        "dl><dd",
        "section",
        "math><mrow",
        "template",
        "button",
    ] {
        let most = if tag == "div" { 100_000 } else { 3_000 };
        for depth in [50, 500, most] {
            let html = format!("{}{text}", format!("<{tag}>").repeat(depth));
            let page = timed(&format!("{depth} {tag}"), &html);
            let is_whole = page.markdown.contains("The text at the end");
            assert!(is_whole || !page.quality.is_good(), "{depth} {tag}: {:?}", page.quality);
        }
    }
}

#[test]
fn unclosed_formatting_does_not_multiply() {
    // Each paragraph reopens what is open: 2,000 elements in each of 2,000 paragraphs.
    let fonts = numbered(2_000, "<font size=", ">");
    let page = timed("fonts", &format!("{fonts}{}", "<p>x".repeat(2_000)));
    assert!(page.quality.faults.contains(&Fault::Truncated), "{:?}", page.quality);
}

#[test]
fn huge_parts_are_bounded() {
    let rows = "<tr><td>a</td><td>b</td><td>c</td></tr>".repeat(10_000);
    let table = timed("table", &format!("<main><table><tr><th>x</th><th>y</th><th>z</th></tr>{rows}</table></main>"));
    assert!(table.quality.is_good() && table.markdown.lines().count() == 10_002, "{:?}", table.quality);
    let value = "x".repeat(1 << 20);
    assert!(
        timed("attribute", &format!("<p title='{value}'>text of the page</p>")).markdown.contains("text of the page")
    );
    assert!(timed("word", &format!("<p>{value}</p>")).markdown.len() <= Options::default().output_bytes);
    let attributes = numbered(40_000, " a", "=1");
    timed("attributes", &format!("<p{attributes}>text"));
    timed("comment", &format!("<!--{}-->text", " -".repeat(1 << 18)));
    timed("stars", &format!("<p>{}", "*".repeat(1 << 18)));
    timed("entities", &format!("<p>{}", "&amp;".repeat(100_000)));
    timed("links", &"<a href=/x>x</a> ".repeat(20_000));
    timed("spans", &format!("<table>{}</table>", "<tr><td rowspan=64 colspan=64>x</td></tr>".repeat(1_000)));
    timed("breaks", &format!("<p>x{}", "<br>".repeat(40_000)));
    timed("code", &format!("<pre>{}</pre>", "<span>x</span>\n".repeat(20_000)));
    timed("lists", &format!("{}x", "<ul><li>".repeat(180)).repeat(50));
}

#[test]
fn a_long_page_is_cut_where_the_options_say() {
    let html = format!("<main>{}</main>", "<p>A paragraph of text.</p>".repeat(1000));
    let small = Options { input_bytes: 5_000, ..Options::default() };
    let page = read(html.as_bytes(), &small);
    assert!(page.markdown.len() < 5_000 && page.quality.faults == [Fault::Truncated], "{:?}", page.quality);
    let small = Options { output_bytes: 1_000, ..Options::default() };
    let page = read(html.as_bytes(), &small);
    assert!(page.markdown.len() <= 1_000 && page.quality.faults == [Fault::Truncated]);
    let small = Options { nodes: 500, ..Options::default() };
    assert!(read(html.as_bytes(), &small).quality.faults.contains(&Fault::Truncated));
}

/// A small generator of numbers, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % most.max(1)
    }
}

const PIECES: &[&str] = &[
    "<",
    ">",
    "</",
    "<table>",
    "</table>",
    "<tr>",
    "<td colspan=9>",
    "<pre>",
    "</pre>",
    "<li>",
    "<ol start=-5>",
    "</div>",
    "<b>",
    "</i>",
    "<a href='#",
    "\"",
    "&",
    "&#0;",
    "<script>",
    "<!--",
    "-->",
    "<svg>",
    "</svg>",
    "<math>",
    "<template>",
    "<select>",
    "<frameset>",
    "<plaintext>",
    "\u{0}",
    "*",
    "`",
    "|",
    "](",
    "<h1>",
    "<base href=x>",
    "<dl><dt>",
    "<sup><a href='#fn1'>1</a></sup>",
    "<div id=fn1>",
    "<article>",
    "<main hidden>",
    "\u{fffd}",
    "é",
];

#[test]
fn broken_pages_never_panic_and_are_read_the_same_twice() {
    let pages: Vec<Vec<u8>> = all().iter().map(|path| fs::read(path).expect("the page can be read")).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..150 {
        let mut bytes = pages[random.below(pages.len())].clone();
        for _ in 0..=random.below(12) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes.truncate(at.max(1)),
                1 => drop(bytes.drain(at..(at + random.below(200)).min(bytes.len()))),
                2 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
                3 => {
                    let other = &pages[random.below(pages.len())];
                    let from = random.below(other.len());
                    let piece = other[from..(from + random.below(500)).min(other.len())].to_vec();
                    drop(bytes.splice(at..at, piece));
                }
                _ => bytes[at] = u8::try_from(random.below(256)).unwrap_or(0),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let page = read(&bytes, &Options::default());
        assert_eq!(page, read(&bytes, &Options::default()), "round {round}");
        let whole = Options { whole_page: true, ..Options::default() };
        read(&bytes, &whole);
        let address = Url::parse("https://example.com/").expect("it is one");
        links(&Document { bytes: &bytes, content_type: Some("text/html"), address: &address }, &whole);
        for heading in headings(&page.markdown) {
            assert!(page.markdown[heading.offset..].starts_with('#'), "round {round}");
        }
        part(&page.markdown, random.below(page.markdown.len() + 2), random.below(300));
    }
}

#[test]
fn broken_documents_of_other_kinds_never_panic() {
    let seeds: &[&[u8]] = &[
        b"<?xml version='1.0'?><rss><channel><title>T</title><item><title>A &amp; B</title><description><![CDATA[<p>x]]></description></item></channel></rss>",
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><title type='html'>x</title><content type='xhtml'><div><b>y</b></div></content></entry></feed>",
        b"{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"title\":\"x\",\"content_html\":\"<p>y\"}]}",
        b"a,b\n\"c\",d\n",
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1/Parent 2 0 R>>endobj 3 0 obj<</Type/Page/Parent 2 0 R>>endobj trailer<</Root 1 0 R>>",
    ];
    let address = Url::parse("https://example.com/x").expect("it is one");
    let mut random = Random(0x0123_4567_89ab_cdef);
    for _ in 0..300 {
        let mut bytes = seeds[random.below(seeds.len())].to_vec();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = u8::try_from(random.below(256)).unwrap_or(0),
                1 => drop(bytes.drain(at..(at + random.below(20)).min(bytes.len() - 1).max(at))),
                _ => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
            }
        }
        let _ = extract(&Document { bytes: &bytes, content_type: None, address: &address }, &Options::default());
        sitemap(&bytes);
    }
    let deep = format!("<rss>{}", "<channel>".repeat(100_000));
    let _ = extract(
        &Document { bytes: deep.as_bytes(), content_type: Some("text/xml"), address: &address },
        &Options::default(),
    );
    let deep = "[".repeat(200_000);
    let _ = extract(&Document { bytes: deep.as_bytes(), content_type: None, address: &address }, &Options::default());
}

#[test]
fn brackets_without_links_take_no_longer_than_text() {
    let size = 60_000;
    timed("brackets", &format!("<title>Hello World Page</title><p>{}</p><h1>Hello World Page</h1>", "[".repeat(size)));
    timed("code", &format!("<title>Hello World Page</title><h1><code>{}</code></h1>", "](".repeat(size)));
    let start = Instant::now();
    headings(&format!("# {}", "](".repeat(200_000)));
    assert!(start.elapsed() < LONG);
}

#[test]
fn a_long_address_does_not_multiply() {
    let links = "<p><a href=x>x</a> <img src=y alt=y>".repeat(2_000);
    for length in [3_000, 60_000] {
        let page = timed("base", &format!("<base href='/{}/'>{links}", "b".repeat(length)));
        assert_eq!(page.markdown.contains("bbb"), length < 4_000);
        let link = format!("<link>https://example.com/{}/</link>", "b".repeat(length));
        let feed =
            format!("<rss><channel><item>{link}<description><![CDATA[{links}]]></description></item></channel></rss>");
        let address = Url::parse("https://example.com/feed").expect("it is one");
        let document = Document { bytes: feed.as_bytes(), content_type: Some("text/xml"), address: &address };
        let page = extract(&document, &Options::default()).expect("it is a feed");
        assert_eq!(page.markdown.contains("bbb"), length < 4_000);
    }
}

#[test]
fn what_a_document_says_about_itself_is_short() {
    let long = "é".repeat(5_000);
    let html = format!(
        "<html lang='{0}'><title>{long}</title><meta name=author content='{0}'><meta name=description content='{long}'>
         <meta property='og:site_name' content='{long}'><p>text",
        "é".repeat(40)
    );
    let feed = format!(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='{long}'><title>{long}</title><subtitle>{long}</subtitle><author><name>{long}</name></author>
         <entry><title>x</title></entry></feed>"
    );
    let json = format!(
        "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"language\":\"{long}\",\"title\":\"{long}\",\"description\":\"{long}\",\"authors\":[{{\"name\":\"{long}\"}}],\"items\":[]}}"
    );
    let address = Url::parse("https://example.com/x").expect("it is one");
    for (kind, text) in [("text/html", html), ("text/xml", feed), ("application/json", json)] {
        let document = Document { bytes: text.as_bytes(), content_type: Some(kind), address: &address };
        let page = extract(&document, &Options::default()).expect("it has text");
        let length = |fact: &Option<String>| fact.as_ref().map_or(0, |fact| fact.chars().count());
        assert_eq!((length(&page.title), length(&page.description)), (300, 200), "{kind}");
        assert!(length(&page.byline) <= 200 && length(&page.site) <= 200 && length(&page.language) <= 35, "{kind}");
    }
}

#[test]
fn cells_that_span_do_not_multiply() {
    let cell = format!("<th colspan=64 rowspan=64>{}", "x".repeat(1400));
    let rows = format!("<tr>{}</tr>{}", cell.repeat(4), "<tr></tr>".repeat(63));
    let small = Options { output_bytes: 100_000, ..Options::default() };
    // Each of the 64 rows would have 256 copies of 1,400 letters, which are 23 MB.
    let html = format!("<table>{rows}</table>").repeat(20);
    let start = Instant::now();
    let page = read(html.as_bytes(), &small);
    assert!(page.markdown.len() <= 100_000 && page.quality.faults == [Fault::Truncated], "{:?}", page.quality);
    assert!(page.markdown.capacity() < 1_000_000, "{}", page.markdown.capacity());
    // Rows that are as wide as the widest only by empty cells.
    let wide = format!("<table><tr>{}</tr>{}</table>", "<th>a".repeat(256), "<tr><td>b<td>c</tr>".repeat(5_000));
    let page = read(wide.as_bytes(), &small);
    assert!(page.markdown.capacity() < 1_000_000 && page.markdown.contains("| b | c |"));
    assert!(start.elapsed() < LONG);
}

#[test]
fn what_does_not_fit_as_a_whole_is_cut_at_a_line() {
    let rows = numbered(500, "<tr><td>Row ", "<td>text of the row</tr>");
    let table = format!("<table><tr><th>Name<th>Text</tr>{rows}</table>");
    let items = numbered(500, "<li>Item ", "<p>text of the item");
    let lines = numbered(
        500,
        "line ",
        " of the code
",
    );
    let cases = [
        ("table", table.clone(), "| Row 100 | text of the row |\n"),
        ("list", format!("<ol>{items}</ol>"), "Item 100\n\n"),
        ("quote", format!("<blockquote><blockquote>{table}</blockquote></blockquote>"), "> > | Row 100 |"),
        ("item", format!("<ul><li><ul><li>{table}</ul></ul>"), "| Row 100 |"),
        ("code", format!("<pre>{lines}</pre>"), "line 100 of the code\n"),
        ("line", format!("<pre>{}</pre>", lines.replace('\n', " ")), "line 100 of the code"),
        ("paragraph", format!("<p>{}", lines.replace('\n', "<br>")), "line 100 of the code"),
        ("definitions", format!("<dl><dt>Term<dd><p>{}</dl>", lines.replace('\n', "<p>")), "line 100 of the code"),
    ];
    for (name, html, part) in cases {
        let html = format!("<main><p>The text before it.</p>{html}<p>The text after it.</p></main>");
        let page = read(html.as_bytes(), &Options { output_bytes: 10_000, ..Options::default() });
        assert_eq!(page.quality.faults, [Fault::Truncated], "{name}");
        assert!(page.markdown.starts_with("The text before it.") && page.markdown.contains(part), "{name}");
        assert!((5_000..=10_000).contains(&page.markdown.len()), "{name}: {}", page.markdown.len());
        // Nothing is counted twice: what is a little longer than the text is enough.
        let whole = read(html.as_bytes(), &Options::default());
        let enough = Options { output_bytes: whole.markdown.len() * 11 / 10, ..Options::default() };
        assert!(read(html.as_bytes(), &enough) == whole, "{name}");
        assert!(whole.quality.is_good(), "{name}");
    }
}

#[test]
fn code_in_tables_in_tables_is_copied_once() {
    let code = "a line of the code\n".repeat(5_000);
    let html = format!("<main>{}<pre>{code}</pre>{}</main>", "<div class=hljs-ln>".repeat(150), "</div>".repeat(150));
    let page = timed("code in tables", &html);
    assert_eq!(page.markdown.matches("a line of the code").count(), 5_000);
    timed(
        "tables in tables",
        &format!("{}{}", "<table><tr><td>a</td><td rowspan=64>b".repeat(60), "cell text ".repeat(30_000)),
    );
    timed("roots", &format!("<a href=x>{}{}", "<app-root>".repeat(150), "y ".repeat(200_000)));
    let classes = "a ".repeat(300_000);
    timed("classes", &format!("{}<p class='{classes}'>x</p>{}", "<div><main>".repeat(90), "text ".repeat(10_000)));
}

#[test]
fn a_text_is_cut_after_a_line() {
    let text = "A line of text.\n".repeat(1_000);
    let address = Url::parse("https://example.com/x.txt").expect("it is one");
    let document = Document { bytes: text.as_bytes(), content_type: Some("text/plain"), address: &address };
    let page = extract(&document, &Options { output_bytes: 1_000, ..Options::default() }).expect("it is a text");
    assert!(page.markdown.ends_with("text.") && page.markdown.len() > 900, "{}", page.markdown.len());
    assert_eq!(page.quality.faults, [Fault::Truncated]);
}
