//! Addresses on the web, before their names are resolved.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

/// The longest address, in bytes.
const MAX_LENGTH: usize = 8_192;
/// The ports of [`Ports::Usual`].
const USUAL_PORTS: &[u16] = &[80, 443, 8080, 8443];
/// The names of services that give credentials to the machines of a cloud: Google Cloud, AWS, Azure, Tencent and Alibaba. No setting allows
/// them.
const METADATA_HOSTS: &[&str] = &[
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "metadata.aliyun.com",
];

/// An address on the web whose form is allowed. Where its host leads is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
}

/// The ports that may be fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ports {
    /// The ports 80, 443, 8080 and 8443.
    #[default]
    Usual,
    /// These ports.
    Only(Vec<u16>),
    /// All ports, for addresses that a person has configured.
    Any,
}

impl Ports {
    /// Returns the usual ports and these.
    pub fn usual_and(more: &[u16]) -> Self {
        Self::Only(USUAL_PORTS.iter().chain(more).copied().collect())
    }

    /// Returns the allowed ports. `None` if these are all.
    fn allowed(&self) -> Option<&[u16]> {
        match self {
            Self::Usual => Some(USUAL_PORTS),
            Self::Only(ports) => Some(ports),
            Self::Any => None,
        }
    }
}

/// What is wrong with an address.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetFault {
    /// The address is longer than 8,192 bytes.
    TooLong,
    /// The text is not a URL, for this reason.
    Syntax(String),
    /// The scheme, which is neither `http` nor `https`.
    Scheme(String),
    /// The address has a user or a password.
    Credentials,
    /// The port, which is not one of the allowed ports.
    Port(u16, Vec<u16>),
    /// The host is a service that gives credentials to the machines of a cloud.
    Metadata,
}

/// Why an address is not fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidTarget {
    /// The address, without its user and password, and shortened.
    pub address: String,
    /// What is wrong with it.
    pub fault: TargetFault,
}

impl fmt::Display for InvalidTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, fault } = self;
        match fault {
            TargetFault::TooLong => write!(f, "the address has more than {MAX_LENGTH} bytes: {address}"),
            TargetFault::Syntax(reason) => {
                write!(f, "this is not the address of a page: {address} ({reason}); write it as https://HOST/PATH")
            }
            TargetFault::Scheme(scheme) => {
                write!(f, "only http and https are fetched, and this address has the scheme `{scheme}`: {address}")
            }
            TargetFault::Credentials => {
                write!(f, "the address contains a user or a password, which are not sent: {address}")
            }
            TargetFault::Port(port, allowed) => {
                let allowed: Vec<String> = allowed.iter().map(u16::to_string).collect();
                write!(
                    f,
                    "the port {port} is not allowed (only {}; `web.ports` of the configuration adds others): {address}",
                    allowed.join(", ")
                )
            }
            TargetFault::Metadata => {
                write!(f, "the host gives credentials to the machines of a cloud, and is never fetched: {address}")
            }
        }
    }
}

impl Error for InvalidTarget {}

impl Target {
    /// Reads an address, without its fragment, and checks its form and its port.
    ///
    /// # Errors
    /// If the text is not an address of `http` or `https`, has a user or a password, another port, or the host of a service that gives
    /// credentials to the machines of a cloud.
    pub fn parse(text: &str, ports: &Ports) -> Result<Self, InvalidTarget> {
        let text = text.trim();
        if text.len() > MAX_LENGTH {
            return Err(InvalidTarget { address: shortened(text), fault: TargetFault::TooLong });
        }
        let syntax = |error: url::ParseError| InvalidTarget {
            // A user or a password cannot be found in a text that is not a URL.
            address: shortened(text.rsplit('@').next().unwrap_or_default()),
            fault: TargetFault::Syntax(error.to_string()),
        };
        Self::check(Url::parse(text).map_err(syntax)?, ports)
    }

    /// Reads the address to which a page leads: a link, or the `Location` of a redirect.
    ///
    /// # Errors
    /// Like [`Target::parse`].
    pub fn join(&self, link: &str, ports: &Ports) -> Result<Self, InvalidTarget> {
        if link.len() > MAX_LENGTH {
            return Err(InvalidTarget { address: shortened(link), fault: TargetFault::TooLong });
        }
        let url = self.url.join(link.trim()).map_err(|error| InvalidTarget {
            address: shortened(link.rsplit('@').next().unwrap_or_default()),
            fault: TargetFault::Syntax(error.to_string()),
        })?;
        Self::check(url, ports)
    }

    fn check(mut url: Url, ports: &Ports) -> Result<Self, InvalidTarget> {
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        let fault = |url: &Url, fault| {
            let mut shown = url.clone();
            let _ = shown.set_username("");
            let _ = shown.set_password(None);
            Err(InvalidTarget { address: shortened(shown.as_str()), fault })
        };
        if !matches!(url.scheme(), "http" | "https") {
            return fault(&url, TargetFault::Scheme(url.scheme().to_owned()));
        }
        if has_credentials {
            return fault(&url, TargetFault::Credentials);
        }
        // A URL of these schemes has a host and a port.
        let port = url.port_or_known_default().unwrap_or_default();
        if let Some(allowed) = ports.allowed().filter(|allowed| !allowed.contains(&port)) {
            return fault(&url, TargetFault::Port(port, allowed.to_vec()));
        }
        if let Some(Host::Domain(name)) = url.host() {
            let name = name.trim_end_matches('.');
            if METADATA_HOSTS.contains(&name) {
                return fault(&url, TargetFault::Metadata);
            }
        }
        url.set_fragment(None);
        Ok(Self { url })
    }

    /// Checks the form for other ports than those for which the address was read.
    pub(crate) fn check_again(&self, ports: &Ports) -> Result<(), InvalidTarget> {
        Self::check(self.url.clone(), ports).map(|_| ())
    }

    /// Returns the address in its usual form, without a fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the IP address, if the host is written as one, in any of its spellings.
    pub fn ip(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        }
    }

    /// Returns whether another address has the same scheme, host and port, so that what one is sent may be sent to the other.
    pub fn is_same_origin(&self, other: &Self) -> bool {
        self.url.origin() == other.url.origin()
    }

    /// Returns whether an address is on the same server as another one, which redirects to it: it has the same origin, or `https` and its usual
    /// port on the same host.
    pub(crate) fn is_on_server_of(&self, other: &Self) -> bool {
        let is_upgrade = other.url.scheme() == "http" && self.url.scheme() == "https" && self.url.port().is_none();
        self.is_same_origin(other) || (is_upgrade && self.url.host() == other.url.host())
    }

    /// Returns the beginning of the address without its parameters, which may be secret.
    pub(crate) fn without_query(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        shortened(url.as_str())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str())
    }
}

/// Returns the beginning of an address, for a message.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 200;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Result<Target, String> {
        Target::parse(text, &Ports::Usual).map_err(|error| error.to_string())
    }

    #[test]
    fn every_spelling_of_an_address_is_the_same_address() {
        for text in [
            "http://127.0.0.1/",
            "http://127.0.0.1./",
            "http://127.1/",
            "http://127.0.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://0177.0.0.01/",
            "http://017700000001/",
            "http://0x7F.1/",
            "http://１２７.０.０.１/",
            "http://127。0。0。1/",
            "http://%31%32%37.0.0.1/",
            "http:\\\\127.0.0.1\\",
            "http:/127.0.0.1",
            "http:127.0.0.1",
            " HTTP://127.0.0.1/ ",
            "http://127.0.0.1:80/#x",
            "ht\ntp://127.0.\t0.1/",
        ] {
            let target = target(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(target.ip(), Some(IpAddr::from([127, 0, 0, 1])), "{text}");
            assert_eq!(target.to_string(), "http://127.0.0.1/", "{text}");
        }
        for text in ["http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::0001]/"] {
            assert_eq!(target(text).expect(text).ip(), Some("::1".parse().expect("an address")), "{text}");
        }
        assert_eq!(target("http://[::ffff:7f00:1]/").expect("valid").ip(), "::ffff:127.0.0.1".parse().ok());
    }

    #[test]
    fn what_is_not_an_allowed_address_is_explained() {
        for (text, part) in [
            ("", "is not the address of a page"),
            ("example.com", "is not the address of a page"),
            ("http://", "is not the address of a page"),
            ("http://[fe80::1%25eth0]/", "is not the address of a page"),
            ("http://256.0.0.1/", "is not the address of a page"),
            ("http://127.0.0.1.1/", "is not the address of a page"),
            ("http://a b/", "is not the address of a page"),
            ("ftp://example.com/", "scheme `ftp`"),
            ("file:///etc/passwd", "scheme `file`"),
            ("javascript:alert(1)", "scheme `javascript`"),
            ("data:text/html,x", "scheme `data`"),
            ("gopher://127.0.0.1/", "scheme `gopher`"),
            ("http://example.com:22/", "the port 22"),
            ("https://example.com:6379/", "the port 6379"),
            ("http://metadata.google.internal/computeMetadata/v1/", "credentials"),
            ("http://METADATA.google.internal./", "credentials"),
            ("http://ｍetadata.goog/", "credentials"),
            ("http://instance-data/latest/", "credentials"),
        ] {
            let error = target(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_password_is_not_sent_and_not_shown() {
        for text in ["http://user:hunter2@example.com/", "http://hunter2@example.com/", "http://u:hunter2@[x/"] {
            let error = target(text).expect_err(text);
            assert!(!error.contains("hunter2"), "{error}");
        }
        let long = format!("http://example.com/{}", "x".repeat(MAX_LENGTH));
        assert!(target(&long).expect_err("it is long").len() < 400);
    }

    #[test]
    fn links_are_read_as_addresses() {
        let page = target("https://example.com/a/b?c#d").expect("valid");
        let join =
            |link: &str| page.join(link, &Ports::Usual).map(|found| found.to_string()).map_err(|error| error.fault);
        assert_eq!(join("../x#y").as_deref(), Ok("https://example.com/x"));
        assert_eq!(join("//other.example/y").as_deref(), Ok("https://other.example/y"));
        assert_eq!(join("//127.1/").as_deref(), Ok("https://127.0.0.1/"));
        assert_eq!(join("mailto:a@example.com"), Err(TargetFault::Scheme("mailto".to_owned())));
        assert_eq!(join("https://u@example.com/"), Err(TargetFault::Credentials));
        assert_eq!(join("http://[::1]:9/"), Err(TargetFault::Port(9, USUAL_PORTS.to_vec())));
        let other = page.join("http://example.com/", &Ports::Usual).expect("valid");
        assert!(
            !other.is_same_origin(&page) && page.is_same_origin(&target("https://example.com:443/").expect("valid"))
        );
    }
}
