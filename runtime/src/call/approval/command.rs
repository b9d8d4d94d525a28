//! The reason why a shell command needs approval, as data that a host can show.

use std::fmt;

use toolc_commands::rules::Verdict;
use toolc_commands::{Cause, Finding, Span};

use crate::call::decision::DecisionReason;

/// Why a shell command needs approval: see [`ApprovalReason::Command`](crate::approval::ApprovalReason::Command).
///
/// `findings` has at least one entry. The spans are byte ranges of `line`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct CommandReason {
    /// The parameter that holds the command.
    pub parameter: String,
    /// The command line: the text that the model sent, or the quoted words of a list. `[secret]` if the parameter is secret.
    pub line: String,
    /// The findings, the strictest first, and then in the order of the line.
    pub findings: Vec<CommandFinding>,
    /// The strictest verdict of the findings. A command that is denied is not shown to the approver.
    pub verdict: Verdict,
    /// The kind of environment in which the command runs, such as `local` or `docker`.
    pub environment: String,
    /// The working directory as an absolute path, or `None` if it is unknown.
    pub directory: Option<String>,
    /// The answers that the person can give, from the narrowest to the widest, and `Deny` last.
    pub offers: Vec<CommandAnswer>,
}

/// The commands of a call that need approval or are denied: see [`Turn::judge_call`](crate::Turn::judge_call).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallCommands {
    /// Those about which no person has decided.
    pub open: Vec<CommandReason>,
    /// Those that a person has approved for good.
    pub approved: Vec<CommandReason>,
}

/// A finding about a command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct CommandFinding {
    /// The name of the rule, or of the reader's doubt.
    pub rule: String,
    /// What the command does: a sentence with a capital letter and a full stop.
    pub description: String,
    /// What the person should check before approving. May be empty.
    pub check: String,
    /// The verdict about this finding.
    pub verdict: Verdict,
    /// The part of the line that the finding is about.
    pub span: Span,
    /// The file or folder that the finding is about, as an absolute path, if it is certain.
    pub path: Option<String>,
    /// Whether the rule certainly matches. Otherwise, that depends on values that are known only at run time.
    pub is_certain: bool,
    /// Whether an answer for the session covers only commands with the same words, because the rule is about every program.
    pub is_about_its_words: bool,
    /// Whether the rule says that a language model may approve such a command instead of a person.
    pub low_risk: bool,
}

impl From<&Finding<'_>> for CommandFinding {
    fn from(finding: &Finding<'_>) -> Self {
        let (check, low_risk, is_about_its_words) = match finding.cause {
            Cause::Rule(rule) => (rule.check, rule.low_risk, rule.conditions.is_about_every_program()),
            Cause::Doubt(_) | Cause::BuiltName => ("", false, false),
        };
        Self {
            rule: finding.cause.name().to_owned(),
            description: sentence(finding.cause.description()),
            check: check.to_owned(),
            verdict: finding.verdict,
            span: finding.span,
            path: finding.path.clone(),
            is_certain: finding.is_certain,
            is_about_its_words,
            low_risk,
        }
    }
}

/// Returns a description as a sentence, because descriptions of doubts have no capital letter and no full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let end = if text.ends_with('.') { "" } else { "." };
    first.chain(letters).collect::<String>() + end
}

/// An answer that a person can give to the question about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandAnswer {
    /// [`ApprovalDecision::AllowOnce`](crate::approval::ApprovalDecision::AllowOnce).
    Once,
    /// [`ApprovalDecision::AllowForSession`](crate::approval::ApprovalDecision::AllowForSession).
    Session,
    /// [`ApprovalDecision::AllowAlways`](crate::approval::ApprovalDecision::AllowAlways).
    Always,
    /// [`ApprovalDecision::Deny`](crate::approval::ApprovalDecision::Deny).
    Deny,
}

impl CommandAnswer {
    /// Returns the word for the answer: `once`, `session`, `always` or `deny`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
            Self::Deny => "deny",
        }
    }
}

impl CommandReason {
    /// Returns whether the person can give this answer. If an answer that is not offered is given, the widest offered one counts.
    pub fn offers(&self, answer: CommandAnswer) -> bool {
        self.offers.contains(&answer)
    }

    /// Returns the findings as reasons of a decision, each once.
    pub(crate) fn decision_reasons(&self) -> Vec<DecisionReason> {
        let mut reasons = Vec::new();
        for finding in &self.findings {
            let reason = DecisionReason { rule: Some(finding.rule.clone()), text: finding.description.clone() };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        reasons
    }
}

impl CommandReason {
    /// Returns whether a language model may approve the command instead of a person: all rules that need approval say so, they
    /// certainly match, and it is certain what the command names.
    pub fn is_low_risk(&self) -> bool {
        let is_low =
            |finding: &CommandFinding| finding.low_risk && finding.is_certain && finding.verdict == Verdict::Ask;
        self.offers(CommandAnswer::Session) && !self.findings.is_empty() && self.findings.iter().all(is_low)
    }
}

impl fmt::Display for CommandReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.findings.iter().enumerate() {
            write!(f, "{}{finding}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

/// Shows the name and the description: `recursive-deletion: Deletes folders with everything in them`.
impl fmt::Display for CommandFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.description.trim_end_matches('.'))
    }
}
