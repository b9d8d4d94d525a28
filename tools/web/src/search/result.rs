//! Results, cleaned of what services and pages leave in them.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use url::Url;

use super::address::canonical;
use super::query::Query;
use crate::service::{clean, common, texts};

/// The maximum length of a title, in characters.
const MAX_TITLE: usize = 300;
/// The maximum length of an excerpt, in characters.
const MAX_SNIPPET: usize = 1_000;
/// The maximum length of an address, in bytes.
const MAX_ADDRESS: usize = 4_096;

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    /// The title, on one line. A page without one has its host and path.
    pub title: String,
    /// The address, of `http` or `https`.
    pub url: String,
    /// An excerpt, on one line. It can be empty.
    pub snippet: String,
    /// The date of the page: `2026-11-30`, or as the service gives it, such as `3 days ago`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// A result as a service gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) title: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) snippet: Option<String>,
    pub(crate) published: Option<String>,
}

/// The fields of a result. Each has the paths to one text, the first of which that exists counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) title: &'static [&'static [&'static str]],
    pub(crate) url: &'static [&'static [&'static str]],
    pub(crate) snippet: &'static [&'static [&'static str]],
    pub(crate) published: &'static [&'static [&'static str]],
}

impl Fields {
    /// Reads a result.
    pub(crate) fn read(&self, value: &Value) -> Hit {
        let text = |paths: &[&[&str]]| texts(value, paths);
        Hit {
            title: text(self.title),
            url: text(self.url),
            snippet: text(self.snippet),
            published: text(self.published),
        }
    }
}

/// Results without those that are not asked for, and without second ones for the same page.
#[derive(Debug, Default)]
pub(super) struct Results {
    pub(super) kept: Vec<SearchResult>,
    seen: BTreeSet<String>,
    /// The number of hits without an address on the web.
    pub(super) unusable: usize,
    /// The number of hits from other domains than those that are searched.
    pub(super) elsewhere: usize,
}

impl Results {
    /// Adds hits. Returns the number of those that were kept.
    pub(super) fn add(&mut self, hits: Vec<Hit>, query: &Query) -> usize {
        let before = self.kept.len();
        for hit in hits {
            self.add_one(hit, query);
        }
        self.kept.len() - before
    }

    fn add_one(&mut self, hit: Hit, query: &Query) {
        let Some(url) = hit.url.as_deref().and_then(address) else {
            self.unusable += 1;
            return;
        };
        if !url.host_str().is_some_and(|host| query.allows(host)) {
            self.elsewhere += 1;
            return;
        }
        if !self.seen.insert(canonical(&url)) {
            return;
        }
        let title = hit.title.map(|title| clean(&title, MAX_TITLE)).filter(|title| !title.is_empty());
        self.kept.push(SearchResult {
            title: title
                .unwrap_or_else(|| clean(&format!("{}{}", url.host_str().unwrap_or_default(), url.path()), MAX_TITLE)),
            snippet: hit.snippet.map(|snippet| clean(&snippet, MAX_SNIPPET)).unwrap_or_default(),
            published: hit.published.as_deref().and_then(common),
            url: url.into(),
        });
    }
}

/// Reads the address of a page, without a user and a password.
fn address(text: &str) -> Option<Url> {
    let text = text.trim();
    let mut url = Url::parse(text).ok().filter(|_| text.len() <= MAX_ADDRESS)?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    url.set_username("").and_then(|()| url.set_password(None)).ok()?;
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(url: &str) -> Hit {
        Hit { url: Some(url.to_owned()), ..Hit::default() }
    }

    #[test]
    fn only_pages_on_the_web_are_results_and_each_is_one() {
        let mut results = Results::default();
        let query = Query::new("x").expect("a query");
        let urls = [
            "https://a.com/",
            "http://www.a.com#x",
            "javascript:alert(1)",
            "data:,x",
            "a.com",
            "",
            "ftp://a.com/",
            "https://b.com/p",
        ];
        assert_eq!(results.add(urls.map(hit).to_vec(), &query), 2);
        assert_eq!(results.add(vec![hit("https://b.com/p/"), Hit::default(), hit("https://u:p@c.com/")], &query), 1);
        let kept: Vec<&str> = results.kept.iter().map(|result| result.url.as_str()).collect();
        assert_eq!(kept, ["https://a.com/", "https://b.com/p", "https://c.com/"]);
        assert_eq!((results.unusable, results.kept[1].title.as_str()), (6, "b.com/p"));
    }

    #[test]
    fn results_of_other_domains_are_dropped() {
        let mut query = Query::new("x").expect("a query");
        query.include_domains = vec!["a.com".parse().expect("a domain")];
        let mut results = Results::default();
        results.add(["https://docs.a.com/", "https://evil-a.com/", "https://b.com/"].map(hit).to_vec(), &query);
        assert_eq!((results.kept.len(), results.elsewhere), (1, 2));
    }

    #[test]
    fn texts_of_results_are_plain_and_bounded() {
        let long = "word ".repeat(10_000);
        let hit = Hit {
            title: Some("<b>A</b> &amp; B\u{200b}".to_owned()),
            url: Some("https://a.com/".to_owned()),
            snippet: Some(long),
            published: Some("2024-05-01T00:00:00Z".to_owned()),
        };
        let mut results = Results::default();
        results.add(vec![hit], &Query::new("x").expect("a query"));
        let result = &results.kept[0];
        assert_eq!((result.title.as_str(), result.published.as_deref()), ("A & B", Some("2024-05-01")));
        assert!((MAX_SNIPPET..=MAX_SNIPPET + 1).contains(&result.snippet.chars().count()));
    }
}
