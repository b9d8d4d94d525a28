//! The words of names.

/// Returns the words of a name or text, as they are written: `read_file`, `read-file` and `readFile` have two words each,
/// `HTTPServer` has `HTTP` and `Server`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).flat_map(split_camel_case)
}

fn split_camel_case(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().peekable();
        let (_, mut before) = letters.next()?;
        let mut end = rest.len();
        while let Some((at, letter)) = letters.next() {
            let follows_capital = before.is_uppercase();
            let precedes_small = letters.peek().is_some_and(|(_, after)| after.is_lowercase());
            if letter.is_uppercase() && (!follows_capital || precedes_small) {
                end = at;
                break;
            }
            before = letter;
        }
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
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
            ("", ""),
        ] {
            assert_eq!(words(name).collect::<Vec<_>>().join(" "), expected, "{name}");
        }
    }
}
