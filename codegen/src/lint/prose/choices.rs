//! Other values than those of `enum`.

use std::sync::LazyLock;

use regex::Regex;

use super::{CORRECT, Contradiction, Described, has_word, regex};
use crate::diagnostic::{Place, ticked};
use crate::lint::value_lists;

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    let choices = &described.schema.choices;
    let first = choices.first()?;
    // A conditional value may be described under its condition.
    if choices.iter().any(|choice| choice.when.is_some()) {
        return None;
    }
    let text = described.text;
    let allowed: Vec<String> = choices.iter().map(|choice| plain(&choice.value.value)).collect();
    let (list, is_complete) = match value_lists::find(text, described.names) {
        Some(list) => (list, true),
        None => match value_lists::find_loose(text, described.names) {
            Some(list) => (list, false),
            None => return advice(described, &allowed),
        },
    };
    let stated: Vec<&str> = value_lists::items(&text[list.clone()]);
    let is_same = |one: &str, other: &str| folded(one) == folded(other);
    let is_known = |item: &str| allowed.iter().any(|known| is_same(known, item));
    let unknown: Vec<&str> = stated.iter().copied().filter(|item| !is_known(item)).collect();
    if !is_complete && stated.len() == unknown.len() {
        return None;
    }
    let missing = allowed.iter().map(String::as_str).filter(|_| is_complete);
    let missing: Vec<&str> = missing
        .filter(|known| *known != "null" && !stated.iter().any(|item| is_same(item, known)) && !has_word(text, known))
        .collect();
    // "Unit (seconds, minutes)" says what `s` and `m` stand for.
    let is_spelled_out = stated.len() == allowed.len()
        && stated
            .iter()
            .zip(&allowed)
            .all(|(item, known)| !known.is_empty() && folded(item).starts_with(&folded(known)));
    if is_spelled_out {
        return None;
    }
    // A list without any of the values is about something else, unless it has as many.
    let is_other = stated.len() == unknown.len() && stated.len() != allowed.len();
    if is_other || unknown.is_empty() && missing.is_empty() {
        return None;
    }
    let name = described.name();
    let message = match (unknown.as_slice(), missing.as_slice()) {
        ([], missing) => {
            format!("the text lists the values of `{name}` without {}, which `enum` has", ticked(missing, ", "))
        }
        (unknown, _) => {
            format!("the text lists {} as a value of `{name}`, which `enum` does not have", ticked(unknown, ", "))
        }
    };
    Some(Contradiction { span: list, message, other: values(first.value.place, &allowed), help: CORRECT })
}

/// Returns the place of the values, and a label for it.
fn values(place: Place, allowed: &[String]) -> (Place, String) {
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    (place, format!("the values are {}", ticked(&allowed, ", ")))
}

/// Finds a value that a text recommends for a purpose and that does not exist, as in "Use fast for speed, thorough for quality".
fn advice(described: &Described<'_>, allowed: &[String]) -> Option<Contradiction> {
    static ADVICE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:^|[.;:(]\s+|\n)(?:[Uu]se|[Cc]hoose|[Pp]ick|[Ss]elect|[Pp]ass|[Ss]et (?:it )?to)\s+([`\x22]?)([A-Za-z][A-Za-z0-9_-]+)[`\x22]?\s+(?:for|to|if|when|unless)\s",
        )
    });
    /// Words after "use" that are not values.
    const OTHER_WORDS: [&str; 16] = [
        "it",
        "this",
        "that",
        "these",
        "only",
        "both",
        "either",
        "caution",
        "care",
        "regex",
        "glob",
        "markdown",
        "pagination",
        "null",
        "none",
        "one",
    ];
    let text = described.text;
    let is_known = |word: &str| allowed.iter().any(|known| folded(known) == folded(word));
    let mut found = ADVICE.captures_iter(text).filter(|found| {
        let word = &found[2];
        let is_marked = !found[1].is_empty();
        // A plural is a thing that one uses, and a name in the text is the name of a parameter.
        let is_thing = word.ends_with('s')
            || !word.chars().all(|letter| letter.is_ascii_lowercase())
            || OTHER_WORDS.contains(&word);
        !is_known(word) && !described.names.contains(&word) && (is_marked || !is_thing)
    });
    let one = found.next()?;
    let word = one.get(2)?;
    // A text that names a value of the parameter can also give advice about something else.
    let names_value = allowed.iter().any(|known| has_word(text, known));
    if one[1].is_empty() && names_value {
        return None;
    }
    let message = format!(
        "the text recommends `{}` as a value of `{}`, which `enum` does not have",
        word.as_str(),
        described.name()
    );
    let first = described.schema.choices.first()?;
    Some(Contradiction { span: word.range(), message, other: values(first.value.place, allowed), help: CORRECT })
}

fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns a value without case and separators: `In Progress` in a text is `in_progress`.
fn folded(value: &str) -> String {
    value
        .chars()
        .filter(|letter| letter.is_alphanumeric() || "+.<>=!*/".contains(*letter))
        .flat_map(char::to_lowercase)
        .collect()
}
