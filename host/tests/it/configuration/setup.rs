//! `toolc setup`: what is asked, written and tested.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use super::{folder, run, run_with, run_with_input, write};

/// Starts a server that answers each request with one of these statuses, and returns its URL and the heads of the requests.
fn server(statuses: &'static [u16]) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
    let url = format!("http://{}", listener.local_addr().expect("it has an address"));
    let (sender, requests) = channel();
    thread::spawn(move || {
        for status in statuses {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let lines = BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let _ = sender.send(lines.collect::<Vec<_>>().join("\n").to_lowercase());
            let body = "{\"data\":[]}";
            let _ = write!(
                stream,
                "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    (url, requests)
}

#[test]
fn a_model_and_its_key_are_asked_for_tested_and_written() {
    let folder = folder();
    let (url, requests) = server(&[401, 200]);
    write(
        &folder,
        "home/config.toml",
        &format!("[models.main]\napi = \"chat\"\nmodel = \"m\"\nbase_url = \"{url}/v1\"\n"),
    );
    let setup = run_with_input(&folder, &["setup"], "wrong-hunter2\nright-hunter3\n");
    assert_eq!(setup.status, Some(0), "{}", setup.err);
    for (key, text) in [("wrong-hunter2", "error: "), ("right-hunter3", "the server accepts the key")] {
        let head = requests.recv().expect("a request");
        assert!(
            head.starts_with("get /v1/models ") && head.contains(&format!("authorization: bearer {key}")),
            "{head}"
        );
        assert!(setup.err.contains(text) && !setup.err.contains("hunter"), "{}", setup.err);
    }
    let env = folder.path().join("home/.env");
    assert_eq!(fs::read_to_string(&env).expect("it is written"), "OPENAI_API_KEY=right-hunter3\n");
    assert_eq!(fs::metadata(&env).expect("it exists").permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_key_that_the_server_refuses_is_not_written() {
    let folder = folder();
    let (url, _requests) = server(&[401, 403, 401]);
    write(
        &folder,
        "home/config.toml",
        &format!("[models.main]\napi = \"anthropic\"\nmodel = \"m\"\nbase_url = \"{url}\"\n"),
    );
    let setup = run_with_input(&folder, &["setup"], "one-hunter\ntwo-hunter\nthree-hunter\n");
    assert_eq!(setup.status, Some(1), "{}", setup.err);
    assert!(!folder.path().join("home/.env").exists());
}

#[test]
fn variables_that_tools_lack_are_asked_for_with_what_they_are() {
    let folder = folder();
    super::variables::plugin(&folder, "home", "");
    let setup = run_with_input(&folder, &["setup", "--offline"], "anthropic:claude-x\nsk-1234567\nmy account\n");
    assert_eq!(setup.status, Some(0), "{}", setup.err);
    for text in ["ANTHROPIC_API_KEY", "SHOW_ACCOUNT, for show", "An account."] {
        assert!(setup.err.contains(text), "{text}: {}", setup.err);
    }
    let env = fs::read_to_string(folder.path().join("home/.env")).expect("it is written");
    assert!(env.ends_with("SHOW_ACCOUNT=\"my account\"\n"), "{env}");
    let config = fs::read_to_string(folder.path().join("home/config.toml")).expect("it is written");
    let expected =
        "#:schema config.schema.json\nversion = 1\n\n[models.main]\napi = \"anthropic\"\nmodel = \"claude-x\"\n";
    assert_eq!(config, expected);
    let again = run(&folder, &["setup", "--offline"]);
    assert!(again.status == Some(0) && !again.err.contains("SHOW_ACCOUNT"), "{}", again.err);
}

#[test]
fn of_several_variables_one_is_asked_for() {
    let folder = folder();
    let setup = |input: &str| {
        let setup = run_with_input(&folder, &["setup", "--offline"], input);
        assert_eq!(setup.status, Some(0), "{}", setup.err);
        setup.err
    };
    // A key in answer to the menu is not shown.
    let shown = setup("\nhunter2hunter2\n99\nbrave_api_key\nhunter2hunter2\n");
    assert!(shown.contains("One of these variables is enough for web_search:\n   1  BRAVE_API_KEY"), "{shown}");
    assert_eq!(shown.matches("error: type a number or a name from the menu").count(), 2, "{shown}");
    assert!(shown.contains("SEARXNG_URL") && !shown.contains("hunter2"), "{shown}");
    let env = fs::read_to_string(folder.path().join("home/.env")).expect("it is written");
    assert_eq!(env, "BRAVE_API_KEY=hunter2hunter2\n");
    assert!(!setup("\n").contains("web_search"));
}

#[test]
fn variables_that_mcp_servers_lack_are_asked_for_once() {
    let folder = folder();
    let server = |name: &str, more: &str| {
        format!("[mcp.servers.{name}]\ncommand = 'x'\nenv = ['TRACKER_TOKEN', 'HOME']\n{more}")
    };
    let web = "[mcp.servers.web]\nurl = 'https://example.com/'\nbearer_variable = 'WEB_TOKEN'\n";
    let off = "[mcp.servers.off]\nurl = 'https://example.com/'\nbearer_variable = 'OFF_TOKEN'\nenabled = false\n";
    write(&folder, "home/config.toml", &(server("a", "") + &server("b", "") + web + off));
    let setup = run_with_input(&folder, &["setup", "--offline"], "\nhunter2hunter2\n\n");
    assert_eq!(setup.status, Some(0), "{}", setup.err);
    assert_eq!(setup.err.matches("TRACKER_TOKEN, for the MCP server `a`").count(), 1, "{}", setup.err);
    assert!(setup.err.contains("WEB_TOKEN, for the MCP server `web`"), "{}", setup.err);
    assert!(!setup.err.contains("OFF_TOKEN") && !setup.err.contains("HOME, for"), "{}", setup.err);
    let env = fs::read_to_string(folder.path().join("home/.env")).expect("it is written");
    assert_eq!(env, "TRACKER_TOKEN=hunter2hunter2\n");
}

#[test]
fn setup_without_an_answer_is_an_error_unless_nothing_is_missing() {
    let folder = folder();
    let nothing = run(&folder, &["setup"]);
    nothing.assert_refused(&["standard input has ended before the first answer", "run `toolc setup` at a terminal"]);
    assert!(!folder.path().join("home/config.toml").exists());
    // A blank line skips the first question.
    assert_eq!(run_with_input(&folder, &["setup"], "\n").status, Some(0));
    write(&folder, "home/config.toml", "[models.main]\napi = \"chat\"\nmodel = \"m\"\nkey_variable = \"\"\n");
    let complete = run(&folder, &["setup", "--offline"]);
    assert_eq!(complete.status, Some(0), "{}", complete.err);
}

#[test]
fn setup_without_questions_says_that_the_address_is_missing() {
    let folder = folder();
    let setup = run(&folder, &["setup", "--provider", "other", "--yes", "--offline"]);
    assert_eq!(setup.status, Some(1), "{}", setup.err);
    assert!(setup.err.contains("pass `--base-url URL`") && !setup.err.contains("next: run"), "{}", setup.err);
    let args = ["setup", "--base-url", "localhost:18234/v1", "--model", "m", "--yes", "--offline"];
    let setup = run(&folder, &args);
    assert_eq!(setup.status, Some(0), "{}", setup.err);
    let config = fs::read_to_string(folder.path().join("home/config.toml")).expect("it is written");
    assert!(config.contains("base_url = \"http://localhost:18234/v1\""), "{config}");
}

#[test]
fn a_profile_is_created_and_empty_answers_skip_questions() {
    let folder = folder();
    let setup = run_with_input(&folder, &["setup", "--profile", "work"], "\n");
    assert_eq!(setup.status, Some(0), "{}", setup.err);
    let home = folder.path().join("home/profiles/work");
    assert_eq!(fs::metadata(&home).expect("it is created").permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(&home).expect("it can be read").count(), 0);
    assert_eq!(run(&folder, &["config", "check", "--profile", "work"]).status, Some(0));
}

#[test]
fn commands_that_change_something_do_not_run_inside_a_tool() {
    let folder = folder();
    fs::create_dir_all(folder.path().join(".toolc")).expect("failed to make a folder");
    for args in [&["setup"][..], &["tools", "disable", "todo"], &["trust", "--yes"], &["trust", "--revoke"]] {
        let inside = run_with(&folder, args, |program| program.env("TOOLC_INSIDE_TOOL", "1"));
        inside.assert_refused(&["does not run inside a tool"]);
    }
    assert!(!folder.path().join("home").exists());
}
