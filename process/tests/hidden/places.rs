//! Files and folders that are hidden besides the folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolc_process::{HiddenFolder, Process};

use super::{Scene, is_available, run};

/// Adds a folder and a file with secrets to a scene. Hides them, and a place that does not exist yet.
fn with_places(scene: &Scene) -> (HiddenFolder, [PathBuf; 3]) {
    let folder = scene.folder.path();
    fs::create_dir_all(folder.join(".ssh/keys")).expect("failed to make a folder");
    fs::write(folder.join(".ssh/keys/id"), "hidden text").expect("failed to write");
    fs::write(folder.join(".netrc"), "hidden text").expect("failed to write");
    let places = [".ssh", ".netrc", ".later"].map(|name| folder.join(name));
    let hidden = places.iter().cloned().fold(scene.hidden(), HiddenFolder::and);
    (hidden, places)
}

fn output(hidden: &HiddenFolder, directory: &Path, line: &str) -> String {
    run(hidden, directory, line).1
}

#[test]
fn places_are_empty_and_cannot_be_changed() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    let (hidden, _) = with_places(&scene);
    let run = |line: &str| output(&hidden, scene.folder.path(), line);
    assert_eq!(run("ls -A .ssh; cat .netrc; ls -A home"), "cache\nskills\n");
    let text = run("cat .ssh/keys/id; echo x > .ssh/new; mv .netrc other; rm -rf .ssh; mv .ssh moved");
    assert!(!text.contains("hidden text") && text.lines().count() >= 5, "{text}");
    assert_eq!(fs::read_to_string(scene.folder.path().join(".netrc")).expect("it is there"), "hidden text");
    let link = "ln -s .ssh link; ls -A link/; ln .netrc hard; cat hard";
    assert!(!run(link).contains("hidden text"), "by links");
}

#[test]
fn a_place_that_is_made_or_replaced_later_is_hidden_from_later_programs() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    let (hidden, places) = with_places(&scene);
    let run = |line: &str| output(&hidden, scene.folder.path(), line);
    assert!(run("cat .later").contains("No such file"), "it is not made");
    assert!(!places[2].exists());
    fs::write(&places[2], "hidden text").expect("failed to write");
    assert_eq!(run("cat .later"), "");
    let new = scene.folder.path().join("new");
    fs::write(&new, "hidden text").expect("failed to write");
    fs::rename(&new, &places[1]).expect("failed to rename");
    assert_eq!(run("cat .netrc"), "");
    fs::remove_file(&places[2]).expect("failed to remove");
    fs::create_dir(&places[2]).expect("failed to make a folder");
    fs::write(places[2].join("key"), "hidden text").expect("failed to write");
    assert_eq!(run("ls -A .later"), "");
}

#[test]
fn a_program_can_see_one_place_and_others_cannot_use_it_for_that() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    let (hidden, places) = with_places(&scene);
    let seeing = hidden.showing(&places[..1]);
    let directory = scene.folder.path();
    assert_eq!(output(&seeing, directory, "cat .ssh/keys/id .netrc; ls -A home"), "hidden textcache\nskills\n");
    assert_eq!(output(&seeing, directory, "echo x > .ssh/known_hosts; cat .ssh/known_hosts"), "x\n");

    let mut command = Command::new("sleep");
    command.arg("60").current_dir(directory.join(".ssh"));
    let mut process = Process::new(command);
    process.hide(&seeing).expect("it can be hidden");
    let running = process.start().expect("it starts");
    let (id, own) = (running.id(), places[0].display());
    let attempts = [
        format!("cat /proc/{id}/root{own}/keys/id"),
        format!("cat /proc/{id}/cwd/keys/id"),
        format!("cd /proc/{id}/cwd && cat keys/id"),
        format!("cat /proc/{id}/environ /proc/{id}/maps"),
        format!("nsenter --target {id} --mount cat {own}/keys/id"),
        format!("nsenter --target {id} --user --mount cat {own}/keys/id"),
    ];
    // Root has no other way to keep processes apart.
    if HiddenFolder::caveat().is_none() {
        for attempt in attempts {
            let text = output(&hidden, directory, &format!("{attempt}; echo $?"));
            assert!(!text.contains("hidden text") && !text.ends_with("0\n"), "{attempt}: {text}");
        }
    }
    assert_eq!(output(&seeing, directory, &format!("cat /proc/{id}/cwd/keys/id")), "hidden text");
    running.end().expect("it ends");
}

#[test]
fn places_around_the_working_directory_and_in_the_folder_are_left_out() {
    if !is_available() {
        return;
    }
    let scene = Scene::new();
    let (hidden, _) = with_places(&scene);
    let directory = scene.folder.path().canonicalize().expect("it exists").join(".ssh/keys");
    let outside = hidden.outside_of(&directory).and(scene.home.join("secret"));
    assert_eq!(output(&outside, &directory, "cat id ../../.netrc; ls -A ../../home"), "hidden textcache\nskills\n");

    let shown = hidden.clone().and(scene.home.join("skills/one/SKILL.md"));
    assert_eq!(
        output(&shown, scene.folder.path(), "cat home/skills/one/SKILL.md; ls home/skills"),
        "one\n",
        "what is shown"
    );

    let only = hidden.only_places().expect("there are places");
    assert_eq!(output(&only, scene.folder.path(), "cat home/secret .netrc; ls -A .ssh"), "hidden text");
    assert_eq!(HiddenFolder::new(&scene.home).only_places(), None);
}
