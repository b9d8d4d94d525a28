//! Text with conditions: what a description may say besides words. The spelling is Jinja's, and nothing more of Jinja.
//!
//! ```text
//! when = "tools.web_search and facts.platform != 'cli'"
//! description = "Open a page.{% if tools.web_search %} To look something up, prefer {{ available('web_search') }}.{% endif %}"
//! ```
//!
//! [`condition`] reads the first, [`template`] the second; names are text here, and linked to tools and facts later.

pub mod atoms;
pub mod condition;
mod cursor;
pub mod template;
pub(crate) mod turns;

use std::ops::Range;

/// What is wrong with a text, and at which of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// In the text itself, not in the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do, where that is not plain.
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
