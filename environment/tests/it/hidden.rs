//! A folder that is hidden from the programs of this machine.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use toolc_environment::{Environment, HiddenFolder, Kind as _, Launch, LocalKind, Output, Program, Sees, Site};
use toolc_test_support::skip;

use crate::text::Text;

/// Runs a line, and returns what it has printed.
fn run(environment: &dyn Environment, line: &str, sees: Sees) -> String {
    let text = Text::default();
    let mut launch = Launch::new(Program::Shell(line.to_owned()), Output::Merged(Box::new(text.clone())));
    launch.sees = sees;
    environment.start(launch).expect("it starts").wait(&|| false).expect("no error");
    text.get()
}

#[test]
fn programs_see_the_hidden_folder_only_if_their_launch_says_so() {
    if let Err(problem) = HiddenFolder::check_available() {
        return skip(problem.to_string(), "a kernel that allows user namespaces");
    }
    let folder = TempDir::new().expect("failed to make a folder");
    let home = folder.path().join("home");
    fs::create_dir_all(home.join("skills")).expect("failed to make a folder");
    fs::write(home.join("secret"), "x").expect("failed to write");
    let kind = LocalKind::default().hiding(HiddenFolder::new(&home).except("skills"));
    let make = |directory: &Path| {
        kind.make(&Site { directory, host_home: Some(&home), leases: None }).expect("it can be made")
    };
    let environment = make(folder.path());
    assert!(environment.hides() && kind.why_not_hidden(folder.path()).is_none());
    assert_eq!(run(&*environment, "ls home", Sees::Nothing), "skills\n");
    assert_eq!(run(&*environment, "ls home; (ls home) & wait", Sees::Nothing), "skills\nskills\n");
    assert_eq!(run(&*environment, "ls home", Sees::Everything), "secret\nskills\n");

    // A task that begins in the folder could do nothing otherwise.
    let inside = make(&home);
    assert!(!inside.hides());
    assert_eq!(kind.why_not_hidden(&home).as_deref(), Some("the working directory is in it"));
    assert_eq!(run(&*inside, "ls", Sees::Nothing), "secret\nskills\n");
}
