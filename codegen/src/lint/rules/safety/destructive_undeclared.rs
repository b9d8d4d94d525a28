//! A tool that deletes, erases or wipes something, according to the verb in its name or at the start of its
//! description, but does not declare `destructive = true`. Weaker verbs, such as "remove" or "overwrite", count only
//! if the annotations say `destructive = false` and the description says that the effect cannot be undone.
//!
//! ## Why is this bad
//! Hosts use the annotations to decide whether to ask the user, and to keep tools out of safe toolsets. Some hosts
//! treat a tool without annotations as harmless.
//!
//! ## Example
//! ```toml
//! # manifests/tools/delete_file.toml
//! description = "Delete one document of the project. Returns the size that it had. Fails for a folder."
//! annotations = { destructive = false }
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/delete_file.toml
//! description = "Delete one document of the project. Returns the size that it had. Fails for a folder."
//! annotations = { destructive = true }
//! ```

use std::sync::LazyLock;

use regex::Regex;

use std::borrow::Cow;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink};
use crate::lint::verbs::{Effect, effect_of, stem, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A002", "destructive-undeclared", Some(Level::Warning), Check::Tool(check));

/// Verbs that are destructive only with certain objects.
const WITH_OBJECT: &[(&str, &[&str])] = &[
    (
        "drop",
        &[
            "collection",
            "column",
            "database",
            "db",
            "index",
            "keyspace",
            "partition",
            "role",
            "schema",
            "table",
            "user",
            "view",
        ],
    ),
    ("kill", &["container", "job", "pid", "process", "session", "task"]),
    ("truncate", &["collection", "database", "file", "log", "table"]),
    (
        "terminate",
        &["cluster", "container", "environment", "instance", "machine", "process", "server", "session", "vm"],
    ),
];

/// Words that may precede the verb of a description.
const ADVERBS: &[&str] =
    &["completely", "force", "forcibly", "immediately", "irreversibly", "irrevocably", "permanently"];

/// Phrases that say that an effect is permanent.
static PERMANENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:permanently|irreversibly|irrevocably) (?:delet|remov|eras|destroy|overwrit|wip)|\b(?:cannot|can't|can not) be undone\b|\b(?:is|are) irreversible\b",
    )
    .expect("the pattern is valid")
});

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let annotations = &tool.manifest.annotations;
    if annotations.destructive.as_ref().is_some_and(|declared| declared.value) {
        return;
    }
    let text = lint.full_text(tool, &tool.manifest.description.value).unwrap_or_default();
    let name = words(tool.name());
    let denies = annotations.destructive.as_ref().is_some_and(|declared| !declared.value)
        || annotations.read_only.as_ref().is_some_and(|declared| declared.value);
    let (verb, place) = if let Some(verb) = verb(&name) {
        (verb, tool.manifest.name.place)
    } else if let Some(verb) = first_verb(&text) {
        (verb, tool.manifest.description.place)
    } else if denies && PERMANENT.is_match(&text) {
        ("destroy something permanently".to_owned(), tool.manifest.description.place)
    } else {
        return;
    };
    let (reason, denial) = match (&annotations.destructive, &annotations.read_only) {
        (Some(declared), _) => ("its annotations say `destructive = false`", Some(declared.place)),
        (None, Some(declared)) if declared.value => ("its annotations say `read_only = true`", Some(declared.place)),
        _ => ("its annotations do not declare it", None),
    };
    let message = format!("`{}` seems to {verb}, but {reason}", tool.name());
    let at: Place = denial.or(annotations.place).unwrap_or(place);
    let found = Diagnostic::new(codes::DESTRUCTIVE_UNDECLARED, at, message);
    let found = if at == place { found } else { found.related(place, "the verb is here") };
    sink.push(found.help("add `destructive = true` to `annotations`, or use another verb"));
}

/// Returns the first verb of a name if it is destructive. `list_deleted_files` deletes nothing.
fn verb(name: &[Cow<'_, str>]) -> Option<String> {
    let first = |(index, word): (usize, &Cow<'_, str>)| -> Option<Option<String>> {
        if let Some((_, objects)) = WITH_OBJECT.iter().find(|(verb, _)| verb == word) {
            let is_object = |word: &Cow<'_, str>| objects.contains(&&*stem(word));
            return name[index + 1..].iter().any(is_object).then(|| Some(word.to_string()));
        }
        Some((effect_of(word)? == Effect::Destroy).then(|| word.to_string()))
    };
    name.iter().enumerate().find_map(first).flatten()
}

/// Returns the verb at the start of a description if it is destructive, in the imperative or in the third person.
fn first_verb(text: &str) -> Option<String> {
    let sentence = text.split(['.', '\n']).next().unwrap_or_default();
    // In "Delete or restore" the first verb counts. "Delete-protected items" has no verb.
    let mut declared = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '-'));
    let word = declared.find(|word| !ADVERBS.contains(&word.to_lowercase().as_str()))?;
    let word = word.to_lowercase();
    let verb = stem(&word);
    (effect_of(&verb) == Some(Effect::Destroy)).then(|| verb.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_verb_of_a_name_decides() {
        for name in [
            "delete_file",
            "file_delete",
            "API-delete-a-block",
            "deleteFile",
            "drop_table",
            "kill_process",
            "notion_wipe",
        ] {
            assert!(verb(&words(name)).is_some(), "{name}");
        }
        for name in [
            "list_deleted_files",
            "undelete_file",
            "get_delete_status",
            "browser_drop",
            "drag_and_drop",
            "preview_delete",
            "remove_label",
            "create_delete_rule",
            "skill_set",
        ] {
            assert_eq!(verb(&words(name)), None, "{name}");
        }
    }

    #[test]
    fn a_description_says_first_what_it_is_about() {
        for text in ["Delete a file.", "Deletes it", "Permanently erases all", "Wipe, then fill"] {
            assert!(first_verb(text).is_some(), "{text}");
        }
        for text in [
            "Does not delete.",
            "Restore a deleted file",
            "List files to delete.",
            "Delete-protected items",
            "Deletion of",
        ] {
            assert_eq!(first_verb(text), None, "{text}");
        }
    }
}
