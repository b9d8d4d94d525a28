//! Prints the arguments that a handler gets for each line of arguments, or the error.

use serde_json::json;
use toolc::{Dialect, DynamicTool, Registry, ToolCall, ToolOutput, Turn};

fn main() {
    let turn = turn();
    for line in std::io::stdin().lines().map(|line| line.expect("failed to read a line")) {
        println!("{}", response(&turn, &line));
    }
}

pub(crate) fn turn() -> Turn {
    let schema = json!({
        "type": "object",
        "properties": {
            "number": {"type": "number", "minimum": 0.5, "multipleOf": 0.1},
            "integer": {"type": "integer", "maximum": 1e15},
            "text": {"type": "string"},
            "list": {"type": "array", "items": {"enum": [1.5, 2, "2"]}},
            "any": {},
        },
        "additionalProperties": false,
    });
    let tool = DynamicTool::sync("read", "Returns its arguments.", schema, |args, _| ToolOutput::json(&args));
    let registry = Registry::new();
    registry.add(tool.toolset("reads").build().expect("the tool is valid")).expect("the name is free");
    registry.session().build().expect("the session is valid").turn_blocking(Dialect::OpenAi)
}

pub(crate) fn response(turn: &Turn, line: &str) -> String {
    turn.call_blocking(&ToolCall::new("read", line)).json
}
