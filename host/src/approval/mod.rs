//! Approval of calls: the mode, the questions to the person, the command rules, the store of approvals, and the log.

mod log;
#[cfg_attr(not(unix), expect(dead_code, reason = "only the question at a Unix terminal shows it"))]
pub(crate) mod question;
mod questions;
pub(crate) mod reading;
mod report;
pub(crate) mod rules;

use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum;
use toolc::SessionBuilder;
use toolc::approval::{ApprovalRequest, CommandApproval, CommandMode};
use toolc::limits::ResultLimits;
use toolc_commands::rules::RuleSet;
use toolc_config::{ApprovalMode, Home};
use toolc_store::{Approvals, Database};

use crate::environments::EnvironmentKind;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::profile::Profile;
use log::Log;
pub(crate) use questions::Questions;
pub(crate) use report::section;

/// What happens to a command that needs approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// A person at the terminal decides. Without a terminal, the command is denied.
    Ask,
    /// The command is denied, unless it has been approved permanently.
    Deny,
    /// The command runs, unless a rule denies it. Use this mode only in a sandbox in which no command can do damage.
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
            Self::Ask => "if a rule asks, a person at the terminal decides",
            Self::Deny => "if a rule asks, the command does not run",
            Self::Off => "if a rule asks, the command runs without a question",
        }
    }

    /// Returns the mode that the option, the environment variable or the configuration sets, in this order.
    ///
    /// # Errors
    /// If the value of the variable is invalid.
    pub(crate) fn select(option: Option<Self>, profile: &Profile) -> Result<Self> {
        let explicit = option.map_or_else(Self::from_environment, |mode| Ok(Some(mode)))?;
        let configured = profile.config().approval.mode.map(|mode| match mode {
            ApprovalMode::Ask => Self::Ask,
            ApprovalMode::Deny => Self::Deny,
            ApprovalMode::Off => Self::Off,
        });
        Ok(explicit.or(configured).unwrap_or(Self::Ask))
    }

    fn from_environment() -> Result<Option<Self>> {
        let Some(word) = std::env::var_os(Self::VARIABLE).filter(|word| !word.is_empty()) else { return Ok(None) };
        let mode = word.to_str().and_then(|word| <Self as ValueEnum>::from_str(word, false).ok());
        let invalid =
            || format!("the variable `{}` must be `ask`, `deny` or `off`, not `{}`", Self::VARIABLE, word.display());
        mode.map(Some).ok_or_else(invalid).map_err(Error::Invalid)
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

/// Returns the text of a question about a call, for a client that shows plain text.
pub(crate) fn plain_question(request: &ApprovalRequest<'_>, offers_session: bool) -> String {
    let mut question = question::Question::new(request);
    question.offers_session &= offers_session;
    question.text(show::Look::new(None)).trim().to_owned()
}

/// The limits of sessions in the configuration of a profile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    approval: std::time::Duration,
    results: ResultLimits,
}

impl Limits {
    pub(crate) fn from_profile(profile: &Profile) -> Self {
        let (config, results) = (profile.config(), ResultLimits::default());
        let max_chars = config.results.max_chars.and_then(|max| usize::try_from(max).ok());
        Self { approval: config.approval.timeout, results: max_chars.map_or(results, |max| results.with_per_call(max)) }
    }

    pub(crate) fn apply(self, session: SessionBuilder) -> SessionBuilder {
        session.approval_timeout(self.approval).result_limits(self.results)
    }
}

/// How commands are judged.
pub(crate) struct Judging {
    pub(crate) rules: &'static RuleSet<'static>,
    pub(crate) commands: CommandApproval,
}

impl Judging {
    /// Loads the rules of the catalog, the user and the project for commands in a directory. Warns if approval is off.
    ///
    /// # Errors
    /// Returns an error if a file of rules is invalid.
    pub(crate) fn new(profile: &Profile, directory: &Path, mode: Mode, environment: EnvironmentKind) -> Result<Self> {
        let home = &profile.home;
        if mode == Mode::Off {
            eprintln!(
                "warning: APPROVAL IS OFF: commands that need approval run without a question, with your rights. \
                 Use this mode only in a sandbox"
            );
        }
        let rules = rules::load(home, directory)?;
        let commands = commands(rules, home).mode(mode.into()).environment(environment.name());
        // The rules of the project are read on this machine, even if the commands run on another one.
        let directory = environment.directory(directory, profile.config());
        let commands = directory.into_iter().fold(commands, CommandApproval::directory);
        Ok(Self { rules, commands })
    }
}

fn commands(rules: &'static RuleSet<'static>, home: &Home) -> CommandApproval {
    let warn = |error: &toolc_store::StoreError| eprintln!("warning: {error}");
    let store = store(home).on_error(warn);
    CommandApproval::new(rules).store(Arc::new(store)).log(Arc::new(Log::new(home.clone())))
}
