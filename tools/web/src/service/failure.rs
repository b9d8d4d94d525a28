//! Reads failures from the answers of services.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use toolc_net::{Answer, FetchFault};

use super::account::{Access, Account};
use super::json::{at, number, texts};
use super::outcome::{Failure, Outcome};
use super::text::{clean, cut};

/// The maximum length of a service's message, in characters.
const MAX_MESSAGE: usize = 300;
/// Where services put their messages.
const MESSAGES: &[&[&str]] = &[
    &["error", "message"],
    &["error", "detail"],
    &["error", "error"],
    &["error", "code"],
    &["error"],
    &["detail", "error"],
    &["detail", "message"],
    &["detail"],
    &["message"],
    &["readableMessage"],
    &["tag"],
];
/// Where services put codes that are clearer than their messages.
const CODES: &[&[&str]] = &[&["error", "code"], &["code"], &["tag"], &["name"]];
/// Where services put the number of seconds to wait.
const WAITS: &[&[&str]] = &[&["error", "retry_after_seconds"], &["details", "retryAfterSeconds"], &["retryAfter"]];
/// Parts of pages that ask whether a person is there.
const CHALLENGES: &[&str] =
    &["captcha", "just a moment", "cf-chl", "attention required", "unusual traffic", "are you a robot"];

/// Returns the failure of a request without an answer.
pub(crate) fn of_fault(fault: &FetchFault) -> Failure {
    match fault {
        FetchFault::TimedOut(limit) => {
            let text = format!("there was no complete answer within {:.1} s", limit.as_secs_f32());
            Failure::new(Outcome::Timeout, text)
        }
        fault => Failure::broken(fault.to_string()),
    }
}

/// Returns the failure of an answer whose status is not a success.
pub(crate) fn of_answer(access: &Access, answer: &Answer) -> Failure {
    let body: Option<Value> = serde_json::from_slice(&answer.body).ok();
    let retry_after = retry_after(answer, body.as_ref());
    let failure = match body {
        Some(body) => of_json(access.account(), answer.status, &body),
        None => of_page(access.account(), answer.status, &String::from_utf8_lossy(&answer.body)),
    };
    Failure { retry_after, ..failure }
}

/// Returns the failure that a body in JSON describes.
pub(crate) fn of_json(account: &Account, status: u16, body: &Value) -> Failure {
    let message = texts(body, MESSAGES).map(|text| clean(&text, MAX_MESSAGE)).unwrap_or_default();
    let code = texts(body, CODES).filter(|code| *code != message).unwrap_or_default();
    let sign = sign(account, status, &format!("{message} {code}").to_lowercase());
    let (outcome, advice) = sign.unwrap_or((of_status(status), ""));
    Failure::new(outcome, detail(status, &message, advice))
}

/// Returns the failure of an answer that is not JSON.
pub(crate) fn of_page(account: &Account, status: u16, body: &str) -> Failure {
    let beginning = body[..body.floor_char_boundary(16 << 10)].to_lowercase();
    let is_page = beginning.contains("<html") || beginning.contains("<!doctype html");
    if CHALLENGES.iter().any(|part| beginning.contains(part)) {
        let text = "a page asks whether a person is there (a captcha or the like)";
        return Failure::new(Outcome::Blocked, detail(status, text, ""));
    }
    if let Some((outcome, advice)) = sign(account, status, &beginning) {
        return Failure::new(outcome, detail(status, "", advice));
    }
    let text = match (is_page, body.trim()) {
        (true, _) => "a page for browsers instead of JSON".to_owned(),
        (false, "") => "nothing instead of JSON".to_owned(),
        (false, text) => format!("no JSON, but: {}", clean(cut(text, MAX_MESSAGE), 100)),
    };
    let outcome = if (200..300).contains(&status) { Outcome::Broken } else { of_status(status) };
    Failure::new(outcome, detail(status, &text, ""))
}

fn sign(account: &Account, status: u16, message: &str) -> Option<(Outcome, &'static str)> {
    let fits =
        |sign: &&super::account::Sign| (sign.status == 0 || sign.status == status) && message.contains(sign.part);
    account.signs.iter().find(fits).map(|sign| (sign.outcome, sign.advice))
}

/// Returns what a status means in general (RFC 9110, 15; RFC 6585).
fn of_status(status: u16) -> Outcome {
    match status {
        401 | 403 | 407 => Outcome::Auth,
        402 => Outcome::Quota,
        408 | 504 => Outcome::Timeout,
        429 => Outcome::Rate,
        451 => Outcome::Blocked,
        _ => Outcome::Broken,
    }
}

fn detail(status: u16, message: &str, advice: &str) -> String {
    let status = if (200..300).contains(&status) { String::new() } else { format!("status {status}") };
    let parts = [status.as_str(), message, advice];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// Returns the time after which a service may be asked again, by its header `Retry-After`, `X-RateLimit-Reset` or its message.
fn retry_after(answer: &Answer, body: Option<&Value>) -> Option<Duration> {
    let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
    if let Some(text) = header("retry-after") {
        let number = text.parse().ok().filter(|number: &f64| *number >= 0.0).and_then(seconds);
        if let Some(wait) = number.or_else(|| until(text)) {
            return Some(wait);
        }
    }
    let message = body.and_then(|body| texts(body, MESSAGES));
    if let Some(wait) = message.and_then(|message| said(&message)) {
        return seconds(wait);
    }
    let in_body = body.and_then(|body| WAITS.iter().find_map(|path| number(at(body, path)?)));
    in_body
        .and_then(seconds)
        .or_else(|| seconds(reset(header("x-ratelimit-reset")?, header("x-ratelimit-remaining")?)?))
}

/// Returns the time until a date (RFC 9110, 5.6.7).
fn until(date: &str) -> Option<Duration> {
    let then = jiff::fmt::rfc2822::parse(date).ok()?.timestamp();
    Some(Duration::try_from(then.duration_since(Timestamp::now())).unwrap_or_default())
}

/// Returns the seconds of a message such as `please retry after 23s`.
fn said(message: &str) -> Option<f64> {
    let lower = message.to_lowercase();
    let phrases = ["retry after ", "retry in ", "try again in "];
    let rest = phrases.iter().find_map(|phrase| lower.split_once(phrase)).map(|(_, rest)| rest)?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
    let number: f64 = rest[..digits].parse().ok()?;
    match rest[digits..].trim_start() {
        unit if unit.starts_with("ms") || unit.starts_with("milli") => Some(number / 1_000.0),
        unit if unit.starts_with('s') => Some(number),
        unit if unit.starts_with('m') => Some(number * 60.0),
        unit if unit.starts_with('h') => Some(number * 3_600.0),
        _ => None,
    }
}

/// Returns the seconds until the last window in which nothing remains starts again. Both headers have a number for each window, such as
/// `1, 1419704` and `0, 15`.
fn reset(resets: &str, remaining: &str) -> Option<f64> {
    let numbers =
        |text: &str| text.split(',').map(|number| number.trim().parse::<f64>().ok()).collect::<Option<Vec<_>>>();
    let windows = numbers(resets)?.into_iter().zip(numbers(remaining)?);
    windows.filter(|(reset, left)| *left < 1.0 && *reset >= 0.0).map(|(reset, _)| reset).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_that_is_used_up_says_when_to_ask_again() {
        assert_eq!(reset("1, 1419704", "0, 15"), Some(1.0));
        assert_eq!(reset("1, 1419704", "0, 0"), Some(1_419_704.0));
        assert_eq!(reset("1", "1"), None);
        assert_eq!(reset("soon", "0"), None);
        assert_eq!(said("Rate limit exceeded, please retry after 23s, resets at noon"), Some(23.0));
        assert_eq!(said("Try again in 1.5 minutes"), Some(90.0));
        assert_eq!(said("retry after the weekend"), None);
        assert_eq!(until("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(until("tomorrow"), None);
    }
}
