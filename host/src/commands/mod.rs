//! The subcommands. Each has a file or a folder here, a variant of [`Command`] and an arm of [`Command::run`].

mod agent;
mod batch;
pub(crate) mod bundle;
pub(crate) mod chat;
mod completion;
mod config;
mod cron;
mod environments;
mod judge;
mod kanban;
mod mcp;
mod permissions;
mod run_tools;
mod sessions;
mod setup;
mod skills;
mod tools;
mod trust;
mod unapproved;
mod why;

use std::io;
use std::process::ExitCode;

use clap::Subcommand;
use toolc_config::Home;

use crate::ground::error::Result;
use crate::options::ToolOptions;
use crate::sources::web::READ_PDF;

/// A subcommand.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Tools(toolc_cli::Command),
    /// Explain why a tool is shown or hidden and which permissions are about it, or what happened in a recorded call.
    Why(why::WhyArgs),
    /// Work on one task with the tools, and print the answer.
    Agent(agent::AgentCommand),
    /// Work on many tasks, and write a line of JSON about each. A distribution can draw the toolsets of each task.
    Batch(batch::BatchCommand),
    /// Add, list, pause and remove scheduled jobs, and run them when they are due.
    Cron(cron::CronArgs),
    /// List, show, search, export and remove recorded conversations.
    Sessions(sessions::SessionsArgs),
    /// Show the programs that a shell command would run, and the verdict of the command rules. Nothing is run.
    Judge(judge::JudgeArgs),
    /// List and change the tasks of a board, and work on them.
    Kanban(kanban::KanbanArgs),
    /// List, add and try rules about calls, and revoke what was allowed with `always`.
    #[command(visible_alias = "approvals")]
    Permissions(permissions::PermissionsArgs),
    /// List and remove resources of environments, open a shell in an environment, and copy files.
    Environments(environments::EnvironmentsArgs),
    /// Print the completions of a shell: source them in its start file.
    Completion(completion::CompletionArgs),
    /// Check and show the configuration.
    Config(config::ConfigArgs),
    /// Ask for missing settings, such as a model and keys. Does not run inside a tool.
    Setup(setup::SetupArgs),
    /// List the toolsets and the missing requirements of tools, and switch toolsets and tools on and off.
    #[command(name = "tools")]
    ListTools(tools::ToolsArgs),
    /// List, test, add and remove the MCP servers whose tools this program uses, and serve tools to MCP clients.
    Mcp(mcp::McpArgs),
    /// List, find, install, update and check skills, and undo changes of them.
    Skills(skills::SkillsArgs),
    /// Trust a project or a plugin of a package, so that its programs may run. Does not run inside a tool.
    Trust(trust::TrustArgs),
    /// Read a PDF file from standard input, and write its text as JSON. The web tools run this in a process of its own.
    #[command(name = READ_PDF, hide = true)]
    ReadPdf,
}

impl Command {
    /// Returns whether the command needs an existing profile. Without this check, a misspelt name of a profile would look like an empty
    /// profile.
    pub(crate) fn needs_profile(&self) -> bool {
        !matches!(self, Self::Setup(_) | Self::Config(_) | Self::Completion(_) | Self::ReadPdf)
    }

    /// Runs the command. `command_line` returns what can be typed.
    ///
    /// # Errors
    /// If the command fails.
    pub(crate) fn run(
        self,
        options: &ToolOptions,
        home: Home,
        command_line: fn() -> clap::Command,
    ) -> Result<ExitCode> {
        match self {
            Self::Tools(command) => run_tools::run(options, home, command),
            Self::Why(args) => args.run(options, home),
            Self::Agent(command) => command.run(options, home),
            Self::Batch(command) => command.run(options, home),
            Self::Cron(args) => args.run(options, home),
            Self::Sessions(args) => args.run(&home),
            Self::Judge(args) => Ok(args.run(options, home)?.into()),
            Self::Kanban(args) => args.run(options, home),
            Self::Permissions(args) => Ok(args.run(options, home)?.into()),
            Self::Environments(args) => Ok(args.run(options, home)?.into()),
            Self::Completion(args) => args.run(command_line()),
            Self::Config(args) => Ok(args.run(&home)?.into()),
            Self::Setup(args) => Ok(args.run(&options.plugins, &home)?.into()),
            Self::ListTools(args) => Ok(args.run(options, home)?.into()),
            Self::Mcp(args) => Ok(args.run(options, home)?.into()),
            Self::Skills(args) => Ok(args.run(options, home)?.into()),
            Self::Trust(args) => Ok(args.run(&home)?.into()),
            Self::ReadPdf => {
                toolc_web::read_pdf(io::stdin().lock(), io::stdout().lock())?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use toolc::approval::CommandApproval;
    use toolc_commands::rules::Verdict;

    use super::*;

    /// The commands that a model may run in a shell without approval. They change nothing that a person decides.
    const ALLOWED: &[&str] = &[
        "call",
        "completion",
        "config check",
        "config get",
        "config path",
        "config schema",
        "config show",
        "cron list",
        "cron show",
        "definitions",
        "doctor",
        "environments list",
        "judge",
        "kanban attachment",
        "kanban list",
        "kanban show",
        "mcp diff",
        "mcp list",
        "mcp serve",
        "mcp test",
        "permissions list",
        "permissions schema",
        "permissions test",
        "read-pdf",
        "repl",
        "sessions export",
        "sessions list",
        "sessions search",
        "sessions show",
        "skills audit",
        "skills history",
        "skills inspect",
        "skills list",
        "skills scan",
        "skills tap list",
        "why",
    ];

    /// Returns the commands below a command that have no subcommands of their own.
    fn leaves(command: &clap::Command) -> Vec<String> {
        let mut all = Vec::new();
        for child in command.get_subcommands() {
            match leaves(child) {
                below if below.is_empty() => all.push(child.get_name().to_owned()),
                below => all.extend(below.iter().map(|name| format!("{} {name}", child.get_name()))),
            }
        }
        all
    }

    #[test]
    fn only_listed_commands_of_the_program_run_without_approval() {
        let rules = CommandApproval::new(toolc_catalog::commands::rules()).directory("/");
        let turn = judge::turn(rules).expect("the shipped tools are valid");
        let verdict = |command: &String| turn.judge_command(&format!("toolc {command}")).map(|judged| judged.verdict);
        let commands = leaves(&Command::augment_subcommands(clap::Command::new("toolc")));
        let mut allowed: Vec<_> = commands.into_iter().filter(|name| verdict(name) == Some(Verdict::Allow)).collect();
        allowed.sort();
        assert_eq!(
            allowed, ALLOWED,
            "add a command that changes something to manifests/commands/toolc.toml, and others to this list"
        );
    }
}
