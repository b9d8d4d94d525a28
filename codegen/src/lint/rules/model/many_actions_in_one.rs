//! A parameter such as `action` whose enum holds verbs of different kinds, at least three of them: a tool that reads, creates
//! and deletes, depending on one value.
//!
//! ## Why is this bad
//! Which of the other parameters belong to which action, a model can only learn from prose. And what holds for one of the
//! actions, such as that it only reads, or need not be approved, cannot be said: the worst of them decides for all.
//!
//! ## Example
//! ```toml
//! # manifests/tools/note.toml
//! [params.action]
//! type = "string"
//! description = "What to do with the note."
//! enum = ["read", "create", "delete"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_note.toml
//! description = "Read one of the notes that were kept, by its title. Gives its whole text, and when it was written."
//! ```
//!
//! ```toml
//! # manifests/tools/create_note.toml
//! description = "Keep a text under a title, so that later conversations find it. A title that is taken is refused."
//! annotations = { destructive = false }
//! ```

use std::collections::BTreeSet;

use serde_json::Value;

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink, ticked};
use crate::lint::verbs::{Effect, effect_of, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M019", "many-actions-in-one", Some(Level::Warning), Check::Tool(check));

/// Parameters that say what to do.
const ACTIONS: &[&str] =
    &["action", "actions", "cmd", "command", "method", "op", "operation", "subcommand", "task", "verb"];

/// So few verbs may be what one tool does.
const FEW: usize = 2;

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for parameter in &tool.manifest.params.properties {
        let name = words(&parameter.name.value);
        if !name.last().is_some_and(|last| ACTIONS.contains(&&**last)) {
            continue;
        }
        let values = parameter.schema.choices.iter().filter_map(|choice| match &choice.value.value {
            Value::String(value) => Some((value.as_str(), words(value).first().and_then(|word| effect_of(word))?)),
            _ => None,
        });
        let verbs: Vec<(&str, Effect)> = values.collect();
        let kinds: BTreeSet<Effect> = verbs.iter().map(|(_, deed)| *deed).collect();
        if verbs.len() > FEW && kinds.len() > 1 {
            let shown: Vec<&str> = verbs.iter().map(|(value, _)| *value).take(4).collect();
            let place = parameter.schema.choices.first().map_or(parameter.name.place, |first| first.value.place);
            let message = format!("`{}` is several tools: {}", tool.name(), ticked(&shown, ", "));
            sink.push(
                Diagnostic::new(Code::MANY_ACTIONS_IN_ONE, place, message)
                    .related(parameter.name.place, format!("`{}` says which", parameter.name.value))
                    .help("make a tool of each action, with the parameters and annotations that are its own"),
            );
        }
    }
}
