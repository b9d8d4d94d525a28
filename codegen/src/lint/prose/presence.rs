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
    let is_about_cases = !described.property.required && is_conditional(described.text, found.end());
    (!is_about_cases).then(|| Contradiction { span: found.range(), message, other: (place, label.to_owned()), help })
}
