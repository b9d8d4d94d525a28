//! Every dependency in a `Cargo.toml` of this repository is used by the sources of its package.
//!
//! A name in the text is enough, so this finds dependencies that were forgotten, not those that only a comment names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// Dependencies that no source names, and what they are for.
const UNNAMED: &[(&str, &str, &str)] =
    &[("tests", "toolc-commands", "a module from `fuzz` that the tests include uses it")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the folders of the packages: the members of the workspace, and `fuzz`.
fn folders() -> Vec<String> {
    let manifest: Table = read(&root().join("Cargo.toml")).parse().expect("a manifest is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("a list").iter().filter_map(Value::as_str);
    members.chain(["fuzz"]).map(str::to_owned).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The dependencies of a package by the sources that may use them.
#[derive(Debug, Default)]
struct Dependencies {
    /// Those of the library and the programs.
    normal: BTreeSet<String>,
    /// Those of tests, examples and benchmarks. A dependency that is also a normal one adds features.
    dev: BTreeSet<String>,
    /// Those of the build script.
    build: BTreeSet<String>,
}

impl Dependencies {
    /// Returns the dependencies in a manifest, also those of a target.
    fn of(manifest: &Table) -> Self {
        let targets = manifest.get("target").and_then(Value::as_table);
        let tables = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table).chain([manifest]);
        let mut all = Self::default();
        for table in tables {
            let names = |key: &str| table.get(key).and_then(Value::as_table).into_iter().flat_map(Table::keys).cloned();
            all.normal.extend(names("dependencies"));
            all.dev.extend(names("dev-dependencies"));
            all.build.extend(names("build-dependencies"));
        }
        all.dev.retain(|name| !all.normal.contains(name));
        all
    }
}

/// The Rust sources of a package.
#[derive(Debug, Default)]
struct Sources {
    /// The library and the programs, with their unit tests.
    normal: String,
    /// Tests, examples and benchmarks.
    dev: String,
    /// The build script.
    build: String,
}

impl Sources {
    fn of(folder: &Path, manifest: &Table, others: &[PathBuf]) -> Self {
        let mut sources = Self::default();
        // A library can be elsewhere, such as in `generated/`.
        let library = manifest.get("lib").and_then(|library| library.get("path")?.as_str());
        let library = library.map(|path| folder.join(path).parent().expect("it is in a folder").to_owned());
        for start in [Some(folder.to_owned()), library].into_iter().flatten() {
            let mut walk = ignore::WalkBuilder::new(&start);
            let others = others.to_vec();
            // Packages in this folder have manifests of their own.
            walk.filter_entry(move |entry| !others.iter().any(|other| entry.path() == other));
            for entry in walk.build().filter_map(Result::ok) {
                let path = entry.path();
                if path.extension().is_none_or(|extension| extension != "rs") {
                    continue;
                }
                let first = path.strip_prefix(folder).ok().and_then(|path| path.iter().next()?.to_str());
                let text = match first {
                    Some("tests" | "examples" | "benches") => &mut sources.dev,
                    Some("build.rs") => &mut sources.build,
                    _ => &mut sources.normal,
                };
                let source = read(path);
                for included in included(path, &source) {
                    text.push_str(&fs::read_to_string(included).unwrap_or_default());
                }
                text.push_str(&without_comments(&source));
            }
        }
        sources
    }
}

/// Returns the files that a source includes: modules elsewhere, and pages with examples.
fn included(path: &Path, source: &str) -> Vec<PathBuf> {
    let folder = path.parent().expect("it is in a folder");
    let after = ["#[path = \"", "include_str!(\""].into_iter().flat_map(|start| source.split(start).skip(1));
    after.filter_map(|rest| rest.split_once('"')).map(|(file, _)| folder.join(file)).collect()
}

/// Returns a source without its comments, apart from those of documentation, which has examples.
fn without_comments(text: &str) -> String {
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("//") || line.starts_with("///") || line.starts_with("//!")
    };
    text.lines().filter(is_code).fold(String::new(), |text, line| text + line + "\n")
}

/// Returns whether a source names a crate, as a word.
fn names(text: &str, dependency: &str) -> bool {
    let name = dependency.replace('-', "_");
    let is_part =
        |character: Option<char>| character.is_some_and(|one| one == '_' || one == '-' || one.is_alphanumeric());
    text.match_indices(&name)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next()))
}

/// Returns the dependencies that no source of a package names, with the table.
fn unused(dependencies: &Dependencies, sources: &Sources) -> Vec<(String, &'static str)> {
    let tests = format!("{}{}", sources.normal, sources.dev);
    let tables = [
        ("dependencies", &dependencies.normal, &sources.normal),
        ("dev-dependencies", &dependencies.dev, &tests),
        ("build-dependencies", &dependencies.build, &sources.build),
    ];
    let mut found = Vec::new();
    for (table, names_of_table, text) in tables {
        let unused = names_of_table.iter().filter(|name| !names(text, name));
        found.extend(unused.map(|name| (name.clone(), table)));
    }
    found
}

#[test]
fn every_dependency_is_used() {
    let folders = folders();
    let paths: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let pair = |folder: &str, name: &str| (folder.to_owned(), name.to_owned());
    let mut exceptions: BTreeSet<_> = UNNAMED.iter().map(|(folder, name, _)| pair(folder, name)).collect();
    let mut problems = Vec::new();
    for (folder, path) in folders.iter().zip(&paths) {
        let manifest: Table = read(&path.join("Cargo.toml")).parse().expect("a manifest is TOML");
        let others: Vec<PathBuf> =
            paths.iter().filter(|other| *other != path && other.starts_with(path)).cloned().collect();
        for (name, table) in unused(&Dependencies::of(&manifest), &Sources::of(path, &manifest, &others)) {
            if !exceptions.remove(&pair(folder, &name)) {
                problems.push(format!("{folder}/Cargo.toml: `{name}` in [{table}] is not used"));
            }
        }
    }
    problems
        .extend(exceptions.iter().map(|(folder, name)| format!("`UNNAMED`: `{name}` of {folder} is used, or is gone")));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn unused_dependencies_are_found_in_each_table() {
    let manifest = r#"
        [dependencies]
        used-crate = "1"
        forgotten = "1"
        [dev-dependencies]
        used-crate = { version = "1", features = ["more"] }
        of-tests = "1"
        forgotten-by-tests = "1"
        [build-dependencies]
        helper = "1"
        [target.'cfg(unix)'.dependencies]
        of-unix = "1"
    "#;
    let sources = Sources {
        normal: "use used_crate::X; fn f() { forgotten_by_all(); of_tests::y(); }".to_owned(),
        dev: "use forgotten;".to_owned(),
        build: "fn main() {}".to_owned(),
    };
    let unused = unused(&Dependencies::of(&manifest.parse().expect("it is TOML")), &sources);
    let expected = [
        ("forgotten", "dependencies"),
        ("of-unix", "dependencies"),
        ("forgotten-by-tests", "dev-dependencies"),
        ("helper", "build-dependencies"),
    ];
    assert_eq!(unused, expected.map(|(name, table)| (name.to_owned(), table)));
}
