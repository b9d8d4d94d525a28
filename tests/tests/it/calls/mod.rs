//! Calls of tools of the golden project.

mod accepted;
mod conditions;
mod refused;
mod results;

use serde_json::{Value, json};
use toolc::{CallResponse, Dialect, Registry, Task, ToolCall, Turn};
use toolc_tests::echo::Echo;
use toolc_tests::golden::shapes::every_choice::Odd;

fn turn(toolset: &str) -> Turn {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::shared_provider(Echo)).expect("the names are unique");
    registry.session().enable([toolset]).build().expect("the toolset is known").turn_blocking(Dialect::OpenAi)
}

pub(super) fn answer(tool: &str, arguments: &str) -> CallResponse {
    pollster::block_on(turn("all").call(&ToolCall::new(tool, arguments)))
}

/// Calls a tool and returns the arguments that its handler got, as text.
fn echo(tool: &str, arguments: &Value) -> String {
    let CallResponse { json, error, .. } = answer(tool, &arguments.to_string());
    assert!(error.is_none(), "{json}");
    serde_json::from_str(&json).expect("text is a JSON string")
}

/// Puts each field of the text of [`echo`] on its own line.
fn fields(arguments: &str) -> String {
    let mut depth = 0;
    let lines = arguments.chars().map(|letter| {
        depth += i32::from("{[(".contains(letter)) - i32::from(")]}".contains(letter));
        if letter == ',' && depth == 1 { '\n' } else { letter }
    });
    lines.collect::<String>().replace("\n ", "\n")
}

/// Calls a tool and returns the error that the model gets.
fn error(tool: &str, arguments: &str) -> Value {
    let CallResponse { json, error, .. } = answer(tool, arguments);
    assert!(error.is_some(), "{json}");
    serde_json::from_str(&json).expect("an error is JSON")
}

/// Calls a tool and returns the problems of the error: path, expected and got.
fn problems(tool: &str, arguments: &Value) -> Vec<[String; 3]> {
    let error = error(tool, &arguments.to_string());
    assert_eq!(error["kind"], "invalid_arguments", "{error}");
    let text = |problem: &Value, key: &str| problem[key].as_str().expect("text").to_owned();
    let problems = error["problems"].as_array().expect("problems").iter();
    problems.map(|problem| ["path", "expected", "got"].map(|key| text(problem, key))).collect()
}

fn lines(problems: &[[String; 3]]) -> String {
    let line = |[path, expected, got]: &[String; 3]| format!("{path}: expected {expected}, got {got}");
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}
