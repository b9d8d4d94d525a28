//! Another layout of a date or a time than `format` has: `YYYY-MM-DD` for a date-time, `DD.MM.YYYY` for a date.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Contradiction, Described, regex};

/// What a layout or an example is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Date,
    Time,
    DateTime,
    /// A date in another order, which no format allows.
    Other,
}

impl Layout {
    fn noun(self) -> &'static str {
        match self {
            Self::Date => "a date without a time",
            Self::Time => "a time without a date",
            Self::DateTime => "a date with a time",
            Self::Other => "a date that does not begin with the year",
        }
    }

    /// Returns the layout of the values of a format.
    fn of_format(format: &str) -> Option<Self> {
        match format {
            "date" => Some(Self::Date),
            "time" => Some(Self::Time),
            "date-time" => Some(Self::DateTime),
            _ => None,
        }
    }
}

/// Layouts and examples. A layout with a time is a match of its own, so that its date is not taken for a whole.
static LAYOUTS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)(?P<both>\by{4}-mm-dd['\x22]?(?:t|\s|'t'|_){1,3}['\x22]?hh|\b\d{4}-\d{2}-\d{2}(?:t|\s)\d{2}:)",
        r"|(?P<date>\by{4}-mm-dd\b|\b\d{4}-(?:0\d|1[0-2])-[0-3]\d\b)",
        r"|(?P<other>\b(?:dd?[./-]mm?[./-]y{2,4}|mm?[./-]dd?[./-]y{2,4})\b)",
        r"|(?P<time>\bhh:mm(?::ss)?\b)",
    ))
});

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    let format = described.schema.format.as_ref()?;
    let expected = Layout::of_format(&format.value)?;
    let found: Vec<(Layout, Range<usize>)> =
        LAYOUTS.captures_iter(described.text).filter_map(|found| layout(&found)).collect();
    // A text with several layouts says more than this reader understands, unless it repeats one.
    let (first, span) = found.first().cloned()?;
    if first == expected || found.iter().any(|(other, _)| *other != first) || is_another_thing(described.text, &span) {
        return None;
    }
    let shown = &described.text[span.clone()];
    let name = described.name();
    let message = format!(
        "the text shows `{shown}`, {}, as a value of `{name}`, but its format is `{}`",
        first.noun(),
        format.value
    );
    let help = "correct one of them: models follow the text, and validators the format";
    Some(Contradiction { span, message, other: (format.place, "the format".to_owned()), help })
}

fn layout(found: &regex::Captures<'_>) -> Option<(Layout, Range<usize>)> {
    let kinds = [("both", Layout::DateTime), ("date", Layout::Date), ("other", Layout::Other), ("time", Layout::Time)];
    kinds.into_iter().find_map(|(name, kind)| Some((kind, found.name(name)?.range())))
}

/// Returns whether the words before a layout say that it is not, or not the whole of, the value.
fn is_another_thing(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start].to_lowercase();
    let sentence = before.rfind(['.', ';', '\n']).map_or(before.as_str(), |end| &before[end + 1..]);
    let words = [
        "not", "no", "never", "instead", "rather", "since", "after", "before", "until", "plus", "with", "and", "or",
        "shown",
    ];
    sentence.split(|letter: char| !letter.is_alphanumeric()).any(|word| words.contains(&word))
        || text[span.end..].trim_start_matches(['`', '"', '\'', ')']).trim_start().starts_with("or ")
}
