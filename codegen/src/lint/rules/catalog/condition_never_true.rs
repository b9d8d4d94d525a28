//! A condition that is false in every turn: it contradicts itself (`facts.platform == "cli" and facts.platform ==
//! "chat"`), the tool's requirements, or an enclosing condition.
//!
//! ## Why is this bad
//! What depends on the condition never appears: no model can send the parameter, read the text, or see the tool.
//! Often `and` was written instead of `or`.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.thread]
//! type = "string"
//! description = "Where to post the content."
//! when = "facts.platform == 'chat' and facts.platform == 'mail'"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.thread]
//! type = "string"
//! description = "Where to post the content."
//! when = "facts.platform == 'chat' or facts.platform == 'mail'"
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule, conditions};

pub(super) const RULE: Rule = Rule::new("C043", "condition-never-true", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for condition in conditions::constant_conditions(lint).into_iter().filter(|condition| condition.never) {
        let found =
            Diagnostic::new(codes::CONDITION_NEVER_TRUE, condition.place, condition.message("never")).label(condition.why);
        let found = condition.related.into_iter().fold(found, |found, (place, label)| found.related(place, label));
        sink.push(found.help("correct the condition, or remove what depends on it"));
    }
}
