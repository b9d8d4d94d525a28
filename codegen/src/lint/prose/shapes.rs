//! Values of another type: "comma-separated" for an array, a list for a string, "true/false" for a string, and a type in parentheses.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use toolc::__gen::table::Type;

use super::{CORRECT, Contradiction, Described, has_any, regex};

static SEPARATED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:comma|semicolon|colon|pipe|space|whitespace|newline|tab)[- ](?:separated|delimited)\b",
        r"|\b(?:separated|delimited) (?:by|with) (?:a |an )?(?:commas?|semicolons?|spaces?|pipes?|newlines?|line breaks|tabs?)\b",
        r"|^\s*(?:an? )?CSV (?:list |string )?of\b",
        r"|\bone (?:\w+ )?per line\b|\bJSON[- ]encoded (?:array|list)\b|\b(?:array|list) as a (?:JSON )?string\b",
    ))
});

static LIST: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)^\s*(?:(?:optional|required)[.:,]?\s+)?(?:an? |the )?(?:list|array) of (?:\w+)"));

/// Words of a text that says how a string holds a list.
const WRITTEN: [&str; 13] = [
    "separat", "delimit", "json", "per line", "string", "newline", "comma", "yaml", "csv", "markdown", "text",
    "format", "encoded",
];

static TRUE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:true\s*/\s*false|true or false)\b|^\s*(?:(?:set|pass|use)(?: it| this)?(?: to)? true\b|if true\b|true (?:to|if|when)\b)|^\s*(?:an? )?(?:boolean|bool)\b",
    )
});

/// A type in parentheses, as in `(string, optional)`.
static TYPE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(?:^|\s)[(\[](?:type:? )?(string|str|integer|int|number|float|boolean|bool|array|list|object|dict)(?:, ?(?:optional|required))?[)\]]",
    )
});

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    let only = described.only_type()?;
    type_in_parentheses(described, only).or_else(|| match only {
        Type::Array => separated(described),
        Type::String => list(described).or_else(|| boolean(described)),
        Type::Integer | Type::Number => list(described).or_else(|| separated(described)),
        Type::Boolean => list(described).or_else(|| separated(described)).or_else(|| count(described)),
        Type::Object | Type::Null => None,
    })
}

fn contradiction(
    described: &Described<'_>,
    span: std::ops::Range<usize>,
    says: &str,
    is: &str,
    help: &'static str,
) -> Contradiction {
    let message = format!("the text says that `{}` is {says}, but it is {is}", described.name());
    Contradiction { span, message, other: (described.type_place(), format!("declared as {is}")), help }
}

fn separated(described: &Described<'_>) -> Option<Contradiction> {
    let text = described.text;
    if !["eparated", "elimited", "per line", "ncoded", "string", "EPARATED", "CSV"]
        .iter()
        .any(|sign| text.contains(sign))
    {
        return None;
    }
    let found = SEPARATED.find(text)?;
    // Each item of the array, or what the tool makes of the array, can be such a text.
    let sentence = crate::lint::mentions::sentence(text, &found.range()).to_lowercase();
    let is_about_items = [
        "each",
        "every",
        "item",
        "file",
        "result",
        "returns",
        "output",
        "column",
        "or a",
        "instead",
        "not ",
        "joined",
        "printed",
        "shown",
        "sent ",
        "passed ",
        "become",
        "converted",
        "turned into",
        "stored",
        "exported",
        "written to",
        "whether",
        "if true",
    ];
    if is_about_items.iter().any(|word| sentence.contains(word)) {
        return None;
    }
    let says = format!("one text (\"{}\")", found.as_str());
    let is = with_article(described.only_type()?.name());
    Some(contradiction(described, found.range(), &says, &is, "describe the values of the type: a model sends these"))
}

/// Words of a text that says what is shown instead of something else.
const INSTEAD: [&str; 4] = ["only", "instead", "rather", "just"];

fn count(described: &Described<'_>) -> Option<Contradiction> {
    static COUNT: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i)^\s*(?:the |a )?(?:(?:maximum|minimum|total) )?(?:number|count|amount) of\b"));
    let found = COUNT.find(described.text).filter(|_| !has_any(described.text, &INSTEAD))?;
    Some(contradiction(described, found.range(), "a number", "a boolean", CORRECT))
}

fn list(described: &Described<'_>) -> Option<Contradiction> {
    if described.schema.choices.is_empty() && described.schema.constant.is_none() {
        let found = LIST.find(described.text)?;
        let text = described.text.to_lowercase();
        let kind = described.only_type();
        let is_string = kind == Some(Type::String);
        if is_one_list(&text[found.start()..]) || kind == Some(Type::Boolean) && has_any(&text, &INSTEAD) {
            return None;
        }
        if is_string && (WRITTEN.iter().any(|word| text.contains(word)) || described.schema.pattern.is_some()) {
            return None;
        }
        let is = described.only_type()?.name();
        let help = "declare an array with `items`, or describe the one value";
        return Some(contradiction(described, found.range(), "a list", &with_article(is), help));
    }
    None
}

/// Returns whether a text that begins with "the list of ..." is about a list that exists: that of one thing, or one that has a place.
fn is_one_list(text: &str) -> bool {
    let Some((_, rest)) = text.split_once(" of ") else { return false };
    let words: Vec<&str> = rest.split(|letter: char| !letter.is_alphanumeric()).take(12).collect();
    let is_of_one = matches!(words.as_slice(), ["the" | "this" | "a" | "an", noun, ..] if !noun.ends_with('s'));
    let is_subject = matches!(words.as_slice(), [_, "is", ..]);
    let is_place = words.windows(2).any(|pair| matches!(pair, ["to" | "in" | "from" | "into" | "on", "which"]));
    is_of_one || is_subject || is_place
}

fn boolean(described: &Described<'_>) -> Option<Contradiction> {
    let schema = described.schema;
    let is_true = |value: &Value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let values = schema.choices.iter().map(|choice| &choice.value).chain(&schema.constant).chain(&schema.default);
    if values.into_iter().any(|value| is_true(&value.value)) || schema.pattern.is_some() {
        return None;
    }
    if !["rue", "ool", "TRUE"].iter().any(|sign| described.text.contains(sign)) {
        return None;
    }
    let found = TRUE.find(described.text)?;
    let text = described.text.to_lowercase();
    // An expression in a text has the values.
    let is_quoted =
        ["string", "text", "expression", "query", "as a", "\"true\"", "'true'"].iter().any(|word| text.contains(word));
    // What is true or false is a condition on something else.
    let is_condition = has_any(
        &text[..found.start()],
        &["condition", "predicate", "rule", "formula", "filter", "for", "rows", "test"],
    );
    let next = text[found.end()..].split_whitespace().next().unwrap_or_default();
    let is_logic = ["operator", "search", "logic", "algebra", "condition", "formula", "keyword"]
        .iter()
        .any(|word| next.starts_with(word));
    if is_condition || is_logic {
        return None;
    }
    let help = "declare a boolean, or describe the text";
    (!is_quoted).then(|| contradiction(described, found.range(), "true or false", "a string", help))
}

fn type_in_parentheses(described: &Described<'_>, only: Type) -> Option<Contradiction> {
    if !described.text.contains(['(', '[']) {
        return None;
    }
    let found = described.only_match(&TYPE)?;
    let word = found.get(1)?;
    let stated = match word.as_str().to_lowercase().as_str() {
        "string" | "str" => Type::String,
        "integer" | "int" => Type::Integer,
        "number" | "float" => Type::Number,
        "boolean" | "bool" => Type::Boolean,
        "array" | "list" => Type::Array,
        _ => Type::Object,
    };
    let (before, rest) = (&described.text[..word.start()], &described.text[word.end()..]);
    // `the type (int)` is an example, and `keys (string) are ...` is about something else.
    let next = rest.trim_start_matches([')', ']']).split_whitespace().next().unwrap_or_default();
    if has_any(before, &["type", "types"]) || matches!(next, "is" | "are" | "was" | "were") {
        return None;
    }
    let is_same =
        stated == only || matches!((stated, only), (Type::Integer | Type::Number, Type::Integer | Type::Number));
    // `(list)` can also be what the string names.
    let is_clear = !matches!((stated, only), (Type::Array | Type::Object, Type::String));
    let (says, is) = (with_article(stated.name()), with_article(only.name()));
    (!is_same && is_clear).then(|| contradiction(described, word.range(), &says, &is, CORRECT))
}

fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {word}")
}
