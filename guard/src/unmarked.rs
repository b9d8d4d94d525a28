//! Commands in sentences and in data that are not marked as code.

use std::ops::Range;

use crate::quoting::CODE;

/// Commands that a sentence can contain without marks, with what comes after their names.
const BARE: &[(&str, &[&str])] = &[
    ("curl ", &["-", "http", "\"", "'", "$"]),
    ("wget ", &["-", "http", "\"", "'", "$"]),
    ("iwr ", &["-", "http", "\"", "'", "$"]),
    ("irm ", &["-", "http", "\"", "'", "$"]),
    ("rm ", &["-rf", "-fr", "-r "]),
    ("bash ", &["-c", "<("]),
    ("sh ", &["-c", "<("]),
    ("eval ", &["\"$(", "$("]),
];

/// What ends a command in a sentence, unless a pipe to an interpreter ends it before.
const ENDS: &[&str] = &[". ", ".\n", "\n\n", ", ", " and ", " then ", " before ", " in a ", " in the ", " to "];

/// The maximum length of a command in a sentence, in bytes.
const MAX_COMMAND: usize = 2000;

/// Returns the commands in a paragraph that are not marked as code, with their places, and the sentence around each.
pub(crate) fn commands(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    for (number, part) in text.split('`').enumerate() {
        // Every second part is code.
        if number % 2 == 0 {
            bare_commands(text, at, part, &mut found);
        }
        at += part.len() + 1;
    }
    found
}

fn bare_commands(text: &str, start: usize, part: &str, found: &mut Vec<(usize, String, String)>) {
    let mut from = 0;
    for at in starts_of_commands(part) {
        if at < from {
            continue;
        }
        let rest = &part[at..part.floor_char_boundary(at + MAX_COMMAND)];
        let sentence_end = ENDS.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
        let piped =
            ["sh", "bash", "zsh", "python3", "python", "node", "perl", "ruby", "iex"].iter().filter_map(|name| {
                let (pipe, sudo) = (format!("| {name}"), format!("| sudo {name}"));
                [pipe, sudo].iter().find_map(|pipe| rest.find(pipe.as_str()).map(|at| at + pipe.len()))
            });
        let end = piped.max().unwrap_or(sentence_end);
        let command = rest[..end].trim_end_matches(['.', ')', ':']);
        let before = sentence(text, &(start + at..start + at));
        let name = command.get(..8).unwrap_or(command);
        let lead = format!("{}{CODE}", &before[..before.find(name).unwrap_or(0)]);
        found.push((start + at, command.replace('\n', " "), lead));
        from = at + command.len();
    }
}

/// Returns the places of the names of commands with arguments.
fn starts_of_commands(text: &str) -> Vec<usize> {
    let places = BARE.iter().flat_map(|(name, next)| {
        text.match_indices(name).map(|(at, _)| at).filter(move |at| {
            let before = text[..*at].chars().next_back();
            before.is_none_or(|letter| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '/' | '.')))
                && next.iter().any(|next| text[at + name.len()..].starts_with(next))
        })
    });
    let mut places: Vec<usize> = places.collect();
    places.sort_unstable();
    places
}

/// Returns the sentence around a place.
pub(crate) fn sentence<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    let start = text.floor_char_boundary(range.start.saturating_sub(300));
    let start = text[start..range.start].rfind(". ").map_or(start, |at| start + at + 2);
    let limit = text.ceil_char_boundary((range.end + 300).min(text.len()));
    let end = text[range.end..limit].find(". ").map_or(limit, |at| range.end + at);
    &text[start..end]
}
