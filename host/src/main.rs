//! The program `toolc`: an agent, and commands for the shipped tools and the plugins of the user.

mod agent;
mod approval;
mod assembly;
mod commands;
mod environments;
mod ground;
mod models;
mod options;
mod person;
mod profile;
mod sources;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, CommandFactory as _, FromArgMatches as _, Parser};
use toolc_config::Home;

use commands::Command;
use commands::chat::ChatArgs;
use ground::hardening;
use options::ToolOptions;

use crate::ground::error::Result;

/// An agent with the shipped tools and those of plugins. Without a command, it chats in the terminal.
#[derive(Debug, Parser)]
#[command(name = "toolc", version, after_help = toolc_cli::EXIT_STATUS)]
struct Cli {
    #[command(flatten)]
    options: ToolOptions,
    /// The profile, which has its own configuration, variables and plugins. Default: the variable `TOOLC_PROFILE`, or
    /// `default`.
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
    #[command(flatten)]
    chat: ChatArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Some(error) = misplaced_chat_option(&matches) {
        error.exit();
    }
    match run(cli) {
        Ok(status) => status,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Returns an error if an option of the chat is given before a command, which would ignore the option.
fn misplaced_chat_option(matches: &ArgMatches) -> Option<clap::Error> {
    let command = matches.subcommand_name()?;
    let chat = ChatArgs::augment_args(clap::Command::new("chat"));
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let option = chat.get_arguments().find(|option| is_given(option.get_id().as_str()))?;
    let name = option.get_long().unwrap_or_default();
    let message =
        format!("`--{name}` before `{command}` belongs to the chat: write options of `{command}` after `{command}`");
    Some(Cli::command().error(ErrorKind::ArgumentConflict, message))
}

fn run(Cli { options, profile, chat, command }: Cli) -> Result<ExitCode> {
    hardening::hide_memory();
    let home = Home::find(profile.as_deref())?;
    if command.as_ref().is_none_or(Command::needs_profile) {
        home.check_exists()?;
    }
    match command {
        Some(command) => command.run(&options, home),
        None => chat.run(&options, home),
    }
}
