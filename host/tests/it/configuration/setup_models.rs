//! `toolc setup`: providers and models as menus, and the request that tests a model, against servers of each API.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Run, folder, run_with, write};
use crate::agent::vendors::{VENDORS, Vendor};
use crate::approval::terminal::InTerminal;

/// The key that the servers accept, if they want one.
const KEY: &str = "sk-right-hunter2";

/// A server of an API: it lists models, and answers for those that it lists.
struct Server {
    url: String,
    /// The heads of the requests, in lower case.
    requests: Arc<Mutex<Vec<String>>>,
}

/// What a server does.
#[derive(Clone, Copy)]
struct Behaviour {
    api: &'static str,
    models: &'static [&'static str],
    wants_key: bool,
    /// What the paths begin with.
    prefix: &'static str,
}

impl Server {
    fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(&stream, behaviour, &seen);
            }
        });
        Self { url, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic").clone()
    }

    /// Returns the paths of the requests, each with its method.
    fn paths(&self) -> Vec<String> {
        let path = |head: &String| head.split(' ').take(2).collect::<Vec<_>>().join(" ");
        self.requests().iter().map(path).collect()
    }
}

fn vendor(api: &str) -> &'static Vendor {
    VENDORS.iter().find(|vendor| vendor.api == api).expect("it is known")
}

/// Returns the list of models as the API has it.
fn list(api: &str, models: &[&str]) -> Value {
    match api {
        "gemini" => json!({ "models": models.iter().map(|name| json!({
            "name": format!("models/{name}"), "inputTokenLimit": 1_048_576, "supportedGenerationMethods": ["generateContent"],
        })).collect::<Vec<_>>() }),
        _ => json!({ "data": models.iter().map(|name| json!({ "id": name })).collect::<Vec<_>>() }),
    }
}

fn serve(stream: &TcpStream, behaviour: Behaviour, seen: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body of the announced length");
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    seen.lock().expect("no panic").push(head.to_lowercase());
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (status, kind, text) = if !path.starts_with(behaviour.prefix) {
        (404, "text/plain", "nothing here".to_owned())
    } else if behaviour.wants_key && !head.contains(KEY) {
        // Some servers repeat the key in their message.
        let key = head
            .lines()
            .find(|line| line.to_lowercase().contains("key") || line.contains("Bearer"))
            .unwrap_or_default();
        (401, "application/json", json!({ "error": { "message": format!("wrong: {key}") } }).to_string())
    } else if head.starts_with("GET ") {
        (200, "application/json", list(behaviour.api, behaviour.models).to_string())
    } else {
        let is_known = |name: &&&str| body["model"] == ***name || path.contains(&format!("/models/{name}:"));
        match behaviour.models.iter().find(is_known) {
            Some(_) => {
                let events = (vendor(behaviour.api).answer)("OK", &[]);
                (200, "text/event-stream", format!("data: {}\n\n", events.join("\n\ndata: ")))
            }
            None => (404, "application/json", json!({ "error": { "message": "no such model" } }).to_string()),
        }
    };
    let mut stream = stream;
    let length = text.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    );
}

/// Runs `toolc setup` with lines of standard input, without keys of the environment.
fn setup(folder: &TempDir, args: &[&str], input: &str, variables: &[(&str, &str)]) -> Run {
    let path = folder.path().join("input");
    fs::write(&path, input).expect("failed to write");
    let input = fs::File::open(&path).expect("failed to open");
    run_with(folder, &[&["setup"], args].concat(), |program| {
        for vendor in VENDORS {
            program.env_remove(vendor.key).env_remove(vendor.base);
        }
        // A closed port: no server of this machine is found by chance.
        program.env("OLLAMA_HOST", "127.0.0.1:1").envs(variables.iter().copied()).stdin(input)
    })
}

fn config(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("home/config.toml")).unwrap_or_default()
}

fn env(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("home/.env")).unwrap_or_default()
}

#[test]
fn setup_lists_the_models_of_each_api_tests_the_chosen_one_and_writes_it() {
    for (provider, api, base, prefix) in [
        ("anthropic", "anthropic", "", "/v1/"),
        ("openai", "responses", "/v1", "/v1/"),
        ("gemini", "gemini", "/v1beta", "/v1beta/"),
        ("other", "chat", "/v1", "/v1/"),
    ] {
        let server = Server::start(Behaviour { api, models: &["model-b", "model-a"], wants_key: true, prefix });
        let (folder, url) = (folder(), format!("{}{base}", server.url));
        // The list is sorted: the first one is `model-a`. A wrong key is asked for again.
        let input = "sk-wrong-hunter3\nsk-right-hunter2\n1\n";
        let run = setup(&folder, &["--provider", provider, "--base-url", &url], input, &[]);
        assert_eq!(run.status, Some(0), "{provider}: {}", run.err);
        for text in [
            "the server refuses the key",
            "The server has 2 models",
            "1  model-a",
            "the model answers",
            "next: run `toolc`",
        ] {
            assert!(run.err.contains(text), "{provider}: {text}: {}", run.err);
        }
        assert!(!run.err.contains("hunter"), "{provider}: {}", run.err);
        let written = config(&folder);
        assert!(written.starts_with("#:schema config.schema.json\nversion = 1\n\n[models.main]\n"), "{written}");
        for text in [&format!("api = \"{api}\"\n"), "model = \"model-a\"\n", &format!("base_url = \"{url}\"\n")] {
            assert!(written.contains(text), "{provider}: {text}: {written}");
        }
        assert_eq!(written.contains("context_tokens = 1048576"), api == "gemini", "{written}");
        assert!(env(&folder).ends_with("=sk-right-hunter2\n"), "{provider}: {}", env(&folder));
        let posts = server.paths().into_iter().filter(|path| path.starts_with("post ")).count();
        assert_eq!(posts, 1, "{:?}", server.paths());
        assert_eq!(super::run(&folder, &["config", "check"]).status, Some(0));
    }
}

#[test]
fn a_local_server_needs_no_key_and_v1_is_added_to_its_address() {
    let behaviour = Behaviour { api: "chat", models: &["llama"], wants_key: false, prefix: "/v1/" };
    let server = Server::start(behaviour);
    let folder = folder();
    let run = setup(&folder, &[], &format!("other\n{}\nllama\n", server.url), &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(!run.err.contains("the key for") && run.err.contains("/v1; this address is used"), "{}", run.err);
    let written = config(&folder);
    assert!(written.contains(&format!("base_url = \"{}/v1\"\nkey_variable = \"\"\n", server.url)), "{written}");
    assert_eq!(env(&folder), "");
    assert!(server.requests().iter().all(|head| !head.contains("authorization")), "{:?}", server.requests());
}

#[test]
fn a_server_on_this_machine_is_found_and_shown_in_the_menu() {
    let server = Server::start(Behaviour { api: "chat", models: &["llama", "qwen"], wants_key: false, prefix: "/v1/" });
    let folder = folder();
    let address = server.url.trim_start_matches("http://").to_owned();
    let run = setup(&folder, &[], "ollama\nqw\n", &[("OLLAMA_HOST", &address)]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.err.contains(&format!("Ollama, found at {}/v1 with 2 models", server.url)), "{}", run.err);
    assert!(config(&folder).contains("model = \"qwen\""), "a part of a name chooses the only one: {}", config(&folder));
}

#[test]
fn options_answer_every_question_and_nothing_is_asked() {
    let server = Server::start(Behaviour { api: "chat", models: &["m-1"], wants_key: true, prefix: "/v1/" });
    let folder = folder();
    write(&folder, "home/config.toml", "# mine\n[approval]\nmode = 'deny' # careful\n");
    let url = format!("{}/v1", server.url);
    let args = ["--base-url", &*url, "--key-variable", "MY_KEY", "--as", "fast", "--yes"];
    let run = setup(&folder, &args, "", &[("MY_KEY", KEY)]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let expected = format!(
        "# mine\n[approval]\nmode = 'deny' # careful\n\n[models.fast]\napi = \"chat\"\nmodel = \"m-1\"\nbase_url = \"{url}\"\n\
         key_variable = \"MY_KEY\"\n"
    );
    assert_eq!(config(&folder), expected, "the only model is used: {}", run.err);
    assert_eq!(env(&folder), "", "a key of the environment is not written");

    // Without the key, and with a wrong model, nothing is written.
    let refused = setup(&folder, &[&args[..2], &["--model", "m-2", "--as", "other", "--yes"]].concat(), "", &[]);
    assert_eq!((refused.status, config(&folder)), (Some(1), expected.clone()), "{}", refused.err);
    assert!(refused.err.contains("the server refuses the key"), "{}", refused.err);
    let with_key = [&args[..4], &["--model", "m-2", "--as", "other", "--yes"]].concat();
    let refused = setup(&folder, &with_key, "", &[("MY_KEY", KEY)]);
    assert_eq!((refused.status, config(&folder)), (Some(1), expected), "{}", refused.err);
    assert!(
        refused.err.contains("the server refuses the model m-2") && refused.err.contains("no such model"),
        "{}",
        refused.err
    );
}

#[test]
fn an_unknown_model_is_asked_for_again_and_a_refused_one_is_not_written() {
    let server = Server::start(Behaviour { api: "chat", models: &["one", "two"], wants_key: false, prefix: "/v1/" });
    let (folder, url) = (folder(), format!("{}/v1", server.url));
    let run = setup(&folder, &["--base-url", &url], "three\ntwo\n", &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.err.contains("the server refuses the model three"), "{}", run.err);
    assert!(config(&folder).contains("model = \"two\""), "{}", config(&folder));
    let known = setup(&folder, &[], "", &[]);
    assert!(known.status == Some(0) && known.err.contains("--change-model"), "{}", known.err);
    let before = config(&folder);
    let skipped = setup(&folder, &["--change-model"], "\n", &[]);
    assert_eq!((skipped.status, config(&folder)), (Some(0), before.clone()), "{}", skipped.err);
    let refused = setup(&folder, &["--base-url", &url, "--model", "x"], "y\nz\n", &[]);
    assert_eq!((refused.status, config(&folder)), (Some(1), before), "{}", refused.err);
}

#[test]
fn an_address_that_is_not_reached_is_asked_for_again() {
    let server = Server::start(Behaviour { api: "chat", models: &["m"], wants_key: false, prefix: "/v1/" });
    let folder = folder();
    let input = format!("other\nmy server\nhttp://127.0.0.1:1/v1\n{}/v1\n1\n", server.url);
    let run = setup(&folder, &[], &input, &[]);
    // The third address is the last try.
    assert_eq!(run.status, Some(0), "{}", run.err);
    for text in ["this is not an address", "the address could not be reached: failed to connect to http://127.0.0.1:1"]
    {
        assert!(run.err.contains(text), "{text}: {}", run.err);
    }
    let closed =
        setup(&folder, &["--base-url", "http://127.0.0.1:1/v1", "--model", "m", "--yes", "--as", "x"], "", &[]);
    assert!(closed.status == Some(1) && !config(&folder).contains("models.x"), "{}", closed.err);
    let untested = setup(
        &folder,
        &["--base-url", "http://127.0.0.1:1/v1", "--model", "m", "--yes", "--as", "x", "--offline"],
        "",
        &[],
    );
    assert!(untested.status == Some(0) && config(&folder).contains("[models.x]"), "{}", untested.err);
    let unsaid = setup(&folder, &["--model", "m", "--yes", "--as", "y"], "", &[]);
    unsaid.assert_refused(&["does not say where the model is", "--provider"]);
    let secret =
        setup(&folder, &["--base-url", "http://127.0.0.1:1", "--key-variable", "sk-hunter2", "--yes"], "", &[]);
    secret.assert_refused(&["is not the name of a variable"]);
    assert!(!secret.err.contains("hunter2"), "{}", secret.err);
}

#[test]
fn a_key_that_is_typed_is_not_shown_in_the_terminal() {
    let server = Server::start(Behaviour { api: "chat", models: &["m"], wants_key: true, prefix: "/v1/" });
    let folder = folder();
    let url = format!("{}/v1", server.url);
    let args = ["setup", "--base-url", &*url];
    let mut program = InTerminal::start_with(folder.path(), &args, "", &[("TERM", "dumb")]);
    program.wait_for("MODEL_API_KEY: ", 2);
    thread::sleep(std::time::Duration::from_millis(200));
    program.press("sk-right-hunter2\n");
    program.wait_for("model (its number or name", 1);
    program.press("1\n");
    program.wait_for("variable (its number or name", 1);
    program.press("\n");
    let ended = program.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(!ended.shown.contains("hunter2") && ended.shown.contains("the model answers"), "{}", ended.shown);
    assert_eq!(env(&folder), "MODEL_API_KEY=sk-right-hunter2\n");
}
