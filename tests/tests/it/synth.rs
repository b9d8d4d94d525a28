//! Synthetic projects compile without a finding and are reproducible.

use std::path::Path;
use std::process::{Command, Output};

use toolc_codegen::source::Sources;
use toolc_tests::synth::project;

fn synth(args: &[&str], dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_synth")).args(args).arg(dir).output().expect("failed to start synth")
}

#[test]
fn a_synthetic_project_compiles_without_a_finding() {
    for (count, seed) in [(1, 0), (250, 1)] {
        let compilation = toolc_codegen::compile(&Sources::from_memory(project(count, seed)));
        assert!(compilation.diagnostics.is_empty(), "{:?}", compilation.diagnostics);
        let catalog = compilation.catalog.expect("a project without findings has a catalog");
        assert_eq!((catalog.tools().count(), catalog.toolsets().count()), (count, count.div_ceil(20)));
        for (_, tool) in catalog.tools() {
            let (length, parameters) = (
                catalog.full_turn_values(tool).text(&tool.manifest.description.value).len(),
                tool.manifest.params.properties.len(),
            );
            assert!((200..=400).contains(&length) && (4..=6).contains(&parameters), "{}", tool.name());
        }
    }
}

#[test]
fn a_synthetic_project_depends_only_on_its_size_and_seed() {
    assert_eq!(project(100, 7), project(100, 7));
    assert_ne!(project(100, 7), project(100, 8));
}

#[test]
fn every_path_of_a_large_synthetic_project_is_unique() {
    // More tools than the word lists have names for.
    let files = project(40_000, 0);
    let paths: std::collections::HashSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!((files.len(), paths.len()), (42_000, 42_000));
}

#[test]
fn synth_writes_only_into_an_empty_folder() {
    let dir = tempfile::tempdir().expect("failed to make a folder");
    let new = dir.path().join("new");
    let output = synth(&["--seed", "3", "5"], &new);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (path, text) in project(5, 3) {
        assert_eq!(std::fs::read_to_string(new.join(path)).expect("failed to read what synth wrote"), text);
    }

    for (args, dir, why) in [(&["5"][..], &new, "not empty"), (&["many"], &dir.path().join("none"), "`many`")] {
        let output = synth(args, dir);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(why), "{output:?}");
    }
}
