//! Another default than `default`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{Contradiction, Described, follows_case, regex};

/// A default in prose. The groups `value` and `first` are a number or a boolean, `word` a word, and `text` the content of quotes.
static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)(?:\b(?:defaults? (?:is|to|value is|value:)|default(?: value)?\s*[:=])\s*|\(default\s+)",
        r#"(?:(?P<value>-?\d+(?:\.\d+)?|true|false)\b(?P<after>\S*)|[`"'](?P<text>[^`"'\n]{0,60})[`"']|(?P<word>[a-z][\w-]*)(?P<end>[.,;)]|\s*$))"#,
        r"|\b(?P<first>-?\d+(?:\.\d+)?|true|false) by default\b",
    ))
});

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    let default = described.property.schema.default.as_ref()?;
    if !described.text.contains("efault") && !described.text.contains("EFAULT") {
        return None;
    }
    let (stated, span) = stated_default(described.text, &words(described))?;
    if is_of_other(described, span.start) {
        return None;
    }
    if !differs(&default.value, &stated) || is_converted(&default.value, &stated) {
        return None;
    }
    let message =
        format!("the text says that the default of `{}` is {stated}, but it is {}", described.name(), default.value);
    let other = (default.place, "the default".to_owned());
    let help = "correct one of them, or remove the default from the text: models see `default`";
    Some(Contradiction { span, message, other, help })
}

/// Returns the values that a word without quotes can name.
fn words<'s>(described: &Described<'s>) -> Vec<&'s str> {
    described.schema.choices.iter().filter_map(|choice| choice.value.value.as_str()).collect()
}

/// Returns whether a default is that of something else: "the server's default is 5", "the page size default is 25".
fn is_of_other(described: &Described<'_>, start: usize) -> bool {
    /// Words before the default of the parameter itself.
    const OWN: [&str; 11] = ["the", "a", "its", "and", "with", "this", "where", "whose", "optional", "or", "is"];
    let (before, rest) = described.text.split_at(start);
    let is_verb = ["defaults ", "default to "].iter().any(|verb| rest.to_lowercase().starts_with(verb));
    let is_noun = !is_verb && rest.to_lowercase().starts_with("default");
    let word = before.rsplit(char::is_whitespace).find(|word| !word.is_empty()).unwrap_or_default().to_lowercase();
    let is_owner = word.ends_with(|letter: char| letter.is_alphanumeric())
        && !OWN.contains(&word.as_str())
        && !described.name().to_lowercase().contains(&word);
    (is_noun && is_owner) || follows_case(described.text, start)
}

fn differs(default: &Value, stated: &Value) -> bool {
    match (default, stated) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() != other.as_f64(),
        (Value::Bool(one), Value::Bool(other)) => one != other,
        (Value::String(one), Value::String(other)) => !one.eq_ignore_ascii_case(other),
        (Value::String(one), other) => {
            let shown = other.to_string();
            *one != shown
        }
        (Value::Number(_), Value::Bool(_)) | (Value::Bool(_), Value::Number(_)) => true,
        _ => false,
    }
}

/// Returns whether a default is the stated number in another unit, such as milliseconds for minutes.
fn is_converted(default: &Value, stated: &Value) -> bool {
    const FACTORS: [f64; 9] = [60.0, 100.0, 1_000.0, 1_024.0, 3_600.0, 60_000.0, 86_400.0, 1_000_000.0, 1_048_576.0];
    let (Some(default), Some(stated)) = (default.as_f64(), stated.as_f64()) else { return false };
    let is_factor = |ratio: f64| FACTORS.iter().any(|factor| (ratio - factor).abs() < 1e-9);
    default != 0.0 && stated != 0.0 && (is_factor(default / stated) || is_factor(stated / default))
}

/// Returns the default that a text states, and its place. A text with several defaults is about different cases. `words` are the values
/// that need no quotes.
fn stated_default(text: &str, words: &[&str]) -> Option<(Value, Range<usize>)> {
    let mut all = DEFAULT.captures_iter(text);
    let (Some(first), None) = (all.next(), all.next()) else { return None };
    let whole = first.get(0)?;
    let has_condition = ["if ", "when ", "for ", "unless ", "except ", "in ", "on "]
        .iter()
        .any(|word| text[whole.end()..].trim_start().starts_with(word));
    if has_condition {
        return None;
    }
    if let Some(value) = first.name("value").or(first.name("first")) {
        // `10s`, `10%` or `1,000` is not the number.
        let after = first.name("after").map_or("", |after| after.as_str());
        let before = text[..value.start()].chars().next_back();
        let is_whole =
            after.chars().all(|sign| ".,;)]".contains(sign)) && !before.is_some_and(|sign| ".,-$".contains(sign));
        let value = is_whole.then(|| serde_json::from_str(&value.as_str().to_lowercase()).ok()).flatten()?;
        return Some((value, whole.range()));
    }
    if let Some(word) = first.name("word") {
        let known = words.iter().find(|known| known.eq_ignore_ascii_case(word.as_str()))?;
        return Some((Value::from(*known), whole.range()));
    }
    let quoted = first.name("text")?.as_str();
    let value = serde_json::from_str(quoted).ok().filter(|value: &Value| value.is_number() || value.is_boolean());
    Some((value.unwrap_or_else(|| Value::from(quoted)), whole.range()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stated_defaults_are_read() {
        for (text, value) in [
            ("How many levels. Defaults to 10.", json!(10)),
            ("Levels (default: 5)", json!(5)),
            ("Levels (default 5)", json!(5)),
            ("Default is true.", json!(true)),
            ("Default: 'text'.", json!("text")),
            ("The default is `2.5`", json!(2.5)),
            ("default = 0", json!(0)),
            ("How many levels, 10 by default.", json!(10)),
            ("The format. Defaults to json.", json!("json")),
        ] {
            assert_eq!(stated_default(text, &["json"]).map(|found| found.0), Some(value), "{text}");
        }
        for text in [
            "Defaults to 10s.",
            "Defaults to 10 if it is a folder.",
            "Default: 5 for files, default: 6 for folders",
            "Defaults to the current folder.",
            "By default, 10 lines are too many",
            "Defaults to 1,000.",
            "At most 1,000 by default",
            "Defaults to xml.",
            "Defaults to json lines.",
        ] {
            assert_eq!(stated_default(text, &["json"]), None, "{text}");
        }
    }
}
