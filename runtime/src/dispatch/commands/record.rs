//! Records of decisions about commands.

use std::time::Instant;

use crate::call::approval::command::CommandReason;
use crate::call::approval::log::ApprovalRecord;
use crate::call::approval::policy::CommandApproval;
use crate::call::decision::{CallDecision, DecidedBy, Decisions, RecordedDecision};
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
    decisions: Option<&'c Decisions>,
    began: Option<Instant>,
}

impl<'c> Recorder<'c> {
    /// `decisions` are those of the call, to which its decisions are added.
    pub(super) fn new(
        turn: &'c Turn,
        config: &'c CommandApproval,
        call: &'c PreparedCall<'c>,
        decisions: Option<&'c Decisions>,
    ) -> Self {
        Self { turn, config, call, decisions, began: clock::now() }
    }

    /// Returns when the call was judged.
    pub(super) fn began(&self) -> Option<Instant> {
        self.began
    }

    /// Adds a decision to those of the call, and passes it to the log. `line` has no secrets.
    pub(super) fn record(&self, line: &str, reason: &CommandReason, decision: RecordedDecision, by: DecidedBy) {
        let waited = self.began.map(|began| began.elapsed()).unwrap_or_default();
        if let Some(decisions) = self.decisions {
            let reasons = reason.decision_reasons();
            let (verdict, at) = (reason.verdict, clock::now());
            decisions.add(CallDecision { verdict, reasons, decision, decided_by: by, waited, at });
        }
        let Some(log) = &self.config.log else { return };
        let info = self.turn.info(self.call);
        let mut rules: Vec<&str> = Vec::new();
        for finding in &reason.findings {
            if !rules.contains(&&*finding.rule) {
                rules.push(&finding.rule);
            }
        }
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
            milliseconds: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
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
