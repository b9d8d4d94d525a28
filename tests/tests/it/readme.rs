//! The README sets up the repository with two commands. The test `first_hour` of `cargo-toolc` runs its tutorial.

use std::fs;
use std::path::Path;

#[test]
fn the_readme_sets_up_the_repository_with_two_commands() {
    let readme =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).expect("failed to read");
    let first = readme.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of commands");
    let commands: Vec<&str> = first.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).collect();
    assert_eq!(commands, ["cargo xtask gen", "cargo xtask test"]);
}
