//! Domains to which a search is limited.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

/// A domain, such as `docs.rs`. It includes its subdomains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Domain(String);

/// A text that is not a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidDomain(String);

impl fmt::Display for InvalidDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a domain: write it as `example.com`, without a path", self.0)
    }
}

impl Error for InvalidDomain {}

impl FromStr for Domain {
    type Err = InvalidDomain;

    /// Reads a domain. A scheme, `www.`, `*.` and a slash at the end are left out.
    fn from_str(text: &str) -> Result<Self, InvalidDomain> {
        let invalid = || InvalidDomain(crate::service::clean(text, 80));
        let name = text.trim().to_lowercase();
        let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or(&name);
        let name = name.strip_prefix("*.").unwrap_or(name).trim_end_matches('/').trim_matches('.');
        let name = name.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(name);
        let url = Url::parse(&format!("https://{name}/")).map_err(|_| invalid())?;
        match url.host() {
            Some(Host::Domain(host)) if is_only_host(&url, name) && host.contains('.') => Ok(Self(host.to_owned())),
            _ => Err(invalid()),
        }
    }
}

/// Returns whether the whole name is the host: it has no user, port, path or the like, and nothing that would be an operator in a search.
fn is_only_host(url: &Url, name: &str) -> bool {
    url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && !name.contains(['@', ':', '/', '\\', '%'])
        && !name.chars().any(char::is_whitespace)
        && url
            .host_str()
            .is_some_and(|host| host.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._".contains(letter)))
}

impl Domain {
    /// Returns the name, in lower case and Punycode.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Returns whether a host belongs to the domain.
    pub fn contains(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        host.strip_suffix(self.0.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_read_from_what_people_write() {
        for text in ["docs.rs", " DOCS.rs. ", "https://docs.rs/", "www.docs.rs", "*.docs.rs", "http://www.docs.rs"] {
            assert_eq!(text.parse::<Domain>().map(|domain| domain.0).as_deref(), Ok("docs.rs"), "{text}");
        }
        assert_eq!("münchen.de".parse::<Domain>().expect("a domain").name(), "xn--mnchen-3ya.de");
        for text in [
            "",
            "docs",
            "docs.rs/std",
            "docs.rs:80",
            "u@docs.rs",
            "127.0.0.1",
            "a b.com",
            "a.com OR site:b.com",
            "a.com%20",
            "a.com?q",
            "\"a.com",
        ] {
            assert!(text.parse::<Domain>().is_err(), "{text}");
        }
    }

    #[test]
    fn subdomains_belong_to_a_domain() {
        let domain: Domain = "rs.io".parse().expect("a domain");
        assert!(domain.contains("rs.io") && domain.contains("a.rs.io") && domain.contains("a.rs.io."));
        assert!(!domain.contains("docs-rs.io") && !domain.contains("io") && !domain.contains("rs.io.evil.example"));
    }
}
