//! The front matter of a skill: what it declares, and the rights that it asks for.

use std::ops::Range;

use crate::codes::Code;
use crate::context::Context;
use crate::entries::{self, Entry};
use crate::hidden;
use crate::hosts::{self, Standing};
use crate::manifests;
use crate::prose;
use crate::purpose::Purpose;
use crate::quoting::Around;
use crate::unit::{Found, Judged, Unit, Voice};

/// Returns the entries of a front matter. Lines of a faulty one are read as `key: value`.
fn entries_of(text: &str) -> Vec<Entry> {
    let found = entries::yaml(text);
    let mut at = 0;
    let by_lines = text.split_inclusive('\n').filter_map(|line| {
        let start = at;
        at += line.len();
        let (key, value) = line.split_once(':')?;
        let is_key =
            !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'));
        is_key.then(|| Entry { path: key.to_owned(), value: value.trim().to_owned(), at: start })
    });
    let missing: Vec<Entry> =
        by_lines.filter(|entry| !found.iter().any(|known| known.path.split('/').next() == Some(&entry.path))).collect();
    found.into_iter().chain(missing).collect()
}

/// Returns what the name and the description declare.
pub(crate) fn purpose(text: &str, front: Option<&Range<usize>>) -> Purpose {
    let Some(text) = front.and_then(|range| text.get(range.clone())) else { return Purpose::default() };
    let entries = entries_of(text);
    let values = entries
        .iter()
        .filter(|entry| matches!(entry.path.as_str(), "name" | "description"))
        .map(|entry| entry.value.as_str());
    Purpose::of(&values.collect::<Vec<_>>().join(". "))
}

/// Returns the values that are sentences for a model or a person, with their places in the document.
pub(crate) fn texts(text: &str, front: &Range<usize>) -> Vec<Entry> {
    let Some(part) = text.get(front.clone()) else { return Vec::new() };
    let is_text = |entry: &Entry| {
        let first = entry.path.split('/').next().unwrap_or_default();
        !matches!(first, "name" | "hooks" | "allowed-tools" | "allowed_tools" | "tools") && entry.value.contains(' ')
    };
    let entries = entries_of(part).into_iter().filter(is_text);
    entries.map(|entry| Entry { at: front.start + entry.at, ..entry }).collect()
}

/// Judges a front matter.
pub(crate) fn check(text: &str, front: &Range<usize>, context: &Context<'_>) -> Judged {
    let mut judged = Judged::default();
    let Some(part) = text.get(front.clone()) else { return judged };
    for entry in entries_of(part) {
        let at = front.start + entry.at;
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let place = at..line_end;
        let unit = Unit::at(part, front.start, Voice::Runs).within(entry.at, entry.value.clone());
        judged.found.extend(prose::check(&unit, &Around::default(), false, context));
        // An escape in a string can stand for an invisible character.
        let hidden = hidden::check(&entry.value, false).into_iter();
        judged.found.extend(hidden.map(|found| Found { at: place.clone(), ..found }));
        if matches!(entry.path.split('/').next(), Some("allowed-tools" | "allowed_tools" | "tools")) {
            judged.found.extend(tools(&entry.value, &place));
        }
        let is_hook = entry.path.starts_with("hooks");
        if is_hook && entry.key() == "command" {
            judged.found.push(Found::new(
                Code::ManifestHook,
                place.clone(),
                "The front matter names a command that an agent runs on its own.",
            ));
        }
        for address in hosts::addresses(&entry.value) {
            match address.standing() {
                Standing::Number | Standing::Hiding(_) => judged.found.push(Found::new(
                    Code::SuspiciousHost,
                    place.clone(),
                    format!("The front matter names {}, which hides its owner.", address.host),
                )),
                Standing::Local | Standing::Named => {}
            }
        }
        manifests::commands(&[Entry { at, ..entry }], &mut judged);
    }
    judged
}

fn tools(value: &str, place: &Range<usize>) -> Option<Found> {
    let mut rights: Vec<&str> = value
        .split([',', ' ', '[', ']'])
        .map(|word| word.trim_matches(['"', '\'']))
        .filter(|word| !word.is_empty())
        .collect();
    rights.retain(|word| !word.is_empty());
    if rights.iter().any(|word| matches!(word.to_ascii_lowercase().as_str(), "*" | "all" | "any" | "*(*)" | "**")) {
        return Some(Found::new(Code::AllTools, place.clone(), Code::AllTools.explanation()));
    }
    let is_broad = rights
        .iter()
        .any(|word| matches!(*word, "Bash" | "Bash(*)" | "Bash(*:*)" | "Shell" | "terminal" | "execute" | "shell"));
    is_broad.then(|| Found::new(Code::BroadTools, place.clone(), Code::BroadTools.explanation()))
}
