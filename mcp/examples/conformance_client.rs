//! The client under test of MCP's conformance suite: it lists and calls the tools of the server whose address is the last argument, as a
//! host does. The person accepts what is proposed, and logs in with a browser that follows the redirects of the authorization server.
//!
//! The suite sets the variables `MCP_CONFORMANCE_SCENARIO` and `MCP_CONFORMANCE_CONTEXT`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolc::{Dialect, Env, Registry, Session, ToolCall};
use toolc_mcp::{
    Answer, AnswerFuture, Answering, Asker, Oauth, PinPolicy, Pinning, Question, QuestionKind, Sample, SampleFuture,
    SampleRequest, Sampler, Server, ServerReport, ServerState, Servers, Transport,
};

/// The document about this client in the scenarios about such documents.
const CLIENT_METADATA_URL: &str = "https://conformance-test.local/client-metadata.json";
/// The variable for the secret of a registered client.
const SECRET: &str = "CLIENT_SECRET";
/// The time limit of everything. It is only reached if a scenario fails.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often the person logs in: the authorization server of a server can change.
const LOGINS: usize = 2;
/// How often each tool is called, so that what changes between two calls is noticed.
const ROUNDS: usize = 2;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let url = std::env::args().next_back().ok_or("the last argument is the address of the server")?;
    let context: Value = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context).map_err(|error| format!("the context is not JSON: {error}"))?,
        Err(_) => Value::Null,
    };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let text = |key: &str| context[key].as_str().map(str::to_owned);
    let oauth = Oauth {
        client_secret_variable: text("client_secret").map(|_| SECRET.to_owned()),
        client_metadata_url: Some(CLIENT_METADATA_URL.to_owned()),
        client_id: text("client_id"),
        scopes: Vec::new(),
        tokens: folder.path().join("tokens.json"),
    };
    let env = text("client_secret").into_iter().fold(Env::process(), |env, secret| env.with_secret(SECRET, secret));
    let server = Server {
        name: "conformance".to_owned(),
        transport: Transport::Http { url, headers: Vec::new(), bearer_variable: None, oauth },
        trusted: false,
        start_timeout: PATIENCE,
        call_timeout: PATIENCE,
        restart_delay: Duration::from_secs(1),
        include: None,
        exclude: Vec::new(),
        pinning: Pinning { file: folder.path().join("lock.json"), policy: PinPolicy::Off, for_review: false },
        tools: Vec::new(),
        question_timeout: PATIENCE,
        sampling: true,
        packages: None,
        protocol_file: std::path::PathBuf::new(),
        state_file: std::path::PathBuf::new(),
    };
    let person: Arc<dyn Asker> = Arc::new(Person);
    let answering = Answering { asker: Some(Arc::clone(&person)), sampler: Some(Arc::new(Model)) };
    let start = || {
        let registry = Registry::new();
        let servers =
            Servers::start(vec![server.clone()], &registry, &env, &answering).map_err(|error| error.to_string())?;
        servers.wait_until_started();
        Ok::<_, String>((registry, servers))
    };
    let (mut registry, mut servers) = start()?;
    for _ in 0..LOGINS {
        if !problem(&servers.reports()).is_some_and(|problem| problem.contains("requires a login")) {
            break;
        }
        drop(servers);
        toolc_mcp::log_in(&server, &env, Arc::clone(&person), &[]).map_err(|error| error.to_string())?;
        (registry, servers) = start()?;
    }
    if let Some(problem) = problem(&servers.reports()) {
        return Err(problem);
    }
    let session = registry.session().env(env.clone()).build().map_err(|error| error.to_string())?;
    for _ in 0..ROUNDS {
        call_all(&session, &servers, &context);
    }
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    read_skills(&servers, !scenario.contains("no-prefetch"))
}

/// Lists the skills, and reads all files of each until one cannot be used, as a host does that loads a skill.
fn read_skills(servers: &Servers, loads: bool) -> Result<(), String> {
    let skills = servers.skills(front_matter);
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
    for skill in
        runtime.block_on(skills.list()).into_iter().flat_map(|listing| listing.skills.clone()).filter(|_| loads)
    {
        for file in &skill.files {
            runtime.block_on(skills.read(&skill, &file.path)).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// Reads front matter of lines `key: text`, which is all that the scenarios have.
fn front_matter(text: &str) -> Result<Map<String, Value>, String> {
    let block = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).ok_or("no front matter")?.0;
    let field = |line: &str| line.split_once(": ").map(|(key, value)| (key.to_owned(), value.into()));
    block.lines().map(|line| field(line).ok_or_else(|| format!("expected `key: text`: {line}"))).collect()
}

fn problem(reports: &[ServerReport]) -> Option<String> {
    reports.iter().find(|report| report.state != ServerState::Connected).map(ToString::to_string)
}

/// Calls the tools that the context names, or else each tool with arguments that its schema requires.
fn call_all(session: &Session, servers: &Servers, context: &Value) {
    let turn = session.turn_blocking(Dialect::OpenAi);
    let named = context["toolCalls"].as_array().or_else(|| context["tool_calls"].as_array());
    let calls: Vec<(String, Value)> = if let Some(calls) = named {
        let call = |call: &Value| {
            let name = call["name"].as_str().unwrap_or_default();
            (toolc_mcp::tool_name("conformance", name), call["arguments"].clone())
        };
        calls.iter().map(call).collect()
    } else {
        let definitions: Value = serde_json::from_str(turn.definitions()).unwrap_or_default();
        let schema = |name: &str| {
            let all = definitions.as_array()?;
            let found = all.iter().find(|definition| definition["function"]["name"] == name)?;
            Some(found["function"]["parameters"].clone())
        };
        let tools = servers.reports().into_iter().flat_map(|report| report.tools);
        tools.map(|tool| (tool.name.clone(), arguments(&schema(&tool.name).unwrap_or_default()))).collect()
    };
    for (name, arguments) in calls {
        let arguments = if arguments.is_null() { json!({}) } else { arguments };
        let response = turn.call_blocking(&ToolCall::new(&name, &arguments.to_string()));
        eprintln!("{name} {arguments}: {}", response.json);
    }
}

fn arguments(schema: &Value) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("test"),
    };
    required.map(|name| (name.to_owned(), value(name))).collect::<Map<_, _>>().into()
}

/// A person who accepts what is proposed.
#[derive(Debug)]
struct Person;

impl Asker for Person {
    fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            match &question.kind {
                QuestionKind::Form(fields) => {
                    let value = |field: &toolc_mcp::Field| Some((field.name.clone(), field.read("").ok()??));
                    Answer::Accept(fields.iter().filter_map(value).collect())
                }
                QuestionKind::Login { address, .. } => match browse(&address.url).await {
                    Ok(()) => Answer::yes(),
                    Err(problem) => {
                        eprintln!("the browser failed: {problem}");
                        Answer::Cancel
                    }
                },
                _ => Answer::yes(),
            }
        })
    }
}

/// Opens the page of a login as a browser does, and comes back.
async fn browse(url: &str) -> Result<(), String> {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build();
    let client = client.map_err(|error| error.to_string())?;
    let page = client.get(url).send().await.map_err(|error| error.to_string())?;
    let back = page.headers().get("location").and_then(|location| location.to_str().ok()).map(str::to_owned);
    let back = back.ok_or_else(|| format!("the page of the login answers with {}", page.status()))?;
    client.get(back).send().await.map(drop).map_err(|error| error.to_string())
}

/// A model with one answer.
#[derive(Debug)]
struct Model;

impl Sampler for Model {
    fn sample<'a>(&'a self, _: &'a SampleRequest) -> SampleFuture<'a> {
        let sample = Sample { model: "scripted".to_owned(), text: "An answer.".to_owned(), is_cut_off: false };
        Box::pin(std::future::ready(Ok(sample)))
    }
}
