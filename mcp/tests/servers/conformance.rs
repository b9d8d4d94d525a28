//! MCP's conformance suite for clients, in both forms of the protocol. If it cannot be installed, the tests are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use toolc_test_support::packages;

/// The suite.
const NPM: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12\n";
/// The time limit of a scenario in milliseconds. It is only reached if the test fails.
const TIME_LIMIT: &str = "120000";

/// Held while the suite runs.
static TURN: Mutex<()> = Mutex::new(());

/// Returns the program of the client under test, which cargo builds with the tests.
fn client() -> PathBuf {
    let test = std::env::current_exe().expect("this program has a path");
    let target = test.parent().and_then(Path::parent).expect("it is in a folder of the target folder");
    target.join("examples").join("conformance_client")
}

/// Returns the scenarios that a version requires, each with whether it passed.
fn scenarios(requirements: &str) -> Option<Vec<(String, bool)>> {
    let found = packages::node().and_then(|node| Ok((node, packages::npm("mcp-conformance", NPM)?)));
    let (node, suite) = match found {
        Ok((node, folder)) => (node, folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js")),
        Err(why) => {
            packages::missing("no conformance suite", &why);
            return None;
        }
    };
    assert!(client().exists(), "{} is built by `cargo test -p toolc-mcp`", client().display());
    // All scenarios of a version run at once, which is enough.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let results = tempfile::tempdir().expect("failed to make a folder");
    let mut command = Command::new(node);
    command.arg(suite).arg("client").arg("--command").arg(client()).args([
        "--requirements",
        requirements,
        "--timeout",
        TIME_LIMIT,
    ]);
    let output = command.arg("-o").arg(results.path()).output().expect("the suite starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let summary = text.split("=== SUITE SUMMARY ===").nth(1).unwrap_or_else(|| panic!("no summary: {text}"));
    let (_, not_scored) = summary.split_once("Not scored").unwrap_or((summary, ""));
    let is_scored = |name: &str| !not_scored.contains(&format!(" {name} ("));
    let line = |line: &str| {
        let (mark, rest) = line.trim().split_once(' ')?;
        let (name, counts) = rest.split_once(": ")?;
        let is_passed = mark == "✓" && counts.contains(" 0 failed");
        (counts.contains("passed") && is_scored(name)).then(|| (name.to_owned(), is_passed))
    };
    Some(summary.lines().filter_map(line).collect())
}

/// Asserts that all required scenarios of a version pass. The suite runs them all at once: on a busy machine, one can exceed a time limit,
/// so those that fail may pass in a second run.
fn assert_all_pass(requirements: &str, count: usize) {
    let Some(first) = scenarios(requirements) else { return };
    let failed = |scenarios: &[(String, bool)]| -> Vec<String> {
        scenarios.iter().filter(|(_, is_passed)| !is_passed).map(|(name, _)| name.clone()).collect()
    };
    let mut failures = failed(&first);
    if !failures.is_empty() {
        let again = failed(&scenarios(requirements).unwrap_or_default());
        failures.retain(|name| again.contains(name));
    }
    assert_eq!((first.len(), failures), (count, Vec::new()), "{first:?}");
}

#[test]
fn the_client_passes_all_required_scenarios_of_2025_11_25() {
    assert_all_pass("2025-11-25", 18);
}

#[test]
fn the_client_passes_all_required_scenarios_of_2026_07_28() {
    assert_all_pass("2026-07-28", 32);
}

/// The scenarios of the extension for skills. A refused file ends the client with an error, which they allow.
const SKILLS: [&str; 4] = [
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
];

#[test]
fn the_client_passes_the_scenarios_of_skills() {
    let found = packages::node().and_then(|node| Ok((node, packages::npm("mcp-conformance", NPM)?)));
    let (node, suite) = match found {
        Ok((node, folder)) => (node, folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js")),
        Err(why) => return packages::missing("no conformance suite", &why),
    };
    assert!(client().exists(), "{} is built by `cargo test -p toolc-mcp`", client().display());
    for scenario in SKILLS {
        let mut command = Command::new(&node);
        command.arg(&suite).arg("client").arg("--command").arg(client());
        let output = command.args(["--scenario", scenario, "--timeout", TIME_LIMIT, "--verbose"]).output();
        let output = output.expect("the suite starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("SUCCESS") && !text.contains("SKIPPED"), "{scenario}: {text}");
    }
}
