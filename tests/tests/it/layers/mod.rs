//! The modules of every crate are layers: each uses only the modules that are listed before it in `tests/layers.toml`. Modules of
//! one folder use each other in one direction only, with everything below them.
//!
//! The root of a crate, `lib` or `main`, is a layer of its own. Below the root, a module's own file and its children count as one:
//! it may use them, and they may use what it defines.

mod crates;
mod small_crates;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use crates::{Arrow, Crate};
use serde::Deserialize;

/// A crate in `tests/layers.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    /// The modules, lowest first. `lib` or `main` is the root.
    layers: Vec<String>,
    /// The violations that still exist.
    #[serde(default)]
    known: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crates that `tests/layers.toml` lists, by folder.
static LISTED: LazyLock<BTreeMap<String, Listed>> =
    LazyLock::new(|| toml::from_str(include_str!("../../../layers.toml")).expect("the list of layers is valid"));

/// The listed crates, by folder.
static CRATES: LazyLock<BTreeMap<String, Crate>> = LazyLock::new(|| {
    let read = |folder: &String| (folder.clone(), Crate::new(crates::texts(&root().join(folder).join("src"))));
    LISTED.keys().map(read).collect()
});

#[test]
fn modules_use_only_lower_layers_and_have_no_circles() {
    let mut report = String::new();
    for (folder, Listed { layers, known }) in &*LISTED {
        let mut found = violations(&CRATES[folder], layers);
        for known in known {
            if found.remove(known).is_none() {
                let _ = writeln!(report, "{folder}: `{known}` is mended: remove it from `known`");
            }
        }
        for (violation, place) in found {
            let _ = writeln!(report, "{folder}: {violation} ({place})");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn every_crate_has_a_list_of_layers() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest can be read");
    let manifest: toml::Table = manifest.parse().expect("the manifest is valid");
    let members = manifest["workspace"]["members"].as_array().expect("members are a list");
    let members: BTreeSet<String> =
        members.iter().map(|member| member.as_str().expect("a member is a path").into()).collect();
    let listed: BTreeSet<String> = LISTED.keys().cloned().collect();
    assert_eq!(listed, members);
}

#[test]
fn a_use_of_the_highest_module_by_the_lowest_is_found_in_every_crate() {
    for (folder, Listed { layers, known }) in &*LISTED {
        let [lowest, .., highest] = layers.as_slice() else { continue };
        let item = if is_root(highest) { "Item".to_owned() } else { format!("{highest}::Item") };
        let seeded = CRATES[folder].with(lowest, &format!("use crate::{item};"));
        let mut found = violations(&seeded, layers);
        found.retain(|violation, _| !known.contains(violation));
        assert_eq!(found.into_keys().collect::<Vec<_>>(), [format!("{lowest} uses {highest}")], "{folder}");
    }
}

fn is_root(layer: &str) -> bool {
    layer == "lib" || layer == "main"
}

/// Returns the uses of modules that are not below the user, and the circles among the children of a module, with a place for each.
fn violations(sources: &Crate, layers: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let root = layers.iter().rev().find(|layer| is_root(layer)).map_or("lib", String::as_str);
    let top = |module: &[String]| module.first().map_or(root, String::as_str).to_owned();
    let modules: BTreeSet<String> = sources.modules().map(top).collect();
    for module in modules.iter().filter(|module| !layers.contains(module)) {
        found.insert(format!("{module} is not listed"), "`layers` lacks it".to_owned());
    }
    for layer in layers.iter().filter(|layer| !modules.contains(*layer)) {
        found.insert(format!("{layer} is listed"), "it has no file".to_owned());
    }
    let rank = |module: &str| layers.iter().position(|layer| layer == module);
    let arrows = sources.arrows();
    for arrow in &arrows {
        let (from, to) = (top(arrow.from), top(arrow.to));
        if from != to && rank(&to) >= rank(&from) {
            found.entry(format!("{from} uses {to}")).or_insert_with(|| arrow.place());
        }
    }
    let folders: BTreeSet<&[String]> = sources.modules().filter_map(|module| Some(module.split_last()?.1)).collect();
    for folder in folders.into_iter().filter(|folder| !folder.is_empty()) {
        found.extend(circles(folder, &arrows));
    }
    found
}

/// Returns the circles among the children of a module, each with everything below it.
fn circles(parent: &[String], arrows: &[Arrow<'_>]) -> Vec<(String, String)> {
    let child = |module: &'_ [String]| module.strip_prefix(parent)?.first().cloned();
    let mut edges: BTreeMap<(String, String), String> = BTreeMap::new();
    for arrow in arrows {
        if let (Some(from), Some(to)) = (child(arrow.from), child(arrow.to))
            && from != to
        {
            edges.entry((from, to)).or_insert_with(|| arrow.place());
        }
    }
    let names: BTreeSet<&String> = edges.keys().map(|(from, _)| from).collect();
    let names: Vec<&String> = names.into_iter().collect();
    let edges_of = |from: usize| {
        let of = edges.iter().filter(|((name, _), _)| name == names[from]);
        of.filter_map(|((_, to), place)| Some((names.binary_search(&to).ok()?, place))).collect()
    };
    let circle = |steps: Vec<(usize, &String)>| {
        let modules: BTreeSet<&str> = steps.iter().map(|(module, _)| names[*module].as_str()).collect();
        let modules: Vec<&str> = modules.into_iter().collect();
        let places: Vec<&str> = steps.iter().map(|(_, place)| place.as_str()).collect();
        (format!("{}: {} use each other", parent.join("::"), modules.join(", ")), places.join(", "))
    };
    toolc::__gen::graph::cycles(0..names.len(), edges_of).into_iter().map(circle).collect()
}
