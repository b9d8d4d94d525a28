//! Conditions, and templates with conditions. The syntax is a small subset of Jinja's.
//!
//! ```text
//! when = "tools.web_search and facts.platform != 'cli'"
//! description = "Open a page.{% if tools.web_search %} To look something up, prefer {{ available('web_search') }}.{% endif %}"
//! ```
//!
//! [`condition`] parses the first, [`template`] the second. Names are strings here; a later stage resolves them to tools and facts.

pub mod atoms;
pub mod condition;
mod cursor;
mod foreign;
pub mod template;
pub mod turns;

use std::ops::Range;

/// Returns the first sentence of a text without its full stop.
pub fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
}

/// A syntax error in a condition or template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The bytes of the error, within the text and not within the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Fault {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
