//! Lint finds each defect at its line and nothing else, in a catalog that has no other finding.
//!
//! Each file `defects/CATEGORY.txt` holds the defects of one category. It may begin with a clean catalog; otherwise its defects
//! change the catalog in `defects/clean.txt`. A defect begins with `=== DESCRIPTION`. Below it are hunks, each with the file that
//! it changes: `--- PATH`. As in a diff, lines that begin with a space are context, lines with `-` are removed, and lines with `+`
//! are added. A hunk of added lines only makes a new file. `! RULE` below a line says that this rule must report that line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use toolc_codegen::compile;
use toolc_codegen::diagnostic::{Places, Renderer};
use toolc_codegen::lint::all_codes;
use toolc_codegen::source::Sources;
use toolc_tests::fixture;

/// The lines of a file, each with the rules that must report it.
type Lines = Vec<(String, Vec<String>)>;
type Files = BTreeMap<String, Lines>;

/// Rules for plugins. No defect can trigger them, because the clean catalogs are not plugins. Another test runs the examples in
/// the documentation of these rules.
const PLUGIN_RULES: [&str; 2] = ["not-in-a-plugin", "not-passed-on"];

/// Rules that only a large defect triggers.
const RULES_FOR_LARGE_SCHEMAS: [&str; 1] = ["schema-too-large"];

/// The defects of one category, and the catalog that they change.
struct Category {
    clean: Files,
    /// The description and the hunks of each defect.
    defects: Vec<(String, String)>,
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
        let (clean, defects) = text.split_once("\n=== ").expect("the file has defects");
        let clean = if clean.trim().is_empty() { include_str!("../../defects/clean.txt") } else { clean };
        let defects = defects.split("\n=== ").filter_map(|defect| defect.split_once('\n'));
        let defects = defects.map(|(description, hunks)| (description.to_owned(), hunks.to_owned()));
        Category { clean: files(clean), defects: defects.collect() }
    };
    paths.iter().map(category).collect()
}

/// Applies the hunks of a defect to a catalog.
///
/// # Errors
/// A hunk that does not apply.
fn apply(files: &mut Files, hunks: &str) -> Result<(), String> {
    for hunk in format!("\n{hunks}").split("\n--- ").skip(1) {
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
                _ => return Err(format!("in {path}: expected ` `, `-`, `+` or `!` at the start of: {change}")),
            }
        }
        let lines = files.entry(path.to_owned()).or_default();
        let current: Vec<&str> = lines.iter().map(|(line, _)| line.as_str()).collect();
        let places: Vec<usize> = (0..=current.len()).filter(|&at| current[at..].starts_with(&old)).collect();
        match places.as_slice() {
            // An earlier hunk may have added expected rules. They must not be lost.
            &[at] if !old.is_empty() => {
                let before: Lines = lines.splice(at..at + old.len(), new).collect();
                let expected: Vec<_> = before.into_iter().filter(|(_, expected)| !expected.is_empty()).collect();
                if !expected.is_empty() {
                    return Err(format!("in {path}: {expected:?} is changed twice"));
                }
            }
            _ if old.is_empty() => drop(lines.splice(0..0, new)),
            places => return Err(format!("in {path}: these lines occur {} times: {old:#?}", places.len())),
        }
    }
    Ok(())
}

/// Returns rule, file and line of each finding, and the findings as text.
fn findings(files: &Files) -> (BTreeSet<(String, String, usize)>, String) {
    let text = |lines: &Lines| lines.iter().flat_map(|(line, _)| [line.as_str(), "\n"]).collect::<String>();
    let sources = Sources::from_memory(files.iter().map(|(path, lines)| (path.clone(), text(lines))));
    let (places, renderer) = (Places::new(&sources), Renderer::new(&sources, false));
    let found = compile(&sources).diagnostics;
    let texts: Vec<String> = found.iter().map(|found| renderer.render(found)).collect();
    let found = found.iter().map(|found| {
        let place = found.at.0;
        let path = sources.get(place.source).path.clone();
        (found.code.name.to_owned(), path, places.positions(place)[0].line)
    });
    (found.collect(), texts.join("\n\n"))
}

/// Returns rule, file and line of each expected finding.
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
        let (_, texts) = findings(&category.clean);
        assert_eq!(texts, "");
    }
}

#[test]
fn each_defect_is_found_at_its_line_and_nothing_else_is_found() {
    let mut failures = String::new();
    for category in categories() {
        for (description, hunks) in category.defects {
            let mut files = category.clean.clone();
            if let Err(error) = apply(&mut files, &hunks) {
                failures += &format!("\n=== {description}\n{error}\n");
                continue;
            }
            let expected = expected(&files);
            let (found, texts) = findings(&files);
            if expected.is_empty() || found != expected {
                failures += &format!("\n=== {description}\nexpected {expected:?}\nfound    {found:?}\n{texts}\n");
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_rule_of_a_category_with_defects_has_one() {
    let defects: Vec<(String, String)> = categories().into_iter().flat_map(|category| category.defects).collect();
    let mut seen = BTreeSet::new();
    for (description, _) in &defects {
        assert!(seen.insert(description), "`{description}` occurs twice");
    }
    let rules: BTreeSet<&str> =
        defects.iter().flat_map(|(_, hunks)| hunks.lines().filter_map(|line| line.strip_prefix("! "))).collect();
    let unknown: Vec<_> = rules.iter().filter(|name| !all_codes().any(|code| code.name == **name)).collect();
    assert!(unknown.is_empty(), "unknown rules: {unknown:?}");
    let categories: BTreeSet<&str> =
        all_codes().filter(|code| rules.contains(code.name)).map(|code| code.category()).collect();
    let missing: Vec<String> = all_codes()
        .filter(|code| categories.contains(code.category()) && !rules.contains(code.name))
        .filter(|code| !RULES_FOR_LARGE_SCHEMAS.contains(&code.name) && !PLUGIN_RULES.contains(&code.name))
        .map(|code| code.to_string())
        .collect();
    assert!(missing.is_empty(), "rules without a defect: {missing:#?}");
}
