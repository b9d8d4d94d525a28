//! Terms: the normalised words of a text or a query.

use toolc_redact::words;

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

/// Stop words: English words that occur in many texts and say little about a tool. They are terms, so plural endings are removed.
const STOP_WORDS: &[&str] = &[
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "do", "doe", "for", "from", "has",
    "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "need", "of", "on", "or", "our", "please",
    "so", "some", "that", "the", "their", "them", "then", "there", "these", "thi", "this", "those", "to", "tool",
    "use", "using", "want", "was", "we", "what", "when", "where", "which", "who", "will", "with", "you", "your",
];

/// Returns whether a term is a stop word.
pub(crate) fn is_stop_word(term: &str) -> bool {
    STOP_WORDS.binary_search(&term).is_ok()
}

/// Returns the beginning of a term that it shares with its other forms: `archiv` for `archive`, `archived` and `archiving`, `stop` for
/// `stopped`, `translat` for `translation`. Only for English words, and only for letters at the end that are rarely part of the stem.
pub(crate) fn stem(term: &str) -> &str {
    /// The minimum length of what remains.
    const MIN: usize = 3;
    if !term.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return term;
    }
    // `string` and `speed` do not end with an ending.
    let is_stem = |text: &str| text.bytes().any(|letter| b"aeiouy".contains(&letter)) && !text.ends_with('e');
    for ending in ["ing", "ed"] {
        if let Some(stem) = term.strip_suffix(ending).filter(|stem| stem.len() >= MIN && is_stem(stem)) {
            return match stem.as_bytes() {
                // `stopped`, but not `called`, `passed` or `added`.
                [.., a, b] if a == b && stem.len() > MIN && !b"lsz".contains(b) => &stem[..stem.len() - 1],
                _ => stem,
            };
        }
    }
    let before_ion = term.strip_suffix("ion").filter(|stem| stem.len() > MIN && stem.ends_with(['s', 't']));
    let before_e = term.strip_suffix('e').filter(|stem| stem.len() > MIN);
    before_ion.or(before_e).unwrap_or(term)
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

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (stem_of, forms) in [
            ("search", "search searching searched"),
            ("archiv", "archive archiving archived"),
            ("stop", "stop stopping stopped"),
            ("translat", "translate translating translated translation"),
            ("call", "call calling called"),
            ("add", "add adding added"),
            ("delet", "delete deleting deleted deletion"),
            ("pass", "pass passing passed"),
        ] {
            for form in forms.split(' ') {
                assert_eq!(stem(form), stem_of, "{form}");
                assert!(form.starts_with(stem_of), "a stem is a beginning");
            }
        }
        for word in [
            "file", "fill", "red", "speed", "sing", "string", "spring", "bring", "bed", "größe", "v2", "搜",
            "mission2", "note",
        ] {
            assert_eq!(stem(word), word);
        }
    }

    #[test]
    fn stop_words_are_terms_in_order() {
        assert!(STOP_WORDS.is_sorted());
        for word in STOP_WORDS {
            assert!(is_stop_word(word) && !is_stop_word("file"));
        }
        for word in ["does", "the", "using"] {
            let term = terms(word).next().unwrap();
            assert!(is_stop_word(&term), "{term}");
        }
    }
}
