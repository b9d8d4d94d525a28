//! A tool that runs text from the model but has no `[approval]`: a string parameter, or an array of strings, is
//! called `command`, `cmd`, `shell`, `script`, `code` or the like, and the description says that it is run. Names such as
//! `expression`, `function`, `query`, `source` and `argv` count if the description says that code is run, or SQL that
//! changes data; formulas and search queries are allowed.
//!
//! ## Why is this bad
//! A manipulated model can run any command with the rights of the host, without anyone being asked.
//!
//! ## Example
//! ```toml
//! # manifests/tools/terminal.toml
//! description = "Run a shell command on the host and wait for it to end. Returns the exit code and the output."
//! annotations = { destructive = true }
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
//! annotations = { destructive = true }
//! approval = { shell = "command" }
//!
//! [params.command]
//! type = "string"
//! description = "The command line to run."
//! ```

use std::sync::LazyLock;

use toolc_lower::schema::{Property, Schema};
use regex::Regex;
use toolc::__gen::code_names::{AMBIGUOUS, COMMANDS, PROGRAMS};
use toolc::__gen::table::Type;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::verbs::{Effect, effect_of, stem, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A011", "shell-without-approval", Some(Level::Warning), Check::Tool(check));

static RUNS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\b(?:runs?|running|execut(?:e|es|ed|ing)|evaluat(?:e|es|ing)|eval|exec|invokes?|spawns?|shell|bash|terminal|command[- ]line)\b")
});

/// A verb that runs, and near it code of a language that can do anything.
static RUNS_CODE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\b(?:run|execut|evaluat|eval|exec|interpret|spawn)\w*\b[^.\n]{0,40}\b(?:javascript|js|typescript|python|ruby|perl|php|lua|powershell|bash|shell|(?:arbitrary|custom|any|user|given) code|code (?:in|on|and|with|inside)|scripts?|programs?|executables?|statements?|in (?:the|a) (?:page|browser|console|interpreter|repl|sandbox)|on the (?:machine|host|server))\b")
});

/// Statements of SQL that change data, or any statement.
static RUNS_SQL: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i:\b(?:run|execut)\w*\b)[^.\n]{0,40}(?:\b(?:INSERT|UPDATE|DELETE|DROP|ALTER|TRUNCATE|MERGE)\b|(?i:\b(?:any|arbitrary|raw)\s+(?:\w+\s+)?(?:sql|quer(?:y|ies)|statements?)|\bsql\s+(?:statements?|commands?|scripts?))\b)")
});

/// Text about expressions that only compute or select, or about what cannot change anything.
static HARMLESS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\b(?:math\w*|arithmetic|calculat\w+|numeric|read[- ]?only|select|cron|regular expression|regex|glob|jmespath|jsonpath|xpath|jq|promql|graphql|search)\b")
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// Returns whether a description says that the value of an ambiguous parameter is run.
fn runs_anything(text: &str) -> bool {
    RUNS_SQL.is_match(text) && !text.to_lowercase().contains("read-only") || RUNS_CODE.is_match(text) && !HARMLESS.is_match(text)
}

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    let approval = &manifest.approval;
    if approval.always.is_some() || approval.shell.is_some() || approval.refused.is_any() {
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
    let text_of = |parameter: &Property| {
        let texts = [Some(&manifest.description), parameter.schema.description.as_ref()].into_iter().flatten();
        texts.filter_map(|text| lint.full_text(tool, &text.value)).collect::<Vec<_>>().join("\n")
    };
    let program = || parameters.iter().find(|parameter| is_called(parameter, PROGRAMS));
    let is_ambiguous = |parameter: &&Property| is_called(parameter, AMBIGUOUS) && runs_anything(&text_of(parameter));
    let Some(parameter) = command.or_else(program).or_else(|| parameters.iter().find(is_ambiguous)) else { return };
    let text = text_of(parameter);
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
    sink.push(Diagnostic::new(codes::SHELL_WITHOUT_APPROVAL, parameter.name.place, message).help(help));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_code_is_distinguished_from_computing() {
        for text in [
            "Evaluate a JavaScript function in the page and return its value.",
            "Evaluate a JavaScript expression in the page and return its value.",
            "Execute any SQL statement against the database and return its rows.",
            "Compile and run a program in C and return what it prints.",
            "Run a program with these arguments on the machine.",
            "Execute a snippet of Python and return what it prints.",
            "Execute an INSERT, UPDATE, or DELETE query on the SQLite database",
        ] {
            assert!(runs_anything(text), "{text}");
        }
        for text in [
            "Evaluate a mathematical expression.",
            "Run a read-only SQL query",
            "Execute a SELECT query on the SQLite database",
            "Run a search query against the index",
            "Execute a GraphQL query",
            "Run a find query against a collection",
            "Evaluates a cron expression in the calendar",
            "Look up the source of a quotation",
        ] {
            assert!(!runs_anything(text), "{text}");
        }
    }
}
