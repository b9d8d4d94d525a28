//! What a document turns into.

use url::Url;

use crate::date::Published;
use crate::quality::Quality;

/// What kind of text a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PageKind {
    /// The article of an HTML page.
    Article,
    /// The main content of an HTML page: documentation, a discussion, a product, a list.
    Main,
    /// All that an HTML page shows.
    Whole,
    /// The text of a PDF file.
    Pdf,
    /// The entries of a feed: RSS, Atom or JSON Feed.
    Feed,
    /// JSON.
    Json,
    /// XML that is not a feed.
    Xml,
    /// A table of comma- or tab-separated values.
    Table,
    /// Plain text, Markdown or source code.
    Text,
}

/// A document as Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What kind of text it is.
    pub kind: PageKind,
    /// The title. The Markdown does not repeat it.
    pub title: Option<String>,
    /// Who wrote it.
    pub byline: Option<String>,
    /// When it was published.
    pub published: Option<Published>,
    /// Its language, such as `en` or `pt-BR`.
    pub language: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    /// The description that the page has for search engines.
    pub description: Option<String>,
    /// The address that the page prefers to be known by.
    pub canonical: Option<Url>,
    /// The text.
    pub markdown: String,
    /// What is wrong with the text.
    pub quality: Quality,
}

impl Page {
    pub(crate) fn new(kind: PageKind, markdown: String) -> Self {
        Self {
            kind,
            title: None,
            byline: None,
            published: None,
            language: None,
            site: None,
            description: None,
            canonical: None,
            markdown,
            quality: Quality::default(),
        }
    }
}

/// What a server has sent.
#[derive(Debug, Clone, Copy)]
pub struct Document<'d> {
    /// The body, decompressed.
    pub bytes: &'d [u8],
    /// The header `Content-Type`.
    pub content_type: Option<&'d str>,
    /// Where it was, after redirects.
    pub address: &'d Url,
}
