//! Judges the examples of rules, `matches` and `ignores`, and compares the results.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use toolc_commands::rules::{RuleSet, Verdict};
use toolc_commands::{Cause, Judgement, Surroundings, Word, judge};

use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Sink, ticked};
use crate::manifest::{CommandsManifest, RuleManifest};

/// The number of commands of an example that a message shows.
const MAX_SHOWN: usize = 8;

/// Reports the examples in `matches` that their rule does not match, and those in `ignores` that it does.
pub(super) fn check(manifests: &[CommandsManifest], rules: &RuleSet<'_>, sink: &Sink) {
    // To index the rules takes longer than to judge the examples of one rule, and few rules need optional sets.
    let mut by_sets: BTreeMap<BTreeSet<&str>, Vec<&RuleManifest>> = BTreeMap::new();
    for rule in manifests.iter().flat_map(|manifest| &manifest.rules) {
        by_sets.entry(sets(&rule.name.value, rules)).or_default().push(rule);
    }
    by_sets.par_iter().for_each(|(sets, of_sets)| {
        let rules = rules.with_optional(&sets.iter().copied().collect::<Vec<_>>());
        of_sets.par_iter().for_each(|rule| check_rule(rule, &rules, sink));
    });
}

/// Does so for one rule. The optional sets that it needs are active.
fn check_rule(rule: &RuleManifest, rules: &RuleSet<'_>, sink: &Sink) {
    let Some(verdict) = rule.verdict.as_ref().map(|verdict| verdict.value.0) else { return };
    let name = rule.name.value.as_str();
    for example in &rule.matches {
        let judgement = judge(&example.value, rules, &Surroundings::default());
        let Some((message, expected)) = not_matched(name, verdict, &judgement) else { continue };
        sink.push(failing(example, message, &judgement).label(expected));
    }
    for example in &rule.ignores {
        let judgement = judge(&example.value, rules, &Surroundings::default());
        let finding = judgement.findings.iter().find(|finding| is_rule(finding.cause, name));
        let exception = judgement.exceptions.iter().find(|exception| exception.rule.name == name);
        if finding.is_none() && exception.is_none() {
            continue;
        }
        let message = format!("`{name}` matches this example, which it should ignore");
        let found = failing(example, message, &judgement);
        let text = finding.and_then(|finding| example.value.get(finding.span.range()));
        let found = match text.filter(|text| !text.is_empty()) {
            Some(text) => found.label(format!("the rule matches because of `{text}`")),
            None => found.label("the rule matches"),
        };
        sink.push(found);
    }
}

/// Returns the optional sets that a rule needs: its own, and those of the rules to which it is an exception.
fn sets<'r>(name: &str, rules: &RuleSet<'r>) -> BTreeSet<&'r str> {
    let rule = rules.rule(name);
    let exempts = rule.map_or(&[][..], |rule| rule.exempts).iter().filter_map(|exempted| rules.rule(exempted));
    rule.into_iter().chain(exempts).filter_map(|rule| rule.optional).collect()
}

/// Returns the message and the label if an example of `matches` does not get the verdict of its rule from the rule.
fn not_matched(name: &str, verdict: Verdict, judgement: &Judgement<'_>) -> Option<(String, String)> {
    if verdict == Verdict::Allow {
        let applies = judgement.exceptions.iter().any(|exception| exception.rule.name == name);
        let message = format!("the exception `{name}` does not apply to its example");
        return (!applies).then(|| (message, "expected a match of one of the rules in its `exempts`".to_owned()));
    }
    let own = judgement.findings.iter().filter(|finding| is_rule(finding.cause, name));
    let best = own.map(|finding| finding.verdict).max();
    let expected = format!("expected the verdict `{}` from this rule", verdict.word());
    let is_exempted = |cause: &Cause<'_>| is_rule(*cause, name);
    let exception = judgement.exceptions.iter().find(|exception| exception.exempted.iter().any(is_exempted));
    match (best, exception) {
        (Some(best), _) if best == verdict => None,
        (Some(_), _) => {
            let message = format!("`{name}` does not certainly match its example");
            Some((message, format!("{expected}, but the match depends on values known only at run time")))
        }
        (None, Some(exception)) => {
            let message = format!("`{}` exempts this example from `{name}`", exception.rule.name);
            Some((message, expected))
        }
        (None, None) => Some((format!("`{name}` does not match its example"), expected)),
    }
}

fn is_rule(cause: Cause<'_>, name: &str) -> bool {
    matches!(cause, Cause::Rule(rule) if rule.name == name)
}

/// Returns a diagnostic that shows what the example would run, and which rules match it.
fn failing(example: &At<String>, message: String, judgement: &Judgement<'_>) -> Diagnostic {
    let line = example.value.as_str();
    let commands = &judgement.reading.commands;
    let mut runs: Vec<String> = commands.iter().take(MAX_SHOWN).map(|command| shown(&command.words, line)).collect();
    runs.retain(|command| !command.is_empty());
    let mut found = Diagnostic::new(codes::FAILING_EXAMPLE, example.place, message);
    found = if runs.is_empty() {
        found.help("the example runs nothing")
    } else {
        let runs: Vec<&str> = runs.iter().map(String::as_str).collect();
        let more = if commands.len() > MAX_SHOWN {
            format!(" and {} more", commands.len() - MAX_SHOWN)
        } else {
            String::new()
        };
        found.help(format!("the example runs {}{more}", ticked(&runs, ", ")))
    };
    let mut causes: Vec<String> = Vec::new();
    for finding in &judgement.findings {
        let cause = format!("`{}` ({})", finding.cause.name(), finding.verdict.word());
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    found = if causes.is_empty() {
        found.help("no rule matches it")
    } else {
        found.help(format!("matched by {}", causes.join(", ")))
    };
    found.help("change the conditions of the rule, or the example")
}

/// Returns the words of a command, as far as they are certain, and otherwise as they are written.
fn shown(words: &[Word], line: &str) -> String {
    let shown = |word: &Word| match word.text() {
        Some(text) if text.is_empty() => "''".to_owned(),
        Some(text) => text.into_owned(),
        None => line.get(word.span.range()).unwrap_or("?").to_owned(),
    };
    words.iter().map(shown).collect::<Vec<_>>().join(" ")
}
