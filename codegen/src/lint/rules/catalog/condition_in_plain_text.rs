//! A condition or a fact in a text that takes none: the description of a toolset, a distribution, a fact or a variable, a
//! `title`, a note of deprecation, a default, or a value of an `enum`.
//!
//! ## Why is this bad
//! Only descriptions of tools and of parameters are templates. Everywhere else, the condition is sent as it is written.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! description = "Read and write files{% if facts.vision %}, also pictures{% endif %}."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! description = "Read and write files, also pictures."
//! ```

use std::sync::LazyLock;

use regex::Regex;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Places, Sink, SourceId};
use crate::lint::{Check, Lint, Rule};
use crate::source::Kind;

pub(super) const RULE: Rule = Rule::new("C063", "condition-in-plain-text", Some(Level::Warning), Check::File(check));

/// A tag of toolc's own templates. Another language with such tags has no `tools` or `facts`.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{%-?\s*(?:el)?if\s[^%\n]*?\b(?:tools|facts)\.|\{\{-?\s*(?:facts\.\w|available\s*\()").expect("the pattern is valid")
});

fn check(lint: &Lint<'_>, file: SourceId, _: Option<&Tool>, sink: &Sink) {
    let source = lint.sources.get(file);
    let Some(kind) = source.kind.filter(|_| TAG.is_match(&source.text)) else { return };
    let places = Places::new(lint.sources);
    let mut reported = Vec::new();
    for tag in TAG.find_iter(&source.text).filter(|tag| places.tree(file).is_in_string(tag.start())) {
        let place = Place::new(file, tag.range());
        let pointer = places.pointer(place);
        if is_template(kind, &pointer) || reported.contains(&pointer) {
            continue;
        }
        let message = format!("conditions and facts have no effect in this text: `{}` is not evaluated", tag.as_str().trim());
        let found = Diagnostic::new(codes::CONDITION_IN_PLAIN_TEXT, place, message);
        sink.push(if pointer.contains("/enum/") {
            found.help("to offer the value only in some turns, write `{ value = \"...\", when = \"facts.NAME\" }`")
        } else {
            found.help("write a text that is true in every turn; only descriptions of tools and parameters can have conditions")
        });
        reported.push(pointer);
    }
}

/// Returns whether the text at a JSON pointer is a template: a description of a tool, of a schema, or for a dialect.
fn is_template(kind: Kind, pointer: &str) -> bool {
    let is_value = ["/default", "/examples/", "/enum/", "/const"].iter().any(|keyword| pointer.contains(keyword));
    kind == Kind::Tool && pointer.ends_with("/description") && !is_value
}
