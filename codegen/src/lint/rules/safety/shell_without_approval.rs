//! A tool that runs text from the model but has no `[approval]`: a string parameter, or an array of strings, is
//! called `command`, `cmd`, `shell`, `script`, `code` or the like, and the description says that it is run.
//!
//! ## Why is this bad
//! A manipulated model can run any command with the rights of the host, without anyone being asked.
//!
//! ## Example
//! ```toml
//! # manifests/tools/terminal.toml
//! description = "Run a shell command on the host and wait for it to end. Returns the exit code and the output."
//!
//! [params.command]
//! type = "string"
//! description = "The command line to run."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/terminal.toml
//! description = "Run a shell command on the host and wait for it to end. Returns the exit code and the output."
//! approval = { shell = "command" }
//!
//! [params.command]
//! type = "string"
//! description = "The command line to run."
//! ```

use std::sync::LazyLock;

use regex::Regex;
use toolc::__gen::table::Type;

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::verbs::{Effect, effect_of, stem, words};
use crate::lint::{Check, Lint, Rule};
use crate::schema::{Property, Schema};

pub(super) const RULE: Rule = Rule::new("A011", "shell-without-approval", Some(Level::Warning), Check::Tool(check));

/// Names of parameters for shell commands.
const COMMANDS: &[&str] = &["bash", "cmd", "command", "command_line", "commands", "shell", "shell_command"];

/// Names of parameters for programs.
const PROGRAMS: &[&str] = &["code", "javascript", "js", "powershell", "python", "python_code", "script", "source_code"];

static RUNS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:runs?|running|execut(?:e|es|ed|ing)|evaluat(?:e|es|ing)|eval|exec|invokes?|spawns?|shell|bash|terminal|command[- ]line)\b")
        .expect("the pattern is valid")
});

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    if manifest.approval.always.is_some() || manifest.approval.shell.is_some() {
        return;
    }
    let is_text = |schema: &Schema| {
        schema.types.contains(&Type::String) && schema.choices.is_empty() && schema.constant.is_none()
    };
    let is_free = |schema: &Schema| is_text(schema) || schema.items.as_deref().is_some_and(is_text);
    let is_called = |parameter: &&Property, names: &[&str]| {
        let name = words(&parameter.name.value).join("_");
        names.contains(&name.as_str()) && is_free(&parameter.schema)
    };
    let parameters = &manifest.params.properties;
    let command = parameters.iter().find(|parameter| is_called(parameter, COMMANDS));
    let Some(parameter) = command.or_else(|| parameters.iter().find(|parameter| is_called(parameter, PROGRAMS))) else {
        return;
    };
    let texts = [Some(&manifest.description), parameter.schema.description.as_ref()].into_iter().flatten();
    let text = texts.filter_map(|text| lint.full_text(tool, &text.value)).collect::<Vec<_>>().join("\n");
    let name = words(tool.name());
    // A read-only tool that explains commands also mentions running them.
    let first_effect = || name.iter().chain(&words(&text)).find_map(|word| effect_of(&stem(word)));
    if manifest.annotations.value().read_only && first_effect() != Some(Effect::Run)
        || !RUNS.is_match(&name.join(" ")) && !RUNS.is_match(&text)
    {
        return;
    }
    let name = &parameter.name.value;
    let message = format!("`{}` runs the text of `{name}` without approval", tool.name());
    let help = if command.is_some() {
        format!(
            "add `approval = {{ shell = \"{name}\" }}`, which asks for dangerous commands, or `approval = {{ always = \"ask\" }}`"
        )
    } else {
        "add `approval = { always = \"ask\" }`".to_owned()
    };
    sink.push(Diagnostic::new(Code::SHELL_WITHOUT_APPROVAL, parameter.name.place, message).help(help));
}
