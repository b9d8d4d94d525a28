//! The messages of rustc for handlers that do not match the catalog.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn rustc_reports_mistakes_in_handlers() {
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}

#[test]
fn a_missing_handler_is_reported_as_one_error() {
    let stderr = include_str!("../cases/missing_handler.stderr");
    assert_eq!(stderr.matches("error").count(), 1, "{stderr}");
    assert!(stderr.starts_with("error[E0046]: not all trait items implemented, missing: `run_now`\n"), "{stderr}");
}

/// Not a case of trybuild, because the message contains source of the standard library if that is installed.
#[test]
fn a_stale_stamp_fails_to_compile_and_names_the_command_to_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let runtime = root.join("runtime").canonicalize().expect("the runtime is there");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("failed to make a folder");
    let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).expect("failed to write");
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"stale\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[dependencies]\ntoolc.path = {runtime:?}\n[workspace]\n"
        ),
    );
    // The locked versions are available offline.
    fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("failed to copy");
    let check = |stamp: u32| {
        write("lib.rs", &format!("const _: () = toolc::__gen::assert_stamp({stamp});\n"));
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["check", "--quiet", "--offline", "--color=never"]).current_dir(folder.path());
        cargo.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("stale"));
        let output = cargo.output().expect("failed to start cargo");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(check(toolc::__gen::STAMP), (true, String::new()));

    let (passed, stderr) = check(toolc::__gen::STAMP + 1);
    assert!(!passed, "{stderr}");
    let message = "this generated code does not fit the linked `toolc` crate: run `cargo xtask gen`\n";
    assert!(
        stderr.starts_with("error[E0080]: ")
            && stderr.split_inclusive('\n').next().is_some_and(|line| line.ends_with(message)),
        "{stderr}"
    );
    assert_eq!(stderr.matches("error[").count(), 1, "{stderr}");
}
