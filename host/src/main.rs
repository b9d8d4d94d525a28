//! The program `toolc`: an agent, and commands for the shipped tools and the plugins of the user.

// Messages go through `tell`, which lets no text control the terminal.
#![deny(clippy::print_stderr, clippy::print_stdout)]

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

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, CommandFactory as _, FromArgMatches as _, Parser};
use toolc_config::Home;

use commands::Command;
use commands::bundle::{self, Bundle};
use commands::chat::ChatArgs;
use ground::error::Result;
use ground::tell::tell;
use ground::{ask, hardening, show};
use options::ToolOptions;

/// An agent with the shipped tools and those of plugins. Without a command, it chats in the terminal.
#[derive(Debug, Parser)]
#[command(name = "toolc", version, after_help = toolc_cli::EXIT_STATUS)]
struct Cli {
    #[command(flatten)]
    options: ToolOptions,
    /// The profile, which has its own configuration, variables and plugins. Default: the variable `TOOLC_PROFILE`, or
    /// `default`.
    #[arg(long, global = true, help_heading = options::GLOBAL, value_name = "NAME")]
    profile: Option<String>,
    #[command(flatten)]
    chat: ChatArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

fn main() -> ExitCode {
    let parsed = command_line().try_get_matches().and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        let bundle = Bundle::from_matches(&matches);
        misplaced_chat_option(&matches).map_or(Ok((cli, bundle)), Err)
    });
    let attempt = match parsed {
        Ok((cli, bundle)) => run(cli, bundle),
        Err(error) if error.use_stderr() => Ok(refuse(&with_advice(error))),
        Err(help) => print_help(&help).map(|()| ExitCode::SUCCESS),
    };
    match attempt {
        Ok(status) => status,
        Err(message) => {
            tell!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Returns what can be typed.
fn command_line() -> clap::Command {
    bundle::with_bundle(Cli::command())
}

/// Reports a mistake on the command line. The standard library does not say what a number should be.
fn refuse(error: &clap::Error) -> ExitCode {
    const SAYINGS: [(&str, &str); 4] = [
        ("invalid digit found in string", "expected a whole number"),
        ("cannot parse integer from empty string", "expected a whole number"),
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
    ];
    let text = error.render().to_string();
    let is_plain = SAYINGS.iter().all(|(saying, _)| !text.contains(saying)) && show::visible(&text) == text;
    if is_plain {
        error.exit();
    }
    let text = SAYINGS.iter().fold(text, |text, (saying, meant)| text.replace(saying, meant));
    tell!("{}", text.trim_end());
    ExitCode::from(2)
}

/// Adds to a mistake what to write instead, if another program would understand the command line.
fn with_advice(mut error: clap::Error) -> clap::Error {
    let typed: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let is_of_chat = typed.first().is_some_and(|first| first.starts_with('-'));
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let advice = match (context(ContextKind::InvalidSubcommand), context(ContextKind::InvalidArg)) {
        (Some(word), _) if typed.first().is_some_and(|first| first == word) => {
            Some("`toolc agent \"...\"` works on one task")
        }
        (_, Some("-p" | "--print" | "--prompt")) if is_of_chat => Some("`toolc agent \"...\"` works on one task"),
        (_, Some("-c" | "--continue")) if is_of_chat => Some("`--resume` continues the latest conversation"),
        (_, Some(word)) if word.contains("://") && typed.starts_with(&["mcp".to_owned(), "add".to_owned()]) => {
            Some("the address of a server follows `--url`: `toolc mcp add NAME --url URL`")
        }
        _ => None,
    };
    if let Some(advice) = advice {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    }
    error
}

/// Prints the help or the version, in colour on a terminal.
fn print_help(help: &clap::Error) -> Result<()> {
    let text = help.render();
    let text = if io::stdout().is_terminal() { text.ansi().to_string() } else { text.to_string() };
    ask::print_bytes(text.as_bytes())
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

fn run(Cli { options, profile, chat, command }: Cli, bundle: Option<Bundle>) -> Result<ExitCode> {
    hardening::hide_memory();
    let home = Home::find(profile.as_deref())?;
    if command.as_ref().is_none_or(Command::needs_profile) {
        home.check_exists()?;
    }
    match command {
        Some(Command::Tools(toolc_cli::Command::Doctor { view, .. })) if bundle.is_some() => {
            bundle.map_or(Ok(ExitCode::SUCCESS), |bundle| bundle.write(&options, &home, view))
        }
        Some(command) => command.run(&options, home, command_line),
        None => chat.run(&options, home),
    }
}
