//! Pages of many kinds of sites, and the Markdown that a person would write for them.
//!
//! `tests/pages/NAME.html` is read as if it came from `https://example.com/docs/page`. `NAME.markdown` begins with what is known about the page,
//! a line each, then `---`, then the Markdown.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use toolc_extract::{Document, Options, Page, extract};
use url::Url;

/// The pages of the folder, by name.
pub(crate) fn all() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let files =
        fs::read_dir(folder).expect("the folder exists").map(|file| file.expect("the folder can be read").path());
    let mut pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "html")).collect();
    pages.sort();
    pages
}

pub(crate) fn read(bytes: &[u8], options: &Options) -> Page {
    let address = Url::parse("https://example.com/docs/page").expect("it is an address");
    extract(&Document { bytes, content_type: Some("text/html"), address: &address }, options).expect("it is a page")
}

fn shown(page: &Page) -> String {
    let mut out = format!("kind: {:?}\n", page.kind);
    let published = page.published.as_ref().map(|date| date.at.clone().unwrap_or_else(|| date.written.clone()));
    let canonical = page.canonical.as_ref().map(ToString::to_string);
    let quality = (!page.quality.is_good()).then(|| page.quality.to_string());
    let facts = [
        ("title", &page.title),
        ("byline", &page.byline),
        ("published", &published),
        ("language", &page.language),
        ("site", &page.site),
        ("description", &page.description),
        ("canonical", &canonical),
        ("quality", &quality),
    ];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            let _ = writeln!(out, "{name}: {fact}");
        }
    }
    let _ = write!(out, "---\n{}", page.markdown);
    out.trim_end().to_owned() + "\n"
}

#[test]
fn pages_become_the_markdown_that_a_person_would_write() {
    let mut wrong = String::new();
    let pages = all();
    assert!(pages.len() >= 40, "{}", pages.len());
    for path in pages {
        let found = shown(&read(&fs::read(&path).expect("the page can be read"), &Options::default()));
        let expected = fs::read_to_string(path.with_extension("markdown")).expect("the page has its Markdown");
        if found != expected {
            let _ = writeln!(wrong, "==== {}\n{}", path.display(), difference(&expected, &found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The lines between the first and the last that differ.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let start = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let end = expected[start..].iter().rev().zip(found[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let marked =
        |lines: &[&str], mark: char| lines.iter().map(|line| format!("{mark}{line}\n")).collect::<Vec<_>>().concat();
    marked(&expected[start..expected.len() - end], '-') + &marked(&found[start..found.len() - end], '+')
}
