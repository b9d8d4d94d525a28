//! `.env`: who sees its variables.

use super::{folder, run, run_with, set_mode, write};

/// The manifests of a plugin whose tool needs a variable, and whose program prints its environment.
pub(super) fn plugin(folder: &tempfile::TempDir, home: &str, env: &str) {
    let file = |path: &str, text: &str| write(folder, &format!("{home}/plugins/show/{path}"), text);
    file("plugin.toml", &format!("executable = \"run\"\n{env}"));
    file("run", "#!/bin/sh\nprintf '{\"result\": \"%s\"}' \"$(env | sort | tr '\\n' ' ')\"\n");
    file(
        "manifests/tools/show.toml",
        "name = \"show\"\ntoolset = \"show\"\ndescription = \"Shows.\"\n\n[requires]\nenv = [\"SHOW_ACCOUNT\"]\n",
    );
    file("manifests/toolsets/show.toml", "name = \"show\"\ndescription = \"Shows.\"\n");
    file("manifests/env.toml", "[env.SHOW_ACCOUNT]\ndescription = \"An account.\"\nsecret = false\n");
    set_mode(&folder.path().join(format!("{home}/plugins/show/run")), 0o700);
}

#[test]
fn a_tool_is_available_by_a_variable_of_the_profile_and_its_program_gets_it_by_name() {
    let folder = folder();
    plugin(&folder, "home", "env = [\"SHOW_ACCOUNT\"]\n");
    assert_eq!(run(&folder, &["why", "show"]).status, Some(1));
    write(&folder, "home/.env", "SHOW_ACCOUNT=hunter2\nOTHER_ACCOUNT=hunter3\n");
    assert_eq!(run(&folder, &["why", "show"]).status, Some(0));
    let call = run(&folder, &["call", "show"]);
    assert!(call.out.contains("SHOW_ACCOUNT=hunter2") && !call.out.contains("hunter3"), "{} {}", call.out, call.err);
}

#[test]
fn a_call_returns_results_without_secrets() {
    let folder = folder();
    write(&folder, "home/.env", "SOME_KEY=hunter2hunter2\n");
    write(&folder, "notes.txt", "the key is hunter2hunter2\n");
    let call = run(&folder, &["call", "read_file", "path=notes.txt"]);
    assert!(call.out.contains("the key is [secret]") && !call.out.contains("hunter2"), "{} {}", call.out, call.err);
}

#[test]
fn commands_get_no_variable_of_the_file_even_if_the_process_has_it() {
    let folder = folder();
    plugin(&folder, "home", "");
    write(&folder, "home/.env", "FIRST_ACCOUNT=hunter2\nSECOND_ACCOUNT=hunter3\n");
    let call = run_with(&folder, &["call", "terminal", "command=env"], |program| {
        // A value that the user has exported, of a name without a telling word.
        program.env("FIRST_ACCOUNT", "hunter1").env("HARMLESS_NAME", "visible").env("A_TOKEN", "hunter4")
    });
    assert_eq!(call.status, Some(0), "{} {}", call.out, call.err);
    assert!(call.out.contains("HARMLESS_NAME=visible") && !call.out.contains("hunter"), "{}", call.out);
}

#[test]
fn two_profiles_see_only_their_own_variables() {
    let folder = folder();
    for home in ["home", "home/profiles/second"] {
        plugin(&folder, home, "env = [\"SHOW_ACCOUNT\", \"SECOND_ACCOUNT\"]\n");
    }
    write(&folder, "home/.env", "SHOW_ACCOUNT=private\n");
    write(&folder, "home/profiles/second/.env", "SECOND_ACCOUNT=two\nSHOW_ACCOUNT=office\n");
    let private = run(&folder, &["call", "show"]).out;
    // No manifest says that the second variable is not secret.
    let second = run(&folder, &["call", "show", "--profile", "second"]).out;
    assert!(private.contains("SHOW_ACCOUNT=private") && !private.contains("SECOND_ACCOUNT"), "{private}");
    assert!(second.contains("SHOW_ACCOUNT=office") && second.contains("SECOND_ACCOUNT=[secret]"), "{second}");
}

#[test]
fn a_file_that_others_can_read_is_refused_and_mistakes_show_no_values() {
    let folder = folder();
    write(&folder, "home/.env", "KEY=hunter2\n");
    set_mode(&folder.path().join("home/.env"), 0o644);
    run(&folder, &["definitions"]).assert_refused(&["chmod 600", "its mode is 0644"]);
    set_mode(&folder.path().join("home/.env"), 0o600);
    write(&folder, "home/.env", "hunter2\nA B=hunter2\n");
    let refused = run(&folder, &["config", "check"]);
    assert_eq!(refused.status, Some(1));
    assert!(refused.err.contains("line 1") && refused.err.contains("line 2"), "{}", refused.err);
    assert!(!refused.err.contains("hunter2"), "{}", refused.err);
}

/// Returns the files below a folder that contain a text.
fn files_with(folder: &std::path::Path, text: &[u8]) -> Vec<std::path::PathBuf> {
    let (mut open, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("it can be read").map(|entry| entry.expect("an entry").path()));
        } else if std::fs::read(&path).expect("it can be read").windows(text.len()).any(|part| part == text) {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_secret_is_in_no_file_that_a_run_writes_and_not_in_what_it_prints() {
    let folder = folder();
    plugin(&folder, "home", "env = [\"SHOW_TOKEN\"]\n");
    write(&folder, "home/.env", "SHOW_ACCOUNT=visible\nSHOW_TOKEN=hunter2-of-env\n");
    write(&folder, "home/config.toml", "[tools]\nenable = [\"cli\", \"show\"]\n[results]\nmax_chars = 2000\n");
    // The model knows the secret, and a program prints it.
    write(
        &folder,
        "script.jsonl",
        concat!(
            r#"{"text": "I say hunter2-of-env", "calls": [{"name": "show", "arguments": {}}, "#,
            r#"{"name": "terminal", "arguments": {"command": "env; for i in $(seq 500); do echo hunter2-of-env $i; done"}}]}"#,
            "\n",
            r#"{"text": "done: hunter2-of-env"}"#,
            "\n",
        ),
    );
    let script = format!("script:{}", folder.path().join("script.jsonl").display());
    let agent = run(&folder, &["agent", "the key is hunter2-of-env", "--json", "--model", &script]);
    assert_eq!(agent.status, Some(0), "{} {}", agent.out, agent.err);
    assert!(agent.out.contains("[secret]"), "{}", agent.out);
    assert!(!agent.out.contains("hunter2") && !agent.err.contains("hunter2"), "{} {}", agent.out, agent.err);
    assert!(folder.path().join("home/state.db").exists());
    assert_eq!(files_with(&folder.path().join("home"), b"hunter2"), [folder.path().join("home/.env")]);
}
