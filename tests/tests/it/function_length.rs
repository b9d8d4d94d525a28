//! Functions outside of tests have at most 60 lines. Longer ones are in a list, each with the reason why it is one piece.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ignore::WalkBuilder;
use regex::Regex;
use toml::{Table, Value};

const MAX_LINES: usize = 60;

/// The longer functions, each with its file and its reason. The list only shrinks: split a new function where a part of it has a
/// name of its own.
const LONG: &[(&str, &str, &str)] = &[
    ("codegen/src/catalog/resolve.rs", "resolve", "most lines are one field"),
    ("codegen/src/docs/dialects.rs", "rows", "a table: a statement for each row"),
    ("codegen/src/emit/rust/commands.rs", "conditions", "two lines for each condition"),
    ("codegen/src/emit/rust/mod.rs", "catalog_provider", "half of it is the code that it emits"),
    ("codegen/src/emit/rust/toolset.rs", "emit", "half of it is the code that it emits"),
    ("codegen/src/lint/lark.rs", "alternatives", "an arm for each kind of token"),
    ("codegen/src/lint/lark.rs", "tokens", "an arm for each kind of token"),
    ("codegen/src/lint/rules/schema/unportable_pattern.rs", "foreign", "an arm for each sign"),
    ("host/src/commands/cron/run.rs", "run_process", "the life of one process, in its order"),
    ("host/src/person/forms.rs", "question_text", "an arm for each kind of question"),
    ("runtime/src/typescript/json.rs", "deserialize", "a method of a visitor for each type of JSON"),
    ("runtime/src/typescript/types.rs", "of_object", "the keywords of a schema, in the order in which they count"),
    ("tables/src/read/wrong_type.rs", "rewritten", "an arm for each pair of types"),
];

#[test]
fn functions_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeSet::new();
    for path in sources(&root) {
        let code = fs::read_to_string(root.join(&path)).expect("a source can be read");
        let long = functions(&code).into_iter().filter(|(_, lines)| *lines > MAX_LINES);
        found.extend(long.map(|(name, _)| (path.clone(), name)));
    }
    let listed: BTreeSet<_> = LONG.iter().map(|(path, name, _)| ((*path).to_owned(), (*name).to_owned())).collect();
    let new: Vec<_> = found.difference(&listed).collect();
    assert!(new.is_empty(), "functions with more than {MAX_LINES} lines: {new:#?}");
    let unneeded: Vec<_> = listed.difference(&found).collect();
    assert!(unneeded.is_empty(), "remove from the list, because these functions are short: {unneeded:#?}");
}

/// Returns the paths of the sources of the members, without tests, examples and benchmarks.
fn sources(root: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("the manifest can be read");
    let manifest: Table = manifest.parse().expect("a manifest is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("a list").iter().filter_map(Value::as_str);
    let mut paths = Vec::new();
    for member in members.filter(|member| !member.starts_with("tests")) {
        for path in WalkBuilder::new(root.join(member)).build().flatten().map(ignore::DirEntry::into_path) {
            let path = path.strip_prefix(root).expect("the file is in the folder");
            let is_test = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
                || path.iter().any(|folder| ["tests", "examples", "benches"].iter().any(|name| folder == *name));
            if !is_test && path.extension().is_some_and(|extension| extension == "rs") {
                paths.push(path.to_string_lossy().into_owned());
            }
        }
    }
    paths
}

/// Returns the names and the numbers of lines of the functions of a formatted file, without those of its tests.
fn functions(code: &str) -> Vec<(String, usize)> {
    let pattern = r#"^( *)(?:pub(?:\([^)]*\))? )?(?:(?:const|async|unsafe|extern "C") )*fn (\w+)"#;
    let header = Regex::new(pattern).expect("the pattern is valid");
    let code = code.split("\nmod tests {").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().collect();
    let functions = lines.iter().enumerate().filter_map(|(at, line)| {
        let found = header.captures(line)?;
        Some((found[2].to_owned(), length(&lines[at..], &format!("{}}}", &found[1]))))
    });
    functions.collect()
}

/// Returns the number of lines up to the closing brace, or up to the `;` of a function without a body.
fn length(lines: &[&str], closing: &str) -> usize {
    let mut has_body = false;
    for (index, line) in lines.iter().enumerate() {
        has_body |= line.contains('{');
        if *line == closing || (index == 0 && line.ends_with('}')) || (!has_body && line.ends_with(';')) {
            return index + 1;
        }
    }
    lines.len()
}

#[test]
fn the_lines_of_functions_are_counted() {
    let code = "fn one() {}\n\nimpl A {\n    pub(crate) const fn two(\n        &self,\n    ) {\n        if b {\n        }\n    }\n\n    \
                fn three();\n}\n\n#[cfg(test)]\nmod tests {\n    fn four() {}\n}\n";
    let counted = functions(code);
    let counted: Vec<(&str, usize)> = counted.iter().map(|(name, lines)| (name.as_str(), *lines)).collect();
    assert_eq!(counted, [("one", 1), ("two", 6), ("three", 1)]);
}
