//! Random texts near each `format`, and random patterns with texts near them.

use std::fmt::Write as _;

use toolc::__gen::text_rule::Format;

use crate::random::Random;

/// Returns a text that has the format or nearly so: valid, with a small change, or of the letters that the format uses.
pub fn near(format: Format, random: &mut Random) -> String {
    let valid = valid(format, random);
    match random.below(8) {
        0..=2 => valid,
        3..=5 => changed(&valid, alphabet(format), random),
        6 => {
            let once = changed(&valid, alphabet(format), random);
            changed(&once, alphabet(format), random)
        }
        _ => letters(alphabet(format), random.below(12), random),
    }
}

/// Returns the letters that decide whether a text has a format, and some that never belong to it.
fn alphabet(format: Format) -> &'static str {
    match format {
        Format::DateTime | Format::Date | Format::Time => "0123456789-:.TtZz+ \n٣",
        Format::Duration => "0123456789PTYMDHSW.-p",
        Format::Uri => "ahtp:/?#[]@!$&'()*+,;=-._~%20F1é \\\"<v",
        Format::Email => "abA1.@+-_'\"\\ [:]!#~é(",
        Format::Uuid => "0123456789abcdefABCDEFg-{}u:",
        Format::Ipv4 => "0123456789. a",
        Format::Ipv6 => "0123456789abcdefF:.%g/",
        Format::Hostname => "abxnA19-._é ",
        Format::Regex => "ab^$.*+?()[]{}|\\dwsbpuk1,2-=!<>:é",
    }
}

fn letters(alphabet: &str, count: usize, random: &mut Random) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    (0..count).map(|_| *random.pick(&alphabet)).collect()
}

/// Changes one letter.
fn changed(text: &str, alphabet: &str, random: &mut Random) -> String {
    let mut all: Vec<char> = text.chars().collect();
    let alphabet: Vec<char> = alphabet.chars().collect();
    let at = random.below(all.len() + 1);
    match random.below(5) {
        0 => all.insert(at, *random.pick(&alphabet)),
        1 if at < all.len() => drop(all.remove(at)),
        2 if at + 1 < all.len() => all.swap(at, at + 1),
        3 if at < all.len() => {
            let rest: Vec<char> = all[at..].iter().take(random.below(6)).copied().collect();
            all.splice(at..at, rest);
        }
        _ if at < all.len() => all[at] = *random.pick(&alphabet),
        _ => all.push(*random.pick(&alphabet)),
    }
    all.into_iter().collect()
}

fn valid(format: Format, random: &mut Random) -> String {
    match format {
        Format::DateTime => {
            let separator = *random.pick(&["T", "T", "T", "t"]);
            format!("{}{separator}{}", date(random), time(random))
        }
        Format::Date => date(random),
        Format::Time => time(random),
        Format::Duration => duration(random),
        Format::Uri => uri(random),
        Format::Email => email(random),
        Format::Uuid => {
            let digits = |count, random: &mut Random| letters("0123456789abcdefABCDEF", count, random);
            [8, 4, 4, 4, 12].map(|count| digits(count, random)).join("-")
        }
        Format::Ipv4 => ipv4(random),
        Format::Ipv6 => ipv6(random),
        Format::Hostname => hostname(random),
        Format::Regex => pattern(random).0,
    }
}

/// Returns a special number, or any number below `end`.
fn number(special: &[usize], end: usize, random: &mut Random) -> usize {
    if random.one_in(special.len() + 1) { random.below(end) } else { *random.pick(special) }
}

fn date(random: &mut Random) -> String {
    let year = number(&[2024, 2023, 1900, 2000, 0, 9999], 3000, random);
    // Some of these days do not exist.
    format!("{year:04}-{:02}-{:02}", 1 + random.below(13), 1 + random.below(32))
}

fn time(random: &mut Random) -> String {
    let hour = number(&[23, 0, 24], 24, random);
    let minute = number(&[59, 0, 60], 60, random);
    let second = number(&[0, 59, 60, 61], 60, random);
    let mut out = format!("{hour:02}:{minute:02}:{second:02}");
    if random.one_in(3) {
        let _ = write!(out, ".{}", letters("0123456789", 1 + random.below(9), random));
    }
    let sign = *random.pick(&['+', '-']);
    match random.below(4) {
        0 => out.push('Z'),
        1 => out.push('z'),
        2 => {
            let _ = write!(out, "{sign}{:02}:{:02}", random.below(25), random.below(61));
        }
        // An offset after which a leap second can be at the end of a day.
        _ => {
            let minutes = (hour * 60 + minute + 1) % 1440;
            let minutes = if sign == '+' { minutes } else { (1440 - minutes) % 1440 };
            let _ = write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        }
    }
    out
}

fn duration(random: &mut Random) -> String {
    if random.one_in(6) {
        return format!("P{}W", random.below(60));
    }
    let units = |units: &str, random: &mut Random| -> String {
        let from = random.below(units.len());
        let to = from + 1 + random.below(units.len() - from);
        units[from..to].chars().flat_map(|unit| [random.below(100).to_string(), unit.to_string()]).collect()
    };
    match random.below(3) {
        0 => format!("P{}", units("YMD", random)),
        1 => format!("PT{}", units("HMS", random)),
        _ => format!("P{}T{}", units("YMD", random), units("HMS", random)),
    }
}

fn hostname(random: &mut Random) -> String {
    let labels = (0..=random.below(4)).map(|_| {
        if random.one_in(12) {
            let count = 60 + random.below(5);
            return "a".repeat(count);
        }
        let inner = letters("abcXYZ019-", random.below(6), random);
        format!("{}{inner}{}", letters("abcA1", 1, random), letters("abcA1", 1, random))
    });
    let labels: Vec<String> = labels.collect();
    if random.one_in(30) { format!("{}.com", ["label"; 42].join(".")) } else { labels.join(".") }
}

fn ipv4(random: &mut Random) -> String {
    let part = |random: &mut Random| random.pick(&[0, 1, 10, 99, 100, 199, 200, 249, 250, 255, 256]).to_string();
    [(); 4].map(|()| part(random)).join(".")
}

fn ipv6(random: &mut Random) -> String {
    let groups = |count, random: &mut Random| -> String {
        let all = (0..count).map(|_| {
            let digits = 1 + random.below(4);
            letters("0123456789abcdefABCDEF", digits, random)
        });
        all.collect::<Vec<String>>().join(":")
    };
    match random.below(4) {
        0 => groups(8, random),
        1 => {
            let before = random.below(8);
            format!("{}::{}", groups(before, random), groups(random.below(9 - before), random))
        }
        2 => format!("{}:{}", groups(6, random), ipv4(random)),
        _ => {
            let (before, after) = (random.below(5), 1 + random.below(2));
            format!("{}::{}:{}", groups(before, random), groups(after, random), ipv4(random))
        }
    }
}

fn email(random: &mut Random) -> String {
    let atom = |random: &mut Random| {
        let count = 1 + random.below(8);
        letters("abcXYZ019!#$%&'*+-/=?^_`{|}~", count, random)
    };
    let local = match random.below(8) {
        0 => format!("\"{}\"", letters("ab .@,()<>", random.below(8), random)),
        1 => format!("\"{}\\\"\"", atom(random)),
        2 => "a".repeat(62 + random.below(5)),
        _ => (0..=random.below(3)).map(|_| atom(random)).collect::<Vec<_>>().join("."),
    };
    let domain = match random.below(8) {
        0 => format!("[{}]", ipv4(random)),
        1 => format!("[IPv6:{}]", ipv6(random)),
        2 => "localhost".to_owned(),
        _ => hostname(random),
    };
    format!("{local}@{domain}")
}

fn uri(random: &mut Random) -> String {
    const PATH: &str = "abcXYZ019-._~!$&'()*+,;=:@/";
    let part = |alphabet: &str, random: &mut Random| {
        let mut text = letters(alphabet, random.below(8), random);
        if random.one_in(4) {
            text.push_str(random.pick::<&str>(&["%20", "%C3%A9", "%aF"]));
        }
        text
    };
    let scheme = *random.pick(&["http", "https", "urn", "mailto", "a+b-c.1", "file", "X"]);
    let mut out = format!("{scheme}:");
    if random.one_in(3) {
        let path = part(PATH, random);
        out.push_str(path.trim_start_matches('/'));
    } else {
        out.push_str("//");
        if random.one_in(4) {
            let _ = write!(out, "{}@", part("abc019-._~!$&'()*+,;=:", random));
        }
        let host = match random.below(6) {
            0 => format!("[{}]", ipv6(random)),
            1 => "[v1.a:b]".to_owned(),
            2 => ipv4(random),
            3 => part("abc019-._~!$&'()*+,;=", random),
            _ => hostname(random),
        };
        out.push_str(&host);
        if random.one_in(4) {
            let _ = write!(out, ":{}", letters("0123456789", random.below(5), random));
        }
        if random.one_in(2) {
            let _ = write!(out, "/{}", part(PATH, random));
        }
    }
    if random.one_in(3) {
        let _ = write!(out, "?{}", part("ab019-._~!$&'()*+,;=:@/?", random));
    }
    if random.one_in(3) {
        let _ = write!(out, "#{}", part("ab019-._~!$&'()*+,;=:@/?", random));
    }
    out
}

/// Returns a pattern that the reader of arguments enforces, and a text that its parts match.
pub fn pattern(random: &mut Random) -> (String, String) {
    /// Longer texts take an engine that backtracks too long.
    const MAX_LETTERS: usize = 24;
    let (mut pattern, mut text) = alternatives(1, random);
    text = text.chars().take(MAX_LETTERS).collect();
    if random.one_in(2) {
        pattern = format!("^(?:{pattern})$");
    } else if random.one_in(3) {
        let edge = letters("ab1 \n", 1, random);
        text = format!("{edge}{text}{edge}");
    }
    (pattern, text)
}

/// Returns a text near one that a pattern matches.
pub fn near_match(text: &str, random: &mut Random) -> String {
    const LETTERS: &str = "abAZ059_-. \t\n\r\u{b}\u{a0}\u{2028}\u{feff}é😀/\\[]{}$^\0\u{8}";
    match random.below(3) {
        0 => text.to_owned(),
        1 => changed(text, LETTERS, random),
        _ => letters(LETTERS, random.below(5), random),
    }
}

fn alternatives(depth: usize, random: &mut Random) -> (String, String) {
    let (first, text) = sequence(depth, random);
    if !random.one_in(4) {
        return (first, text);
    }
    let (second, other) = sequence(depth, random);
    (format!("{first}|{second}"), if random.one_in(2) { text } else { other })
}

/// Repetitions, each with a number of times. The bounded ones come first.
const SIGNS: &[(&str, usize)] = &[
    ("", 1),
    ("", 1),
    ("", 1),
    ("?", 0),
    ("?", 1),
    ("{2}", 2),
    ("{1,3}", 3),
    ("{0,2}", 1),
    ("{1,2}?", 2),
    ("*", 0),
    ("*", 3),
    ("+", 2),
    ("{2,}", 4),
    ("+?", 1),
];
/// The number of bounded ones.
const BOUNDED_SIGNS: usize = 9;

fn sequence(depth: usize, random: &mut Random) -> (String, String) {
    let (mut pattern, mut text) = (String::new(), String::new());
    for _ in 0..=random.below(4) {
        let (atom, matched) = atom(depth, random);
        pattern.push_str(&atom);
        if is_assertion(&atom) {
            continue;
        }
        // Engines that backtrack take exponential time for unbounded repetitions in each other.
        let signs = if atom.starts_with('(') { &SIGNS[..BOUNDED_SIGNS] } else { SIGNS };
        let (sign, times) = *random.pick(signs);
        pattern.push_str(sign);
        text.push_str(&matched.repeat(times));
    }
    (pattern, text)
}

fn is_assertion(atom: &str) -> bool {
    ["^", "$", "\\b", "\\B"].contains(&atom)
}

/// Characters and escapes, each with a text that it matches.
const ATOMS: &[(&str, &str)] = &[
    ("a", "a"),
    ("b", "b"),
    ("Z", "Z"),
    ("0", "0"),
    ("é", "é"),
    ("😀", "😀"),
    (" ", " "),
    ("-", "-"),
    ("/", "/"),
    ("_", "_"),
    (".", "a"),
    (".", "😀"),
    ("\\d", "5"),
    ("\\D", "a"),
    ("\\w", "_"),
    ("\\W", "é"),
    ("\\s", "\u{a0}"),
    ("\\s", "\u{feff}"),
    ("\\S", "b"),
    ("\\.", "."),
    ("\\/", "/"),
    ("\\\\", "\\"),
    ("\\$", "$"),
    ("\\[", "["),
    ("\\{", "{"),
    ("\\t", "\t"),
    ("\\n", "\n"),
    ("\\v", "\u{b}"),
    ("\\x41", "A"),
    ("\\u00e9", "é"),
    ("\\u{1F600}", "😀"),
    ("\\ud83d\\ude00", "😀"),
    ("\\cI", "\t"),
    ("^", ""),
    ("$", ""),
    ("\\b", ""),
    ("\\B", ""),
];

/// Parts of classes, each with a letter of it.
const CLASS_PARTS: &[(&str, &str)] = &[
    ("a", "a"),
    ("a-z", "b"),
    ("A-Z", "Z"),
    ("0-9", "5"),
    ("\\d", "0"),
    ("\\w", "_"),
    ("\\s", " "),
    ("\\-", "-"),
    ("é", "é"),
    ("\\u0061-\\u007a", "b"),
    (".", "."),
    ("$", "$"),
    ("\\]", "]"),
    ("\\b", "\u{8}"),
    ("/", "/"),
    ("\\S", "a"),
    ("\\D", "b"),
    ("\\W", "-"),
    ("😀", "😀"),
    ("^", "^"),
    ("[", "["),
    ("&&", "&"),
];

fn atom(depth: usize, random: &mut Random) -> (String, String) {
    match random.below(if depth == 0 { 8 } else { 10 }) {
        0..=5 => {
            let (pattern, text) = *random.pick(ATOMS);
            (pattern.to_owned(), text.to_owned())
        }
        6 | 7 => {
            let parts: Vec<(&str, &str)> = (0..=random.below(3)).map(|_| *random.pick(CLASS_PARTS)).collect();
            // At the beginning, `^` would negate the class.
            let inner: String = parts.iter().map(|(part, _)| *part).collect();
            let inner = inner.trim_start_matches('^');
            if inner.is_empty() {
                return ("a".to_owned(), "a".to_owned());
            }
            let not = if random.one_in(4) { "^" } else { "" };
            (format!("[{not}{inner}]"), parts[0].1.to_owned())
        }
        _ => {
            let (inner, text) = alternatives(depth - 1, random);
            let open = *random.pick(&["(", "(?:"]);
            (format!("{open}{inner})"), text)
        }
    }
}
