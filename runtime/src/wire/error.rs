//! Errors in messages, each with the path of the value.

use std::fmt;

use crate::text::display::Truncated;

/// The maximum length of an API's error message, in characters.
const MAX_MESSAGE_CHARS: usize = 500;
/// The maximum length of an API's error kind, in characters.
const MAX_KIND_CHARS: usize = 64;

/// The reason why a message cannot be parsed. It quotes at most a few words of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// The message does not match the API's schema, or exceeds a limit.
    Malformed {
        /// The path of the value: a JSON Pointer (RFC 6901) into the message, empty for the message as a whole. In a
        /// stream, the event's number precedes it, counted from 1: `event 3/choices/0`.
        path: String,
        /// A description of the expected value.
        expected: String,
        /// A description of the actual value.
        got: String,
    },
    /// The stream ended before the response was complete, for example because the connection broke.
    EndedEarly {
        /// How a complete stream ends.
        expected: String,
    },
    /// The response was cut off within a call, or may have been: the end of a text cannot be seen in it. The call must not be run.
    CutOff {
        /// The path of the call: a JSON Pointer (RFC 6901) into the message.
        path: String,
        /// Whether the model reached a token limit.
        at_limit: bool,
        /// The reason, as the API names it: `max_tokens`.
        reason: String,
    },
    /// The body is not a message of an API, but, for example, the response of a proxy, a login page or a wrong address.
    UnexpectedBody {
        /// What it is, with at most a few words of it: `an HTML page with the title "Sign in"`.
        description: String,
    },
    /// The vendor's API reported an error.
    Api {
        /// The kind of the error, as the API names it; may be empty.
        kind: String,
        /// The message.
        message: String,
    },
}

impl WireError {
    pub(super) fn new(path: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Malformed { path: path.into(), expected: expected.into(), got: got.into() }
    }

    #[cfg(feature = "__wire-api")]
    pub(super) fn ended_early(expected: impl Into<String>) -> Self {
        Self::EndedEarly { expected: expected.into() }
    }

    /// Returns an error that an API reported. Truncates the kind and the message.
    pub(super) fn api(kind: &str, message: &str) -> Self {
        Self::Api {
            kind: Truncated(kind, MAX_KIND_CHARS).to_string(),
            message: Truncated(message, MAX_MESSAGE_CHARS).to_string(),
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { path, expected, got } if path.is_empty() => {
                write!(f, "expected {expected}, got {got}")
            }
            Self::Malformed { path, expected, got } => write!(f, "{path}: expected {expected}, got {got}"),
            Self::EndedEarly { expected } => write!(f, "expected {expected}, got a stream that ended early"),
            Self::CutOff { path, reason, .. } => {
                write!(f, "{path}: expected a complete call, got a response that was cut off: {reason}")
            }
            Self::UnexpectedBody { description } => write!(f, "expected JSON or server-sent events, got {description}"),
            Self::Api { kind, message } if kind.is_empty() => write!(f, "the API returned an error: {message}"),
            Self::Api { kind, message } => write!(f, "the API returned an error ({kind}): {message}"),
        }
    }
}

impl std::error::Error for WireError {}
