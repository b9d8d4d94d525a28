//! The commands that show, call and check tools: `toolc call`, `definitions`, `doctor`, `repl` and so on.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Value;
use toolc_cli::{App, Command, Selection, WhyArgs};
use toolc_config::Home;

use super::permissions::{self, Loaded};
use super::unapproved::UnapprovedNote;
use crate::assembly::{Host, Needs, Purpose};
use crate::ground::error::Result;
use crate::models;
use crate::options::ToolOptions;
use crate::person::{self, Person};
use crate::profile::Profile;
use crate::sources::servers::{NeededServers, Wait};

/// Runs the command.
pub(crate) fn run(options: &ToolOptions, home: Home, mut command: Command) -> Result<ExitCode> {
    let profile = Profile::read(home)?;
    let purpose = match command {
        Command::Call(_) | Command::Repl { .. } => Purpose::Call,
        Command::Doctor { .. } => Purpose::Report,
        _ => Purpose::Show,
    };
    let host = assemble(options, profile, purpose, needed_servers(&command))?;
    if let Some(selection) = selection(&mut command) {
        host.select(selection);
    }
    let mut app = host.app();
    if purpose == Purpose::Report {
        app = host.report_sections().fold(app, App::doctor_section);
    }
    if let Some(judging) = &host.judging {
        app = person::add_approver(app, judging.rules);
    }
    if purpose == Purpose::Call {
        app = app.session(|session| session.hook(Arc::new(UnapprovedNote)));
    }
    if let Command::Repl { .. } = command {
        app = explaining_permissions(app, &host, None)?;
    }
    let status = app.run(command);
    host.stop();
    Ok(status)
}

/// Explains why a tool is shown or hidden, and which permissions are about it: if there are `arguments`, also what they say about such a
/// call.
pub(crate) fn why(options: &ToolOptions, home: Home, mut args: WhyArgs, arguments: Option<Value>) -> Result<ExitCode> {
    let host = assemble(options, Profile::read(home)?, Purpose::Show, NeededServers::ForTool(&args.tool))?;
    host.select(&mut args.view.selection);
    let status = explaining_permissions(host.app(), &host, arguments)?.why(&args);
    host.stop();
    Ok(status)
}

fn explaining_permissions(app: App, host: &Host, arguments: Option<Value>) -> Result<App> {
    let loaded = Loaded::of_host(host)?;
    Ok(app.why_section(move |tool| permissions::section(&loaded, tool, arguments.as_ref())))
}

fn assemble(options: &ToolOptions, profile: Profile, purpose: Purpose, servers: NeededServers<'_>) -> Result<Host> {
    let needs = Needs {
        servers,
        person: Person::at_the_terminal(),
        model: if purpose == Purpose::Call { models::for_tools(&profile) } else { None },
        warns: false,
        ..Needs::new(purpose, Wait::UntilStarted)
    };
    Host::assemble(profile, options, needs)
}

/// Returns the MCP servers that the command needs.
fn needed_servers(command: &Command) -> NeededServers<'_> {
    match command {
        Command::Call(call) => NeededServers::ForTool(&call.tool),
        _ => NeededServers::All,
    }
}

/// Returns the options of a command that select the tools of a session.
fn selection(command: &mut Command) -> Option<&mut Selection> {
    match command {
        Command::Call(call) => Some(&mut call.view.selection),
        Command::Definitions { view, .. } | Command::Doctor { view, .. } | Command::Repl { view, .. } => {
            Some(&mut view.selection)
        }
        _ => None,
    }
}
