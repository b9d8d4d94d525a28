//! What is wrong with a message, and where.

use std::fmt;

use crate::text::display::Truncated;

/// Characters of an API's own words that are shown.
const LONGEST_WORDS: usize = 500;
/// Characters of the word for their kind.
const LONGEST_KIND: usize = 64;

/// Why a message cannot be read. It never holds more than a few words of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// It is not what the API's schema says, or not within the limits.
    Malformed {
        /// Where: a JSON Pointer (RFC 6901) into the message, after `event` and its number from 1 where it came in a
        /// stream: `event 3/choices/0`. Empty: the message as a whole.
        place: String,
        /// What should be there, in words.
        expected: String,
        /// What is there, in words.
        got: String,
    },
    /// The vendor's API answered with an error of its own.
    Api {
        /// Its kind, in the API's own word; may be empty.
        kind: String,
        /// Its text.
        message: String,
    },
}

impl WireError {
    pub(super) fn new(place: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Malformed { place: place.into(), expected: expected.into(), got: got.into() }
    }

    /// An API's own error, in as many of its words as are shown.
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
