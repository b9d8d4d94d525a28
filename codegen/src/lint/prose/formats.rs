//! Another form than `format`: a date for `uri`, an address of mail for `date`.

use std::sync::LazyLock;

use regex::Regex;
use toolc::__gen::table::Type;

use super::{CORRECT, Contradiction, Described, has_any, regex};

/// What a text can say that a value is.
struct Form {
    /// The words for messages.
    noun: &'static str,
    /// The formats of such values.
    formats: &'static [&'static str],
    /// A pattern of the words.
    words: &'static str,
}

const fn form(noun: &'static str, formats: &'static [&'static str], words: &'static str) -> Form {
    Form { noun, formats, words }
}

const FORMS: [Form; 10] = [
    form("a date", &["date", "date-time"], r"(?:due |start |end |calendar |birth)?date\b|day\b|\by{4}-mm-dd"),
    form(
        "a point in time",
        &["date-time", "date", "time"],
        r"(?:unix )?timestamp\b|date and time\b|datetime\b|iso[- ]?8601|rfc[- ]?3339",
    ),
    form("a time of day", &["time", "date-time"], r"time of day\b|\bhh:mm"),
    form("a duration", &["duration"], r"duration\b"),
    form("an email address", &["email", "idn-email"], r"e-?mail(?: address)?\b|mail address\b"),
    form(
        "an address of a page",
        &["uri", "uri-reference", "iri", "iri-reference", "uri-template"],
        r"(?:\w+ )?(?:url|uri|link|web address|endpoint)\b|https?:",
    ),
    form("a UUID", &["uuid"], r"(?:\w+ )?(?:uuid|guid)\b"),
    form("an IP address", &["ipv4", "ipv6", "hostname"], r"ip(?:v[46])?(?: address)?\b"),
    form("a host name", &["hostname", "idn-hostname", "ipv4", "ipv6"], r"(?:host ?name|domain(?: name)?|host)\b"),
    form("a regular expression", &["regex"], r"regular expression\b|reg(?:ular )?exp?\b|regex\b"),
];

/// The words of each form where a text begins with what the value is, and anywhere.
static PATTERNS: LazyLock<Vec<(Regex, Regex)>> = LazyLock::new(|| {
    let patterns = FORMS.iter().map(|form| {
        let words = form.words;
        let begin = r"^\s*(?:(?:optional|required)[.:,]?\s+)?(?:(?:an?|the|this|one|valid|full|absolute|complete|iso|unique|your|new|public)\s+){0,3}";
        (regex(&format!(r"(?i){begin}(?:{words})|(?i)\b(?:in the form|formatted as|in)\s+`?(?:y{{4}}-mm-dd|hh:mm)")), regex(&format!(r"(?i)\b(?:{words})")))
    });
    patterns.collect()
});

/// The forms that no number has. A date can be a number of seconds.
const OF_STRINGS: [&str; 5] =
    ["an email address", "an address of a page", "a UUID", "an IP address", "a regular expression"];

/// Words after which a text is about a number of such values.
const NUMBERS: [&str; 17] = [
    "count", "number", "index", "id", "limit", "length", "size", "depth", "status", "code", "port", "timeout", "ttl",
    "version", "type", "position", "rank",
];

/// Reads the form of a value that is a number or a boolean.
fn of_number(described: &Described<'_>) -> Option<Contradiction> {
    let ty = described.only_type().filter(|ty| matches!(ty, Type::Integer | Type::Number | Type::Boolean))?;
    let mut forms = FORMS.iter().zip(PATTERNS.iter()).filter(|(form, _)| OF_STRINGS.contains(&form.noun));
    let (form, span) = forms.find_map(|(form, (begin, _))| Some((form, begin.find(described.text)?.range())))?;
    let next = described.text[span.end..].split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    let is_numbered =
        has_any(described.text, &["position", "number", "numbered", "index", "count", "rank", "addresses"]);
    if is_numbered
        || next.is_some_and(|word| NUMBERS.contains(&word.to_lowercase().as_str()))
        || described.text.contains(" id ")
    {
        return None;
    }
    let message =
        format!("the text says that `{}` is {}, but its type is `{}`", described.name(), form.noun, ty.name());
    Some(Contradiction { span, message, other: (described.type_place(), "the type".to_owned()), help: CORRECT })
}

/// Words that follow a noun which is not a part of a longer one, such as "email archive".
const AFTER_NOUNS: [&str; 60] = [
    "a",
    "after",
    "also",
    "an",
    "and",
    "are",
    "as",
    "associated",
    "at",
    "before",
    "being",
    "belonging",
    "by",
    "can",
    "date",
    "ending",
    "following",
    "for",
    "format",
    "formatted",
    "from",
    "given",
    "how",
    "if",
    "in",
    "is",
    "it",
    "may",
    "must",
    "of",
    "on",
    "or",
    "pointing",
    "registered",
    "representing",
    "should",
    "since",
    "starting",
    "string",
    "that",
    "the",
    "they",
    "this",
    "time",
    "timestamp",
    "to",
    "until",
    "used",
    "using",
    "value",
    "we",
    "when",
    "where",
    "which",
    "who",
    "with",
    "within",
    "without",
    "you",
    "your",
];

/// Returns whether a noun ends before `rest`, so that it says what the value is.
fn is_head(rest: &str) -> bool {
    let Some(after) = rest.strip_prefix(' ') else { return !rest.starts_with('-') };
    let word = after.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    word.is_empty() || AFTER_NOUNS.contains(&word.to_lowercase().as_str())
}

/// Returns whether a noun stands for a thing or a person that the value identifies: an email that has a date, the host of a meeting.
fn is_thing(described: &Described<'_>, span: std::ops::Range<usize>, format: &str) -> bool {
    let noun = described.text[span.clone()].trim().to_lowercase();
    let is_noun = |nouns: &[&str]| nouns.iter().any(|one| noun == *one || noun.ends_with(&format!(" {one}")));
    let next = described.text[span.end..].split_whitespace().next().unwrap_or_default();
    match format {
        "uuid" => is_noun(&["host", "link", "email", "e-mail", "domain", "endpoint"]),
        "email" | "idn-email" => is_noun(&["host"]),
        "date" | "date-time" | "time" => is_noun(&["email", "e-mail"]) && !matches!(next, "" | "of"),
        _ => false,
    }
}

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    if described.schema.format.is_none() {
        return of_number(described);
    }
    let format = described.schema.format.as_ref()?;
    let own = FORMS.iter().any(|form| form.formats.contains(&format.value.as_str()));
    if !own || described.types().iter().any(|ty| *ty != Type::String) {
        return None;
    }
    let of_format = |form: &Form| form.formats.contains(&format.value.as_str());
    let forms = || FORMS.iter().zip(PATTERNS.iter());
    // A text that also names the right form says more than the pattern reads.
    if forms().any(|(form, (_, anywhere))| of_format(form) && anywhere.is_match(described.text)) {
        return None;
    }
    let (form, span) = forms().filter(|(form, _)| !of_format(form)).find_map(|(form, (begin, _))| {
        let found = begin.find(described.text)?;
        let is_name = described.text[found.end()..].trim_start().starts_with(|letter: char| letter.is_ascii_digit());
        let is_value =
            !is_name && is_head(&described.text[found.end()..]) && !is_thing(described, found.range(), &format.value);
        is_value.then(|| (form, found.range()))
    })?;
    let message =
        format!("the text says that `{}` is {}, but its format is `{}`", described.name(), form.noun, format.value);
    let help = "correct one of them: models follow the text, and validators the format";
    Some(Contradiction { span, message, other: (format.place, "the format".to_owned()), help })
}
