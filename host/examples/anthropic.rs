//! An agent that answers questions about the current folder, on Anthropic's Messages API. Prints the text as it is streamed:
//! `ANTHROPIC_API_KEY=... cargo run -p toolc-host --example anthropic -- "What is this project about?"`

use std::{env, error::Error, io::Read as _, process::ExitCode};

use serde::Serialize;
use serde_json::{json, value::to_raw_value};
use toolc::wire::Api;
use toolc::{Dialect, RawValue, Registry};

/// The maximum number of requests to the model.
const ROUNDS: usize = 20;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    messages: &'a [Box<RawValue>],
    tools: &'a RawValue,
}

fn main() -> ExitCode {
    let result = run().inspect_err(|error| eprintln!("error: {error}"));
    ExitCode::from(u8::from(result.is_err()))
}

fn run() -> Result<(), Box<dyn Error>> {
    let user = env::args().nth(1).ok_or("pass the task as one argument")?;
    let base = env::var("ANTHROPIC_BASE_URL").unwrap_or("https://api.anthropic.com".to_owned());
    let key = env::var("ANTHROPIC_API_KEY").map_err(|_| "ANTHROPIC_API_KEY is not set")?;
    let model = env::var("ANTHROPIC_MODEL").unwrap_or("claude-sonnet-5".to_owned());

    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools())?;
    let session = registry.session().enable(["safe"]).build()?;
    // The body of a failed request describes the error. A redirect would send the key to another server.
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();

    let mut messages = vec![to_raw_value(&json!({ "role": "user", "content": user }))?];
    for _ in 0..ROUNDS {
        let turn = session.turn_blocking(Dialect::Anthropic);
        let tools = turn.raw_definitions()?;
        let request = Request { model: &model, max_tokens: 8_192, stream: true, messages: &messages, tools };
        let post = agent.post(format!("{base}/v1/messages")).header("x-api-key", &key);
        let mut body = post.header("anthropic-version", "2023-06-01").send_json(request)?.into_body().into_reader();
        let (mut stream, mut bytes) = (Api::Anthropic.stream(), [0; 4_096]);
        while let read @ 1.. = body.read(&mut bytes)? {
            print!("{}", stream.push(&bytes[..read])?);
        }
        let response = stream.finish()?;
        print!("{}", if response.text().is_empty() { "" } else { "\n" });
        if response.calls().is_empty() {
            return Ok(());
        }
        messages.extend_from_slice(response.messages());
        messages.extend(Api::Anthropic.results(&turn.batch_blocking(&response.calls())));
    }
    Err(format!("the model was not done after {ROUNDS} requests").into())
}
