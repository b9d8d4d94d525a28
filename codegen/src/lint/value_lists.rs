//! Complete lists of values in prose, such as "one of: a, b or c".

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A pattern of complete lists of values. The group `list` is the list.
struct ListPattern {
    /// Texts in lower case of which a text that matches has at least one. Most texts have none, and most patterns are never compiled.
    signs: &'static [&'static str],
    pattern: LazyLock<Regex>,
}

const fn list(signs: &'static [&'static str], pattern: fn() -> Regex) -> ListPattern {
    ListPattern { signs, pattern: LazyLock::new(pattern) }
}

// Without bounds on the length: a bound of 60 makes a pattern 60 times as large, and slow to compile.
const QUOTED: &str = r#"(?:"[^"\n]+"|'[^'\n]+'|`[^`\n]+`)"#;
const LITERAL: &str = r#"(?:"[^"\n]+"|'[^'\n]+')"#;
const BARE: &str = r"(?:[A-Za-z0-9][\w.+-]*\w|[A-Za-z0-9])";
const AND: &str = r"(?:\s*,\s*(?:or|and)\s+|\s+(?:or|and)\s+|\s*[,|/]\s*)";
/// What has a fixed set of values.
const KIND: &str = "(?:type|kind|mode|format|style|state|status|level|order|strategy|method|unit|direction|category|role|visibility|priority|severity)s?";
/// The end of the list.
const END: &str = r"\s*(?:[.;)\n]\s*|[.;)\n]?$|\(default|, default|- default)";
/// What follows a value in parentheses: `'a' (default)`.
const NOTE: &str = r"(?:\s*\((?:the )?default\))?";

fn quoted() -> String {
    format!("{QUOTED}{NOTE}(?:{AND}{QUOTED}{NOTE})+")
}

fn bare() -> String {
    format!("(?:{BARE})(?:{AND}(?:{BARE}))+")
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

static LIST_PATTERNS: [ListPattern; 13] = [
    // one of: a, b or c
    list(&["one of"], || {
        let (quoted, bare) = (quoted(), bare());
        regex(&format!(
            r"(?i)\bone of(?: the following)?(?: values?| options?)?\s*(?::|\()\s*(?P<list>{quoted}|{bare}){END}"
        ))
    }),
    list(&["one of"], || regex(&format!(r"(?:^|[.:] )(?:One|one) of (?P<list>{BARE}(?:{AND}{BARE}){{2,}}){END}"))),
    list(&["one of"], || {
        let quoted = quoted();
        regex(&format!(r"(?i)\bone of(?: the following)?(?: values?| options?)?\s*:?\s*(?P<list>{quoted}){END}"))
    }),
    list(&["either"], || {
        let quoted = quoted();
        regex(&format!(r"(?i)(?:^|[.:] |\b(?:must be|should be|can be|is) )either\s*:?\s*(?P<list>{quoted}){END}"))
    }),
    list(&["must be one of"], || {
        let bare = bare();
        regex(&format!(r"(?i)\bmust be one of (?P<list>{bare}){END}"))
    }),
    // allowed values are a, b, c
    list(SETS, || {
        let (quoted, bare) = (quoted(), bare());
        regex(&format!(
            r"(?i)\b(?:possible|allowed|valid|accepted|supported|permitted|available) (?:values|options|choices|types|formats|modes)\s*(?:are\b\s*:?|:)\s*(?P<list>{quoted}|{bare}){END}"
        ))
    }),
    list(&["must be", "can be", "may be", "should be", "could be"], || {
        let quoted = quoted();
        regex(&format!(r"(?i)\b(?:must|can|may|should|could) be (?P<list>{quoted}){END}"))
    }),
    list(SETS, || {
        let quoted = quoted();
        regex(&format!(
            r"(?i)(?:^|[.:;(] ?)(?:options|choices|values|modes|types|formats)\s*(?:are\b\s*:?|:)\s*(?P<list>{quoted}){END}"
        ))
    }),
    list(&["either"], || {
        regex(&format!(
            r"(?i)(?:^|[.:;] )(?:must be |should be |can be )?either (?P<list>{BARE}(?:\s*,\s*{BARE})*,? or {BARE}){END}"
        ))
    }),
    list(&["must be"], || regex(&format!(r"(?i)(?:^|[.:;] )must be (?P<list>{LITERAL})\s*(?:[.;]|$)"))),
    // the type (a, b, c)
    list(&["("], || {
        regex(&format!(
            r"(?i)\b{KIND}(?: of [A-Za-z0-9_ -]{{1,40}}| to \w+)?\s*\((?P<list>[a-z0-9][a-z0-9_-]*(?:\s*[,|/]\s*(?:or )?[a-z0-9][a-z0-9_-]*){{2,}})\)"
        ))
    }),
    // a|b|c
    list(&["|"], || regex(r"(?:^|[\s(:])(?P<list>[a-z][\w-]*(?:\|[a-z][\w-]*)+)(?:$|[\s).;,])")),
    // ("a" or "b"). Backticks are left out, because they often mark other fields.
    list(&["("], || {
        regex(&format!(r"\(\s*(?P<list>{LITERAL}(?:\s*,\s*{LITERAL})*(?:\s*,?\s+or\s+|\s*[|/]\s*){LITERAL})\s*\)"))
    }),
];

/// Words for sets of values.
const SETS: &[&str] = &["values", "options", "choices", "types", "formats", "modes"];

/// Words between "either" and "or" that describe a value.
const ADJECTIVES: &[&str] = &[
    "absolute", "both", "complete", "empty", "exact", "false", "full", "local", "missing", "negative", "null",
    "partial", "positive", "present", "relative", "remote", "true", "unique", "valid",
];

/// Phrases that mark a list as incomplete.
const OPEN_ENDED: &[&str] =
    &["e.g", "for example", "such as", "etc", "...", "…", "for instance", "and more", "among others", "ex:"];

/// Returns the place of a complete list of values in a text. `names` are those of parameters: a list of them has another meaning.
pub(super) fn find(text: &str, names: &[&str]) -> Option<Range<usize>> {
    // Most texts have no list: skip them without running the patterns.
    let begins = ["ne of ", "ither ", " are ", "ust be "];
    if !text.contains(['|', '(', ':', '"', '\'', '`']) && !begins.iter().any(|begin| text.contains(begin)) {
        return None;
    }
    let values = complete_list(text)?;
    let sentence = sentence(text, values.start(), values.end());
    // A list of parameter names is not a list of values.
    let mut words = values.as_str().split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-');
    let is_other = words.any(|word| names.contains(&word) || ADJECTIVES.contains(&word));
    let is_open = || OPEN_ENDED.iter().any(|open| sentence.to_lowercase().contains(open));
    (!is_other && !is_open()).then(|| values.range())
}

/// Returns the first complete list of a text. A list with a long quotation is not one of values.
fn complete_list(text: &str) -> Option<regex::Match<'_>> {
    const LONGEST: usize = 60;
    let small = text.to_lowercase();
    let may_match = |list: &&ListPattern| list.signs.iter().any(|sign| small.contains(sign));
    let lists = LIST_PATTERNS.iter().filter(may_match).filter_map(|list| list.pattern.captures(text)?.name("list"));
    lists.into_iter().find(|list| items(list.as_str()).iter().all(|item| item.chars().count() <= LONGEST))
}

/// Returns the place of a list of words that may be values and need not be all of them. It only counts for a parameter that has values.
pub(super) fn find_loose(text: &str, names: &[&str]) -> Option<Range<usize>> {
    static LOOSE: LazyLock<Regex> = LazyLock::new(|| {
        const WORD: &str = r"[A-Za-z0-9][\w.+-]*\w";
        regex(&format!(
            r"(?P<quoted>{QUOTED}(?:{AND}{QUOTED})+)|(?::|\bbe|\()\s*(?P<bare>{WORD}(?:\s*,\s*{WORD})*\s*,?\s+or\s+{WORD})\s*(?:[.;)]|$)|^\s*(?P<all>{WORD}(?:/{WORD})+)\s*\.?\s*$"
        ))
    });
    if !text.contains(['`', '"', '\'', '/']) && !text.contains(" or ") {
        return None;
    }
    let found = LOOSE.captures(text)?;
    let list = ["quoted", "bare", "all"].iter().find_map(|name| found.name(name))?;
    if items(list.as_str()).iter().any(|item| item.chars().count() > 40) {
        return None;
    }
    let sentence = sentence(text, list.start(), list.end());
    let mut words = list.as_str().split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-');
    let is_other = words.any(|word| names.contains(&word) || ADJECTIVES.contains(&word));
    let is_open = || OPEN_ENDED.iter().any(|open| sentence.to_lowercase().contains(open));
    (!is_other && !is_open()).then(|| list.range())
}

/// Returns the values of a list, without quotes.
pub(super) fn items(list: &str) -> Vec<&str> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#""([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`|([A-Za-z0-9][\w.+-]*)"#).expect("the pattern is valid")
    });
    let items = ITEM.captures_iter(list).filter_map(|found| {
        let bare = found.get(4).is_some();
        let item = found.iter().skip(1).flatten().next()?.as_str();
        (!bare || !matches!(item, "and" | "or" | "default" | "the")).then_some(item)
    });
    items.collect()
}

/// Returns the sentence around a range of bytes.
fn sentence(text: &str, start: usize, end: usize) -> &str {
    let before = text[..start].rfind(". ").map_or(0, |at| at + 2);
    let after = text[end..].find(". ").map_or(text.len(), |at| end + at);
    &text[before..after]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Option<&str> {
        complete_list(text).map(|list| list.as_str())
    }

    #[test]
    fn complete_lists_are_distinguished_from_other_prose() {
        for text in [
            "One of: json, xml, csv",
            "Format. One of 'json' or \"xml\".",
            "must be one of (asc, desc)",
            "Allowed values: a1, b-2 and c_3.",
            "Valid options are open, closed, all (default: open)",
            "Either \"asc\" or \"desc\"",
            "One of issue, incident, test_case or task.",
            "The type. Valid values are 'a', 'b', and 'c'.",
            "Order: asc|desc",
            "Direction (\"up\" or 'down')",
            "The state ('open', 'closed', or 'all')",
            "How to show it. Options: 'text' (default), 'lines', or 'count'.",
            "How to show it; can be \"text\" or \"lines\".",
            "Must be either asc or desc.",
            "Type of the output (generic, docker-registry, tls)",
            "Must be \"image\".",
        ] {
            assert!(list(text).is_some(), "{text}");
        }
        for text in [
            "One of: a URL, a path or an identifier",
            "Either the name or the id",
            "Either a file or a directory.",
            "one of the files in the list, or none",
            "Status name ('To Do', 'In Progress')",
            "A path or a URL",
            "Supported formats include json, xml",
            "Use `a` or `b`",
            "SHA of the head (`sha` or `diff_refs.head_sha`)",
            "by type of object (either `page` or `source`)",
            "One of the files",
            "read and/or write",
            "Valid values are between 1 and 5",
            "Possible values: see the documentation.",
            "The file (name, path, size)",
            "Can be a name or an id.",
            "A path that must be \"absolute\" here",
        ] {
            assert_eq!(list(text), None, "{text}");
        }
    }
}
