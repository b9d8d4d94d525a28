//! Dates as pages write them.

use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};

/// When a page was published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// As the page writes it.
    pub written: String,
    /// In the form of RFC 3339: with a time if the page has one with its offset from UTC, else the day only. `None` if the page writes it
    /// in an unknown form.
    pub at: Option<String>,
}

impl Published {
    /// Reads a date. Returns nothing for a text that is too long, or has no digit.
    pub(crate) fn read(written: &str) -> Option<Self> {
        let written = crate::dom::squeeze(written);
        let is_date = (4..=60).contains(&written.len()) && written.bytes().any(|byte| byte.is_ascii_digit());
        is_date.then(|| Self { at: normalize(&written), written })
    }
}

/// Forms of days in words. Months are English.
const FORMS: &[&str] = &[
    "%B %d, %Y",
    "%b %d, %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d %Y",
    "%b %d %Y",
    "%d. %B %Y",
    "%Y/%m/%d",
    "%Y%m%d",
    "%d-%b-%Y",
    "%A, %B %d, %Y",
    "%a, %d %b %Y",
];

fn normalize(written: &str) -> Option<String> {
    let in_years = |year: i16| (1900..=2200).contains(&year);
    // A day only, which the readers of times would take as well.
    if let Ok(day) = written.parse::<Date>()
        && written.len() <= 10
    {
        return in_years(day.year()).then(|| day.to_string());
    }
    if let Ok(time) = written.parse::<Timestamp>() {
        return Some(zoned(written).unwrap_or_else(|| time.to_string()));
    }
    if let Ok(time) = jiff::fmt::rfc2822::parse(written) {
        return Some(of_zoned(&time));
    }
    for form in ["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S %z", "%Y-%m-%dT%H:%M%z", "%Y-%m-%dT%H:%M:%S%.f%z"] {
        if let Ok(time) = Zoned::strptime(form, written) {
            return Some(of_zoned(&time));
        }
    }
    if let Ok(time) = written.parse::<DateTime>() {
        return in_years(time.year()).then(|| time.date().to_string());
    }
    let cleaned = written.replace("Sept ", "Sep ").replace("Sept. ", "Sep ").replace(". ", " ");
    let days =
        FORMS.iter().filter_map(|form| Date::strptime(form, written).or_else(|_| Date::strptime(form, &cleaned)).ok());
    days.filter(|day| in_years(day.year())).map(|day| day.to_string()).next()
}

/// A time in RFC 3339 keeps its offset.
fn zoned(written: &str) -> Option<String> {
    let pieces = jiff::fmt::temporal::DateTimeParser::new();
    let offset = pieces.parse_pieces(written).ok()?.to_numeric_offset()?;
    let time: Timestamp = written.parse().ok()?;
    Some(of_zoned(&time.to_zoned(offset.to_time_zone())))
}

fn of_zoned(time: &Zoned) -> String {
    if time.offset().seconds() == 0 {
        time.timestamp().to_string()
    } else {
        time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_many_forms_become_rfc_3339() {
        let cases = [
            ("2024-05-01", Some("2024-05-01")),
            ("2024-05-01T10:20:30Z", Some("2024-05-01T10:20:30Z")),
            ("2024-05-01T10:20:30.000Z", Some("2024-05-01T10:20:30Z")),
            ("2024-05-01T10:20:30+02:00", Some("2024-05-01T10:20:30+02:00")),
            ("2024-05-01T10:20:30+0200", Some("2024-05-01T10:20:30+02:00")),
            ("2024-05-01 10:20:30 -0700", Some("2024-05-01T10:20:30-07:00")),
            ("2024-05-01T10:20:30", Some("2024-05-01")),
            ("Wed, 01 May 2024 10:20:30 GMT", Some("2024-05-01T10:20:30Z")),
            ("Wed, 01 May 2024 10:20:30 +0200", Some("2024-05-01T10:20:30+02:00")),
            ("May 1, 2024", Some("2024-05-01")),
            ("1 May 2024", Some("2024-05-01")),
            ("Sept. 5, 2023", Some("2023-09-05")),
            ("Jan 5 2023", Some("2023-01-05")),
            ("2024/05/01", Some("2024-05-01")),
            ("1. Mai 2024", None),
            ("3 days ago", None),
        ];
        for (written, at) in cases {
            let published = Published::read(written).unwrap_or_else(|| panic!("{written}"));
            assert_eq!(published.at.as_deref(), at, "{written}");
        }
        assert_eq!(Published::read("yesterday"), None);
    }
}
