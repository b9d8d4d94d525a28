//! A parameter such as `action` most of whose values are verbs with different effects, so that one value decides whether
//! the tool reads, creates or deletes.
//!
//! ## Why is this bad
//! A model learns only from prose which parameters belong to which action. Annotations and approval apply to the tool
//! as a whole, so they must fit its most dangerous action.
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
//! description = "Read a stored note by its title. Returns its full text and the time when it was written."
//! ```
//!
//! ```toml
//! # manifests/tools/create_note.toml
//! description = "Store a text under a title, so that later conversations can find it. Fails if the title is taken."
//! annotations = { destructive = false }
//! ```

use std::collections::BTreeSet;

use serde_json::Value;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::verbs::{Effect, effect_of, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M019", "many-actions-in-one", Some(Level::Warning), Check::Tool(check));

/// Names of parameters that select an action.
const ACTIONS: &[&str] =
    &["action", "actions", "cmd", "command", "method", "op", "operation", "subcommand", "task", "verb"];

/// The number of verbs that one tool can combine.
const MAX_VERBS: usize = 2;

/// Values that read the state that other values change. A tool that controls something may have them.
const NOUNS: &[&str] = &["count", "diff", "preview", "status", "watch"];

/// How many values a message shows.
const MAX_SHOWN: usize = 4;

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
        let effects: BTreeSet<Effect> = verbs.iter().map(|(_, effect)| *effect).collect();
        let reads = verbs.iter().any(|(value, effect)| *effect == Effect::Read && !NOUNS.contains(&&*words(value)[0]));
        let has = |effect: Effect| effects.contains(&effect);
        let changes = has(Effect::Create) || has(Effect::Change) || has(Effect::Destroy);
        let are_unlike = reads && changes || has(Effect::Create) && has(Effect::Destroy);
        // A list of gestures, such as "click" and "scroll", has a few values that happen to be verbs of this kind.
        let are_most = 2 * verbs.len() >= parameter.schema.choices.len();
        if verbs.len() > MAX_VERBS && are_unlike && are_most {
            let mut shown: Vec<&str> = Vec::new();
            // One value of each effect first, so that the list shows why.
            let firsts = effects.iter().rev().filter_map(|effect| verbs.iter().find(|(_, other)| other == effect));
            for (value, _) in firsts.chain(&verbs) {
                if shown.len() < MAX_SHOWN && !shown.contains(value) {
                    shown.push(value);
                }
            }
            let more = verbs.len() - shown.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let place = parameter.schema.choices.first().map_or(parameter.name.place, |first| first.value.place);
            let message = format!("`{}` combines unlike actions: {}{more}", tool.name(), ticked(&shown, ", "));
            sink.push(
                Diagnostic::new(codes::MANY_ACTIONS_IN_ONE, place, message)
                    .related(parameter.name.place, format!("`{}` selects the action", parameter.name.value))
                    .help("split it into one tool per action, each with its own parameters and annotations"),
            );
        }
    }
}
