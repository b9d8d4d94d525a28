//! The host program: the shipped catalog and the user's plugins on a command line. What an agent's loop does, one step at a time.
//!
//! A call that needs approval asks the user, if stdin is a terminal. Results that are too long are kept in the user's cache.
//!
//! Exit status 0: success. 1: a call returned a tool error, a tool is not shown, or a tool is not available; stdout has the
//! details. 2: the command line is wrong.

mod plugins;
mod results;
mod terminal_approver;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use serde_json::{Map, Value, json};
use toolc::hooks::{CallInfo, Hook, HostError};
use toolc::{Dialect, Registry, SessionBuilder, Task, ToJson, ToolCall, Turn, explain};
use toolc_plugins::PluginReport;

use plugins::Loaded;

/// Serves and runs the tools of the shipped catalog, and of plugins.
#[derive(Debug, Parser)]
#[command(name = "toolc", version, after_help = STATUS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the definitions that a model sees, as a JSON array.
    Definitions {
        #[command(flatten)]
        choice: Choice,
    },
    /// Report for each tool whether it is available, what it lacks, and where to get that.
    Doctor {
        #[command(flatten)]
        choice: Choice,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Explain why a tool is shown or hidden: what grants it, what it requires, and what its texts depend on.
    Why {
        /// The name of the tool.
        tool: String,
        #[command(flatten)]
        choice: Choice,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Run a tool, as a model would.
    Call {
        /// The name of the tool.
        tool: String,
        /// The arguments, a JSON object.
        arguments: String,
        /// The task to which the call belongs.
        #[arg(long, default_value = "default")]
        task: String,
        #[command(flatten)]
        choice: Choice,
    },
}

const STATUS: &str = "\
Exit status:
  0  definitions: always; call: the JSON is a result; doctor: all tools and plugins are available; why: the tool is shown
  1  call: the JSON is a tool's error; doctor: a tool or a plugin is not available; why: the tool is hidden
  2  the command line is wrong: an unknown toolset, a missing folder of plugins, or for `why` an unknown tool";

#[derive(Debug, Args)]
struct Choice {
    /// Toolsets to enable. Default: all.
    #[arg(long, value_name = "TOOLSET", value_delimiter = ',')]
    enable: Vec<String>,
    /// Toolsets to disable. Takes precedence over enabling.
    #[arg(long, value_name = "TOOLSET", value_delimiter = ',')]
    disable: Vec<String>,
    /// Tools to enable in addition to the toolsets; without toolsets, only these.
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    enable_tools: Vec<String>,
    /// Tools to disable. Takes precedence over enabling.
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    disable_tools: Vec<String>,
    /// A folder of plugins, instead of the user's own and the system's. Can be repeated: if two have a plugin of one name, the first is used.
    #[arg(long, value_name = "DIR")]
    plugins: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok((text, is_well)) => {
            // A closed pipe (`| head`) is not an error.
            let _ = writeln!(std::io::stdout(), "{text}");
            ExitCode::from(u8::from(!is_well))
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// What to print, and whether all is well.
fn run(command: Command) -> Result<(String, bool), String> {
    match command {
        Command::Definitions { choice } => {
            let (session, loaded) = session(choice)?;
            loaded.warn();
            Ok((begin(session)?.definitions().to_owned(), true))
        }
        Command::Doctor { choice, json } => {
            let (session, loaded) = session(choice)?;
            let doctor = begin(session)?.doctor();
            let is_well =
                doctor.tools.iter().all(|tool| tool.is_shown) && !loaded.reports.iter().any(PluginReport::is_broken);
            Ok((with_plugins(told(&doctor, json), &loaded.reports, json), is_well))
        }
        Command::Why { tool, choice, json } => {
            let (session, loaded) = session(choice)?;
            loaded.warn();
            let explanation = begin(session)?.why(&tool).map_err(|unknown| unknown.to_string())?;
            Ok((told(&explanation, json), explanation.status == explain::Status::Shown))
        }
        Command::Call { tool, arguments, task, choice } => {
            let (session, loaded) = session(choice)?;
            loaded.warn();
            let mut session = session.hook(Arc::new(Complaints));
            if let Some(results) = results::Results::in_cache() {
                session = session.spill(Arc::new(results));
            }
            if let Some(person) = terminal_approver::at_terminal() {
                session = session.approver(Arc::new(person));
            }
            let turn = begin(session)?;
            let answer = pollster::block_on(turn.call(&ToolCall::new(&tool, &arguments).with_task(&Task::new(task))));
            loaded.settle();
            let is_well = !answer.is_error();
            Ok((answer.json, is_well))
        }
    }
}

/// For a person, or as JSON.
fn told(what: &(impl ToJson + ToString), as_json: bool) -> String {
    if !as_json {
        return what.to_string();
    }
    let mut json = String::new();
    what.to_json(&mut json);
    json
}

/// What the doctor says, and what became of the plugins.
fn with_plugins(mut doctor: String, reports: &[PluginReport], as_json: bool) -> String {
    if as_json {
        let mut report: Map<String, Value> =
            serde_json::from_str(&doctor).unwrap_or_else(|error| unreachable!("the report is an object: {error}"));
        report.insert("plugins".to_owned(), json!(reports));
        return Value::Object(report).to_string();
    }
    for report in reports {
        doctor += &format!("\n\n{report}");
    }
    doctor
}

fn session(choice: Choice) -> Result<(SessionBuilder, Loaded), String> {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools()).map_err(|error| error.to_string())?;
    let loaded = plugins::load(&choice.plugins, &registry)?;
    let session = registry.session().enable(choice.enable).disable(choice.disable);
    Ok((session.enable_tools(choice.enable_tools).disable_tools(choice.disable_tools), loaded))
}

fn begin(session: SessionBuilder) -> Result<Turn, String> {
    Ok(session.build().map_err(|error| error.to_string())?.turn_blocking(Dialect::OpenAi))
}

/// Prints errors that concern the user, not the model.
struct Complaints;

impl Hook for Complaints {
    fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
        eprintln!("warning: {error}");
    }
}
