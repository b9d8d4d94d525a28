//! Git settings and hooks of a project: nothing of them runs before the user trusts them, and the rest of git works.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolc_test_support::programs::has;

use super::{Run, folder, run_with, set_mode};

/// Settings whose value is a program.
const PROGRAMS: &[&str] = &[
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "credential.http://127.0.0.1:1.helper",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.process",
    "filter.evil.smudge",
    "gpg.program",
    "gpg.ssh.program",
    "interactive.diffFilter",
    "merge.evil.driver",
    "pager.log",
    "sequence.editor",
    "tar.evil.command",
    "trailer.evil.cmd",
];

/// A repository whose settings run a program wherever git can: it creates the file `ran`.
struct Hostile {
    folder: TempDir,
    program: PathBuf,
}

impl Hostile {
    /// Returns the repository, or `None` without git, which is said.
    fn new() -> Option<Self> {
        if !has("git") {
            return None;
        }
        let folder = folder();
        let program = folder.path().join("evil");
        let text = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", folder.path().join("ran").display());
        fs::write(&program, text).expect("failed to write");
        set_mode(&program, 0o755);
        let hostile = Self { folder, program };
        hostile.commit("project");
        let evil = hostile.program.display().to_string();
        for key in PROGRAMS {
            hostile.git("project", &["config", key, &evil]);
        }
        for (key, value) in [
            ("filter.evil.required", "true"),
            ("core.hooksPath", ".git/hooks"),
            ("protocol.ext.allow", "always"),
            ("remote.ext.url", &*format!("ext::{evil} a")),
            ("remote.ssh.url", "ssh://127.0.0.1:1/x"),
            ("alias.evil", &*format!("!{evil}")),
            ("alias.st", "-c core.fsmonitor=true status"),
        ] {
            hostile.git("project", &["config", key, value]);
        }
        hostile.hooks("project");
        // A repository in another one, as plain files, which git finds in a folder of this name.
        hostile.commit("project/sub");
        hostile.git("project/sub", &["config", "core.fsmonitor", &evil]);
        hostile.hooks("project/sub");
        hostile.git("project", &["init", "-q", "--bare", "bare"]);
        hostile.git("project/bare", &["config", "core.fsmonitor", &evil]);
        hostile.git("project/bare", &["config", "core.bare", "false"]);
        hostile.git("project/bare", &["config", "core.worktree", ".."]);
        fs::write(hostile.path("project/a.evil"), "two\n").expect("failed to write");
        assert!(!hostile.has_run(), "{}", hostile.ran());
        Some(hostile)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Makes a repository with a commit.
    fn commit(&self, path: &str) {
        fs::create_dir_all(self.path(path)).expect("failed to make a folder");
        fs::write(self.path(path).join("a.evil"), "one\n").expect("failed to write");
        fs::write(self.path(path).join(".gitattributes"), "*.evil filter=evil diff=evil merge=evil\n")
            .expect("failed to write");
        self.git(path, &["init", "-q"]);
        self.git(path, &["config", "user.name", "me"]);
        self.git(path, &["config", "user.email", "me@example.com"]);
        self.git(path, &["add", "a.evil", ".gitattributes"]);
        self.git(path, &["commit", "-q", "-m", "one"]);
    }

    fn hooks(&self, path: &str) {
        for hook in
            ["pre-commit", "post-commit", "post-checkout", "post-index-change", "reference-transaction", "pre-push"]
        {
            let to = self.path(path).join(".git/hooks").join(hook);
            fs::create_dir_all(to.parent().expect("a folder")).expect("failed to make a folder");
            fs::copy(&self.program, &to).expect("failed to copy");
        }
    }

    fn git(&self, path: &str, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(args).current_dir(self.path(path)).envs(own_settings(self.folder.path()));
        let output = git.output().expect("git runs");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn toolc(&self, args: &[&str]) -> Run {
        run_with(&self.folder, args, |program| {
            program.current_dir(self.path("project")).envs(own_settings(self.folder.path()))
        })
    }

    /// Runs a command as a model does, with every question answered with yes, and returns its output.
    fn command(&self, command: &str) -> String {
        let call = self.toolc(&["call", "--yes", "terminal", &format!("command={command}")]);
        assert!(call.out.contains("output"), "{command}: {} {}", call.out, call.err);
        call.json()["output"].as_str().expect("a text").to_owned()
    }

    fn has_run(&self) -> bool {
        self.path("ran").exists()
    }

    fn ran(&self) -> String {
        fs::read_to_string(self.path("ran")).unwrap_or_default()
    }
}

/// Returns the variables with which git reads no settings of the machine, but those of a file.
fn own_settings(folder: &Path) -> Vec<(&'static str, String)> {
    let global = folder.join("global").display().to_string();
    vec![("GIT_CONFIG_GLOBAL", global), ("GIT_CONFIG_NOSYSTEM", "1".to_owned())]
}

#[test]
fn git_runs_nothing_of_a_hostile_repository_before_the_user_trusts_it() {
    let Some(hostile) = Hostile::new() else { return };
    for (command, output) in [
        ("git status --short", " M a.evil"),
        ("git diff", "+two"),
        ("git diff --ext-diff --textconv", "+two"),
        ("git log -p --format=%s", "one"),
        ("git show HEAD:a.evil", "one"),
        ("git blame a.evil", "two"),
        ("git grep --textconv two", "a.evil"),
        ("git add a.evil", ""),
        ("git commit -m two", "two"),
        ("git checkout -b other", "other"),
        ("git stash list", ""),
        ("git evil", "alias"),
        ("git st", "alias"),
        ("git archive --format=evil HEAD", ""),
        ("git ls-remote ext", "not allowed"),
        ("timeout 20 git ls-remote ssh", "127.0.0.1"),
        ("timeout 20 git ls-remote http://127.0.0.1:1/x", ""),
        ("cd sub; git status; git add .; git commit -m x", "nothing to commit"),
        ("cd bare; git status", "cannot use bare repository"),
        ("sh -c 'git status --short'", ""),
        ("env GIT_OPTIONAL_LOCKS=0 git status", "On branch"),
    ] {
        let got = hostile.command(command);
        assert!(!hostile.has_run(), "{command}: {}", hostile.ran());
        assert!(got.contains(output), "{command}: {got}");
    }
    let on_terminal = hostile.toolc(&["call", "terminal", r#"{"command": "git log", "pty": true}"#]);
    assert!(on_terminal.out.contains("Author"), "{} {}", on_terminal.out, on_terminal.err);
    let script = "import subprocess\nprint(subprocess.run(['git', 'status'], capture_output=True, text=True).stdout)";
    let scripted = hostile.toolc(&["call", "execute_code", &format!("code={script}")]);
    assert!(scripted.out.contains("On branch") || scripted.status != Some(0), "{} {}", scripted.out, scripted.err);
    for args in [&["doctor"][..], &["definitions"], &["tools"], &["call", "search_files", "pattern=one"]] {
        hostile.toolc(args);
    }
    assert!(!hostile.has_run(), "{}", hostile.ran());
}

#[test]
fn git_settings_run_after_the_user_has_trusted_them_until_they_change() {
    let Some(hostile) = Hostile::new() else { return };
    let doctor = hostile.toolc(&["doctor"]).out;
    assert!(doctor.contains("run `toolc trust`, if you trust them"), "{doctor}");
    hostile.toolc(&["trust"]).assert_refused(&["core.fsmonitor = ", "hook pre-commit", "pass `--yes`"]);
    assert_eq!(hostile.toolc(&["trust", "--yes"]).status, Some(0));
    assert!(hostile.toolc(&["trust", "--yes"]).out.contains("already trusted"));
    assert!(hostile.toolc(&["trust", "--list"]).out.contains("project/.git"));
    hostile.command("git status");
    assert!(hostile.has_run());

    let forget = || fs::remove_file(hostile.path("ran")).expect("it ran");
    forget();
    let hook = hostile.path("project/.git/hooks/pre-commit");
    fs::write(&hook, format!("{}# changed\n", fs::read_to_string(&hook).expect("it exists"))).expect("failed to write");
    hostile.command("git status");
    assert!(!hostile.has_run(), "{}", hostile.ran());
    assert!(hostile.toolc(&["doctor"]).out.contains("they have changed since you trusted them"));
    assert_eq!(hostile.toolc(&["trust", "--yes"]).status, Some(0));
    hostile.command("git status");
    assert!(hostile.has_run());

    forget();
    assert_eq!(hostile.toolc(&["trust", "--revoke"]).status, Some(0));
    assert_eq!(hostile.toolc(&["trust", "--revoke"]).status, Some(1));
    hostile.command("git status");
    assert!(!hostile.has_run(), "{}", hostile.ran());
}

#[test]
fn settings_of_the_user_are_kept_and_those_of_the_project_that_run_nothing_too() {
    let Some(hostile) = Hostile::new() else { return };
    fs::write(hostile.path("global"), "[core]\n\teditor = my-editor\n\thooksPath = /my/hooks\n[alias]\n\tl = log\n")
        .expect("failed to write");
    assert_eq!(hostile.command("git config core.editor"), "my-editor\n");
    assert_eq!(hostile.command("git config core.hooksPath"), "/my/hooks\n");
    assert_eq!(hostile.command("git config user.name"), "me\n");
    assert_eq!(hostile.command("git l --format=%s"), "one\n");
    let own = run_with(&hostile.folder, &["call", "terminal", "command=git config core.abbrev"], |program| {
        program.current_dir(hostile.path("project")).envs(own_settings(hostile.folder.path()));
        program.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "core.abbrev").env("GIT_CONFIG_VALUE_0", "11")
    });
    assert_eq!(own.json()["output"], "11\n", "{}", own.err);
    hostile.command("git status");
    assert!(!hostile.has_run(), "{}", hostile.ran());
}

#[test]
fn git_does_not_run_if_a_setting_cannot_be_undone_or_the_settings_are_not_known() {
    let Some(hostile) = Hostile::new() else { return };
    let evil = hostile.program.display().to_string();
    hostile.git("project", &["config", "remote.origin.uploadpack", &evil]);
    assert!(hostile.command("git fetch").contains("git is off"));
    assert!(hostile.toolc(&["doctor"]).out.contains("git does not run for the model"));
    assert!(!hostile.has_run(), "{}", hostile.ran());
    hostile.git("project", &["config", "--unset", "remote.origin.uploadpack"]);
    // The file, or the branch, can appear later.
    for key in ["include.path", "includeIf.onbranch:later.path"] {
        hostile.git("project", &["config", key, "later"]);
        assert!(hostile.command("git status").contains("git is off"), "{key}");
        hostile.git("project", &["config", "--unset", key]);
    }
    // Git waits for the other end of a pipe.
    let pipe = hostile.path("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let config = hostile.path("project/.git/config");
    let text = fs::read_to_string(&config).expect("it exists");
    fs::write(&config, format!("{text}[include]\n\tpath = {pipe}\n")).expect("failed to write");
    let call = hostile.toolc(&["call", "terminal", "command=git status"]);
    assert!(call.out.contains("git is off"), "{} {}", call.out, call.err);
    hostile.toolc(&["trust", "--yes"]).assert_refused(&["cannot be trusted", "within 5 s"]);
    assert!(!hostile.has_run(), "{}", hostile.ran());
}
