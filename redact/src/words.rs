//! The words of names.

/// Returns the words of a name or text, as they are written: `read_file`, `read-file` and `readFile` have two words each,
/// `HTTPServer` has `HTTP` and `Server`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = after_separators(rest);
        let (word, after) = rest.split_at(first_word(rest));
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// Returns the text from its first letter or digit.
fn after_separators(text: &str) -> &str {
    // Most texts are ASCII.
    match text.bytes().position(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) {
        Some(at) if text.as_bytes()[at].is_ascii() => &text[at..],
        Some(at) => text[at..].trim_start_matches(|letter: char| !letter.is_alphanumeric()),
        None => "",
    }
}

/// Returns the length of the word at the start of a text, in bytes.
fn first_word(text: &str) -> usize {
    // Most words have no capitals after their first letter.
    let bytes = text.as_bytes();
    let is_small = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if bytes.first().is_some_and(u8::is_ascii_alphanumeric) {
        let end = 1 + bytes[1..].iter().position(|byte| !is_small(byte)).unwrap_or(bytes.len() - 1);
        if bytes.get(end).is_none_or(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()) {
            return end;
        }
    }
    let mut letters = text.char_indices().peekable();
    let Some((_, mut before)) = letters.next() else { return 0 };
    while let Some((at, letter)) = letters.next() {
        let follows_capital = before.is_uppercase();
        let precedes_small = letters.peek().is_some_and(|(_, after)| after.is_lowercase());
        if !letter.is_alphanumeric() || letter.is_uppercase() && (!follows_capital || precedes_small) {
            return at;
        }
        before = letter;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_separators_and_capitals() {
        for (name, expected) in [
            ("read_file", "read file"),
            ("readFile", "read File"),
            ("HTTPServer-v2", "HTTP Server v2"),
            ("getURL", "get URL"),
            ("v2File", "v2 File"),
            ("ABC", "ABC"),
            ("__a--b__", "a b"),
            ("größeÄndern", "größe Ändern"),
            ("aÄBc—éa 1é.é", "a Ä Bc éa 1é é"),
            ("abcÉ", "abc É"),
            ("—", ""),
            ("", ""),
        ] {
            assert_eq!(words(name).collect::<Vec<_>>().join(" "), expected, "{name}");
        }
    }
}
