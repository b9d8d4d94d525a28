//! The decisions about whether a call may run.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolc_commands::rules::Verdict;

/// A decision about whether a call may run: see [`CallInfo::decisions`](crate::hooks::CallInfo::decisions).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallDecision {
    /// The verdict of the rules. It is [`Verdict::Ask`] for a call that needs approval for another reason.
    pub verdict: Verdict,
    /// The reasons, at least one.
    pub reasons: Vec<DecisionReason>,
    /// The decision.
    pub decision: RecordedDecision,
    /// Who or what decided.
    pub decided_by: DecidedBy,
    /// The time from the question to the decision, which includes waiting for other questions. Zero on platforms without a clock.
    pub waited: Duration,
    /// When it was decided, or `None` on platforms without a clock.
    pub at: Option<Instant>,
}

/// Why a decision about a call was necessary.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecisionReason {
    /// The name of the rule, if a rule is the reason.
    pub rule: Option<String>,
    /// The reason for people.
    pub text: String,
}

/// The decisions about one call. The call, the input that its handler writes and the code that it runs share them.
#[derive(Debug, Default)]
pub(crate) struct Decisions(Mutex<Vec<CallDecision>>);

impl Decisions {
    pub(crate) fn add(&self, decision: CallDecision) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(decision);
    }

    pub(crate) fn all(&self) -> Vec<CallDecision> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Declares an enum with a word for each variant.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Returns the word for the value in a log.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

words! {
    /// The decision about a command.
    RecordedDecision {
        /// The command was allowed, once or by an earlier decision.
        Allowed = "allowed",
        /// The command was allowed, and so are later commands that match the same rules in this session.
        AllowedForSession = "allowed-for-session",
        /// The command was allowed, and added to the store.
        AllowedAlways = "allowed-always",
        /// The command was denied.
        Denied = "denied",
        /// The call was cancelled before a decision.
        Cancelled = "cancelled",
    }
}

words! {
    /// Who or what decided about a command.
    DecidedBy {
        /// The approver answered.
        Person = "person",
        /// A language model approved it.
        Model = "model",
        /// An earlier answer for the session covers the command.
        Session = "session",
        /// The store contains the command.
        Always = "always",
        /// The [mode](crate::approval::CommandMode) of the session.
        Mode = "mode",
        /// A rule that denies.
        Rule = "rule",
        /// No person answered: the session has no approver, the approver failed or exceeded its time limit, or the call was
        /// cancelled.
        Unanswered = "unanswered",
    }
}
