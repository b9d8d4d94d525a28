//! Why a fetch has failed.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use crate::address::RefusedAddress;
use crate::target::InvalidTarget;

/// A fetch that has failed: the address at which, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchError {
    /// The address that was asked for, or to which the last redirect led.
    pub address: String,
    /// The number of redirects before it.
    pub redirects: usize,
    /// Why it has failed.
    pub fault: FetchFault,
}

/// Why a fetch has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchFault {
    /// The address has a form that is not fetched.
    Target(Box<InvalidTarget>),
    /// The host has an address that must not be reached.
    Refused(RefusedAddress),
    /// The name of the host is not known, or no name server answers.
    NoSuchHost,
    /// No connection was made, or it ended.
    Connection(String),
    /// The certificate of the server is not accepted, or the connection cannot be encrypted.
    Tls(String),
    /// The time is over.
    TimedOut(Duration),
    /// There are more redirects than this.
    Redirects(usize),
    /// A redirect leads from `https` to `http`.
    Downgrade,
    /// A redirect would send the body of the request to another server.
    BodyElsewhere,
    /// The headers of the answer are longer than this number of bytes.
    Headers(usize),
    /// The body is compressed in a way that was not asked for.
    Encoding(String),
    /// The body cannot be decompressed, or is not complete.
    Broken(String),
    /// A small answer decompresses to a huge one.
    Bomb,
    /// The server does not speak HTTP.
    Protocol(String),
}

impl FetchFault {
    /// Returns whether the same fetch may succeed later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Connection(_) | Self::TimedOut(_) | Self::Broken(_))
    }

    /// Returns the fault of a body that cannot be read.
    pub(crate) fn of_body(error: io::Error) -> Self {
        let error = match error.downcast::<ureq::Error>() {
            Ok(inner) => return Self::of(inner, Duration::ZERO),
            Err(error) => error,
        };
        match error.kind() {
            io::ErrorKind::TimedOut => Self::TimedOut(Duration::ZERO),
            io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
                Self::Connection(error.to_string())
            }
            _ => Self::Broken(error.to_string()),
        }
    }

    pub(crate) fn of(error: ureq::Error, limit: Duration) -> Self {
        match error {
            ureq::Error::Timeout(_) => Self::TimedOut(limit),
            ureq::Error::HostNotFound => Self::NoSuchHost,
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => Self::TimedOut(limit),
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => Self::Tls(error.to_string()),
            ureq::Error::Io(error) => Self::Connection(error.to_string()),
            ureq::Error::ConnectionFailed => Self::Connection("no address of the host answers".to_owned()),
            ureq::Error::LargeResponseHeader(_, most) => Self::Headers(most),
            ureq::Error::Tls(reason) => Self::Tls(reason.to_owned()),
            ureq::Error::Rustls(error) => Self::Tls(error.to_string()),
            ureq::Error::Other(other) => match other.downcast::<RefusedAddress>() {
                Ok(refused) => Self::Refused(*refused),
                Err(other) => Self::Connection(other.to_string()),
            },
            error => Self::Protocol(error.to_string()),
        }
    }

    /// Returns the fault with the time that the fetch had, where that was not known.
    pub(crate) fn within(self, limit: Duration) -> Self {
        if matches!(self, Self::TimedOut(_)) { Self::TimedOut(limit) } else { self }
    }
}

impl fmt::Display for FetchFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target(invalid) => fmt::Display::fmt(invalid, f),
            Self::Refused(refused) if refused.can_be_allowed() => {
                write!(f, "{refused}, which is only fetched if the configuration allows its network")
            }
            Self::Refused(refused) => write!(f, "{refused}, which is never fetched"),
            Self::NoSuchHost => f.write_str("the name of the host is not known, or no name server answers"),
            Self::Connection(reason) => write!(f, "the connection failed: {reason}"),
            Self::Tls(reason) => write!(f, "the connection is not secure: {reason}"),
            Self::TimedOut(limit) => write!(f, "there was no complete answer within {} s", limit.as_secs_f32()),
            Self::Redirects(most) => write!(f, "the address redirects more than {most} times"),
            Self::Downgrade => f.write_str("the address redirects from https to http, which is not followed"),
            Self::BodyElsewhere => {
                f.write_str("the address redirects to another server, to which the request is not sent")
            }
            Self::Headers(most) => write!(f, "the headers of the answer are longer than {most} bytes"),
            Self::Encoding(encoding) => write!(f, "the answer is encoded as `{encoding}`, which was not asked for"),
            Self::Broken(reason) => write!(f, "the answer is not complete, or damaged: {reason}"),
            Self::Bomb => f.write_str("the answer decompresses to more than 200 times its size"),
            Self::Protocol(reason) => write!(f, "the answer is not HTTP: {reason}"),
        }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, redirects, fault } = self;
        match redirects {
            0 => write!(f, "{address}: {fault}"),
            _ => write!(f, "{address} (after {redirects} redirects): {fault}"),
        }
    }
}

impl Error for FetchError {}
