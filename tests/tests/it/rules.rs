//! Every rule is documented, its failing example has its finding and no other, its passing example has none, and its fix, if it
//! has one, leaves no finding.
//!
//! Examples are short: files that they do not show, and keys that a shown file leaves out, come from `rules/base.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toolc_codegen::compile;
use toolc_codegen::diagnostic::docs::Docs;
use toolc_codegen::diagnostic::{Code, Diagnostic, Renderer, SourceId};
use toolc_codegen::fix::fix;
use toolc_codegen::format::format;
use toolc_codegen::lint::rules::CATEGORIES;
use toolc_codegen::lint::{Options, all_codes};
use toolc_codegen::source::{Source, Sources};
use toolc_tests::fixture;

type Files = BTreeMap<String, String>;

/// Returns a project without findings.
fn base() -> Files {
    fixture::owned_files(include_str!("../../rules/base.txt")).collect()
}

/// Returns an example as a project.
pub(crate) fn project(example: &[(String, String)]) -> Sources {
    let mut files = base();
    for (path, text) in example {
        let default = files.get(path).cloned().unwrap_or_else(|| default_manifest(path));
        let filled = fill_in(text, &default);
        files.insert(path.clone(), filled);
    }
    Sources::from_memory(files)
}

/// Returns the required keys of a new file.
fn default_manifest(path: &str) -> String {
    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".toml")).unwrap_or_default();
    let words = stem.replace('_', " ");
    if path.contains("/tools/") || path.contains("/tool/") {
        format!(
            "name = \"{stem}\"\ntoolset = \"files\"\ndescription = \"{words}: takes care of just that, wherever the project needs {words}. Returns what came of {words}. Prefer it to doing {words} by hand.\"\nannotations = {{ read_only = true, open_world = false }}\n"
        )
    } else if path.contains("manifests/") && !path.ends_with("facts.toml") && !path.ends_with("env.toml") {
        format!("name = \"{stem}\"\ndescription = \"Whatever goes with {words}.\"\n")
    } else {
        String::new()
    }
}

/// Adds the keys of `default` that are missing in `text`.
fn fill_in(text: &str, default: &str) -> String {
    let top = |text: &str| text.split("\n[").next().map(|top| format!("\n{top}")).unwrap_or_default();
    let has = |key: &str| {
        let own = top(text);
        !text.starts_with('[') && [" =", ".", "="].iter().any(|end| own.contains(&format!("\n{key}{end}")))
    };
    let is_table = |key: &str| text.contains(&format!("\n[{key}]")) || text.starts_with(&format!("[{key}]"));
    let default = format!("\n{default}");
    let mut tables = default.split("\n[");
    let head = tables.next().unwrap_or_default();
    let keys = head.lines().filter_map(|line| line.split_once(" = "));
    let missing = keys.filter(|(key, _)| !has(key) && !is_table(key));
    let mut filled: String = missing.flat_map(|(key, value)| [key, " = ", value, "\n"]).collect();
    filled += text;
    let missing = tables.filter(|table| !is_table(table.split(']').next().unwrap_or_default()));
    missing.fold(filled, |filled, table| format!("{}\n\n[{}\n", filled.trim_end(), table.trim_end()))
}

/// Returns the findings of a project, also as text.
fn lint(sources: &Sources) -> (Vec<Diagnostic>, String) {
    let renderer = Renderer::new(sources, false);
    let found = compile(sources).diagnostics;
    let texts: Vec<String> = found.iter().map(|found| renderer.render(found)).collect();
    (found, texts.join("\n\n"))
}

#[test]
fn the_base_project_is_clean() {
    let (_, texts) = lint(&Sources::from_memory(base()));
    assert_eq!(texts, "");
}

#[test]
fn every_rule_has_complete_documentation_and_working_examples() {
    let mut failures = String::new();
    for code in all_codes() {
        let mut complain = |message: String| failures += &format!("\n{code}: {message}\n");
        let docs = code.docs();
        if docs.what.is_empty() || !docs.what.ends_with('.') {
            complain("its file does not begin with a sentence about its findings".to_owned());
        }
        let titles: Vec<&str> = docs.sections.iter().map(|(title, _)| title.as_str()).collect();
        if !titles.starts_with(&Docs::SECTIONS) {
            complain(format!("expected the sections {:?}, got {titles:?}", Docs::SECTIONS));
            continue;
        }
        if docs.section("Why is this bad").is_empty() {
            complain("the section `Why is this bad` is empty".to_owned());
        }
        let [example, instead] = ["Example", "Use instead"].map(|title| docs.files(title));
        if example.is_empty() || instead.is_empty() {
            complain("`Example` or `Use instead` has no file: a code block that begins with `# PATH`".to_owned());
            continue;
        }
        let (findings, texts) = lint(&project(&example));
        if findings.is_empty() || findings.iter().any(|found| found.code != code) {
            complain(format!("expected only its own finding in `Example`, got:\n{texts}"));
        }
        let (_, texts) = lint(&project(&instead));
        if !texts.is_empty() {
            complain(format!("`Use instead` has findings:\n{texts}"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// A fix leaves no finding and formatted files.
#[test]
fn every_fix_repairs_its_example() {
    for code in all_codes() {
        let sources = project(&code.docs().files("Example"));
        let reformatted = |source: &Source| format(source.kind, &source.text).filter(|text| *text != source.text);
        let ids = (0..).map(SourceId).zip(sources.all());
        let formatted: Vec<_> = ids.filter_map(|(id, source)| Some((id, reformatted(source)?))).collect();
        let sources = sources.with(&formatted);
        let (findings, _) = lint(&sources);
        assert_eq!(findings.iter().any(|found| !found.fix.is_empty()), code.fixable, "{code}");
        let fixed = sources.with(&fix(&sources, &Options::default()));
        if code.fixable {
            let (_, texts) = lint(&fixed);
            assert_eq!(texts, "", "{code}");
            for source in fixed.all() {
                assert_eq!(reformatted(source), None, "{code}: {}:\n{}", source.path, source.text);
            }
        }
    }
}

#[test]
fn codes_and_names_are_unique_and_well_formed() {
    let all: Vec<Code> = all_codes().collect();
    for (index, code) in all.iter().enumerate() {
        if let Some(other) = all[..index].iter().find(|other| other.id == code.id || other.name == code.name) {
            panic!("`{code}` has the code or the name of `{other}`");
        }
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        assert!(code.name.split('-').all(is_word), "{code}: a name is words with hyphens between them");
        assert!(
            code.id.len() == 4 && code.id[1..].parse::<u32>().is_ok(),
            "{code}: a code is a letter and three digits"
        );
    }
    for category in CATEGORIES {
        for code in category.codes() {
            assert_eq!(code.category(), category.letter, "{code} is in the folder of another category");
        }
    }
}

/// Without its line in `mod.rs`, the file of a rule is not compiled, and nothing else reports that.
#[test]
fn every_file_of_a_rule_is_declared() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let names: Vec<String> = all_codes().map(|code| code.name.replace('-', "_")).collect();
    let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inner = ["codegen/src/lint/rules", "codegen/src/diagnostic/codes"].map(|folder| project.join(folder));
    let folders = inner.iter().flat_map(|folder| entries(folder)).filter(|folder| folder.is_dir());
    let mut missing = String::new();
    let mut count = 0;
    for folder in folders.chain([project.join("tables/src/codes")]) {
        for file in entries(&folder) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            if name == "mod" {
                continue;
            }
            count += 1;
            if !names.iter().any(|declared| declared == name) {
                let line = format!("{} {name}", name.to_ascii_uppercase());
                missing += &format!("\n{}/mod.rs lacks the line `{line}`", folder.display());
            }
        }
    }
    assert!(missing.is_empty(), "{missing}");
    assert_eq!(count, names.len(), "each rule has a file of its own");
}
