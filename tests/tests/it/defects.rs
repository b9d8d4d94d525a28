//! Lint finds each defect at its line and nothing else, in a catalog that has no other finding.
//!
//! A defect is data. `defects/CATEGORY.txt` holds many: each begins with `=== DESCRIPTION` and changes the catalog at the
//! beginning of the file, or that of `defects/clean.txt`, by hunks below `--- PATH`. As in a diff, lines that begin with a space
//! are context, those with `-` are removed and those with `+` are added; a file that only has added lines is new. `! RULE`
//! below a line says that this rule reports that line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use toolc_codegen::compile;
use toolc_codegen::diagnostic::{Places, Renderer};
use toolc_codegen::lint::codes;
use toolc_codegen::source::Sources;
use toolc_tests::fixture;

/// The lines of a file, each with the rules that must report it.
type Lines = Vec<(String, Vec<String>)>;
type Files = BTreeMap<String, Lines>;

/// Rules for plugins. The clean catalog is not a plugin; the examples of these rules are tested.
const OF_PLUGINS: [&str; 2] = ["not-in-a-plugin", "not-passed-on"];

/// Rules that only a large defect triggers.
const LARGE: [&str; 1] = ["schema-too-large"];

/// The defects of one category, and the catalog that they change.
struct Category {
    clean: Files,
    /// The description and the hunks of each.
    kinds: Vec<(String, String)>,
}

fn files(text: &str) -> Files {
    let lines = |text: &str| text.lines().map(|line| (line.to_owned(), Vec::new())).collect();
    fixture::files(text).into_iter().map(|(path, text)| (path.to_owned(), lines(text))).collect()
}

fn categories() -> Vec<Category> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("defects");
    let entries = std::fs::read_dir(folder).expect("failed to read a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("failed to read a folder").path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name != "clean.txt"));
    paths.sort();
    let category = |path| {
        let text = format!("\n{}", std::fs::read_to_string(path).expect("failed to read"));
        let (own, kinds) = text.split_once("\n=== ").expect("no kinds");
        let clean = if own.trim().is_empty() { include_str!("../../defects/clean.txt") } else { own };
        let kinds = kinds.split("\n=== ").filter_map(|kind| kind.split_once('\n'));
        Category { clean: files(clean), kinds: kinds.map(|(what, how)| (what.to_owned(), how.to_owned())).collect() }
    };
    paths.iter().map(category).collect()
}

/// Applies the hunks of a defect to a catalog.
///
/// # Errors
/// A hunk that does not apply.
fn seed(files: &mut Files, how: &str) -> Result<(), String> {
    for hunk in format!("\n{how}").split("\n--- ").skip(1) {
        let (path, changes) = hunk.split_once('\n').unwrap_or((hunk, ""));
        let (mut old, mut new) = (Vec::new(), Lines::new());
        for change in changes.lines().filter(|line| !line.is_empty()) {
            let (sign, line) = change.split_at(1);
            match sign {
                "!" => new.last_mut().ok_or("an expectation before any line")?.1.push(line.trim().to_owned()),
                "-" => old.push(line),
                "+" => new.push((line.to_owned(), Vec::new())),
                " " => {
                    old.push(line);
                    new.push((line.to_owned(), Vec::new()));
                }
                _ => return Err(format!("in {path}: no line of a hunk begins so: {change}")),
            }
        }
        let lines = files.entry(path.to_owned()).or_default();
        let places: Vec<usize> = (0..=lines.len().saturating_sub(old.len()))
            .filter(|&at| lines.iter().skip(at).map(|(line, _)| line.as_str()).take(old.len()).eq(old.iter().copied()))
            .collect();
        match places.as_slice() {
            // Lines that stay keep their expected rules.
            &[at] if !old.is_empty() => {
                let before: Lines = lines.splice(at..at + old.len(), new).collect();
                let expected: Vec<_> = before.into_iter().filter(|(_, expected)| !expected.is_empty()).collect();
                if !expected.is_empty() {
                    return Err(format!("in {path}: {expected:?} is changed twice"));
                }
            }
            _ if old.is_empty() => lines.splice(0..0, new).for_each(drop),
            places => return Err(format!("in {path}: these lines are there {} times: {old:#?}", places.len())),
        }
    }
    Ok(())
}

/// Returns rule, file and line of each finding, and the rendered findings.
fn found(files: &Files) -> (BTreeSet<(String, String, usize)>, String) {
    let text = |lines: &Lines| lines.iter().flat_map(|(line, _)| [line.as_str(), "\n"]).collect::<String>();
    let sources = Sources::from_memory(files.iter().map(|(path, lines)| (path.clone(), text(lines))));
    let (places, renderer) = (Places::new(&sources), Renderer::new(&sources, false));
    let found = compile(&sources).diagnostics;
    let shown: Vec<String> = found.iter().map(|found| renderer.render(found)).collect();
    let place = |place| (sources.get(place).path.clone(), place);
    let found = found.iter().map(|found| {
        let (path, _) = place(found.at.0.source);
        (found.code.name.to_owned(), path, places.positions(found.at.0)[0].line)
    });
    (found.collect(), shown.join("\n\n"))
}

fn expected(files: &Files) -> BTreeSet<(String, String, usize)> {
    let mut all = BTreeSet::new();
    for (path, lines) in files {
        for (number, (_, rules)) in (1..).zip(lines) {
            all.extend(rules.iter().map(|rule| (rule.clone(), path.clone(), number)));
        }
    }
    all
}

#[test]
fn catalogs_without_a_defect_have_no_findings() {
    for category in categories() {
        let (_, shown) = found(&category.clean);
        assert_eq!(shown, "");
    }
}

#[test]
fn each_defect_is_found_at_its_line_and_nothing_else_is_found() {
    let mut wrong = String::new();
    for category in categories() {
        for (what, how) in category.kinds {
            let mut files = category.clean.clone();
            if let Err(why) = seed(&mut files, &how) {
                wrong += &format!("\n=== {what}\n{why}\n");
                continue;
            }
            let expected = expected(&files);
            let (found, shown) = found(&files);
            if expected.is_empty() || found != expected {
                wrong += &format!("\n=== {what}\nexpected {expected:?}\nfound    {found:?}\n{shown}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_of_a_seeded_category_has_a_defect() {
    let kinds: Vec<(String, String)> = categories().into_iter().flat_map(|category| category.kinds).collect();
    let mut seen = BTreeSet::new();
    for (what, _) in &kinds {
        assert!(seen.insert(what), "`{what}` is there twice");
    }
    let rules: BTreeSet<&str> =
        kinds.iter().flat_map(|(_, how)| how.lines().filter_map(|line| line.strip_prefix("! "))).collect();
    let unknown: Vec<_> = rules.iter().filter(|name| !codes().any(|code| code.name == **name)).collect();
    assert!(unknown.is_empty(), "there is no rule {unknown:?}");
    let categories: BTreeSet<&str> =
        codes().filter(|code| rules.contains(code.name)).map(|code| code.category()).collect();
    let missing: Vec<String> = codes()
        .filter(|code| categories.contains(code.category()) && !rules.contains(code.name))
        .filter(|code| !LARGE.contains(&code.name) && !OF_PLUGINS.contains(&code.name))
        .map(|code| code.to_string())
        .collect();
    assert!(missing.is_empty(), "of no defect: {missing:#?}");
}
