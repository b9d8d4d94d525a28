//! The workflow for the pull requests of users: its script runs as a shell of GitHub would run it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::replay::git;
use crate::{TOOL, project};

/// Runs the script of the step `Compare` in a repository. Returns its exit status, the summary, and the output of the step.
fn compare(folder: &Path) -> (Option<i32>, String, String) {
    let workflow =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ci/github-pull-request.yml")).unwrap();
    let block = workflow.split("run: |\n").nth(2).unwrap();
    let script: Vec<&str> = block.lines().map_while(|line| line.strip_prefix("          ")).collect();
    let [summary, output] = ["step-summary", "output"].map(|name| folder.join(name));
    let program = Path::new(env!("CARGO_BIN_EXE_cargo-toolc")).parent().unwrap();
    let path = std::env::join_paths(
        [program.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = Command::new("bash");
    shell.args(["-e", "-c", &script.join("\n")]).current_dir(folder).env("PATH", path.unwrap()).env("BASE", "main");
    let run = shell.env("GITHUB_STEP_SUMMARY", &summary).env("GITHUB_OUTPUT", &output).status().unwrap();
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    (run.code(), read(&summary), read(&output))
}

#[test]
fn a_pull_request_gets_a_summary_of_what_breaks_and_what_it_costs() {
    let project = project();
    let folder = project.path();
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "one"], &["checkout", "-qb", "change"]] {
        git(folder, args);
    }
    let changed = TOOL.replace("params.host", "params.address").replace("The name or address", "The address");
    fs::write(folder.join("manifests/tools/ping.toml"), changed).unwrap();
    git(folder, &["commit", "-qam", "two"]);
    let (status, summary, output) = compare(folder);
    assert_eq!((status, output.as_str()), (Some(0), "status=1\n"), "{summary}");
    assert!(summary.contains("argument-refused") && summary.contains("major"), "{summary}");
    assert!(summary.contains("| `ping` | ") && summary.contains(" → "), "{summary}");
}

#[test]
fn a_pull_request_with_broken_manifests_fails_the_step() {
    let project = project();
    let folder = project.path();
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "one"], &["checkout", "-qb", "change"]] {
        git(folder, args);
    }
    fs::write(folder.join("manifests/tools/ping.toml"), "name = 1").unwrap();
    let (status, _, output) = compare(folder);
    assert_eq!((status, output.as_str()), (Some(2), ""));
}
