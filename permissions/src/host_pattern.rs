//! Hosts of URLs, and patterns for them.

use url::{Host, Url};

/// A pattern for hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostPattern {
    /// Every host.
    Any,
    /// This host.
    Exact(String),
    /// Every host below this one.
    Below(String),
}

impl HostPattern {
    /// Returns the pattern, or what was expected.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "expected a host, such as `example.com`, `*.example.com`, `127.0.0.1` or `[::1]`";
        let host = |text: &str| Host::parse(text).map(|host| normal(&host)).map_err(|_| EXPECTED);
        match text.strip_prefix('*') {
            Some("") => Ok(Self::Any),
            Some(rest) => match Host::parse(rest.strip_prefix('.').ok_or(EXPECTED)?) {
                Ok(Host::Domain(domain)) if !domain.contains('*') => Ok(Self::Below(normal(&Host::Domain(domain)))),
                _ => Err(EXPECTED),
            },
            None if text.contains('*') => Err(EXPECTED),
            None => host(text).map(Self::Exact),
        }
    }

    pub(crate) fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(own) => own == host,
            Self::Below(domain) => {
                host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
            }
        }
    }

    /// Returns whether every host of `other` is one of this pattern.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (_, Self::Any) | (Self::Exact(_), Self::Below(_)) => false,
            (_, Self::Exact(host)) => self.matches(host),
            (Self::Below(own), Self::Below(below)) => own == below || self.matches(below),
        }
    }
}

/// Returns the host of a URL as browsers read it, or `None` if it has none, or if other clients would read another one. A text without a
/// scheme is read as an address for `https`.
pub(crate) fn host_of(text: &str) -> Option<String> {
    // For browsers, `\` is a `/`. For many libraries, it is a part of the user: `https://a\@b` has the host `a` or `b`.
    if text.split(['?', '#']).next().is_some_and(|before| before.contains('\\')) {
        return None;
    }
    let text = text.trim();
    let has_scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        rest.starts_with("//") && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    let url = match Url::parse(text) {
        Ok(url) if has_scheme || url.has_host() => url,
        _ if has_scheme => return None,
        _ => Url::parse(&format!("https://{text}")).ok()?,
    };
    // The host of an unknown scheme is not normalized by the parser.
    let host = url.host_str()?;
    Some(normal(&Host::parse(host).ok()?))
}

/// Returns a host without the dot at its end, in lower case. An IPv4 address in the form of IPv6 is the IPv4 address: a client connects to
/// the same machine.
fn normal(host: &Host) -> String {
    let text = match host {
        Host::Ipv6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.to_string(),
            None => host.to_string(),
        },
        _ => host.to_string(),
    };
    text.strip_suffix('.').unwrap_or(&text).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_url_is_the_one_that_a_client_connects_to() {
        for (text, host) in [
            ("https://example.com/a?b#c", Some("example.com")),
            ("HTTPS://EXAMPLE.com.:8443", Some("example.com")),
            ("https://example.com@evil.test/", Some("evil.test")),
            ("https:\\\\evil.test\\@example.com", None),
            ("https://example.com\\@evil.test", None),
            ("https:/evil.test", Some("evil.test")),
            ("http://0x7f.1/", Some("127.0.0.1")),
            ("http://2130706433/", Some("127.0.0.1")),
            ("http://[0:0:0:0:0:0:0:1]/", Some("[::1]")),
            ("http://[::ffff:127.0.0.1]/", Some("127.0.0.1")),
            ("http://[::ffff:7f00:1]:80/", Some("127.0.0.1")),
            ("http://bücher.test", Some("xn--bcher-kva.test")),
            ("ftp://example.com/x", Some("example.com")),
            ("git+ssh://Example.com/x", Some("example.com")),
            ("example.com/path", Some("example.com")),
            ("example.com:443", Some("example.com")),
            (" https://exa\nmple.com ", Some("example.com")),
            ("", None),
            ("https://", None),
            ("file:///etc/passwd", None),
            ("http://exa mple.com", None),
        ] {
            assert_eq!(host_of(text).as_deref(), host, "{text}");
        }
    }

    #[test]
    fn a_wildcard_stands_for_hosts_below_a_domain() {
        let matches = |pattern: &str, host: &str| HostPattern::parse(pattern).expect(pattern).matches(host);
        assert!(matches("*.example.com", "a.example.com") && matches("*.example.com", "a.b.example.com"));
        assert!(!matches("*.example.com", "example.com") && !matches("*.example.com", "evilexample.com"));
        assert!(matches("Example.COM", "example.com") && matches("*", "x") && matches("0x7f000001", "127.0.0.1"));
        for wrong in ["", "ex*mple.com", "*example.com", "https://example.com", "example.com/x", "*.*.com", "a b"] {
            assert!(HostPattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
