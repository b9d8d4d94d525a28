//! What is wrong with a message, and where.

use std::fmt;

use crate::shown::Short;

/// Characters of a vendor's own words that are shown.
const LONGEST_WORDS: usize = 500;

/// Why a message cannot be read. It never holds more than a few words of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// It is not what the API's schema says, or not within the limits.
    Malformed {
        /// Where: a JSON Pointer (RFC 6901) into the message, after the number of the event where it came in a stream.
        /// Empty: the message as a whole.
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
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { place, expected, got } if place.is_empty() => {
                write!(f, "the message should be {expected}, and is {got}")
            }
            Self::Malformed { place, expected, got } => write!(f, "{place}: there should be {expected}, and is {got}"),
            Self::Api { kind, message } => {
                let message = Short(message, LONGEST_WORDS);
                match &**kind {
                    "" => write!(f, "the API answered with an error: {message}"),
                    kind => write!(f, "the API answered with an error ({}): {message}", Short(kind, LONGEST_WORDS)),
                }
            }
        }
    }
}

impl std::error::Error for WireError {}
