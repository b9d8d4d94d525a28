//! Other values than those of `enum`.

use super::{CORRECT, Contradiction, Described, has_word};
use crate::diagnostic::ticked;
use crate::lint::value_lists;

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    let choices = &described.schema.choices;
    let first = choices.first()?;
    // A conditional value may be described under its condition.
    if choices.iter().any(|choice| choice.when.is_some()) {
        return None;
    }
    let text = described.text;
    let (list, is_complete) = match value_lists::find(text, described.names) {
        Some(list) => (list, true),
        None => (value_lists::find_loose(text, described.names)?, false),
    };
    let stated: Vec<&str> = value_lists::items(&text[list.clone()]);
    let allowed: Vec<String> = choices.iter().map(|choice| plain(&choice.value.value)).collect();
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
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    let other = (first.value.place, format!("the values are {}", ticked(&allowed, ", ")));
    Some(Contradiction { span: list, message, other, help: CORRECT })
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
