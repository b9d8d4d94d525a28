//! A service that reads a page as a record.

use std::fmt;

use serde_json::Value;

use super::address::PublicAddress;
use crate::service::{Access, Account, Failure, NotConfigured, Outcome, Request, Variables, clean, common, cut};

/// The longest page, in bytes.
const MAX_MARKDOWN: usize = 4 << 20;
/// The maximum length of a title, in characters.
const MAX_TITLE: usize = 300;

/// A service that reads a page.
pub struct Reader {
    /// The account.
    pub account: &'static Account,
    /// Where the request and the answer are described, and when that was read.
    pub source: &'static str,
    /// Returns the request for a page.
    pub(super) request: fn(&PublicAddress) -> Request,
    /// Reads an answer whose status is a success.
    pub(super) read: fn(&Value) -> Result<Page, Failure>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("account", &self.account.name).finish_non_exhaustive()
    }
}

/// A page that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// Its text, as Markdown. It is not empty.
    pub markdown: String,
    /// Its title, on one line.
    pub title: Option<String>,
    /// The date when it was published: `2026-11-30`, or as the service gives it.
    pub published: Option<String>,
    /// Whether the end of the text is missing: it has more than 4 MiB.
    pub is_cut: bool,
}

/// A reader with its key and address.
#[derive(Debug, Clone)]
pub struct ConfiguredReader {
    /// The reader.
    pub reader: &'static Reader,
    /// Its key and address.
    pub access: Access,
}

impl Reader {
    /// Takes the key and the address from variables.
    ///
    /// # Errors
    /// If one is missing or has a wrong form.
    pub fn configure(&'static self, variables: &dyn Variables) -> Result<ConfiguredReader, NotConfigured> {
        Ok(ConfiguredReader { reader: self, access: self.account.open(variables)? })
    }
}

impl Page {
    /// Returns a page, or [`Outcome::Empty`] if it has no text.
    pub(super) fn new(
        markdown: Option<String>,
        title: Option<String>,
        published: Option<&str>,
    ) -> Result<Self, Failure> {
        let markdown = markdown.unwrap_or_default();
        let is_cut = markdown.len() > MAX_MARKDOWN;
        let markdown = cut(markdown.trim(), MAX_MARKDOWN).to_owned();
        if !markdown.chars().any(char::is_alphanumeric) {
            return Err(Failure::new(Outcome::Empty, "the page has no text"));
        }
        let title = title.map(|title| clean(&title, MAX_TITLE)).filter(|title| !title.is_empty());
        Ok(Self { markdown, title, published: published.and_then(common), is_cut })
    }
}

/// Returns the failure of a page that its own server has not sent: its text is that of a message.
pub(super) fn page_status(status: f64) -> Option<Failure> {
    let failed =
        |outcome| Some(Failure::new(outcome, format!("the server of the page has answered with the status {status}")));
    match status {
        200.0..400.0 | 0.0 => None,
        401.0 | 403.0 | 429.0 | 451.0 | 503.0 => failed(Outcome::Blocked),
        408.0 | 504.0 => failed(Outcome::Timeout),
        _ => failed(Outcome::Broken),
    }
}
