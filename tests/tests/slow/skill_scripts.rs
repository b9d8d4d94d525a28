//! The scripts of the skills that ship with the program. Their tests are in Python, in `tests/skills`, and need its standard library only.

use std::process::Command;

use toolc_test_support::programs::has;

use crate::python::in_tests;

#[test]
fn the_scripts_of_the_shipped_skills_pass_their_tests() {
    if !has("python3") {
        return;
    }
    let mut command = Command::new("python3");
    command.args(["-X", "utf8", "-m", "unittest", "discover", "--start-directory"]).arg(in_tests("skills"));
    let output = command.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("Python starts");
    // The summary is on standard error.
    let summary = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = summary.split("\nRan ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    assert!(output.status.success() && count.is_some_and(|count| count > 0), "{summary}");
}
