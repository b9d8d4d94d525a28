//! Links and references to files of this repository lead somewhere: in every Markdown file, to the file and to the heading; in sources,
//! to the page of `docs/` that a comment or a message names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use ignore::WalkBuilder;
use regex::Regex;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the root of the repository exists")
}

/// Returns the files with one of these extensions that git does not ignore, with their texts.
fn texts(extensions: &[&str]) -> BTreeMap<PathBuf, String> {
    let walk = WalkBuilder::new(root())
        .require_git(false)
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let paths = walk.map(|entry| entry.expect("failed to read a folder").into_path());
    let texts = paths.filter(|path| path.extension().is_some_and(|end| extensions.iter().any(|one| end == *one)));
    texts.map(|path| (path.clone(), fs::read_to_string(path).expect("failed to read a text"))).collect()
}

/// Returns a Markdown text without its code, in which brackets are not links and `#` is not a heading.
fn without_code(text: &str) -> String {
    static CODE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("(?ms)^ *```.*?^ *```|``[^`]+``|`[^`\n]+`").expect("a pattern"));
    CODE.replace_all(text, "").into_owned()
}

/// Returns the targets of the links in a Markdown text.
fn links(text: &str) -> Vec<String> {
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\]\(([^()\s]+)\)|(?m:^\[[^\]]+\]:\s*(\S+))").expect("a pattern"));
    let text = without_code(text);
    let targets = LINK.captures_iter(&text).filter_map(|found| found.get(1).or_else(|| found.get(2)));
    targets.map(|target| target.as_str().to_owned()).collect()
}

/// Returns the anchors that GitHub makes of the headings in a Markdown text.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let blocks = text.split("\n```").step_by(2);
    let headings = blocks.flat_map(str::lines).filter(|line| line.starts_with('#'));
    let mut anchor = |line: &str| {
        static TARGET: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\]\([^)]*\)").expect("a pattern"));
        let heading = TARGET.replace_all(line.trim_start_matches('#').trim(), "").to_lowercase().replace(' ', "-");
        let anchor: String = heading.chars().filter(|c| c.is_alphanumeric() || ['-', '_'].contains(c)).collect();
        let count = seen.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    };
    headings.map(&mut anchor).collect()
}

/// Removes `.` and `..` from a path.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

/// Returns what is wrong with a link in the page at `from`.
fn mistake(from: &Path, link: &str, pages: &BTreeMap<PathBuf, String>) -> Option<&'static str> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { from.to_owned() } else { normal(&from.with_file_name(file)) };
    if !target.exists() {
        return Some("no such file");
    }
    let has_anchor = |page: &String| anchors(page).iter().any(|one| one == anchor);
    (!anchor.is_empty() && !pages.get(&target).is_some_and(has_anchor)).then_some("no such heading")
}

#[test]
fn links_to_pages_and_headings_lead_somewhere() {
    let pages = texts(&["md"]);
    let mut count = 0;
    let mut mistakes = Vec::new();
    for (path, text) in &pages {
        for link in links(text).iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            count += 1;
            if let Some(mistake) = mistake(path, link, &pages) {
                mistakes.push(format!("{}: {link}: {mistake}", path.display()));
            }
        }
    }
    assert!(count > 300, "the links are found: {count}");
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn pages_that_sources_name_exist() {
    let page = Regex::new(r"(?:^|[^\w./-])(docs/[\w./-]+\.(?:md|json|svg))(#[\w-]+)?").expect("a pattern");
    let root = root();
    let pages = texts(&["md"]);
    let mut mistakes = Vec::new();
    for (path, text) in texts(&["rs", "toml", "md", "yml", "jinja"]) {
        for found in page.captures_iter(&text) {
            let link = found.get(2).map_or_else(|| found[1].to_owned(), |anchor| found[1].to_owned() + anchor.as_str());
            if let Some(mistake) = mistake(&root.join("README.md"), &link, &pages) {
                mistakes.push(format!("{}: {link}: {mistake}", path.display()));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn wrong_links_are_found() {
    let from = root().join("README.md");
    let text = "# One `two`\n\n```\n# Code\n```\n\n## [Three](x.md)\n\n## Three\n";
    let pages = BTreeMap::from([(from.clone(), text.to_owned())]);
    let (heading, file) = (Some("no such heading"), Some("no such file"));
    for (link, expected) in [
        ("#one-two", None),
        ("#three-1", None),
        ("./docs/../SECURITY.md", None),
        ("#three-2", heading),
        ("#code", heading),
        ("./docs/SECURITY.md", file),
    ] {
        assert_eq!(mistake(&from, link, &pages), expected, "{link}");
    }
    let text = "[a](b.md), `[c](d.md)`, [e]\n\n[e]: f.md\n```\n[g](h.md)\n```\n";
    assert_eq!(links(text), ["b.md", "f.md"]);
}
