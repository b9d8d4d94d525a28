//! `toolc permissions test`: the verdict about one call.

use std::io::{self, IsTerminal as _};

use clap::Args;
use serde_json::{Value, json};
use toolc::approval::PermissionCall;
use toolc::suggest::suggestion;
use toolc::{Call, Tool, ToolCall};
use toolc_permissions::{SessionPermissions, Verdicts};

use super::list::{rule_json, rule_line};
use super::{Loaded, recorded, task_in};
use crate::approval::verdict::{About, CallVerdict};
use crate::ground::ask::print;
use crate::ground::error::{Error, Result};
use crate::ground::show::Look;
use crate::ground::terminal;

/// The arguments of `permissions test`.
#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// The name of the tool.
    #[arg(required_unless_present = "recorded")]
    tool: Option<String>,
    /// The arguments, as for `toolc call`: a JSON object, or pairs such as `path=x`.
    arguments: Vec<String>,
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
        let given =
            toolc_cli::arguments_of_words(&self.arguments).map_err(|error| Error::Invalid(error.to_string()))?;
        let found = loaded.verdict(&tool, &arguments(&given)?)?;
        print(&if self.json { json_line(&found) } else { text(&found) })?;
        Ok(found.status())
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

/// Returns what the permissions say about a call of a tool.
pub(super) fn judge(loaded: &Loaded, permissions: &SessionPermissions, tool: &Tool, mut arguments: Value) -> Verdicts {
    toolc::args::repair(&mut arguments, &tool.arguments);
    let task = task_in(&loaded.directory);
    let call = Call::new(ToolCall::new(&tool.name, "{}").with_task(&task));
    permissions.judge(&PermissionCall::new(tool, &arguments, &call))
}

fn text(found: &CallVerdict) -> String {
    let look = Look::new(io::stdout().is_terminal().then(|| terminal::columns(io::stdout())));
    let text: String = found.permissions.rules.iter().map(|rule| rule_line(rule, look)).collect();
    let text = text + &found.findings();
    let end = if text.is_empty() { "" } else { "\n" };
    text + end + &found.text(About::Call, look)
}

fn json_line(found: &CallVerdict) -> String {
    let rules = found.permissions.rules.iter().map(rule_json).collect::<Value>();
    let mut object = json!({ "rules": rules });
    found.add_to(&mut object);
    format!("{object}\n")
}
