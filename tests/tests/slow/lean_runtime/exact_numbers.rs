//! Prints a declaration, and the arguments that a handler gets for each line of arguments, or the error.

use serde_json::json;
use toolc::{Dialect, DynamicTool, Registry, Session, ToolCall, ToolOutput, Turn};

fn main() {
    println!("{:?}", declaration());
    let turn = turn();
    for line in std::io::stdin().lines().map(|line| line.expect("failed to read a line")) {
        println!("{}", response(&turn, &line));
    }
}

/// Returns the declaration of the tool.
pub(crate) fn declaration() -> String {
    session().turn_blocking(Dialect::TypeScript).definitions().to_owned()
}

pub(crate) fn turn() -> Turn {
    session().turn_blocking(Dialect::OpenAi)
}

fn session() -> Session {
    let schema = json!({
        "type": "object",
        "properties": {
            "any": {},
            "integer": {"type": "integer", "maximum": 1e15},
            "list": {"type": "array", "items": {"enum": [1.5, 2, "2"]}},
            "number": {"type": "number", "minimum": 0.5, "multipleOf": 0.1},
            "text": {"type": "string"},
        },
        "additionalProperties": false,
    });
    let tool = DynamicTool::sync("read", "Returns its arguments.", schema, |args, _| ToolOutput::json(&args));
    let registry = Registry::new();
    registry.add(tool.toolset("reads").build().expect("the tool is valid")).expect("the name is free");
    registry.session().build().expect("the session is valid")
}

pub(crate) fn response(turn: &Turn, line: &str) -> String {
    turn.call_blocking(&ToolCall::new("read", line)).json
}
