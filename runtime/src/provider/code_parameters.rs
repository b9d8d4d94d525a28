//! Parameters of run-time tools that hold code: recognized by their names and descriptions, because such tools have no manifest
//! that says so, or were not written for this host, as those of a plugin. The lint rule `shell-without-approval` asks authors of manifests about the same parameters.

use std::borrow::Cow;

use serde_json::Value;

use crate::text::code_names::{AMBIGUOUS, COMMANDS, PROGRAMS};
use toolc_redact::words;

/// A parameter of a tool that holds code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeParameter {
    /// The name.
    pub name: Cow<'static, str>,
    /// Whether the code is a shell command. Otherwise it is in another language.
    pub is_shell: bool,
}

/// Words of a description that say that something is run.
const RUNS: &[&str] = &[
    "bash",
    "cmdline",
    "eval",
    "evaluate",
    "evaluates",
    "evaluating",
    "exec",
    "execute",
    "executed",
    "executes",
    "executing",
    "interpret",
    "interprets",
    "invoke",
    "invokes",
    "run",
    "running",
    "runs",
    "shell",
    "spawn",
    "spawns",
    "terminal",
];

/// Words for code that can do anything, near a verb that runs it.
const CODE: &[&str] = &[
    "bash",
    "browser",
    "code",
    "console",
    "executable",
    "interpreter",
    "javascript",
    "js",
    "lua",
    "perl",
    "php",
    "powershell",
    "program",
    "programs",
    "python",
    "ruby",
    "sandbox",
    "script",
    "scripts",
    "shell",
    "statement",
    "statements",
    "typescript",
    "DELETE",
    "DROP",
    "INSERT",
    "TRUNCATE",
    "UPDATE",
    "sql",
];

/// Words for expressions that only compute or select.
const HARMLESS: &[&str] = &[
    "arithmetic",
    "calculate",
    "calculation",
    "cron",
    "glob",
    "graphql",
    "jmespath",
    "jq",
    "jsonpath",
    "math",
    "mathematical",
    "numeric",
    "only",
    "promql",
    "regex",
    "regular",
    "search",
    "select",
    "xpath",
];

/// Words of a tool's name or description with which a `script` is one for a shell.
const SHELL: &[&str] = &["bash", "command", "commands", "sh", "shell", "terminal", "zsh"];

/// Returns the parameters of a tool that seem to hold code, by their names and descriptions. `tool` is its name; `schema` describes its
/// arguments.
pub fn code_parameters(tool: &str, description: &str, read_only: bool, schema: &Value) -> Vec<CodeParameter> {
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (name, property) in properties {
        let plain = words(name).map(str::to_lowercase).collect::<Vec<_>>().join("_");
        let is_called = |names: &[&str]| names.contains(&plain.as_str());
        let holds_text = is_free_text(property) || is_free_text(&property["items"]);
        if !holds_text && !is_called(COMMANDS) || property.get("enum").is_some() || property.get("const").is_some() {
            continue;
        }
        let text = [tool, description, property["description"].as_str().unwrap_or_default()].join(". ");
        let is_shell = is_called(COMMANDS) || plain == "script" && words(&text).any(|word| is_one_of(word, SHELL));
        let is_program = is_called(PROGRAMS) && !read_only && words(&text).any(|word| is_one_of(word, RUNS));
        if is_shell || is_program || is_called(AMBIGUOUS) && runs_anything(&text) {
            found.push(CodeParameter { name: name.clone().into(), is_shell });
        }
    }
    found
}

/// Returns whether a schema allows any text. One without a type allows anything.
fn is_free_text(schema: &Value) -> bool {
    let is_string = |kind: &Value| kind == "string";
    match &schema["type"] {
        Value::Null => schema.is_object(),
        Value::Array(types) => types.iter().any(is_string),
        kind => is_string(kind),
    }
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.contains(&word) || list.contains(&word.to_lowercase().as_str())
}

/// Returns whether a description says that what an ambiguous parameter holds is run: a verb, and a word for code in the rest of
/// the sentence.
fn runs_anything(text: &str) -> bool {
    !words(text).any(|word| is_one_of(word, HARMLESS))
        && text.split(". ").flat_map(|text| text.split('\n')).any(|sentence| {
            let mut words = words(sentence);
            words.any(|word| is_one_of(word, RUNS)) && words.any(|word| is_one_of(word, CODE))
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(tool: &str, description: &str, parameter: &str, schema: &Value) -> Option<bool> {
        let schema = json!({"type": "object", "properties": {parameter: schema}});
        code_parameters(tool, description, false, &schema).first().map(|parameter| parameter.is_shell)
    }

    #[test]
    fn commands_are_recognized_by_their_name() {
        for name in ["command", "cmd", "shellCommand", "command-line", "commands"] {
            assert_eq!(found("t", "", name, &json!({"type": "string"})), Some(true), "{name}");
        }
        let strings = json!({"type": "array", "items": {"type": "string"}});
        assert_eq!(found("t", "", "command", &strings), Some(true));
        assert_eq!(found("t", "", "command", &json!({"type": "object"})), Some(true), "its calls ask");
        assert_eq!(found("t", "", "command", &json!({"type": "string", "enum": ["start", "stop"]})), None);
    }

    #[test]
    fn programs_are_recognized_if_they_are_run() {
        let text = json!({"type": "string"});
        assert_eq!(found("run_python", "", "code", &text), Some(false));
        assert_eq!(found("send_login_code", "Sends a code to the user.", "code", &text), None);
        assert_eq!(found("t", "Executes a script in the page.", "script", &text), Some(false));
        assert_eq!(found("t", "Runs a shell script.", "script", &text), Some(true));
        assert_eq!(found("t", "Run SQL statements on the database.", "sql", &text), Some(false));
        assert_eq!(found("t", "Run a read-only SQL query.", "sql", &text), None);
        assert_eq!(found("t", "Evaluate a mathematical expression.", "expression", &text), None);
        let schema =
            json!({"type": "object", "properties": {"code": {"type": "string", "description": "Python to run."}}});
        assert_eq!(code_parameters("t", "", false, &schema).len(), 1, "the description of the parameter counts");
        assert!(code_parameters("t", "Explains how it runs.", true, &schema).is_empty(), "a tool that only reads");
    }
}
