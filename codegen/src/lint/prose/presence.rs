//! "Optional" for a parameter that is required, and "required" for one that is not.

use std::sync::LazyLock;

use regex::Regex;

use super::{Contradiction, Described, is_conditional, regex};

static OPTIONAL: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^\s*(?:[(\[]optional[)\]]|optional[.:,;])|[(\[]optional(?: parameter| argument| field)?[)\]]\s*\.?\s*$",
        r"|\b(?:this|the) (?:parameter|argument|field|value) is optional\b|^[^.`]{0,60}\b(?:can|may) be (?:omitted|left out)\b",
        r"|(?:^|[,.;(]\s*)if (?:it is )?(?:omitted|left out|not (?:specified|provided|given|set))\b|(?:^|\. |; )(?:omit|leave out) (?:it |this )?(?:to|for)\b",
    ))
});

static REQUIRED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^\s*(?:[(\[]required[)\]]|required[.:;])|[(\[]required[)\]]\s*\.?\s*$",
        r"|\b(?:this|the) (?:parameter|argument|field) is (?:always )?(?:required|mandatory)\b|^\s*(?:mandatory[.:;]|[(\[]mandatory[)\]])|(?:^|[.;] )must always be (?:given|provided|specified|supplied)\b",
    ))
});

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    let (name, place) = (described.name(), described.property.name.place);
    let (pattern, message, label, help) = if described.property.required {
        let message = format!("`{name}` is described as optional, but it is required");
        (&*OPTIONAL, message, "required here", "remove `required`, or correct the text")
    } else {
        let message = format!("`{name}` is described as required, but it is optional");
        (&*REQUIRED, message, "declared without `required`", "add `required = true`, or correct the text")
    };
    // Most texts have none of the words.
    let signs: &[&str] = if described.property.required {
        &["ptional", "PTIONAL", "mitted", "mit ", "left out", "eave out", "f not ", "f it is not"]
    } else {
        &["equired", "EQUIRED", "andatory", "MANDATORY", "ust always"]
    };
    if !signs.iter().any(|sign| described.text.contains(sign)) {
        return None;
    }
    let found = pattern.find(described.text)?;
    if described.property.required && is_about_part(&described.text[found.start()..], found.len()) {
        return None;
    }
    let is_about_cases = !described.property.required && is_conditional(described.text, found.end());
    (!is_about_cases).then(|| Contradiction { span: found.range(), message, other: (place, label.to_owned()), help })
}

/// Returns whether what can be missing is only a part of the value, as in "the page; the scheme can be omitted", or of something else, as
/// in "if not specified in the query".
fn is_about_part(text: &str, length: usize) -> bool {
    let (statement, rest) = text.split_at(length);
    let clause = statement.rsplit([';', ',']).next().unwrap_or_default().to_lowercase();
    let subject =
        clause.split(" can be ").next().and_then(|clause| clause.split(" may be ").next()).unwrap_or_default().trim();
    let is_other = clause.len() < statement.len()
        && !matches!(
            subject,
            "" | "it" | "this" | "this parameter" | "the parameter" | "this field" | "the field" | "the value"
        )
        && clause.contains(" be ");
    is_other || clause.contains("whose ") || rest.starts_with(" in ") || rest.starts_with(" by ")
}
