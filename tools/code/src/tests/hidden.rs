//! Scripts from which a folder is hidden.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use toolc::approval::{CommandApproval, CommandMode};
use toolc_environment::{HiddenFolder, LocalKind};

use super::*;

/// A folder that scripts do not see, except the folder `skills` in it.
fn home() -> Option<TempDir> {
    if let Err(problem) = HiddenFolder::check_available() {
        skip(problem.to_string(), "a kernel that allows user namespaces");
        return None;
    }
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("home/skills")).unwrap();
    fs::write(folder.path().join("home/secret"), "hidden text").unwrap();
    Some(folder)
}

fn session(home: &Path, mode: CommandMode) -> Option<Fixture> {
    let kind = LocalKind::default().hiding(HiddenFolder::new(home.join("home")).except("skills"));
    let commands = CommandApproval::new(toolc_catalog::commands::rules()).mode(mode);
    fixture_in(
        |environments| environments.with_kind(kind),
        Limits::default(),
        |session| session.commands(commands.directory("/")),
    )
}

#[test]
fn a_script_and_its_processes_do_not_see_the_home() {
    let Some(folder) = home() else { return };
    let Some(it) = session(folder.path(), CommandMode::Ask) else { return };
    let home = folder.path().join("home").display().to_string();
    assert_eq!(it.result(&format!("import os; sorted(os.listdir('{home}'))")), "['skills']");
    let [kind, _] = it.error(&format!("open('{home}/secret').read()"));
    assert_eq!(kind, "FileNotFoundError");
    let shell = format!("import subprocess; subprocess.run(['cat', '{home}/secret'], capture_output=True).returncode");
    assert_eq!(it.result(&shell), "1");
    let parent = format!("import os; os.path.exists(f'/proc/{{os.getppid()}}/root{home}/secret')");
    assert_eq!(it.result(&parent), "False");
}

#[test]
fn a_script_asks_if_the_home_cannot_be_hidden_and_the_next_one_does_not_see_it() {
    let Some(folder) = home() else { return };
    let Some(it) = session(folder.path(), CommandMode::Ask) else { return };
    let path = folder.path().join("home");
    let moved = folder.path().join("moved");
    let break_home = || {
        fs::rename(&path, &moved).unwrap();
        symlink("home", &path).unwrap();
    };
    break_home();
    let read = format!("open('{}/secret').read()", moved.display());
    assert_eq!(it.result(&read), "'hidden text'", "the approver allows it");
    fs::remove_file(&path).unwrap();
    fs::rename(&moved, &path).unwrap();
    let value = it.run(&format!("import os; os.listdir('{}')", path.display()));
    assert_eq!(value["result"], "['skills']", "{value}");
    assert!(value["note"].as_str().unwrap().contains("saw the home folder of toolc"), "{value}");

    for mode in [CommandMode::Deny, CommandMode::Off] {
        let Some(it) = session(folder.path(), mode) else { return };
        break_home();
        let [_, text] = it.failure(&json!({ "code": "open('made', 'w')" }));
        fs::remove_file(&path).unwrap();
        fs::rename(&moved, &path).unwrap();
        assert!(text.contains("hidden") || text.contains("approval"), "{text}");
        assert!(!it.path().join("made").exists());
    }
}
