//! A process that is killed at any step of a change loses nothing, and the next command finishes or undoes the change.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use toolc_hub::{Hub, HubError, Lock, Snapshot, Tap};

use super::github::{files, skill};
use super::home::{Home, all_files, client, guard, id, name, settings};
use super::server::Server;

/// The variables that make this program a process that stops at a step.
const FOLDER: &str = "TOOLC_HUB_FOLDER";
const PORT: &str = "TOOLC_HUB_PORT";
const WORK: &str = "TOOLC_HUB_WORK";
const STEP: &str = "TOOLC_HUB_STEP";

fn work(hub: &Hub, skills: &Path, what: &str) -> Result<(), HubError> {
    let snapshot = skills.with_file_name("snapshot.json");
    match what {
        "install" => hub.install(&hub.preview(&id("o/r/a"))?, &toolc_hub::InstallOptions::default()).map(drop),
        "update" => hub.apply_update(&hub.plan_update(&name("a"))?, &[]).map(drop),
        "uninstall" => hub.uninstall(&name("a")),
        "undo" => hub.undo(None).map(drop),
        "export" => {
            hub.add_tap(&tap("o/more"))?;
            std::fs::write(snapshot, hub.export()?.text()).expect("failed to write");
            hub.remove_tap(&tap("o/more")).map(drop)
        }
        "import" => {
            let text = std::fs::read_to_string(snapshot).expect("it was written");
            let plan = hub.plan_import(&Snapshot::parse(&text).expect("it is valid"))?;
            hub.apply_restore(plan, &[]).map(drop)
        }
        _ => hub.apply_restore(hub.plan_restore()?, &[]).map(drop),
    }
}

fn tap(text: &str) -> Tap {
    text.parse().expect("it is a tap")
}

/// Changes skills, and stops before a step. Does nothing unless another test starts it as a process.
#[test]
fn worker() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<usize>().ok()).expect("it is a number");
    let (stop, port) = (number(STEP), number(PORT));
    let steps = AtomicUsize::new(0);
    let watch = move |step: &str| {
        if steps.fetch_add(1, Ordering::Relaxed) == stop {
            println!("\nstopped before: {step}");
            thread::sleep(Duration::from_mins(10));
        }
    };
    let hub = Hub::open(&folder, client(), settings(&Server::at(port)), guard).expect("it opens").watched(watch);
    work(&hub, folder.as_ref(), &env::var(WORK).expect("the work is set")).expect("it is not killed");
    println!("\nfinished");
}

fn spawn(home: &Home, what: &str, step: usize) -> Child {
    let mut command = Command::new(env::current_exe().expect("this program has a path"));
    command.args(["--exact", "kills::worker", "--nocapture"]).env(FOLDER, home.skills());
    command.env(PORT, home.server.port().to_string()).env(WORK, what).env(STEP, step.to_string());
    command.stdout(Stdio::piped()).spawn().expect("failed to start a worker")
}

/// Returns the step before which the process was killed. `None` if it has finished.
fn killed(home: &Home, what: &str, step: usize) -> Option<String> {
    let mut child = spawn(home, what, step);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let stopped = lines.find_map(|line| line.strip_prefix("stopped before: ").map(str::to_owned));
    // SIGKILL on Unix.
    child.kill().expect("failed to kill");
    let status = child.wait().expect("failed to wait");
    assert!(stopped.is_some() || status.success(), "{what}: {status}");
    stopped
}

/// Returns the files that people see, the lock, and the taps.
fn state(home: &Home) -> (BTreeMap<String, String>, Lock, Vec<Tap>) {
    let mut lock = home.hub().lock().expect("it is valid");
    for skill in lock.skills.values_mut() {
        // Each try has a time and a server of its own.
        (skill.installed, skill.updated, skill.url) = Default::default();
    }
    (home.visible(), lock, home.hub().taps().expect("they are valid"))
}

/// A skill that is installed at its first version, with an edit, while the source has a second one.
fn edited_home() -> Home {
    let home = Home::new();
    let version = |text: &str, more: &[(&str, &str)]| {
        let skill = skill("a", "Is a", text);
        files(&[&[("a/SKILL.md", skill.as_str())], more].concat())
    };
    home.repositories
        .commit("o/r", version("1\n2\n3\n4\n5", &[("a/gone.md", "gone"), ("a/x.md", "x"), ("a/both.md", "1")]));
    home.install("o/r/a").expect("it is installed");
    home.write("a/SKILL.md", &home.read("a/SKILL.md").replace('5', "edited"));
    home.write("a/both.md", "edited");
    home.write("a/own.md", "my notes");
    home.repositories
        .commit("o/r", version("one\n2\n3\n4\n5", &[("a/new/y.md", "new"), ("a/x.md", "2"), ("a/both.md", "2")]));
    home
}

fn empty_home() -> Home {
    let home = Home::new();
    let text = skill("a", "Is a", "text");
    home.repositories.commit("o/r", files(&[("a/SKILL.md", text.as_str()), ("a/b/c.md", "c")]));
    home
}

/// Kills a process before each step of some work. Afterwards the next command leaves the state before or after the work, and repeating the
/// work leaves the state after it.
fn try_each_step(what: &str, start: impl Fn() -> Home, prepare: &[&str], at_least: usize) {
    let begin = || {
        let home = start();
        for what in prepare {
            match *what {
                "remove the folder" => std::fs::remove_dir_all(home.path("a")).expect("failed to remove"),
                what => work(&home.hub(), &home.skills(), what).expect("it is not killed"),
            }
        }
        home
    };
    let (before, after) = {
        let home = begin();
        let before = state(&home);
        work(&home.hub(), &home.skills(), what).expect("it is not killed");
        (before, state(&home))
    };
    assert_ne!(before, after);
    let mut steps = Vec::new();
    for step in 0.. {
        let home = begin();
        let Some(stopped) = killed(&home, what, step) else { break };
        assert_nothing_is_lost(&home, &before.0, &stopped);
        // The next command completes what was begun, even if it only reads.
        home.hub().list().expect("it recovers");
        home.recover().expect("nothing is unfinished");
        home.assert_clean();
        let found = state(&home);
        assert!(found == before || found == after, "{what}, killed before {stopped}: {found:?}");
        let is_begun = !stopped.starts_with("write the journal");
        assert_eq!(found == after, is_begun, "{what}, killed before {stopped}");
        if !is_begun {
            work(&home.hub(), &home.skills(), what).expect("it can be repeated");
            assert_eq!(state(&home), after, "{what}, killed before {stopped}");
        }
        steps.push(stopped);
    }
    assert!(steps.len() >= at_least, "{what}: {steps:?}");
}

/// Each text that people saw before is still somewhere in the folder.
fn assert_nothing_is_lost(home: &Home, before: &BTreeMap<String, String>, stopped: &str) {
    let all: Vec<String> = all_files(&home.skills()).into_values().collect();
    for (path, text) in before {
        assert!(all.contains(text), "{path} is lost, killed before {stopped}");
    }
}

#[test]
fn a_killed_installation_is_finished_or_never_was() {
    try_each_step("install", empty_home, &[], 5);
}

#[test]
fn a_killed_update_is_finished_or_never_was() {
    try_each_step("update", edited_home, &[], 12);
}

#[test]
fn a_killed_removal_is_finished_or_never_was() {
    try_each_step("uninstall", edited_home, &[], 5);
}

#[test]
fn a_killed_undo_is_finished_or_never_was() {
    try_each_step("undo", edited_home, &["uninstall"], 5);
    try_each_step("undo", edited_home, &["update"], 12);
}

#[test]
fn a_killed_restore_is_finished_or_never_was() {
    try_each_step("restore", empty_home, &["install", "remove the folder"], 5);
}

#[test]
fn a_killed_import_is_finished_or_never_was() {
    try_each_step("import", empty_home, &["install", "export", "uninstall"], 5);
    try_each_step("undo", empty_home, &["install", "export", "uninstall", "import"], 5);
}

/// Something that was put in the way of a killed change undoes the change.
#[test]
fn a_killed_change_that_cannot_be_finished_is_undone() {
    let home = empty_home();
    let mut step = 0;
    while !killed(&home, "install", step).expect("it has such a step").ends_with("to a") {
        home.recover().expect("it recovers");
        if home.visible().is_empty() {
            step += 1;
        } else {
            home.hub().uninstall(&name("a")).expect("it was finished");
            step += 1;
        }
    }
    home.write("a/SKILL.md", "mine");
    let error = home.recover().expect_err("the place is in use");
    assert!(matches!(error, HubError::RolledBack(..)), "{error}");
    assert_eq!(home.visible().into_values().collect::<Vec<_>>(), ["mine"]);
    assert!(home.hub().lock().expect("it is valid").skills.is_empty());
    home.recover().expect("nothing is unfinished");
    home.assert_clean();
}

#[test]
fn only_one_process_changes_skills_at_a_time() {
    let home = empty_home();
    let mut child = spawn(&home, "install", 2);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("stopped before: ")));
    let error = home.recover().expect_err("the other process has begun");
    assert!(matches!(error, HubError::Busy), "{error}");
    child.kill().expect("failed to kill");
    child.wait().expect("failed to wait");
    home.recover().expect("the lock is free");
    assert!(Path::new(&home.path("a/SKILL.md")).exists());
}
