//! The vendors' Python SDKs accept every definition that gen writes for the golden project and the shipped catalog, the messages
//! that the wire tests use, and what the runtime sends back.

use crate::python::{in_tests, run_script};

/// Runs a script in `sdks/`, which prints and returns how many definitions or messages were refused.
fn check(script: &str, arguments: &[&str]) {
    let paths = arguments.iter().map(|path| in_tests(path));
    match run_script(script, |command| command.args(paths)) {
        None => {}
        Some(Ok(out)) => assert!(out.ends_with(", 0 refused"), "{out}"),
        Some(Err(refused)) => panic!("{refused}"),
    }
}

#[test]
fn vendor_sdks_accept_every_definition() {
    check("check.py", &["../generated/schemas", "projects/golden/generated/schemas"]);
}

#[test]
fn vendor_sdks_accept_every_message() {
    check("wire.py", &["wire"]);
}
