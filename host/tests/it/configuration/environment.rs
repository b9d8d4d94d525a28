//! `[environment]`: its variables, and the directory of the kind `local`.

use serde_json::json;

use super::{Run, folder, run, run_with, write};

#[test]
fn settings_from_variables_are_shown_with_their_origin() {
    let folder = folder();
    write(&folder, "home/config.toml", "[environment.ssh]\nhost = \"old\"\n");
    write(&folder, "home/.env", "TOOLC_ENVIRONMENT_SSH_USER=me\n");
    let with = |args: &[&str]| {
        run_with(&folder, args, |program| {
            program.env("TOOLC_ENVIRONMENT_SSH_HOST", "build.example.com").env("TERMINAL_SSH_PORT", "2222")
        })
    };
    let shown = with(&["config", "show", "--json"]).json();
    assert_eq!(shown["environment"]["ssh"]["host"], "build.example.com");
    let origins = json!({
        "environment.ssh.host": "the variable `TOOLC_ENVIRONMENT_SSH_HOST` in the environment",
        "environment.ssh.user": "the variable `TOOLC_ENVIRONMENT_SSH_USER` in .env",
    });
    assert_eq!(shown["set_by_variables"], origins);
    let checked = with(&["config", "check"]);
    assert_eq!(checked.status, Some(0), "{}", checked.err);
    for note in [
        "note: `environment.ssh.host` has the value of the variable `TOOLC_ENVIRONMENT_SSH_HOST`",
        "note: the variable `TERMINAL_SSH_PORT` is not read: set `TOOLC_ENVIRONMENT_SSH_PORT`",
    ] {
        assert!(checked.err.contains(note), "{note}: {}", checked.err);
    }
    let doctor = with(&["doctor"]).out;
    assert!(doctor.contains("`TERMINAL_SSH_PORT` is not read"), "{doctor}");
    // What the file alone says stays.
    assert_eq!(run(&folder, &["config", "show", "--json"]).json()["environment"]["ssh"]["host"], "old");
}

#[test]
fn an_option_takes_precedence_over_a_variable_and_a_wrong_variable_stops_every_command() {
    let folder = folder();
    let kind = |args: &[&str], value: &str| -> Run {
        let args = [&["doctor", "--json"], args].concat();
        run_with(&folder, &args, |program| program.env("TOOLC_ENVIRONMENT", value))
    };
    assert_eq!(kind(&[], "sandbox").json()["environment"]["default"], "sandbox");
    assert_eq!(kind(&["--environment", "local"], "sandbox").json()["environment"]["default"], "local");
    kind(&[], "sandbx").assert_refused(&["`TOOLC_ENVIRONMENT`", "expected one of `local`, `sandbox`"]);
    for args in [
        &["call", "todo"][..],
        &["definitions"],
        &["tools"],
        &["why", "todo"],
        &["agent", "x", "--model", "script:none"],
    ] {
        let run = run_with(&folder, args, |program| program.env("TOOLC_ENVIRONMENT_SSH_HOTS", "x"));
        run.assert_refused(&["did you mean `TOOLC_ENVIRONMENT_SSH_HOST`"]);
    }
    let checked = run_with(&folder, &["config", "check"], |program| program.env("TOOLC_ENVIRONMENT_SSH_PORT", "x"));
    assert_eq!(checked.status, Some(1));
    assert!(checked.err.contains("environment.ssh.port"), "{}", checked.err);
}

#[test]
fn tools_begin_in_the_directory_of_the_configuration() {
    let folder = folder();
    let work = folder.path().join("work");
    write(&folder, "work/note.txt", "there\n");
    write(&folder, "note.txt", "here\n");
    write(&folder, "home/config.toml", &format!("[environment.local]\ndirectory = {work:?}\n"));
    let call = |tool: &str, argument: &str| run(&folder, &["call", tool, argument]).out;
    assert!(call("terminal", "command=pwd; cat note.txt").contains("there"), "{}", call("terminal", "command=pwd"));
    assert!(call("read_file", "path=note.txt").contains("there"));
    assert!(call("search_files", "pattern=there").contains("note.txt"));
    assert!(call("write_file", r#"{"path": "made.txt", "content": "x"}"#).contains("made.txt"));
    assert!(work.join("made.txt").exists());
    // An agent begins there as well.
    let answer = json!({ "calls": [{ "name": "terminal", "arguments": { "command": "cat note.txt" } }] });
    std::fs::write(folder.path().join("script"), format!("{answer}\n{}\n", json!({ "text": "Done." })))
        .expect("failed to write");
    let agent = run(&folder, &["agent", "Go.", "--json", "--model", "script:script"]);
    assert!(agent.out.contains("there"), "{} {}", agent.out, agent.err);
    // A variable names another one.
    let here = run_with(&folder, &["call", "read_file", "path=note.txt"], |program| {
        program.env("TOOLC_ENVIRONMENT_LOCAL_DIRECTORY", folder.path())
    });
    assert!(here.out.contains("here"), "{} {}", here.out, here.err);
}

#[test]
fn a_directory_that_cannot_be_used_is_named() {
    let folder = folder();
    write(&folder, "file", "");
    for (directory, expected) in [
        (folder.path().join("missing"), "No such file"),
        (folder.path().join("file"), "it is not a directory"),
        (folder.path().join("file/below"), "Not a directory"),
    ] {
        write(&folder, "home/config.toml", &format!("[environment.local]\ndirectory = {directory:?}\n"));
        let refused = run(&folder, &["call", "terminal", "command=pwd"]);
        refused.assert_refused(&[expected, "environment.local.directory", &directory.display().to_string()]);
        // Another kind does not need it.
        let other = run(&folder, &["definitions", "--json", "--environment", "sandbox"]);
        assert_eq!(other.status, Some(0), "{}", other.err);
    }
    for (text, expected) in [
        ("work", "is relative"),
        ("./work", "is relative"),
        ("", "`directory` is empty"),
        ("../x", "is relative"),
        ("~user/x", "is relative"),
    ] {
        write(&folder, "home/config.toml", &format!("[environment.local]\ndirectory = {text:?}\n"));
        run(&folder, &["definitions"]).assert_refused(&[expected, "config.toml:2"]);
    }
}
