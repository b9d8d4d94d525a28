//! Records of decisions about commands.

use std::time::{Duration, Instant};

use crate::call::approval::command::CommandReason;
use crate::call::approval::log::{ApprovalLog, ApprovalRecord};
use crate::call::approval::policy::CommandApproval;
use crate::call::approval::{ApprovalDecision, ApprovalReason};
use crate::call::decision::{CallDecision, DecidedBy, DecisionReason, Decisions, RecordedDecision};
use crate::call::hooks::{CallInfo, HostError, HostStage};
use crate::call::permissions::PermissionReason;
use crate::dispatch::approval::Answer;
use crate::dispatch::permissions::Asked;
use crate::env::Env;
use crate::panics::{self, Panicked};
use crate::run::clock;
use crate::run::task::TaskInner;
use crate::session::prepared::PreparedCall;
use crate::session::turn::Turn;
use toolc_commands::rules::Verdict;
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
            milliseconds: milliseconds(waited),
        };
        self.turn.log(&**log, &record, &info);
    }

    /// Passes the answer about a call as a whole to the log, if permissions asked about it.
    pub(super) fn record_call(&self, asked: &Asked, answer: &Answer) {
        let rules = asked.reasons.iter().filter_map(|reason| match reason {
            ApprovalReason::Permission(reason) => Some(&*reason.rule),
            _ => None,
        });
        let rules: Vec<&str> = rules.collect();
        let is_permanent = asked.offer.as_ref().is_some_and(|offer| offer.is_permanent);
        let decision = match answer {
            Answer::Decided(ApprovalDecision::AllowAlways) if is_permanent => RecordedDecision::AllowedAlways,
            answer => answer.decision(),
        };
        if !rules.is_empty() {
            self.turn.record_permission(self.call, (Verdict::Ask, &rules), (decision, answer.decided_by()), self.began);
        }
    }
}

impl Turn {
    /// Passes a call that permissions deny to the log.
    pub(in crate::dispatch) fn record_denied_call(
        &self,
        call: &PreparedCall<'_>,
        reasons: &[PermissionReason],
        by: DecidedBy,
    ) {
        let verdict = if by == DecidedBy::Rule { Verdict::Deny } else { Verdict::Ask };
        let rules: Vec<&str> = reasons.iter().map(|reason| &*reason.rule).collect();
        if let Some(decisions) = self.info(call).decisions {
            let reasons = reasons.iter().map(DecisionReason::from).collect();
            let (decision, waited, at) = (RecordedDecision::Denied, Duration::ZERO, clock::now());
            decisions.add(CallDecision { verdict, reasons, decision, decided_by: by, waited, at });
        }
        self.record_permission(call, (verdict, &rules), (RecordedDecision::Denied, by), None);
    }

    fn record_permission(
        &self,
        call: &PreparedCall<'_>,
        (verdict, rules): (Verdict, &[&str]),
        (decision, decided_by): (RecordedDecision, DecidedBy),
        began: Option<Instant>,
    ) {
        let Some(config) = &self.config().commands else { return };
        let Some(log) = &config.log else { return };
        let info = self.info(call);
        let task = info.task_state.and_then(TaskInner::environment);
        let line = self.redactor().text(&info.arguments().to_string()).into_owned();
        let record = ApprovalRecord {
            tool: info.tool(),
            call: info.id(),
            session: &self.config().id,
            task: info.task(),
            line: &line,
            environment: task.as_deref().unwrap_or(&config.environment),
            directory: None,
            verdict,
            rules,
            decision,
            decided_by,
            milliseconds: milliseconds(began.map(|began| began.elapsed()).unwrap_or_default()),
        };
        self.log(&**log, &record, &info);
    }

    fn log(&self, log: &dyn ApprovalLog, record: &ApprovalRecord<'_>, info: &CallInfo<'_>) {
        if let Err(Panicked(message)) = panics::catch(|| log.decided(record)) {
            let error = HostError { part: "the approval log", stage: HostStage::Approval, message: &message };
            self.config().report_host_error(info, &error);
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the values of variables that are credentials.
pub(super) fn secret_values(env: &Env) -> impl Iterator<Item = String> {
    env.vars().into_iter().filter(|(name, value)| is_credential(name, value)).map(|(_, value)| value)
}
