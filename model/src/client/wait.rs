//! Finds in the body of an error how long to wait.

use std::time::Duration;

use serde_json::Value;

/// Words after which a message names a time.
const PHRASES: &[&str] = &[
    "try again in",
    "retry in",
    "retry after",
    "try again after",
    "wait for",
    "please wait",
    "retry-after:",
    "reset after",
    "resets in",
];

/// The keys with a time, and the unit of a number there, in milliseconds.
const KEYS: &[(&str, f64)] = &[
    ("retrydelay", 1000.0),
    ("retryafter", 1000.0),
    ("retryafterseconds", 1000.0),
    ("retryafterms", 1.0),
    ("retryinms", 1.0),
    ("waitseconds", 1000.0),
];

/// The maximum depth of the body that is looked at.
const MAX_DEPTH: usize = 8;

/// Returns the time that the body of an error asks to wait: the `retryDelay` of Google, a field such as `retry_after`, or a phrase such as
/// "try again in 3s".
pub(super) fn in_body(body: &str) -> Option<Duration> {
    match serde_json::from_str::<Value>(body) {
        Ok(value) => in_fields(&value, MAX_DEPTH).or_else(|| in_text(body)),
        Err(_) => in_text(body),
    }
}

fn in_fields(value: &Value, depth: usize) -> Option<Duration> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Object(fields) => {
            let own = fields.iter().find_map(|(key, value)| {
                let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
                let (_, unit) = KEYS.iter().find(|(known, _)| key.eq_ignore_ascii_case(known))?;
                match value {
                    Value::Number(number) => duration(number.as_f64()? * unit),
                    Value::String(text) => match text.trim().parse::<f64>() {
                        Ok(number) => duration(number * unit),
                        Err(_) => time_at_start(text),
                    },
                    _ => None,
                }
            });
            own.or_else(|| fields.values().find_map(|value| in_fields(value, depth)))
        }
        Value::Array(values) => values.iter().find_map(|value| in_fields(value, depth)),
        _ => None,
    }
}

/// Returns the time after a phrase in a message.
pub(super) fn in_text(text: &str) -> Option<Duration> {
    let lower = text.to_lowercase();
    let after =
        |phrase: &&str| lower.match_indices(*phrase).find_map(|(at, _)| time_at_start(&lower[at + phrase.len()..]));
    PHRASES.iter().find_map(after)
}

/// Reads a time such as `3s`, `1m30.5s`, `350ms`, `20 seconds` or `1 hour and 2 minutes`. A number without a unit has no meaning.
fn time_at_start(text: &str) -> Option<Duration> {
    let (mut rest, mut total, mut is_first) = (text, 0.0, true);
    loop {
        let trimmed = rest.trim_start_matches([' ', ':', '~', '"']);
        let trimmed = trimmed.strip_prefix("about ").or_else(|| trimmed.strip_prefix("and ")).unwrap_or(trimmed);
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let Ok(number) = trimmed[..end].parse::<f64>() else { break };
        let after = trimmed[end..].trim_start_matches([' ', '-']);
        let unit_end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let factor = match after[..unit_end].to_ascii_lowercase().as_str() {
            "ms" | "millisecond" | "milliseconds" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
            "h" | "hr" | "hour" | "hours" => 3_600_000.0,
            _ => break,
        };
        total += number * factor;
        is_first = false;
        rest = &after[unit_end..];
    }
    if is_first { None } else { duration(total) }
}

fn duration(milliseconds: f64) -> Option<Duration> {
    (0.0..1e12).contains(&milliseconds).then(|| Duration::from_secs_f64(milliseconds / 1000.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_of_an_error_can_say_how_long_to_wait() {
        for (body, milliseconds) in [
            (
                r#"{"error":{"code":429,"details":[{"@type":"x"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}"#,
                Some(7_000),
            ),
            (r#"{"error":{"details":[{"retryDelay":"0.5s"}]}}"#, Some(500)),
            (r#"[{"error":{"details":[{"retryDelay":"12.25s"}]}}]"#, Some(12_250)),
            (
                r#"{"error":{"message":"Rate limit reached for m. Limit 3, Used 3. Please try again in 20s. Visit x"}}"#,
                Some(20_000),
            ),
            (r#"{"error":{"message":"Please try again in 1m30.5s."}}"#, Some(90_500)),
            (r#"{"error":{"message":"Please try again in 350ms."}}"#, Some(350)),
            (r#"{"error":{"message":"try again in 6m0s"}}"#, Some(360_000)),
            (r#"{"error":{"message":"Please retry after 26 seconds."}}"#, Some(26_000)),
            (r#"{"error":{"message":"Please retry in 7.5s."}}"#, Some(7_500)),
            (r#"{"error":{"message":"Please wait 2 minutes"}}"#, Some(120_000)),
            (r#"{"retry_after":3}"#, Some(3_000)),
            (r#"{"error":{"retry_after_ms":"250"}}"#, Some(250)),
            (r#"{"error":{"metadata":{"headers":{"Retry-After":"5"}}}}"#, Some(5_000)),
            ("Too many requests, try again in 1 hour and 2 minutes", Some(3_720_000)),
            (r#"{"error":{"message":"slow down"}}"#, None),
            (r#"{"error":{"message":"try again in a while"}}"#, None),
            (r#"{"error":{"message":"try again in 3"}}"#, None),
            (r#"{"retry_after":-3}"#, None),
            (r#"{"retry_after":1e300}"#, None),
            ("", None),
        ] {
            assert_eq!(in_body(body), milliseconds.map(Duration::from_millis), "{body}");
        }
        let deep = format!("{}{{\"retry_after\":3}}{}", "[".repeat(20), "]".repeat(20));
        assert_eq!(in_body(&deep), None);
    }
}
