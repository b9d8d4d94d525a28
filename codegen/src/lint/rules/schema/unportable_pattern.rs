//! A `pattern` with syntax of other languages that JSON Schema does not have, because it uses ECMAScript's syntax:
//! `(?i)`, `(?P<name>`, `\A`, `\Z`, `[[:alpha:]]`, `a++`, and slashes around the pattern, as in `/^a$/i`. The regular expression of a
//! `text_input` is checked as well, because dialects without text tools show it as the `pattern` of the parameter.
//!
//! ## Why is this bad
//! A validator interprets the pattern differently or rejects the schema. In ECMAScript, for example, `\A` is the
//! letter A.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read, below `src`."
//! pattern = '\Asrc/'
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read, below `src`."
//! pattern = '^src/'
//! ```

use std::ops::Range;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("S063", "unportable-pattern", Some(Level::Error), Check::Tool(check)).fixable();

/// The help about the regular expression of a `text_input`, whose own syntax has more.
const OF_TEXT: &str = "dialects without text tools show this regular expression as the `pattern` of the parameter: a grammar \
                       (`syntax = \"lark\"`) is only described there, and can have this syntax";

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let definition = tool.manifest.text_input.as_ref().and_then(|text| text.definition.as_ref());
    for pattern in tool.manifest.regular_expressions() {
        let is_of_text = definition.is_some_and(|text| text.place == pattern.place);
        let push = |found: Diagnostic| sink.push(if is_of_text { found.help(OF_TEXT) } else { found });
        if let Some(Slashes { inner, flags }) = in_slashes(&pattern.value) {
            let message = "a pattern is written without slashes: these match literal slashes";
            let found = Diagnostic::new(codes::UNPORTABLE_PATTERN, pattern.place, message);
            let found = found.help(format!("write `{inner}`"));
            let written = lint.string(pattern.place).filter(|_| flags.is_empty());
            let length = pattern.value.len();
            let ends = written.map(|written| [written.place(0..1), written.place(length - 1..length)]);
            push(match ends {
                Some(ends) => ends.into_iter().fold(found, |found, end| found.fix(Edit::Replace(end, String::new()))),
                None if flags.is_empty() => found,
                None => found.help(format!("JSON Schema has no flags such as `{flags}`")),
            });
            continue;
        }
        for Foreign { span, instead } in foreign(&pattern.value) {
            let sign = &pattern.value[span.clone()];
            let place = lint.string(pattern.place).map_or(pattern.place, |written| written.place(span.clone()));
            let message = format!("`{sign}` is not supported in patterns of JSON Schema, or has another meaning");
            let found = Diagnostic::new(codes::UNPORTABLE_PATTERN, place, message);
            push(match instead {
                Instead::Write(text) => {
                    let found =
                        if text.is_empty() { found.help("remove it") } else { found.help(format!("write `{text}`")) };
                    found.fix(Edit::Replace(place, text.to_owned()))
                }
                Instead::Do(help) => found.help(help),
            });
        }
    }
}

/// A pattern in slashes.
pub(super) struct Slashes<'p> {
    inner: &'p str,
    flags: &'p str,
}

/// Returns the parts of a pattern that is written as a literal of JavaScript, with slashes around it: it is anchored inside of the
/// slashes, or flags follow.
pub(super) fn in_slashes(pattern: &str) -> Option<Slashes<'_>> {
    let (inner, flags) = pattern.strip_prefix('/')?.rsplit_once('/')?;
    let are_flags = flags.bytes().all(|flag| b"dgimsuvy".contains(&flag)) && flags.len() <= 4;
    let is_anchored = inner.starts_with('^') || inner.ends_with('$') && !inner.ends_with("\\$");
    // In a path, such as `/tmp/s`, the last part can look like flags.
    let has_syntax = inner.contains(['[', '(', '\\', '+', '*']) && !inner.starts_with(['(', '[']);
    let is_path = inner.contains('/') && !inner.contains("\\/");
    (are_flags && !inner.is_empty() && !is_path && (is_anchored || !flags.is_empty() && has_syntax))
        .then_some(Slashes { inner, flags })
}

/// Syntax of another language.
pub(super) struct Foreign {
    span: Range<usize>,
    instead: Instead,
}

enum Instead {
    /// An equivalent.
    Write(&'static str),
    /// Advice for the author.
    Do(&'static str),
}

const FLAGS: Instead = Instead::Do("JSON Schema has no flags: write both cases, such as `[Aa]`");
const CLASSES: Instead = Instead::Do("write the range itself, such as `a-zA-Z`");
const SCRIPT: Instead = Instead::Do("write the name of a script as in `\\p{Script=Greek}`");
const NO_EQUIVALENT: Instead = Instead::Do("JSON Schema has no equivalent: write out what it matches");

/// Groups that begin with `(?` in other languages.
const GROUPS: [&str; 5] = ["(?:", "(?=", "(?!", "(?<=", "(?<!"];

/// Finds syntax that ECMAScript does not have, or interprets differently.
// This function is long because one `match` has an arm for each sign.
pub(super) fn foreign(pattern: &str) -> Vec<Foreign> {
    let mut found = Vec::new();
    let (mut at, mut in_class, mut after_quantifier) = (0, false, false);
    while let Some(sign) = pattern[at..].chars().next() {
        let rest = &pattern[at..];
        let mut length = sign.len_utf8();
        let mut is_quantifier = false;
        match sign {
            '\\' => {
                let instead;
                (length, instead) = escape(rest, in_class);
                found.extend(instead.map(|instead| Foreign { span: at..at + length, instead }));
            }
            '[' if in_class && rest.starts_with("[:") => {
                if let Some(end) = rest.find(":]") {
                    length = end + 2;
                    found.push(Foreign { span: at..at + length, instead: CLASSES });
                }
            }
            '[' if !in_class => {
                in_class = true;
                // Elsewhere, `[]` and `[^]` are complete classes.
                let begin = if rest.starts_with("[^") { 2 } else { 1 };
                if rest[begin..].starts_with(']') {
                    length = begin + 1;
                    found.push(Foreign { span: at + begin..at + length, instead: Instead::Write("\\]") });
                }
            }
            '&' | '~' if in_class && rest[1..].starts_with(sign) => {
                length = 2;
                found.push(Foreign { span: at..at + length, instead: CLASSES });
            }
            ']' => in_class = false,
            _ if in_class => {}
            '(' if rest.starts_with("(?P<") => {
                length = 4;
                found.push(Foreign { span: at..at + length, instead: Instead::Write("(?<") });
            }
            '(' if rest.starts_with("(?") => {
                let instead;
                (length, instead) = group(rest);
                found.extend(instead.map(|instead| Foreign { span: at..at + length, instead }));
            }
            '+' if after_quantifier => {
                // Without the sign, a possessive quantifier becomes a greedy one, which matches more strings.
                found.push(Foreign { span: at..at + 1, instead: NO_EQUIVALENT });
            }
            '{' => {
                let end = rest.find('}').unwrap_or_default();
                is_quantifier = end > 1 && rest[1..end].bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
                length = if is_quantifier { end + 1 } else { length };
                if is_quantifier && after_quantifier {
                    let instead = Instead::Do("write a group around what is repeated: `(?:...)`");
                    found.push(Foreign { span: at..at + length, instead });
                }
            }
            '*' | '+' => is_quantifier = true,
            '?' => is_quantifier = !after_quantifier,
            _ => {}
        }
        after_quantifier = is_quantifier;
        at += length;
    }
    found
}

/// Returns the length of the escape at the beginning of `rest`, and what to use instead if it is of another language.
fn escape(rest: &str, in_class: bool) -> (usize, Option<Instead>) {
    let escaped = rest[1..].chars().next();
    let mut length = 1 + escaped.map_or(0, char::len_utf8);
    let has_braces = matches!(escaped, Some('p' | 'P' | 'u' | 'x' | 'b')) && rest[length..].starts_with('{');
    if has_braces {
        length = rest.find('}').map_or(length, |end| end + 1);
    }
    let name = rest[..length].get(3..length - 1).filter(|_| length > 3).unwrap_or_default();
    let instead = match escaped {
        Some('A') if !in_class => Some(Instead::Write("^")),
        Some('Z' | 'z') if !in_class => Some(Instead::Write("$")),
        Some('A' | 'Z' | 'z' | 'h' | 'H' | 'R' | 'K' | 'G' | 'Q' | 'E' | 'a' | 'e' | 'X' | '<' | '>') => {
            Some(NO_EQUIVALENT)
        }
        Some('b') if has_braces => Some(NO_EQUIVALENT),
        Some('x') if length > 3 => Some(Instead::Do("write `\\u` and four hexadecimal digits, or the character itself")),
        Some('p' | 'P') if !is_property(name) => Some(SCRIPT),
        _ => None,
    };
    (length, instead)
}

/// Returns the length of the beginning `(?` of a group, with all that it says, and what to use instead if it is of another language.
fn group(rest: &str) -> (usize, Option<Instead>) {
    if GROUPS.iter().any(|group| rest.starts_with(group)) || rest.starts_with("(?<") {
        return (2, None);
    }
    let length = rest.find([')', ':', '>']).map_or(2, |end| end + 1);
    let letters = rest[2..length].trim_end_matches([')', ':']);
    let are_flags = letters.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '-');
    (length, Some(if are_flags { FLAGS } else { NO_EQUIVALENT }))
}

/// The general categories of Unicode, which ECMAScript names as other languages do.
const CATEGORIES: &[&str] = &[
    "C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "LC", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs", "Letter", "Lowercase_Letter",
    "Uppercase_Letter", "Titlecase_Letter", "Modifier_Letter", "Other_Letter", "Mark", "Number", "Decimal_Number", "Punctuation",
    "Symbol", "Separator", "Other", "Control",
];

/// The properties of Unicode with two values, as far as they are common in patterns.
const PROPERTIES: &[&str] = &[
    "ASCII", "Alphabetic", "Alpha", "Any", "Assigned", "Emoji", "Emoji_Component", "Emoji_Modifier", "Emoji_Presentation",
    "Extended_Pictographic", "ASCII_Hex_Digit", "Hex_Digit", "ID_Continue", "ID_Start", "Ideographic", "Lowercase", "Uppercase", "Math",
    "White_Space", "XID_Continue", "XID_Start", "Dash", "Diacritic", "Quotation_Mark", "Cased",
];

/// Returns whether ECMAScript knows a property of characters by this name. Those with a value, such as `Script=Greek`, are not checked.
fn is_property(name: &str) -> bool {
    name.is_empty() || name.contains('=') || CATEGORIES.contains(&name) || PROPERTIES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_around_a_pattern_are_distinguished_from_paths() {
        for pattern in ["/^abc$/", "/^abc$/i", r"/\d+/g", "/abc$/", r"/^a\/b$/"] {
            assert!(in_slashes(pattern).is_some(), "{pattern}");
        }
        for pattern in ["^/abc/$", "/tmp/.*/x", "/", "//", "/api/", "/(en|de)/", r"/\$", "/a/b/^", "/api/[a-z]+/s", "/home/"] {
            assert!(in_slashes(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn only_foreign_syntax_is_found() {
        for (pattern, signs) in [
            (r"^[A-Za-z_][\w-]*$", vec![]),
            (r"^(?:a|b)(?=c)(?!d)(?<=e)(?<!f)(?<name>g)\k<name>$", vec![]),
            (r"^\d{4}-\d{2}$", vec![]),
            (r"a+?b*?c??d{2}?", vec![]),
            (r"^\[[^\]]+\]$", vec![]),
            (r"\p{L}+\u00e9\x41\b\B\cA", vec![]),
            ("^été$", vec![]),
            (r"\Aa\Z", vec![r"\A", r"\Z"]),
            ("(?i)abc", vec!["(?i)"]),
            ("(?i:abc)", vec!["(?i:"]),
            ("(?P<year>[0-9]+)", vec!["(?P<"]),
            ("(?>a+)", vec!["(?>"]),
            ("[[:alpha:]_]+", vec!["[:alpha:]"]),
            ("a++b*+", vec!["+", "+"]),
            ("[a++]", vec![]),
            (r"a\++", vec![]),
            (r"\{a}+", vec![]),
            ("a{2}+", vec!["+"]),
            (r"\\A", vec![]),
            (r"\x{1F600}\x41[\x{1F600}]", vec![r"\x{1F600}", r"\x{1F600}"]),
            (r"\p{Greek}\P{Lu}\p{Script=Greek}\pL", vec![r"\p{Greek}"]),
            (r"\b{start}x\b", vec![r"\b{start}"]),
            (r"\<x\>", vec![r"\<", r"\>"]),
            ("a{1,2}{3}b{2}?", vec!["{3}"]),
            ("[^]]+[]a]", vec!["]", "]"]),
            (r"[^\]]+[[]", vec![]),
            (r"[\d&&[^5]]&&", vec!["&&"]),
        ] {
            let found: Vec<&str> = foreign(pattern).into_iter().map(|found| &pattern[found.span]).collect();
            assert_eq!(found, signs, "{pattern}");
        }
    }
}
