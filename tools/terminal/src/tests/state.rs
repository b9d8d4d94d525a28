//! The directory and the variables that last from one command to the next.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use toolc_environment::{
    Abilities, Environment, Files, Kind, Launch, Local, Program, Promises, Running, ShellCache, ShellFiles, Site,
};
use toolc_workspace::Environments;

use super::*;

#[test]
fn the_directory_lasts_and_is_reported_when_it_changes() {
    let f = fixture();
    fs::create_dir_all(f.path().join("a b/c")).unwrap();
    let moved = f.run("cd 'a b'");
    assert_eq!(moved["directory"], f.path().join("a b").to_str().unwrap());
    let again = f.run("pwd; cd .");
    assert_eq!(again["output"], format!("{}/a b\n", f.path().display()));
    assert_eq!(again.get("directory"), None);
    assert_eq!(f.run("cd c && exit 3")["directory"], f.path().join("a b/c").to_str().unwrap(), "also with exit");
    assert_eq!(f.run("cd ../.. || exit")["directory"], f.path().to_str().unwrap());
    assert_eq!(f.run("(cd /usr)").get("directory"), None, "in a subshell");
    // A link is resolved, so that the judge sees the real directory.
    std::os::unix::fs::symlink("/usr", f.path().join("link")).unwrap();
    assert_eq!(f.run("cd link")["directory"], "/usr");
}

#[test]
fn exported_variables_last() {
    let f = fixture();
    f.run("export A='a b\n$c' B=1 C=; d=not; unset HOSTNAME LANG");
    assert_eq!(f.output("printf '%s|' \"$A\" \"$B\" \"${C-unset}\" \"${d-unset}\""), "a b\n$c|1||unset|");
    f.run("unset A; export B=2; exit 1");
    assert_eq!(f.output("printf '%s|' \"${A-unset}\" \"$B\""), "unset|2|");
    f.run("cd /usr");
    assert_eq!(f.output("printf '%s|' \"$B\"; pwd"), "2|/usr\n");
}

#[test]
fn a_removed_variable_stays_removed() {
    let f = fixture();
    // Cargo sets it for tests.
    assert_eq!(f.output("echo ${CARGO_PKG_NAME-unset}"), "toolc-terminal\n");
    f.run("unset CARGO_PKG_NAME");
    assert_eq!(f.output("echo ${CARGO_PKG_NAME-unset}"), "unset\n");
    f.run("export CARGO_PKG_NAME=again");
    assert_eq!(f.output("echo ${CARGO_PKG_NAME-unset}"), "again\n");
}

#[test]
fn variables_that_load_code_and_credentials_do_not_last() {
    let f = fixture();
    f.run("export PATH=/nowhere:$PATH LD_PRELOADX=1 LD_LIBRARY_PATH=/x ENV=/x BASH_ENV=/x IFS=x GIT_SSH=x PYTHONPATH=/x NODE_OPTIONS=x");
    f.run("export MY_TOKEN=t DB=postgres://u:p@h/d HOME=/x TOOLC_HOME=/x EDITOR=x");
    let output = f.output("env");
    for gone in [
        "/nowhere",
        "LD_PRELOADX",
        "LD_LIBRARY_PATH=/x",
        "
ENV=/x",
        "BASH_ENV=/x",
        "GIT_SSH=",
        "PYTHONPATH=/x",
        "NODE_OPTIONS=x",
        "MY_TOKEN",
        "postgres",
        "HOME=/x",
        "EDITOR=x",
    ] {
        assert!(!output.contains(gone), "{gone}: {output}");
    }
}

#[test]
fn a_shell_that_ends_early_leaves_the_state_as_it_was() {
    let f = fixture();
    f.run("cd /usr; export A=1");
    for command in [
        "cd /etc; exec true",
        "cd /etc; kill -9 $$",
        "cd /etc; trap - EXIT",
        "cd /missing",
        "cd /etc && (",
        "cd /etc; trap 'echo own' EXIT",
        "cd /etc; exec 1>&- 2>&-; kill -9 $$",
    ] {
        let ran = f.run(command);
        assert_eq!(ran.get("directory"), None, "{command}: {ran}");
        assert_eq!(f.output("echo $A; pwd"), "1\n/usr\n", "{command}");
    }
    let timed_out = value(f.terminal(terminal::Args { timeout: Some(1), ..args("cd /etc; sleep 60") }));
    assert_eq!(timed_out["timed_out"], true);
    // Some shells record their state when they get SIGTERM.
    let after = f.output("echo $A; pwd");
    assert!(["1\n/usr\n", "1\n/etc\n"].contains(&&*after), "{after}");
}

#[test]
fn what_a_line_does_to_its_shell_cannot_break_the_state() {
    let f = fixture();
    for command in [
        "set -e; cd /usr; false",
        "set -eu; cd /usr; echo $undefined_variable",
        "cd /usr; pwd() { echo /etc; }; printf() { :; }; env() { echo A=1; }",
        "cd /usr; alias pwd='echo /etc'",
        "cd /usr; PATH=/nowhere",
        "cd /usr; set -C",
        "cd /usr; umask 777",
        "cd /usr; exec 3>&1 >&-",
        "cd /usr; return 3 2> /dev/null; exit 4",
    ] {
        f.run("cd /");
        assert_eq!(f.run(command)["directory"], "/usr", "{command}");
    }
    let traced = f.run("set -x; cd /");
    assert_eq!((&traced["directory"], &traced["output"]), (&json!("/"), &json!("+ cd /\n")));
    let failed = f.run("echo; )");
    assert!(!failed["output"].as_str().unwrap().contains('2'), "not the second line: {failed}");
    assert_eq!(f.run("exit 3")["exit_code"], 3);
    assert_eq!(f.run("sh -c 'exit 4'")["exit_code"], 4);
    let shell = f.run("echo $0 $# ${1-none}");
    let name = shell["shell"].as_str().unwrap_or("bash");
    assert_eq!(shell["output"], format!("{name} 0 none\n"));
}

#[test]
fn too_many_variables_are_noted_and_not_kept() {
    let f = fixture();
    f.run("export KEPT=1");
    let ran = f.run("cd /usr; export KEPT=2; i=0; while [ $i -lt 300 ]; do export V$i=x; i=$((i + 1)); done");
    assert!(ran["note"].as_str().unwrap().contains("not kept"), "{ran}");
    assert_eq!(f.output("echo $KEPT ${V1-unset}; pwd"), "1 unset\n/usr\n");
}

#[test]
fn a_directory_that_is_gone_is_replaced_by_the_default() {
    let f = fixture();
    fs::create_dir(f.path().join("sub")).unwrap();
    f.run("cd sub; export A=1");
    fs::remove_dir(f.path().join("sub")).unwrap();
    let ran = f.run("pwd; echo $A");
    assert_eq!(ran["output"], format!("{}\n1\n", f.path().display()));
    assert!(ran["note"].as_str().unwrap().contains("no longer exists: the command ran in"), "{ran}");
    assert_eq!(f.run("pwd").get("note"), None);
}

#[test]
fn workdir_is_for_one_call() {
    let f = fixture();
    fs::create_dir_all(f.path().join("sub/x")).unwrap();
    let in_sub = |command: &str| value(f.terminal(terminal::Args { workdir: Some("sub".into()), ..args(command) }));
    assert_eq!(in_sub("pwd")["output"], format!("{}/sub\n", f.path().display()));
    assert_eq!(in_sub("cd x").get("directory"), None);
    assert_eq!(f.output("pwd"), format!("{}\n", f.path().display()));
    f.run("cd sub");
    let relative = value(f.terminal(terminal::Args { workdir: Some("x".into()), ..args("pwd") }));
    assert_eq!(relative["output"], format!("{}/sub/x\n", f.path().display()), "relative to the working directory");
}

#[test]
fn each_task_has_its_own_state_and_the_host_sets_where_it_begins() {
    let f = fixture();
    f.run("cd /usr; export A=1");
    let other = Caller::new();
    let run = |command: &str| value(f.handlers.terminal(args(command), &other.call("terminal")))["output"].clone();
    assert_eq!(run("pwd; echo ${A-unset}"), format!("{}\nunset\n", f.path().display()));
    let begun = Caller::new();
    begun.task().set_directory("/etc");
    let ran = value(f.handlers.terminal(args("pwd"), &begun.call("terminal")));
    assert_eq!((&ran["output"], ran.get("directory")), (&json!("/etc\n"), None));
}

#[test]
fn commands_in_the_background_start_with_the_state() {
    let f = fixture();
    f.run("cd /usr; export A=1");
    let id = f.start("pwd; echo $A; cd /etc; export A=2", |_| {});
    assert_eq!(f.wait_for(&id, "1\n"), "/usr\n1\n");
    assert_eq!(f.output("pwd; echo $A"), "/usr\n1\n", "and do not change it");
}

#[test]
fn the_file_with_the_state_is_private_and_removed() {
    let f = fixture();
    let listed =
        f.output("trap > traps; path=$(grep -o \"[^ ']*toolc-shell-[A-Za-z0-9]*\" traps | head -n 1); ls -l \"$path\"");
    assert!(listed.starts_with("-rw-------"), "{listed}");
    let path = listed.split_whitespace().last().unwrap();
    assert!(path.contains("/toolc-shell-") && !std::path::Path::new(path).exists(), "{path}");
}

/// An environment that shares no folder with this machine, as far as the tool knows, and has no bash.
#[derive(Debug)]
struct Elsewhere(Local, ShellCache);

#[derive(Debug)]
struct ElsewhereKind;

impl Kind for ElsewhereKind {
    fn name(&self) -> &'static str {
        "elsewhere"
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn make(&self, site: &Site<'_>) -> std::io::Result<Arc<dyn Environment>> {
        Ok(Arc::new(Elsewhere(Local::new(site.directory), ShellCache::default())))
    }
}

impl Environment for Elsewhere {
    fn name(&self) -> &'static str {
        "elsewhere"
    }

    fn abilities(&self) -> Abilities {
        self.0.abilities()
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn directory(&self) -> &Path {
        self.0.directory()
    }

    fn variables(&self) -> std::io::Result<Vec<(OsString, OsString)>> {
        self.0.variables()
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        None
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(ShellFiles::new(self, &self.1))
    }

    fn start(&self, mut launch: Launch) -> std::io::Result<Box<dyn Running>> {
        if let Program::Shell(line) = launch.program {
            launch.program = Program::Command("sh".into(), vec!["-c".into(), line.into()]);
        }
        launch.variables.push(("TMPDIR".into(), Some(self.0.directory().join("temporary").into())));
        self.0.start(launch)
    }

    fn end_released(&self) {
        self.0.end_released();
    }

    fn clean_up(&self) {
        self.0.clean_up();
    }
}

#[test]
fn the_state_lasts_also_in_an_environment_that_shares_no_folder() {
    let dir = TempDir::new().unwrap();
    let workspace = Workspace::new(dir.path());
    let environments = Environments::local(&workspace).with_kind(ElsewhereKind).by_default("elsewhere");
    let mut handlers = TerminalHandlers::new(workspace).environments(environments);
    // The disk of this machine does not matter there.
    handlers.disk_space = |_| panic!("it is asked for the disk of this machine");
    let f = Fixture { handlers, dir, caller: Caller::new() };
    let temporary = f.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let shell = f.run("echo $0");
    assert_eq!((&shell["output"], &shell["shell"]), (&json!("sh\n"), &json!("sh")));
    fs::create_dir(f.path().join("a b")).unwrap();
    let moved = f.run("umask 022; cd 'a b' && export A=1; exit 3");
    assert_eq!((&moved["exit_code"], moved["directory"].as_str()), (&json!(3), f.path().join("a b").to_str()));
    assert_eq!(f.output("pwd; echo $A; umask"), format!("{}/a b\n1\n0022\n", f.path().display()));
    f.run("cd ..; kill -9 $$");
    assert_eq!(f.output("pwd"), format!("{}/a b\n", f.path().display()));
    assert_eq!(fs::read_dir(temporary).unwrap().count(), 0, "no file is left");
}
