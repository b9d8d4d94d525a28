use std::fs;
use std::path::Path;

use toolc_lower::dialects::{
    CodeLimits, DIALECTS, Extensions, RequestLimits, SchemaSubset, SearchLimits, ToolLimits, find,
};

use crate::manifest::keys::{PROPERTY, SCHEMA};

#[test]
fn names_are_matched_against_their_grammar() {
    let accepts = |dialect: &str, name: &str| find(dialect).unwrap().tool.tool_name().unwrap().value.accepts(name);
    assert!(accepts("openai", "1-a") && !accepts("openai", "a.b") && !accepts("openai", &"a".repeat(65)));
    assert!(accepts("gemini", "_a.b:c") && !accepts("gemini", "1a"));
    assert!(accepts("portable", "a_b-c") && !accepts("portable", "é") && !accepts("portable", ""));
    assert!(accepts("mcp", &"a".repeat(128)));
}

/// rustc does not see a file that no `mod` names.
#[test]
fn every_file_with_a_record_is_a_declared_dialect() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lower/src/dialects");
    let mut records: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            fs::read_to_string(path).is_ok_and(|text| text.contains("\npub(super) const DIALECT: Dialect ="))
        })
        .map(|path| path.file_stem().unwrap().to_string_lossy().replace('_', "-"))
        .collect();
    let mut declared: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    records.sort();
    declared.sort_unstable();
    assert_eq!(records, declared, "add the dialect to `dialects!` in runtime/src/data/dialect.rs");
}

#[test]
fn every_limit_names_its_source_and_date() {
    for dialect in DIALECTS {
        for limit in dialect.limits() {
            let parts: Vec<usize> = limit.verified_on.split('-').map(str::len).collect();
            assert_eq!(parts, [4, 2, 2], "{}: {}", dialect.name, limit.name);
            assert!(!limit.source.is_empty(), "{}: {}", dialect.name, limit.name);
        }
    }
}

/// A misspelt keyword would never be found in a schema.
#[test]
fn keywords_are_those_of_json_schema() {
    const OTHERS: [&str; 6] = ["not", "required", "nullable", "example", "propertyOrdering", "$defs"];
    let known = |word: &str| OTHERS.contains(&word) || SCHEMA.iter().chain(PROPERTY).any(|key| key.name == word);
    for dialect in DIALECTS {
        let lists = [dialect.tool.root_keywords(), dialect.schema.keywords()];
        for word in lists.into_iter().flatten().flat_map(|limit| limit.value) {
            assert!(known(word), "{}: {word}", dialect.name);
        }
    }
}

/// Returns the names of the limits that no stage reads: nowhere in `code` is the method of that name called on `record`.
fn unread<'n>(record: &str, names: &[&'n str], code: &str) -> Vec<&'n str> {
    names.iter().copied().filter(|name| !code.contains(&format!("{record}.{name}()"))).collect()
}

/// Returns the code of a folder or file, without comments and without its unit tests.
fn code(path: &Path) -> String {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        return entries.filter(|path| !path.ends_with("tests.rs")).map(|path| code(&path)).collect();
    }
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line.trim(), ""]).collect()
}

/// A limit that no stage reads has no effect, so a wrong value would go unnoticed.
#[test]
fn every_limit_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lowering = root.join("../../lower/src");
    let stages: String =
        ["lower/definition.rs", "lower/form.rs", "check", "lint"].map(|at| code(&root.join(at))).concat();
    let stages = stages + &code(&lowering.join("narrow")) + &code(&lowering.join("run_time.rs"));
    let records =
        [ToolLimits::NAMES, CodeLimits::NAMES, RequestLimits::NAMES, SearchLimits::NAMES, SchemaSubset::NAMES];
    for names in records {
        assert_eq!(unread("", names, &stages), [""; 0], "add a reader of these limits, or remove them");
        // Another method of that name would count as a reader.
        for name in names {
            let method = format!("fn {name}(&self");
            let is_other = [&root, &lowering].iter().any(|root| code(root).contains(&method));
            assert!(!is_other, "`{name}` is also the name of another method");
        }
    }
    // Manifests have methods of these names.
    assert_eq!(
        unread("extensions", Extensions::NAMES, &stages),
        [""; 0],
        "add a reader of these fields, or remove them"
    );
}

#[test]
fn a_limit_that_nothing_reads_is_found() {
    let code = "dialect.tool.tool_name().is_none() // .max_tools\nlet max_tools = 3;";
    assert_eq!(unread("", &["tool_name", "max_tools"], code), ["max_tools"]);
    assert_eq!(unread("extensions", &["tool_name"], code), ["tool_name"]);
}
