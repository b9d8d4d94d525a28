//! Records of decisions about commands.

use std::time::Instant;

use crate::call::approval::command::CommandReason;
use crate::call::approval::log::{ApprovalRecord, DecidedBy, RecordedDecision};
use crate::call::approval::policy::CommandApproval;
use crate::call::hooks::{HostError, HostStage};
use crate::dispatch::prepared::PreparedCall;
use crate::env::Env;
use crate::panics::{self, Panicked};
use crate::run::clock;
use crate::session::turn::Turn;
use toolc_redact::is_credential;

/// Writes the records of one call.
pub(super) struct Recorder<'c> {
    turn: &'c Turn,
    config: &'c CommandApproval,
    call: &'c PreparedCall<'c>,
    began: Option<Instant>,
}

impl<'c> Recorder<'c> {
    pub(super) fn new(turn: &'c Turn, config: &'c CommandApproval, call: &'c PreparedCall<'c>) -> Self {
        Self { turn, config, call, began: clock::now() }
    }

    /// Passes a decision to the log. `line` has no secrets.
    pub(super) fn record(&self, line: &str, reason: &CommandReason, decision: RecordedDecision, by: DecidedBy) {
        let Some(log) = &self.config.log else { return };
        let info = self.turn.info(self.call);
        let mut rules: Vec<&str> = Vec::new();
        for finding in &reason.findings {
            if !rules.contains(&&*finding.rule) {
                rules.push(&finding.rule);
            }
        }
        let elapsed = self.began.map(|began| began.elapsed().as_millis());
        let record = ApprovalRecord {
            tool: info.tool(),
            call: info.id(),
            session: &self.turn.config().id,
            task: info.task(),
            line,
            environment: &reason.environment,
            directory: reason.directory.as_deref(),
            verdict: reason.verdict,
            rules: &rules,
            decision,
            decided_by: by,
            milliseconds: elapsed.map_or(0, |elapsed| u64::try_from(elapsed).unwrap_or(u64::MAX)),
        };
        if let Err(Panicked(message)) = panics::catch(|| log.decided(&record)) {
            let error = HostError { part: "the approval log", stage: HostStage::Approval, message: &message };
            self.turn.config().report_host_error(&info, &error);
        }
    }
}

/// Returns the values of variables that are credentials.
pub(super) fn secret_values(env: &Env) -> impl Iterator<Item = String> {
    env.vars().into_iter().filter(|(name, value)| is_credential(name, value)).map(|(_, value)| value)
}
