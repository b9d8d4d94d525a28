//! The program `toolc`: the shipped tools and the user's plugins on a command line. Each command is one step of an agent's loop.

mod approval;
mod approvals;
mod environments;
mod home;
mod judge;
mod plugins;
mod rules;
mod show;
mod terminal;
mod time;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use toolc::Registry;
use toolc_cli::App;
use toolc_workspace::Workspace;

use environments::EnvironmentKind;
use home::Home;

/// Serves and runs the tools of the shipped catalog, and of plugins.
#[derive(Debug, Parser)]
#[command(name = "toolc", version, after_help = toolc_cli::EXIT_STATUS)]
struct Cli {
    /// A folder of plugins, instead of the user's and the system's. Can be repeated. If two folders have a plugin of the same
    /// name, the first is used.
    #[arg(long, global = true, value_name = "DIR")]
    plugins: Vec<PathBuf>,
    /// What happens to a shell command that needs approval. Default: the variable `TOOLC_APPROVAL`, or else `ask` (`deny` for `serve`
    /// without `--yes`).
    #[arg(long, global = true, value_name = "MODE")]
    approval: Option<approval::Mode>,
    /// Where tools act. Default: the variable `TOOLC_ENVIRONMENT`, or else `local`.
    #[arg(long, global = true, value_name = "KIND")]
    environment: Option<EnvironmentKind>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Tools(toolc_cli::Command),
    /// Show what a shell command would run, and what the command rules say about it. Nothing is run.
    Judge(judge::JudgeArgs),
    /// List and revoke the shell commands that were approved permanently.
    Approvals(approvals::ApprovalsArgs),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(status) => status,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(Cli { plugins, approval, environment, command }: Cli) -> Result<ExitCode, String> {
    match command {
        Command::Tools(command) => run_tools(&plugins, approval, environment, command),
        Command::Judge(args) => Ok(args.run(&Home::find()?)?.into()),
        Command::Approvals(args) => Ok(args.run(&Home::find()?)?.into()),
    }
}

fn run_tools(
    plugins: &[PathBuf],
    approval: Option<approval::Mode>,
    environment: Option<EnvironmentKind>,
    command: toolc_cli::Command,
) -> Result<ExitCode, String> {
    let kind = EnvironmentKind::find(environment)?;
    let registry = Registry::new();
    let environments = environments::environments(kind, &command);
    let tools = toolc_host::shipped_tools_with(Workspace::current(), environments);
    registry.add(tools).map_err(|error| error.to_string())?;
    let plugins = plugins::load(plugins, &registry)?;
    let app = App::new("toolc", registry).version(env!("CARGO_PKG_VERSION")).doctor_section(plugins.section());
    let mut app = approval::prepare(app, &command, approval, kind)?;
    if let toolc_cli::Command::Doctor { .. } = command {
        app = app.doctor_section(environments::section(kind));
    }
    let status = app.run(command);
    plugins.settle();
    Ok(status)
}
