//! Which answers are kept, and for how long they are used without asking the server (RFC 9111).

use std::time::{Duration, UNIX_EPOCH};

use ureq::http::{HeaderMap, HeaderName, StatusCode, header};

use crate::fetch::text;

/// What a server says about keeping its answer.
#[derive(Debug, Default, PartialEq, Eq)]
struct Control {
    /// `no-store`, or `private`: the cache is a file, which may be backed up or shared by programs.
    is_forbidden: bool,
    /// `no-cache`: the server must be asked before each use.
    must_ask: bool,
    /// `max-age`, in seconds.
    max_age: Option<u64>,
}

impl Control {
    fn of(headers: &HeaderMap) -> Self {
        let mut found = Self::default();
        for value in headers.get_all(header::CACHE_CONTROL) {
            for directive in directives(&String::from_utf8_lossy(value.as_bytes())) {
                let (name, argument) = directive.split_once('=').unwrap_or((&directive, ""));
                match name.trim().to_ascii_lowercase().as_str() {
                    "no-store" | "private" => found.is_forbidden = true,
                    "no-cache" => found.must_ask = true,
                    "max-age" => {
                        // A number that cannot be read is an age that is over, and one that is too large is very long.
                        let argument = argument.trim().trim_matches('"');
                        let is_number = !argument.is_empty() && argument.bytes().all(|byte| byte.is_ascii_digit());
                        let age = if is_number { argument.parse().unwrap_or(u64::MAX) } else { 0 };
                        found.max_age = Some(found.max_age.map_or(age, |other| other.min(age)));
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// Splits a list at the commas that are not in quotes.
fn directives(text: &str) -> Vec<String> {
    let (mut found, mut is_quoted) = (vec![String::new()], false);
    for character in text.chars() {
        is_quoted ^= character == '"';
        match character {
            ',' if !is_quoted => found.push(String::new()),
            _ => found.last_mut().expect("it has one from the beginning").push(character),
        }
    }
    found
}

/// Returns the time in a header, in seconds since 1970.
fn time(headers: &HeaderMap, name: &HeaderName) -> Option<u64> {
    let time = httpdate::parse_http_date(text(headers, name).trim()).ok()?;
    time.duration_since(UNIX_EPOCH).ok().as_ref().map(Duration::as_secs)
}

/// Returns for how many seconds an answer is fresh from when the server made it, if the server says so. No time is guessed.
fn lifetime(headers: &HeaderMap, received: u64) -> Option<u64> {
    let control = Control::of(headers);
    if control.must_ask {
        return Some(0);
    }
    let expires = || {
        // An invalid date, often `0`, is in the past.
        let end = headers.contains_key(header::EXPIRES).then(|| time(headers, &header::EXPIRES).unwrap_or(0))?;
        Some(end.saturating_sub(time(headers, &header::DATE).unwrap_or(received)))
    };
    control.max_age.or_else(expires)
}

/// Returns whether an answer was fresh at a time, all in seconds since 1970.
pub(super) fn is_fresh(headers: &HeaderMap, requested: u64, received: u64, now: u64) -> bool {
    // The clock was set back, or the file is from another machine.
    if now < received {
        return false;
    }
    let apparent = received.saturating_sub(time(headers, &header::DATE).unwrap_or(received));
    let said: u64 = text(headers, &header::AGE).trim().parse().unwrap_or(0);
    let age = apparent.max(said.saturating_add(received.saturating_sub(requested)));
    lifetime(headers, received).is_some_and(|lifetime| lifetime > age.saturating_add(now - received))
}

/// Returns whether an answer may be kept and is useful later: it is fresh for a time, or the server can be asked whether it has changed.
pub(super) fn may_be_kept(status: StatusCode, headers: &HeaderMap, received: u64) -> bool {
    let varies_by_all = headers.get_all(header::VARY).iter().any(|value| value.as_bytes().contains(&b'*'));
    let is_fresh_for_a_time = lifetime(headers, received).is_some_and(|lifetime| lifetime > 0);
    let can_be_asked = headers.contains_key(header::ETAG) || headers.contains_key(header::LAST_MODIFIED);
    let is_useful = match status {
        StatusCode::OK => is_fresh_for_a_time || can_be_asked,
        StatusCode::MOVED_PERMANENTLY | StatusCode::PERMANENT_REDIRECT => is_fresh_for_a_time,
        _ => false,
    };
    is_useful && !varies_by_all && !Control::of(headers).is_forbidden
}

#[cfg(test)]
mod tests {
    use ureq::http::HeaderValue;

    use super::*;

    /// 2001-09-09 01:46:40 UTC.
    const NOW: u64 = 1_000_000_000;
    const DATE: (&str, &str) = ("date", "Sun, 09 Sep 2001 01:46:40 GMT");

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn an_answer_is_fresh_for_as_long_as_the_server_says() {
        for (list, seconds) in [
            (&[("cache-control", "max-age=60")][..], 60),
            (&[("cache-control", "public, MAX-AGE=\"60\" , immutable")], 60),
            (&[("cache-control", "max-age=60"), ("cache-control", "max-age=10")], 10),
            (&[("cache-control", "max-age=60"), ("age", "20")], 40),
            (&[("cache-control", "max-age=60"), ("date", "Sun, 09 Sep 2001 01:46:10 GMT")], 30),
            (&[("cache-control", "max-age=60"), ("date", "Sun, 09 Sep 2001 02:46:10 GMT")], 60),
            (&[("expires", "Sun, 09 Sep 2001 01:47:00 GMT"), DATE], 20),
            (&[("expires", "Sun, 09 Sep 2001 01:47:00 GMT")], 20),
            (&[("expires", "Sun, 09 Sep 2001 01:47:00 GMT"), ("cache-control", "max-age=5")], 5),
            (&[("expires", "0")], 0),
            (&[("expires", "Sun, 09 Sep 2001 01:00:00 GMT"), DATE], 0),
            (&[("cache-control", "max-age=60, no-cache")], 0),
            (&[("cache-control", "max-age=-1")], 0),
            (&[("cache-control", "max-age=")], 0),
            (&[("cache-control", "max-age=1e9")], 0),
            (&[("cache-control", "x=\"a, max-age=60\"")], 0),
            (&[("cache-control", "s-maxage=60")], 0),
            (&[("last-modified", "Sun, 09 Sep 1990 01:47:00 GMT")], 0),
            (&[], 0),
        ] {
            let headers = headers(list);
            assert!(!is_fresh(&headers, NOW, NOW, NOW + seconds), "{list:?}");
            assert!(seconds == 0 || is_fresh(&headers, NOW, NOW, NOW + seconds - 1), "{list:?}");
            assert!(!is_fresh(&headers, NOW, NOW, NOW - 1), "the clock was set back: {list:?}");
        }
        let long = headers(&[("cache-control", "max-age=99999999999999999999")]);
        assert!(is_fresh(&long, NOW, NOW, u64::MAX - 1));
        // The time that the answer took counts.
        let short = headers(&[("cache-control", "max-age=60")]);
        assert!(is_fresh(&short, NOW - 10, NOW, NOW + 49) && !is_fresh(&short, NOW - 10, NOW, NOW + 50));
    }

    #[test]
    fn only_what_the_server_allows_is_kept() {
        let fresh = ("cache-control", "max-age=60");
        for (status, list, is_kept) in [
            (200, &[fresh][..], true),
            (200, &[("etag", "\"a\"")], true),
            (200, &[("last-modified", "Sun, 09 Sep 1990 01:47:00 GMT")], true),
            (200, &[("etag", "\"a\""), ("cache-control", "no-cache")], true),
            (200, &[("vary", "Accept, Cookie"), fresh], true),
            (301, &[fresh], true),
            (308, &[fresh], true),
            (301, &[("etag", "\"a\"")], false),
            (302, &[fresh], false),
            (404, &[fresh], false),
            (206, &[fresh], false),
            (200, &[], false),
            (200, &[("cache-control", "no-cache, max-age=60")], false),
            (200, &[fresh, ("cache-control", "no-store")], false),
            (200, &[fresh, ("cache-control", "Private")], false),
            (200, &[fresh, ("cache-control", "private=\"x-a\"")], false),
            (200, &[fresh, ("vary", "accept, *")], false),
        ] {
            let status = StatusCode::from_u16(status).expect("a status");
            assert_eq!(may_be_kept(status, &headers(list), NOW), is_kept, "{status} {list:?}");
        }
    }
}
