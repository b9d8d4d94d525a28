//! Converts times from and to text.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns the milliseconds since 1970, as the tables store times.
pub(crate) fn milliseconds(time: SystemTime) -> i64 {
    i64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

/// Returns the time of a number of milliseconds since 1970.
pub(crate) fn from_milliseconds(milliseconds: i64) -> SystemTime {
    let since = Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default());
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}

/// Returns a time in the form of RFC 3339, in UTC, with seconds: `2026-03-01T12:00:00Z`.
pub fn time_text(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, seconds) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Reads a time: a date (`2026-03-01`, its beginning in UTC), a time as [`time_text`] writes it, or how long ago it was: `12h`, `7d`,
/// `2w`.
pub fn parse_time(text: &str, now: SystemTime) -> Option<SystemTime> {
    let text = text.trim();
    if let Some((unit, seconds)) =
        [('h', 3600), ('d', 86_400), ('w', 604_800)].into_iter().find(|(unit, _)| text.ends_with(*unit))
    {
        let count: u64 = digits(text.strip_suffix(unit)?)?;
        let time = now.checked_sub(Duration::from_secs(count.checked_mul(seconds)?))?;
        return (time >= UNIX_EPOCH).then_some(time);
    }
    let (date, time) = text.split_once('T').map_or((text, None), |(date, time)| (date, Some(time)));
    let [year, month, day] = numbers(date, '-')?;
    let days = days(year, month, day)?;
    let seconds = match time {
        None => 0,
        Some(time) => {
            let [hours, minutes, seconds] = numbers(time.strip_suffix('Z')?, ':')?;
            (hours < 24 && minutes < 60 && seconds < 60).then_some(hours * 3600 + minutes * 60 + seconds)?
        }
    };
    UNIX_EPOCH.checked_add(Duration::from_secs(days.checked_mul(86_400)?.checked_add(seconds)?))
}

/// Returns the number of days from 1970-01-01 to a date.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is the last day of a year.
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let days = 365 * shifted_year + shifted_year / 4 - shifted_year / 100 + shifted_year / 400 + day_of_year;
    let days = days.checked_sub(719_468)?;
    // The day must exist in its month.
    (date(days) == (year, month, day)).then_some(days)
}

fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn numbers(text: &str, separator: char) -> Option<[u64; 3]> {
    let mut parts = text.split(separator).map(digits);
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

/// Returns year, month and day of a number of days since 1970-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    // The calendar repeats every 400 years. Years begin in March, so that the leap day is the last day of a year.
    const CYCLE: u64 = 146_097;
    let days = days + 719_468;
    let (cycle, day_of_cycle) = (days / CYCLE, days % CYCLE);
    let year = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / (CYCLE - 1)) / 365;
    let day_of_year = day_of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (400 * cycle + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_an_instant_or_an_age() {
        let now = UNIX_EPOCH + Duration::from_hours(492_324);
        assert_eq!(time_text(now), "2026-03-01T12:00:00Z");
        for (written, read) in [
            ("2026-03-01", "2026-03-01T00:00:00Z"),
            ("2000-02-29", "2000-02-29T00:00:00Z"),
            (" 2024-12-31T23:59:59Z ", "2024-12-31T23:59:59Z"),
            ("36h", "2026-02-28T00:00:00Z"),
            ("1d", "2026-02-28T12:00:00Z"),
            ("2w", "2026-02-15T12:00:00Z"),
        ] {
            assert_eq!(parse_time(written, now).map(time_text).as_deref(), Some(read), "{written}");
        }
        for text in [
            "",
            "d",
            "-1d",
            "1.5d",
            "999999999w",
            "2026-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-1",
            "26-01-01",
            "1969-12-31",
            "2026-03-01T24:00:00Z",
            "2026-03-01T12:00",
            "tomorrow",
            "2026-03-01-01",
            "é",
            "１d",
        ] {
            assert_eq!(parse_time(text, now), None, "{text}");
        }
    }

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(time_text(UNIX_EPOCH + Duration::from_secs(seconds)), shown);
        }
    }
}
