//! The packages of this workspace, as their `Cargo.toml` files describe them: the table of crates in `docs/architecture.md`, and the
//! list of published packages in `docs/semver.md`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use super::replace_between;
use crate::failure::Failure;

/// A package of the workspace.
#[derive(Debug)]
pub struct Package {
    /// The name.
    pub name: String,
    /// The path of its folder, relative to the workspace.
    pub folder: String,
    /// What it is for.
    pub description: String,
    /// Whether it is published on the registry.
    pub is_published: bool,
    /// The packages of the workspace that it depends on, apart from its tests, and whether each is optional.
    pub dependencies: BTreeMap<String, bool>,
}

/// Returns the packages of the workspace at `root`: each before those that it depends on.
///
/// # Errors
/// If a `Cargo.toml` cannot be read, or a package has no description.
pub fn packages(root: &Path) -> Result<Vec<Package>, Failure> {
    let workspace = manifest(root)?;
    let members = workspace.get("workspace").and_then(|table| table.get("members")?.as_array());
    let members = members.ok_or_else(|| Failure::new("the workspace has no members"))?;
    let mut packages = Vec::new();
    for folder in members.iter().filter_map(Value::as_str) {
        packages.push(package(folder, &manifest(&root.join(folder))?)?);
    }
    let names: BTreeSet<String> = packages.iter().map(|package| package.name.clone()).collect();
    for package in &mut packages {
        package.dependencies.retain(|name, _| names.contains(name));
    }
    let floors: BTreeMap<String, usize> =
        packages.iter().map(|package| (package.name.clone(), floor(package, &packages))).collect();
    packages.sort_by_key(|package| (Reverse(floors[&package.name]), package.name.clone()));
    Ok(packages)
}

/// Returns `docs/architecture.md` with a new table of crates.
pub(super) fn renew_crates(packages: &[Package], page: &str) -> Result<String, Failure> {
    let mut table = "\n| crate | folder | content | depends on |\n|---|---|---|---|\n".to_owned();
    for package in packages {
        let Package { name, folder, description, .. } = package;
        let dependencies = direct(package, packages).map(|(name, is_optional)| {
            let optional = if is_optional { " (optional)" } else { "" };
            format!("`{name}`{optional}")
        });
        let dependencies = dependencies.collect::<Vec<_>>().join(", ");
        let _ = writeln!(table, "| `{name}` | `{folder}/` | {} | {dependencies} |", description.replace('|', "\\|"));
    }
    replace_between(page, "crates", &table)
}

/// Returns `docs/semver.md` with a new list of published packages.
pub(super) fn renew_published(packages: &[Package], page: &str) -> Result<String, Failure> {
    let mut names: Vec<String> = packages
        .iter()
        .filter(|package| package.is_published)
        .map(|package| format!("- `{}`\n", package.name))
        .collect();
    names.sort();
    replace_between(page, "published packages", &format!("\n{}", names.concat()))
}

fn manifest(folder: &Path) -> Result<Table, Failure> {
    let path = folder.join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(|error| Failure::io("read", &path, &error))?;
    text.parse().map_err(|error| Failure::new(format!("failed to read {}: {error}", path.display())))
}

fn package(folder: &str, manifest: &Table) -> Result<Package, Failure> {
    let key = |key: &str| manifest.get("package").and_then(|package| package.get(key));
    let text = |name: &str| {
        let text = key(name).and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| Failure::new(format!("{folder}/Cargo.toml has no `{name}`")))
    };
    let tables = ["dependencies", "build-dependencies"].map(|table| manifest.get(table).and_then(Value::as_table));
    let dependencies = tables.into_iter().flatten().flatten().map(|(name, value)| {
        let is_optional = value.get("optional").and_then(Value::as_bool).unwrap_or(false);
        (name.clone(), is_optional)
    });
    Ok(Package {
        name: text("name")?,
        folder: folder.to_owned(),
        description: text("description")?,
        is_published: key("publish").and_then(Value::as_bool).unwrap_or(false),
        dependencies: dependencies.collect(),
    })
}

fn find<'p>(name: &str, packages: &'p [Package]) -> Option<&'p Package> {
    packages.iter().find(|package| package.name == name)
}

/// Returns the length of the longest chain of dependencies.
fn floor(package: &Package, packages: &[Package]) -> usize {
    let below = package.dependencies.keys().filter_map(|name| find(name, packages));
    below.map(|below| 1 + floor(below, packages)).max().unwrap_or(0)
}

/// Returns the dependencies that no other dependency has as well, and whether each is optional.
fn direct<'p>(package: &'p Package, packages: &'p [Package]) -> impl Iterator<Item = (&'p str, bool)> {
    let names = package.dependencies.keys();
    let mut indirect = BTreeSet::new();
    let mut open: Vec<&Package> = names.filter_map(|name| find(name, packages)).collect();
    while let Some(package) = open.pop() {
        for name in package.dependencies.keys() {
            if indirect.insert(name) {
                open.extend(find(name, packages));
            }
        }
    }
    let direct = package.dependencies.iter().filter(move |(name, _)| !indirect.contains(name));
    direct.map(|(name, is_optional)| (name.as_str(), *is_optional))
}
