//! Recognizes programs that make another text of what they read.

use crate::reading::Command;

/// Programs that make another text of what they read.
const EDITORS: &[&str] = &[
    "awk", "base64", "cut", "fold", "gawk", "gsed", "jq", "mawk", "nawk", "paste", "perl", "rev", "ruby", "sed", "tr",
    "xxd",
];

/// Returns whether a program prints another text than it reads, not only some of the lines. Names in such a text can be any.
pub(crate) fn edits_text(command: &Command) -> bool {
    let Some(name) = command.program.name().filter(|name| EDITORS.contains(name)) else { return false };
    let mut words = command.arguments().iter();
    match name {
        // `tr '\n' '\0'` changes only what is between the names.
        "tr" => !words.all(|word| word.text().is_some_and(|text| is_separators(&text))),
        "sed" | "gsed" => !words.all(|word| word.text().is_some_and(|text| selects_lines(&text))),
        _ => true,
    }
}

/// Returns whether an argument of `tr` is an option, or consists of spaces and the like.
fn is_separators(text: &str) -> bool {
    let rest = ["\\n", "\\t", "\\r", "\\0", "\\000", "\\012", "[:space:]", "[:blank:]"]
        .iter()
        .fold(text.to_owned(), |text, sign| text.replace(sign, " "));
    text.starts_with('-') || rest.chars().all(|letter| letter.is_whitespace() || letter == '0')
}

/// Returns whether an argument of `sed` is an option or a script that only selects lines: `-n`, `1d`, `2,5p`, `$p`, `/x/d`.
fn selects_lines(text: &str) -> bool {
    let address = text.trim_end_matches(['d', 'p', 'q', '!']);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b"$,~+ ".contains(&byte));
    let is_regex =
        |text: &str| text.len() > 1 && text.matches('/').count() == 2 && text.ends_with('/') && text.starts_with('/');
    matches!(text, "-n" | "-E" | "-r" | "-u" | "-z" | "--quiet" | "--silent")
        || address.len() < text.len() && (is_number(address) || is_regex(address))
}
