//! Dates of pages, in the forms that services give them.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::text::clean;

/// The maximum length of a date, in characters.
const MAX_DATE: usize = 40;
/// Forms of dates. `%b` also reads whole names of months.
const FORMS: &[&str] = &["%Y-%m-%d", "%Y/%m/%d", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%b. %d, %Y"];

/// Returns today's date in UTC.
pub(crate) fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// Returns a date as `2026-11-30` (RFC 3339), or as it is given, such as `3 days ago`.
pub(crate) fn common(given: &str) -> Option<String> {
    let given = clean(given, MAX_DATE);
    let date = date(&given).filter(|date| (1970..=2100).contains(&date.year()));
    date.map(|date| date.to_string()).or(Some(given)).filter(|text| !text.is_empty())
}

fn date(given: &str) -> Option<Date> {
    let date = FORMS.iter().find_map(|form| Date::strptime(form, given).ok());
    date.or_else(|| beginning(given)).or_else(|| rfc2822(given)).or_else(|| seconds(given))
}

/// Returns the date before a time: `2026-11-30T10:00:00Z`, `2026-11-30 10:00:00+0100`.
fn beginning(given: &str) -> Option<Date> {
    let (date, time) = given.split_at_checked(10)?;
    let is_time = time.starts_with(['T', 't', ' ']) && time[1..].starts_with(|letter: char| letter.is_ascii_digit());
    date.parse().ok().filter(|_| is_time && time[1..].contains(':'))
}

/// Returns the date of `Mon, 30 Nov 2026 10:00:00 GMT`.
fn rfc2822(given: &str) -> Option<Date> {
    jiff::fmt::rfc2822::parse(given).ok().map(|zoned| zoned.date())
}

/// Returns the date of a number of seconds, or milliseconds, since 1970.
fn seconds(given: &str) -> Option<Date> {
    let number: i64 = given.parse().ok()?;
    let seconds = match given.len() {
        9 | 10 => number,
        12 | 13 => number / 1_000,
        _ => return None,
    };
    Some(Timestamp::from_second(seconds).ok()?.to_zoned(TimeZone::UTC).date())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_common_forms_have_one_form() {
        for (given, expected) in [
            ("2024-05-01", "2024-05-01"),
            ("2024-05-01T23:59:59.123Z", "2024-05-01"),
            ("2024-05-01T00:00:00", "2024-05-01"),
            ("2024-05-01 12:00:00+0200", "2024-05-01"),
            ("2024/05/01", "2024-05-01"),
            ("May 1, 2024", "2024-05-01"),
            ("Sep 3, 2023", "2023-09-03"),
            ("3 September 2023", "2023-09-03"),
            ("3 Sep 2023", "2023-09-03"),
            ("Wed, 01 May 2024 12:00:00 GMT", "2024-05-01"),
            ("1714521600", "2024-05-01"),
            ("1714521600000", "2024-05-01"),
            ("3 days ago", "3 days ago"),
            ("2024-13-45", "2024-13-45"),
            ("2024-05-01 is a day", "2024-05-01 is a day"),
            ("0001-01-01T00:00:00", "0001-01-01T00:00:00"),
            ("May 2024", "May 2024"),
            ("vor 3 Tagen", "vor 3 Tagen"),
            ("äöüäöüäö", "äöüäöüäö"),
        ] {
            assert_eq!(common(given).as_deref(), Some(expected), "{given}");
        }
        assert_eq!(common(" "), None);
    }
}
