//! Approval in this program: the mode, the person at the terminal, the store of approvals, and the log.

mod log;
#[cfg(unix)]
mod person;
#[cfg_attr(not(unix), expect(dead_code, reason = "only the question at a Unix terminal shows it"))]
mod question;
mod report;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use toolc::approval::{CommandApproval, CommandMode};
use toolc_cli::{App, Command};
use toolc_commands::rules::RuleSet;
use toolc_store::{Approvals, Database};

use crate::environments::EnvironmentKind;
use crate::home::Home;
use crate::rules;
use log::Log;

/// The time limit for an answer.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// What happens to a command that needs approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// A person at the terminal decides. Without a terminal, the command is denied.
    Ask,
    /// The command is denied, unless it was approved permanently before.
    Deny,
    /// The command runs, unless a rule denies it. Use this only in a sandbox in which no command can do damage.
    Off,
}

impl Mode {
    /// The environment variable that names the mode.
    const VARIABLE: &str = "TOOLC_APPROVAL";

    fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Off => "off",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Ask => "a person at the terminal decides where a rule asks",
            Self::Deny => "a command about which a rule asks does not run",
            Self::Off => "a command about which a rule asks runs without a question",
        }
    }

    fn from_environment() -> Result<Option<Self>, String> {
        let Some(word) = std::env::var_os(Self::VARIABLE).filter(|word| !word.is_empty()) else { return Ok(None) };
        let mode = word.to_str().and_then(|word| <Self as ValueEnum>::from_str(word, false).ok());
        let invalid =
            || format!("the variable `{}` must be `ask`, `deny` or `off`, not `{}`", Self::VARIABLE, word.display());
        mode.map(Some).ok_or_else(invalid)
    }
}

impl From<Mode> for CommandMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Ask => Self::Ask,
            Mode::Deny => Self::Deny,
            Mode::Off => Self::Off,
        }
    }
}

/// Returns the store of approved commands.
pub(crate) fn store(home: &Home) -> Approvals {
    Approvals::new(Arc::new(Database::new(home.state())))
}

/// Adds approval to the app if the command calls tools, and a section to the report of `doctor`. Otherwise, returns the app
/// unchanged.
///
/// # Errors
/// Returns an error if `TOOLC_APPROVAL` or a file of rules is invalid.
pub(crate) fn prepare(
    app: App,
    command: &Command,
    mode: Option<Mode>,
    environment: EnvironmentKind,
) -> Result<App, String> {
    let default = match command {
        Command::Call(_) | Command::Repl { .. } | Command::Doctor { .. } => Mode::Ask,
        // The standard streams belong to the client, so no person can be asked.
        Command::Serve { yes, .. } => {
            if *yes {
                Mode::Ask
            } else {
                Mode::Deny
            }
        }
        _ => return Ok(app),
    };
    let mode = mode.map_or_else(Mode::from_environment, |mode| Ok(Some(mode)))?.unwrap_or(default);
    let home = Home::find()?;
    let directory =
        std::env::current_dir().map_err(|error| format!("failed to find the current directory: {error}"))?;
    if let Command::Doctor { .. } = command {
        return Ok(app.doctor_section(report::section(&home, &directory, mode)));
    }
    if mode == Mode::Off {
        eprintln!(
            "warning: APPROVAL IS OFF: commands that need approval run without a question, with your rights. \
             Use this only in a sandbox"
        );
    }
    let rules = rules::load(&home, &directory)?;
    let commands = commands(rules, &home, &directory).mode(mode.into()).environment(environment.name());
    let app =
        app.session(move |session| session.home(home.path()).commands(commands.clone()).approval_timeout(TIME_LIMIT));
    Ok(with_person(app, rules))
}

fn commands(rules: &'static RuleSet<'static>, home: &Home, directory: &Path) -> CommandApproval {
    let warn = |error: &toolc_store::StoreError| eprintln!("warning: {error}");
    let store = store(home).on_error(warn);
    CommandApproval::new(rules).directory(directory).store(Arc::new(store)).log(Arc::new(Log::new(home.clone())))
}

#[cfg(unix)]
fn with_person(app: App, rules: &'static RuleSet<'static>) -> App {
    app.approver(person::Person::at_the_terminal(rules, std::env::home_dir()))
}

/// On other systems, the app asks on its standard streams, unless a tool could answer.
#[cfg(not(unix))]
fn with_person(app: App, _: &'static RuleSet<'static>) -> App {
    if toolc_process::is_inside_a_tool() { app.approver(None) } else { app }
}
