//! Which links of a site a crawl follows.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::address::decoded;

/// How far a crawl goes from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reach {
    /// Addresses below the folder of the start.
    Section,
    /// Addresses on the host of the start.
    Host,
    /// Addresses on the domain of the start, and on its subdomains.
    Domain,
}

/// What a crawl follows, as it is written to the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScopeSettings {
    pub(crate) start: Url,
    pub(crate) reach: Reach,
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
}

/// What a crawl follows.
#[derive(Debug)]
pub(super) struct Scope {
    start: Url,
    reach: Reach,
    folder: String,
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl Scope {
    /// Returns the scope with these settings.
    ///
    /// # Errors
    /// If a glob is not valid.
    pub(super) fn new(settings: &ScopeSettings) -> Result<Self, String> {
        let ScopeSettings { start, reach, include, exclude } = settings;
        let path = start.path();
        let folder = path[..=path.rfind('/').unwrap_or_default()].to_owned();
        Ok(Self { start: start.clone(), reach: *reach, folder, include: globs(include)?, exclude: globs(exclude)? })
    }

    /// Returns whether a crawl follows links to an address.
    pub(super) fn contains(&self, url: &Url) -> bool {
        let has_host = match self.reach {
            Reach::Section | Reach::Host => {
                without_www(url) == without_www(&self.start) && url.port_or_known_default() == self.port_for(url)
            }
            Reach::Domain => is_below(url, &self.start),
        };
        has_host
            && (self.reach != Reach::Section
                || url.path().starts_with(&self.folder)
                || self.folder.strip_suffix('/') == Some(url.path()))
            && self.include.as_ref().is_none_or(|globs| globs.is_match(&*decoded(url.path())))
            && !self.exclude.as_ref().is_some_and(|globs| globs.is_match(&*decoded(url.path())))
    }

    /// Returns the port that an address on the host of the start has. A site may be linked with `http` and with `https`.
    fn port_for(&self, url: &Url) -> Option<u16> {
        if self.start.port().is_none() && url.port().is_none() {
            return url.port_or_known_default();
        }
        self.start.port_or_known_default()
    }
}

/// Returns the host without `www.`, which most sites answer with and without.
fn without_www(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// Returns whether the host of an address is the domain of the start or below it. An IP address has no subdomains.
fn is_below(url: &Url, start: &Url) -> bool {
    let (host, domain) = (without_www(url), without_www(start));
    let is_name = matches!(start.host(), Some(Host::Domain(_)));
    // A suffix such as `com` is not the domain of a site.
    host == domain
        || (is_name && domain.contains('.') && host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')))
}

fn globs(patterns: &[String]) -> Result<Option<GlobSet>, String> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| format!("`{pattern}` is not a glob: {}", error.kind()))?);
    }
    set.build().map(Some).map_err(|error| format!("the globs are too large together: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(start: &str, reach: Reach, include: &[&str], exclude: &[&str]) -> Scope {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        let start = Url::parse(start).expect("a URL");
        Scope::new(&ScopeSettings { start, reach, include: texts(include), exclude: texts(exclude) }).expect("valid")
    }

    fn contained<'a>(scope: &Scope, addresses: &[&'a str]) -> Vec<&'a str> {
        addresses.iter().copied().filter(|url| scope.contains(&Url::parse(url).expect("a URL"))).collect()
    }

    #[test]
    fn each_reach_contains_what_it_says() {
        let all = [
            "https://docs.example.org/guide/a",
            "http://docs.example.org/guide/b",
            "https://www.docs.example.org/guide",
            "https://docs.example.org/other",
            "https://docs.example.org:8443/guide/d",
            "https://api.docs.example.org/guide/e",
            "https://example.org/guide/f",
            "https://evildocs.example.org/guide/g",
        ];
        let start = "https://docs.example.org/guide/start.html";
        assert_eq!(contained(&scope(start, Reach::Section, &[], &[]), &all), all[..3]);
        assert_eq!(contained(&scope(start, Reach::Host, &[], &[]), &all), all[..4]);
        assert_eq!(contained(&scope(start, Reach::Domain, &[], &[]), &all), all[..6]);
    }

    #[test]
    fn globs_choose_paths() {
        let all =
            ["https://a.org/docs/x", "https://a.org/docs/x/y", "https://a.org/docs/old/z", "https://a.org/blog/w"];
        assert_eq!(contained(&scope("https://a.org/", Reach::Host, &["/docs/**"], &["/docs/old/**"]), &all), all[..2]);
        assert_eq!(contained(&scope("https://a.org/", Reach::Host, &["/docs/*"], &[]), &all), all[..1]);
        let encoded = ["https://a.org/über uns/x"];
        assert_eq!(contained(&scope("https://a.org/", Reach::Host, &["/über uns/*"], &[]), &encoded), encoded);
        let settings = ScopeSettings {
            start: Url::parse("https://a.org/").expect("a URL"),
            reach: Reach::Host,
            include: vec!["/docs/[a".to_owned()],
            exclude: Vec::new(),
        };
        let error = Scope::new(&settings).expect_err("not a glob");
        assert!(error.starts_with("`/docs/[a` is not a glob: "), "{error}");
    }
}
