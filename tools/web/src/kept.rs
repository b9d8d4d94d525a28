//! The pages that were read last, so that their parts need no further fetch.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolc_net::Target;

use crate::outside::{line, visible};

/// The number of pages that are kept, and for how long.
const MAX_KEPT: usize = 16;
const KEPT_FOR: Duration = Duration::from_mins(10);
/// The maximum lengths of what a page says about itself, in characters. Tags of languages have at most 35 where
/// they are bounded (RFC 5646, 4.4.1).
const MAX_TITLE: usize = 300;
pub(crate) const MAX_PUBLISHED: usize = 60;
const MAX_LANGUAGE: usize = 35;
/// The maximum length of a warning or an error, in characters.
pub(crate) const MAX_WARNING: usize = 1_000;

/// A page that was read.
#[derive(Debug, Clone)]
pub(crate) struct ReadPage {
    /// The address that has answered.
    pub(crate) address: Target,
    /// Whether another address was asked, which has redirected to it.
    pub(crate) is_redirected: bool,
    /// Whether a host that has answered is in a private network, where pages are often being worked on.
    pub(crate) is_private: bool,
    pub(crate) title: Option<String>,
    pub(crate) published: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) markdown: String,
    /// The service that has read it, if it could not be fetched.
    pub(crate) reader: Option<&'static str>,
    /// What is wrong with the text.
    pub(crate) warning: Option<String>,
}

impl ReadPage {
    /// Leaves out the characters that a person does not see, and warns about them. Bounds everything but the text.
    pub(crate) fn cleaned(self) -> Self {
        let markdown = visible(&self.markdown);
        let had_hidden = markdown.len() < self.markdown.len();
        let hidden = had_hidden.then(|| "the text had invisible characters, which are left out".to_owned());
        let warnings: Vec<String> = self.warning.into_iter().chain(hidden).collect();
        Self {
            markdown: markdown.into_owned(),
            title: self.title.map(|title| line(&title, MAX_TITLE)),
            published: self.published.map(|published| line(&published, MAX_PUBLISHED)),
            language: self.language.map(|language| line(&language, MAX_LANGUAGE)),
            warning: (!warnings.is_empty()).then(|| line(&warnings.join("; "), MAX_WARNING)),
            ..self
        }
    }
}

/// The pages that were read last, by their address and whether they are whole.
#[derive(Debug, Default)]
pub(crate) struct Pages(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    address: String,
    is_whole: bool,
    read: Instant,
    page: Arc<ReadPage>,
}

impl Pages {
    pub(crate) fn get(&self, address: &str, is_whole: bool) -> Option<Arc<ReadPage>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|page| page.read.elapsed() < KEPT_FOR);
        kept.iter().find(|page| page.address == address && page.is_whole == is_whole).map(|page| Arc::clone(&page.page))
    }

    pub(crate) fn put(&self, address: &str, is_whole: bool, page: &Arc<ReadPage>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|page| page.address != address || page.is_whole != is_whole);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        let (address, page) = (address.to_owned(), Arc::clone(page));
        kept.push(Kept { address, is_whole, read: Instant::now(), page });
    }
}
