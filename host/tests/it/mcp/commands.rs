//! `toolc mcp`: lists, tests, adds and removes servers.

use serde_json::json;

use super::{config, configure, folder, run, run_with, server};
use crate::approval::terminal::InTerminal;

#[test]
fn servers_are_listed_without_being_started() {
    let Some(folder) = folder() else { return };
    configure(
        &folder,
        &(server("s", &["dead"], "") + "[mcp.servers.web]\nurl = 'https://example.com/mcp'\nenabled = false\n"),
    );
    let list = run(&folder, &["mcp", "list"]).succeeded();
    assert!(list.out.contains("s: python3 -u") && list.out.contains("web (disabled): https://"), "{}", list.out);
    let json = run(&folder, &["mcp", "list", "--json"]).succeeded().json();
    for (key, value) in [
        ("name", json!("web")),
        ("enabled", json!(false)),
        ("trusted", json!(false)),
        ("at", json!("https://example.com/mcp")),
    ] {
        assert_eq!(json[1][key], value);
    }
    configure(&folder, "");
    assert!(run(&folder, &["mcp", "list"]).succeeded().out.contains("no MCP server is configured"));
}

#[test]
fn the_list_shows_the_last_connection_of_servers_and_why_they_could_not_start() {
    let Some(folder) = folder() else { return };
    let missing = "[mcp.servers.missing]\ncommand = 'no-such-program'\nenv = ['UNSET_TOKEN']\n";
    let web = "[mcp.servers.web]\nurl = 'https://example.com/mcp'\nenabled = false\n";
    let both = server("good", &[], "") + &server("dead", &["dead"], "");
    configure(&folder, &(both.clone() + missing + web));
    let new = run(&folder, &["mcp"]).succeeded().out;
    assert_eq!(new.matches("last connection: none").count(), 4, "{new}");
    for text in [
        "would not start: no program `no-such-program` is in `PATH`",
        "the variable UNSET_TOKEN",
        "login: none",
        "/python3\n",
    ] {
        assert!(new.contains(text), "{text}: {new}");
    }
    run(&folder, &["definitions"]).succeeded();
    let seen = run(&folder, &["mcp", "list"]).succeeded().out;
    let good = seen.lines().skip_while(|line| !line.starts_with("good")).take(3).collect::<Vec<_>>().join("\n");
    assert!(good.contains("scripted 1, protocol 2025-11-25 with a handshake, ") && good.contains(" tools, "), "{seen}");
    assert!(seen.contains("last problem: ") && !seen.contains("hunter2"), "{seen}");
    let json = run(&folder, &["mcp", "list", "--json"]).succeeded().json();
    let found =
        |name: &str| json.as_array().into_iter().flatten().find(|server| server["name"] == name).expect("it is listed");
    assert!(found("good")["last_connection"]["tools"].as_u64() > Some(2), "{json}");
    assert_eq!((&found("good")["last_problem"], &found("good")["obstacle"]), (&json!(null), &json!(null)));
    assert_eq!(
        (&found("dead")["last_connection"], found("dead")["last_problem"]["text"].is_string()),
        (&json!(null), true)
    );

    // Another command line: what is known is of the one before, and the accepted one is not started.
    configure(&folder, &(server("good", &["slow"], "") + missing));
    let changed = run(&folder, &["mcp", "list"]).succeeded().out;
    assert!(changed.contains(", with other settings") && changed.contains("run `toolc mcp accept good`"), "{changed}");
    run(&folder, &["mcp", "remove", "good"]).succeeded();
    assert!(!folder.path().join("home/mcp/good.state.json").exists());
}

#[test]
fn a_test_reports_tools_and_problems() {
    let Some(folder) = folder() else { return };
    configure(
        &folder,
        &(server("good", &[], "enabled = false") + &server("bad", &["hostile"], "") + &server("dead", &["dead"], "")),
    );
    let good = run(&folder, &["mcp", "test", "good"]).succeeded();
    assert!(good.out.contains("`good`: connected (scripted 1, protocol 2025-11-25"), "{}", good.out);
    assert!(good.out.contains("tools: mcp__good__change, "), "{}", good.out);
    let all = run(&folder, &["mcp", "test", "--json"]);
    assert_eq!(all.status, Some(1), "{}", all.err);
    let reports = all.json();
    assert_eq!((&reports[0]["name"], &reports[1]["name"], &reports[2]), (&json!("bad"), &json!("dead"), &json!(null)));
    assert_eq!(reports[1]["state"], "failed", "a test makes one attempt");
    assert!(!all.out.contains("hunter2"), "{}", all.out);
    let unknown = run(&folder, &["mcp", "test", "god"]);
    assert!(unknown.status == Some(2) && unknown.err.contains("did you mean `good`"), "{}", unknown.err);
}

#[test]
fn a_server_is_added_tested_and_removed() {
    let Some(folder) = folder() else { return };
    let mine = "# mine\n[agent]\nmax_iterations = 5 # few\n";
    configure(&folder, mine);
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/fixture/server.py");
    let script = script.to_str().expect("the path is UTF-8");
    run(&folder, &["mcp", "add", "s", "--env", "TOKEN", "--", "python3", "-u", script]).succeeded();
    assert!(config(&folder).starts_with(mine) && config(&folder).contains("[mcp.servers.s]"), "{}", config(&folder));
    run(&folder, &["mcp", "test", "s"]).succeeded();
    let web = [
        "mcp",
        "add",
        "web",
        "--url",
        "https://example.com/mcp",
        "--header",
        "X-Key=KEY",
        "--bearer",
        "B",
        "--disabled",
    ];
    run(&folder, &web).succeeded();
    assert!(config(&folder).contains("headers = { X-Key = \"KEY\" }"), "{}", config(&folder));
    for refused in [
        &["mcp", "add", "s", "--", "x"][..],
        &["mcp", "add", "a__b", "--", "x"],
        &["mcp", "add", "x"],
        &["mcp", "add", "x", "--url", "https://x/", "--", "y"],
        &["mcp", "add", "x", "--env", "A B", "--", "y"],
        &["mcp", "remove", "missing"],
    ] {
        let before = config(&folder);
        assert_eq!(run(&folder, refused).status, Some(2), "{refused:?}");
        assert_eq!(config(&folder), before, "{refused:?}");
    }
    for (name, kept) in [("s", "stay in "), ("web", "removed: web\n")] {
        let removed = run(&folder, &["mcp", "remove", name]).succeeded();
        // Only the variable of `s` is in `.env`.
        assert!(removed.out.contains(kept) && removed.out.contains("TOKEN") == (name == "s"), "{}", removed.out);
    }
    assert_eq!(config(&folder), mine);
}

#[test]
fn servers_of_other_programs_are_imported_without_being_started() {
    let Some(folder) = folder() else { return };
    configure(&folder, "");
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/fixture/server.py");
    let note = folder.path().join("started");
    let claude = json!({ "mcpServers": {
        "my server": { "command": "python3", "args": ["-u", script], "env": { "TOKEN": "another", "OWN": "hunter3" } },
        "touch": { "command": "touch", "args": [note] },
        "broken": {},
    } });
    std::fs::write(folder.path().join("claude.json"), claude.to_string()).expect("failed to write");
    let asked = run(&folder, &["mcp", "import", "claude.json"]);
    assert_eq!((asked.status, config(&folder).as_str()), (Some(2), ""), "no person can be asked: {}", asked.err);
    let imported = run(&folder, &["mcp", "import", "claude.json", "--yes"]).succeeded();
    assert!(imported.err.contains("sets MY_SERVER_TOKEN in .env"), "{}", imported.err);
    assert!(imported.err.contains("skipped: `broken`: expected `command` or `url`, got neither"), "{}", imported.err);
    assert!(!imported.err.contains("hunter3") && !config(&folder).contains("hunter3"), "{}", imported.err);
    assert!(config(&folder).contains("\"TOKEN=MY_SERVER_TOKEN\""), "{}", config(&folder));
    let variables = std::fs::read_to_string(folder.path().join("home/.env")).expect("it exists");
    assert!(variables.contains("OWN=hunter3\n") && variables.contains("TOKEN=hunter2hunter2\n"), "{variables}");
    run(&folder, &["definitions", "--json"]).succeeded();
    assert!(!note.exists(), "a disabled server is not started");
    run(&folder, &["mcp", "enable", "my-server"]).succeeded();
    run(&folder, &["call", "mcp__my-server__echo", "text=a"]).succeeded();
    run(&folder, &["mcp", "disable", "my-server"]).succeeded();
    assert_eq!(run(&folder, &["call", "mcp__my-server__echo", "text=a"]).status, Some(1));

    let code =
        "{ // VS Code\n \"servers\": { \"web\": { \"type\": \"http\", \"url\": \"https://example.com/mcp\", }, },\n}";
    std::fs::write(folder.path().join("mcp.json"), code).expect("failed to write");
    run(&folder, &["mcp", "import", "mcp.json", "--yes"]).succeeded();
    assert!(run(&folder, &["mcp", "list"]).succeeded().out.contains("web (disabled): https://example.com/mcp"));
    for other in ["{}", "[", "null"] {
        std::fs::write(folder.path().join("other.json"), other).expect("failed to write");
        assert_eq!(run(&folder, &["mcp", "import", "other.json", "--yes"]).status, Some(2), "{other}");
    }
}

#[test]
fn a_change_is_shown_and_accepted() {
    let Some(folder) = folder() else { return };
    let with = |behaviours: &str| {
        std::fs::write(folder.path().join("behaviours"), behaviours).expect("failed to write");
        configure(&folder, &server("s", &[&format!("@{}", folder.path().join("behaviours").display())], ""));
    };
    with("poisoned");
    let locked = run(&folder, &["mcp", "lock"]).succeeded();
    assert!(locked.out.contains("s: 14 tools accepted"), "{}", locked.out);
    assert!(locked.out.contains("held back, because its texts are suspicious: invisible"), "{}", locked.out);
    assert_eq!(run(&folder, &["mcp", "lock", "s"]).status, Some(2), "it is locked");
    with("drift");
    let warned = run(&folder, &["definitions", "--json", "--enable", "mcp-s"]).succeeded();
    assert!(warned.err.contains("held back: `echo`: it has changed (breaking)"), "{}", warned.err);
    assert!(!warned.out.contains("mcp__s__echo"), "{}", warned.out);
    let diff = run(&folder, &["mcp", "diff"]);
    assert_eq!(diff.status, Some(1), "{}", diff.err);
    for part in [
        "breaking: inputSchema.properties.mode",
        "wording: description",
        "`added`: a new tool\n  + title: Add\n  + description: Adds a text.\n  +   Slowly.\n  + inputSchema: {",
        "  + annotations: {\"readOnlyHint\":true}\n",
        "`shell`: the server no longer lists this tool",
    ] {
        assert!(diff.out.contains(part), "{part}: {}", diff.out);
    }
    assert_eq!(run(&folder, &["mcp", "accept", "s"]).status, Some(2), "no person can be asked");
    for (tool, problem) in [
        ("ekho", "`s` lists no tool or skill `ekho`: did you mean `echo`?"),
        ("shell", "`s` no longer lists `shell`: `toolc mcp accept s` without tools accepts this change"),
    ] {
        let unknown = run(&folder, &["mcp", "accept", "s", "echo", tool]);
        assert!(unknown.status == Some(2) && unknown.err.contains(problem), "{}", unknown.err);
        assert!(!unknown.err.contains("breaking:"), "nothing is shown before: {}", unknown.err);
    }
    let one = run(&folder, &["mcp", "accept", "s", "slow", "--yes"]).succeeded();
    assert_eq!(one.out, "accepted: slow\n");
    assert!(one.err.contains("`slow`\n  wording: description") && !one.err.contains("`echo`"), "{}", one.err);
    let again = run(&folder, &["mcp", "accept", "s", "slow"]).succeeded();
    assert_eq!(again.out, "no differences from what was accepted\n");
    assert!(run(&folder, &["mcp", "accept", "s", "--yes"]).succeeded().out.contains("accepted: added, "));
    assert!(run(&folder, &["mcp", "diff", "s"]).succeeded().out.contains("s: no difference"));
    assert!(run(&folder, &["mcp", "accept", "s"]).succeeded().out.contains("no differences"));
    let lock = folder.path().join("home/mcp/s.lock.json");
    assert!(lock.exists());
    run(&folder, &["mcp", "remove", "s"]).succeeded();
    assert!(!lock.exists());
}

#[test]
fn a_tool_changes_no_servers() {
    let Some(folder) = folder() else { return };
    configure(&folder, &server("s", &[], ""));
    let before = config(&folder);
    for args in
        ["mcp add x -- y", "mcp remove s", "mcp test", "mcp accept s --yes", "mcp lock", "mcp enable s", "mcp import x"]
    {
        let args: Vec<&str> = args.split(' ').collect();
        let inner = run_with(&folder, &args, |program| program.env("TOOLC_INSIDE_TOOL", "1"));
        assert!(
            inner.status == Some(2) && inner.err.contains("inside a tool"),
            "{args:?}: {} {}",
            inner.out,
            inner.err
        );
    }
    assert_eq!(config(&folder), before);
}

#[test]
fn what_was_never_accepted_is_shown_whole() {
    let Some(folder) = folder() else { return };
    configure(&folder, &server("s", &[], ""));
    let diff = run(&folder, &["mcp", "diff", "s"]);
    assert_eq!(diff.status, Some(1), "{}", diff.err);
    let echo = "`echo`: a new tool\n  + description: Return a text.\n  + inputSchema: {\"type\":\"object\",";
    assert!(
        diff.out.contains("no tools of this server have been accepted yet") && diff.out.contains(echo),
        "{}",
        diff.out
    );
    let accepted = run(&folder, &["mcp", "accept", "s", "echo", "fail", "--yes"]).succeeded();
    assert!(accepted.err.contains(echo) && !accepted.err.contains("`slow`"), "{}", accepted.err);
    assert_eq!(accepted.out, "accepted: echo, fail\n");
    assert!(run(&folder, &["mcp", "diff", "s"]).out.contains("`slow`: a new tool"));
}

#[test]
fn a_changed_command_line_is_not_started_before_the_person_agrees() {
    let Some(folder) = folder() else { return };
    configure(&folder, &server("s", &[], ""));
    run(&folder, &["mcp", "lock", "s"]).succeeded();
    let started = folder.path().join("started");
    configure(&folder, &server("s", &[&format!("pid={}", started.display())], ""));
    for command in ["test", "diff", "accept"] {
        let refused = run(&folder, &["mcp", command, "s"]);
        let text = refused.out + &refused.err;
        assert_ne!(refused.status, Some(0), "{command}: {text}");
        assert!(text.contains("has changed since it was accepted, and it is not started"), "{command}: {text}");
        assert!(text.contains(&format!("pid={}", started.display())), "{command}: {text}");
        assert!(text.contains("`toolc mcp accept s` asks whether to start it"), "{command}: {text}");
        assert!(!started.exists(), "{command}");
    }
    let mut program = InTerminal::start(folder.path(), &["mcp", "accept", "s"], "");
    program.wait_for("Start it now? [y/N]", 1);
    program.press("n\r");
    let ended = program.end();
    assert!(!ended.status.success() && !started.exists(), "{}", ended.shown);
    let mut program = InTerminal::start(folder.path(), &["mcp", "accept", "s"], "");
    program.wait_for("Start it now? [y/N]", 1);
    program.press("y\r");
    program.wait_for("Accept these changes? [y/N]", 1);
    assert!(started.exists());
    program.press("y\r");
    let ended = program.end();
    assert!(ended.status.success() && ended.out.contains("accepted: "), "{} {}", ended.out, ended.shown);
    assert!(run(&folder, &["mcp", "diff", "s"]).succeeded().out.contains("no difference"));
    std::fs::remove_file(&started).expect("it exists");
    configure(&folder, &server("s", &[&format!("pid={}", started.display()), "more"], ""));
    run(&folder, &["mcp", "accept", "s", "--yes"]).succeeded();
    assert!(started.exists(), "`--yes` agrees to the start");
}

#[test]
fn an_import_leaves_out_what_cannot_be_written_and_adds_the_rest() {
    let Some(folder) = folder() else { return };
    configure(&folder, "");
    let claude = json!({ "mcpServers": {
        "first": { "command": "python3", "env": { "PEM": "-----BEGIN KEY-----\nhunter3\n" } },
        "relative": { "command": "./server", "env": { "OWN": "hunter4" } },
        "last": { "command": "python3", "env": { "LAST": "hunter5" } },
    } });
    std::fs::write(folder.path().join("claude.json"), claude.to_string()).expect("failed to write");
    let imported = run(&folder, &["mcp", "import", "claude.json", "--yes"]);
    assert_eq!(imported.status, Some(1), "{}", imported.err);
    let skipped = "skipped: `first`: the value of `PEM` has more than one line, which .env does not support";
    assert!(imported.err.contains(skipped), "{}", imported.err);
    assert!(imported.err.contains("not added: `relative`: "), "{}", imported.err);
    assert!(imported.out.starts_with("last\n"), "{}", imported.out);
    let (written, variables) = (config(&folder), std::fs::read_to_string(folder.path().join("home/.env")));
    assert!(written.contains("mcp.servers.last") && !written.contains("relative"), "{written}");
    let variables = variables.expect("it exists");
    assert!(variables.contains("LAST=hunter5\n") && !variables.contains("hunter3"), "{variables}");
}
