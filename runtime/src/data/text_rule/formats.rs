//! The formats. Each function names the standard that it follows; `docs/formats.md` says where a standard leaves a choice.
//!
//! Every function takes linear time, and reads bytes: all formats are ASCII.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The maximum length of a host name: RFC 1035, section 2.3.4, without the dot at the end.
const MAX_HOSTNAME: usize = 253;
/// The maximum length of one part of a host name.
const MAX_LABEL: usize = 63;
/// The maximum length of the part of an email address before `@`: RFC 5321, section 4.5.3.1.1.
const MAX_LOCAL_PART: usize = 64;
/// The maximum length of an email address: RFC 5321, section 4.5.3.1.3, without the angle brackets.
const MAX_EMAIL: usize = 254;

/// RFC 3339, `full-date`: the day exists in its month.
pub(super) fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else { return false };
    let (Some(century), Some(year), Some(month), Some(day)) =
        (number(y1, y2), number(y3, y4), number(m1, m2), number(d1, d2))
    else {
        return false;
    };
    let year = century * 100 + year;
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// RFC 3339, `full-time`: with an offset. The second 60 exists only at the end of a day in UTC.
pub(super) fn is_time(text: &str) -> bool {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text.as_bytes() else { return false };
    let (Some(hour), Some(minute), Some(second)) = (number(*h1, *h2), number(*m1, *m2), number(*s1, *s2)) else {
        return false;
    };
    let rest = match rest {
        [b'.', digits @ ..] => {
            let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if count == 0 {
                return false;
            }
            &digits[count..]
        }
        _ => rest,
    };
    let minutes = match *rest {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => match (number(h1, h2), number(m1, m2)) {
            (Some(hours @ 0..=23), Some(minutes @ 0..=59)) => {
                let offset = i64::from(hours * 60 + minutes);
                if sign == b'+' { offset } else { -offset }
            }
            _ => return false,
        },
        _ => return false,
    };
    let is_last_minute = (i64::from(hour * 60 + minute) - minutes).rem_euclid(24 * 60) == 24 * 60 - 1;
    hour < 24 && minute < 60 && (second < 60 || second == 60 && is_last_minute)
}

/// RFC 3339, `date-time`.
pub(super) fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    is_date(date) && rest.strip_prefix(['T', 't']).is_some_and(is_time)
}

fn number(tens: u8, ones: u8) -> Option<u32> {
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
}

/// RFC 3339, appendix A: whole numbers of units, each at most once and in their order, or weeks alone.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    if let Some(weeks) = rest.strip_suffix('W') {
        return is_digits(weeks);
    }
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    let time_fits = time.is_none_or(|time| !time.is_empty() && has_units(time, "HMS"));
    (!date.is_empty() || time.is_some()) && has_units(date, "YMD") && time_fits
}

/// Returns whether `text` has numbers with these units, in their order. No unit between two others is left out.
fn has_units(mut text: &str, units: &str) -> bool {
    let mut last = None;
    while !text.is_empty() {
        let Some(at) = text.find(|letter: char| !letter.is_ascii_digit()) else { return false };
        let unit = text[at..].chars().next().and_then(|letter| units.find(letter));
        let Some(unit) = unit.filter(|unit| at > 0 && last.is_none_or(|last| last + 1 == *unit)) else { return false };
        (last, text) = (Some(unit), &text[at + 1..]);
    }
    true
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// RFC 3986, `URI`: with a scheme.
pub(super) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (Some(authority), path)
        }
        None => (None, rest),
    };
    is_scheme
        && authority.is_none_or(is_authority)
        && consists_of(path, b":@/")
        && consists_of(query, b":@/?")
        && consists_of(fragment, b":@/?")
}

/// RFC 3986, `authority`.
fn is_authority(text: &str) -> bool {
    let (user, host) = text.split_once('@').unwrap_or(("", text));
    let (host, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((address, port)) = rest.split_once(']') else { return false };
            if !is_ipv6(address) && !is_future_address(address) {
                return false;
            }
            ("", port)
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port =
        port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    consists_of(user, b":") && consists_of(host, b"") && is_port
}

/// RFC 3986, `IPvFuture`.
fn is_future_address(text: &str) -> bool {
    let Some((version, address)) = text.strip_prefix(['v', 'V']).and_then(|rest| rest.split_once('.')) else {
        return false;
    };
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_version && !address.is_empty() && !address.contains('%') && consists_of(address, b":")
}

/// Returns whether a part of a URI has only the characters that every part may have, percent encodings, and `others`.
fn consists_of(text: &str, others: &[u8]) -> bool {
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = match (byte, after) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => after,
            (b'%', _) => return false,
            (byte, after)
                if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(byte) || others.contains(byte) =>
            {
                after
            }
            _ => return false,
        };
    }
    true
}

/// RFC 5321, `Mailbox`: with a host name or the address of a host.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_address = |literal: &str| match literal.split_at_checked(5) {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => is_ipv6(address),
        _ => is_ipv4(literal),
    };
    let literal = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    text.len() <= MAX_EMAIL
        && (1..=MAX_LOCAL_PART).contains(&local.len())
        && quoted.map_or_else(|| local.split('.').all(is_atom), is_quoted)
        && literal.map_or_else(|| is_hostname(domain), is_address)
}

fn is_atom(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_letter)
}

/// RFC 5321, the content of `Quoted-string`.
fn is_quoted(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_fine = match byte {
            b'\\' => bytes.next().is_some_and(|byte| (b' '..=b'~').contains(&byte)),
            b'"' => false,
            byte => (b' '..=b'~').contains(&byte),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// RFC 9562: the text form, of any version.
pub(super) fn is_uuid(text: &str) -> bool {
    let is_fine = |(index, byte): (usize, u8)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(is_fine)
}

/// RFC 2673, section 3.2: four decimal numbers, without leading zeros.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

/// RFC 4291, section 2.2, without a zone.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// RFC 1123, section 2.1.
pub(super) fn is_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=MAX_LABEL).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= MAX_HOSTNAME && text.split('.').all(is_label)
}
