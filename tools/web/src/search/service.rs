//! A service that searches the web as a record.

use std::fmt;

use serde_json::Value;

use super::query::Query;
use super::result::{Fields, Hit};
use crate::service::{Access, Account, Failure, NotConfigured, Request, Variables, at};

/// The maximum number of results that are read from an answer.
pub(crate) const MAX_HITS: usize = 500;

/// A service that searches the web.
pub struct SearchService {
    /// The account.
    pub account: &'static Account,
    /// The results of a request, and the number of requests.
    pub pages: PageLimits,
    /// The text of a query.
    pub text: TextLimits,
    /// Where the request, the answer and the limits are described, and when that was read.
    pub source: &'static str,
    /// Returns the request for a page of results.
    pub(crate) request: fn(&Asking<'_>) -> Asked,
    /// Reads an answer whose status is a success.
    pub(crate) read: fn(&Value) -> Result<Vec<Hit>, Failure>,
}

impl fmt::Debug for SearchService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchService").field("account", &self.account.name).finish_non_exhaustive()
    }
}

/// The results of a request, and the number of requests for one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// The maximum number of results that a request asks for.
    pub size: usize,
    /// The maximum number of requests. Each of them is paid for.
    pub count: usize,
}

/// The maximum length of the text of a query. 0 means that none is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLimits {
    /// In characters.
    pub characters: usize,
    /// In words.
    pub words: usize,
}

/// What a request is made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'q> {
    pub(crate) query: &'q Query,
    /// The account, for its settings.
    pub(crate) access: &'q Access,
    limits: TextLimits,
    /// The number of the page. The first is 0.
    pub(crate) page: usize,
    /// The number of results of a page.
    pub(crate) size: usize,
}

/// A request for a page of results.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) request: Request,
    /// What the query says and the service has no parameter for.
    pub(crate) ignored: Vec<&'static str>,
}

impl Asked {
    pub(crate) fn new(request: Request) -> Self {
        Self { request, ignored: Vec::new() }
    }

    /// Notes a part of the query for which the service has no parameter.
    pub(crate) fn ignoring(mut self, is_used: bool, what: &'static str) -> Self {
        self.ignored.extend(is_used.then_some(what));
        self
    }
}

impl<'q> Asking<'q> {
    pub(super) fn new(configured: &'q Configured, query: &'q Query, page: usize) -> Self {
        let Configured { service, access } = configured;
        Self { query, access, limits: service.text, page, size: query.wanted().min(service.pages.size) }
    }

    /// Returns the text of the query, as much of it as the service takes.
    pub(crate) fn text(&self) -> String {
        within(self.query.text(), self.limits, "")
    }

    /// Returns the text of the query with its domains as operators.
    pub(crate) fn text_with_sites(&self) -> String {
        within(self.query.text(), self.limits, &self.query.site_words())
    }

    /// Returns whether the text is longer than the service takes.
    pub(super) fn is_cut(&self) -> bool {
        self.text() != self.query.text()
    }
}

/// Returns the words that fit, and after them the operators.
fn within(text: &str, limits: TextLimits, operators: &str) -> String {
    let or_any = |limit: usize| if limit == 0 { usize::MAX } else { limit };
    let reserved = if operators.is_empty() { 0 } else { operators.chars().count() + 1 };
    let most = or_any(limits.characters).saturating_sub(reserved);
    let words = or_any(limits.words).saturating_sub(operators.split_whitespace().count());
    let mut fitting = String::new();
    let mut length = 0;
    for word in text.split(' ').take(words) {
        let more = word.chars().count() + usize::from(!fitting.is_empty());
        if length + more > most {
            if fitting.is_empty() {
                fitting = word.chars().take(most).collect();
            }
            break;
        }
        if !fitting.is_empty() {
            fitting.push(' ');
        }
        fitting.push_str(word);
        length += more;
    }
    if !operators.is_empty() {
        fitting.push(' ');
        fitting.push_str(operators);
    }
    fitting
}

/// A service with its key and address.
#[derive(Debug, Clone)]
pub struct Configured {
    /// The service.
    pub service: &'static SearchService,
    /// Its key and address.
    pub access: Access,
}

impl SearchService {
    /// Takes the key and the address from variables.
    ///
    /// # Errors
    /// If one is missing or has a wrong form.
    pub fn configure(&'static self, variables: &dyn Variables) -> Result<Configured, NotConfigured> {
        Ok(Configured { service: self, access: self.account.open(variables)? })
    }
}

/// Reads the list at one of these paths. An answer without it has no results if it has one of the `marks` of an answer.
pub(crate) fn listed(answer: &Value, lists: &[&[&str]], marks: &[&str], fields: &Fields) -> Result<Vec<Hit>, Failure> {
    let list = lists.iter().find_map(|path| at(answer, path)?.as_array());
    match list {
        Some(items) => Ok(items.iter().take(MAX_HITS).map(|item| fields.read(item)).collect()),
        None if marks.iter().any(|mark| answer.get(mark).is_some()) => Ok(Vec::new()),
        None => {
            let path = lists.first().map(|path| path.join(".")).unwrap_or_default();
            Err(Failure::broken(format!("the answer has another form than expected: there is no list `{path}` in it")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_shortened_to_whole_words() {
        let limits = |characters, words| TextLimits { characters, words };
        assert_eq!(within("one two three", limits(0, 0), ""), "one two three");
        assert_eq!(within("one two three", limits(12, 0), ""), "one two");
        assert_eq!(within("one two three", limits(0, 2), ""), "one two");
        assert_eq!(within("one two three", limits(20, 0), "site:a.com"), "one two site:a.com");
        assert_eq!(within("äöüäöü", limits(3, 0), ""), "äöü");
        assert_eq!(within("one", limits(5, 0), "site:a.com"), " site:a.com");
    }
}
