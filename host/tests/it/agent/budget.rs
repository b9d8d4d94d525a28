//! The limits of `[budget]`: what runs and conversations may spend.

use std::path::Path;

use serde_json::{Value, json};

use crate::agent::chat::Tmux;
use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run, script};

fn configure(folder: &Path, text: &str) {
    std::fs::create_dir_all(folder.join("home")).expect("failed to make a folder");
    std::fs::write(folder.join("home/config.toml"), text).expect("failed to write");
}

/// Writes a model that reads a file, and then answers. Each answer takes 40,009 tokens.
fn reader(folder: &Path) -> String {
    let call = json!({ "name": "read_file", "arguments": { "path": "a.txt" } });
    let usage = json!({ "input": 40_000, "output": 9 });
    let answers = [json!({ "calls": [call], "usage": usage }), json!({ "text": "It says alpha.", "usage": usage })];
    script(folder, "model", &answers)
}

#[test]
fn a_single_task_ends_before_a_limit_is_passed_and_says_which() {
    let folder = folder();
    let model = reader(folder.path());
    configure(folder.path(), "[budget]\nsession_tokens = 60000\n");
    let args = ["agent", "Read a.txt", "--model", &model];
    let ended = run(folder.path(), &args, &[]);
    assert_eq!((ended.status, &*ended.out), (Some(1), ""), "{}", ended.err);
    let reason = "error: the limit for this conversation (`budget.session_tokens`) is 60000 tokens: 40009 tokens have been spent";
    assert!(ended.err.contains(reason), "{}", ended.err);
    assert!(ended.err.contains("`toolc config set budget.session_tokens 120000` raises it"), "{}", ended.err);
    let events = run(folder.path(), &[&args[..], &["--json"]].concat(), &[]).events();
    let last = events.last().expect("there are events");
    assert_eq!(
        (&last["event"], &last["outcome"], &last["requests"]),
        (&json!("ends"), &json!("over_spending_limit"), &json!(2))
    );
    // A resumed conversation continues with what it has spent.
    let resumed = run(folder.path(), &[&args[..], &["--resume"]].concat(), &[]);
    assert!(resumed.status == Some(1) && resumed.err.contains("80018 tokens have been spent"), "{}", resumed.err);
    configure(folder.path(), "[budget]\nsession_tokens = 120000\n");
    let enough = run(folder.path(), &args, &[]);
    assert_eq!((enough.status, &*enough.out), (Some(0), "It says alpha.\n"), "{}", enough.err);
}

#[test]
fn the_limit_of_a_day_counts_every_run_and_a_batch_repeats_what_it_has_stopped() {
    let folder = folder();
    let model = reader(folder.path());
    configure(folder.path(), "[budget]\nday_tokens = 81000\n");
    let args = ["agent", "Read a.txt", "--model", &model];
    let first = run(folder.path(), &[&args[..], &["--no-record"]].concat(), &[]);
    assert_eq!(first.status, Some(0), "{}", first.err);
    let second = run(folder.path(), &args, &[]);
    let reason = "the limit for today (`budget.day_tokens`) is 81000 tokens: 80018 tokens have been spent";
    assert!(second.status == Some(1) && second.err.contains(reason), "{}", second.err);

    std::fs::write(folder.path().join("tasks"), r#"{"id": "t1", "prompt": "Read a.txt"}"#).expect("failed to write");
    let batch = || run(folder.path(), &["batch", "tasks", "--out", "out", "--model", &model], &[]);
    let stopped = batch();
    assert_eq!(stopped.status, Some(1), "{}", stopped.err);
    let line = |number: usize| -> Value {
        let text = std::fs::read_to_string(folder.path().join("out")).expect("the file exists");
        serde_json::from_str(text.lines().nth(number).expect("there is a line")).expect("it is JSON")
    };
    assert_eq!(line(0)["outcome"], "over_spending_limit");
    assert!(line(0)["error"].as_str().is_some_and(|error| error.contains(reason)), "{}", line(0));
    configure(folder.path(), "[budget]\nday_tokens = 1000000\n");
    assert_eq!(batch().status, Some(0));
    assert_eq!(line(1)["outcome"], "done");
}

#[test]
fn a_limit_of_costs_counts_prices_and_says_which_model_it_does_not_count() {
    let folder = folder();
    let vendor = &VENDORS[0];
    let call = json!({ "path": "a.txt" });
    let model = |url: &str, prices: &str| {
        format!(
            "[budget]\nsession = 0.5\n[models.main]\napi = \"chat\"\nmodel = \"m-1\"\nbase_url = \"{url}\"\nkey_variable = \"\"\n{prices}"
        )
    };
    let replies = || {
        vec![
            Reply::Events((vendor.answer)("", &[("c1", "read_file", call.clone())])),
            Reply::Events((vendor.answer)("It says alpha.", &[])),
        ]
    };
    // 60 new tokens, 40 cached ones and 7 of the answer.
    let server = Server::start(replies());
    let prices = "[models.main.prices]\ninput = 0\ncached_input = 0\noutput = 50000\n";
    configure(folder.path(), &model(&server.url, prices));
    let ended = run(folder.path(), &["agent", "Read a.txt"], &[]);
    assert_eq!(ended.status, Some(1), "{}", ended.err);
    let reason = "(`budget.session`) is 0.5000: 0.3500 has been spent, and the next request is expected to add 0.3500";
    assert!(ended.err.contains(reason), "{}", ended.err);
    assert_eq!(server.requests().len(), 1);
    let server = Server::start(replies());
    configure(folder.path(), &model(&server.url, ""));
    let unpriced = run(folder.path(), &["agent", "Read a.txt"], &[]);
    assert_eq!(unpriced.status, Some(0), "{}", unpriced.err);
    let note = "note: `budget.session` does not count the requests to m-1, which has no `prices`";
    assert_eq!(unpriced.err.matches(note).count(), 1, "{}", unpriced.err);
}

#[test]
fn the_chat_asks_before_a_limit_is_passed() {
    let folder = folder();
    let model = reader(folder.path());
    configure(folder.path(), "[budget]\nsession_tokens = 60000\n");
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Read a.txt");
    tmux.wait_for("Spend more? [Enter] raise the limit to 120000 [Esc] end the turn");
    tmux.wait_for("limit:");
    tmux.press("Escape");
    tmux.wait_for("no answer was given");
    // The status line can have several rows.
    let has =
        |text: &'static str| move |screen: &str| screen.split_whitespace().collect::<Vec<_>>().join(" ").contains(text);
    tmux.wait_until("the budget", has("budget 40009 of 60000 tokens"));
    tmux.say("Go on");
    tmux.wait_until("the question again", |screen| screen.matches("Spend more?").count() == 2);
    tmux.wait_until("its line", |screen| screen.matches("limit:").count() == 2);
    tmux.say("50000");
    tmux.wait_for("50000 is too low for the next request");
    tmux.press("Enter");
    tmux.wait_for("It says alpha.");
    tmux.wait_until("the higher budget", has("budget 80018 of 120000 tokens"));
}
