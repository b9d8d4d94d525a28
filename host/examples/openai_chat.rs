//! An agent that answers questions about the current folder, on OpenAI's Chat Completions API or a compatible one:
//! `OPENAI_API_KEY=... cargo run -p toolc-host --example openai_chat -- "What is this project about?"`

use std::{env, error::Error, process::ExitCode};

use serde::Serialize;
use serde_json::{json, value::to_raw_value};
use toolc::wire::Api;
use toolc::{Dialect, RawValue, Registry};

/// The maximum number of requests to the model.
const ROUNDS: usize = 20;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: &'a [Box<RawValue>],
    tools: &'a RawValue,
}

fn main() -> ExitCode {
    let result = run().inspect_err(|error| eprintln!("error: {error}"));
    ExitCode::from(u8::from(result.is_err()))
}

fn run() -> Result<(), Box<dyn Error>> {
    let user = env::args().nth(1).ok_or("pass the task as one argument")?;
    let base = env::var("OPENAI_BASE_URL").unwrap_or("https://api.openai.com/v1".to_owned());
    let key = env::var("OPENAI_API_KEY").map_err(|_| "OPENAI_API_KEY is not set")?;
    let model = env::var("OPENAI_MODEL").unwrap_or("gpt-5".to_owned());

    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools())?;
    let session = registry.session().enable(["safe"]).build()?;
    // The body of a failed request describes the error. A redirect would send the key to another server.
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();

    let mut messages = vec![to_raw_value(&json!({ "role": "user", "content": user }))?];
    for _ in 0..ROUNDS {
        let turn = session.turn_blocking(Dialect::OpenAi);
        let request = Request { model: &model, messages: &messages, tools: turn.raw_definitions()? };
        let post = agent.post(format!("{base}/chat/completions")).header("authorization", format!("Bearer {key}"));
        let response = Api::ChatCompletions.parse(&post.send_json(request)?.into_body().read_to_string()?)?;
        response.text().lines().for_each(|line| println!("{line}"));
        if response.calls().is_empty() {
            return Ok(());
        }
        messages.extend_from_slice(response.messages());
        messages.extend(Api::ChatCompletions.results(&turn.batch_blocking(&response.calls())));
    }
    Err(format!("the model was not done after {ROUNDS} requests").into())
}
