//! Mentions of tools in texts.

use std::ops::Range;

/// A possible mention of a tool.
pub(super) struct Mention<'t> {
    /// The name as written.
    pub name: &'t str,
    /// Its place in the text.
    pub span: Range<usize>,
    /// Whether the word "tool" follows.
    pub is_called_tool: bool,
    /// Whether the name is in backticks.
    pub is_quoted: bool,
}

/// Returns the different names that a text may mention, each with a backtick before it if it is in backticks.
pub(super) fn mentioned(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        for Mention { name, is_quoted, .. } in mentions(text.as_ref()) {
            let has = |other: &String| is_quoted == other.starts_with('`') && other.trim_start_matches('`') == name;
            if !names.iter().any(has) {
                names.push(if is_quoted { format!("`{name}") } else { name.to_owned() });
            }
        }
    }
    names
}

/// Words between which and "tool" a name stands.
const INTRODUCTIONS: &[&str] = &["a", "call", "calling", "from", "the", "use", "using", "via", "with"];

/// Finds names in backticks, words that contain `_`, and names between "the" and "tool", unless they are part of a path, a URL or a
/// field access.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = Mention<'_>> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find(|letter: char| letter.is_ascii_alphabetic() || letter == '_')?;
            let length = text[start..].find(|letter| !is_part(letter)).unwrap_or(text.len() - start);
            // A trailing dash is not part of the word.
            let word = text[start..start + length].trim_end_matches('-');
            at = start + length;
            let (before, after) = (&text[..start], &text[start + word.len()..]);
            let in_ticks = before.ends_with('`') && (after.starts_with('`') || after.starts_with('('));
            let ends = |letter: Option<char>, signs: &str| letter.is_none_or(|letter| !signs.contains(letter));
            let mut next = after.chars();
            let (first, second) = (next.next(), next.next());
            // `name.` ends a sentence, `name.md` does not.
            let is_field = first == Some('.') && second.is_some_and(char::is_alphanumeric);
            let is_separate = ends(before.chars().next_back(), "/.-:@#$%&=\\~")
                && !before.ends_with(|letter: char| letter.is_alphanumeric())
                && ends(first, "/=\\@")
                && !is_field;
            let rest = after.trim_start_matches(['`', '"', '\'', '*']).trim_start();
            let is_called_tool = starts_with_word(rest, "tool") || starts_with_word(rest, "tools");
            // "the terminal tool" names it as clearly as backticks do.
            let is_introduced =
                is_called_tool && is_separate && INTRODUCTIONS.iter().any(|word| ends_with_word(before, word));
            if in_ticks || is_introduced || is_separate && word.contains('_') {
                if starts_with_word(rest, "toolset") {
                    continue;
                }
                let span = start..start + word.len();
                return Some(Mention { name: word, span, is_called_tool, is_quoted: in_ticks });
            }
        }
    })
}

pub(super) fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

/// Words after which a mention only compares, or forbids a call. The model is not asked to call the tool.
const COMPARISONS: &[&str] = &[
    "as opposed to",
    "compared to",
    "compared with",
    "do not call",
    "do not use",
    "don't call",
    "don't use",
    "equivalent to",
    "in contrast to",
    "instead of",
    "never call",
    "never use",
    "rather than",
    "same as",
    "similar to",
    "unlike",
];

/// Phrases that say that a tool may be unavailable.
const RESERVATIONS: &[&str] = &[
    "if available",
    "if enabled",
    "if installed",
    "if it is available",
    "if it is enabled",
    "if present",
    "if supported",
    "if that tool is",
    "if the tool is",
    "if you have",
    "when available",
    "when enabled",
    "when it is available",
    "when present",
    "when the tool is",
    "when you have",
    "where available",
    "where it is available",
    "may be unavailable",
    "may not be available",
];

/// Returns whether the text around a mention says that the tool may be unavailable, compares with it, or forbids to call it.
pub(super) fn is_harmless(text: &str, mention: &Mention<'_>) -> bool {
    let before = text[..mention.span.start].trim_end_matches(['`', '"', '\'', '*', '(']).trim_end().to_lowercase();
    let before = [" the", " a"].iter().find_map(|article| before.strip_suffix(article)).unwrap_or(&before);
    let compares = COMPARISONS.iter().any(|phrase| ends_with_word(before, phrase));
    let sentence = sentence(text, &mention.span).to_lowercase();
    compares || RESERVATIONS.iter().any(|phrase| sentence.contains(phrase))
}

/// Returns the sentence around a span.
pub(super) fn sentence<'t>(text: &'t str, span: &Range<usize>) -> &'t str {
    let ends = [". ", ".\n", "\n\n", "! ", "? "];
    let start = ends.iter().filter_map(|end| Some(text[..span.start].rfind(end)? + end.len())).max().unwrap_or(0);
    let length = ends.iter().filter_map(|end| text[span.end..].find(end)).min().unwrap_or(text.len() - span.end);
    &text[start..span.end + length]
}

/// Returns whether a text ends with a word, or with words.
pub(super) fn ends_with_word(text: &str, word: &str) -> bool {
    text.trim_end()
        .strip_suffix(word)
        .is_some_and(|rest| !rest.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_not_part_of_something_longer() {
        let found = |text| mentions(text).map(|mention| mention.name.to_owned()).collect::<Vec<_>>();
        assert_eq!(found("Use read_file, `patch` or web-search; (list_all)."), ["read_file", "patch", "list_all"]);
        assert_eq!(found("`read_file(path)` and write_file()"), ["read_file", "write_file"]);
        assert_eq!(found("a/read_file read_file/b x.read_file read_file.md $read_file read_file="), [""; 0]);
        assert_eq!(found("see read_file. \"read_file\": `web-search`"), ["read_file", "read_file", "web-search"]);
        assert_eq!(found("the `file_ops` toolset, `terminal` toolset, file_ops- x"), ["file_ops"]);
        assert!(mentions("`patch` tool").all(|mention| mention.is_called_tool));
        assert_eq!(found("Use the terminal tool, with patch tools; a good tool"), ["terminal", "patch", "good"]);
        assert_eq!(found("This tool and that terminal tool of the toolset"), [""; 0]);
        assert_eq!(found("éread_file"), [""; 0]);
    }

    #[test]
    fn comparisons_and_reservations_are_harmless() {
        let is_quiet = |text: &str| mentions(text).all(|mention| is_harmless(text, &mention));
        for text in [
            "Prefer `search_feedback` when available.",
            "Similar to `list_sessions`.",
            "DO NOT USE create_dsn for that",
            "Unlike the `find` tool it is fast.",
            "Use this instead of `terminal`.",
            "If available, ask `web_search` first. It works.",
        ] {
            assert!(is_quiet(text), "{text}");
        }
        for text in
            ["Use `web_search`.", "Instead of that, use `web_search`.", "It is fast if available. Use `web_search`."]
        {
            assert!(!is_quiet(text), "{text}");
        }
    }
}
