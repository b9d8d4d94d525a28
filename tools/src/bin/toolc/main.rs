//! The host program: the shipped catalog on a command line. What an agent's loop does, one step at a time.
//!
//! A call that has to be approved is asked about on the terminal, if stdin is one; a result that is too long is kept in
//! the user's cache.
//!
//! Exit status 0: the JSON on stdout is a result. 1: it is a tool's error. 2: the command line is wrong.

mod person;
mod results;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use toolc::{CallInfo, Dialect, Fault, Hook, Registry, SessionBuilder, Task, ToolCall, Turn};
use toolc_tools::Handlers;

/// Serves and runs the tools of the shipped catalog.
#[derive(Debug, Parser)]
#[command(name = "toolc", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print what a model is shown: a JSON array of definitions.
    Definitions {
        #[command(flatten)]
        choice: Choice,
    },
    /// Run a tool, as a model would.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments: a JSON object.
        arguments: String,
        /// The task to which the call belongs.
        #[arg(long, default_value = "default")]
        task: String,
        #[command(flatten)]
        choice: Choice,
    },
}

#[derive(Debug, Args)]
struct Choice {
    /// Toolsets to enable. Without any: all.
    #[arg(long, value_name = "TOOLSET", value_delimiter = ',')]
    enable: Vec<String>,
    /// Toolsets to disable. Wins over enabling.
    #[arg(long, value_name = "TOOLSET", value_delimiter = ',')]
    disable: Vec<String>,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok((json, is_error)) => {
            // A reader that has gone away (`| head`) is nobody's error.
            let _ = writeln!(std::io::stdout(), "{json}");
            ExitCode::from(u8::from(is_error))
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// The JSON to print, and whether it is a tool's error.
fn run(command: Command) -> Result<(String, bool), String> {
    match command {
        Command::Definitions { choice } => Ok((begin(session(choice)?)?.definitions().to_owned(), false)),
        Command::Call { tool, arguments, task, choice } => {
            let mut session = session(choice)?.hook(Arc::new(Complaints));
            if let Some(results) = results::Results::in_cache() {
                session = session.spill(Arc::new(results));
            }
            if let Some(person) = person::at_terminal() {
                session = session.approver(Arc::new(person));
            }
            let turn = begin(session)?;
            let answer = pollster::block_on(turn.call(&ToolCall::new(&tool, &arguments).with_task(&Task::new(task))));
            let is_error = answer.is_error();
            Ok((answer.json, is_error))
        }
    }
}

fn session(choice: Choice) -> Result<SessionBuilder, String> {
    let registry = Registry::new();
    registry.add(toolc_catalog::provider(Handlers::new())).map_err(|error| error.to_string())?;
    Ok(registry.session().enable(choice.enable).disable(choice.disable))
}

fn begin(session: SessionBuilder) -> Result<Turn, String> {
    Ok(session.build().map_err(|error| error.to_string())?.turn(Dialect::OpenAi))
}

/// Tells the user what went wrong that is no business of the model's.
struct Complaints;

impl Hook for Complaints {
    fn fault(&self, _: &CallInfo<'_>, fault: &Fault<'_>) {
        eprintln!("warning: {fault}");
    }
}
