//! The texts of the project avoid the wording that `tests/words.txt` lists: documentation, comments, messages, help, published
//! schemas and the names in sources.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ignore::WalkBuilder;
use regex::{Regex, RegexBuilder};
use toolc_codegen::cli::capture;

/// Paths, or beginnings of paths, that are not checked: texts of others, texts that quote the wording, and synthetic manifests,
/// which stay the same so that benchmarks can be compared.
const EXEMPT: &[&str] = &[
    "tests/words.txt",
    "tests/tests/it/words.rs",
    "tests/corpora/",
    "tests/sdks/",
    "tests/projects/bench/",
    "skill/tests/corpus/",
    "tests/src/synth/",
];

/// Wording to avoid.
struct Phrase {
    pattern: Regex,
    /// Right uses of the words.
    except: Vec<Regex>,
    instead: String,
    /// The beginnings of the paths of the files to check. Empty for all files.
    paths: Vec<String>,
}

impl Phrase {
    fn applies_to(&self, path: &str) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|start| path.starts_with(start.as_str()))
    }
}

/// Words found in a text.
#[derive(Debug, PartialEq, Eq)]
struct Hit<'t> {
    line: usize,
    words: String,
    instead: &'t str,
}

fn regex(pattern: &str) -> Regex {
    let pattern = pattern.replace(' ', r"\s+");
    let built = RegexBuilder::new(&pattern).case_insensitive(true).multi_line(true).build();
    built.unwrap_or_else(|error| panic!("tests/words.txt: {error}"))
}

fn phrases(list: &str) -> Vec<Phrase> {
    let mut phrases: Vec<Phrase> = Vec::new();
    let mut paths: Vec<String> = Vec::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(list) = line.strip_prefix("@ ") {
            paths = list.split(' ').map(str::to_owned).collect();
            continue;
        }
        match (line.strip_prefix("    "), line.split_once(" => ")) {
            (Some(except), _) => {
                let phrase = phrases.last_mut().expect("an exception is below a pattern");
                phrase.except.push(regex(except));
            }
            (None, Some((pattern, instead))) => {
                let instead = instead.to_owned();
                phrases.push(Phrase { pattern: regex(pattern), except: Vec::new(), instead, paths: paths.clone() });
            }
            (None, None) => panic!("tests/words.txt: no `=>` in: {line}"),
        }
    }
    phrases
}

/// Replaces what begins the lines of comments by spaces, so that a phrase is found across lines. Positions stay the same.
fn without_margins(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let rest = &line[indent..];
        let margin = ["///", "//!", "//", "#", ">", "-", "="].iter().find(|margin| rest.starts_with(**margin));
        let margin = margin.map_or(0, |margin| margin.len());
        plain.push_str(&line[..indent]);
        plain.extend(std::iter::repeat_n(' ', margin));
        plain.push_str(&rest[margin..]);
    }
    plain
}

fn hits<'p>(path: &str, text: &str, phrases: &'p [Phrase]) -> Vec<Hit<'p>> {
    let plain = without_margins(text);
    let mut hits = Vec::new();
    for phrase in phrases.iter().filter(|phrase| phrase.applies_to(path)) {
        for found in phrase.pattern.find_iter(&plain) {
            let around = plain.floor_char_boundary(found.start().saturating_sub(20))
                ..plain.ceil_char_boundary((found.end() + 20).min(plain.len()));
            let covers = |right: regex::Match<'_>| {
                around.start + right.start() < found.end() && found.start() < around.start + right.end()
            };
            if phrase.except.iter().any(|except| except.find_iter(&plain[around.clone()]).any(covers)) {
                continue;
            }
            let words = found.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
            let start = found.start() + found.as_str().len() - found.as_str().trim_start().len();
            hits.push(Hit { line: 1 + plain[..start].matches('\n').count(), words, instead: &phrase.instead });
        }
    }
    hits.sort_by_key(|hit| hit.line);
    hits
}

/// Returns everything that is checked, by path: files of the repository, and the help of each command.
fn texts() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = BTreeMap::new();
    // What git ignores is not the project's.
    for entry in WalkBuilder::new(&root)
        .require_git(false)
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
    {
        let entry = entry.expect("failed to read a folder");
        let path = entry.path().strip_prefix(&root).expect("it is below the root").to_string_lossy().replace('\\', "/");
        if is_checked(&path) {
            texts.insert(path, fs::read_to_string(entry.path()).expect("failed to read a text"));
        }
    }
    for command in ["", "gen", "lint", "explain", "fmt", "list", "show", "export", "resolve"] {
        let args = if command.is_empty() { vec!["--help"] } else { vec![command, "--help"] };
        let (status, help, _) = capture(args);
        assert_eq!(status, 0, "`{command} --help` fails");
        texts.insert(format!("cargo xtask {command} --help"), help);
    }
    texts
}

fn is_checked(path: &str) -> bool {
    let is_text = path.rsplit('.').next().is_some_and(|extension| ["md", "rs", "toml", "snap"].contains(&extension));
    // Output of gen is made of manifests and of strings in sources; the schemas are published.
    let is_generated = path.contains("generated/");
    let is_published = path.starts_with("generated/manifest/");
    (is_published || is_text && !is_generated) && !EXEMPT.iter().any(|exempt| path.starts_with(exempt))
}

#[test]
fn texts_avoid_the_listed_wording() {
    let phrases = phrases(include_str!("../../words.txt"));
    let mut report = String::new();
    for (path, text) in texts() {
        for Hit { line, words, instead } in hits(&path, &text, &phrases) {
            let _ = writeln!(report, "{path}:{line}: `{words}`: write {instead}");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn listed_wording_is_found_with_its_line() {
    let phrases = phrases(include_str!("../../words.txt"));
    for (text, line, words) in [
        ("//! A rule.\n//! The host is\n//! told of it.\n", 2, "is told"),
        ("help = \"nobody can tell\"", 1, "nobody"),
        ("error: a tool that there is not", 1, "that there is not"),
        ("- A condition comes to true.", 1, "comes to"),
        ("`one` brings `two` along", 1, "brings `two` along"),
        ("It is no object.", 1, "is no object"),
        ("/// None: the call has ended.", 1, "None:"),
        ("First.\nOf several, the last one.", 2, "Of several"),
        ("The call runs, also\nif nobody waits.", 1, "also if"),
    ] {
        let found = hits("docs/calls.md", text, &phrases);
        let found = found.iter().map(|hit| (hit.line, hit.words.to_lowercase()));
        assert!(
            found.clone().any(|hit| hit == (line, words.to_lowercase())),
            "{text}: {:?}",
            found.collect::<Vec<_>>()
        );
    }
}

#[test]
fn similar_wording_that_is_right_is_not_found() {
    let phrases = phrases(include_str!("../../words.txt"));
    for text in [
        "There is no limit, and the program comes to a stop.",
        "Two schemas that cannot be told apart.",
        "The thread is left behind. The tool is no longer available.",
        "The value does not have to be an integer.",
        "Note that there is no limit.",
    ] {
        assert_eq!(hits("docs/calls.md", text, &phrases), [], "{text}");
    }
}

#[test]
fn wording_of_certain_files_is_found_only_there() {
    let phrases = phrases("@ docs/ README.md\n\\balso if\\b => even if\n");
    let count = |path: &str| hits(path, "It runs, also if it rains.", &phrases).len();
    assert_eq!(["docs/calls.md", "README.md", "runtime/src/lib.rs"].map(count), [1, 1, 0]);
}
