//! Everyday commands do the same with a hidden folder as without one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use toolc_process::Process;

use crate::{Scene, Text, is_available};

/// The lines. Each runs in a new folder with the files of [`prepare`].
const LINES: &str = include_str!("everyday.txt");

/// What one line did: its status, its output, and the files that it left.
type Done = (Option<i32>, String, String);

fn prepare(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("failed to write");
    fs::create_dir_all(folder.join("src/deep")).expect("failed to make a folder");
    write("a.txt", "one\ntwo\nthree\n");
    write("b.txt", "two\nthree\nfour\n");
    write("data.csv", "name,size\nx,3\ny,1\nz,2\n");
    write("data.json", "{\"name\": \"x\", \"sizes\": [1, 2, 3]}\n");
    write("src/lib.c", "int add(int a, int b) { return a + b; }\n");
    write(
        "src/main.c",
        "#include <stdio.h>\nint add(int, int);\nint main(void) { printf(\"%d\\n\", add(1, 2)); return 0; }\n",
    );
    write("src/deep/note.md", "# Note\n\nTODO: write\n");
    write("Makefile", "all: out\nout: a.txt\n\tcp a.txt out\nclean:\n\trm -f out\n");
    write("x.py", "import os, sys\nprint(len(sys.argv), os.path.basename(os.getcwd()))\n");
    write("run.sh", "#!/bin/sh\necho \"ran $1\"\nexit 3\n");
    fs::set_permissions(folder.join("run.sh"), fs::Permissions::from_mode(0o755)).expect("failed to change the mode");
}

/// Runs a line, in a folder that has the same path both times.
fn run(scene: &Scene, line: &str, is_hidden: bool) -> Done {
    let parent = TempDir::new().expect("failed to make a folder");
    let folder = parent.path().join("work");
    fs::create_dir(&folder).expect("failed to make a folder");
    prepare(&folder);
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .current_dir(&folder)
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .env("PARENT", parent.path());
        command.env("GIT_CONFIG_COUNT", "2").env("GIT_CONFIG_KEY_0", "user.name").env("GIT_CONFIG_VALUE_0", "me");
        command.env("GIT_CONFIG_KEY_1", "user.email").env("GIT_CONFIG_VALUE_1", "me@localhost");
        command
    };
    let mut process = Process::new(shell(line));
    if is_hidden {
        process.hide(&scene.hidden()).expect("the folder can be hidden");
    }
    let output = process.output(Text::default()).expect("a pipe");
    let outcome = process.run(None, || false).expect("it starts");
    let text = String::from_utf8_lossy(&output.take().0).replace(&*parent.path().to_string_lossy(), "PARENT");
    let left = shell("find . -path ./.git -prune -o -printf '%P %y %m\\n' | sort").output().expect("it starts");
    (outcome.status.code(), text, String::from_utf8_lossy(&left.stdout).into_owned())
}

/// Compares every nth line.
fn compare(step: usize) {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    let lines: Vec<&str> = LINES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(lines.len() >= 300, "{}", lines.len());
    let mut differences = Vec::new();
    let mut missing = 0;
    for line in lines.iter().step_by(step) {
        let (free, hidden) = (run(&scene, line, false), run(&scene, line, true));
        missing += usize::from(free.0 == Some(127));
        if free != hidden {
            differences.push(format!("{line}\n  without: {free:?}\n  with: {hidden:?}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(missing * 4 < lines.len() / step, "{missing} programs are missing");
}

#[test]
fn some_everyday_commands_do_the_same_with_a_hidden_folder() {
    compare(10);
}

#[test]
#[ignore = "slow: all commands, twice"]
fn everyday_commands_do_the_same_with_a_hidden_folder() {
    compare(1);
}
