//! Runs the program as cargo does, in a project that is not part of this workspace.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{TOOL, project, run};

#[test]
fn lint_and_gen_run_as_cargo_subcommands() {
    let project = project();
    let (status, out, err) = run(project.path(), &["toolc", "lint"]);
    assert_eq!(status, Some(0), "{out}{err}");
    let (status, out, err) = run(project.path(), &["toolc", "gen"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(project.path().join("generated/rust/net.rs").is_file());
    assert_eq!(run(project.path(), &["toolc", "gen", "--check"]).0, Some(0));
}

#[test]
fn the_project_is_found_from_a_subfolder() {
    let project = project();
    let (status, out, _) = run(&project.path().join("manifests/tools"), &["toolc", "list"]);
    assert_eq!((status, &*out), (Some(0), "ping  net  Check whether a host answers\n"));
}

#[test]
fn the_subcommand_name_toolc_is_optional() {
    let project = project();
    assert_eq!(run(project.path(), &["list"]), run(project.path(), &["toolc", "list"]));
}

#[test]
fn a_mistake_in_a_manifest_exits_with_status_1() {
    let project = project();
    fs::write(project.path().join("manifests/tools/ping.toml"), TOOL.replace("description", "descripton")).unwrap();
    let (status, out, err) = run(project.path(), &["toolc", "lint"]);
    assert_eq!(status, Some(1), "{out}{err}");
    assert!((out + &err).contains("unknown key `descripton`"));
}

#[test]
fn help_names_the_cargo_subcommand() {
    let (status, out, _) = run(Path::new("."), &["toolc", "--help"]);
    assert_eq!(status, Some(0));
    assert!(out.contains("Usage: cargo toolc "), "{out}");
}

#[test]
fn without_cargo_help_and_advice_name_the_program() {
    let project = project();
    fs::write(project.path().join("manifests/tools/ping.toml"), TOOL.replace("description", "descripton")).unwrap();
    let run = |args: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_cargo-toolc"));
        let output = program.args(args).env_remove("CARGO").current_dir(project.path()).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let help = run(&["--help"]);
    assert!(help.contains("Usage: cargo-toolc "), "{help}");
    let list = run(&["list"]);
    assert!(list.contains("run `cargo-toolc lint`"), "{list}");
}
