//! What is hidden from commands: what `doctor` and the start of a chat say about it, and protected places.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolc_environment::HiddenFolder;
use toolc_test_support::skip;

use crate::agent::chat::Tmux;
use crate::agent::{folder, run, script};

/// Writes the configuration.
fn configure(folder: &Path, text: &str) {
    fs::create_dir_all(folder.join("home")).expect("failed to make a folder");
    fs::write(folder.join("home/config.toml"), text).expect("failed to write");
}

/// Returns the part of the report of `doctor` about this machine, as JSON, and the whole report as text.
fn doctor(folder: &Path) -> (Value, String) {
    let json = run(folder, &["doctor", "--json"], &[]);
    let text = run(folder, &["doctor"], &[]);
    (json.events()[0]["environment"]["local"].clone(), text.out)
}

/// Runs a command with the tool `terminal`, and returns the result.
fn command(folder: &Path, line: &str) -> Value {
    let arguments = json!({ "command": line }).to_string();
    let run = run(folder, &["call", "terminal", &arguments], &[]);
    run.events().first().cloned().unwrap_or_else(|| panic!("{run:?}"))
}

#[test]
fn the_doctor_and_the_chat_say_that_the_setting_shows_the_home() {
    let folder = folder();
    configure(folder.path(), "environment.local.hide_home = false\n");
    let (local, text) = doctor(folder.path());
    assert_eq!(local["home_hidden"], false);
    let why = "`environment.local.hide_home` is false in config.toml";
    assert_eq!(local["problem"], why);
    assert!(text.contains(&format!("home folder: visible to commands: {why}")), "{text}");
    let model = script(folder.path(), "model", &[json!({ "text": "Hello." })]);
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("note: commands can see the home folder of toolc, with its keys");
    tmux.wait_for("`/help` lists the commands");
    assert_eq!(tmux.screen().matches("can see the home folder").count(), 1, "it says it once");
}

#[test]
fn the_doctor_lists_protected_places_and_commands_do_not_see_them() {
    if let Err(problem) = HiddenFolder::check_available() {
        return skip(problem.to_string(), "a kernel that allows user namespaces");
    }
    let folder = folder();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(folder.path().join("keys")).expect("failed to make a folder");
    fs::write(folder.path().join("keys/id"), "hidden text\n").expect("failed to write");
    let text = format!(
        "[protect]\nplaces = [\"{}\", \"{}\", \"{}\"]\n\n[protect.readers.nl]\nreads = [\"{}\"]\n",
        at("keys"),
        at("later"),
        at(""),
        at("keys")
    );
    configure(folder.path(), &text);
    let (local, text) = doctor(folder.path());
    let places = local["protected"].as_array().expect("a list");
    let of = |key: &str| places.iter().map(|place| place[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("hidden"), [true, true, false]);
    assert_eq!(of("readers"), [json!(["nl"]), json!([]), json!([])]);
    assert_eq!(of("problem")[2], "the working directory is in it");
    assert!(text.contains(&format!("protected: {}: hidden from commands; read by nl\n", at("keys"))), "{text}");
    assert!(
        text.contains("hidden from commands; it does not exist, and is hidden from commands that start after"),
        "{text}"
    );
    assert!(text.contains("visible to commands, and only judged: the working directory is in it"), "{text}");

    assert_eq!(
        command(folder.path(), "sed -n p keys/id; ls keys | wc -l")["output"].as_str().map(|out| out.ends_with("0\n")),
        Some(true)
    );
    // A program that the configuration names.
    assert_eq!(command(folder.path(), "nl -b n keys/id | tail -1")["output"], "       hidden text\n");
    let mixed = command(folder.path(), "nl -b n keys/id; sed -n p keys/id");
    assert!(!mixed["output"].as_str().expect("text").contains("hidden text"), "{mixed}");
    assert!(mixed["note"].as_str().expect("a note").contains("`nl` may have needed it"), "{mixed}");
    fs::write(folder.path().join("later"), "hidden text\n").expect("failed to write");
    assert_eq!(command(folder.path(), "sed -n p later")["output"], "");
}

#[test]
fn mistakes_in_protected_places_are_reported_with_their_line() {
    let folder = folder();
    let home = std::env::home_dir().expect("a home").display().to_string();
    for (text, line, part) in [
        ("[protect]\nplaces = [\"ssh\"]\n", 2, "a protected place"),
        ("[protect]\nplaces = [\"/\"]\n", 2, "`/` cannot be hidden"),
        (&format!("[protect]\nplaces = [\"{home}\"]\n"), 2, "programs would have no home folder"),
        ("[protect.readers.\"/bin/x\"]\nreads = [\"~/.x\"]\n", 1, "expected the name of a program"),
        ("[protect.readers.x]\nreads = [\".x\"]\n", 2, "a path of `reads`"),
        ("[protect]\nplace = [\"~/.ssh\"]\n", 2, "did you mean `places`?"),
    ] {
        configure(folder.path(), text);
        let run = run(folder.path(), &["doctor"], &[]);
        let all = format!("{}{}", run.out, run.err);
        assert!(all.contains(part) && all.contains(&format!("config.toml:{line}:")), "{text}: {all}");
    }
}
