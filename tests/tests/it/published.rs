//! Every published package has a row in `docs/semver.md` that says what is covered, and the check of public APIs in CI compares every
//! published library.

use std::fs;
use std::path::{Path, PathBuf};

use toolc_codegen::docs::packages::{Package, packages};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn published() -> impl Iterator<Item = Package> {
    packages(&root()).expect("the packages can be read").into_iter().filter(|package| package.is_published)
}

#[test]
fn the_page_on_versions_says_what_is_covered_of_each_published_package() {
    let page = read("docs/semver.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    for Package { name, .. } in published() {
        let names = [format!("`{name}`"), format!("`{}::", name.replace('-', "_"))];
        let is_covered = rows.iter().any(|row| names.iter().any(|name| row.contains(name.as_str())));
        assert!(is_covered, "no row of docs/semver.md names `{name}`");
    }
}

#[test]
fn ci_checks_the_public_api_of_each_published_library() {
    let workflow = read(".github/workflows/ci.yml");
    let line =
        workflow.lines().find_map(|line| line.trim().strip_prefix("package: ")).expect("the job `semver` exists");
    let mut checked: Vec<&str> = line.split(", ").collect();
    checked.sort_unstable();
    let libraries = published().filter(|package| root().join(&package.folder).join("src/lib.rs").exists());
    let mut names: Vec<String> = libraries.map(|package| package.name).collect();
    names.sort();
    assert_eq!(checked, names, ".github/workflows/ci.yml: correct `package` of the job `semver`");
}
