//! `toolc permissions`: lists, adds, tries and revokes what a person has allowed, and the rules about calls.

mod add;
mod explain;
mod list;
mod recorded;
mod revoke;
mod test;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use toolc::approval::CommandApproval;
use toolc::{Call, Dialect, Registry, Task, Tool, ToolCall};
use toolc_config::{ApprovalMode, Home, Protect};
use toolc_environment::EnvironmentKind;
use toolc_permissions::{KnownTools, PathSource, Paths, PermissionFile, WrittenPaths};
use toolc_workspace::{Environments, Workspace};

pub(super) use explain::section;
pub(super) use list::{rules_json, rules_text};
pub(super) use test::arguments;

use crate::approval::call_paths::CallPaths;
use crate::approval::permissions::{self, PermissionsOfSessions};
use crate::approval::verdict::CallVerdict;
use crate::approval::{self, rules};
use crate::assembly::{Host, registry_to_show};
use crate::environments;
use crate::ground::ask::{print, require_person};
use crate::ground::error::{Error, Result};
use crate::options::ToolOptions;
use crate::profile::Profile;

/// The tool whose calls run the commands that `toolc judge` judges.
const TERMINAL: &str = "terminal";

/// The last part of the help.
const EXIT_STATUS: &str = "\
Rules are in permissions.toml in TOOLC_HOME, and in .toolc/permissions.toml of a project, where they can only ask and deny. The answer
`always` to a question adds to state.db in TOOLC_HOME: the exact words of a command in its directory and environment, or a rule about
calls.

Exit status:
  0  success; test: the call runs, and no person is asked
  1  revoke: no answer has the id, or no rule the name; test: a person decides, or a recorded call has another verdict
  2  the command line is wrong, a file or state.db cannot be used, or the command runs inside a tool
  3  test: the call does not run";

/// The arguments of `permissions`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct PermissionsArgs {
    #[command(subcommand)]
    command: Option<PermissionsCommand>,
}

#[derive(Debug, Subcommand)]
enum PermissionsCommand {
    /// List the rules about calls, and the commands and calls that were allowed with `always`.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add a rule to permissions.toml. Does not run inside a tool.
    Add(Box<add::AddArgs>),
    /// Show the verdict of permissions, command rules and mode about a call, and the rules that decide. Nothing is run.
    Test(test::TestArgs),
    /// Print the JSON Schema of permissions.toml, for editors.
    Schema,
    /// Revoke answers, so that their commands and calls need approval again, or remove rules from permissions.toml. Does not run inside a tool.
    #[command(alias = "remove")]
    Revoke {
        /// The ids of answers and the names of rules, as `list` prints them.
        #[arg(value_name = "ID|NAME", required_unless_present = "all")]
        ids: Vec<String>,
        /// Revoke all answers.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
}

impl PermissionsArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<u8> {
        match self.command.as_ref().unwrap_or(&PermissionsCommand::List { json: false }) {
            PermissionsCommand::List { json } => list::run(&Loaded::new(options, home)?, *json),
            PermissionsCommand::Add(rule) => {
                require_person("add permissions")?;
                rule.run(&Loaded::new(options, home)?)
            }
            PermissionsCommand::Test(call) => call.run(&Loaded::new(options, home)?),
            PermissionsCommand::Schema => print(&format!("{:#}\n", toolc_permissions::schema())).map(|()| 0),
            PermissionsCommand::Revoke { ids, all, json } => {
                require_person("revoke approvals")?;
                revoke::run(options, home, ids, *all, *json)
            }
        }
    }
}

/// Returns the permissions of a host as text, with the answers that a person has given for a session.
pub(super) fn listed(host: &Host, for_session: &[String]) -> Result<String> {
    list::listed(&Loaded::of_host(host)?, for_session)
}

/// The home and the tools for which permissions are shown.
pub(super) struct Loaded {
    home: Home,
    directory: PathBuf,
    registry: Registry,
    tools: KnownTools,
    kind: EnvironmentKind,
    mode: ApprovalMode,
    /// The optional sets of command rules.
    sets: Vec<&'static str>,
    protect: Protect,
    /// The directory of the environment in which commands start, if it is known.
    start: Option<PathBuf>,
}

impl Loaded {
    fn new(options: &ToolOptions, home: Home) -> Result<Self> {
        let directory = std::env::current_dir().map_err(|error| Error::failed("find the current directory", error))?;
        let profile = Profile::read(home)?;
        let kind = environments::chosen(options.environment, profile.config())?;
        Self::in_directory(options, &profile, directory, kind)
    }

    /// Returns what counts for calls in a directory and in an environment of this kind.
    pub(super) fn in_directory(
        options: &ToolOptions,
        profile: &Profile,
        directory: PathBuf,
        kind: EnvironmentKind,
    ) -> Result<Self> {
        let registry = registry_to_show(&profile.home, profile.config(), &options.plugins)?;
        let mode = approval::mode(options.approval, profile)?;
        Self::with(profile, directory, registry, kind, mode)
    }

    fn with(
        profile: &Profile,
        directory: PathBuf,
        registry: Registry,
        kind: EnvironmentKind,
        mode: ApprovalMode,
    ) -> Result<Self> {
        Ok(Self {
            home: profile.home.clone(),
            tools: permissions::known_tools(&registry),
            sets: approval::sets(mode, profile)?,
            protect: profile.config().protect.clone(),
            start: environments::directory(kind, &directory, profile.config()),
            directory,
            registry,
            kind,
            mode,
        })
    }

    /// Returns what an assembled host has.
    ///
    /// # Errors
    /// If the variable of the mode of approval is invalid.
    pub(super) fn of_host(host: &Host) -> Result<Self> {
        Self::with(&host.profile, host.directory.clone(), host.registry.clone(), host.environment, host.mode)
    }

    /// Returns the verdict about a call of a tool: of the permissions, of the command rules about its commands, and of the mode.
    ///
    /// # Errors
    /// If a file of permissions or of command rules is invalid: no call runs then.
    pub(super) fn verdict(&self, tool: &Tool, arguments: &Value) -> Result<CallVerdict> {
        let permissions = self.permissions(&self.files(&self.directory)?).session();
        let found = test::judge(self, &permissions, tool, arguments.clone());
        let rules = rules::load(&self.home, &self.directory, &self.sets, &self.protect)?;
        let commands = approval::of_this_machine(rules, &self.home).environment(self.kind.name());
        let commands = self.start.iter().fold(commands, CommandApproval::directory);
        let commands = commands.store(Arc::new(approval::warning_store(&self.home)));
        let turn = self.registry.session().commands(commands).build()?.turn_blocking(Dialect::Mcp);
        // Arguments that do not fit the tool are refused before a command of them is judged.
        let commands = turn.judge_call(&ToolCall::new(&tool.name, &arguments.to_string())).unwrap_or_default();
        Ok(CallVerdict::new(found, commands, self.mode))
    }

    /// Returns the verdict about a call of the tool `terminal` that runs a command.
    ///
    /// # Errors
    /// If a file of permissions or of command rules is invalid.
    pub(super) fn verdict_about_command(&self, line: &str) -> Result<CallVerdict> {
        let tool = self.tool(TERMINAL).ok_or("the tool `terminal` is missing")?;
        self.verdict(&tool, &json!({ "command": line }))
    }

    /// Reads the files of permissions for a directory.
    fn files(&self, directory: &Path) -> Result<Vec<PermissionFile>> {
        permissions::load(&self.home, directory, &self.tools)
    }

    /// Returns the permissions of sessions with these rules.
    fn permissions(&self, files: &[PermissionFile]) -> PermissionsOfSessions {
        let store = Arc::new(approval::warning_store(&self.home));
        PermissionsOfSessions::new(files, store, self.paths(), self.kind.name()).in_sets(&self.sets)
    }

    /// Returns the paths on this machine. Those elsewhere are compared as they are written.
    fn paths(&self) -> Arc<dyn PathSource> {
        let here = CallPaths(Environments::local(&Workspace::new(&self.directory)));
        if self.kind == EnvironmentKind::Local { Arc::new(here) } else { Arc::new(PathsElsewhere(here)) }
    }

    /// Returns the tool of a call. A tool of an MCP server, which is not started here, has MCP's default effects.
    fn tool(&self, name: &str) -> Option<Tool> {
        let of_server = || {
            let (server, _) = name.strip_prefix("mcp__")?.split_once("__")?;
            Some(Tool::new(name.to_owned(), toolc_mcp::toolset_name(server)))
        };
        self.registry.tool_called(name).or_else(of_server)
    }
}

/// Paths in an environment that is not asked: they are compared as they are written.
struct PathsElsewhere(CallPaths);

impl PathSource for PathsElsewhere {
    fn paths<'c>(&'c self, call: &'c Call<'c>) -> Option<Box<dyn Paths + 'c>> {
        Some(Box::new(WrittenPaths { directory: call.directory(), home: None }))
    }

    fn is_path(&self, tool: &Tool, parameter: &str) -> bool {
        self.0.is_path(tool, parameter)
    }

    fn other_paths(&self, tool: &str, parameter: &str, arguments: &Value) -> Vec<Option<String>> {
        self.0.other_paths(tool, parameter, arguments)
    }
}

/// Returns a task in a directory.
fn task_in(directory: &Path) -> Task {
    let task = Task::new("permissions");
    task.set_directory(directory);
    task
}
