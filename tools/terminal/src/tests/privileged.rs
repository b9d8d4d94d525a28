//! Programs that need more than others have, with a hidden folder: each in a line of its own, as root and as an ordinary user.

use std::env;
use std::process::Command;

use toolc_environment::{HiddenFolder, LocalKind};
use toolc_test_support::skip;
use toolc_workspace::Environments;

use super::*;

/// Set while the test runs as an ordinary user, because root has started it so.
const AS_USER: &str = "TOOLC_TEST_AS_USER";
/// The id of this user and its group.
const USER: u32 = 65534;

/// A program, the package that has it, a line, texts of which the output must have one, and texts that it must not have: a program prints
/// them if it has no rights or cannot read its files.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "sudo",
        "sudo",
        "sudo -n id -u",
        &["0\n", "password is required", "not allowed", "sudoers"],
        &["effective uid", "nosuid", "must be owned by uid 0", "no new privileges"],
    ),
    ("crontab", "cron", "crontab -l", &["no crontab for", "\n"], &["ermission denied", "privileged", "not permitted"]),
    ("ping", "iputils-ping", "ping -c 1 -W 5 127.0.0.1 | tail -2", &["1 received"], &["not permitted"]),
    ("su", "util-linux", "su --version", &["su from util-linux"], &[]),
    ("mount", "mount", "mount | wc -l", &["\n"], &["denied"]),
    // It warns about a user without further ids.
    ("podman", "podman", "podman info --format '{{.Host.OS}}'", &["linux"], &["denied", "not permitted"]),
    (
        "ssh",
        "openssh-client",
        "ssh -F /etc/ssh/ssh_config -o BatchMode=yes -p 1 127.0.0.1 true",
        &["Connection refused"],
        &["Bad owner", "ermission denied"],
    ),
    ("git", "git", "git ls-remote repository | wc -l", &["2\n"], &["fatal", "dubious"]),
];

#[test]
fn programs_that_need_rights_or_places_work_in_lines_of_their_own() {
    if let Err(problem) = HiddenFolder::check_available() {
        return skip(problem.to_string(), "a kernel that allows user namespaces");
    }
    let f = fixture();
    let home = f.dir.path().join("home");
    fs::create_dir_all(home.join("skills")).unwrap();
    let prepared = f.output(
        "git init -q repository && git -C repository -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; echo \"$?\"",
    );
    let workspace = Workspace::new(f.dir.path());
    let hidden = HiddenFolder::new(&home).and(f.dir.path().join("place"));
    let handlers = TerminalHandlers::new(workspace.clone())
        .environments(Environments::local(&workspace).with_kind(LocalKind::default().hiding(hidden)));
    let user = if rustix::process::geteuid().is_root() { "root" } else { "an ordinary user" };
    for (program, package, line, expected, refused) in CASES {
        if f.run(&format!("command -v {program}"))["exit_code"] != 0 || (*program == "git" && prepared != "0\n") {
            skip(format!("`{program}` is not installed"), format!("the Debian package `{package}`"));
            continue;
        }
        let result = value(handlers.terminal(args(line), &f.call()));
        let output = result["output"].as_str().unwrap();
        assert!(expected.iter().any(|text| output.contains(text)), "{line}, {user}: {result}");
        assert!(!refused.iter().any(|text| output.contains(text)), "{line}, {user}: {result}");
        assert!(result["note"].as_str().is_none_or(|note| !note.contains("rights")), "{line}, {user}: {result}");
    }
}

/// Runs the test above again as an ordinary user, if root runs it.
#[test]
fn programs_that_need_rights_or_places_work_for_an_ordinary_user() {
    if !rustix::process::geteuid().is_root() || env::var_os(AS_USER).is_some() {
        return;
    }
    let folder = TempDir::new().unwrap();
    std::os::unix::fs::chown(folder.path(), Some(USER), Some(USER)).unwrap();
    let exe = folder.path().join("tests");
    // By another process: one that is forked by another thread meanwhile would hold the copy open for writing, so that it could not run.
    assert!(Command::new("cp").arg(env::current_exe().unwrap()).arg(&exe).status().unwrap().success());
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={USER}"), format!("--regid={USER}"), "--clear-groups".to_owned()]).arg(&exe);
    command.args(["--exact", "tests::privileged::programs_that_need_rights_or_places_work_in_lines_of_their_own"]);
    command.env(AS_USER, "all").env("TMPDIR", folder.path()).env("HOME", folder.path()).current_dir(folder.path());
    match command.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && text.contains("1 passed"), "{text}");
        }
        Err(error) => skip(format!("`setpriv` cannot be started: {error}"), "the Debian package `util-linux`"),
    }
}
