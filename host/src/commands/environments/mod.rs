//! `toolc environments`: what environments have made on this machine, a shell in one, copies, and the removal of what was left.

mod copy;
mod shell;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use toolc_config::Home;
use toolc_environment::{Lease, Leases, Resource};

use crate::environments::{self, EnvironmentKind};
use crate::ground::ask;
use crate::ground::error::Result;
use crate::ground::show;
use crate::options::ToolOptions;
use crate::profile::Profile;

/// The end of the help.
const EXIT_STATUS: &str = "\
toolc records what its environments create, such as containers and folders, in the home of the profile. If toolc is killed, the next
process that calls tools removes what is left, and so does `clean`.

Exit status:
  0  success
  1  clean: something could not be removed
  2  the command line is wrong, the environment cannot be made, something cannot be copied, or a tool tries to change something

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
    /// List what environments have created, such as containers, by the process that created it.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Open a shell in a new environment for the current directory. Does not run inside a tool.
    Shell,
    /// Copy a file or a folder of this machine to another one (`ssh`). Does not run inside a tool.
    Put {
        /// The file or the folder.
        source: PathBuf,
        /// Its path on the other machine, which must not exist yet: absolute, or relative to the directory in which tools start. Default: its name.
        target: Option<PathBuf>,
    },
    /// Copy a file or a folder of another machine (`ssh`) to this one. Does not run inside a tool.
    Get {
        /// Its path on the other machine: absolute, or relative to the directory in which tools start.
        source: PathBuf,
        /// Its path on this machine, which must not exist yet. Default: its name.
        target: Option<PathBuf>,
    },
    /// Remove what environments have created and ended processes did not remove. Does not run inside a tool.
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
                ask::refuse_tools("open a shell")?;
                let profile = Profile::read(home)?;
                let kind = EnvironmentKind::find(options.environment, profile.config())?;
                shell::run(kind, &profile)
            }
            EnvironmentsCommand::Put { source, target } => {
                ask::refuse_tools("copy files to another machine")?;
                let profile = Profile::read(home)?;
                let kind = EnvironmentKind::find(options.environment, profile.config())?;
                copy::put(kind, &profile, source, target.as_deref())
            }
            EnvironmentsCommand::Get { source, target } => {
                ask::refuse_tools("copy files of another machine")?;
                let profile = Profile::read(home)?;
                let kind = EnvironmentKind::find(options.environment, profile.config())?;
                copy::get(kind, &profile, source, target.as_deref())
            }
            EnvironmentsCommand::Clean { json } => {
                ask::refuse_tools("remove what environments have left")?;
                let (removed, problems) = environments::own_leases(&Profile::read(home)?).clean_up();
                for problem in &problems {
                    eprintln!("error: {}", show::one_line(problem));
                }
                ask::print(&if *json { cleaned_json(&removed, &problems) } else { cleaned(&removed, &problems) })?;
                Ok(u8::from(!problems.is_empty()))
            }
        }
    }
}

fn list(leases: &[Lease]) -> String {
    let mut text = String::new();
    for lease in leases {
        let state = if lease.is_held { "which runs" } else { "which has ended" };
        let _ = writeln!(text, "process {}, {state}", lease.process);
        for resource in &lease.resources {
            let _ = writeln!(text, "    {}", shown(resource));
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

fn cleaned(removed: &[Resource], problems: &[String]) -> String {
    let mut text = String::new();
    for resource in removed {
        let _ = writeln!(text, "removed: {}", shown(resource));
    }
    if removed.is_empty() && problems.is_empty() {
        text += "nothing was left\n";
    }
    text
}

fn cleaned_json(removed: &[Resource], problems: &[String]) -> String {
    let removed: Vec<String> = removed.iter().map(Resource::to_string).collect();
    format!("{}\n", json!({ "removed": removed, "problems": problems }))
}

fn shown(resource: &Resource) -> String {
    match resource {
        Resource::Processes(_) => "the processes of its commands".to_owned(),
        resource => show::one_line(&resource.to_string()),
    }
}
