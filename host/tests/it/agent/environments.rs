//! `toolc environments`: what is listed and removed, and a shell.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use crate::agent::{folder, run};
use crate::approval::terminal::InTerminal;

/// Makes a folder that a host with this process id has left, with its lease.
fn leave(folder: &TempDir, process: u32) -> TempDir {
    let left = tempfile::Builder::new().prefix("toolc-test-").tempdir().expect("failed to make a folder");
    let leases = folder.path().join("home/leases");
    fs::create_dir_all(&leases).expect("failed to make a folder");
    let line = format!("folder {}\n", left.path().display());
    fs::write(leases.join(format!("{process}-0123")), line).expect("failed to write");
    left
}

#[test]
fn what_a_host_has_left_is_listed_and_removed() {
    let folder = folder();
    let left = leave(&folder, 4711);
    let name = left.path().display();
    let listed = run(folder.path(), &["environments", "list"], &[]);
    assert_eq!(listed.out, format!("process 4711 (ended)\n    folder {name}\n"), "{}", listed.err);
    let listed = run(folder.path(), &["environments", "list", "--json"], &[]);
    let expected = json!([{
        "process": 4711, "runs": false, "resources": [format!("folder {name}")], "problems": [],
    }]);
    assert_eq!(listed.events(), [expected]);
    assert!(left.path().exists());

    let cleaned = run(folder.path(), &["environments", "clean"], &[]);
    assert_eq!((cleaned.status, cleaned.out), (Some(0), format!("removed: folder {name}\n")), "{}", cleaned.err);
    assert!(!left.path().exists());
    assert_eq!(run(folder.path(), &["environments", "clean"], &[]).out, "nothing to remove\n");
    assert_eq!(run(folder.path(), &["environments", "list"], &[]).out, "no environments\n");
}

#[test]
fn a_lease_that_names_something_else_is_kept_and_reported() {
    let folder = folder();
    let leases = folder.path().join("home/leases");
    fs::create_dir_all(&leases).expect("failed to make a folder");
    fs::write(leases.join("1-1"), "folder /etc\n").expect("failed to write");
    let cleaned = run(folder.path(), &["environments", "clean"], &[]);
    assert_eq!(cleaned.status, Some(1), "{}", cleaned.out);
    assert!(cleaned.err.contains("`folder /etc` is not a resource that this version knows"), "{}", cleaned.err);
    assert!(leases.join("1-1").exists());
    assert!(run(folder.path(), &["environments", "list"], &[]).out.contains("`folder /etc` is not a resource"));
}

#[test]
fn a_shell_is_opened_for_the_person_at_the_terminal() {
    let folder = folder();
    let mut person = InTerminal::start(folder.path(), &["environments", "shell"], "");
    person.press("stty size; pwd; echo $((6 * 7)) > made; exit 3\r");
    let ended = person.end();
    assert_eq!(ended.status.code(), Some(3), "{} {}", ended.shown, ended.out);
    assert!(ended.out.contains("24 80"), "{}", ended.out);
    assert_eq!(fs::read_to_string(folder.path().join("made")).expect("the shell has written it"), "42\n");
}

#[test]
fn a_shell_without_a_terminal_and_inside_a_tool_is_refused() {
    let folder = folder();
    let refused = run(folder.path(), &["environments", "shell"], &[]);
    assert_eq!(refused.status, Some(2));
    assert!(refused.err.contains("a shell needs a terminal"), "{}", refused.err);
    for command in [&["shell"][..], &["clean"], &["put", "x"], &["get", "x"]] {
        let inside = run(folder.path(), &[&["environments"], command].concat(), &[("TOOLC_INSIDE_TOOL", "1")]);
        assert_eq!(inside.status, Some(2));
        assert!(inside.err.contains("this command does not run inside a tool"), "{}", inside.err);
    }
}

#[test]
fn copies_are_refused_where_they_would_be_lost() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
    fs::write(folder.path().join("home/config.toml"), "[environment.container]\nimage = \"x\"\n")
        .expect("failed to write");
    for (kind, why) in
        [("local", "the files of this machine"), ("docker", "deleted when a task ends"), ("modal", "environment.put")]
    {
        let refused = run(folder.path(), &["--environment", kind, "environments", "put", "home"], &[]);
        assert_eq!(refused.status, Some(2));
        assert!(refused.err.contains(why), "{kind}: {}", refused.err);
    }
    fs::write(folder.path().join("home/config.toml"), "[environment]\nput = [\"../x\"]\n").expect("failed to write");
    let refused = run(folder.path(), &["environments", "put", "home"], &[]);
    assert!(
        refused.err.contains("`put` has a path that is not below the directory"),
        "{} {}",
        refused.out,
        refused.err
    );
}
