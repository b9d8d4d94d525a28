//! Other bounds: "between 1 and 50" where `maximum` is 100, "at most 10 items" where `maxItems` is 20.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use toolc::__gen::table::Type;

use super::{CORRECT, Contradiction, Described, follows_case, has_any, is_conditional, regex};
use crate::diagnostic::At;
use crate::lint::mentions::sentence;

/// A number, with separators of thousands.
const NUMBER: &str = r"-?\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?";

/// What a statement about the value itself begins with.
const BEGIN: &str = r"(?:^|^\s*(?:an?|the)\s+(?:[a-z]+\s+){1,2}(?:of\s+)?|[.;:,(\[]\s*|\b(?:must|should|can|may|has to|value|values|allowed|range|integer|number|string|return|returns|fetch|list|show|get|items|results|it|be|is|are|have|contain|with)\s+)";

static BOTH: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"(?i){BEGIN}(?:(?:be\s+)?between\s+(?P<a>{NUMBER})\s+and\s+(?P<b>{NUMBER})(?P<after>\W*\w*)|(?:(?:valid |allowed )?range(?: is| of)?:?\s+|from\s+)(?P<c>{NUMBER})\s*(?:-|–|to|\.\.|through)\s*(?P<d>{NUMBER})(?P<next>\W*\w*)|(?P<e>{NUMBER})\s*(?:-|–|to|\.\.)\s*(?P<f>{NUMBER})(?P<close>[)\]]|\s+(?:characters|chars)\b|(?: inclusive)?[.;]?\s*$))"
    ))
});

/// A word for the greatest value, and one for the least, with what can stand between it and the number.
const EXTREME: &str = r"(?:\s+(?:allowed|permitted|possible|accepted))?(?:\s+(?:value|length|number|count|size|limit))?(?:\s+(?:allowed|permitted))?(?:\s+(?:of|is)|\s*[:=])?";

static MOST: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"(?i){BEGIN}(?:at most:?|no (?:more|greater|larger) than|not (?:more|greater|larger) than|up to(?: a maximum of)?|(?:a |the )?max(?:imum)?\.?{EXTREME}|(?:the )?limit(?:\s+(?:of|is)|\s*[:=])|(?:must |can)?not exceed|(?:capped at|limited to)|less than or equal to|(?:<=|≤))\s*(?P<n>{NUMBER})(?P<after>\W*\w*)|\bmust (?:be |have )?(?:less|fewer|smaller|lower|shorter) than\s+(?P<x>{NUMBER})(?P<next>\W*\w*)|(?:^|[,(.;]\s*)(?P<m>{NUMBER})\s+(?P<noun>[a-z]+\s+)?(?:max|maximum|at most)\b"
    ))
});

static LEAST: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"(?i){BEGIN}(?:at least:?|no (?:less|fewer|smaller) than|not (?:less|fewer|smaller) than|(?:a |the )?min(?:imum)?\.?{EXTREME}|greater than or equal to|(?:>=|≥))\s*(?P<n>{NUMBER})(?P<after>\W*\w*)|\bmust (?:be |have )?(?:more|greater|larger|higher|longer) than\s+(?P<x>{NUMBER})(?P<next>\W*\w*)"
    ))
});

/// Words for the characters of a string.
const CHARACTERS: [&str; 8] = ["character", "characters", "char", "chars", "letters", "symbols", "digits", "long"];

/// Words for measures, whose number can be in another unit than the value.
const MEASURES: [&str; 36] = [
    "ms",
    "milliseconds",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "m",
    "min",
    "mins",
    "minute",
    "minutes",
    "h",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "b",
    "byte",
    "bytes",
    "kb",
    "mb",
    "gb",
    "kib",
    "mib",
    "k",
    "percent",
    "degrees",
    "million",
    "thousand",
];

/// Words of a sentence about values that are usual or good.
const ADVICE: [&str; 22] = [
    "best",
    "better",
    "common",
    "commonly",
    "good",
    "ideal",
    "ideally",
    "normally",
    "often",
    "prefer",
    "preferred",
    "reasonable",
    "recommended",
    "recommend",
    "sensible",
    "suggested",
    "sweet",
    "typical",
    "typically",
    "usual",
    "usually",
    "well",
];

/// Verbs of which a range is the subject, as in "between 1 and 5 are shown".
const VERBS: [&str; 8] = ["are", "is", "was", "were", "will", "can", "have", "get"];

/// A bound that a text states.
struct Stated {
    /// The number.
    value: f64,
    /// Whether it is the least or the greatest value.
    is_least: bool,
    /// Whether the value itself is not allowed, as in "must be less than 50".
    is_exclusive: bool,
    span: Range<usize>,
}

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    if !described.text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let kind = described.only_type()?;
    let (least, most) = bounds(described, kind)?;
    let stated = stated(described, kind);
    stated.into_iter().find_map(|stated| {
        let (keyword, bound, value) = if stated.is_least { least.as_ref()? } else { most.as_ref()? };
        #[expect(clippy::float_cmp, reason = "both are written by a person")]
        let is_same = *value == stated.value
            || (is_exclusive(keyword) || stated.is_exclusive) && (value - stated.value).abs() == 1.0;
        if is_same {
            return None;
        }
        let end = if stated.is_least { "least" } else { "greatest" };
        let what = match kind {
            Type::String => "length",
            Type::Array => "number of items",
            _ => "value",
        };
        let message = format!(
            "the text says that the {end} {what} of `{}` is {}, but `{keyword}` is {}",
            described.name(),
            stated.value,
            bound.value
        );
        let other = (bound.place, format!("the {end} {what}"));
        Some(Contradiction { span: stated.span, message, other, help: CORRECT })
    })
}

fn is_exclusive(keyword: &str) -> bool {
    keyword.starts_with("exclusive")
}

type Bound<'s> = (&'static str, &'s At<Value>, f64);

/// Returns the bounds of a schema, or `None` if it has none.
fn bounds<'s>(described: &Described<'s>, kind: Type) -> Option<(Option<Bound<'s>>, Option<Bound<'s>>)> {
    let bounds = &*described.schema.bounds;
    let bound =
        |keyword, value: &'s Option<At<Value>>| value.as_ref().and_then(|at| Some((keyword, at, at.value.as_f64()?)));
    let (least, most) = match kind {
        Type::Integer | Type::Number => (
            bound("minimum", &bounds.minimum).or(bound("exclusiveMinimum", &bounds.exclusive_minimum)),
            bound("maximum", &bounds.maximum).or(bound("exclusiveMaximum", &bounds.exclusive_maximum)),
        ),
        Type::String => (bound("minLength", &bounds.min_length), bound("maxLength", &bounds.max_length)),
        Type::Array => (bound("minItems", &bounds.min_items), bound("maxItems", &bounds.max_items)),
        _ => return None,
    };
    (least.is_some() || most.is_some()).then_some((least, most))
}

/// Returns the bounds that a text states about values of a type.
fn stated(described: &Described<'_>, kind: Type) -> Vec<Stated> {
    let text = described.text;
    let number = |found: &regex::Captures<'_>, groups: &[&str]| {
        let found = groups.iter().find_map(|group| found.name(group))?;
        let plain: String = found.as_str().chars().filter(|sign| !matches!(sign, ',' | '_')).collect();
        Some((plain.parse::<f64>().ok()?, found.range()))
    };
    let fits = |found: &regex::Captures<'_>| {
        let after = found.name("after").or(found.name("next")).map_or("", |after| after.as_str());
        let noun = found.name("noun").or(found.name("close")).map_or("", |noun| noun.as_str());
        let (begin, end) = found.get(0).map_or((0, 0), |whole| (whole.start(), whole.end()));
        // A number of characters is one of the text itself; "files with up to 5 lines" is about the files.
        if text[begin..end].to_lowercase().starts_with("with") && kind != Type::String {
            return false;
        }
        let next = if after.is_empty() { noun } else { after };
        let word = next.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        let is_glued =
            after.starts_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '%' | '°' | 'x' | '/' | '^'));
        let number = begin + text[begin..end].find(|sign: char| sign.is_ascii_digit()).unwrap_or(0);
        let is_advice = has_any(sentence(text, &(begin..end)), &ADVICE);
        let is_subject = VERBS.contains(&word.as_str()) || follows_case(text, number);
        !is_glued
            && !is_advice
            && !is_subject
            && is_about(described, kind, &word)
            && !is_conditional(text, end - after.len())
    };
    if let Some(found) = described.only_match(&BOTH).filter(|found| fits(found)) {
        let ends = [(["a", "c", "e"], true), (["b", "d", "f"], false)];
        return ends
            .into_iter()
            .filter_map(|(groups, is_least)| {
                let (value, span) = number(&found, &groups)?;
                Some(Stated { value, is_least, is_exclusive: false, span })
            })
            .collect();
    }
    let one = |pattern: &Regex, is_least| {
        let found = described.only_match(pattern).filter(|found| fits(found))?;
        let (value, _) = number(&found, &["n", "m", "x"])?;
        let whole = found.get(0)?;
        let span = whole.start()
            + (whole.as_str().len() - whole.as_str().trim_start_matches(['.', ',', ';', ':', '(', '[', ' ']).len());
        let end = ["n", "m", "x"].iter().find_map(|group| found.name(group)).map_or(whole.end(), |number| number.end());
        Some(Stated { value, is_least, is_exclusive: found.name("x").is_some(), span: span..end })
    };
    [one(&LEAST, true), one(&MOST, false)].into_iter().flatten().collect()
}

/// Returns whether a number before this word is one about values of the type.
fn is_about(described: &Described<'_>, kind: Type, word: &str) -> bool {
    let text = described.text;
    let has_numbers = || {
        let items = described.schema.items.as_deref();
        items.is_none_or(|items| items.effective_types().iter().any(|ty| matches!(ty, Type::Integer | Type::Number)))
    };
    let is_length = ["ength", "haracters", "chars"].iter().any(|word| text.contains(word));
    let is_character = CHARACTERS.contains(&word);
    let is_of_value = is_character || MEASURES.contains(&word);
    match kind {
        Type::String => is_character || is_length && word.is_empty(),
        Type::Array if is_length || word.is_empty() && has_numbers() => false,
        _ => !is_of_value,
    }
}
