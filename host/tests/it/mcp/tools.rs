//! The tools of servers in the commands of the program.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent::chat::Tmux;
use crate::agent::server::{Reply, Server};
use crate::agent::vendors::{Call, VENDORS};
use crate::mcp::{configure, folder, run, run_with, server};

#[test]
fn tools_of_servers_are_defined_called_and_explained() {
    let Some(folder) = folder() else { return };
    configure(&folder, &(server("s", &[], "") + &server("t", &["new"], "")));
    let called = run(&folder, &["call", "mcp__s__echo", "text=hé"]).succeeded();
    assert_eq!(called.out.trim(), r#""hé""#);
    let definitions = run(&folder, &["definitions", "--json", "--enable", "mcp-t"]).succeeded().json();
    assert_eq!(definitions.as_array().map(Vec::len), Some(14), "{definitions}");
    let doctor = run(&folder, &["doctor", "--json"]).json();
    let servers = &doctor["mcp"]["servers"];
    assert_eq!((&servers[0]["name"], &servers[0]["state"]), (&json!("s"), &json!("connected")), "{servers}");
    assert_eq!(servers[1]["protocol"], "2026-07-28");
    let failed = run(&folder, &["call", "mcp__s__fail"]);
    assert_eq!(failed.status, Some(1));
    assert!(failed.out.contains("[secret]") && !failed.out.contains("hunter2"), "{}", failed.out);
    let shown = run(&folder, &["config", "show", "--json"]).succeeded().json();
    assert_eq!(shown["mcp"]["servers"]["s"]["env"], json!(["TOKEN"]));
    assert_eq!(shown["mcp"]["servers"]["t"]["pinning"], "strict");
    assert!(run(&folder, &["tools"]).succeeded().out.contains("mcp-s (on): The tools of the MCP server `s`."));
}

#[test]
fn a_tool_of_a_server_needs_approval_in_the_mode_strict() {
    let Some(folder) = folder() else { return };
    configure(&folder, &server("s", &[], ""));
    let refused = run(&folder, &["--approval", "strict", "call", "mcp__s__echo", "text=a"]);
    assert_eq!(refused.status, Some(1), "{}", refused.out);
    let text = refused.out + &refused.err;
    assert!(text.contains("needs approval"), "{text}");
    run(&folder, &["--approval", "strict", "call", "mcp__s__echo", "text=a", "--yes"]).succeeded();
    run(&folder, &["call", "mcp__s__echo", "text=a"]).succeeded();
}

#[test]
fn a_command_starts_only_the_servers_that_it_needs() {
    let Some(folder) = folder() else { return };
    configure(&folder, &(server("good", &[], "") + &server("dead", &["dead"], "")));
    let other = run(&folder, &["call", "mcp__good__echo", "text=a"]).succeeded();
    assert!(!other.err.contains("dead"), "{}", other.err);
    let shipped = run(&folder, &["call", "search_files", "pattern=x"]).succeeded();
    assert!(!shipped.err.contains("MCP"), "{}", shipped.err);
    let warned = run(&folder, &["definitions", "--json"]).succeeded();
    assert!(warned.err.contains("warning: MCP server `dead`: restarting"), "{}", warned.err);
    assert!(warned.err.contains("the key [secret] is wrong") || !warned.err.contains("hunter2"), "{}", warned.err);
    assert!(warned.out.contains("mcp__good__echo"), "{}", warned.out);
}

#[test]
fn an_agent_has_the_tools_of_servers_and_a_disabled_one_is_never_shown() {
    let Some(folder) = folder() else { return };
    let tools = "[tools]\nenable = [\"todo\"]\ndisable_tools = [\"mcp__s__fail\", \"mcp__gone__x\"]\n";
    let gone = server("gone", &["dead"], "enabled = false");
    configure(&folder, &(tools.to_owned() + &server("s", &[], "") + &gone));
    let answers = [
        json!({ "calls": [{ "name": "mcp__s__echo", "arguments": { "text": "from the server" } }] }),
        json!({ "calls": [{ "name": "mcp__s__fail", "arguments": {} }] }),
        json!({ "text": "done" }),
    ];
    let lines: Vec<String> = answers.iter().map(ToString::to_string).collect();
    std::fs::write(folder.path().join("script"), lines.join("\n")).expect("failed to write");
    let agent = run(&folder, &["agent", "Go", "--json", "--model", "script:script"]).succeeded();
    assert!(agent.out.contains("from the server"), "{}", agent.out);
    assert!(agent.out.contains("unknown_tool"), "{}", agent.out);
    let doctor = run(&folder, &["doctor"]);
    assert!(doctor.out.contains("MCP server `gone`: not started: the server is disabled"), "{}", doctor.out);
    assert_eq!(run(&folder, &["config", "check"]).status, Some(0));
}

#[test]
fn shell_commands_of_servers_are_judged() {
    let Some(folder) = folder() else { return };
    configure(&folder, &(server("s", &[], "") + "[mcp.servers.s.tools.shell]\njudge = true\n"));
    let denied = run(&folder, &["call", "mcp__s__shell", "command=rm -rf /"]);
    assert_eq!(denied.status, Some(1), "{}", denied.out);
    assert!(denied.out.contains("refused") || denied.out.contains("denied"), "{}", denied.out);
    run(&folder, &["call", "mcp__s__shell", "command=ls"]).succeeded();
    configure(&folder, &(server("s", &[], "") + "[mcp.servers.s.tools.shell]\njudge = false\n"));
    run(&folder, &["call", "mcp__s__shell", "command=rm -rf /"]).succeeded();
}

#[test]
fn a_server_ends_with_a_host_that_is_killed() {
    let Some(folder) = folder() else { return };
    let file = folder.path().join("pid");
    configure(&folder, &server("s", &[&format!("pid={}", file.display())], ""));
    let mut host = std::process::Command::new(env!("CARGO_BIN_EXE_toolc"));
    host.args(["mcp", "serve"]).current_dir(folder.path()).env("TOOLC_HOME", folder.path().join("home"));
    let mut host = host.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("failed to start toolc");
    let wait_until = |is_reached: &dyn Fn() -> bool, what: &str| {
        let started = Instant::now();
        while !is_reached() {
            assert!(started.elapsed() < Duration::from_mins(1), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let id = || std::fs::read_to_string(&file).ok().and_then(|id| id.parse::<u32>().ok());
    wait_until(&|| id().is_some(), "the server starts");
    let process = format!("/proc/{}", id().expect("it has started"));
    assert!(std::path::Path::new(&process).exists());
    host.kill().expect("failed to kill toolc");
    host.wait().expect("failed to wait");
    wait_until(&|| !std::path::Path::new(&process).exists(), "the server ends");
}

#[test]
fn servers_are_not_started_inside_a_tool() {
    let Some(folder) = folder() else { return };
    // Where the home folder is hidden, the inner program finds no servers.
    configure(&folder, &(server("s", &[], "") + "[environment.local]\nhide_home = false\n"));
    let command = format!("command={} doctor", env!("CARGO_BIN_EXE_toolc"));
    let inner = run_with(&folder, &["call", "terminal", &command], |program| program.env("TOOLC_APPROVAL", "off"));
    assert!(inner.out.contains("not started: this program runs inside a tool"), "{} {}", inner.out, inner.err);
}

#[test]
fn a_slow_server_does_not_delay_a_session_and_joins_it() {
    let Some(folder) = folder() else { return };
    let silent = server("silent", &["silent"], "start_timeout = '1m'");
    let listed = folder.path().join("listed");
    let late = server("late", &["late", &format!("listed={}", listed.display())], "");
    configure(&folder, &("[mcp]\nstart_wait = '200ms'\n".to_owned() + &silent + &late));
    let wait = format!("until [ -e {} ]; do sleep 0.1; done; sleep 1", listed.display());
    let answers = [
        json!({ "calls": [{ "name": "terminal", "arguments": { "command": wait } }] }),
        json!({ "calls": [{ "name": "mcp__late__echo", "arguments": { "text": "from the late one" } }] }),
        json!({ "text": "done" }),
    ];
    let lines: Vec<String> = answers.iter().map(ToString::to_string).collect();
    std::fs::write(folder.path().join("script"), lines.join("\n")).expect("failed to write");
    let began = Instant::now();
    let args = ["agent", "Go", "--json", "--model", "script:script"];
    let agent = run_with(&folder, &args, |program| program.env("TOOLC_APPROVAL", "off")).succeeded();
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    let warning = "MCP server `late`: not started yet; its tools are added when the server has listed them";
    assert!(agent.out.contains(warning), "{}", agent.out);
    assert!(agent.out.contains("MCP server `silent`: not started yet"), "{}", agent.out);
    assert!(agent.out.contains("the MCP server `late` has started: 14 tools are added"), "{}", agent.out);
    assert!(agent.out.contains("from the late one\\\""), "{}", agent.out);
}

#[test]
fn the_prompt_of_the_chat_does_not_wait_for_servers() {
    let Some(folder) = folder() else { return };
    configure(
        &folder,
        &("[mcp]\nstart_wait = '10m'\n".to_owned() + &server("silent", &["silent"], "start_timeout = '10m'")),
    );
    std::fs::write(folder.path().join("model"), json!({ "text": "Hello." }).to_string()).expect("failed to write");
    let Some(chat) = Tmux::start(folder.path(), "--model script:model") else { return };
    chat.wait_for("the MCP server silent is starting");
    // Ctrl-C ends the wait of the first turn.
    chat.say("Hi");
    chat.wait_for("waiting for the MCP server silent");
    chat.press("C-c");
    chat.wait_for("interrupted");
}

#[test]
fn commands_that_need_no_server_start_none() {
    let Some(folder) = folder() else { return };
    let file = folder.path().join("pid");
    configure(&folder, &server("s", &[&format!("pid={}", file.display())], ""));
    let wrong = run(&folder, &["cron", "add", "tomorrow 9am", "Say hello."]);
    assert!(wrong.status == Some(2) && wrong.err.contains("tomorrow 9am"), "{}", wrong.err);
    std::fs::write(folder.path().join("tasks"), json!({ "id": "a", "prompt": "x" }).to_string())
        .expect("failed to write");
    let done = json!({ "id": "a", "outcome": "done" }).to_string() + "\n";
    std::fs::write(folder.path().join("out"), done).expect("failed to write");
    let complete = run(&folder, &["batch", "tasks", "--out", "out", "--model", "script:missing"]).succeeded();
    assert!(complete.err.contains("1 tasks, 1 of them have already ended"), "{}", complete.err);
    assert!(run(&folder, &["mcp"]).succeeded().out.starts_with("s: "), "`mcp` lists the servers");
    run(&folder, &["cron", "add", "every 30m", "--no-agent", "--script", "echo found"]).succeeded();
    let script = run(&folder, &["cron", "run", "1"]).succeeded();
    assert!(script.out.contains("found"), "{}", script.out);
    assert!(!file.exists(), "the server was started");
}

#[test]
fn a_server_that_works_is_not_mentioned() {
    let Some(folder) = folder() else { return };
    configure(&folder, &server("s", &[], ""));
    std::fs::write(folder.path().join("model"), json!({ "text": "Hello." }).to_string()).expect("failed to write");
    let agent = run(&folder, &["agent", "Go", "--model", "script:model"]).succeeded();
    assert!(!agent.err.contains("MCP"), "{}", agent.err);
}

/// The definitions stay those of the first request, so that the vendor's cache does, too.
#[test]
fn tools_of_a_late_server_are_appended_if_the_api_takes_them() {
    for (api, key) in [("anthropic", "messages"), ("responses", "input")] {
        let Some(folder) = folder() else { return };
        let listed = folder.path().join("listed");
        let late = server("late", &["late", &format!("listed={}", listed.display())], "");
        configure(&folder, &("[tools]\nchanges = 'append'\n[mcp]\nstart_wait = '200ms'\n".to_owned() + &late));
        let wait = format!("until [ -e {} ]; do sleep 0.1; done; sleep 1", listed.display());
        let vendor = VENDORS.iter().find(|vendor| vendor.api == api).expect("it is a vendor");
        let answer = |text: &str, calls: &[Call<'_>]| Reply::Events((vendor.answer)(text, calls));
        let model = Server::start(vec![
            answer("", &[("c1", "terminal", json!({ "command": wait }))]),
            answer("", &[("c2", "mcp__late__echo", json!({ "text": "from the late one" }))]),
            answer("done", &[]),
        ]);
        let named = format!("{api}:m-1");
        let args = ["agent", "Go", "--json", "--model", &named];
        let agent = run_with(&folder, &args, |program| {
            program.env("TOOLC_APPROVAL", "off").env(vendor.base, &model.url).env(vendor.key, "sk-a-secret-key")
        });
        let agent = agent.succeeded();
        assert!(agent.out.contains("from the late one\\\""), "{}", agent.out);
        let requests = model.requests();
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|request| request["tools"] == requests[0]["tools"]), "{api}");
        let tools = requests[0]["tools"].to_string();
        assert!(tools.contains("terminal") && !tools.contains("mcp__late__"), "{tools}");
        // The change follows the results, and stays where it is.
        let messages = |at: usize| requests[at][key].as_array().expect("a conversation").clone();
        let change = messages(1).last().expect("a message").clone();
        assert!(change.to_string().contains("mcp__late__echo"), "{api}: {change}");
        let at = messages(1).len() - 1;
        let without_cache_mark = |mut message: Value| {
            if let Some(block) = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut()) {
                block.as_object_mut().expect("a block").remove("cache_control");
            }
            message
        };
        assert_eq!(without_cache_mark(messages(2)[at].clone()), without_cache_mark(change));
        assert!(messages(2).len() > at + 1);
        // The model may call every tool.
        assert!(requests.iter().all(|request| request.get("tool_choice").is_none()));
    }
}

#[test]
fn a_session_waits_for_servers_of_which_single_tools_are_named() {
    let Some(folder) = folder() else { return };
    let tools = "[tools]\nenable = ['todo']\nenable_tools = ['mcp__late__echo']\n[mcp]\nstart_wait = '1ms'\n";
    configure(&folder, &(tools.to_owned() + &server("late", &["late"], "")));
    let call = json!({ "calls": [{ "name": "mcp__late__echo", "arguments": { "text": "from the late one" } }] });
    std::fs::write(folder.path().join("script"), format!("{call}\n{}", json!({ "text": "done" }))).expect("failed");
    let agent = run(&folder, &["agent", "Go", "--json", "--model", "script:script"]).succeeded();
    assert!(agent.out.contains("from the late one"), "{} {}", agent.out, agent.err);
}
