//! `toolc environments`: lists and removes resources of environments, opens shells in environments, and copies files.

mod copy;
mod shell;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use toolc_config::Home;
use toolc_environment::{Lease, Leases, Resource};

use crate::environments;
use crate::ground::ask;
use crate::ground::error::Result;
use crate::ground::show;
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::profile::Profile;

/// The last part of the help.
const EXIT_STATUS: &str = "\
toolc records the resources that its environments create, such as containers and folders, in the home of the profile. If toolc is killed,
these resources remain. The next process that calls tools removes them, and so does `clean`.

Exit status:
  0  success
  1  clean: a resource could not be removed
  2  the command line is wrong, the environment cannot be made, a file cannot be copied, or the command runs inside a tool

`shell` exits with the status of the shell.";

/// The arguments of `environments`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct EnvironmentsArgs {
    #[command(subcommand)]
    command: EnvironmentsCommand,
}

#[derive(Debug, Subcommand)]
enum EnvironmentsCommand {
    /// List the resources that environments have created, such as containers, by process.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Open a shell in a new environment for the current directory. Does not run inside a tool.
    Shell,
    /// Copy a file or a folder of this machine to the remote machine (`ssh`). Does not run inside a tool.
    Put {
        /// The file or the folder.
        source: PathBuf,
        /// The path of the copy on the remote machine, which must not exist yet: absolute, or relative to the directory in which tools start. Default: the name of the source.
        target: Option<PathBuf>,
    },
    /// Copy a file or a folder of the remote machine (`ssh`) to this one. Does not run inside a tool.
    Get {
        /// The path on the remote machine: absolute, or relative to the directory in which tools start.
        source: PathBuf,
        /// The path of the copy on this machine, which must not exist yet. Default: the name of the source.
        target: Option<PathBuf>,
    },
    /// Remove the resources of processes that have ended. Does not run inside a tool.
    Clean {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
}

impl EnvironmentsArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<u8> {
        match &self.command {
            EnvironmentsCommand::List { json } => {
                let leases = Leases::new(home.leases()).list();
                ask::print(&if *json { list_json(&leases) } else { list(&leases) })?;
                Ok(0)
            }
            EnvironmentsCommand::Shell => {
                ask::require_person("open a shell")?;
                let profile = Profile::read(home)?;
                let kind = environments::chosen(options.environment, profile.config())?;
                shell::run(kind, &profile)
            }
            EnvironmentsCommand::Put { source, target } => {
                ask::require_person("copy files to another machine")?;
                let profile = Profile::read(home)?;
                let kind = environments::chosen(options.environment, profile.config())?;
                copy::put(kind, &profile, source, target.as_deref())
            }
            EnvironmentsCommand::Get { source, target } => {
                ask::require_person("copy files of another machine")?;
                let profile = Profile::read(home)?;
                let kind = environments::chosen(options.environment, profile.config())?;
                copy::get(kind, &profile, source, target.as_deref())
            }
            EnvironmentsCommand::Clean { json } => {
                ask::require_person("remove resources of environments")?;
                let (removed, problems) = environments::own_leases(&Profile::read(home)?).clean_up();
                for problem in &problems {
                    tell!("error: {}", show::one_line(problem));
                }
                ask::print(&if *json { clean_json(&removed, &problems) } else { clean_text(&removed, &problems) })?;
                Ok(u8::from(!problems.is_empty()))
            }
        }
    }
}

fn list(leases: &[Lease]) -> String {
    let mut text = String::new();
    for lease in leases {
        let state = if lease.is_held { "running" } else { "ended" };
        let _ = writeln!(text, "process {} ({state})", lease.process);
        for resource in &lease.resources {
            let _ = writeln!(text, "    {}", resource_text(resource));
        }
        for problem in &lease.problems {
            let _ = writeln!(text, "    {}", show::one_line(problem));
        }
    }
    if leases.is_empty() {
        text += "no environments\n";
    }
    text
}

fn list_json(leases: &[Lease]) -> String {
    let leases = leases.iter().map(|lease| {
        json!({
            "process": lease.process,
            "runs": lease.is_held,
            "resources": lease.resources.iter().map(Resource::to_string).collect::<Vec<_>>(),
            "problems": lease.problems,
        })
    });
    format!("{}\n", leases.collect::<serde_json::Value>())
}

fn clean_text(removed: &[Resource], problems: &[String]) -> String {
    let mut text = String::new();
    for resource in removed {
        let _ = writeln!(text, "removed: {}", resource_text(resource));
    }
    if removed.is_empty() && problems.is_empty() {
        text += "nothing to remove\n";
    }
    text
}

fn clean_json(removed: &[Resource], problems: &[String]) -> String {
    let removed: Vec<String> = removed.iter().map(Resource::to_string).collect();
    format!("{}\n", json!({ "removed": removed, "problems": problems }))
}

fn resource_text(resource: &Resource) -> String {
    match resource {
        Resource::Processes(_) => "the processes of its commands".to_owned(),
        resource => show::one_line(&resource.to_string()),
    }
}
