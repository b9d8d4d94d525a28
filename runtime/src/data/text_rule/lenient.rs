//! What is certainly not a text of a format, whatever the program that reads the text takes for one.
//!
//! JSON Schema 2020-12 calls `format` an annotation. A program that declares it for its own parameters, such as an MCP server, may read more
//! than the standard: a date without an offset, a host name with letters of any script. So only a text that no common reader of the format takes is
//! refused, and the program judges the others. Each function takes all texts that [`formats`](super::formats) takes.

use super::Format;

/// Returns whether a common reader of the format may take `text`.
pub(super) fn is_plausible(format: Format, text: &str) -> bool {
    match format {
        // In any order and with any signs between, also the seconds since 1970.
        Format::DateTime | Format::Date | Format::Time => {
            text.trim_start_matches(['+', '-', '[', 'T', 't']).starts_with(|first: char| first.is_ascii_digit())
        }
        // ISO 8601 with its fractions, or a number of seconds, or hours and minutes.
        Format::Duration => {
            let unsigned = text.trim_start_matches(['+', '-']);
            unsigned.starts_with(|first: char| matches!(first, 'P' | 'p') || first.is_ascii_digit())
                && unsigned.contains(|letter: char| letter.is_ascii_digit())
        }
        // The characters of other parts may be of any script, and not encoded.
        Format::Uri => text.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)),
        Format::Email => text.rsplit_once('@').is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty()),
        Format::Uuid => {
            let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
            let text = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
            let digits = || text.bytes().filter(|byte| *byte != b'-');
            digits().count() == 32 && digits().all(|byte| byte.is_ascii_hexdigit())
        }
        Format::Ipv4 => {
            let is_byte = |part: &str| part.parse::<u8>().is_ok() && part.bytes().all(|byte| byte.is_ascii_digit());
            text.split('.').count() == 4 && text.split('.').all(is_byte)
        }
        // With a zone.
        Format::Ipv6 => super::formats::is_ipv6(text.split_once('%').map_or(text, |(address, _)| address)),
        Format::Hostname => {
            let is_other = |letter: char| letter.is_whitespace() || letter.is_control() || "/:@?#\\".contains(letter);
            !text.is_empty() && !text.contains(is_other)
        }
        // Each language has its own syntax.
        Format::Regex => true,
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}
