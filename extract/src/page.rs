//! What a document turns into.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::date::Published;
use crate::dom::cut;
use crate::quality::Quality;

/// The maximum length of a title, in characters.
pub(crate) const MAX_TITLE: usize = 300;
/// The maximum length of what else a document says about itself, in characters.
pub(crate) const MAX_FACT: usize = 200;
/// The maximum length of the name of a language, in characters. RFC 5646 asks for this much.
pub(crate) const MAX_LANGUAGE: usize = 35;

/// What kind of text a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// What kind of text it is.
    pub kind: PageKind,
    /// The title, at most 300 characters. The Markdown does not repeat it.
    pub title: Option<String>,
    /// Who wrote it, at most 200 characters.
    pub byline: Option<String>,
    /// When it was published.
    pub published: Option<Published>,
    /// Its language, such as `en` or `pt-BR`, at most 35 characters.
    pub language: Option<String>,
    /// The name of the site, at most 200 characters.
    pub site: Option<String>,
    /// The description that the page has for search engines, at most 200 characters.
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

    /// Cuts what the document says about itself.
    pub(crate) fn cut_facts(&mut self) {
        let facts = [
            (&mut self.title, MAX_TITLE),
            (&mut self.byline, MAX_FACT),
            (&mut self.language, MAX_LANGUAGE),
            (&mut self.site, MAX_FACT),
            (&mut self.description, MAX_FACT),
        ];
        for (fact, most) in facts {
            *fact = fact.take().map(|fact| cut(fact, most));
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
