//! `config.toml`: what is read, and how mistakes are reported.

use super::{folder, run, run_with, write};

#[test]
fn without_a_file_everything_has_its_default() {
    let folder = folder();
    let shown = run(&folder, &["config", "show", "--json"]).json();
    assert_eq!(
        shown["approval"],
        serde_json::json!({ "mode": null, "sets": [], "timeout_ms": 60_000, "second_opinion": false })
    );
    assert_eq!((&shown["profile"], &shown["models"]["main"]), (&"default".into(), &serde_json::Value::Null));
    assert_eq!(run(&folder, &["config", "check"]).status, Some(0));
    let path = run(&folder, &["config", "path"]).out;
    assert_eq!(path.trim_end(), folder.path().join("home/config.toml").display().to_string());
    assert!(!folder.path().join("home").exists(), "reading creates nothing");
}

#[test]
fn all_mistakes_are_reported_at_once_with_their_places_and_advice() {
    let folder = folder();
    write(
        &folder,
        "home/config.toml",
        "versoin = 1\n\n[models.main]\napi = \"anthropc\"\nmodel = \"x\"\nbase_url = \"ftp://x\"\nkey_variable = \"sk-123\"\n\n\
         [tools]\ndisable = [\"termnal\"]\n\n[agent]\ncompact_at_percent = 3\nmax_iterations = \"90\"\n",
    );
    for args in [&["config", "check"][..], &["definitions"], &["call", "todo"]] {
        let refused = run(&folder, args);
        assert_eq!(refused.status, Some(if args[0] == "config" { 1 } else { 2 }), "{}", refused.err);
        // Only the check knows the names of toolsets before the file is valid.
        let count = if args[0] == "config" { "has 7 mistakes" } else { "has 6 mistakes" };
        for text in [
            count,
            "config.toml:1:1",
            "did you mean `version`?",
            "did you mean `anthropic`?",
            "config.toml:6:12",
            "is not the name of a variable",
            "expected a percentage from 10 to 95",
            "config.toml:14:18",
        ] {
            assert!(refused.err.contains(text), "{text}: {}", refused.err);
        }
        assert_eq!(refused.out, "");
    }
}

#[test]
fn a_dialect_that_does_not_fit_the_api_is_refused_with_its_place() {
    let folder = folder();
    let model = |api: &str, dialect: &str| {
        let text = format!("[models.main]\napi = \"{api}\"\nmodel = \"m\"\ndialect = \"{dialect}\"\n");
        write(&folder, "home/config.toml", &text);
        run(&folder, &["config", "check"])
    };
    for (api, dialect) in [("chat", "portable"), ("gemini", "gemini-openapi"), ("anthropic", "anthropic-strict")] {
        let accepted = model(api, dialect);
        assert_eq!(accepted.status, Some(0), "{}", accepted.err);
    }
    for (api, dialect) in [("anthropic", "portable"), ("chat", "gemini"), ("interactions", "gemini")] {
        let refused = model(api, dialect);
        let message = format!("the dialect `{dialect}` does not fit the API `{api}`");
        assert!(refused.err.contains("config.toml:4:11") && refused.err.contains(&message), "{}", refused.err);
        assert_eq!(refused.status, Some(1));
    }
    let unknown = model("chat", "portabel");
    assert!(unknown.err.contains("did you mean `portable`?"), "{}", unknown.err);
}

#[test]
fn unknown_toolsets_tools_and_facts_are_mistakes() {
    let folder = folder();
    write(
        &folder,
        "home/config.toml",
        "[tools]\ndisable = [\"termnal\"]\ndisable_tools = [\"wirte_file\"]\n\n[facts]\nvison = true\n",
    );
    let refused = run(&folder, &["definitions"]);
    refused.assert_refused(&["config.toml:2:12", "did you mean `terminal`?", "did you mean `write_file`?"]);
    assert_eq!(run(&folder, &["config", "check"]).status, Some(1));
}

#[test]
fn the_configuration_grants_and_disables_tools_and_the_command_line_cannot_enable_what_is_disabled() {
    let folder = folder();
    write(&folder, "home/config.toml", "[tools]\nenable = [\"file\", \"todo\"]\ndisable_tools = [\"write_file\"]\n");
    let names = |args: &[&str]| -> Vec<String> {
        let definitions = run(&folder, &[&["definitions", "--dialect", "mcp", "--json"], args].concat()).json();
        let all = definitions.as_array().expect("an array").iter();
        all.map(|definition| definition["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&[]), ["patch", "read_file", "search_files", "todo"]);
    assert_eq!(names(&["--enable", "file"]), ["patch", "read_file", "search_files"]);
    assert_eq!(names(&["--enable-tools", "write_file"]), [""; 0]);
}

#[test]
fn the_mode_of_approval_is_that_of_the_command_line_the_environment_or_the_configuration() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("a")).expect("failed to make a folder");
    write(&folder, "home/config.toml", "[approval]\nmode = \"off\"\n");
    let doctor = |args: &[&str], variable: &str| {
        let args = [&["doctor", "--json"], args].concat();
        let mode = run_with(&folder, &args, |program| program.env("TOOLC_APPROVAL", variable)).json();
        mode["approval"]["mode"].as_str().expect("a mode").to_owned()
    };
    assert_eq!(doctor(&[], ""), "off");
    assert_eq!(doctor(&[], "deny"), "deny");
    assert_eq!(doctor(&["--approval", "ask"], "deny"), "ask");
    let call = run(&folder, &["call", "terminal", "command=rm -r a"]);
    assert!(call.err.contains("APPROVAL IS OFF") && !folder.path().join("a").exists(), "{} {}", call.out, call.err);
}

#[test]
fn a_file_that_is_no_text_or_too_large_or_of_a_newer_version_is_an_error() {
    let folder = folder();
    for (text, expected) in [
        ("version = 99\n".to_owned(), "update toolc"),
        ("[tools\n".to_owned(), "invalid TOML"),
        (format!("# {}\n", "x".repeat(1 << 20)), "more than 1048576 bytes"),
    ] {
        write(&folder, "home/config.toml", &text);
        run(&folder, &["definitions"]).assert_refused(&[expected]);
    }
    std::fs::remove_file(folder.path().join("home/config.toml")).expect("it exists");
    std::fs::create_dir(folder.path().join("home/config.toml")).expect("failed to make a folder");
    run(&folder, &["definitions"]).assert_refused(&["it is a folder"]);
}

#[test]
fn mistakes_about_another_machine_are_reported_with_advice() {
    let folder = folder();
    write(&folder, "home/config.toml", "[environment]\nkind = \"ssh\"\n");
    run(&folder, &["call", "todo"]).assert_refused(&["set `environment.ssh.host` in config.toml"]);
    write(
        &folder,
        "home/config.toml",
        "[environment.ssh]\nhots = \"a\"\nhost = \"me@example.org\"\nport = 70000\nkey = \"id_ed25519\"\n\
         host_keys = \"accept\"\nuser = \"-oProxyCommand=x\"\n",
    );
    let refused = run(&folder, &["config", "check"]);
    for text in [
        "has 6 mistakes",
        "did you mean `host`?",
        "`host` is not the name of a host",
        "expected a number from 1 to 65535",
        "the path of `key` is relative",
        "`user` is not the name of a user",
        "did you mean `accept-new`?",
    ] {
        assert!(refused.err.contains(text), "{text}: {}", refused.err);
    }
    write(
        &folder,
        "home/config.toml",
        "[environment.ssh]\nhost = \"a\"\nport = 2222\nhost_keys = \"accept-new\"\ndirectory = \"~/project\"\n",
    );
    let shown = run(&folder, &["config", "show", "--json"]).json();
    let expected = serde_json::json!({
        "host": "a", "user": null, "port": 2222, "key": null, "directory": "~/project", "known_hosts": null,
        "host_keys": "accept-new", "config_file": null,
    });
    assert_eq!((&shown["environment"]["ssh"], &shown["environment"]["kind"]), (&expected, &"local".into()));
}

#[test]
fn how_the_model_learns_of_tools_is_shown() {
    let folder = folder();
    let shown = || {
        let shown = run(&folder, &["config", "show", "--json"]).json();
        let words =
            [&shown["tools"]["search"], &shown["tools"]["changes"], &shown["mcp"]["endpoints"]["a"]["list_ttl_ms"]];
        serde_json::json!(words)
    };
    let endpoint = "[mcp.endpoints.a]\ntools = [\"todo\"]\n";
    write(&folder, "home/config.toml", endpoint);
    assert_eq!(shown(), serde_json::json!(["toolc", "resend", null]));
    let set = "[tools]\nsearch = \"off\"\nchanges = \"append\"\n";
    write(&folder, "home/config.toml", &format!("{set}{endpoint}list_ttl = \"5m\"\n"));
    assert_eq!(shown(), serde_json::json!(["off", "append", 300_000]));
}

#[test]
fn sandboxes_of_services_are_configured_and_checked() {
    let folder = folder();
    write(
        &folder,
        "home/config.toml",
        "[environment]\nput = [\"../x\", \"/etc\", \"\"]\nget = [\"a/../b\"]\n[environment.daytona]\n\
         url = \"http://localhost.example.org\"\n[environment.modal]\nurl = \"http://example.org\"\n\
         directory = \"work\"\napp = \"\"\n",
    );
    let refused = run(&folder, &["config", "check"]);
    for (text, count) in [
        ("has 8 mistakes", 1),
        ("`put` has a path that is not below the directory", 3),
        ("`get` has a path that is not below the directory", 1),
        ("`url` is not encrypted", 2),
        ("`directory` is not absolute", 1),
        ("`app` is empty", 1),
    ] {
        assert_eq!(refused.err.matches(text).count(), count, "{text}: {}", refused.err);
    }
    write(
        &folder,
        "home/config.toml",
        "[environment]\nput = [\".\"]\nget = [\"a/b\"]\n[environment.modal]\nurl = \"http://127.0.0.1:1/x\"\n",
    );
    let shown = run(&folder, &["config", "show", "--json"]).json();
    let expected = serde_json::json!({
        "python": "python3", "app": "toolc", "image": null, "directory": "/root/work", "network": false, "gpu": null, "max_minutes": 120,
        "max_memory_mib": 2048, "max_processors": 2, "max_sandboxes": 8, "url": "http://127.0.0.1:1/x",
    });
    assert_eq!(shown["environment"]["modal"], expected);
    assert_eq!((&shown["environment"]["put"][0], &shown["environment"]["get"][0]), (&".".into(), &"a/b".into()));
}

#[test]
fn containers_of_apptainer_are_configured_and_checked() {
    let folder = folder();
    write(&folder, "home/config.toml", "[environment.apptainer]\nimage = \"x.sif\"\nbinds = [\"data\"]\nbind = []\n");
    let refused = run(&folder, &["config", "check"]);
    for text in ["has 3 mistakes", "the path of `image` is relative", "is not absolute", "did you mean `binds`?"] {
        assert!(refused.err.contains(text), "{text}: {}", refused.err);
    }
    write(&folder, "home/config.toml", "[environment]\nkind = \"apptainer\"\n");
    run(&folder, &["call", "todo"]).assert_refused(&["set `environment.apptainer.image` in config.toml"]);
    write(
        &folder,
        "home/config.toml",
        "[environment]\nkind = \"apptainer\"\n[environment.apptainer]\nimage = \"~/x.sif\"\nprogram = \"/missing/apptainer\"\n\
         binds = [\"/data:/data:ro\"]\n",
    );
    let expected = serde_json::json!({
        "image": "~/x.sif", "program": "/missing/apptainer", "network": false, "binds": ["/data:/data:ro"],
    });
    assert_eq!(run(&folder, &["config", "show", "--json"]).json()["environment"]["apptainer"], expected);
    let doctor = run(&folder, &["doctor", "--json"]).json();
    let problem = doctor["environment"]["apptainer"]["problem"].as_str().expect("a problem").to_owned();
    assert!(problem.contains("the program `/missing/apptainer` is missing"), "{problem}");
}

#[test]
fn a_kind_without_what_it_needs_and_limits_that_cannot_be_are_found_at_the_line() {
    let folder = folder();
    for (text, line, problems) in [
        ("[environment]\nkind = \"docker\"\n", 2, ["lacks an image", "needs `environment.container.image`"]),
        ("[environment]\nkind = \"ssh\"\n", 2, ["lacks the name of a machine", "needs `environment.ssh.host`"]),
        (
            "[environment]\nkind = \"apptainer\"\n[environment.apptainer]\nnetwork = true\n",
            2,
            ["lacks an image", "needs `environment.apptainer.image`"],
        ),
        ("[agent]\nquestion_timeout = \"11m\"\n", 2, ["`question_timeout`", "expected at most `10m`"]),
        ("[agent]\nquestion_timeout = \"0s\"\n", 2, ["`question_timeout`", "must be longer than 0"]),
        ("\n[results]\nmax_chars = 1\n", 3, ["invalid value for `max_chars`", "expected at least 1000"]),
    ] {
        write(&folder, "home/config.toml", text);
        let checked = run(&folder, &["config", "check"]);
        assert_eq!(checked.status, Some(1), "{text}: {}", checked.err);
        assert!(checked.err.contains(&format!("config.toml:{line}:")), "{text}: {}", checked.err);
        for problem in problems {
            assert!(checked.err.contains(problem), "{problem}: {}", checked.err);
        }
        run(&folder, &["call", "todo"]).assert_refused(&problems);
    }
    write(&folder, "home/config.toml", "[agent]\nquestion_timeout = \"10m\"\n[results]\nmax_chars = 1000\n");
    assert_eq!(run(&folder, &["config", "check"]).status, Some(0));
}

#[test]
fn the_schema_accepts_what_the_reader_accepts() {
    let folder = folder();
    let schema = run(&folder, &["config", "schema"]).json();
    assert_eq!(schema["properties"]["tools"]["additionalProperties"], false);
    assert_eq!(schema["properties"]["approval"]["properties"]["mode"]["oneOf"][0]["const"], "ask");
    let required = &schema["properties"]["models"]["additionalProperties"]["required"];
    assert_eq!(*required, serde_json::json!(["api", "model"]));
}

#[test]
fn folders_of_earlier_versions_that_still_have_something_are_named() {
    let folder = folder();
    write(&folder, "config/toolc/plugins/words/plugin.toml", "");
    write(&folder, "cache/toolc/results/old.json", "{}");
    let call = run(&folder, &["call", "todo"]);
    assert_eq!(call.status, Some(0), "{}", call.err);
    for text in ["are no longer loaded: move them to", "home/plugins", "home/cache/results", "cache/toolc/results"] {
        assert!(call.err.contains(text), "{text}: {}", call.err);
    }
}

#[test]
fn long_results_are_stored_in_the_home_folder() {
    let folder = folder();
    write(&folder, "home/config.toml", "[results]\nmax_chars = 2000\n");
    let call = run(&folder, &["call", "terminal", "command=seq 5000", "--approval", "deny"]);
    assert_eq!(call.status, Some(0), "{} {}", call.out, call.err);
    assert!(call.out.contains("home/cache/results"), "{}", call.out);
    assert!(!folder.path().join("cache").exists());
}

/// The file is not for keys, but people put some into it.
#[test]
fn a_key_in_the_configuration_is_not_shown() {
    let folder = folder();
    let file = r#"
[models.main]
api = "chat"
model = "m"
base_url = "https://models.example.org/v1?api_key=hunter22"

[mcp.servers.files]
command = "server"
args = ["--token", "hunter22", "--api-key=hunter22", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "--port", "80"]

[mcp.servers.web]
url = "https://example.org/mcp?api_key=hunter22"
"#;
    write(&folder, "home/config.toml", file);
    for args in [&["config", "show"][..], &["config", "show", "--json"], &["mcp", "list"], &["mcp", "list", "--json"]] {
        let run = run(&folder, args);
        assert_eq!(run.status, Some(0), "{}", run.err);
        let is_shown = ["hunter22", "ghp_"].iter().any(|secret| run.out.contains(secret));
        assert!(!is_shown && run.out.contains("example.org"), "{args:?}: {}", run.out);
    }
    let shown = run(&folder, &["config", "show", "--json"]).json();
    assert_eq!(shown["mcp"]["servers"]["files"]["args"][5], "80", "{}", shown["mcp"]);
    for line in ["retries = \"hunter22\"", "base_ur = \"https://me:hunter22@x\"", "api_key = \"hunter22\""] {
        let wrong = format!("[models.main]\napi = \"chat\"\nmodel = \"m\"\n{line}\n");
        write(&folder, "home/config.toml", &wrong);
        let check = run(&folder, &["config", "check"]);
        let text = check.out + &check.err;
        assert!(check.status != Some(0) && text.contains("config.toml"), "{text}");
        assert!(!text.contains(":hunter22@") && !text.contains("api_key = \"hunter22"), "{text}");
    }
}

#[test]
fn a_directory_in_which_tools_cannot_begin_is_a_mistake_with_its_place() {
    let folder = folder();
    write(&folder, "file", "");
    std::fs::create_dir_all(folder.path().join("user/sub")).expect("failed to make a folder");
    let with = |directory: &str, args: &[&str]| {
        write(&folder, "home/config.toml", &format!("[environment.local]\ndirectory = \"{directory}\"\n"));
        run_with(&folder, args, |program| program.env("HOME", folder.path().join("user")))
    };
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (directory, reason) in [
        (path("missing"), "No such file or directory"),
        (path("file"), "it is not a directory"),
        (path("file/sub"), "Not a directory"),
        ("~/missing".to_owned(), "No such file or directory"),
    ] {
        let check = with(&directory, &["config", "check"]);
        assert_eq!(check.status, Some(1), "{directory}: {} {}", check.out, check.err);
        for text in ["config.toml:2:13", "this directory cannot be the working directory of tools", reason] {
            assert!(check.err.contains(text), "{directory}: {text}: {}", check.err);
        }
        // A report goes on with what else there is to check.
        let doctor = with(&directory, &["doctor"]);
        assert_eq!(doctor.status, Some(1), "{directory}: {} {}", doctor.out, doctor.err);
        for text in ["cannot be the working directory of tools", reason, "approval of commands:", "tools are available"]
        {
            assert!(doctor.out.contains(text), "{directory}: {text}: {}", doctor.out);
        }
        with(&directory, &["call", "read_file", "path=x"]).assert_refused(&["environment.local.directory", reason]);
    }
    for relative in ["sub", "./sub", "~", "~other/sub"] {
        let check = with(relative, &["config", "check"]);
        assert_eq!(check.status, Some(1), "{relative}: {}", check.err);
        assert!(check.err.contains("the path of `directory` is relative"), "{relative}: {}", check.err);
    }
    for directory in ["~/sub".to_owned(), path("user/sub")] {
        let check = with(&directory, &["config", "check"]);
        assert_eq!(check.status, Some(0), "{directory}: {}", check.err);
    }
}

#[test]
fn ineffective_rules_in_the_home_folder_are_reported() {
    let folder = folder();
    let rule = |name: &str, verdict: &str| {
        format!(
            "[[rules]]\nname = \"{name}\"\ndescription = \"Runs make.\"\nverdict = \"{verdict}\"\nprograms = [\"make\"]\n\
             matches = [\"make\"]\nignores = [\"ls\"]\n\n"
        )
    };
    let check = |files: &[(&str, String)]| {
        let _ = std::fs::remove_dir_all(folder.path().join("home/rules"));
        for (name, text) in files {
            write(&folder, &format!("home/rules/{name}"), text);
        }
        run(&folder, &["config", "check"])
    };
    let one_file = check(&[("a.toml", rule("asks", "ask") + &rule("denies", "deny"))]);
    let two_files = check(&[("a.toml", rule("asks", "ask")), ("b.toml", rule("denies", "deny"))]);
    for found in [one_file, two_files] {
        assert_eq!(found.status, Some(1), "{} {}", found.out, found.err);
        for text in ["[C070]: the rule `asks` has no effect", "`denies` matches the same commands", "rules/a.toml:2:8"]
        {
            assert!(found.err.contains(text), "{text}: {}", found.err);
        }
    }
    let invalid = check(&[("a.toml", rule("asks", "aks"))]);
    assert!(invalid.status == Some(1) && invalid.err.contains("rules/a.toml:4:11"), "{}", invalid.err);
    assert_eq!(check(&[("a.toml", rule("asks", "ask"))]).status, Some(0));
    assert_eq!(check(&[]).status, Some(0));
}

#[test]
fn single_keys_are_shown_set_and_removed_and_a_mistake_changes_nothing() {
    let folder = folder();
    write(&folder, "home/config.toml", "# mine\n[approval] # why\nmode = 'ask'\n");
    let text = || std::fs::read_to_string(folder.path().join("home/config.toml")).expect("it exists");
    let set = run(&folder, &["config", "set", "approval.mode", "deny", "agent.question_timeout", "90s"]);
    assert_eq!(set.status, Some(0), "{}", set.err);
    assert_eq!(text(), "# mine\n[approval] # why\nmode = \"deny\"\n\n[agent]\nquestion_timeout = \"90s\"\n");
    let get = |key: &str| run(&folder, &["config", "get", key]);
    assert_eq!((&*get("approval.mode").out, &*get("agent.question_timeout").out), ("deny\n", "90s\n"));
    assert_eq!(get("results.max_chars").status, Some(1));
    get("approval.mod").assert_refused(&["no key `approval.mod`"]);
    let before = text();
    run(&folder, &["config", "set", "approval.mode", "maybe"]).assert_refused(&["`maybe`"]);
    run(&folder, &["config", "set", "approval.mode"]).assert_refused(&["KEY"]);
    run(&folder, &["config", "set", "a", "b", "c"]).assert_refused(&["expected a value after each key"]);
    assert_eq!(text(), before);
    let unknown = ["tools.enable", "clii", "facts.nothing", "1", "approval.mode", "maybe"];
    let names = ["3 mistakes", "unknown toolset `clii`", "unknown fact `nothing`", "cannot be `maybe`"];
    run(&folder, &[&["config", "set"], &unknown[..]].concat()).assert_refused(&names);
    assert_eq!(text(), before);
    let unset = run(&folder, &["config", "unset", "agent.question_timeout"]);
    assert_eq!(
        (unset.status, text()),
        (Some(0), "# mine\n[approval] # why\nmode = \"deny\"\n".to_owned()),
        "{}",
        unset.err
    );
}

#[test]
fn one_check_reports_the_mistakes_of_all_files_at_once() {
    let folder = folder();
    let config = "[agent]\nmax_iteration = 5\n[tools]\nenable = ['clii']\n[mcp.servers.web]\nurl = 'nowhere'\n[plugins]\nfolders = ['x']\n";
    write(&folder, "home/config.toml", config);
    write(&folder, "home/.env", "no assignment\n");
    write(&folder, "home/permissions.toml", "[[rule]]\neffect = 'maybe'\n");
    write(&folder, "home/rules/a.toml", "[[rule]]\n");
    let check = run(&folder, &["config", "check"]);
    assert_eq!(check.status, Some(1), "{}", check.err);
    for text in [
        "config.toml:2:",
        "unknown key `max_iteration`",
        "config.toml:4:",
        "unknown toolset `clii`",
        "config.toml:6:",
        "config.toml:8:",
        ".env",
        "permissions.toml:",
        "rules/a.toml:",
    ] {
        assert!(check.err.contains(text), "{text}: {}", check.err);
    }
    // Each mistake has its line, and a caret below it.
    assert!(check.err.matches('^').count() >= 4, "{}", check.err);
}

#[test]
fn what_is_shown_is_accepted_as_the_configuration() {
    let folder = folder();
    write(&folder, "home/config.toml", "[models.main]\napi = 'chat'\nmodel = 'm'\n[mcp.servers.s]\ncommand = 'c'\n");
    write(&folder, "home/.env", "TOKEN=hunter2-secret\n");
    let shown = run(&folder, &["config", "show"]).out;
    assert!(shown.contains("# variables in .env: TOKEN\n") && shown.contains("start_timeout = \"30s\"\n"), "{shown}");
    write(&folder, "home/config.toml", &shown);
    let again = run(&folder, &["config", "show"]);
    assert_eq!(again.out, shown, "{}", again.err);
}

#[test]
fn an_edited_copy_replaces_the_configuration_only_without_mistakes() {
    let folder = folder();
    write(&folder, "home/config.toml", "");
    let edit = |command: &str| {
        run_with(&folder, &["config", "edit"], |program| program.env_remove("VISUAL").env("EDITOR", command))
    };
    let with = |text: &str| format!("sh -c 'echo \"{text}\" > \"$0\"'");
    assert_eq!(edit(&with("agent.max_iterations = 5")).status, Some(0));
    edit(&with("agent.max_iterations = 0")).assert_refused(&["`max_iterations`"]);
    edit("false").assert_refused(&["the editor `false` failed"]);
    let text = std::fs::read_to_string(folder.path().join("home/config.toml")).expect("it exists");
    assert_eq!(text, "agent.max_iterations = 5\n");
    assert_eq!(std::fs::read_dir(folder.path().join("home")).expect("it exists").count(), 1, "no copy is left");
}
