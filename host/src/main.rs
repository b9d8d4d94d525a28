//! The program `toolc`: the shipped tools and the user's plugins on a command line. Each command is one step of an agent's loop.

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
use clap::{ArgMatches, Args as _, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use toolc_config::Home;

use ground::own_memory;
use options::ToolOptions;

/// An agent with the shipped tools and those of plugins. Without a command, it chats in the terminal.
#[derive(Debug, Parser)]
#[command(name = "toolc", version, after_help = toolc_cli::EXIT_STATUS)]
struct Cli {
    #[command(flatten)]
    options: ToolOptions,
    /// The profile, which has its own configuration, variables and plugins. Default: the variable `TOOLC_PROFILE`, or else
    /// `default`.
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
    #[command(flatten)]
    chat: commands::chat::ChatArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Tools(toolc_cli::Command),
    /// Work on one task with the tools, and print the answer.
    Agent(commands::agent::AgentCommand),
    /// Work on many tasks, each with toolsets that a distribution draws, and write what happens as JSON lines.
    Batch(commands::batch::BatchCommand),
    /// Add, list, pause and remove scheduled jobs, and run them when they are due.
    Cron(commands::cron::CronArgs),
    /// List, show, search, export and remove recorded conversations.
    Sessions(commands::sessions::SessionsArgs),
    /// Show what a shell command would run, and what the command rules say about it. Nothing is run.
    Judge(commands::judge::JudgeArgs),
    /// List and change the tasks of a board, and work on them.
    Kanban(commands::kanban::KanbanArgs),
    /// List and revoke the shell commands that were approved permanently.
    Approvals(commands::approvals::ApprovalsArgs),
    /// List what environments have created, open a shell in one, and remove leftovers.
    Environments(commands::environments::EnvironmentsArgs),
    /// Check and show the configuration.
    Config(commands::config::ConfigArgs),
    /// Ask for missing settings, such as a model and keys. Does not run inside a tool.
    Setup(commands::setup::SetupArgs),
    /// List the toolsets and what each tool lacks, and switch them on and off.
    #[command(name = "tools")]
    ListTools(commands::tools::ToolsArgs),
    /// List, test, add and remove MCP servers, whose tools this program uses, and serve tools to MCP clients.
    Mcp(commands::mcp::McpArgs),
    /// Trust a project, or a plugin that a package has installed, so that its plugins are loaded. Does not run inside a tool.
    Trust(commands::trust::TrustArgs),
}

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Some(error) = misplaced(&matches) {
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

/// Returns the error about an option of the chat before a command, which would ignore it.
fn misplaced(matches: &ArgMatches) -> Option<clap::Error> {
    let command = matches.subcommand_name()?;
    let chat = commands::chat::ChatArgs::augment_args(clap::Command::new("chat"));
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let option = chat.get_arguments().find(|option| is_given(option.get_id().as_str()))?;
    let name = option.get_long().unwrap_or_default();
    let message =
        format!("`--{name}` before `{command}` belongs to the chat: write the options of `{command}` after it");
    Some(Cli::command().error(ErrorKind::ArgumentConflict, message))
}

fn run(Cli { options, profile, chat, command }: Cli) -> Result<ExitCode, String> {
    own_memory::hide();
    let home = Home::find(profile.as_deref())?;
    // A command without a folder of the profile would find nothing, as if the name were not misspelt.
    if !matches!(command, Some(Command::Setup(_) | Command::Config(_))) {
        home.check_exists()?;
    }
    let Some(command) = command else { return chat.run(&options, home) };
    match command {
        Command::Tools(command) => commands::run_tools::run(&options, home, command),
        Command::Agent(command) => command.run(&options, home),
        Command::Batch(command) => command.run(&options, home),
        Command::Cron(args) => args.run(&options, home),
        Command::Sessions(args) => args.run(&home),
        Command::Judge(args) => Ok(args.run(&home)?.into()),
        Command::Kanban(args) => args.run(&options, home),
        Command::Approvals(args) => Ok(args.run(&home)?.into()),
        Command::Environments(args) => Ok(args.run(&options, home)?.into()),
        Command::Config(args) => Ok(args.run(&home)?.into()),
        Command::Setup(args) => Ok(args.run(&options.plugins, &home)?.into()),
        Command::ListTools(args) => Ok(args.run(&options, home)?.into()),
        Command::Mcp(args) => Ok(args.run(&options, home)?.into()),
        Command::Trust(args) => Ok(args.run(&home)?.into()),
    }
}
