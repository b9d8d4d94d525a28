//! Approval of calls: the mode, the questions to the person, the command rules, the store of approvals, and the log.

pub(crate) mod call_paths;
mod files;
mod log;
pub(crate) mod permissions;
#[cfg_attr(not(unix), expect(dead_code, reason = "only the question at a Unix terminal shows it"))]
pub(crate) mod question;
mod questions;
pub(crate) mod reading;
mod report;
pub(crate) mod rules;
pub(crate) mod verdict;

use std::path::Path;
use std::sync::Arc;

use toolc::SessionBuilder;
use toolc::approval::{ApprovalRequest, CallDecision, CommandApproval, CommandMode, DecidedBy, RecordedDecision};
use toolc::limits::ResultLimits;
use toolc_commands::rules::RuleSet;
use toolc_config::{ApprovalMode, Home};
use toolc_environment::EnvironmentKind;
use toolc_store::{Approvals, Database};

use crate::environments;
use crate::ground::error::Result;
use crate::ground::tell::tell;
use crate::ground::{show, words};
use crate::profile::Profile;
use log::Log;
pub(crate) use log::path as log_path;
pub(crate) use questions::Questions;
pub(crate) use report::section;

/// The optional set of the mode `strict`.
pub(crate) const STRICT: &str = "strict";

/// Returns the mode that the option, the environment variable or the configuration sets, in this order.
///
/// # Errors
/// If the value of the variable is invalid.
pub(crate) fn mode(option: Option<ApprovalMode>, profile: &Profile) -> Result<ApprovalMode> {
    let explicit = match option {
        Some(mode) => Some(mode),
        None => words::in_variable("TOOLC_APPROVAL")?,
    };
    Ok(explicit.or(profile.config().approval.mode).unwrap_or(ApprovalMode::Ask))
}

/// Returns the names of the optional sets of rules that are active: those of the configuration, and `strict` in that mode. Where no
/// person can be asked, as for scheduled jobs, the mode `strict` of the variable or the configuration counts as well.
///
/// # Errors
/// If the value of the variable is invalid.
pub(crate) fn sets(mode: ApprovalMode, profile: &Profile) -> Result<Vec<&'static str>> {
    let approval = &profile.config().approval;
    let chosen = [words::in_variable("TOOLC_APPROVAL")?, approval.mode];
    let is_strict = |mode| mode == ApprovalMode::Strict;
    let is_strict = is_strict(mode) || mode == ApprovalMode::Deny && chosen.into_iter().flatten().any(is_strict);
    let sets = approval.sets.iter().map(|set| set.word());
    Ok(is_strict.then_some(STRICT).into_iter().chain(sets).collect())
}

/// Returns whether a call was refused because no person could be asked, or none has answered.
pub(crate) fn is_unanswered(decision: &CallDecision) -> bool {
    match decision.decided_by {
        DecidedBy::Unanswered => true,
        // The mode `deny` asks no person.
        DecidedBy::Mode => decision.decision == RecordedDecision::Denied,
        _ => false,
    }
}

/// Returns the mode for the runtime.
fn command_mode(mode: ApprovalMode) -> CommandMode {
    match mode {
        ApprovalMode::Ask | ApprovalMode::Strict => CommandMode::Ask,
        ApprovalMode::Deny => CommandMode::Deny,
        ApprovalMode::Off => CommandMode::Off,
    }
}

/// Returns the store of approved commands.
pub(crate) fn store(home: &Home) -> Approvals {
    Approvals::new(Arc::new(Database::new(home.state())))
}

/// Returns the store of approvals, which warns if it cannot be read.
pub(crate) fn warning_store(home: &Home) -> Approvals {
    store(home).on_error(|error| tell!("warning: {error}"))
}

/// Returns the text of a question about a call, for a client that shows plain text.
pub(crate) fn plain_question(request: &ApprovalRequest<'_>, offers_session: bool) -> String {
    let mut question = question::Question::new(request);
    question.offers_session &= offers_session;
    question.offers_always = false;
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
    pub(crate) fn new(
        profile: &Profile,
        directory: &Path,
        mode: ApprovalMode,
        environment: EnvironmentKind,
    ) -> Result<Self> {
        let home = &profile.home;
        if mode == ApprovalMode::Off {
            tell!(
                "warning: APPROVAL IS OFF: commands that need approval run without a question, with your rights. \
                 Use this mode only in a sandbox"
            );
        }
        let rules = rules::load(home, directory, &sets(mode, profile)?, &profile.config().protect)?;
        let commands = commands(rules, home).mode(command_mode(mode)).environment(environment.name());
        // The rules of the project are read on this machine, even if the commands run on another one.
        let directory = environments::directory(environment, directory, profile.config());
        let commands = directory.into_iter().fold(commands, CommandApproval::directory);
        Ok(Self { rules, commands })
    }
}

/// Returns a configuration that judges commands by these rules, with what this machine says about their paths.
pub(crate) fn of_this_machine(rules: &'static RuleSet<'static>, home: &Home) -> CommandApproval {
    CommandApproval::new(rules).own_folder(home.all_profiles()).files(Arc::new(files::ThisMachine))
}

fn commands(rules: &'static RuleSet<'static>, home: &Home) -> CommandApproval {
    let store = warning_store(home);
    let commands = of_this_machine(rules, home).processes(toolc_process::host_processes);
    commands.store(Arc::new(store)).log(Arc::new(Log::new(home.clone())))
}

#[cfg(test)]
mod tests {
    use toolc_config::{ApprovalSet, Words as _};

    use super::STRICT;

    #[test]
    fn every_optional_set_of_the_shipped_rules_can_be_switched_on() {
        let mut sets: Vec<&str> = ApprovalSet::WORDS.iter().map(|(word, _)| *word).chain([STRICT]).collect();
        sets.sort_unstable();
        assert_eq!(toolc_catalog::commands::rules().optional_sets(), sets);
    }
}
