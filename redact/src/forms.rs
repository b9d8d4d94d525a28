//! The forms in which the value of a secret occurs in texts: as it is, escaped, and in common encodings; and the search for all forms of
//! all values in one pass over a text.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// The number of bytes by which the search finds candidates. No form is shorter.
pub(crate) const KEY_LEN: usize = 4;
/// The number of bits of the filter of candidates.
const FILTER_BITS: usize = 1 << 14;
/// The maximum number of bytes of a line break within an encoded form, with its escapes in JSON.
const MAX_BREAK: usize = 8;
/// The minimum length of an encoded form without its beginning.
const MIN_REST: usize = 10;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A form of a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    text: String,
    /// Whether line breaks within the form are skipped, because programs wrap what they encode.
    is_wrapped: bool,
}

/// How a form compares to a text from some place on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    /// The form ends here.
    Whole(usize),
    /// The text ends before the form does.
    Beginning,
    No,
}

/// All forms of some values.
#[derive(Clone, Default)]
pub(crate) struct Forms {
    all: Vec<Form>,
    /// The forms by their first bytes.
    by_key: HashMap<[u8; KEY_LEN], Vec<usize>>,
    /// A bit for each key of a form. Most places of a text have none, so that the time depends on neither the number nor the length of
    /// the forms.
    filter: Vec<u64>,
    longest: usize,
}

impl Forms {
    /// Returns the forms of these values.
    pub(crate) fn of<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        let mut forms = Vec::new();
        values.into_iter().for_each(|value| add_forms(value, &mut forms));
        forms.retain(|form| form.text.len() >= KEY_LEN);
        forms.sort_unstable();
        forms.dedup();
        let mut found =
            Self { longest: forms.iter().map(|form| form.text.len()).max().unwrap_or(0), ..Self::default() };
        if !forms.is_empty() {
            found.filter = vec![0; FILTER_BITS / 64];
        }
        for (index, form) in forms.iter().enumerate() {
            let Some(key) = form.text.as_bytes().first_chunk() else { continue };
            found.by_key.entry(*key).or_default().push(index);
            let bit = bit(*key);
            found.filter[bit / 64] |= 1 << (bit % 64);
        }
        found.all = forms;
        found
    }

    /// Returns the parts of a text that are forms. Parts that overlap are one.
    pub(crate) fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for start in self.candidates(text, 0) {
            let ends = self.compare(text, start).filter_map(|found| match found {
                Match::Whole(end) => Some(end),
                Match::Beginning | Match::No => None,
            });
            let Some(end) = ends.max() else { continue };
            match ranges.last_mut() {
                Some(last) if start < last.end => last.end = last.end.max(end),
                _ => ranges.push(start..end),
            }
        }
        ranges
    }

    /// Returns the first place from which the text to its end could be the beginning of a form. Fewer than [`KEY_LEN`] bytes do not count as a beginning
    /// of an encoded form: most texts end with one.
    pub(crate) fn beginning(&self, text: &str) -> Option<usize> {
        // With line breaks, an encoded form is longer.
        let first = text.len().saturating_sub(self.longest * 2);
        let found = self.candidates(text, first).find(|start| {
            let is_beginning = |found| found == Match::Beginning;
            self.compare(text, *start).any(is_beginning)
        });
        let is_short = |start: &usize| {
            let rest = &text.as_bytes()[*start..];
            self.all.iter().any(|form| !form.is_wrapped && form.text.as_bytes().starts_with(rest))
        };
        found.or_else(|| (text.len().saturating_sub(KEY_LEN - 1)..text.len()).find(is_short))
    }

    /// Returns the places from `first` on at which a form could begin.
    fn candidates(&self, text: &str, first: usize) -> impl Iterator<Item = usize> {
        let keys = text.as_bytes()[first..].windows(KEY_LEN).enumerate().filter(|_| !self.all.is_empty());
        let is_set = |key: [u8; KEY_LEN]| {
            let bit = bit(key);
            self.filter[bit / 64] & (1 << (bit % 64)) != 0
        };
        keys.filter(move |(_, key)| key.first_chunk().is_some_and(|key| is_set(*key))).map(move |(at, _)| first + at)
    }

    /// Compares the text from `start` on to all forms with the same beginning.
    fn compare(&self, text: &str, start: usize) -> impl Iterator<Item = Match> {
        let rest = &text.as_bytes()[start..];
        let forms = rest.first_chunk().and_then(|key: &[u8; KEY_LEN]| self.by_key.get(key));
        forms.into_iter().flatten().map(move |index| match self.all[*index].compare(rest) {
            Match::Whole(length) => Match::Whole(start + length),
            other => other,
        })
    }
}

impl Form {
    /// Compares the beginning of a text to the form.
    fn compare(&self, text: &[u8]) -> Match {
        let form = self.text.as_bytes();
        if !self.is_wrapped {
            return match text.get(..form.len()) {
                Some(start) if start == form => Match::Whole(form.len()),
                None if form.starts_with(text) => Match::Beginning,
                _ => Match::No,
            };
        }
        let mut at = 0;
        for byte in form {
            if text.get(at).is_some_and(|found| found != byte) {
                at += line_break(&text[at..]);
            }
            match text.get(at) {
                Some(found) if found == byte => at += 1,
                Some(_) => return Match::No,
                None => return Match::Beginning,
            }
        }
        Match::Whole(at)
    }
}

/// Returns the number of bytes of the line break at the beginning of a text: as it is, or as JSON escapes it, also repeatedly.
fn line_break(text: &[u8]) -> usize {
    let (mut length, mut in_escape) = (0, false);
    for (index, byte) in text.iter().take(MAX_BREAK).enumerate() {
        match byte {
            b'\\' => in_escape = true,
            b'\n' | b'\r' => length = index + 1,
            b'n' | b'r' if in_escape => (length, in_escape) = (index + 1, false),
            _ => break,
        }
    }
    // The text may end within an escape.
    if in_escape && text.len() < MAX_BREAK && text[length..].iter().all(|byte| *byte == b'\\') {
        text.len()
    } else {
        length
    }
}

/// Returns the bit of the filter for the first bytes of a form.
fn bit(key: [u8; KEY_LEN]) -> usize {
    // The multiplication of Fibonacci hashing spreads the bits of the key into the upper ones.
    (u32::from_le_bytes(key).wrapping_mul(0x9E37_79B1) >> (32 - FILTER_BITS.trailing_zeros())) as usize
}

fn add_forms(value: &str, forms: &mut Vec<Form>) {
    let mut add = |text: String, is_wrapped| forms.push(Form { text, is_wrapped });
    // JSON within JSON escapes twice.
    let once = escaped(value);
    let in_ascii = in_ascii(&once);
    for text in [once.replace('/', "\\/"), escaped(&once), escaped(&in_ascii), in_ascii.clone()] {
        add(text, false);
    }
    for kept in ["", "/", "!*'()"] {
        for is_upper in [true, false] {
            let encoded = in_url(value, kept, is_upper);
            add(encoded.replace("%20", "+"), false);
            add(encoded, false);
        }
    }
    for text in [value, &once] {
        for encoded in encodings(text.as_bytes()) {
            // A line break can follow the first bytes, by which a form is found.
            for skipped in 1..KEY_LEN {
                if encoded.len() >= skipped + MIN_REST {
                    add(encoded[skipped..].to_owned(), true);
                }
            }
            add(encoded, true);
        }
    }
    add(once, false);
    add(value.to_owned(), false);
}

/// Returns a value as hexadecimal digits, and as the parts of Base64 that depend on nothing else, wherever the value begins in what is
/// encoded.
fn encodings(value: &[u8]) -> Vec<String> {
    let hex = |is_upper: bool| {
        value.iter().fold(String::new(), |mut digits, byte| {
            let _ = if is_upper { write!(digits, "{byte:02X}") } else { write!(digits, "{byte:02x}") };
            digits
        })
    };
    let mut all = vec![hex(false), hex(true)];
    for before in 0..3 {
        for alphabet in [STANDARD, URL_SAFE] {
            all.push(base64(value, before, alphabet));
        }
    }
    all
}

/// Returns the digits of Base64 that have only bits of the value, if this number of other bytes precedes it in its group.
fn base64(value: &[u8], before: usize, alphabet: &[u8; 64]) -> String {
    let bits = |digit: usize| {
        let byte = |index: usize| index.checked_sub(before).and_then(|index| value.get(index)).copied().unwrap_or(0);
        let (index, shift) = (digit * 6 / 8, digit * 6 % 8);
        let pair = u16::from_be_bytes([byte(index), byte(index + 1)]);
        usize::from(pair << shift >> 10)
    };
    let digits = (before * 8).div_ceil(6)..(before + value.len()) * 8 / 6;
    digits.map(|digit| char::from(alphabet[bits(digit)])).collect()
}

/// Returns a text as it is written in a JSON string.
fn escaped(text: &str) -> String {
    // Not through `Value`, whose text can also be indented: that much code would be in every program.
    let json = serde_json::to_string(text).unwrap_or_default();
    json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// Returns the content of a JSON string as programs write it that write only ASCII.
fn in_ascii(escaped: &str) -> String {
    let mut text = String::new();
    for letter in escaped.chars() {
        if letter.is_ascii() {
            text.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

/// Returns a text as it is written in a part of a URL, with hexadecimal digits of either case. Programs differ in what they keep.
fn in_url(text: &str, kept: &str, is_upper: bool) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        let _ = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                write!(encoded, "{}", char::from(byte))
            }
            _ if kept.as_bytes().contains(&byte) => write!(encoded, "{}", char::from(byte)),
            _ if is_upper => write!(encoded, "%{byte:02X}"),
            _ => write!(encoded, "%{byte:02x}"),
        };
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_any_encoder_at_any_place() {
        assert_eq!(base64(b"any carnal pleas", 0, STANDARD), "YW55IGNhcm5hbCBwbGVhc");
        assert_eq!(base64(b"\xff\xfe\xfd", 0, STANDARD), "//79");
        assert_eq!(base64(b"\xff\xfe\xfd", 0, URL_SAFE), "__79");
        // "?ab" and "??ab" are "P2Fi" and "Pz9hYg==": the digits that also have bits of what precedes or follows are left out.
        assert_eq!(base64(b"ab", 1, STANDARD), "Fi");
        assert_eq!(base64(b"ab", 2, STANDARD), "hY");
    }

    #[test]
    fn parts_that_overlap_are_one() {
        let forms = Forms::of(["abcdefgh", "efghijkl", "abcdef"]);
        assert_eq!(forms.ranges("-abcdefghijkl-abcdef-"), [1..13, 14..20]);
        assert_eq!(Forms::of([]).ranges("anything"), []);
        assert_eq!(forms.ranges(""), []);
    }

    #[test]
    fn the_time_depends_on_neither_the_number_nor_the_length_of_the_values() {
        let values: Vec<String> = (0..200).map(|number| format!("{number}").repeat(700)).collect();
        let forms = Forms::of(values.iter().map(String::as_str));
        let text = "an ordinary text with some words, \\n, 12345 and {\"json\": true}\n".repeat((4 << 20) / 64);
        let begun = std::time::Instant::now();
        assert_eq!(forms.ranges(&text), []);
        // Without optimisation; a search for each form on its own takes minutes.
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
