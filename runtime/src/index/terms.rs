//! Terms: the normalised words of a text or a query.

use crate::text::words::words;

/// The maximum length of a term, in letters.
const MAX_LETTERS: usize = 40;

/// Returns the terms of a text, in order: in lower case, without plural endings. `read_file` and `readFile` are two
/// words each. In Chinese and Japanese, each letter is a term.
pub(crate) fn terms(text: &str) -> impl Iterator<Item = String> {
    words(text).flat_map(split_cjk).filter_map(term)
}

/// Splits a word into runs of other letters, and single Chinese and Japanese letters, which are written without spaces.
fn split_cjk(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if is_cjk(first) { first.len_utf8() } else { rest.find(is_cjk).unwrap_or(rest.len()) };
        let (word, next) = rest.split_at(end);
        rest = next;
        Some(word)
    })
}

/// Returns whether a letter is a Chinese character or a Japanese syllable, each of which is a term.
fn is_cjk(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// Returns the term of a word, or `None` if the word is too long.
fn term(word: &str) -> Option<String> {
    let mut term = word.to_lowercase();
    if term.chars().count() > MAX_LETTERS {
        return None;
    }
    // An imprecise rule is harmless, because texts and queries use the same one.
    if term.len() > 3 && term.is_ascii() {
        if term.ends_with("ies") && term.len() > 4 {
            term.truncate(term.len() - 3);
            term.push('y');
        } else if ["sses", "shes", "ches", "xes", "zes"].iter().any(|ending| term.ends_with(ending))
            || (term.len() > 5 && term.ends_with("oes"))
        {
            term.truncate(term.len() - 2);
        } else if term.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| term.ends_with(ending)) {
            term.truncate(term.len() - 1);
        }
    }
    Some(term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_terms(text: &str, expected: &str) {
        assert_eq!(terms(text).collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn a_name_is_split_into_words() {
        assert_terms("read_file", "read file");
        assert_terms("readFile", "read file");
        assert_terms("HTTPServer-v2", "http server v2");
        assert_terms("getURL", "get url");
        assert_terms("mcp__git__log", "mcp git log");
        assert_terms("ABC", "abc");
    }

    #[test]
    fn plural_endings_are_removed() {
        assert_terms(
            "Files, file's; queries: matches boxes classes tomatoes shoes",
            "file file s query match box class tomato shoe",
        );
        assert_terms("status is this bus gas as", "status is this bus gas as");
    }

    #[test]
    fn other_scripts_have_terms_too() {
        assert_terms("Größe der Straße", "größe der straße");
        assert_terms("搜索file文件", "搜 索 file 文 件");
        assert_terms("Поиск ФАЙЛА", "поиск файла");
    }

    #[test]
    fn punctuation_and_long_words_are_ignored() {
        assert_terms("  — !? \u{200b}", "");
        assert_terms(&"x".repeat(41), "");
    }
}
