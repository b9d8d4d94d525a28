//! A tool that is added at run time, from its registration to the response to a call:
//! `cargo run -p toolc --example weather`.

use serde_json::json;
use toolc::{Dialect, DynamicTool, Registry, ToolCall, ToolError, ToolOutput};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 1},
        },
        "required": ["city"],
        "additionalProperties": false,
    });
    let weather =
        DynamicTool::sync("weather", "Forecasts the weather in a city.", schema, |args, _| {
            match args["city"].as_str() {
                Some("Oslo") => ToolOutput::json(&json!({"days": args["days"], "sky": "clear"})),
                _ => Err(ToolError::new("unknown city: only Oslo has a forecast").with_field("known", vec!["Oslo"])),
            }
        });
    let registry = Registry::new();
    registry.add(weather.read_only().build()?)?;
    let turn = registry.session().build()?.turn_blocking(Dialect::OpenAi);
    println!("definitions: {}", turn.definitions());

    // Calls as models write them: a number as a string, a misspelt key, a city that the tool does not know.
    for arguments in [r#"{"city": "Oslo", "days": "3"}"#, r#"{"town": "Oslo"}"#, r#"{"city": "Rome"}"#] {
        println!("{arguments} -> {}", turn.call_blocking(&ToolCall::new("weather", arguments)).json);
    }
    Ok(())
}
