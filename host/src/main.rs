//! The program `toolc`: the shipped tools and the user's plugins on a command line. Each command is one step of an agent's loop.
//!
//! If a call needs approval and stdin is a terminal, the program asks the user. Results that are too long go to the user's
//! cache folder. `STATUS` lists the exit statuses.

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

use plugins::LoadedPlugins;
use terminal_approver::TerminalApprover;

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
        selection: Selection,
    },
    /// Report for each tool whether it is available, what it lacks, and where to get that.
    Doctor {
        #[command(flatten)]
        selection: Selection,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Explain why a tool is shown or hidden: what grants it, what it requires, and what its texts depend on.
    Why {
        /// The name of the tool.
        tool: String,
        #[command(flatten)]
        selection: Selection,
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
        selection: Selection,
    },
}

/// The end of `--help`.
const STATUS: &str = "\
Exit status:
  0  definitions: always; call: the JSON is a result; doctor: all tools and plugins are available; why: the tool is shown
  1  call: the JSON is an error; doctor: a tool or a plugin is not available; why: the tool is not shown
  2  the command line is wrong: an unknown toolset, a missing folder of plugins, or for `why` an unknown tool";

#[derive(Debug, Args)]
struct Selection {
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
    /// A folder of plugins, instead of the user's and the system's. Can be repeated. If two folders have a plugin of the same name, the first is used.
    #[arg(long, value_name = "DIR")]
    plugins: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok((text, success)) => {
            // A closed pipe (`| head`) is not an error.
            let _ = writeln!(std::io::stdout(), "{text}");
            ExitCode::from(u8::from(!success))
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Returns the text to print, and whether the exit status is 0. An `Err` is a mistake on the command line.
fn run(command: Command) -> Result<(String, bool), String> {
    match command {
        Command::Definitions { selection } => {
            let (session, plugins) = session(selection)?;
            plugins.warn();
            Ok((turn(session)?.definitions().to_owned(), true))
        }
        Command::Doctor { selection, json } => {
            let (session, plugins) = session(selection)?;
            let doctor = turn(session)?.doctor();
            let success =
                doctor.tools.iter().all(|tool| tool.is_shown) && !plugins.reports.iter().any(PluginReport::is_broken);
            Ok((with_plugins(render(&doctor, json), &plugins.reports, json), success))
        }
        Command::Why { tool, selection, json } => {
            let (session, plugins) = session(selection)?;
            plugins.warn();
            let explanation = turn(session)?.why(&tool).map_err(|unknown| unknown.to_string())?;
            Ok((render(&explanation, json), explanation.status == explain::Status::Shown))
        }
        Command::Call { tool, arguments, task, selection } => {
            let (session, plugins) = session(selection)?;
            plugins.warn();
            let mut session = session.hook(Arc::new(HostWarnings));
            if let Some(results) = results::ResultStore::in_cache() {
                session = session.spill_store(Arc::new(results));
            }
            if let Some(approver) = TerminalApprover::on_stdin() {
                session = session.approver(Arc::new(approver));
            }
            let turn = turn(session)?;
            let response = pollster::block_on(turn.call(&ToolCall::new(&tool, &arguments).with_task(&Task::new(task))));
            plugins.settle();
            let success = !response.is_error();
            Ok((response.json, success))
        }
    }
}

/// Renders a report as text or as JSON.
fn render(report: &(impl ToJson + ToString), as_json: bool) -> String {
    if !as_json {
        return report.to_string();
    }
    let mut json = String::new();
    report.to_json(&mut json);
    json
}

/// Appends the reports of the plugins to the rendered report of the doctor.
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

fn session(selection: Selection) -> Result<(SessionBuilder, LoadedPlugins), String> {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools()).map_err(|error| error.to_string())?;
    let plugins = plugins::load(&selection.plugins, &registry)?;
    let session = registry.session().enable(selection.enable).disable(selection.disable);
    Ok((session.enable_tools(selection.enable_tools).disable_tools(selection.disable_tools), plugins))
}

/// Builds the session and returns its first turn.
fn turn(session: SessionBuilder) -> Result<Turn, String> {
    Ok(session.build().map_err(|error| error.to_string())?.turn_blocking(Dialect::OpenAi))
}

/// Prints errors of the host to stderr, since the model does not see them.
struct HostWarnings;

impl Hook for HostWarnings {
    fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
        eprintln!("warning: {error}");
    }
}
