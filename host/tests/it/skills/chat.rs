//! `/skills` in the chat.

use std::fs;

use serde_json::json;

use super::World;
use super::github::skill;
use super::server::Reply;
use crate::agent::chat::Tmux;

#[test]
fn the_chat_has_the_same_commands_and_asks_before_it_installs() {
    let world = World::new();
    world.commit("Run `make site`.", "one\n");
    world.write("model", &format!("{}\n", json!({ "text": "Hello." })));
    let Some(tmux) = Tmux::start_with(world.folder.path(), "--model script:model", &[("NO_PROXY", "*")]) else {
        return;
    };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("/skills install o/r/deploy");
    tmux.wait_for("Install this skill?");
    tmux.press("n");
    tmux.wait_for("nothing was installed");
    assert!(!world.path("home/skills/deploy").exists());
    tmux.say("/skills install o/r/deploy");
    tmux.wait_until("the second question", |screen| screen.matches("Install this skill?").count() == 2);
    tmux.press("y");
    tmux.wait_for("in an open chat, `/deploy` uses it");
    assert!(world.path("home/skills/deploy/SKILL.md").exists());
    tmux.run(&["clear-history"]);
    tmux.say("/skills");
    tmux.wait_for("deploy (from github:o/r/skills/deploy)");
    tmux.say("/skills uninstall depoly");
    tmux.wait_for("did you mean `deploy`?");
    tmux.say("/skills wrong");
    tmux.wait_for("unrecognized subcommand 'wrong'");
    tmux.say("/skills uninstall deploy");
    tmux.wait_for("uninstalled: deploy");
    assert!(!world.path("home/skills/deploy").exists());
    tmux.say("/quit");
    tmux.wait_for("status 0");
}

#[test]
fn ctrl_c_in_the_chat_leaves_a_source_that_does_not_answer() {
    let world = World::new();
    world.commit("Run `make site`.", "one\n");
    world.write("model", &format!("{}\n", json!({ "text": "Hello." })));
    let Some(tmux) = Tmux::start_with(world.folder.path(), "--model script:model", &[("NO_PROXY", "*")]) else {
        return;
    };
    tmux.wait_for("`/help` lists the commands");
    let (slow, answers) = std::sync::mpsc::channel::<()>();
    let answers = std::sync::Mutex::new(answers);
    world.server.on(move |request| {
        let is_slow = request.path == "/slow/SKILL.md";
        is_slow.then(|| {
            let _ = answers.lock().expect("no test panics with it").recv();
            Reply::new(200, skill("slow", "Is slow", "Text."))
        })
    });
    tmux.say(&format!("/skills install --yes {}", world.server.url("/slow/SKILL.md")));
    let started = std::time::Instant::now();
    while world.server.requests().iter().all(|request| request.path != "/slow/SKILL.md") {
        assert!(started.elapsed().as_secs() < 60, "{}", tmux.screen());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    tmux.press("C-c");
    tmux.wait_for("(interrupted)");
    // The answer that arrives later installs nothing.
    slow.send(()).expect("the server waits");
    tmux.say("/skills");
    tmux.wait_for("edit-texts (ships with toolc)");
    tmux.say("/quit");
    tmux.wait_for("status 0");
    assert!(!world.path("home/skills/slow").exists());
}

#[test]
fn ctrl_c_in_the_chat_stops_a_restore_that_has_not_changed_anything() {
    let world = World::new();
    world.write("model", &format!("{}\n", json!({ "text": "Hello." })));
    let address = world.server.url("/slow/SKILL.md").to_string();
    world.server.fix("/slow/SKILL.md", Reply::new(200, skill("slow", "Is slow", "Text.")));
    world.skills(&["install", &address, "--yes"]).ends_with(0);
    fs::remove_dir_all(world.path("home/skills/slow")).expect("failed to remove");
    let known = world.server.requests().len();
    let Some(tmux) = Tmux::start_with(world.folder.path(), "--model script:model", &[("NO_PROXY", "*")]) else {
        return;
    };
    tmux.wait_for("`/help` lists the commands");
    let (slow, answers) = std::sync::mpsc::channel::<()>();
    let answers = std::sync::Mutex::new(answers);
    world.server.on(move |request| {
        (request.path == "/slow/SKILL.md").then(|| {
            let _ = answers.lock().expect("no test panics with it").recv();
            Reply::new(200, skill("slow", "Is slow", "Text."))
        })
    });
    tmux.say("/skills restore");
    let started = std::time::Instant::now();
    while world.server.requests().iter().skip(known).all(|request| request.path != "/slow/SKILL.md") {
        assert!(started.elapsed().as_secs() < 60, "{}", tmux.screen());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    tmux.press("C-c");
    tmux.wait_for("(interrupted)");
    slow.send(()).expect("the server waits");
    tmux.say("/skills");
    tmux.wait_for("missing: slow");
    tmux.say("/quit");
    tmux.wait_for("status 0");
    assert!(!world.path("home/skills/slow").exists());
}

#[test]
fn the_commands_of_the_chat_are_about_the_directory_of_the_chat() {
    let world = World::new();
    world.write("model", &format!("{}\n", json!({ "text": "Hello." })));
    world.write("work/src/mine/SKILL.md", &skill("mine", "Helps with the site", "Text."));
    let config = world.read("home/config.toml");
    let work = world.path("work").canonicalize().expect("it exists");
    world.write(
        "home/config.toml",
        &format!("{config}\n[environment.local]\ndirectory = {:?}\n", work.display().to_string()),
    );
    let Some(tmux) = Tmux::start_with(world.folder.path(), "--model script:model", &[("NO_PROXY", "*")]) else {
        return;
    };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("/skills scan src");
    tmux.wait_for("1 skill checked, 0 with errors");
    tmux.say("/skills install ./src/mine --yes");
    tmux.wait_for("installed: mine");
    tmux.say("/skills snapshot export all.json");
    tmux.wait_for("written: all.json");
    tmux.say("/quit");
    tmux.wait_for("status 0");
    assert!(world.path("work/all.json").exists());
}
