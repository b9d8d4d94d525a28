//! The log of decisions about commands.

use toolc_commands::rules::Verdict;

use crate::call::decision::{DecidedBy, RecordedDecision};

/// A log of decisions about commands: see [`CommandApproval::log`](crate::approval::CommandApproval::log).
pub trait ApprovalLog: Send + Sync {
    /// Called once for each judged command that the rules deny, or that needs approval, whatever the decision is. It is called
    /// before the handler runs, on the thread that polls the call. Panics are
    /// [reported](crate::hooks::Hook::on_host_error) and otherwise ignored.
    fn decided(&self, record: &ApprovalRecord<'_>);
}

/// A decision about a command.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ApprovalRecord<'a> {
    /// The tool's own name.
    pub tool: &'a str,
    /// The id of the call in the vendor's API; may be empty.
    pub call: &'a str,
    /// The id of the session; may be empty.
    pub session: &'a str,
    /// The name of the call's task.
    pub task: &'a str,
    /// The command line, in which [`REDACTED`](crate::hooks::REDACTED) replaces what seems to be secret: values of secret
    /// variables, keys and tokens of known formats, passwords in URLs, options and assignments. It can contain any character.
    pub line: &'a str,
    /// The kind of environment: `local`, `docker` ...
    pub environment: &'a str,
    /// The working directory, if it is known.
    pub directory: Option<&'a str>,
    /// The verdict of the rules.
    pub verdict: Verdict,
    /// The names of the rules and doubts, at least one.
    pub rules: &'a [&'a str],
    /// The decision.
    pub decision: RecordedDecision,
    /// Who or what decided.
    pub decided_by: DecidedBy,
    /// The time from the judgement to the decision, in milliseconds. It includes waiting for other questions. 0 on platforms
    /// without a clock.
    pub milliseconds: u64,
}
