//! Prints what a handler gets for each line of arguments, or why it gets nothing.

use serde_json::json;
use toolc::{Dialect, DynamicTool, Registry, ToolCall, ToolOutput, Turn};

fn main() {
    let turn = turn();
    for line in std::io::stdin().lines().map(|line| line.expect("failed to read a line")) {
        println!("{}", told(&turn, &line));
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
    let tool = DynamicTool::sync("read", "Gives back what it is given.", schema, |args, _| ToolOutput::json(&args));
    let registry = Registry::new();
    registry.add(tool.home("reads").build().expect("it is a tool")).expect("its name is free");
    registry.session().build().expect("nothing was asked for").turn_blocking(Dialect::OpenAi)
}

pub(crate) fn told(turn: &Turn, line: &str) -> String {
    turn.call_blocking(&ToolCall::new("read", line)).json
}
