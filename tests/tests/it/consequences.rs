//! Mistakes are reported without their consequences: what depends on a part of a manifest that was refused is unknown, and not a
//! second mistake.
//!
//! A case of `consequences/cases.txt` begins with `=== MISTAKE: CODES`, the codes of all findings. Its files replace those of
//! `consequences/base.txt`, a project without findings; the keys of `read.toml`, `run.toml` and `safe.toml` that a case does not have come from there.

use std::collections::BTreeMap;

use toml::Table;
use toolc_codegen::compile;
use toolc_codegen::diagnostic::Renderer;
use toolc_codegen::source::Sources;
use toolc_tests::fixture;

const BASE: &str = include_str!("../../consequences/base.txt");
const CASES: &str = include_str!("../../consequences/cases.txt");

/// Returns the codes of all findings, and the findings as text.
fn findings(files: BTreeMap<String, String>) -> (String, String) {
    let sources = Sources::from_memory(files);
    let renderer = Renderer::new(&sources, false);
    let found = compile(&sources).diagnostics;
    let mut codes: Vec<&str> = found.iter().map(|found| found.code.id).collect();
    codes.sort_unstable();
    let texts: Vec<String> = found.iter().map(|found| renderer.render(found)).collect();
    (codes.join(" "), texts.join("\n\n"))
}

/// Adds the lines of `base` whose keys `text` does not have.
fn completed(text: &str, base: &str) -> String {
    let Ok(own) = text.parse::<Table>() else { return text.to_owned() };
    let is_fragment = !own.is_empty() && !own.contains_key("name");
    let (head, tables) = base.split_once("\n\n").unwrap_or((base, ""));
    let is_missing = |line: &&str| !own.contains_key(line.split([' ', '.']).next().unwrap_or_default());
    let head: Vec<&str> = head.lines().filter(is_missing).collect();
    if is_fragment { format!("{}\n{text}\n{tables}", head.join("\n")) } else { text.to_owned() }
}

#[test]
fn consequences_of_a_mistake_are_not_reported() {
    let base: BTreeMap<String, String> = fixture::owned_files(BASE).collect();
    assert_eq!(findings(base.clone()), (String::new(), String::new()));
    let mut failures = String::new();
    for case in CASES.strip_prefix("=== ").expect("a heading").split("\n=== ") {
        let (heading, text) = case.split_once('\n').unwrap_or((case, ""));
        let (mistake, codes) = heading.rsplit_once(": ").expect("codes");
        let mut files = base.clone();
        for (path, text) in fixture::files(&format!("{text}\n")) {
            let is_tool_or_set = path.contains("/tools/") || path.contains("/toolsets/");
            let old = base.get(path).filter(|_| is_tool_or_set);
            files.insert(path.to_owned(), old.map_or_else(|| text.to_owned(), |old| completed(text.trim_end(), old)));
        }
        let (found, texts) = findings(files);
        if found != codes {
            failures += &format!("\n{mistake}: expected {codes}, got {found}:\n{texts}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
