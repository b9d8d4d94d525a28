//! The program `toolc`: the shipped tools and the user's plugins on a command line. Each command is one step of an agent's loop.

mod agent;
mod approval;
mod approvals;
mod ask;
mod batch;
mod chat;
#[cfg(unix)]
mod clarify;
mod config;
mod cron;
mod environments;
mod git;
mod judge;
mod kanban;
mod mcp;
mod options;
mod own_memory;
mod packages;
mod plugins;
mod profile;
mod rules;
mod sessions;
mod setup;
mod show;
mod stores;
mod terminal;
mod time;
mod tools;
mod trust;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use toolc::Registry;
use toolc_cli::App;
use toolc_config::Home;
use toolc_files::FileHandlers;
use toolc_workspace::Workspace;

use environments::EnvironmentKind;
use git::ProjectGit;
use mcp::{McpServers, Needed, Person, Wait};
use options::ToolOptions;
use profile::Profile;
use stores::Stores;

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
    chat: chat::ChatArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Tools(toolc_cli::Command),
    /// Work on one task with the tools, and print the answer.
    Agent(agent::command::AgentCommand),
    /// Work on many tasks, each with toolsets that a distribution draws, and write what happens as JSON lines.
    Batch(batch::BatchCommand),
    /// Add, list, pause and remove scheduled jobs, and run them when they are due.
    Cron(cron::CronArgs),
    /// List, show, search, export and remove recorded conversations.
    Sessions(sessions::SessionsArgs),
    /// Show what a shell command would run, and what the command rules say about it. Nothing is run.
    Judge(judge::JudgeArgs),
    /// List and change the tasks of a board, and work on them.
    Kanban(kanban::KanbanArgs),
    /// List and revoke the shell commands that were approved permanently.
    Approvals(approvals::ApprovalsArgs),
    /// List what environments have created, open a shell in one, and remove leftovers.
    Environments(environments::EnvironmentsArgs),
    /// Check and show the configuration.
    Config(config::ConfigArgs),
    /// Ask for missing settings, such as a model and keys. Does not run inside a tool.
    Setup(setup::SetupArgs),
    /// List the toolsets and what each tool lacks, and switch them on and off.
    #[command(name = "tools")]
    ListTools(tools::ToolsArgs),
    /// List, test, add and remove MCP servers, whose tools this program uses, and serve tools to MCP clients.
    Mcp(mcp::command::McpArgs),
    /// Trust a project, or a plugin that a package has installed, so that its plugins are loaded. Does not run inside a tool.
    Trust(trust::TrustArgs),
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
    let chat = chat::ChatArgs::augment_args(clap::Command::new("chat"));
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
        Command::Tools(command) => run_tools(&options, home, command),
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
        Command::ListTools(args) => Ok(args.run(&options.plugins, home)?.into()),
        Command::Mcp(args) => Ok(args.run(&options, home)?.into()),
        Command::Trust(args) => Ok(args.run(&home)?.into()),
    }
}

fn run_tools(options: &ToolOptions, home: Home, mut command: toolc_cli::Command) -> Result<ExitCode, String> {
    let profile = Profile::read(home)?;
    let kind = EnvironmentKind::find(options.environment, profile.config())?;
    let registry = Registry::new();
    let calls = matches!(command, toolc_cli::Command::Call(_) | toolc_cli::Command::Repl { .. });
    let environments = environments::environments(kind, &profile, calls);
    let needs_git = calls || matches!(command, toolc_cli::Command::Doctor { .. });
    let git = needs_git.then(|| ProjectGit::read(Workspace::current().dir()));
    let workspace = git::workspace(git.as_ref(), &profile.home)?;
    let with_results = |file: FileHandlers| file.with_spilled(profile.home.results());
    let tools = toolc_host::shipped_tools_with(workspace, environments, with_results, |terminal| terminal);
    registry.add(tools).map_err(|error| error.to_string())?;
    let plugins = plugins::load(&options.plugins, &profile.home, &profile.config().plugins, &registry)?;
    let person = Person::at_the_terminal();
    let sampler = if calls { mcp::ModelSampler::of_profile(&profile) } else { None };
    let servers =
        McpServers::start(&profile, &registry, Needed::by(&command), Wait::UntilStarted, &person.answering(sampler))?;
    profile.check_names(&registry)?;
    profile.apply_to(&mut command, &servers, &registry);
    let app = App::new("toolc", registry.clone()).version(env!("CARGO_PKG_VERSION"));
    let app = plugins.add_hooks_to(app, &registry, profile.env(), &profile.home);
    let mut stores = Stores::of(&profile.home, &registry, kind)
        .with_memory(plugins.memory(&profile)?)
        .with_person(&person, profile.config().agent.question_timeout);
    if let Some(model) = if calls { mcp::model_of_profile(&profile) } else { None } {
        stores = stores.with_summarizer(model, agent::Spent::default());
    }
    let app = profile.apply_to_app(app, stores).doctor_section(profile.section()).doctor_section(plugins.section());
    let app = servers.section().into_iter().fold(app, App::doctor_section);
    let mut app = approval::prepare(app, &command, options.approval, kind, &profile)?;
    if let toolc_cli::Command::Doctor { .. } = command {
        app = app.doctor_section(environments::section(kind, &profile));
        app = git.into_iter().fold(app, |app, git| app.doctor_section(git.section(&profile.home)));
    }
    let status = app.run(command);
    plugins.settle();
    servers.stop();
    Ok(status)
}
