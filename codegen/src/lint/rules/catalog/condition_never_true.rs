//! A condition that holds in no turn: it contradicts itself (`facts.platform == "cli" and facts.platform == "chat"`), or
//! what the tool requires, or what is asked around it.
//!
//! ## Why is this bad
//! What depends on it is never there: a parameter that no model can send, a text that none reads, a tool that none is
//! shown. Most often `and` was written where `or` was meant.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.thread]
//! type = "string"
//! description = "Where to post what was read."
//! when = "facts.platform == 'chat' and facts.platform == 'mail'"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.thread]
//! type = "string"
//! description = "Where to post what was read."
//! when = "facts.platform == 'chat' or facts.platform == 'mail'"
//! ```

use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule, conditions};

pub(super) const RULE: Rule = Rule::new("C043", "condition-never-true", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for idle in conditions::idle(lint).into_iter().filter(|idle| idle.never) {
        let found =
            Diagnostic::new(Code::CONDITION_NEVER_TRUE, idle.place, "this condition never holds").label(idle.why);
        let found = idle.related.into_iter().fold(found, |found, (place, said)| found.related(place, said));
        sink.push(found.help("mend the condition, or take out what depends on it"));
    }
}
