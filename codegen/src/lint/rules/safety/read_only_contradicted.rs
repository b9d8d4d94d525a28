//! A tool with `read_only = true` whose name, title or description says that it writes, sends, changes or runs something.
//! One clear verb is enough, such as "write" or "send". Verbs that are often harmless, such as "create" and "add", count
//! only if two of the three texts have one. Deleting is reported as [`destructive-undeclared`](#a002-destructive-undeclared).
//!
//! ## Why is this bad
//! Hosts run read-only tools without asking anyone, and several at the same time.
//!
//! ## Example
//! ```toml
//! # manifests/tools/send_email.toml
//! description = "Send a message to an address of the project. Returns the time at which it was accepted."
//! annotations = { read_only = true, open_world = true }
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/send_email.toml
//! description = "Send a message to an address of the project. Returns the time at which it was accepted."
//! annotations = { destructive = false, open_world = true }
//! ```

use std::sync::LazyLock;

use regex::Regex;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink};
use crate::lint::verbs::{Effect, effect_of, stem, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A062", "read-only-contradicted", Some(Level::Warning), Check::Tool(check));

/// Verbs that always change something, somewhere.
const CLEAR: &[&str] = &[
    "ban", "disable", "edit", "grant", "insert", "install", "kill", "modify", "overwrite", "publish", "reboot", "rename",
    "reply", "restart", "revoke", "send", "shutdown", "terminate", "tweet", "unsubscribe", "upload", "upsert", "write",
];

/// Verbs that change something, unless their object is a mere value: "add two numbers", "create a chart".
const LIKELY: &[&str] = &[
    "add", "append", "apply", "approve", "archive", "assign", "book", "buy", "cancel", "clear", "close", "commit",
    "create", "deploy", "enable", "invite", "merge", "move", "order", "patch", "post", "push", "put", "register",
    "remove", "replace", "reset", "schedule", "set", "submit", "subscribe", "transfer", "update",
];

/// Words after a verb that show that it only computes a value, or is not a verb.
const HARMLESS_OBJECTS: &[&str] = &[
    "chart", "date", "day", "diagram", "distance", "draft", "history", "locator",
    "matrix", "number", "plan", "preview", "query", "report", "status", "string", "sum", "summary", "text",
    "time", "two", "value", "vector", "words",
];

/// Phrases that say that nothing is changed.
static HARMLESS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\bread[- ]?only\b|\bdry[- ]run\b|\bsimulat|\bpreview|\bwithout (?:changing|modifying|writing|sending)\b|\b(?:does|do|will)(?: not|n['’]t) (?:change|modify|write|send|alter)\b|\bnothing is (?:changed|written|sent)\b|\bno (?:changes|side effects)\b")
});

/// Text that runs what the model sends, or statements that change data.
static RUNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    vec![
        regex(r"(?i)\b(?P<does>(?:execut|run|evaluat|invok)(?:es?|s|ing)?\s+(?:(?:an?|any|arbitrary|the|given|some|provided|raw|custom)\s+)*(?:[\w.-]+\s+){0,2}(?:commands?|code|scripts?|programs?|javascript|python|statements?))(?:\s+(?:against|and|as|at|by|for|from|in|inside|of|on|or|that|to|using|via|with|within|you)\b|\s*[.,;:(\n]|\s*$)"),
        regex(r"(?P<does>(?i:\b(?:execut|run)(?:es?|s|ing)?\b)[^.\n]{0,40}\b(?:INSERT|UPDATE|DELETE|DROP|ALTER|TRUNCATE|MERGE)\b)"),
    ]
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let annotations = &tool.manifest.annotations;
    let Some(read_only) = annotations.read_only.as_ref().filter(|declared| declared.value) else { return };
    // Reported by `read-only-and-destructive`.
    if annotations.destructive.as_ref().is_some_and(|declared| declared.value) {
        return;
    }
    let text = lint.full_text(tool, &tool.manifest.description.value).unwrap_or_default();
    if HARMLESS.is_match(&text) {
        return;
    }
    let title = tool.manifest.title.as_ref();
    let in_name = verb_of_name(tool.name()).map(|verb| (verb, tool.manifest.name.place));
    let in_title = title.and_then(|title| Some((verb_of_name(&title.value)?, title.place)));
    let in_text = verb_of_text(&text).map(|verb| (verb, tool.manifest.description.place));
    let verbs: Vec<(Verb, Place)> = [in_name, in_title, in_text].into_iter().flatten().collect();
    // The name of a tool that reads says more than the first word of its description.
    let reads = words(tool.name()).iter().find_map(|word| effect_of(&stem(word))) == Some(Effect::Read);
    let clear = verbs.iter().find(|(verb, _)| verb.is_clear && !reads);
    let (does, place) = if let Some((verb, place)) = clear.or(verbs.first().filter(|_| verbs.len() > 1 && !reads)) {
        (format!("`{}`", verb.word), *place)
    } else if let Some(does) = runs(&text, reads) {
        let words: Vec<&str> = does.as_str().split_whitespace().collect();
        (format!("\"{}\"", words.join(" ")), tool.manifest.description.place)
    } else {
        return;
    };
    let message = format!("`{}` is annotated `read_only = true`, but seems to change something: {does}", tool.name());
    sink.push(
        Diagnostic::new(codes::READ_ONLY_CONTRADICTED, read_only.place, message)
            .related(place, "because of this")
            .help("remove `read_only`, and set `destructive = false` if nothing can be lost; or use another verb"),
    );
}

/// Returns the words that say that the tool runs something. A name such as `query` does not outweigh statements that change data.
fn runs(text: &str, reads: bool) -> Option<regex::Match<'_>> {
    RUNS.iter().skip(usize::from(reads)).find_map(|runs| runs.captures(text)?.name("does"))
}

/// A verb that changes something.
struct Verb {
    word: String,
    is_clear: bool,
}

/// Returns the first verb of a name or a title, if it changes something.
fn verb_of_name(name: &str) -> Option<Verb> {
    let words = words(name);
    let (at, word) = words.iter().enumerate().find(|(_, word)| is_verb(word))?;
    let rest: Vec<&str> = words[at + 1..].iter().map(|word| &**word).collect();
    changing(word, &rest)
}

/// Returns the verb at the start of a description, if it changes something: in the imperative or in the third person.
fn verb_of_text(text: &str) -> Option<Verb> {
    let first = text.split_whitespace().next()?;
    // "Post-process" is another verb.
    let word = first.trim_matches(|letter: char| !letter.is_alphanumeric());
    let words = words(text);
    let rest: Vec<&str> = words.iter().skip(1).map(|word| &**word).collect();
    if word.contains('-') { None } else { changing(&stem(&word.to_lowercase()), &rest) }
}

fn is_verb(word: &str) -> bool {
    effect_of(word).is_some() || CLEAR.contains(&word) || LIKELY.contains(&word)
}

fn changing(word: &str, rest: &[&str]) -> Option<Verb> {
    let is_clear = CLEAR.contains(&word);
    let first: Vec<_> = rest.iter().take(3).map(|word| stem(word)).collect();
    // A clear verb is harmless only with the very next word: "edit distance".
    let near = if is_clear { 1 } else { first.len() };
    let is_harmless = first.iter().take(near).any(|word| HARMLESS_OBJECTS.contains(&&**word) && !(is_clear && *word != "distance"));
    (is_clear || LIKELY.contains(&word)).then_some(())?;
    (!is_harmless).then(|| Verb { word: word.to_owned(), is_clear })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_that_change_something_are_distinguished() {
        let clear = |name: &str| verb_of_name(name).is_some_and(|verb| verb.is_clear);
        for name in ["write_file", "send_email", "sqlite_write_query", "renameBranch", "upload-media", "install_package"] {
            assert!(clear(name), "{name}");
        }
        for name in ["get_write_access", "edit_distance", "list_sent_messages", "read_file", "generate_chart", "create_issue", "search_edit"] {
            assert!(!clear(name), "{name}");
        }
        assert!(verb_of_name("create_issue").is_some() && verb_of_text("Creates an issue.").is_some());
        for text in ["Add two numbers.", "Create a chart of the data", "Post-process the text", "Returns a file"] {
            assert!(verb_of_text(text).is_none(), "{text}");
        }
    }

    #[test]
    fn texts_that_run_something_are_distinguished() {
        let runs = |text: &str| runs(text, false).is_some();
        for text in [
            "Execute any kubectl command with the provided arguments.",
            "Execute an INSERT, UPDATE, or DELETE query on the database",
            "Runs a shell command.",
            "Evaluate JavaScript in the page",
        ] {
            assert!(runs(text), "{text}");
        }
        for text in ["Execute a SELECT query", "Run a find query against a collection", "Runs code analysis", "Run an aggregation"] {
            assert!(!runs(text), "{text}");
        }
    }
}
