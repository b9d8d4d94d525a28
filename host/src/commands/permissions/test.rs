//! `toolc permissions test`: the verdict about one call.

use std::io::{self, IsTerminal as _};

use clap::Args;
use serde_json::{Value, json};
use toolc::approval::PermissionCall;
use toolc::suggest::suggestion;
use toolc::{Call, Tool, ToolCall};
use toolc_permissions::{SessionPermissions, Verdict, Verdicts};

use super::list::{rule_json, rule_line};
use super::{Loaded, recorded, task_in};
use crate::ground::ask::print;
use crate::ground::error::{Error, Result};
use crate::ground::show::{Look, Style};
use crate::ground::terminal;

/// The arguments of `permissions test`.
#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// The name of the tool.
    #[arg(required_unless_present = "recorded")]
    tool: Option<String>,
    /// The arguments, as a JSON object.
    #[arg(default_value = "{}")]
    arguments: String,
    /// List the recorded calls about which the rules would decide otherwise than the tools alone.
    #[arg(long, conflicts_with = "tool")]
    recorded: bool,
    /// How far to look back, such as `12h`, `7d` or `4w`.
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = recorded::time, requires = "recorded")]
    since: std::time::Duration,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

impl TestArgs {
    /// Prints the verdict, and returns the exit status.
    pub(super) fn run(&self, loaded: &Loaded) -> Result<u8> {
        let Some(name) = &self.tool else { return recorded::run(loaded, self.since, self.json) };
        let Some(tool) = loaded.tool(name) else {
            let similar = suggestion(name, loaded.registry.tools().iter().map(AsRef::as_ref));
            return Err(Error::Invalid(format!("unknown tool `{}`{similar}", name.escape_debug())));
        };
        let permissions = loaded.permissions(&loaded.files(&loaded.directory)?).session();
        let found = judge(loaded, &permissions, &tool, arguments(&self.arguments)?);
        print(&if self.json { json_line(&found) } else { text(&found) })?;
        Ok(status(found.verdict))
    }
}

/// Reads the arguments of a call.
pub(crate) fn arguments(text: &str) -> Result<Value> {
    let arguments: Value =
        serde_json::from_str(text).map_err(|error| Error::Invalid(format!("the arguments are not JSON: {error}")))?;
    if arguments.is_object() {
        Ok(arguments)
    } else {
        Err(Error::Invalid("the arguments are not a JSON object: write `{\"name\": \"value\"}`".to_owned()))
    }
}

/// Judges a call of a tool.
pub(super) fn judge(loaded: &Loaded, permissions: &SessionPermissions, tool: &Tool, mut arguments: Value) -> Verdicts {
    toolc::args::repair(&mut arguments, &tool.arguments);
    let task = task_in(&loaded.directory);
    let call = Call::new(ToolCall::new(&tool.name, "{}").with_task(&task));
    permissions.judge(&PermissionCall::new(tool, &arguments, &call))
}

fn status(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Ask => 1,
        Verdict::Deny => 3,
    }
}

fn text(found: &Verdicts) -> String {
    let look = Look::new(io::stdout().is_terminal().then(|| terminal::columns(io::stdout())));
    let mut text: String = found.rules.iter().map(|rule| rule_line(rule, look)).collect();
    if found.rules.is_empty() {
        text += if found.verdict == Verdict::Ask {
            "every call of this tool needs approval\n"
        } else {
            "no rule decides\n"
        };
    }
    text + &format!("\n{}\n", verdict_text(found.verdict, look))
}

/// Says what a verdict means.
pub(super) fn verdict_text(verdict: Verdict, look: Look) -> String {
    let meaning = match verdict {
        Verdict::Allow => "the call runs without a question of permissions",
        Verdict::Ask => "a person decides",
        Verdict::Deny => "the call never runs",
    };
    format!("verdict: {}: {meaning}", look.paint(Style::Strong, verdict.word()))
}

fn json_line(found: &Verdicts) -> String {
    let rules = found.rules.iter().map(rule_json).collect::<Value>();
    format!("{}\n", json!({ "rules": rules, "verdict": found.verdict.word() }))
}
