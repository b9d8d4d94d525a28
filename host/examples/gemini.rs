//! An agent that answers questions about the current folder, on Gemini's API:
//! `GEMINI_API_KEY=... cargo run -p toolc-host --example gemini -- "What is this project about?"`

use std::{env, error::Error, process::ExitCode};

use serde::Serialize;
use serde_json::{json, value::to_raw_value};
use toolc::wire::Api;
use toolc::{Dialect, RawValue, Registry};

/// The maximum number of requests to the model.
const ROUNDS: usize = 20;

#[derive(Serialize)]
struct Request<'a> {
    contents: &'a [Box<RawValue>],
    tools: [Tools<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: &'a RawValue,
}

fn main() -> ExitCode {
    let result = run().inspect_err(|error| eprintln!("error: {error}"));
    ExitCode::from(u8::from(result.is_err()))
}

fn run() -> Result<(), Box<dyn Error>> {
    let user = env::args().nth(1).ok_or("pass the task as one argument")?;
    let base = env::var("GOOGLE_GEMINI_BASE_URL").unwrap_or("https://generativelanguage.googleapis.com".to_owned());
    let key = env::var("GEMINI_API_KEY").map_err(|_| "GEMINI_API_KEY is not set")?;
    let model = env::var("GEMINI_MODEL").unwrap_or("gemini-flash-latest".to_owned());

    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools())?;
    let session = registry.session().enable(["safe"]).build()?;
    // The body of a failed request describes the error. A redirect would send the key to another server.
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();

    let mut contents = vec![to_raw_value(&json!({ "role": "user", "parts": [{ "text": user }] }))?];
    for _ in 0..ROUNDS {
        let turn = session.turn_blocking(Dialect::Gemini);
        let tools = [Tools { function_declarations: turn.raw_definitions()? }];
        let request = Request { contents: &contents, tools };
        let post = agent.post(format!("{base}/v1beta/models/{model}:generateContent")).header("x-goog-api-key", &key);
        let response = Api::Gemini.parse(&post.send_json(request)?.into_body().read_to_string()?)?;
        response.text().lines().for_each(|line| println!("{line}"));
        if response.calls().is_empty() {
            return Ok(());
        }
        contents.extend_from_slice(response.messages());
        contents.extend(Api::Gemini.results(&turn.batch_blocking(&response.calls())));
    }
    Err(format!("the model was not done after {ROUNDS} requests").into())
}
