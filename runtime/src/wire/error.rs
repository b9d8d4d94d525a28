//! Errors in messages, with their place.

use std::fmt;

use crate::text::display::Truncated;

/// The maximum length of an API's own message in an error, in characters.
const LONGEST_WORDS: usize = 500;
/// The maximum length of its kind, in characters.
const LONGEST_KIND: usize = 64;

/// The reason why a message cannot be parsed. It never contains more than a few words of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// The message does not match the API's schema, or exceeds a limit.
    Malformed {
        /// The place: a JSON Pointer (RFC 6901) into the message. For a stream, it follows `event` and the event's
        /// number from 1: `event 3/choices/0`. Empty for the message as a whole.
        place: String,
        /// A description of what was expected.
        expected: String,
        /// A description of what was found.
        got: String,
    },
    /// The vendor's API reported an error.
    Api {
        /// The kind of the error, as the API's own word; may be empty.
        kind: String,
        /// The message.
        message: String,
    },
}

impl WireError {
    pub(super) fn new(place: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Malformed { place: place.into(), expected: expected.into(), got: got.into() }
    }

    /// Returns an API's own error, with its kind and message cut to their limits.
    pub(super) fn api(kind: &str, message: &str) -> Self {
        Self::Api {
            kind: Truncated(kind, LONGEST_KIND).to_string(),
            message: Truncated(message, LONGEST_WORDS).to_string(),
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { place, expected, got } if place.is_empty() => {
                write!(f, "expected {expected}, got {got}")
            }
            Self::Malformed { place, expected, got } => write!(f, "{place}: expected {expected}, got {got}"),
            Self::Api { kind, message } if kind.is_empty() => write!(f, "the API answered with an error: {message}"),
            Self::Api { kind, message } => write!(f, "the API answered with an error ({kind}): {message}"),
        }
    }
}

impl std::error::Error for WireError {}
