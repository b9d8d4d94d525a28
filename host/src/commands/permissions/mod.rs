//! `toolc permissions`: lists, adds, tries and revokes what a person has allowed, and the rules about calls.

mod add;
mod explain;
mod list;
mod recorded;
mod test;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use toolc::{Call, Registry, Task, Tool};
use toolc_config::Home;
use toolc_environment::EnvironmentKind;
use toolc_permissions::{KnownTools, PathSource, Paths, PermissionFile, WrittenPaths};
use toolc_workspace::{Environments, Workspace};

pub(super) use explain::section;
pub(super) use test::arguments;

use crate::approval::call_paths::CallPaths;
use crate::approval::permissions::{self, PermissionsOfSessions};
use crate::approval::{self};
use crate::assembly::{Host, registry_to_show};
use crate::environments;
use crate::ground::ask::{print, require_person};
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::profile::Profile;

/// The last part of the help.
const EXIT_STATUS: &str = "\
Rules are in permissions.toml in TOOLC_HOME, and in .toolc/permissions.toml of a project, where they can only ask and deny. The answer
`always` to a question adds to state.db in TOOLC_HOME: the exact words of a command in its directory and environment, or a rule about
calls.

Exit status:
  0  success; test: the call runs without a question
  1  revoke: no answer has the id; test: a person decides, or a recorded call has another verdict
  2  the command line is wrong, a file or state.db cannot be used, or the command runs inside a tool
  3  test: the call never runs";

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
    /// Show the verdict about a call, and the rules that decide. Nothing is run.
    Test(test::TestArgs),
    /// Print the JSON Schema of permissions.toml, for editors.
    Schema,
    /// Revoke answers, so that their commands and calls need approval again. Does not run inside a tool.
    #[command(alias = "remove")]
    Revoke {
        /// The ids, as `list` prints them.
        #[arg(required_unless_present = "all")]
        ids: Vec<i64>,
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
                revoke(&home, ids, *all, *json)
            }
        }
    }
}

/// Returns the permissions of a host as text.
pub(super) fn listed(host: &Host) -> Result<String> {
    list::listed(&Loaded::of_host(host))
}

fn revoke(home: &Home, ids: &[i64], all: bool, as_json: bool) -> Result<u8> {
    let store = approval::store(home);
    let mut unknown = Vec::new();
    let revoked = if all {
        store.revoke_all()?
    } else {
        for id in ids {
            if !store.revoke(*id)? {
                unknown.push(*id);
            }
        }
        ids.len() - unknown.len()
    };
    for id in &unknown {
        tell!("error: no approval has the id {id}");
    }
    print(&if as_json {
        format!("{}\n", json!({ "revoked": revoked, "unknown": unknown }))
    } else {
        format!("{revoked} {} revoked\n", if revoked == 1 { "approval" } else { "approvals" })
    })?;
    Ok(u8::from(!unknown.is_empty()))
}

/// The home and the tools for which permissions are shown.
pub(super) struct Loaded {
    home: Home,
    directory: PathBuf,
    registry: Registry,
    tools: KnownTools,
    kind: EnvironmentKind,
}

impl Loaded {
    fn new(options: &ToolOptions, home: Home) -> Result<Self> {
        let profile = Profile::read(home)?;
        let directory = std::env::current_dir().map_err(|error| Error::failed("find the current directory", error))?;
        let registry = registry_to_show(&profile.home, profile.config(), &options.plugins)?;
        let kind = environments::chosen(options.environment, profile.config())?;
        Ok(Self { tools: permissions::known_tools(&registry), home: profile.home, directory, registry, kind })
    }

    /// Returns what an assembled host has.
    pub(super) fn of_host(host: &Host) -> Self {
        Self {
            home: host.profile.home.clone(),
            directory: host.directory.clone(),
            registry: host.registry.clone(),
            tools: permissions::known_tools(&host.registry),
            kind: host.environment,
        }
    }

    /// Reads the files of permissions for a directory.
    fn files(&self, directory: &Path) -> Result<Vec<PermissionFile>> {
        permissions::load(&self.home, directory, &self.tools)
    }

    /// Returns the permissions of sessions with these rules.
    fn permissions(&self, files: &[PermissionFile]) -> PermissionsOfSessions {
        let store = Arc::new(approval::warning_store(&self.home));
        PermissionsOfSessions::new(files, store, self.paths(), self.kind.name())
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
