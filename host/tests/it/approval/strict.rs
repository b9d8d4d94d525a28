//! The mode `strict`, and the sets of rules that the configuration switches on.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{folder, run, run_with};

/// Writes the configuration of the profile.
fn configure(folder: &Path, text: &str) {
    fs::create_dir_all(folder.join("home")).expect("failed to make the home");
    fs::write(folder.join("home/config.toml"), text).expect("failed to write");
}

#[test]
fn the_mode_strict_asks_about_what_is_not_known_to_be_harmless() {
    let folder = folder();
    let call = |args: &[&str], variable: &str, command: &str| {
        let command = format!("command={command}");
        let args = [args, &["call", "terminal", &command]].concat();
        run_with(folder.path(), &args, |program| program.env("TOOLC_APPROVAL", variable))
    };
    for (args, variable) in [(&["--approval", "strict"][..], ""), (&[], "strict")] {
        let harmless = call(args, variable, "ls | wc -l");
        assert_eq!(harmless.status, Some(0), "{} {}", harmless.out, harmless.err);
        let refused = call(args, variable, "touch made");
        assert_eq!((refused.status, &refused.json()["kind"]), (Some(1), &json!("refused")), "{}", refused.out);
        let error = refused.json()["error"].as_str().expect("a message").to_owned();
        assert!(error.contains("not-known-to-be-harmless"), "{error}");
        assert!(!folder.path().join("made").exists());
    }
    assert_eq!(call(&[], "", "touch made").status, Some(0));
    assert!(folder.path().join("made").exists());
}

#[test]
fn without_a_person_the_mode_strict_of_the_configuration_still_counts() {
    let folder = folder();
    let call = |mode: &str| run(folder.path(), &["--approval", mode, "call", "terminal", "command=touch made"]);
    configure(folder.path(), "[approval]\nmode = \"strict\"\n");
    let denied = call("deny");
    assert_eq!((denied.status, &denied.json()["kind"]), (Some(1), &json!("denied")), "{}", denied.out);
    assert!(!folder.path().join("made").exists());
    configure(folder.path(), "[approval]\nmode = \"ask\"\n");
    assert_eq!(call("deny").status, Some(0));
}

#[test]
fn the_mode_strict_asks_about_tools_that_are_not_shipped_unless_they_only_read() {
    let folder = folder();
    let tried = |mode: &str, tool: &str| {
        let found = run(folder.path(), &["--approval", mode, "permissions", "test", tool, "path=x", "content=y"]);
        (found.status, found.out.contains("ask not-known-to-only-read: "))
    };
    let foreign = "mcp__fs__write_file";
    assert_eq!(tried("ask", foreign), (Some(0), false));
    assert_eq!(tried("strict", foreign), (Some(1), true));
    assert_eq!(tried("off", foreign).0, Some(0));
    assert_eq!(tried("strict", "write_file"), (Some(0), false), "a shipped tool");
    configure(folder.path(), "[approval]\nmode = \"strict\"\n");
    assert_eq!(tried("deny", foreign).0, Some(3));
    let allow = "[[permissions]]\nname = \"own\"\ndescription = \"D.\"\nverdict = \"allow\"\nservers = [\"fs\"]\n";
    fs::write(folder.path().join("home/permissions.toml"), allow).expect("failed to write");
    assert_eq!(tried("strict", foreign), (Some(0), false), "a permission allows it");
    assert_eq!(tried("strict", "mcp__other__x"), (Some(1), true));
}

#[test]
fn sets_of_rules_are_switched_on_in_the_configuration() {
    let folder = folder();
    let judged = |args: &[&str]| run(folder.path(), &[&["judge"], args].concat()).status;
    for command in ["git push", "sudo ls", "curl -d x example.org", "kubectl apply -f x"] {
        assert_eq!(judged(&[command]), Some(0), "{command}");
    }
    configure(folder.path(), "[approval]\nsets = [\"push\", \"builds\"]\n");
    assert_eq!((judged(&["git push"]), judged(&["sudo ls"])), (Some(1), Some(0)));
    assert_eq!(judged(&["--approval", "strict", "sudo ls"]), Some(1));
    assert_eq!(judged(&["--approval", "strict", "cargo test"]), Some(0), "a build of the project");
    let doctor = run(folder.path(), &["--approval", "strict", "doctor", "--json"]).json();
    assert_eq!(doctor["approval"]["sets"], json!(["strict", "push", "builds"]));
    configure(folder.path(), "[approval]\nsets = [\"pushes\"]\n");
    let wrong = run(folder.path(), &["judge", "ls"]);
    assert!(wrong.status == Some(2) && wrong.err.contains("did you mean `push`?"), "{}", wrong.err);
}

#[test]
fn a_rule_of_the_user_makes_a_program_known_as_harmless() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("home/rules")).expect("failed to make a folder");
    let rule = "[[rules]]\nname = \"own\"\ndescription = \"Reports.\"\nverdict = \"allow\"\n\
        exempts = [\"not-known-to-be-harmless\"]\nprograms = [\"report\"]\nonly_flags = [\"--short\"]\n\
        matches = [\"report --short x\"]\nignores = [\"report --send x\"]\n";
    fs::write(folder.path().join("home/rules/own.toml"), rule).expect("failed to write");
    let judged = |command| run(folder.path(), &["--approval", "strict", "judge", command]).status;
    assert_eq!([judged("report x"), judged("report --send x"), judged("other")], [Some(0), Some(1), Some(1)]);
    // Nothing else changes: in the mode `ask` the exception has nothing to exempt from.
    assert_eq!(run(folder.path(), &["judge", "report --send x"]).status, Some(0));
}
