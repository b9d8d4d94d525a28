//! Schedules of jobs: cron expressions, intervals, and single times.

use std::fmt;
use std::time::{Duration, SystemTime};

use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The maximum length of a schedule, in bytes.
const MAX_BYTES: usize = 200;
/// The shortest interval, and the shortest time between two times of an expression.
const MIN_INTERVAL: Duration = Duration::from_mins(1);
/// The maximum interval and delay.
const MAX_INTERVAL: Duration = Duration::from_hours(24 * 366);
/// The units of intervals, each with its names and its seconds.
const UNITS: [(&[&str], u64); 4] = [
    (&["m", "min", "mins", "minute", "minutes"], 60),
    (&["h", "hr", "hrs", "hour", "hours"], 3600),
    (&["d", "day", "days"], 86_400),
    (&["w", "week", "weeks"], 604_800),
];
/// The nicknames of expressions.
const NICKNAMES: [(&str, &str); 6] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
];
/// The fields of an expression, each with its possible values and examples.
const FIELDS: [(&str, &str, &str); 5] = [
    ("minute", "a number from 0 to 59", "`0,30`, `10-20` and `*/15`"),
    ("hour", "a number from 0 to 23", "`8,20`, `9-17` and `*/2`"),
    ("day of the month", "a number from 1 to 31, `L` for the last day", "`1,15`, `1-7` and `*/2`"),
    ("month", "a number from 1 to 12, a name from `JAN` to `DEC`", "`1,7`, `JUN-AUG` and `*/3`"),
    (
        "day of the week",
        "a number from 0 to 7 (Sunday is 0 and 7), a name from `SUN` to `SAT`",
        "`1,3`, `MON-FRI` and `*/2`",
    ),
];
/// The maximum number of times that are counted as missed.
const MAX_MISSED: u64 = 10_000;

/// When a job is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// A cron expression of five fields, in the time zone of the job.
    Cron(String),
    /// An interval of whole minutes, counted from the time at which the job was made or resumed.
    Every(Duration),
    /// A single time.
    Once(SystemTime),
}

/// The error about a text that is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleError(pub(super) String);

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScheduleError {}

impl Schedule {
    /// Reads a schedule:
    ///
    /// - `0 9 * * 1-5`, `@daily`: a cron expression of five fields, or its nickname;
    /// - `every 30m`, `every 2 hours`: an interval of minutes (`m`), hours (`h`), days (`d`, of 24 hours) or weeks (`w`);
    /// - `30m`, `in 2 hours`: once, after this delay from `now`;
    /// - `2026-03-01T09:00`, `2026-03-01 09:00`, `2026-03-01`: once, at this time of `zone`;
    /// - `2026-03-01T09:00Z`, `2026-03-01T09:00+02:00`: once, at this time.
    ///
    /// # Errors
    /// Returns an error that says what was expected if the text has another form, or has no future time.
    pub fn parse(text: &str, now: SystemTime, zone: &TimeZone) -> Result<Self, ScheduleError> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_BYTES {
            return Err(ScheduleError(format!("a schedule has between 1 and {MAX_BYTES} bytes: {FORMS}")));
        }
        let lower = text.to_lowercase();
        if let Some(interval) = lower.strip_prefix("every ") {
            return duration(interval).map(Self::Every);
        }
        let delay = lower.strip_prefix("in ").unwrap_or(&lower);
        if delay.len() < lower.len() || is_duration(delay) {
            return Ok(Self::Once(now + duration(delay)?));
        }
        if lower.starts_with('@') || lower.split_whitespace().count() > 2 {
            let schedule = Self::Cron(expression(&lower)?);
            if schedule.next(now, now, zone).is_none() {
                return Err(ScheduleError(format!("the expression `{text}` matches no date")));
            }
            return Ok(schedule);
        }
        let time = instant(text, zone)
            .ok_or_else(|| ScheduleError(format!("`{}` is not a schedule: {FORMS}", text.escape_debug())))?;
        if time <= now {
            let (time, now) = (zoned_text(time, zone), zoned_text(now, zone));
            return Err(ScheduleError(format!("`{text}` means {time}, which has passed: it is now {now}")));
        }
        Ok(Self::Once(time))
    }

    /// Returns whether the job is due only once.
    pub fn is_once(&self) -> bool {
        matches!(self, Self::Once(_))
    }

    /// Returns the first time after `after`. An interval counts from `since`.
    pub fn next(&self, since: SystemTime, after: SystemTime, zone: &TimeZone) -> Option<SystemTime> {
        match self {
            Self::Cron(expression) => {
                let start = zoned(after, zone)?;
                let next = parser().parse(expression).ok()?.find_next_occurrence(&start, false).ok()?;
                // At a change of daylight saving time, the library can return a time that has passed.
                Some(SystemTime::from(next.timestamp())).filter(|next| *next > after)
            }
            Self::Every(interval) => {
                let interval = interval.as_millis().max(1);
                let passed = after.duration_since(since).unwrap_or_default().as_millis();
                let millis = u64::try_from((passed / interval + 1) * interval).ok()?;
                since.checked_add(Duration::from_millis(millis))
            }
            Self::Once(time) => (*time > after).then_some(*time),
        }
    }

    /// Returns the number of times after `due` until `now`, at most ten thousand.
    pub(super) fn missed(&self, since: SystemTime, due: SystemTime, now: SystemTime, zone: &TimeZone) -> u64 {
        let mut last = due;
        let mut count = 0;
        while count < MAX_MISSED
            && let Some(next) = self.next(since, last, zone)
            && next <= now
        {
            count += 1;
            last = next;
        }
        count
    }

    /// Parses the text that [`Display`](fmt::Display) writes.
    pub(super) fn from_stored(text: &str) -> Option<Self> {
        if let Some(minutes) = text.strip_prefix("every ") {
            let minutes: u64 = minutes.strip_suffix('m')?.parse().ok()?;
            return Some(Self::Every(Duration::from_secs(minutes.checked_mul(60)?)));
        }
        if let Some(time) = text.strip_prefix("at ") {
            return time.parse::<Timestamp>().ok().map(|time| Self::Once(time.into()));
        }
        parser().parse(text).ok().map(|_| Self::Cron(text.to_owned()))
    }
}

/// Writes the schedule as it is stored: `0 9 * * 1-5`, `every 30m`, `at 2026-03-01T09:00:00Z`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cron(expression) => f.write_str(expression),
            Self::Every(interval) => write!(f, "every {}m", interval.as_secs() / 60),
            Self::Once(time) => match Timestamp::try_from(*time) {
                Ok(time) => write!(f, "at {time:.0}"),
                Err(_) => f.write_str("at an unknown time"),
            },
        }
    }
}

/// Returns a time of a zone as text: `2026-03-01T09:00:00+01:00`.
pub(super) fn zoned_text(time: SystemTime, zone: &TimeZone) -> String {
    match zoned(time, zone) {
        Some(time) => time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        None => "an unknown time".to_owned(),
    }
}

/// Returns a cron expression of five fields in its normal form.
fn expression(text: &str) -> Result<String, ScheduleError> {
    let expected = "expected five fields: minute, hour, day of the month, month, day of the week";
    if text.starts_with('@') {
        let known = NICKNAMES.iter().find(|(name, _)| *name == text);
        return known.map(|(_, expression)| (*expression).to_owned()).ok_or_else(|| {
            let names: Vec<&str> = NICKNAMES.iter().map(|(name, _)| *name).collect();
            ScheduleError(format!("unknown name `{}`: expected one of {}", text.escape_debug(), names.join(", ")))
        });
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() != 5 || text.contains('@') {
        return Err(ScheduleError(format!(
            "the expression `{}` has {} fields: {expected}",
            text.escape_debug(),
            fields.len()
        )));
    }
    let expression = fields.join(" ").to_uppercase();
    match parser().parse(&expression) {
        Ok(_) => Ok(expression),
        Err(_) => Err(ScheduleError(field_problem(&fields, text))),
    }
}

/// Returns a message about the first invalid field of an expression.
fn field_problem(fields: &[&str], text: &str) -> String {
    for (at, (field, (name, expected, example))) in fields.iter().zip(FIELDS).enumerate() {
        let mut alone = ["*"; FIELDS.len()];
        alone[at] = field;
        if parser().parse(&alone.join(" ").to_uppercase()).is_err() {
            return format!(
                "the expression `{}` is wrong: its {name} is `{}`; expected {expected}, `*`, or several of them such as {example}",
                text.escape_debug(),
                field.escape_debug()
            );
        }
    }
    format!("the expression `{}` is wrong: its fields do not fit together", text.escape_debug())
}

const FORMS: &str = "expected a cron expression such as `0 9 * * 1-5`, an interval such as `every 30m`, a delay such as `2h`, or a time such \
                     as `2026-03-01T09:00`";

fn parser() -> CronParser {
    // An expression without seconds never has two times within a minute.
    CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build()
}

fn zoned(time: SystemTime, zone: &TimeZone) -> Option<Zoned> {
    Some(Timestamp::try_from(time).ok()?.to_zoned(zone.clone()))
}

fn instant(text: &str, zone: &TimeZone) -> Option<SystemTime> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.into());
    }
    // Refuse any suffix other than an offset, such as the name of a zone.
    let is_local = text.chars().all(|letter| letter.is_ascii_digit() || "-:. Tt".contains(letter));
    let local = if is_local {
        text.parse::<DateTime>().ok().or_else(|| text.parse::<Date>().ok().map(DateTime::from))?
    } else {
        return None;
    };
    // If a change of the clock skips the time, it is an hour later. If the time occurs twice, it is the earlier one.
    Some(local.to_zoned(zone.clone()).ok()?.timestamp().into())
}

/// Returns whether a text begins with a number and has a unit, so that it is meant as a duration.
fn is_duration(text: &str) -> bool {
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim();
    unit.len() < text.trim().len() && UNITS.iter().any(|(names, _)| names.contains(&unit))
}

fn duration(text: &str) -> Result<Duration, ScheduleError> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    // `every hour` is one hour.
    let number = if number.is_empty() { Some(1) } else { number.parse::<u64>().ok() };
    let seconds = UNITS.iter().find(|(names, _)| names.contains(&unit.trim())).map(|(_, seconds)| *seconds);
    let (Some(number), Some(seconds)) = (number, seconds) else {
        return Err(ScheduleError(format!(
            "`{}` is not a duration: expected a number and a unit, such as `30m`, `2h`, `1d` or `1w`",
            text.escape_debug()
        )));
    };
    let duration = number.checked_mul(seconds).map(Duration::from_secs);
    match duration.filter(|duration| (MIN_INTERVAL..=MAX_INTERVAL).contains(duration)) {
        Some(duration) => Ok(duration),
        None => Err(ScheduleError(format!("`{text}` is out of range: expected between 1 minute and 366 days"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> SystemTime {
        text.parse::<Timestamp>().expect("it is a time").into()
    }

    fn berlin() -> TimeZone {
        TimeZone::get("Europe/Berlin").expect("the zone is known")
    }

    #[test]
    fn each_form_is_read_and_kept() {
        let now = time("2026-03-01T12:00:30Z");
        for (written, stored, next) in [
            ("0 9 * * 1-5", "0 9 * * 1-5", "2026-03-02T09:00:00+01:00"),
            ("  0  9 * * mon-fri ", "0 9 * * MON-FRI", "2026-03-02T09:00:00+01:00"),
            ("*/15 * * * *", "*/15 * * * *", "2026-03-01T13:15:00+01:00"),
            ("0 0 29 2 *", "0 0 29 2 *", "2028-02-29T00:00:00+01:00"),
            ("@daily", "0 0 * * *", "2026-03-02T00:00:00+01:00"),
            ("every 30m", "every 30m", "2026-03-01T13:30:30+01:00"),
            ("Every 2 Hours", "every 120m", "2026-03-01T15:00:30+01:00"),
            ("every day", "every 1440m", "2026-03-02T13:00:30+01:00"),
            ("45m", "at 2026-03-01T12:45:30Z", "2026-03-01T13:45:30+01:00"),
            ("in 1 week", "at 2026-03-08T12:00:30Z", "2026-03-08T13:00:30+01:00"),
            ("2026-07-01T09:00", "at 2026-07-01T07:00:00Z", "2026-07-01T09:00:00+02:00"),
            ("2026-07-01 09:00:15", "at 2026-07-01T07:00:15Z", "2026-07-01T09:00:15+02:00"),
            ("2026-07-01", "at 2026-06-30T22:00:00Z", "2026-07-01T00:00:00+02:00"),
            ("2026-07-01T09:00Z", "at 2026-07-01T09:00:00Z", "2026-07-01T11:00:00+02:00"),
            ("2026-07-01T09:00-05:00", "at 2026-07-01T14:00:00Z", "2026-07-01T16:00:00+02:00"),
        ] {
            let schedule =
                Schedule::parse(written, now, &berlin()).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(schedule.to_string(), stored, "{written}");
            assert_eq!(Schedule::from_stored(stored).as_ref(), Some(&schedule), "{written}");
            let due = schedule.next(now, now, &berlin()).expect("it is due");
            assert_eq!(zoned_text(due, &berlin()), next, "{written}");
        }
    }

    #[test]
    fn each_mistake_is_explained() {
        let now = time("2026-03-01T12:00:00Z");
        for (written, problem) in [
            ("", "between 1 and 200 bytes"),
            (&"1".repeat(201), "between 1 and 200 bytes"),
            ("tomorrow", "is not a schedule: expected a cron expression"),
            ("every", "is not a schedule"),
            ("every 30s", "is not a duration"),
            ("every 0m", "between 1 minute and 366 days"),
            ("every -5m", "is not a duration"),
            ("every 1.5h", "is not a duration"),
            ("every 99999999999999999999m", "is not a duration"),
            ("every 999999999999999999w", "out of range"),
            ("every 367d", "out of range"),
            ("in a while", "is not a duration"),
            ("in 0m", "out of range"),
            ("* * * * * *", "has 6 fields: expected five fields"),
            ("0 9 * *", "has 4 fields"),
            ("61 * * * *", "is wrong: its minute is `61`; expected a number from 0 to 59, `*`, or several"),
            ("0 24 * * *", "its hour is `24`"),
            ("0 0 32 * *", "its day of the month is `32`"),
            ("0 0 * foo *", "its month is `foo`; expected a number from 1 to 12, a name from `JAN`"),
            ("0 0 * * 8", "its day of the week is `8`"),
            ("30-10 * * * *", "its minute is `30-10`"),
            ("a b c d e", "its minute is `a`"),
            ("0 0 31 2 *", "matches no date"),
            ("@reboot", "unknown name `@reboot`: expected one of @hourly"),
            ("@daily * * * *", "unknown name"),
            ("2026-02-30T09:00", "is not a schedule"),
            ("2026-07-01T09:00[Europe/Rome]", "is not a schedule"),
            ("2026-03-01T12:00Z", "which has passed: it is now 2026-03-01T13:00:00+01:00"),
            ("2020-01-01", "which has passed"),
            ("9999999-01-01", "is not a schedule"),
        ] {
            match Schedule::parse(written, now, &berlin()) {
                Err(error) => assert!(error.to_string().contains(problem), "{written}: {error}"),
                Ok(schedule) => panic!("{written}: {schedule:?}"),
            }
        }
    }

    /// Returns the times of an expression between two times.
    fn times(expression: &str, from: &str, until: &str) -> Vec<String> {
        let (mut last, until) = (time(from), time(until));
        let schedule = Schedule::parse(expression, last, &berlin()).expect("it is an expression");
        let mut times = Vec::new();
        while let Some(next) = schedule.next(last, last, &berlin()).filter(|next| *next <= until) {
            assert!(next > last);
            times.push(zoned_text(next, &berlin()));
            last = next;
        }
        times
    }

    #[test]
    fn a_change_of_the_clock_neither_skips_nor_repeats_a_daily_time() {
        // The clock goes from 2:00 to 3:00 on March 29, and from 3:00 to 2:00 on October 25.
        let spring = times("30 2 * * *", "2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z");
        assert_eq!(spring, ["2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"]);
        let autumn = times("30 2 * * *", "2026-10-23T12:00:00Z", "2026-10-26T12:00:00Z");
        assert_eq!(autumn, ["2026-10-24T02:30:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"]);
        // Several times of an hour mean every one that passes: none in the gap, and each of the repeated hour.
        assert_eq!(times("*/30 2 * * *", "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z"), [""; 0]);
        assert_eq!(times("*/30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z").len(), 4);
        // Every hour means every hour that passes.
        assert_eq!(times("0 * * * *", "2026-03-28T23:00:00Z", "2026-03-29T23:00:00Z").len(), 24);
        assert_eq!(times("0 * * * *", "2026-10-24T23:00:00Z", "2026-10-25T23:00:00Z").len(), 24);
    }

    #[test]
    fn a_single_time_that_the_clock_skips_is_an_hour_later_and_of_two_the_first() {
        let now = time("2026-03-01T12:00:00Z");
        for (written, meant) in [
            ("2026-03-29T02:30", "2026-03-29T03:30:00+02:00"),
            ("2026-10-25T02:30", "2026-10-25T02:30:00+02:00"),
            ("2026-10-25T02:30+01:00", "2026-10-25T02:30:00+01:00"),
        ] {
            let Ok(Schedule::Once(time)) = Schedule::parse(written, now, &berlin()) else { panic!("{written}") };
            assert_eq!(zoned_text(time, &berlin()), meant, "{written}");
        }
        // An interval counts the time that passes.
        let before = time("2026-03-28T12:00:00Z");
        let next = Schedule::Every(Duration::from_hours(24)).next(before, before, &berlin()).expect("it is due");
        assert_eq!(zoned_text(next, &berlin()), "2026-03-29T14:00:00+02:00");
    }

    #[test]
    fn missed_times_are_counted() {
        let (since, due) = (time("2026-03-01T12:00:00Z"), time("2026-03-01T12:30:00Z"));
        let schedule = Schedule::Every(Duration::from_mins(30));
        for (now, missed) in [("2026-03-01T12:30:00Z", 0), ("2026-03-01T12:59:59Z", 0), ("2026-03-01T14:00:00Z", 3)] {
            assert_eq!(schedule.missed(since, due, time(now), &berlin()), missed, "{now}");
        }
        assert_eq!(Schedule::Once(due).missed(since, due, time("2027-01-01T00:00:00Z"), &berlin()), 0);
        let minutes = Schedule::Every(Duration::from_mins(1));
        assert_eq!(minutes.missed(since, due, time("2036-03-01T12:00:00Z"), &berlin()), MAX_MISSED);
    }

    #[test]
    fn any_text_is_read_without_a_panic_and_soon() {
        let now = time("2026-03-01T12:00:00Z");
        let parts = [
            "0",
            "*",
            "/",
            "-",
            ",",
            "L",
            "W",
            "#",
            "?",
            "+",
            "@",
            " ",
            "31",
            "2",
            "99999999999999999999",
            "mon",
            "-sun",
            "é",
            "\0",
            "every ",
        ];
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..random % 14 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                text += parts[usize::try_from(random % parts.len() as u64).expect("it is small")];
            }
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            if let Ok(schedule) = Schedule::parse(&text, now, &berlin()) {
                assert_eq!(Schedule::from_stored(&schedule.to_string()), Some(schedule), "{text}");
            }
        }
    }
}
