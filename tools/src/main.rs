//! The host program: the shipped catalog on a command line. What an agent's loop does, one step at a time.
//!
//! Exit status 0: the JSON on stdout is a result. 1: it is a tool's error. 2: the command line is wrong.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use toolc::{Dialect, Registry, Session, Task, ToolCall};
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
        Command::Definitions { choice } => Ok((session(choice)?.turn(Dialect::OpenAi).definitions().to_owned(), false)),
        Command::Call { tool, arguments, task, choice } => {
            let turn = session(choice)?.turn(Dialect::OpenAi);
            let answer = pollster::block_on(turn.call(&ToolCall::new(&tool, &arguments).with_task(&Task::new(task))));
            Ok((answer.json, answer.is_error()))
        }
    }
}

fn session(choice: Choice) -> Result<Session, String> {
    let registry = Registry::new();
    registry.add(toolc_catalog::provider(Handlers::new())).map_err(|error| error.to_string())?;
    registry.session().enable(choice.enable).disable(choice.disable).build().map_err(|error| error.to_string())
}
