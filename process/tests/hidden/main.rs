//! Folders that programs do not see.
#![cfg(target_os = "linux")]

#[cfg(target_arch = "x86_64")]
mod attempts;
mod everyday;
mod places;

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolc_process::{HiddenFolder, Outcome, Process, Sink};
use toolc_test_support::skip;

/// Set while tests run as an ordinary user, because root has started them so.
const AS_USER: &str = "TOOLC_TEST_AS_USER";
/// The id of this user and its group.
const USER: u32 = 65534;

/// A folder with files, and a program that does not see it.
struct Scene {
    /// The folder of the scene.
    folder: TempDir,
    home: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let folder = TempDir::new().expect("failed to make a folder");
        let home = folder.path().join("home");
        fs::create_dir_all(home.join("skills/one")).expect("failed to make a folder");
        fs::create_dir_all(home.join("cache/results")).expect("failed to make a folder");
        fs::write(home.join("secret"), "hidden text").expect("failed to write");
        fs::write(home.join("skills/one/SKILL.md"), "a skill").expect("failed to write");
        Self { folder, home }
    }

    fn hidden(&self) -> HiddenFolder {
        HiddenFolder::new(&self.home).except("skills").except("cache/results").except("missing")
    }

    fn run(&self, line: &str) -> (Outcome, String) {
        run(&self.hidden(), self.folder.path(), line)
    }

    fn output(&self, line: &str) -> String {
        self.run(line).1
    }
}

#[derive(Debug, Default)]
struct Text(Vec<u8>);

impl Sink for Text {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.extend(bytes);
        true
    }
}

/// Runs a command line in a folder, and returns what it has printed.
fn run(hidden: &HiddenFolder, directory: &Path, line: &str) -> (Outcome, String) {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(directory).env("LC_ALL", "C");
    let mut process = Process::new(command);
    process.hide(hidden).expect("the folder can be hidden");
    let output = process.output(Text::default()).expect("a pipe");
    let outcome = process.run(None, || false).expect("it starts");
    (outcome, String::from_utf8_lossy(&output.take().0).into_owned())
}

/// Returns whether this system allows namespaces. If not, says that the test is skipped.
fn is_available() -> bool {
    let problem = HiddenFolder::check_available().err();
    if let Some(problem) = &problem {
        skip(problem.to_string(), "a kernel that allows user namespaces");
    }
    problem.is_none()
}

#[test]
fn a_hidden_folder_is_an_empty_folder_that_cannot_be_changed() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    assert_eq!(scene.output("ls -A home"), "cache\nskills\n");
    assert!(scene.output("cat home/secret").contains("No such file"));
    assert_eq!(scene.output("pwd -P; echo x > new; cat new").lines().last(), Some("x"));
    assert!(scene.output("echo x > home/new").contains("Read-only"));
    assert!(scene.output("mkdir home/profiles; mv home elsewhere; rmdir home").matches('\n').count() >= 3);
    assert_eq!(fs::read_to_string(scene.home.join("secret")).expect("it is still there"), "hidden text");
}

#[test]
fn exceptions_are_read_only_unless_they_are_writable() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    assert_eq!(scene.output("cat home/skills/one/SKILL.md"), "a skill");
    for line in ["echo x > home/skills/one/SKILL.md", "rm -r home/skills/one", "touch home/cache/results/x"] {
        assert!(scene.output(line).contains("Read-only"), "{line}");
    }
    let hidden = scene.hidden().except_writable("plugins/own");
    fs::create_dir_all(scene.home.join("plugins/own")).expect("failed to make a folder");
    fs::create_dir_all(scene.home.join("plugins/other")).expect("failed to make a folder");
    let (outcome, text) = run(&hidden, scene.folder.path(), "ls home/plugins; echo x > home/plugins/own/kept");
    assert!(outcome.status.success());
    assert_eq!(text, "own\n");
    assert_eq!(fs::read_to_string(scene.home.join("plugins/own/kept")).expect("it was written"), "x\n");
}

#[test]
fn a_folder_that_is_made_or_replaced_later_is_hidden() {
    if !is_available() {
        return;
    }
    let folder = TempDir::new().expect("failed to make a folder");
    let home = folder.path().join("later/home");
    let hidden = HiddenFolder::new(&home).except("skills");
    let list = || run(&hidden, folder.path(), "ls -A later/home").1;
    assert_eq!(list(), "");
    fs::write(home.join("secret"), "x").expect("the folder was made");
    assert_eq!(list(), "");
    fs::create_dir(home.join("skills")).expect("failed to make a folder");
    assert_eq!(list(), "skills\n");
    fs::rename(&home, folder.path().join("old")).expect("failed to rename");
    fs::create_dir(&home).expect("failed to make a folder");
    fs::write(home.join("secret"), "x").expect("failed to write");
    assert_eq!(list(), "");
}

#[test]
fn links_lead_to_the_hidden_folder_and_not_around_it() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    std::os::unix::fs::symlink(&scene.home, scene.folder.path().join("link")).expect("failed to link");
    assert_eq!(scene.output("ls -A link/"), "cache\nskills\n");
    let by_link = HiddenFolder::new(scene.folder.path().join("link")).except("skills");
    assert_eq!(run(&by_link, scene.folder.path(), "ls -A home link/").1, "home:\nskills\n\nlink/:\nskills\n");
}

#[test]
fn the_working_directory_is_the_same_folder() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    let inside = scene.folder.path().join("a folder/ä");
    fs::create_dir_all(&inside).expect("failed to make a folder");
    let (_, text) = run(&scene.hidden(), &inside, "stat -c %i . \"$PWD\"; cd ../..; ls -A home");
    let inode = fs::metadata(&inside).expect("it exists").ino();
    assert_eq!(text, format!("{inode}\n{inode}\ncache\nskills\n"));
    let mut process = Process::new({
        let mut command = Command::new("true");
        command.current_dir(&scene.home);
        command
    });
    process.hide(&scene.hidden()).expect("it can be hidden");
    process.run(None, || false).expect_err("the working directory is hidden");
}

#[test]
fn programs_behave_as_without_a_namespace() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    let (outcome, text) = scene.run("id -u; echo $HOME; kill -0 $PPID && echo parent; exit 7");
    assert_eq!(outcome.status.code(), Some(7));
    let home = env::var("HOME").unwrap_or_default();
    assert_eq!(text, format!("{}\n{home}\nparent\n", rustix::process::geteuid().as_raw()));
    let background = scene.output("sleep 60 > /dev/null 2>&1 & readlink /proc/$!/cwd; kill $!");
    assert_eq!(Path::new(background.trim()), scene.folder.path().canonicalize().expect("it exists"));
}

/// Runs the tests of this file again as an ordinary user, if root runs them.
#[test]
fn the_tests_pass_for_an_ordinary_user() {
    run_as_user(&[], "all", &["--test-threads=4"]);
}

#[test]
fn a_system_that_allows_no_user_namespaces_is_reported() {
    if env::var_os(AS_USER).is_some_and(|tests| tests == "forbidden") {
        let scene = Scene::new();
        let failed = [
            HiddenFolder::check_available().expect_err("it is forbidden"),
            Process::new(Command::new("true")).hide(&scene.hidden()).expect_err("it is forbidden"),
        ];
        for error in failed {
            assert_eq!(error.kind(), io::ErrorKind::Unsupported);
            assert!(error.to_string().contains("`user.max_user_namespaces`"), "{error}");
        }
        return;
    }
    // The setting holds for the user namespace in which it is made, and for those in it.
    let forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let wrapper = ["unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c", forbid, "sh"];
    run_as_user(&wrapper, "forbidden", &["--exact", "a_system_that_allows_no_user_namespaces_is_reported"]);
}

/// Runs tests of this file again as an ordinary user, if root runs them. A wrapper starts the command line after its own words.
fn run_as_user(wrapper: &[&str], tests: &str, arguments: &[&str]) {
    if !rustix::process::geteuid().is_root() || env::var_os(AS_USER).is_some() {
        return;
    }
    let folder = TempDir::new().expect("failed to make a folder");
    std::os::unix::fs::chown(folder.path(), Some(USER), Some(USER)).expect("root can change the owner");
    let exe = folder.path().join("tests");
    // By another process: one that is forked by another thread meanwhile would hold the copy open for writing, so that it could not run.
    let copied = Command::new("cp").arg(env::current_exe().expect("the test has a file")).arg(&exe).status();
    assert!(copied.expect("`cp` starts").success());
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={USER}"), format!("--regid={USER}"), "--clear-groups".to_owned()]);
    command.args(wrapper).arg(&exe).args(arguments);
    command.env(AS_USER, tests).env("TMPDIR", folder.path()).env("HOME", folder.path()).current_dir(folder.path());
    match command.output() {
        Ok(output) => assert!(
            output.status.success(),
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => skip(format!("`setpriv` cannot be started: {error}"), "the Debian package `util-linux`"),
    }
}
