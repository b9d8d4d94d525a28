//! Why a connection is not secure, in words.

use std::time::{Duration, UNIX_EPOCH};

use rustls::pki_types::{ServerName, UnixTime};
use rustls::{AlertDescription, CertificateError, Error};

/// Returns whether the certificate of a server is from an authority that is not trusted.
pub(crate) fn is_unknown_authority(error: &Error) -> bool {
    matches!(error, Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature))
}

/// Returns why a connection is not secure.
pub(crate) fn reason(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(error) => certificate(error),
        Error::AlertReceived(AlertDescription::CertificateRequired) => {
            "the server asks for a client certificate, and none is configured for it".to_owned()
        }
        Error::AlertReceived(
            alert @ (AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied),
        ) => format!("the server does not accept the client certificate: {alert:?}"),
        Error::AlertReceived(alert) => format!("the server ends it: {alert:?}"),
        Error::InvalidMessage(_) => format!("the server does not answer with TLS ({error}); it may be one for http"),
        error => error.to_string(),
    }
}

fn certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::Expired => "the certificate of the server has expired".to_owned(),
        CertificateError::ExpiredContext { not_after, .. } => {
            format!("the certificate of the server has expired: it was valid until {}", date(*not_after))
        }
        CertificateError::NotValidYetContext { not_before, .. } => {
            format!("the certificate of the server is not valid before {}", date(*not_before))
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let name = match expected {
                ServerName::DnsName(name) => name.as_ref().to_owned(),
                other => other.to_str().into_owned(),
            };
            format!("the certificate of the server is for other names ({}), not for {name}", names(presented))
        }
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "the certificate of the server is the one of an authority, which a server cannot use".to_owned()
        }
        error => format!("the certificate of the server is not valid: {error}"),
    }
}

/// Returns a text with at most ten of the names in a certificate, as the host names in them.
fn names(presented: &[String]) -> String {
    // A name is written as `DnsName("example.com")`.
    let name = |text: &String| text.split('"').nth(1).unwrap_or(text).chars().take(100).collect::<String>();
    let more = if presented.len() > 10 { ", …" } else { "" };
    match presented {
        [] => "none".to_owned(),
        names => names.iter().take(10).map(name).collect::<Vec<_>>().join(", ") + more,
    }
}

fn date(time: UnixTime) -> String {
    // A date after the year 9999 has no such text.
    let last = Duration::from_secs(253_402_300_799);
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(time.as_secs()).min(last))
}
