//! Permissions of the user and of a project, the question about a call, and the commands that show, add and try them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc_store::{Database, MessageKind, NewMessage, NewSession, Sessions};

use super::terminal::InTerminal;
use super::{folder, log, run};

const RULES: &str = r#"# My rules.
[[permissions]]
name = "secret"
description = "Writes into the folder of secrets."
verdict = "deny"
tools = ["write_file", "patch"]
parameters.path.within = ["secret"]
matches = [{ tool = "write_file", arguments = { path = "secret/a" } }]
ignores = [{ tool = "write_file", arguments = { path = "a" } }]

[[permissions]]
name = "outside"
description = "Writes a file outside of the folder a."
verdict = "ask"
tools = ["write_file"]
parameters.path.outside = ["a"]
"#;

/// Returns a folder with these rules of the user.
fn with_rules(rules: &str) -> TempDir {
    let folder = folder();
    write(folder.path(), "home/permissions.toml", rules);
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("failed to make a folder");
    fs::write(path, text).expect("failed to write");
}

fn write_file(folder: &Path, path: &str) -> Value {
    let arguments = json!({ "path": path, "content": "x" }).to_string();
    run(folder, &["call", "write_file", &arguments]).json()
}

#[test]
fn rules_of_the_user_decide_about_calls_of_any_tool() {
    let folder = with_rules(RULES);
    std::os::unix::fs::symlink("secret", folder.path().join("link")).expect("failed to link");
    fs::create_dir(folder.path().join("secret")).expect("failed to make a folder");
    for path in ["secret/a", "a/../secret/b", "link/c", "./link/../secret/d"] {
        let answer = write_file(folder.path(), path);
        assert_eq!(answer["kind"], "denied", "{path}: {answer}");
        let error = answer["error"].as_str().expect("a message");
        assert!(error.contains("the rule `secret` denies it: Writes into the folder of secrets"), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path().join("secret")).expect("the folder exists").count(), 0);
    assert_eq!(write_file(folder.path(), "c.txt")["kind"], "refused", "no person can be asked");
    assert_eq!(write_file(folder.path(), "a/c.txt")["kind"], Value::Null);
    assert!(folder.path().join("a/c.txt").exists());
    let patch = "*** Begin Patch\n*** Add File: a/new\n+x\n*** Add File: secret/new\n+x\n*** End Patch\n";
    let arguments = json!({ "mode": "patch", "patch": patch }).to_string();
    assert_eq!(
        run(folder.path(), &["call", "patch", &arguments]).json()["kind"],
        "denied",
        "the files of a patch count"
    );
    let last = log(folder.path()).pop().expect("decisions are in the log");
    assert_eq!(
        (&last["tool"], &last["verdict"], &last["rules"]),
        (&json!("patch"), &json!("deny"), &json!(["secret"]))
    );
}

#[test]
fn the_name_of_a_link_counts_and_so_does_where_it_leads() {
    let rule = |name: &str, pattern: &str| {
        format!(
            "[[permissions]]\nname = \"{name}\"\ndescription = \"D.\"\nverdict = \"deny\"\ntools = [\"read_file\", \"write_file\"]\n\
             parameters.path.within = [\"{pattern}\"]\n"
        )
    };
    let folder = with_rules(&(rule("names", "**/*.env") + &rule("folder", "vault")));
    for (path, text) in [("shared/settings", "x"), ("vault/key", "x"), ("plain.txt", "x")] {
        write(folder.path(), path, text);
    }
    for (target, link) in [("shared/settings", "prod.env"), ("vault", "door"), ("plain.txt", "other")] {
        std::os::unix::fs::symlink(target, folder.path().join(link)).expect("failed to link");
    }
    let read = |path: &str| run(folder.path(), &["call", "read_file", &json!({ "path": path }).to_string()]).json();
    for (path, rule) in [
        ("prod.env", "names"),
        ("./shared/../prod.env", "names"),
        ("door/key", "folder"),
        ("door", "folder"),
        ("vault/key", "folder"),
    ] {
        let answer = read(path);
        assert_eq!(answer["kind"], "denied", "{path}: {answer}");
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(&format!("`{rule}`"))), "{path}: {answer}");
    }
    for path in ["shared/settings", "other", "plain.txt"] {
        assert_eq!(read(path)["kind"], Value::Null, "{path}: {}", read(path));
    }
}

#[test]
fn a_project_can_only_be_stricter_and_mistakes_stop_every_call() {
    let folder = folder();
    let rule = |verdict: &str| {
        format!(
            "[[permissions]]\nname = \"p\"\ndescription = \"D.\"\nverdict = \"{verdict}\"\ntools = [\"write_file\"]\n"
        )
    };
    write(folder.path(), ".toolc/permissions.toml", &rule("deny"));
    assert_eq!(write_file(folder.path(), "a/x")["kind"], "denied");
    for (text, part) in [
        (rule("allow"), "the permissions of a project cannot allow anything"),
        (rule("deny").replace("write_file", "write_fil"), "did you mean `write_file`?"),
        (rule("deny") + "environments = [\"dokcer\"]\n", "no kind of environment is called `dokcer`"),
        (rule("deny") + "parameters.pat.within = [\"x\"]\n", "no tool of this rule has the parameter `pat`"),
        ("[[permission]]\n".to_owned(), "did you mean `permissions`?"),
    ] {
        write(folder.path(), ".toolc/permissions.toml", &text);
        let refused = run(folder.path(), &["call", "write_file", "path=a/x", "content=y"]);
        assert_eq!((refused.status, refused.out.as_str()), (Some(2), ""), "{text}");
        assert!(refused.err.contains(part) && refused.err.contains("permissions.toml:"), "{text}: {}", refused.err);
        assert!(run(folder.path(), &["doctor"]).out.contains(part), "{text}");
    }
}

#[test]
fn a_question_offers_the_folder_and_an_answer_of_always_is_kept_until_it_is_revoked() {
    let folder = with_rules(RULES);
    let call = ["call", "write_file", "path=b/x.txt", "content=1"];
    let mut program = InTerminal::start(folder.path(), &call, "");
    program.answer(1, "a");
    let ended = program.end();
    let place = folder.path().canonicalize().expect("the folder exists").join("b");
    let offer = format!("`s` and `a` also allow calls of `write_file` with `path` in `{}`.", place.display());
    for text in ["The tool `write_file` is called.", "Writes a file outside of the folder a (rule `outside`)", &offer] {
        let shown = ended.shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert_eq!(ended.status.code(), Some(0));
    // Without a person, another file of the folder, but no other folder.
    assert_eq!(write_file(folder.path(), "b/y.txt")["kind"], Value::Null);
    assert_eq!(write_file(folder.path(), "c/y.txt")["kind"], "refused");

    let listed = run(folder.path(), &["permissions", "list", "--json"]).json();
    let all = listed.as_array().expect("an array");
    assert_eq!(all.iter().filter_map(|rule| rule["name"].as_str()).collect::<Vec<_>>(), ["secret", "outside"]);
    assert_eq!((&all[2]["id"], &all[2]["tool"]), (&json!(1), &json!("write_file")));
    assert!(all[2]["rule"].as_str().is_some_and(|rule| rule.contains("exempts = [\"outside\"]")), "{listed}");
    let why = run(folder.path(), &["why", "write_file"]).out;
    assert!(why.contains("ask outside: ") && why.contains("allow answer: ") && why.contains("(answer 1)"), "{why}");
    let text = run(folder.path(), &["approvals", "list"]).out;
    assert!(text.contains("deny secret: ") && text.contains("permissions.toml:3)"), "{text}");
    assert!(text.contains("1: write_file, local, since "), "{text}");

    assert_eq!(run(folder.path(), &["permissions", "revoke", "1"]).out, "1 approval revoked\n");
    assert_eq!(write_file(folder.path(), "b/z.txt")["kind"], "refused");
}

#[test]
fn a_call_can_be_tried_without_running_it() {
    let folder = with_rules(RULES);
    let test = |path: &str| {
        let arguments = json!({ "path": path, "content": "x" }).to_string();
        run(folder.path(), &["permissions", "test", "write_file", &arguments])
    };
    for (path, status, verdict) in [("secret/a", 3, "deny"), ("x", 1, "ask"), ("a/x", 0, "allow")] {
        let found = test(path);
        assert_eq!(found.status, Some(status), "{path}: {}", found.err);
        assert!(found.out.contains(&format!("verdict: {verdict}: ")), "{path}: {}", found.out);
    }
    assert!(
        test("secret/a").out.starts_with("deny secret: Writes into the folder of secrets."),
        "{}",
        test("secret/a").out
    );
    assert!(!folder.path().join("a/x").exists());
    let json = run(folder.path(), &["permissions", "test", "--json", "write_file", r#"{"path":"x"}"#]).json();
    assert_eq!((&json["verdict"], &json["rules"][0]["name"]), (&json!("ask"), &json!("outside")));
    for wrong in [&["permissions", "test", "write_fil"][..], &["permissions", "test", "write_file", "[]"]] {
        assert_eq!(run(folder.path(), wrong).status, Some(2));
    }
}

#[test]
fn a_call_is_tried_with_its_commands_and_the_mode_and_takes_pairs() {
    let folder = with_rules(RULES);
    let command = r#"{"command":"rm -rf x"}"#;
    let tests = |mode: &str, arguments: &[&str]| {
        let head = ["--approval", mode, "permissions", "test"];
        run(folder.path(), &[&head, arguments].concat())
    };
    for (mode, status, meaning) in [
        ("ask", 1, "verdict: ask: a person decides\n"),
        ("strict", 1, "verdict: ask: a person decides\n"),
        ("deny", 3, "verdict: deny: the call does not run, because it needs approval, and the mode is `deny`\n"),
        ("off", 0, "verdict: allow: the call runs, because the mode is `off`\n"),
    ] {
        for arguments in [&["terminal", command][..], &["terminal", "command=rm -rf x"]] {
            let found = tests(mode, arguments);
            assert_eq!(found.status, Some(status), "{mode}: {} {}", found.out, found.err);
            let rule = if mode == "strict" { "not-known-to-be-harmless" } else { "recursive-deletion" };
            for part in [meaning, "    permissions: they do not ask\n", rule, &format!("    mode: {mode}\n")] {
                assert!(found.out.contains(part), "{mode}: {part}: {}", found.out);
            }
        }
        let why = run(folder.path(), &["--approval", mode, "why", "terminal", "--args", command]).out;
        assert!(why.contains(meaning), "{mode}: {why}");
        let judged = run(folder.path(), &["--approval", mode, "judge", "rm -rf x"]);
        assert_eq!(judged.status, Some(status), "{mode}: {}", judged.out);
        assert!(judged.out.contains(&meaning.replace("the call", "the command")), "{mode}: {}", judged.out);
    }
    let pair = tests("ask", &["write_file", "path=a/x", "content=x"]);
    assert_eq!(pair.status, Some(0), "{} {}", pair.out, pair.err);
    let json = run(folder.path(), &["permissions", "test", "--json", "terminal", command]).json();
    let words = ["permissions", "command_rules", "mode", "verdict"].map(|key| json[key].as_str().unwrap_or_default());
    assert_eq!(words, ["allow", "ask", "ask", "ask"], "{json}");
    let wrong = tests("ask", &["write_file", "path"]);
    assert!(wrong.status == Some(2) && wrong.err.contains("expected NAME=VALUE"), "{}", wrong.err);
}

#[test]
fn a_judgement_counts_a_permission_about_the_tool_that_runs_commands() {
    let rule = "[[permissions]]\nname = \"git-push\"\ndescription = \"Pushes.\"\nverdict = \"ask\"\ntools = [\"terminal\"]\n\
                parameters.command.matches = [\"git push*\"]\n";
    let folder = with_rules(rule);
    let judged = run(folder.path(), &["judge", "git push origin main"]);
    assert_eq!(judged.status, Some(1), "{} {}", judged.out, judged.err);
    assert!(judged.out.contains("\npermissions:\nask git-push: Pushes. ("), "{}", judged.out);
    assert!(
        judged.out.contains("    permissions: ask (git-push)\n    command rules: they do not ask\n"),
        "{}",
        judged.out
    );
    let json = run(folder.path(), &["judge", "--json", "git push origin main"]).json();
    assert_eq!((&json["verdict"], &json["rules"][0]["name"]), (&json!("ask"), &json!("git-push")), "{json}");
    assert_eq!(run(folder.path(), &["judge", "git fetch"]).status, Some(0));
}

/// What this machine has at a path says nothing about a command that runs on another one.
#[cfg(unix)]
#[test]
fn a_judgement_is_about_the_chosen_environment() {
    let folder = with_rules("");
    let line = "cat safe";
    write(folder.path(), "home/config.toml", "environment.container.image = \"debian\"\n");
    std::os::unix::fs::symlink("/etc/shadow", folder.path().join("safe")).expect("a link");
    let here = run(folder.path(), &["judge", line]);
    let there = run(folder.path(), &["judge", "--environment", "docker", line]);
    assert_eq!((here.status, there.status), (Some(1), Some(0)), "{} {}", here.out, there.out);
}

#[test]
fn a_path_that_a_rule_compares_as_a_text_is_reported() {
    let folder = with_rules(RULES);
    let add = |name: &str, condition: [&str; 2], tool: &str| {
        let head = ["permissions", "add", name, "--verdict", "deny", "--description", "D.", "--tool", tool];
        run(folder.path(), &[&head[..], &condition].concat())
    };
    let text = add("text", ["--matches", "path=**/.env"], "read_file");
    assert!(
        text.status == Some(0) && text.err.contains("`path` is a path, and the rule compares it as a text"),
        "{}",
        text.err
    );
    assert!(text.err.contains("`--within`"), "{}", text.err);
    let path = add("path", ["--within", "path=**/.env"], "read_file");
    assert!(!path.err.contains("as a text"), "{}", path.err);
    assert!(path.err.contains("does not keep the path from the commands of `terminal`"), "{}", path.err);
    let command = add("command", ["--matches", "command=git push*"], "terminal");
    assert_eq!((command.status, &*command.err), (Some(0), ""));
    let listed = run(folder.path(), &["permissions", "list"]);
    assert_eq!(listed.err.matches("is a path, and the rule compares it as a text").count(), 1, "{}", listed.err);
}

#[test]
fn why_lists_the_rules_about_a_tool_and_the_verdict_about_a_call() {
    let folder = with_rules(RULES);
    let project = "[[permissions]]\nname = \"of-project\"\ndescription = \"D.\"\nverdict = \"deny\"\ntools = [\"write_*\"]\n\
                   environments = [\"docker\"]\n";
    write(folder.path(), ".toolc/permissions.toml", project);
    let why = |args: &[&str]| run(folder.path(), &[&["why"], args].concat());
    let shown = why(&["write_file"]);
    assert_eq!(shown.status, Some(0), "{}", shown.err);
    let (_, section) = shown.out.split_once("\npermissions: ").expect("a section");
    let lines: Vec<&str> = section.lines().map(str::trim).collect();
    assert_eq!(lines[0], "these rules are about this tool");
    for (line, (start, end)) in lines[1..].iter().zip([
        ("deny secret: Writes into the folder of secrets. (", "home/permissions.toml:3)"),
        ("ask outside: Writes a file outside of the folder a. (", "home/permissions.toml:12)"),
        ("deny of-project: D. (", ".toolc/permissions.toml:2)"),
    ]) {
        assert!(line.starts_with(start) && line.ends_with(end), "{line}");
    }
    assert_eq!(lines.len(), 4, "{lines:?}");
    let other = why(&["read_file"]).out;
    assert!(other.contains("permissions: no rule is about this tool\n"), "{other}");

    for (path, verdict, rules) in [("secret/a", "deny", "secret"), ("b", "ask", "outside"), ("a/x", "allow", "")] {
        let args = json!({ "path": path, "content": "x" }).to_string();
        let text = why(&["write_file", "--args", &args]).out;
        assert!(text.contains(&format!("verdict: {verdict}: ")), "{path}: {text}");
        let found = why(&["write_file", "--args", &args, "--json"]);
        let json = found.json();
        assert_eq!((found.status, &json["status"]), (Some(0), &json!("shown")), "{json}");
        assert_eq!(json["permissions"]["verdict"], verdict, "{json}");
        assert_eq!(
            json["permissions"]["decided_by"].as_array().expect("an array").len(),
            usize::from(!rules.is_empty())
        );
        assert_eq!(json["permissions"]["rules"].as_array().map(Vec::len), Some(3));
        assert!(rules.is_empty() || text.contains(&format!(" ({rules})")), "{text}");
    }
    assert!(!folder.path().join("a/x").exists(), "nothing is run");
    for wrong in [&["write_file", "--args", "[]"][..], &["write_file", "--args", "{"], &["--call", "x", "--args", "{}"]]
    {
        assert_eq!(why(wrong).status, Some(2), "{wrong:?}");
    }
    write(folder.path(), "home/permissions.toml", "[[permission]]\n");
    let broken = why(&["write_file"]);
    assert_eq!(broken.status, Some(0), "{}", broken.err);
    assert!(
        broken.out.contains("permissions: no call runs") && broken.out.contains("`permissions`?"),
        "{}",
        broken.out
    );
}

#[test]
fn the_schema_of_the_files_is_printed() {
    let printed = run(folder().path(), &["permissions", "schema"]).json();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/permissions.schema.json"));
    let page: Value = serde_json::from_str(&page.expect("the page exists")).expect("it is JSON");
    assert_eq!(printed, page);
}

#[test]
fn recorded_calls_show_what_rules_would_change() {
    let folder = with_rules(RULES);
    let directory = folder.path().display().to_string();
    let sessions = Sessions::new(Arc::new(Database::new(folder.path().join("home/state.db"))));
    let session = NewSession { name: "s1", source: "chat", directory: &directory, api: "chat", model: "m", title: "T" };
    sessions.start(&session).expect("failed to record");
    let call = |name: &str, arguments: &str| json!({ "id": "1", "name": name, "arguments": arguments });
    let calls = [
        call("write_file", r#"{"path": "secret/a", "content": "x"}"#),
        call("write_file", r#"{"path": "b/x", "content": "x"}"#),
        call("write_file", r#"{"path": "a/x", "content": "x"}"#),
        call("read_file", r#"{"path": "secret/a"}"#),
        call("write_file", "not JSON"),
        call("gone", "{}"),
    ];
    let details = json!(calls).to_string();
    let message = NewMessage {
        kind: MessageKind::Model,
        text: "",
        raw: "[]",
        api: None,
        details: &details,
        keeps_from: None,
        tokens: None,
        after: None,
        calls: &[],
    };
    sessions.append("s1", &message).expect("failed to record");

    let found = run(folder.path(), &["permissions", "test", "--recorded", "--since", "1h", "--json"]);
    let json = found.json();
    assert_eq!((found.status, &json["calls"]), (Some(1), &json!(4)), "{json}");
    let changed: Vec<(&str, &str)> = json["changed"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|call| (call["verdict"].as_str().expect("a word"), call["arguments"]["path"].as_str().expect("a path")))
        .collect();
    assert_eq!(changed, [("deny", "secret/a"), ("ask", "b/x")]);
    let text = run(folder.path(), &["permissions", "test", "--recorded"]).out;
    assert!(text.contains("of 4 calls since ") && text.contains("1 would now ask, 1 would be denied"), "{text}");
    let wrong = run(folder.path(), &["permissions", "test", "--recorded", "--since", "soon"]);
    assert_eq!(wrong.status, Some(2), "{}", wrong.out);
    assert!(!folder.path().join("b/x").exists(), "nothing is run");
}

#[test]
fn a_rule_is_added_if_it_has_no_mistakes_and_the_file_stays_as_it_is() {
    let folder = with_rules(RULES);
    let add = |more: &[&str]| {
        let base = ["permissions", "add", "numbers", "--verdict", "deny", "--description", "Reads a part."];
        run(folder.path(), &[&base, more].concat())
    };
    let file = folder.path().join("home/permissions.toml");
    let text = || fs::read_to_string(&file).expect("the file exists");
    for (more, part) in [
        (&["--tool", "read_fil"][..], "did you mean `read_file`?"),
        (&["--tool", "read_file", "--within", "pth=src"], "no tool of this rule has the parameter `pth`"),
        (&[], "`numbers` would match every call"),
        (&["--tool", "read_file", "--is", "offset=x"], "is not JSON"),
    ] {
        let refused = add(more);
        assert_eq!(refused.status, Some(2), "{more:?}");
        assert!(refused.err.contains(part), "{more:?}: {}", refused.err);
        assert_eq!(text(), RULES, "{more:?}");
    }
    let added = add(&["--tool", "read_file", "--minimum", "offset=100"]);
    assert_eq!(added.status, Some(0), "{}", added.err);
    assert!(text().starts_with(RULES), "{}", text());
    let read = |offset: i64| {
        let arguments = json!({ "path": "home/permissions.toml", "offset": offset }).to_string();
        run(folder.path(), &["permissions", "test", "read_file", &arguments]).status
    };
    assert_eq!((read(99), read(100)), (Some(0), Some(3)));
    assert_eq!(add(&["--tool", "read_file"]).status, Some(2), "the name is taken");
    let revoke = |name: &str| run(folder.path(), &["permissions", "revoke", name]);
    let unknown = revoke("no-such-rule");
    assert!(unknown.status == Some(1) && unknown.err.contains("has no rule with the name"), "{}", unknown.err);
    let removed = revoke("numbers");
    assert_eq!((removed.status, &*removed.out), (Some(0), "the rule numbers is removed\n"), "{}", removed.err);
    assert_eq!(text(), RULES, "the other rules stay as they are");
}

#[test]
fn permissions_cannot_be_changed_inside_of_a_tool() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_toolc");
    // A script hides the command from the judge.
    let script = format!(
        "env -i HOME=/ TOOLC_HOME=\"$TOOLC_HOME\" PATH=\"$PATH\" '{program}' permissions add x --verdict allow --description D. --tool '*'\n"
    );
    write(folder.path(), "script.sh", &script);
    let call = run(folder.path(), &["call", "terminal", "command=sh ./script.sh"]).json();
    assert!(call["output"].as_str().is_some_and(|output| output.contains("does not run inside a tool")), "{call}");
    assert!(!folder.path().join("home/permissions.toml").exists());
    for command in ["toolc permissions revoke --all", "toolc approvals add x --verdict allow"] {
        let call = run(folder.path(), &["call", "--yes", "terminal", &format!("command={command}")]);
        assert_eq!(call.json()["kind"], "denied", "{command}");
    }
}
