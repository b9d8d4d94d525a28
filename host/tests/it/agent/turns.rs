//! What the chat does during a turn, and with what a turn has done: queued lines, pictures, other models, undo, progress, fast streams.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::agent::chat::Tmux;
use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run, script};

#[test]
fn another_model_continues_the_conversation_even_with_another_api() {
    let folder = folder();
    let [chat, anthropic] = [&VENDORS[0], &VENDORS[2]];
    let call = json!({ "path": "a.txt" });
    let first = Server::start(vec![
        Reply::Events((chat.answer)("", &[("c1", "read_file", call)])),
        Reply::Events((chat.answer)("It says alpha.", &[])),
    ]);
    let second = Server::start(vec![Reply::Events((anthropic.answer)("As I have read: alpha.", &[]))]);
    let model = |name: &str, api: &str, url: &str| {
        format!("[models.{name}]\napi = \"{api}\"\nmodel = \"{name}-1\"\nbase_url = \"{url}\"\nkey_variable = \"\"\n")
    };
    let config =
        model("main", chat.api, &first.url) + &model("claude", anthropic.api, &second.url) + "context_tokens = 90000\n";
    std::fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
    std::fs::write(folder.path().join("home/config.toml"), config).expect("failed to write");
    script(folder.path(), "third", &[json!({ "text": "The third one." })]);
    let Some(tmux) = Tmux::start(folder.path(), "") else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("What is in a.txt?");
    tmux.wait_for("It says alpha.");
    tmux.say("/model");
    tmux.wait_for("* main         chat:main-1");
    tmux.wait_for("  claude       anthropic:claude-1, 90000 tokens of context");
    tmux.say("/model cluade");
    tmux.wait_for("unknown model `cluade`: did you mean `claude`?");
    tmux.say("/model gemini:x");
    tmux.wait_for("the key of the model x is missing");
    tmux.say("/model cl\t");
    tmux.wait_for("the conversation continues with claude-1");
    tmux.say("And now?");
    tmux.wait_for("As I have read: alpha.");
    tmux.wait_for("% of the context");
    tmux.say("/model script:third");
    tmux.wait_for("the conversation continues with script");
    tmux.say("Who are you?");
    tmux.wait_for("The third one.");
    drop(tmux);
    let request = second.requests().remove(0);
    assert_eq!(request["model"], "claude-1");
    let text = request["messages"].to_string();
    for part in ["is given as text", "[calls read_file", "It says alpha.", "And now?"] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    assert_eq!(request["messages"].as_array().map(Vec::len), Some(1), "{text}");
}

#[test]
fn a_picture_is_sent_with_its_message_and_left_out_if_the_server_refuses_it() {
    let folder = folder();
    let vendor = &VENDORS[2];
    std::fs::write(folder.path().join("a.png"), b"\x89PNG\r\n\x1a\n").expect("failed to write");
    std::fs::write(folder.path().join("b.png"), "text").expect("failed to write");
    let refusal =
        json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "this model sees nothing" } });
    let server = Server::start(vec![
        Reply::Events((vendor.answer)("A cat.", &[])),
        Reply::Status(400, "content-type: application/json\r\n", refusal.to_string()),
        Reply::Events((vendor.answer)("I cannot see it.", &[])),
    ]);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key"), ("NO_PROXY", "*")];
    let Some(tmux) = Tmux::start_with(folder.path(), &format!("--model {}:m-1", vendor.api), &variables) else {
        return;
    };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("What is @a.png or @b.png");
    tmux.wait_for("(the picture b.png is not sent: models take PNG");
    tmux.wait_for("(with 1 picture)");
    tmux.wait_for("A cat.");
    tmux.say("And again");
    tmux.wait_for("so it is sent without pictures");
    tmux.wait_for("I cannot see it.");
    drop(tmux);
    let requests = server.requests();
    let of = |number: usize| requests[number]["messages"][0]["content"].clone();
    assert_eq!(of(0)[1]["source"]["data"], "iVBORw0KGgo=");
    assert_eq!(of(1)[1]["source"], of(0)[1]["source"]);
    let expected = "What is @a.png or @b.png\n\n[The user has attached the picture a.png: image/png, 1 KiB.]";
    assert_eq!(of(2), expected);
    // The store has the name only.
    let exported = run(folder.path(), &["sessions", "export"], &[]).out;
    assert!(exported.contains("attached the picture a.png") && !exported.contains("iVBORw0KGgo="), "{exported}");
    assert!(exported.contains("\"text\":\"What is @a.png"), "{exported}");
}

#[test]
fn what_is_typed_during_a_turn_is_queued_and_follows_it() {
    let folder = folder();
    let run_command = |command: &str| json!({ "calls": [{ "name": "terminal", "arguments": { "command": command } }] });
    let model = script(
        folder.path(),
        "model",
        &[
            run_command("sleep 3"),
            run_command("rm -rf build"),
            json!({ "text": "The first answer." }),
            json!({ "text": "The second answer." }),
            json!({ "text": "never", "wait_ms": 600_000 }),
            json!({ "text": "The third answer." }),
        ],
    );
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Begin.");
    tmux.wait_for("sleep 3");
    tmux.say("a queued message");
    tmux.wait_for("queued: a queued message");
    tmux.say("/session");
    tmux.type_text("not ye");
    tmux.wait_for("> not ye");
    // A question gets the keys, and what was typed stays.
    tmux.wait_for("[y] once");
    thread::sleep(Duration::from_millis(300));
    tmux.press("n");
    tmux.wait_for("The first answer.");
    tmux.wait_for("> a queued message");
    tmux.wait_for("The second answer.");
    tmux.wait_for("toolc --resume");
    tmux.type_text("t sent");
    tmux.wait_for("> not yet sent");
    tmux.press("Enter");
    tmux.wait_for("thinking");
    tmux.say("another one");
    tmux.wait_for("queued: another one");
    tmux.press("C-c");
    // After an interruption, the typed line is put into the prompt instead of being sent.
    tmux.wait_for("(interrupted)");
    tmux.wait_until("the draft", |screen| screen.lines().any(|line| line.trim_end() == "> another one"));
    tmux.say("!");
    tmux.wait_for("The third answer.");
    drop(tmux);
    assert!(folder.path().join("build").exists());
    let exported = run(folder.path(), &["sessions", "export"], &[]).out;
    let texts: Vec<String> = exported
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("it is JSON"))
        .filter(|line| line["kind"] == "user")
        .map(|line| line["text"].as_str().expect("a text").to_owned())
        .collect();
    assert_eq!(texts, ["Begin.", "a queued message", "not yet sent", "another one!"]);
}

#[test]
fn undo_reverts_file_changes_and_lists_other_calls() {
    let folder = folder();
    let call = |tool: &str, arguments: serde_json::Value| json!({ "name": tool, "arguments": arguments });
    let model = script(
        folder.path(),
        "model",
        &[
            json!({ "calls": [
                call("patch", json!({ "path": "a.txt", "old_string": "alpha", "new_string": "omega" })),
                call("write_file", json!({ "path": "new.txt", "content": "new" })),
                call("patch", json!({ "path": "b.txt", "old_string": "beta", "new_string": "delta", "replace_all": true })),
                call("terminal", json!({ "command": "mkdir made" })),
                call("read_file", json!({ "path": "build/old" })),
            ] }),
            json!({ "text": "All is changed." }),
            json!({ "text": "I see." }),
        ],
    );
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Change it.");
    tmux.wait_for("All is changed.");
    let path = |name: &str| folder.path().join(name);
    let read = |name: &str| std::fs::read_to_string(path(name)).expect("it is text");
    assert_eq!((read("a.txt"), path("new.txt").exists()), ("omega\n".to_owned(), true));
    std::fs::write(path("b.txt"), "mine\n").expect("failed to write");
    tmux.say("/undo");
    tmux.wait_for("the effects of these calls are not undone:");
    let screen = tmux.screen();
    for line in [
        "a.txt is as it was before this turn",
        "new.txt, which was new, is removed",
        "b.txt is not changed: it has been changed since",
        "  terminal {\"command\":\"mkdir made\"}",
    ] {
        assert!(screen.lines().any(|shown| shown.trim_end() == line), "{line:?} is missing:\n{screen}");
    }
    assert!(!screen.contains("  read_file {"), "{screen}");
    assert_eq!(
        (read("a.txt"), read("b.txt"), path("new.txt").exists()),
        ("alpha\n".to_owned(), "mine\n".to_owned(), false)
    );
    tmux.say("/undo");
    tmux.wait_for("no turn has changes of `write_file` or `patch` that are not undone yet");
    tmux.say("Do you know?");
    tmux.wait_for("I see.");
    drop(tmux);
    let exported = run(folder.path(), &["sessions", "export"], &[]).out;
    let told = exported
        .split("The user has undone your changes to these files in the turn that began with \\\"Change it.\\\": ")
        .nth(1)
        .unwrap_or_default();
    let files = told.split(']').next().unwrap_or_default();
    assert!(files == "a.txt, new.txt" || files == "new.txt, a.txt", "{exported}");
}

#[test]
fn undo_goes_back_turn_by_turn_and_skips_turns_without_changes() {
    let folder = folder();
    let write = |content: &str| json!({ "calls": [{ "name": "write_file", "arguments": { "path": "new.txt", "content": content } }] });
    let model = script(
        folder.path(),
        "model",
        &[
            write("one"),
            json!({ "text": "The first is written." }),
            write("two"),
            json!({ "text": "The second is written." }),
            json!({ "text": "Nothing to do." }),
        ],
    );
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    for (message, answer) in [
        ("Write the first.", "The first is written."),
        ("Write the second.", "The second is written."),
        ("Thank you.", "Nothing to do."),
    ] {
        tmux.say(message);
        tmux.wait_for(answer);
    }
    let path = folder.path().join("new.txt");
    tmux.say("/undo");
    tmux.wait_for("undone: the turn \"Write the second.\"");
    tmux.wait_for("new.txt is as it was before this turn");
    assert_eq!(std::fs::read_to_string(&path).expect("it is text"), "one");
    tmux.say("/undo");
    tmux.wait_for("undone: the turn \"Write the first.\"");
    tmux.wait_for("new.txt, which was new, is removed");
    assert!(!path.exists());
    tmux.say("/undo");
    tmux.wait_for("no turn has changes");
}

#[test]
fn undo_reverts_what_helpers_have_changed_and_lists_their_other_calls() {
    let folder = folder();
    let call = |tool: &str, arguments: serde_json::Value| json!({ "name": tool, "arguments": arguments });
    let of_helper = |mut answer: serde_json::Value| {
        answer["for"] = "Make it new.".into();
        answer
    };
    let write = |path: &str| call("write_file", json!({ "path": path, "content": path }));
    let model = script(
        folder.path(),
        "model",
        &[
            json!({ "calls": [call("delegate_task", json!({ "goal": "Make it new." })), write("mine.txt")] }),
            of_helper(json!({ "calls": [
                call("patch", json!({ "path": "a.txt", "old_string": "alpha", "new_string": "omega" })),
                write("new.txt"),
                call("terminal", json!({ "command": "mkdir made" })),
            ] })),
            of_helper(json!({ "text": "It is new." })),
            json!({ "text": "All is changed." }),
        ],
    );
    let options = format!("--model {model} --enable file --enable terminal --enable delegation");
    let Some(tmux) = Tmux::start(folder.path(), &options) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Change it.");
    tmux.wait_for("All is changed.");
    let path = |name: &str| folder.path().join(name);
    let read = |name: &str| std::fs::read_to_string(path(name)).expect("it is text");
    assert_eq!(
        (read("a.txt"), read("new.txt"), read("mine.txt")),
        ("omega\n".into(), "new.txt".into(), "mine.txt".into())
    );
    tmux.say("/undo");
    tmux.wait_for("  terminal {\"command\":\"mkdir made\"}");
    let screen = tmux.screen();
    for line in [
        "a.txt is as it was before this turn",
        "new.txt, which was new, is removed",
        "mine.txt, which was new, is removed",
    ] {
        assert!(screen.lines().any(|shown| shown.trim_end() == line), "{line:?} is missing:\n{screen}");
    }
    let listed = screen.split("the effects of these calls are not undone:").nth(1).unwrap_or_default();
    assert!(!listed.contains("delegate_task"), "what the helper did is listed: {screen}");
    assert_eq!((read("a.txt"), path("new.txt").exists(), path("mine.txt").exists()), ("alpha\n".into(), false, false));
}

#[test]
fn a_long_call_shows_the_last_line_of_its_output_without_secrets() {
    const SECRET: &str = "correct-horse-battery-staple-99";
    let folder = folder();
    let variables = folder.path().join("home/.env");
    std::fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
    std::fs::write(&variables, format!("MY_API_KEY={SECRET}\n")).expect("failed to write");
    std::fs::set_permissions(&variables, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("failed to change");
    let command = format!("for i in 1 2 3 4 5 6 7 8 9; do echo step $i of nine, {SECRET}; sleep 0.5; done");
    let call = json!({ "name": "terminal", "arguments": { "command": command } });
    let model = script(folder.path(), "model", &[json!({ "calls": [call] }), json!({ "text": "It is done." })]);
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Wait.");
    let spinner = |screen: &str| {
        screen
            .lines()
            .find(|line| line.starts_with(|c: char| ('\u{2800}'..='\u{28ff}').contains(&c)))
            .map(ToOwned::to_owned)
    };
    // On a busy machine, the screen is not looked at during every step.
    tmux.wait_until("the output", |screen| spinner(screen).is_some_and(|line| line.contains(" of nine")));
    let line = spinner(&tmux.screen()).unwrap_or_default();
    assert!(!line.contains("battery"), "{line}");
    tmux.wait_for("It is done.");
    // A blank line is between the rows of the call and the answer.
    let screen = tmux.screen();
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let answer = lines.iter().position(|line| *line == "It is done.").expect("it is shown");
    assert_eq!(lines[answer - 1], "", "{screen}");
    assert!(lines[answer - 2].contains("step 9 of nine"), "{screen}");
}

#[test]
fn a_stream_of_2000_tokens_a_second_is_drawn_without_loss_or_delay() {
    const TOKENS: usize = 8_000;
    let folder = folder();
    let words: Vec<String> = (0..TOKENS).map(|number| format!("w{number:05}")).collect();
    let mut events: Vec<String> = words
        .iter()
        .map(|word| json!({ "choices": [{ "index": 0, "delta": { "content": format!("{word} ") }, "finish_reason": null }] }))
        .map(|event| event.to_string())
        .collect();
    events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }).to_string());
    events.push("[DONE]".to_owned());
    let server = Server::start(vec![Reply::Paced(events, 2_000)]);
    let vendor = &VENDORS[0];
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key"), ("NO_PROXY", "*")];
    let Some(tmux) = Tmux::start_with(folder.path(), &format!("--model {}:m-1", vendor.api), &variables) else {
        return;
    };
    tmux.wait_for("`/help` lists the commands");
    let began = Instant::now();
    tmux.say("Tell me all.");
    tmux.wait_for("w01000");
    tmux.wait_for(" · ask · local");
    let took = began.elapsed();
    let shown = String::from_utf8_lossy(&tmux.run(&["capture-pane", "-p", "-S", "-"]).stdout).into_owned();
    let shown: Vec<&str> = shown
        .split_whitespace()
        .filter(|word| word.len() == 6 && word.starts_with('w') && word[1..].parse::<u32>().is_ok())
        .collect();
    assert!(shown == words, "{} of {} words are shown, or not in order", shown.len(), words.len());
    // The server takes four seconds.
    println!("{TOKENS} tokens at 2,000 a second: drawn in {:.2} s", took.as_secs_f64());
    assert!(took < Duration::from_secs(30), "{took:?}");
}
