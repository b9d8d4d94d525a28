//! Explains why a server cannot be reached: the proxy in between and its variable, certificates, and protocols.

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, Read as _};

use crate::error::ErrorKind;

/// A proxy that the environment variables of this process name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proxy {
    variable: &'static str,
    /// The scheme, the host and the port, or `None` if the variable holds no address. The variable may also hold a password.
    address: Option<String>,
    is_socks: bool,
}

/// The variables of a proxy for `https`, and those for `http`, in the order in which they are heeded.
const HTTPS: &[&str] = &["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const HTTP: &[&str] = &["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

impl Proxy {
    /// Returns the proxy for requests to a server, or `None` if the requests go to the server itself.
    pub(super) fn of(url: &str) -> Option<Self> {
        Self::from_variables(url, |name| env::var(name).ok())
    }

    fn from_variables(url: &str, variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let url = reqwest::Url::parse(url).ok()?;
        let host = url.host_str()?.trim_matches(['[', ']']);
        let names = if url.scheme() == "https" { HTTPS } else { HTTP };
        let (variable_name, value) = names.iter().find_map(|name| Some((*name, variable(name)?)))?;
        let excepted = variable("NO_PROXY").or_else(|| variable("no_proxy")).unwrap_or_default();
        if excepted.split(',').any(|part| is_excepted(part.trim(), host)) {
            return None;
        }
        let value = value.trim();
        let with_scheme = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
        let parsed = reqwest::Url::parse(&with_scheme).ok();
        let address = parsed.as_ref().and_then(|url| {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            Some(format!("{}://{}{port}", url.scheme(), url.host_str()?))
        });
        let is_socks = parsed.is_some_and(|url| url.scheme().starts_with("socks"));
        Some(Self { variable: variable_name, address, is_socks })
    }
}

/// Returns whether a part of `NO_PROXY` names a host.
fn is_excepted(part: &str, host: &str) -> bool {
    let (part, host) = (part.trim_start_matches("*.").trim_start_matches('.').to_lowercase(), host.to_lowercase());
    part == "*" || !part.is_empty() && (host == part || host.ends_with(&format!(".{part}")))
}

/// Returns the kind of a failure to connect to a server, and its message. `cause` is the innermost cause.
pub(super) fn explain(host: &str, proxy: Option<&Proxy>, error: &dyn Error) -> (ErrorKind, String) {
    let file = env::var("SSL_CERT_FILE").ok().filter(|file| !file.is_empty());
    let (chain, cause) = chain(error);
    explain_cause(host, proxy, &chain, &cause, file.as_deref())
}

fn explain_cause(
    host: &str,
    proxy: Option<&Proxy>,
    chain: &str,
    cause: &str,
    certificates: Option<&str>,
) -> (ErrorKind, String) {
    if let Some((kind, message)) = tls_failure(host, cause, certificates) {
        return (kind, message);
    }
    let Some(Proxy { variable, address, is_socks }) = proxy else {
        if cause.contains("timed out") {
            let message = format!(
                "failed to connect to {host}: {cause} before the connection and its TLS handshake were complete; check base_url and the \
                 network, and whether a firewall blocks the connection"
            );
            return (ErrorKind::Unreachable, message);
        }
        return (ErrorKind::Unreachable, format!("failed to connect to {host}: {cause}"));
    };
    let Some(address) = address else {
        let message = format!(
            "failed to connect to {host}: the variable {variable} holds no address of a proxy: write it as `http://HOST:PORT`, or unset {variable}"
        );
        return (ErrorKind::Refused, message);
    };
    if *is_socks || cause.contains("unsupported scheme") || chain.contains("unsupported scheme") {
        let message = format!(
            "failed to connect to {host}: the variable {variable} names {address}, and only HTTP proxies are supported, not SOCKS; \
             name an HTTP proxy, or unset {variable}"
        );
        return (ErrorKind::Refused, message);
    }
    let lower = chain.to_lowercase();
    if lower.contains("authorization required") || lower.contains("authentication required") {
        let message = format!(
            "failed to connect to {host}: the proxy {address} of the variable {variable} asks for a user and a password: write them as \
             `http://USER:PASSWORD@HOST:PORT`"
        );
        return (ErrorKind::Unauthorized, message);
    }
    if lower.contains("tunnel error: unsuccessful") {
        let message = format!("the proxy {address} of the variable {variable} does not connect to {host}: {cause}");
        return (ErrorKind::Unreachable, message);
    }
    let message = format!(
        "failed to connect to {host} by the proxy {address} of the variable {variable}: {cause}; check the proxy, or except the host in \
         NO_PROXY"
    );
    (ErrorKind::Unreachable, message)
}

/// Returns the error about a certificate or a protocol, which waiting does not change.
fn tls_failure(host: &str, cause: &str, certificates: Option<&str>) -> Option<(ErrorKind, String)> {
    let lower = cause.to_lowercase();
    let advice = if lower.contains("certificate")
        && (lower.contains("expired") || lower.contains("notvalidyet") || lower.contains("not valid yet"))
    {
        "it is not valid at the time of this machine: check the clock, or renew the certificate of the server"
            .to_owned()
    } else if lower.contains("certificate")
        && (lower.contains("notvalidforname") || lower.contains("not valid for name"))
    {
        "it is for another host: check base_url, and whether a proxy is in between".to_owned()
    } else if lower.contains("causedasendentity") {
        "the server shows the certificate of an authority as its own: make it one with `basicConstraints=CA:FALSE`, or have it issued by an \
         authority"
            .to_owned()
    } else if lower.contains("certificate") && lower.contains("peer") {
        let trusted = match certificates {
            Some(file) => certificate_file(file),
            None => "set SSL_CERT_FILE to a file with it, in the format PEM".to_owned(),
        };
        format!(
            "the authority of the certificate is not trusted: {trusted}, and with it the authorities of other servers"
        )
    } else if lower.contains("invalidcontenttype")
        || lower.contains("corrupt message")
        || lower.contains("wrong version")
    {
        "the server does not speak TLS there: check the port, or write `http://` in base_url".to_owned()
    } else if lower.contains("no ca certificates") || lower.contains("certificates") && lower.contains("load") {
        match certificates {
            Some(file) => format!("SSL_CERT_FILE names {file}, which has no certificates that can be read"),
            None => "this machine has no certificates of authorities: install them, or set SSL_CERT_FILE".to_owned(),
        }
    } else {
        return None;
    };
    Some((ErrorKind::Refused, format!("failed to connect to {host}: {cause}; {advice}")))
}

/// Returns what is wrong with the file of certificates that `SSL_CERT_FILE` names.
fn certificate_file(file: &str) -> String {
    /// Files of all authorities have some 250 kB.
    const MAX_BYTES: u64 = 4 << 20;
    let read = || {
        let mut text = Vec::new();
        File::open(file)?.take(MAX_BYTES).read_to_end(&mut text)?;
        io::Result::Ok(text)
    };
    let marker = b"-----BEGIN CERTIFICATE-----";
    let problem = match read() {
        Err(error) => format!("which cannot be read: {error}"),
        Ok(text) if !text.windows(marker.len()).any(|part| part == marker) => {
            "which has no certificates in the format PEM".to_owned()
        }
        Ok(_) => "which does not have it".to_owned(),
    };
    format!("SSL_CERT_FILE names {file}, {problem}")
}

/// Returns the messages of an error and of its causes, and the innermost one, which says what happened. The outer ones can contain the URL.
fn chain(error: &dyn Error) -> (String, String) {
    let (mut all, mut last) = (String::new(), "an unknown error".to_owned());
    let mut cause = error.source();
    while let Some(error) = cause {
        last = error.to_string();
        all = all + &last + "\n";
        cause = error.source();
    }
    (all, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(url: &str, variables: &[(&str, &str)]) -> Option<(String, String)> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Proxy::from_variables(url, variable).map(|proxy| (proxy.variable.to_owned(), proxy.address.unwrap_or_default()))
    }

    #[test]
    fn the_proxy_of_a_server_and_its_variable_are_known() {
        let https = "https://api.example.org/v1";
        for (url, variables, expected) in [
            (https, &[("HTTPS_PROXY", "http://127.0.0.1:1")][..], Some(("HTTPS_PROXY", "http://127.0.0.1:1"))),
            (https, &[("https_proxy", "proxy:3128")], Some(("https_proxy", "http://proxy:3128"))),
            (https, &[("ALL_PROXY", "socks5://p:1080")], Some(("ALL_PROXY", "socks5://p:1080"))),
            (https, &[("HTTPS_PROXY", "http://me:secret@p:8080")], Some(("HTTPS_PROXY", "http://p:8080"))),
            (https, &[("HTTP_PROXY", "http://p:1")], None),
            (https, &[("HTTPS_PROXY", " ")], None),
            (https, &[("HTTPS_PROXY", "not a url")], Some(("HTTPS_PROXY", ""))),
            ("http://localhost:1/", &[("HTTP_PROXY", "http://p:1")], Some(("HTTP_PROXY", "http://p:1"))),
            (https, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "example.org")], None),
            (https, &[("HTTPS_PROXY", "http://p:1"), ("no_proxy", "a, .example.org")], None),
            (https, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "*")], None),
            (https, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "ample.org")], Some(("HTTPS_PROXY", "http://p:1"))),
        ] {
            let expected = expected.map(|(name, address): (&str, &str)| (name.to_owned(), address.to_owned()));
            assert_eq!(proxy(url, variables), expected, "{url} {variables:?}");
        }
    }

    /// The proxy, the messages of the causes, the innermost one, the file of certificates, and the expected kind and words.
    type Case =
        (Option<&'static str>, &'static str, &'static str, Option<&'static str>, ErrorKind, &'static [&'static str]);

    const CASES: &[Case] = &[
        (None, "", "Connection refused (os error 111)", None, ErrorKind::Unreachable, &["to https://h: Connection"]),
        (
            Some("http://p:1"),
            "",
            "Connection refused",
            None,
            ErrorKind::Unreachable,
            &["http://p:1", "HTTPS_PROXY", "NO_PROXY"],
        ),
        (
            Some("socks5://p:1080"),
            "",
            "unsupported scheme socks5",
            None,
            ErrorKind::Refused,
            &["not SOCKS", "HTTPS_PROXY", "socks5://p:1080"],
        ),
        (
            Some("http://p:1"),
            "tunnel error: proxy authorization required",
            "x",
            None,
            ErrorKind::Unauthorized,
            &["USER:PASSWORD"],
        ),
        (
            Some("http://p:1"),
            "tunnel error: unsuccessful",
            "tunnel error: unsuccessful",
            None,
            ErrorKind::Unreachable,
            &["does not connect"],
        ),
        (
            None,
            "",
            "operation timed out",
            None,
            ErrorKind::Unreachable,
            &["timed out before", "check base_url", "firewall"],
        ),
        (
            Some("http://p:1"),
            "",
            "operation timed out",
            None,
            ErrorKind::Unreachable,
            &["by the proxy http://p:1", "HTTPS_PROXY", "timed out", "check the proxy"],
        ),
        (None, "", "invalid peer certificate: UnknownIssuer", None, ErrorKind::Refused, &["set SSL_CERT_FILE", "PEM"]),
        (
            None,
            "",
            "invalid peer certificate: UnknownIssuer",
            Some("/no/ca.pem"),
            ErrorKind::Refused,
            &["names /no/ca.pem", "cannot be read"],
        ),
        (
            None,
            "",
            "invalid peer certificate: certificate expired: verification time",
            None,
            ErrorKind::Refused,
            &["the clock"],
        ),
        (None, "", "invalid peer certificate: certificate not valid yet", None, ErrorKind::Refused, &["the clock"]),
        (
            None,
            "",
            "invalid peer certificate: certificate not valid for name \"h\"",
            None,
            ErrorKind::Refused,
            &["another host"],
        ),
        (
            None,
            "",
            "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
            Some("/etc/ca.pem"),
            ErrorKind::Refused,
            &["the certificate of an authority", "CA:FALSE"],
        ),
        (
            Some(""),
            "",
            "invalid URL",
            None,
            ErrorKind::Refused,
            &["HTTPS_PROXY holds no address", "`http://HOST:PORT`"],
        ),
        (None, "", "invalid peer certificate: BadSignature", None, ErrorKind::Refused, &["SSL_CERT_FILE"]),
        (None, "", "received corrupt message of type InvalidContentType", None, ErrorKind::Refused, &["`http://`"]),
        (None, "", "No CA certificates were loaded from the system", Some("/no"), ErrorKind::Refused, &["names /no"]),
        (
            Some("http://p:1"),
            "",
            "invalid peer certificate: UnknownIssuer",
            None,
            ErrorKind::Refused,
            &["SSL_CERT_FILE"],
        ),
    ];

    #[test]
    fn a_failure_to_connect_names_its_cause_and_what_to_do() {
        for (address, chain, cause, file, kind, words) in CASES {
            let proxy = address.map(|address| Proxy {
                variable: "HTTPS_PROXY",
                address: (!address.is_empty()).then(|| address.to_owned()),
                is_socks: address.starts_with("socks"),
            });
            let (found, message) = explain_cause("https://h", proxy.as_ref(), chain, cause, *file);
            assert_eq!(found, *kind, "{message}");
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        }
    }

    #[test]
    fn a_file_of_certificates_is_missing_no_pem_or_without_the_authority() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let told = |text: &str| {
            let file = folder.path().join("c.pem");
            std::fs::write(&file, text).expect("failed to write");
            certificate_file(&file.display().to_string())
        };
        assert!(certificate_file("/no/such/file").contains("/no/such/file, which cannot be read: "));
        assert!(told("PK\u{3}\u{4}").ends_with("no certificates in the format PEM"));
        assert!(told("-----BEGIN CERTIFICATE-----\n").ends_with("does not have it"));
    }
}
