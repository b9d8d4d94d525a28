//! Checks command rules: names are unique, each rule has a condition, and no example is both in `matches` and in `ignores`.
//! Whether a rule matches its examples is not checked here.

use std::collections::BTreeMap;

use globset::Glob;

use crate::catalog::Catalog;
use crate::diagnostic::{At, Code, Diagnostic, Sink};
use crate::manifest::RuleManifest;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let mut taken: BTreeMap<&str, &At<String>> = BTreeMap::new();
    for rule in catalog.commands().iter().flat_map(|commands| &commands.rules) {
        if let Some(first) = taken.insert(&rule.name.value, &rule.name) {
            sink.push(
                Diagnostic::new(
                    Code::DUPLICATE_NAME,
                    rule.name.place,
                    format!("the rule `{}` is declared twice", rule.name.value),
                )
                .related(first.place, "first declared here")
                .help("rename one of them"),
            );
        }
        check_conditions(rule, sink);
        for example in rule.ignores.iter().filter(|ignored| rule.matches.iter().any(|m| m.value == ignored.value)) {
            let message = "this command is both in `matches` and in `ignores`";
            sink.push(
                Diagnostic::new(Code::INCOMPATIBLE_KEYS, example.place, message)
                    .help("remove it from one of the lists"),
            );
        }
    }
}

fn check_conditions(rule: &RuleManifest, sink: &Sink) {
    let keys: Vec<&str> = rule.conditions().iter().map(|(key, _)| *key).collect();
    if rule.conditions().iter().all(|(_, texts)| texts.is_empty()) {
        let message = format!("`{}` would match every command", rule.name.value);
        sink.push(
            Diagnostic::new(Code::MISSING_KEY, rule.name.place, message)
                .help(format!("add a condition: {}", crate::diagnostic::ticked(&keys, ", "))),
        );
    }
    for (key, text) in rule.conditions().iter().flat_map(|(key, texts)| texts.iter().map(move |text| (key, text))) {
        if let Some(expected) = unmet_expectation(key, &text.value) {
            let message = format!("`{key}` cannot contain `{}`", text.value);
            sink.push(Diagnostic::new(Code::INVALID_VALUE, text.place, message).label(format!("expected {expected}")));
        }
    }
}

/// Returns what the key expects if it does not accept the text.
fn unmet_expectation(key: &str, text: &str) -> Option<String> {
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
    match key {
        "programs" | "input_from" => {
            (!is_word || text.contains('/')).then(|| "a program's name, without its folder".to_owned())
        }
        "flags" => (!is_word || !text.starts_with('-')).then(|| "a flag, such as `-r` or `--recursive`".to_owned()),
        "subcommands" => (text.trim() != text || text.is_empty()).then(|| "words, such as `reset`".to_owned()),
        _ => Glob::new(text).err().map(|error| format!("a glob; {}", error.kind())),
    }
}
