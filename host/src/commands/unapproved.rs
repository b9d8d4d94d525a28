//! Calls that did not run because they needed an approval that no person could give, and what a person can do about it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolc::approval::DecidedBy;
use toolc::hooks::{CallInfo, Hook};
use toolc::{CallResponse, ToolError};

use crate::agent::AgentEvent;
use crate::approval;
use crate::ground::tell::tell;

/// How a person lets such calls run where no person is asked.
pub(super) const ALLOW_BY_RULES: &str = "let your own rules allow such calls (`toolc judge COMMAND` and `toolc permissions test TOOL ARGUMENTS` show the rules that ask)";

/// The option for a run whose calls cannot do harm.
pub(super) const OFF_IN_A_SANDBOX: &str = "pass `--approval off` in a sandbox";

/// Whether a call needed an approval that no person could give.
#[derive(Debug, Clone, Default)]
pub(super) struct Unapproved(Arc<AtomicBool>);

impl Unapproved {
    /// Looks at an event of the agent.
    pub(super) fn observe(&self, event: &AgentEvent<'_>) {
        if let AgentEvent::CallEnds { unanswered: true, .. } = event {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether there was such a call.
    pub(super) fn is_any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns a result for a person, with what to do if there was such a call.
    pub(super) fn explain(&self, result: &str) -> String {
        if !self.is_any() {
            return result.to_owned();
        }
        format!(
            "{result}\n\n[Calls did not run, because no person could approve them. For the next run, {ALLOW_BY_RULES}.]"
        )
    }
}

/// Prints how to run a call of `toolc call` or `toolc repl` that did not run because no person could approve it.
#[derive(Debug)]
pub(super) struct UnapprovedNote;

impl Hook for UnapprovedNote {
    fn name(&self) -> &'static str {
        "the note about calls without approval"
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        let decisions = call.decisions();
        let unanswered = decisions.iter().find(|decision| approval::is_unanswered(decision));
        match unanswered.filter(|_| response.error.is_some()).map(|decision| decision.decided_by) {
            None => {}
            // `--yes` is the answer to a question, and the mode asks none.
            Some(DecidedBy::Mode) => tell!(
                "note: the call needs approval, and the mode of approval is `deny`: pass `--approval ask`, or {ALLOW_BY_RULES}"
            ),
            Some(_) => tell!(
                "note: the call needs approval, and no person has given it: call the tool at a terminal, where you are asked; or pass \
                 `--yes`, which approves it; or {ALLOW_BY_RULES}"
            ),
        }
        Ok(())
    }
}
