//! `toolc judge`, and the rules of users and projects.

use std::fs;
use std::process::Stdio;

use serde_json::json;

use super::{folder, run, run_with};

#[test]
fn a_judgement_has_a_status_of_its_own() {
    let folder = folder();
    for (command, status, verdict) in [("ls -l", 0, "allow"), ("rm -rf a", 1, "ask"), ("rm -rf /", 3, "deny")] {
        let judged = run(folder.path(), &["judge", command]);
        assert_eq!((judged.status, &*judged.err), (Some(status), ""), "{command}");
        assert!(judged.out.contains(&format!("\nverdict: {verdict}: ")), "{}", judged.out);
        let judged = run(folder.path(), &["judge", command, "--json"]);
        assert_eq!((judged.status, &judged.json()["verdict"]), (Some(status), &json!(verdict)));
        assert!(judged.out.ends_with(&format!("\"verdict\":\"{verdict}\"}}\n")), "after its reasons: {}", judged.out);
    }
    assert_eq!(run(folder.path(), &["judge"]).status, Some(2));
    assert!(folder.path().join("a").exists() && !folder.path().join("home").exists(), "nothing is run or written");
}

#[test]
fn several_words_are_refused_with_the_quoted_command() {
    let folder = folder();
    for words in [&["rm", "-rf", "x"][..], &["git", "push", "--force"]] {
        let judged = run(folder.path(), &[&["judge"], words].concat());
        let quoted = format!("`toolc judge '{}'`", words.join(" "));
        assert!(judged.status == Some(2) && judged.err.contains(&quoted), "{} {}", judged.out, judged.err);
    }
}

#[test]
fn a_here_document_of_an_interpreter_is_explained_as_its_input() {
    let judged = run(folder().path(), &["judge", "python3 - <<EOF\nprint(1)\nEOF"]);
    assert_eq!(judged.status, Some(1));
    assert!(judged.out.contains("Runs its input as code: a here-document, a file,"), "{}", judged.out);
}

#[test]
fn a_command_that_is_not_utf8_is_refused_with_the_byte_and_what_to_do() {
    let folder = folder();
    let path = folder.path().join("line");
    fs::write(&path, b"rm caf\xe9").expect("failed to write the line");
    for args in [&["judge", "-"][..], &["judge", "--json", "-"]] {
        let line = fs::File::open(&path).expect("failed to open the line");
        let judged = run_with(folder.path(), args, |program| program.stdin(Stdio::from(line)));
        assert_eq!((judged.status, &*judged.out), (Some(2), ""), "{}", judged.err);
        assert!(
            judged.err.contains("the byte 0xe9 at offset 6") && judged.err.contains("`$'\\xe9'`"),
            "{}",
            judged.err
        );
    }
}

#[test]
fn a_judgement_shows_what_would_run_and_why() {
    let folder = folder();
    let command = "cd a && sudo sh -c \"rm -rf x\"; eval \"$1\"";
    let text = run(folder.path(), &["judge", command]).out;
    for part in [
        "  | cd a && sudo sh -c \"rm -rf x\"; eval \"$1\"\n",
        "   1. cd a\n",
        "rm -rf x   (in the code of sh, run by sudo)\n",
        "\nrecursive-deletion: Deletes folders with everything in them.\n    text:  ",
        "\n    check: Which folders are these, and do their contents exist elsewhere?",
        "\nbuilt-code: The line runs code that it builds at run time.\n",
    ] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
    let judged = run(folder.path(), &["judge", "--json", command]).json();
    let delete = judged["commands"].as_array().expect("an array").iter().find(|command| command["program"] == "rm");
    let delete = delete.expect("the command is listed");
    assert_eq!((&delete["words"], &delete["how"]), (&json!(["rm", "-rf", "x"]), &json!("code")));
    let names: Vec<_> = judged["findings"].as_array().expect("an array").iter().map(|found| &found["name"]).collect();
    assert!(names.contains(&&json!("recursive-deletion")) && names.contains(&&json!("built-code")), "{names:?}");
}

#[test]
fn the_json_of_a_finding_has_these_keys() {
    let folder = folder();
    let findings = |command: &str| run(folder.path(), &["judge", "--json", command]).json()["findings"].take();
    let rule = json!([{
        "verdict": "ask",
        "kind": "rule",
        "name": "recursive-deletion",
        "description": "Deletes folders with everything in them.",
        "check": "Which folders are these, and do their contents exist elsewhere?",
        "command": 0,
        "span": [3, 5],
        "text": "-r",
        "path": null,
        "certain": true,
    }]);
    assert_eq!(findings("rm -r a"), rule);
    let doubt = |name: &str, description: &str, command: Option<u32>| {
        json!({
            "verdict": "ask",
            "kind": "doubt",
            "name": name,
            "description": description,
            "check": "",
            "command": command,
            "span": [5, 9],
            "text": "\"$1\"",
            "path": null,
            "certain": true,
        })
    };
    let doubts = json!([
        doubt("built-name", "The name of the program is known only at run time.", Some(1)),
        doubt("built-code", "The line runs code that it builds at run time.", None),
    ]);
    assert_eq!(findings("eval \"$1\""), doubts);
}

#[test]
fn a_command_is_judged_where_it_would_run() {
    let folder = folder();
    assert_eq!(run(folder.path(), &["judge", "rm -rf .", "--directory", "/etc"]).status, Some(3));
    assert_eq!(run(folder.path(), &["judge", "rm -rf ."]).status, Some(1));
    fs::write(folder.path().join("line"), "rm -rf /\n").expect("failed to write");
    let line = fs::File::open(folder.path().join("line")).expect("the file exists");
    assert_eq!(run_with(folder.path(), &["judge", "-"], |program| program.stdin(Stdio::from(line))).status, Some(3));
}

#[test]
fn a_command_is_judged_with_the_variables_of_the_environment_that_are_not_secret() {
    let folder = folder();
    let judge = |name: &str| {
        let command = format!("rm -r \"${name}\"");
        run_with(folder.path(), &["judge", &command], |program| program.env(name, "/etc"))
    };
    assert_eq!(judge("OUT").status, Some(3));
    let unset = run(folder.path(), &["judge", "rm -r \"$SURELY_NOT_SET\"/"]);
    assert_eq!(unset.status, Some(3), "{}", unset.out);
    let secret = judge("OUT_PASSWORD");
    assert_eq!(secret.status, Some(1), "{}", secret.out);
    assert!(!secret.out.contains("/etc"), "{}", secret.out);
}

#[test]
fn the_doctor_reports_the_mode_the_rules_and_what_was_approved() {
    let folder = folder();
    let doctor = |args: &[&str]| run(folder.path(), &[&["doctor"], args].concat());
    let report = doctor(&["--json"]).json();
    assert_eq!((&report["approval"]["mode"], &report["approval"]["approved_commands"]), (&json!("ask"), &json!(0)));
    assert!(!folder.path().join("home").exists(), "the doctor writes nothing");
    assert!(doctor(&["--approval", "off"]).out.contains("approval of commands: off ("));

    let own = folder.path().join("home/rules/own.toml");
    fs::create_dir_all(own.parent().expect("a folder")).expect("failed to create");
    fs::write(&own, "[[rules]]\nname = 'x'\n").expect("failed to write");
    fs::write(folder.path().join("home/state.db"), "no database").expect("failed to write");
    let broken = doctor(&[]);
    assert_eq!(broken.status, Some(1), "{}", broken.err);
    for part in ["own.toml are invalid", "needs `verdict`", "state.db"] {
        assert!(broken.out.contains(part), "{part} is missing: {}", broken.out);
    }
}

const STRICTER: &str = r#"
[[rules]]
name = "deploys"
description = "Deploys the project."
check = "Which machine is this?"
verdict = "ask"
programs = ["make"]
subcommands = ["deploy"]
matches = ["make deploy"]
ignores = ["make build"]
"#;

#[test]
fn rules_of_the_user_and_of_the_project_apply_to_judge_and_to_calls() {
    let folder = folder();
    for path in ["home/rules/own.toml", ".toolc/rules.toml"] {
        assert_eq!(run(folder.path(), &["judge", "make deploy"]).status, Some(0));
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("failed to create");
        fs::write(&path, STRICTER).expect("failed to write");
        let judged = run(folder.path(), &["judge", "make deploy", "--json"]);
        assert_eq!((judged.status, &judged.json()["findings"][0]["name"]), (Some(1), &json!("deploys")));
        let call = run(folder.path(), &["call", "terminal", "command=make deploy"]);
        assert_eq!(call.json()["kind"], "refused");
        fs::remove_file(path).expect("failed to remove");
    }
}

#[test]
fn a_broken_file_of_rules_stops_the_program_and_is_shown_with_its_line() {
    let folder = folder();
    let path = folder.path().join("home/rules/own.toml");
    fs::create_dir_all(path.parent().expect("a folder")).expect("failed to create");
    fs::write(&path, STRICTER.replace("verdict = \"ask\"", "verdict = \"maybe\"")).expect("failed to write");
    for args in [&["judge", "ls"][..], &["call", "terminal", "command=ls"], &["repl"], &["mcp", "serve"]] {
        let run = run(folder.path(), args);
        assert_eq!((run.status, &*run.out), (Some(2), ""), "{args:?}: {}", run.err);
        assert!(run.err.contains(&format!("{}:6:", path.display())) && run.err.contains("maybe"), "{}", run.err);
    }
    // Commands that run nothing work.
    assert_eq!(run(folder.path(), &["definitions"]).status, Some(0));
}

#[test]
fn empty_and_hidden_files_of_rules_are_skipped() {
    let folder = folder();
    for (path, text) in [("home/rules/own.toml", " \n"), ("home/rules/.own.toml", "broken"), (".toolc/rules.toml", "")]
    {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("failed to create");
        fs::write(&path, text).expect("failed to write");
    }
    let judged = run(folder.path(), &["judge", "ls"]);
    assert_eq!((judged.status, &*judged.err), (Some(0), ""));
}

#[test]
fn a_projects_link_to_a_file_elsewhere_is_not_read() {
    let folder = folder();
    let project = folder.path().join("a");
    fs::create_dir(project.join(".toolc")).expect("failed to create");
    fs::write(folder.path().join("credentials"), "secret_key = 123").expect("failed to write");
    std::os::unix::fs::symlink("../../credentials", project.join(".toolc/rules.toml")).expect("failed to link");
    let judged = run(&project, &["judge", "ls"]);
    assert_eq!(judged.status, Some(2));
    assert!(judged.err.contains("leads out of the project") && !judged.err.contains("123"), "{}", judged.err);
}

#[test]
fn only_the_user_can_make_an_exception() {
    let folder = folder();
    let exception = "[[rules]]\nname = \"cleans\"\ndescription = \"Deletes what a build has made.\"\nverdict = \"allow\"\n\
        programs = [\"rm\"]\narguments = [\"a\"]\nexempts = [\"recursive-deletion\", \"forced-deletion\"]\n\
        matches = [\"rm -rf a\"]\nignores = [\"rm -rf b\"]\n";
    let own = folder.path().join("home/rules/own.toml");
    let project = folder.path().join(".toolc/rules.toml");
    for path in [&own, &project] {
        fs::create_dir_all(path.parent().expect("a folder")).expect("failed to create");
    }
    fs::write(&own, exception).expect("failed to write");
    let judged = run(folder.path(), &["judge", "rm -rf a"]);
    assert_eq!(judged.status, Some(0), "{} {}", judged.out, judged.err);
    assert!(
        judged.out.contains("\nallow cleans: Deletes what a build has made.\n    exempts from: recursive-deletion"),
        "{}",
        judged.out
    );
    fs::rename(&own, &project).expect("failed to move");
    let judged = run(folder.path(), &["judge", "rm -rf a"]);
    assert_eq!((judged.status, &*judged.out), (Some(2), ""), "a project can only be stricter");
}
