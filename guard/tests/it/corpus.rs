//! The corpus of skills that was written apart from the guard: `skill/tests/corpus/hostile` and `harmless`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toml::{Table, Value};
use toolc_guard::{Content, Trust};

use crate::cases::{blocking, judge};

/// A skill of the corpus.
struct Skill {
    name: String,
    kind: String,
    why: String,
    files: Vec<(String, Content)>,
}

/// Reads the skills of one half of the corpus.
fn skills(half: &str) -> Vec<Skill> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../skill/tests/corpus").join(half);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the corpus is readable").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let skills: Vec<Skill> = paths.iter().map(|path| skill(path)).collect();
    assert!(skills.len() >= 60, "{half}: {}", skills.len());
    skills
}

fn skill(path: &Path) -> Skill {
    let text = fs::read_to_string(path).expect("a skill of the corpus is text");
    let table: Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let word = |key: &str| table[key].as_str().expect("a text").to_owned();
    let files = table["file"].as_array().expect("files").iter().map(file).collect();
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    Skill { name, kind: word("kind"), why: word("why"), files }
}

fn file(entry: &Value) -> (String, Content) {
    let word = |key: &str| entry.get(key).and_then(Value::as_str);
    let content = if let Some(text) = word("text") {
        Content::Bytes(text.as_bytes().to_vec())
    } else if let Some(bytes) = word("base64") {
        let bytes: String = bytes.split_whitespace().collect();
        Content::Bytes(STANDARD.decode(bytes).expect("base64"))
    } else if let Some(target) = word("link") {
        Content::Link(target.to_owned())
    } else {
        let parts = entry.get("parts").and_then(Value::as_array).expect("text, base64, link or parts");
        Content::Bytes(parts.iter().map(part).collect::<String>().into_bytes())
    };
    (word("path").expect("a path").to_owned(), content)
}

fn part(part: &Value) -> String {
    if let Some(text) = part.as_str() {
        return text.to_owned();
    }
    let repeat = part.get("repeat").expect("a text or `repeat`");
    let count = repeat["count"].as_integer().and_then(|count| usize::try_from(count).ok()).expect("a count");
    repeat["text"].as_str().expect("a text").repeat(count)
}

/// Judges one half of the corpus for a source of the community, and returns a table of the skills that are not as expected.
fn differences(half: &str, is_blocked: bool) -> String {
    let (mut table, mut wrong) = (String::new(), 0);
    let skills = skills(half);
    for skill in &skills {
        let report = judge(&skill.files);
        if report.verdict(Trust::Community, &BTreeSet::new()).is_allowed() == is_blocked {
            wrong += 1;
            let _ = writeln!(table, "{} [{}]: {}\n{}", skill.name, skill.kind, skill.why, blocking(&report));
        }
    }
    if wrong > 0 {
        let _ = writeln!(table, "{wrong} of {} in {half} differ", skills.len());
    }
    table
}

#[test]
fn every_hostile_skill_of_the_corpus_is_blocked() {
    let differences = differences("hostile", true);
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn no_harmless_skill_of_the_corpus_is_blocked() {
    let differences = differences("harmless", false);
    assert!(differences.is_empty(), "{differences}");
}
