//! A condition that is true in every turn: it refers to the tool itself or to a tool that this tool requires, or it
//! combines a comparison with its opposite.
//!
//! ## Why is this bad
//! It suggests that something depends on the turn, but nothing does. Usually another condition was meant.
//!
//! ## Example
//! ```toml
//! # manifests/tools/save_page.toml
//! [requires]
//! tools = ["write_file"]
//!
//! [params.folder]
//! type = "string"
//! description = "Where to store the page."
//! when = "tools.write_file"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/save_page.toml
//! [requires]
//! tools = ["write_file"]
//!
//! [params.folder]
//! type = "string"
//! description = "Where to store the page."
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule, conditions};

pub(super) const RULE: Rule =
    Rule::new("C044", "condition-always-true", Some(Level::Warning), Check::Catalog(check)).fixable();

fn check(lint: &Lint<'_>, sink: &Sink) {
    for condition in conditions::constant_conditions(lint).into_iter().filter(|condition| !condition.never) {
        let found =
            Diagnostic::new(codes::CONDITION_ALWAYS_TRUE, condition.place, condition.message("always")).label(condition.why);
        let found = condition.related.into_iter().fold(found, |found, (place, label)| found.related(place, label));
        let found = found.help("remove the condition, or correct it");
        sink.push(if condition.is_key && !condition.is_part { found.fix(Edit::Remove(condition.place)) } else { found });
    }
}
