//! Parses durations, and explains what is wrong with invalid ones.

use std::time::Duration;

const SECOND: u32 = 1000;
const MINUTE: u32 = 60 * SECOND;
const HOUR: u32 = 60 * MINUTE;
const DAY: u32 = 24 * HOUR;

/// The units, in milliseconds, largest first.
const UNITS: [(&str, u32); 4] = [("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", 1)];

/// Other names of units, in lower case and without a plural `s`.
const OTHER_UNITS: &[(&str, u32)] = &[
    ("msec", 1),
    ("milli", 1),
    ("millisecond", 1),
    ("sec", SECOND),
    ("second", SECOND),
    ("min", MINUTE),
    ("minute", MINUTE),
    ("hr", HOUR),
    ("hour", HOUR),
    ("d", DAY),
    ("day", DAY),
    ("w", 7 * DAY),
    ("week", 7 * DAY),
];

/// Parses a duration of at most a day: `500ms`, `90s`, `5m`, `1h`.
///
/// # Errors
/// What is wrong, and what to write instead.
pub(crate) fn duration(text: &str) -> Result<Duration, (String, Option<String>)> {
    let plain = || {
        let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &text[digits..])?;
        Some(text[..digits].parse::<u32>().ok()?.saturating_mul(*unit))
    };
    match plain() {
        Some(millis @ 1..=DAY) => Ok(Duration::from_millis(u64::from(millis))),
        Some(0) => Err(("must be longer than 0".to_owned(), None)),
        Some(_) => Err(("must be at most a day, which is `24h`".to_owned(), None)),
        None => Err(explain(text)),
    }
}

/// Says why a text is not a duration.
fn explain(text: &str) -> (String, Option<String>) {
    let why = |why: &str| (why.to_owned(), None);
    let lower = text.trim().to_lowercase();
    // ISO 8601: `PT1M30S`.
    let iso = lower.strip_prefix("pt").or_else(|| lower.strip_prefix('p'));
    let Some(parts) = parts(iso.unwrap_or(&lower)) else {
        return if lower.is_empty() {
            why("is empty")
        } else if lower.starts_with(['-', '−']) {
            why("cannot be negative")
        } else {
            why("is not a number and a unit")
        };
    };
    let units = || parts.iter().filter_map(|(_, unit)| *unit);
    let millis: f64 =
        parts.iter().map(|(number, unit)| number * f64::from(unit.map_or(SECOND, |(_, unit)| unit))).sum();
    let is_exact = |(_, unit): &&(&str, u32)| millis >= f64::from(*unit) && millis % f64::from(*unit) == 0.0;
    // Of `90s` and `1.5m` the former.
    let unit = UNITS.iter().find(is_exact);
    let right = unit
        .filter(|_| millis <= f64::from(DAY))
        .map(|(name, unit)| format!("write `{}{name}`", millis / f64::from(*unit)));
    let unknown = units().find(|(name, _)| !UNITS.iter().any(|(known, _)| known == name));
    let written = |name: &str| text.contains(name);
    let message = if millis > f64::from(DAY) {
        "must be at most a day, which is `24h`".to_owned()
    } else if millis == 0.0 {
        "must be longer than 0".to_owned()
    } else if parts.iter().any(|(_, unit)| unit.is_none()) {
        "has no unit".to_owned()
    } else if iso.is_some() || parts.len() > 1 {
        "must be one number and one unit".to_owned()
    } else if parts.iter().any(|(number, _)| number.fract() != 0.0) || text.contains('.') {
        "cannot be a fraction".to_owned()
    } else if let Some((name, _)) = unknown {
        format!("has an unknown unit, `{name}`")
    } else if units().any(|(name, _)| !written(name)) {
        "must have its unit in lower case".to_owned()
    } else if text.contains(char::is_whitespace) {
        "cannot contain spaces".to_owned()
    } else {
        "must be digits and a unit".to_owned()
    };
    (message, right)
}

/// A number, and its unit if it has one.
type Part<'t> = (f64, Option<(&'t str, u32)>);

/// Returns the numbers of a text, each with its unit if it has one, or `None` if the text has other parts.
fn parts(text: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.trim_start();
        let digits =
            rest.find(|letter: char| !(letter.is_ascii_digit() || "._,".contains(letter))).unwrap_or(rest.len());
        let number = rest[..digits].replace([',', '_'], "").parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(rest.len());
        let name = &rest[..letters];
        rest = rest[letters..].trim_start_matches([' ', ',', 't']);
        let units = UNITS.iter().chain(OTHER_UNITS);
        let known = |name: &str| units.clone().find(|(known, _)| *known == name).map(|(_, unit)| *unit);
        let unit = known(name).or_else(|| known(name.strip_suffix('s')?));
        parts.push((number, if name.is_empty() { None } else { Some((name, unit?)) }));
    }
    (!parts.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_a_number_and_a_unit() {
        for (text, millis) in [("1ms", 1), ("90s", 90_000), ("5m", 300_000), ("24h", DAY), ("007s", 7_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis.into())));
        }
    }

    #[test]
    fn other_texts_are_explained() {
        for (text, message, help) in [
            ("1.5m", "cannot be a fraction", "write `90s`"),
            ("0.5s", "cannot be a fraction", "write `500ms`"),
            ("90.0s", "cannot be a fraction", "write `90s`"),
            ("60", "has no unit", "write `1m`"),
            ("1h30m", "must be one number and one unit", "write `90m`"),
            ("1h 30m", "must be one number and one unit", "write `90m`"),
            ("PT1M30S", "must be one number and one unit", "write `90s`"),
            ("1d", "has an unknown unit, `d`", "write `24h`"),
            ("2 days", "must be at most a day, which is `24h`", ""),
            ("2d", "must be at most a day, which is `24h`", ""),
            ("25h", "must be at most a day, which is `24h`", ""),
            ("999999999999999999999999h", "must be at most a day, which is `24h`", ""),
            ("30 s", "cannot contain spaces", "write `30s`"),
            (" 30s", "cannot contain spaces", "write `30s`"),
            ("30sec", "has an unknown unit, `sec`", "write `30s`"),
            ("30 seconds", "has an unknown unit, `seconds`", "write `30s`"),
            ("2min", "has an unknown unit, `min`", "write `2m`"),
            ("30S", "must have its unit in lower case", "write `30s`"),
            ("500MS", "must have its unit in lower case", "write `500ms`"),
            ("1,000ms", "must be digits and a unit", "write `1s`"),
            ("0s", "must be longer than 0", ""),
            ("0", "must be longer than 0", ""),
            ("-5s", "cannot be negative", ""),
            ("", "is empty", ""),
            ("soon", "is not a number and a unit", ""),
            ("s", "is not a number and a unit", ""),
            ("1:30", "is not a number and a unit", ""),
            ("10us", "is not a number and a unit", ""),
        ] {
            let help = Some(help).filter(|help| !help.is_empty()).map(str::to_owned);
            assert_eq!(duration(text), Err((message.to_owned(), help)), "{text}");
        }
    }
}
