//! A grammar in `[text_input]` that the decoder of a vendor cannot read: it is malformed, has no rule `start`, uses a name that it does
//! not define, or needs a part of Lark that decoders do not have.
//!
//! ## Why is this bad
//! The vendor rejects the whole request. The decoders support a part of Lark. llguidance, which reads the grammars of OpenAI's custom
//! tools, has no look-around and no lazy repetition in regular expressions, no priorities, no templates, and no imports other than
//! `common` (its page on syntax, of version 1.9.1).
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [text_input]
//! syntax = "lark"
//! definition = '''
//! start: path (":" LINE)?
//! LINE: /[0-9]+?/
//! '''
//!
//! [params.place]
//! type = "string"
//! description = "The file, and perhaps a line of it."
//! required = true
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [text_input]
//! syntax = "lark"
//! definition = '''
//! start: PATH (":" LINE)?
//! PATH: /[a-z\/]+/
//! LINE: /[0-9]+/
//! '''
//!
//! [params.place]
//! type = "string"
//! description = "The file, and perhaps a line of it."
//! required = true
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::lark::mistakes;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P031", "unsupported-grammar", Some(Level::Error), Check::Tool(check));

/// The maximum number of mistakes of a grammar that are reported.
const MAX_MISTAKES: usize = 20;

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let Some(text) = tool.manifest.text_input.as_ref().filter(|text| text.is_lark()) else { return };
    let Some(definition) = &text.definition else { return };
    for mistake in mistakes(&definition.value).into_iter().take(MAX_MISTAKES) {
        let span = Some(mistake.span).filter(|span| !span.is_empty());
        let place = span.and_then(|span| Some(lint.string(definition.place)?.place(span))).unwrap_or(definition.place);
        let level = if mistake.is_accepted { Level::Warning } else { Level::Error };
        sink.push(Diagnostic::new(codes::UNSUPPORTED_GRAMMAR, place, mistake.message).level(level).help(mistake.help));
    }
}
