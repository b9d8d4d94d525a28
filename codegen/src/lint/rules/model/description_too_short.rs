//! A tool description of one or two words.
//!
//! ## Why is this bad
//! It says hardly more than the name: not when to use the tool, when not to, or what it returns. Vendors recommend
//! several sentences.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "File reader."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file of the project, or a window of its lines. Use it before changing a file."
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M011", "description-too-short", Some(Level::Warning), Check::Tool(check));

/// A description with fewer words is too short.
const MIN_WORDS: usize = 3;

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for text in tool.descriptions() {
        let Some(full_text) = lint.full_text(tool, &text.value) else { continue };
        let count = words(&full_text);
        if (1..MIN_WORDS).contains(&count) && !super::placeholder_description::is_placeholder(&full_text, tool.name()) {
            let message = format!("the description of `{}` has only {count} words", tool.name());
            let message = if count == 1 { message.replace("1 words", "one word") } else { message };
            sink.push(
                Diagnostic::new(codes::DESCRIPTION_TOO_SHORT, text.place, message)
                    .help("describe what the tool does, when to use it, and what it returns")
                    .help_if(advice(lint)),
            );
        }
    }
}

/// Returns the longest recommendation among the listed dialects.
fn advice(lint: &Lint<'_>) -> Option<String> {
    let advised = lint.listed_dialects().filter_map(|dialect| Some((dialect.tool.advised_sentences()?, dialect.name)));
    let (limit, dialect) = advised.max_by_key(|(limit, _)| limit.value)?;
    Some(format!("for `{dialect}`, the vendor recommends at least {} sentences ({})", limit.value, limit.source))
}

/// Counts words. In scripts without spaces between words, two letters count as one word.
fn words(text: &str) -> usize {
    let count = |word: &str| {
        let dense = word.chars().filter(|letter| ('\u{2e80}'..='\u{ffdc}').contains(letter)).count();
        if dense > 0 { dense.div_ceil(2) } else { usize::from(word.chars().any(char::is_alphanumeric)) }
    };
    text.split_whitespace().map(count).sum()
}
