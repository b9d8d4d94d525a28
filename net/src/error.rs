//! Why a fetch has failed.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::address::RefusedAddress;
use crate::target::InvalidTarget;
use crate::tls;

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
    /// The certificate of the server is not from a public authority, and not from one in these files of certificates.
    UnknownAuthority(Vec<PathBuf>),
    /// The time is over.
    TimedOut(Duration),
    /// There are more redirects than this.
    Redirects(usize),
    /// A redirect leads from `https` to `http`.
    Downgrade,
    /// A redirect would send the body of the request to another server.
    BodyElsewhere,
    /// A configured address redirects to this one, without its parameters, which is on another server.
    Elsewhere(String),
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
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Connection(_) | Self::TimedOut(_) | Self::Broken(_))
    }

    /// Returns whether the connection has ended before the answer.
    pub(crate) fn is_ended(error: &ureq::Error) -> bool {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
        let kind = |error: &io::Error| {
            matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
        };
        matches!(error, ureq::Error::Io(error) if kind(error))
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
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => Self::of_tls(error),
            ureq::Error::Io(error) => Self::Connection(error.to_string()),
            ureq::Error::ConnectionFailed => Self::Connection("no address of the host answers".to_owned()),
            ureq::Error::LargeResponseHeader(_, most) => Self::Headers(most),
            ureq::Error::Tls(reason) => Self::Tls(reason.to_owned()),
            ureq::Error::Rustls(error) => Self::of_rustls(&error),
            ureq::Error::Other(other) => match other.downcast::<RefusedAddress>() {
                Ok(refused) => Self::Refused(*refused),
                Err(other) => Self::Connection(other.to_string()),
            },
            error => Self::Protocol(error.to_string()),
        }
    }

    fn of_tls(error: io::Error) -> Self {
        match error.downcast::<rustls::Error>() {
            Ok(error) => Self::of_rustls(&error),
            Err(error) => Self::Tls(error.to_string()),
        }
    }

    fn of_rustls(error: &rustls::Error) -> Self {
        if tls::is_unknown_authority(error) {
            Self::UnknownAuthority(Vec::new())
        } else {
            Self::Tls(tls::reason(error))
        }
    }

    /// Returns the fault with the time that the fetch had, and the certificates that it used, where these were not known.
    pub(crate) fn of_fetch(self, limit: Duration, ca_files: &[PathBuf]) -> Self {
        match self {
            Self::TimedOut(_) => Self::TimedOut(limit),
            Self::UnknownAuthority(_) => Self::UnknownAuthority(ca_files.to_vec()),
            other => other,
        }
    }
}

impl fmt::Display for FetchFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target(invalid) => fmt::Display::fmt(invalid, f),
            Self::Refused(refused) if refused.can_be_allowed() => {
                write!(f, "{refused}; it is fetched only if `web.networks` of the configuration allows it")
            }
            Self::Refused(refused) => write!(f, "{refused}, which is never fetched"),
            Self::NoSuchHost => f.write_str("the name of the host is not known, or no name server answers"),
            Self::Connection(reason) => write!(f, "the connection failed: {reason}"),
            Self::Tls(reason) => write!(f, "the connection is not secure: {reason}"),
            Self::UnknownAuthority(ca_files) if ca_files.is_empty() => f.write_str(
                "the connection is not secure: the certificate of the server is not from a public authority; if it is from a \
                 private one, add to `ca_files` of `[web]` in the configuration the file with the certificate of that authority",
            ),
            Self::UnknownAuthority(ca_files) => {
                let files: Vec<String> = ca_files.iter().map(|file| file.display().to_string()).collect();
                write!(
                    f,
                    "the connection is not secure: the certificate of the server is not from a public authority, and not from one \
                     in the files of `ca_files`: {}",
                    files.join(", ")
                )
            }
            Self::TimedOut(limit) => write!(f, "there was no complete answer within {} s", limit.as_secs_f32()),
            Self::Redirects(most) => write!(f, "the address redirects more than {most} times"),
            Self::Downgrade => f.write_str("the address redirects from https to http, which is not followed"),
            Self::BodyElsewhere => {
                f.write_str("the address redirects to another server, and the body of the request is not sent there")
            }
            Self::Elsewhere(address) => write!(
                f,
                "the configured address redirects to {address}, which is on another server and not followed; if that is the right \
                 address, configure it instead"
            ),
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
            1 => write!(f, "{address} (after 1 redirect): {fault}"),
            _ => write!(f, "{address} (after {redirects} redirects): {fault}"),
        }
    }
}

impl Error for FetchError {}
