//! Why a source has no skill for us.

use std::fmt;

use jiff::Timestamp;
use toolc_net::FetchFault;

use crate::bundle::BundleError;
use crate::identifier::{Identifier, InvalidIdentifier};

/// What a source was asked for, and why it has not answered with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError {
    /// The address or the identifier, without parameters.
    pub subject: String,
    /// Why.
    pub fault: SourceFault,
}

/// Why a source has not answered with what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceFault {
    /// It does not exist, or may not be seen. The message of the source.
    NotFound(String),
    /// The identifier fits several skills.
    Several(Vec<Identifier>),
    /// The source asks for credentials, or refuses those that it was sent.
    Auth(String),
    /// Too many requests. The time from which it answers again, if it says so.
    RateLimit(Option<Timestamp>),
    /// The address policy refuses the address, or one to which it redirects.
    Refused(String),
    /// The source blocks the skill, because it is malware or must not be shown.
    Blocked(String),
    /// There is no answer: no network, no such host, or no answer in time.
    Unreachable(String),
    /// The source has a fault of its own (status 500 and above).
    Unavailable(String),
    /// The answer has another form than the source publishes.
    Broken(String),
    /// What the source names cannot be fetched by the hub.
    Unsupported(String),
    /// The version cannot be had any more: the source has only this one.
    OtherVersion(String),
    /// The files are not a skill.
    Bundle(BundleError),
    /// The identifier of another skill, to which the source leads, is wrong.
    Identifier(InvalidIdentifier),
}

impl SourceError {
    /// Returns whether the skill must not be used, and not only cannot be fetched.
    pub(crate) fn is_blocked(&self) -> bool {
        matches!(self.fault, SourceFault::Blocked(_) | SourceFault::Refused(_))
    }

    pub(crate) fn new(subject: impl fmt::Display, fault: SourceFault) -> Self {
        Self { subject: subject.to_string(), fault }
    }

    pub(crate) fn broken(subject: impl fmt::Display, reason: impl fmt::Display) -> Self {
        Self::new(subject, SourceFault::Broken(reason.to_string()))
    }

    pub(crate) fn bundle(subject: impl fmt::Display) -> impl FnOnce(BundleError) -> Self {
        let subject = subject.to_string();
        move |error| Self { subject, fault: SourceFault::Bundle(error) }
    }
}

impl SourceFault {
    /// Returns the fault of a fetch without an answer.
    pub(crate) fn of_fetch(fault: &FetchFault) -> Self {
        let text = fault.to_string();
        match fault {
            FetchFault::Target(_) | FetchFault::Refused(_) | FetchFault::Downgrade | FetchFault::Elsewhere(_) => {
                Self::Refused(text)
            }
            FetchFault::BodyElsewhere | FetchFault::Tls(_) | FetchFault::UnknownAuthority(_) => Self::Refused(text),
            FetchFault::NoSuchHost | FetchFault::Connection(_) | FetchFault::TimedOut(_) => Self::Unreachable(text),
            _ => Self::Broken(text),
        }
    }
}

impl fmt::Display for SourceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(detail) if detail.is_empty() => f.write_str("it does not exist, or you may not see it"),
            Self::NotFound(detail) => write!(f, "it does not exist, or you may not see it: {detail}"),
            Self::Several(identifiers) => {
                let all: Vec<String> = identifiers.iter().map(Identifier::to_string).collect();
                write!(f, "several skills have this name; name one of: {}", all.join(", "))
            }
            Self::Auth(detail) => write!(f, "access is refused: {detail}"),
            Self::RateLimit(Some(time)) => write!(f, "too many requests; it answers again from {time}"),
            Self::RateLimit(None) => f.write_str("too many requests; try again later"),
            Self::Refused(detail) | Self::Unreachable(detail) | Self::Unsupported(detail) => f.write_str(detail),
            Self::Blocked(detail) => write!(f, "the source blocks it: {detail}"),
            Self::Unavailable(detail) => write!(f, "the source has a fault: {detail}; try again later"),
            Self::Broken(detail) => write!(f, "the answer has another form than the source publishes: {detail}"),
            Self::OtherVersion(version) => {
                write!(f, "the wanted version cannot be had any more; the source now has {version}")
            }
            Self::Bundle(error) => write!(f, "it is not a skill that can be installed: {error}"),
            Self::Identifier(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.fault)
    }
}

impl std::error::Error for SourceError {}
