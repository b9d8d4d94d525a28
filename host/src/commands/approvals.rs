//! `toolc approvals`: lists and revokes the commands that a person has approved permanently.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::approval;
use crate::ground::ask::print;
use crate::ground::error::{Error, Result};
use crate::ground::show::{self, Look, Style};
use crate::ground::tell::tell;
use crate::ground::terminal;
use crate::ground::time;
use toolc_config::Home;

/// The last part of the help.
const EXIT_STATUS: &str = "\
The answer `always` to the question about a command adds an approval. An approval is valid for the exact words of the command, in the
same directory and environment. The approvals are stored in state.db in TOOLC_HOME.

Exit status:
  0  success
  1  revoke: no approval has the id
  2  the command line is wrong, state.db cannot be used, or the command runs inside a tool";

/// The arguments of `approvals`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    command: ApprovalsCommand,
}

#[derive(Debug, Subcommand)]
enum ApprovalsCommand {
    /// List the approvals.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Revoke approvals, so that their commands need approval again. Does not run inside a tool.
    Revoke {
        /// The ids, as `list` prints them.
        #[arg(required_unless_present = "all")]
        ids: Vec<i64>,
        /// Revoke all approvals.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
}

impl ApprovalsArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, home: &Home) -> Result<u8> {
        let store = approval::store(home);
        match &self.command {
            ApprovalsCommand::List { json } => {
                let approvals = store.list()?;
                print(&if *json { list_json(&approvals) } else { list(&approvals) })?;
                Ok(0)
            }
            ApprovalsCommand::Revoke { .. } if toolc_process::is_inside_a_tool() => Err(Error::Invalid(
                "only a person can revoke approvals: this command does not run inside a tool".to_owned(),
            )),
            ApprovalsCommand::Revoke { ids, all, json } => {
                let mut unknown = Vec::new();
                let revoked = if *all {
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
                print(&if *json {
                    format!("{}\n", json!({ "revoked": revoked, "unknown": unknown }))
                } else {
                    format!("{revoked} {} revoked\n", if revoked == 1 { "approval" } else { "approvals" })
                })?;
                Ok(u8::from(!unknown.is_empty()))
            }
        }
    }
}

fn list(approvals: &[toolc_store::Approval]) -> String {
    let look = Look::new(io::stdout().is_terminal().then(|| terminal::columns(io::stdout())));
    let mut text = String::new();
    for approval in approvals {
        let id = look.paint(Style::Strong, &approval.id.to_string());
        let [tool, environment, directory] =
            [&approval.tool, &approval.environment, &approval.directory].map(|text| show::one_line(text));
        let _ = writeln!(text, "{id}: {tool}, {environment}, in {directory}, since {}", time::text(approval.added));
        text += &show::command(&approval.line, &[], look);
    }
    if approvals.is_empty() {
        text += "no approvals\n";
    }
    text
}

fn list_json(approvals: &[toolc_store::Approval]) -> String {
    let approvals = approvals.iter().map(|approval| {
        json!({
            "id": approval.id,
            "tool": approval.tool,
            "environment": approval.environment,
            "directory": approval.directory,
            "command": approval.line,
            "added": time::text(approval.added),
        })
    });
    format!("{}\n", approvals.collect::<serde_json::Value>())
}
