//! Keys of the front matter, in the spellings in which people write them.

use crate::note::Code;

/// The keys of the format.
pub(crate) const FORMAT_KEYS: [&str; 6] =
    ["name", "description", "license", "compatibility", "allowed-tools", "metadata"];

/// What is found instead of a space.
const TAB: &str = "`:` and a tab";

/// A line that begins with a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeyLine {
    /// The number of bytes before the key and what decorates it.
    pub(crate) indent: usize,
    /// The key, in the spelling of the format if the format has it.
    pub(crate) key: String,
    /// Whether the format has the key.
    pub(crate) is_known: bool,
    /// Where the value begins in the line.
    pub(crate) value: usize,
    /// What is unusual about the key, and what was found.
    pub(crate) quirk: Option<(Code, String)>,
}

/// Returns the key of the format that is meant: `Allowed_Tools` and `allowedTools` mean `allowed-tools`.
pub(crate) fn known(key: &str) -> Option<&'static str> {
    let is_separator = |c: char| matches!(c, '-' | '_' | ' ');
    if !key.chars().all(|c| c.is_ascii_alphabetic() || is_separator(c)) {
        return None;
    }
    let letters = |text: &str| text.replace(is_separator, "").to_ascii_lowercase();
    FORMAT_KEYS.into_iter().find(|known| letters(known) == letters(key))
}

/// Reads a line that begins with a key. A key of the format may be spelled, decorated and separated in unusual ways; other keys are
/// recognized only in the form of YAML.
pub(crate) fn key_line(line: &str) -> Option<KeyLine> {
    let indent = line.len() - line.trim_start().len();
    let separator_at = line.find([':', '=', '：'])?;
    let separator = line[separator_at..].chars().next()?;
    let head = line.get(indent..separator_at)?.trim_end();
    let mut name = head;
    for bullet in ["- ", "* ", "+ "] {
        name = name.strip_prefix(bullet).unwrap_or(name).trim_start();
    }
    let bare = name.trim_start_matches("**").trim_end_matches("**").trim_matches('`');
    let is_decorated = bare != head;
    let (quote, unquoted) = ['"', '\'']
        .into_iter()
        .find_map(|quote| Some((Some(quote), bare.strip_prefix(quote)?.strip_suffix(quote)?)))
        .unwrap_or((None, bare));
    if unquoted.is_empty() || unquoted.len() > 64 {
        return None;
    }
    let after = separator_at + separator.len_utf8();
    let rest = &line[after..];
    let rest_bare = if is_decorated { rest.strip_prefix("**").unwrap_or(rest) } else { rest };
    let value = line.len() - rest_bare.trim_start().len();
    // The parser of this crate takes a tab after the colon, others do not.
    let is_tab = separator == ':' && rest_bare.starts_with('\t');
    let is_separated = separator == ':' && (rest_bare.is_empty() || rest_bare.starts_with(' '));
    let Some(key) = known(unquoted) else {
        let is_key =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$') || (quote.is_some() && c == ' ');
        let is_plain = !is_decorated && (is_separated || is_tab) && unquoted.chars().all(is_key);
        let quirk = is_tab.then(|| (Code::TabSeparator, TAB.to_owned()));
        return is_plain.then(|| KeyLine { indent, key: unquoted.to_owned(), is_known: false, value, quirk });
    };
    let quirk = if is_decorated {
        Some((Code::KeyIndent, format!("`{head}`")))
    } else if unquoted != key {
        Some((Code::KeySpelling, format!("`{unquoted}`")))
    } else if is_tab {
        Some((Code::TabSeparator, TAB.to_owned()))
    } else if !is_separated {
        let found = match separator {
            ':' => "`:` and no space".to_owned(),
            _ => format!("`{separator}`"),
        };
        Some((Code::KeySeparator, found))
    } else {
        None
    };
    Some(KeyLine { indent, key: key.to_owned(), is_known: true, value, quirk })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_format_are_recognized_in_many_spellings() {
        for (line, key, value, code) in [
            ("name: x", "name", 6, None),
            ("  \"description\" : x", "description", 18, None),
            ("Name: x", "name", 6, Some(Code::KeySpelling)),
            ("allowedTools: x", "allowed-tools", 14, Some(Code::KeySpelling)),
            ("ALLOWED_TOOLS:", "allowed-tools", 14, Some(Code::KeySpelling)),
            ("name:x", "name", 5, Some(Code::KeySeparator)),
            ("name:\tx", "name", 6, Some(Code::TabSeparator)),
            ("version:\tx", "version", 9, Some(Code::TabSeparator)),
            ("name = x", "name", 7, Some(Code::KeySeparator)),
            ("name：x", "name", 7, Some(Code::KeySeparator)),
            ("- name: x", "name", 8, Some(Code::KeyIndent)),
            ("**name:** x", "name", 10, Some(Code::KeyIndent)),
            ("**Name**: x", "name", 10, Some(Code::KeyIndent)),
        ] {
            let read = key_line(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((read.key.as_str(), read.value, read.quirk.map(|(code, _)| code)), (key, value, code), "{line}");
        }
    }

    #[test]
    fn other_keys_are_recognized_only_in_the_form_of_yaml() {
        assert_eq!(
            key_line("user-invocable: true").map(|read| (read.key, read.is_known)),
            Some(("user-invocable".into(), false))
        );
        assert!(key_line("version:").is_some() && key_line("'a b': c").is_some());
        for line in [
            "https://example.com",
            "Use it so: now",
            "a=b",
            "- other: x",
            "",
            ":",
            "12:30",
            "two words: x",
            "**Note**: x",
        ] {
            assert_eq!(key_line(line), None, "{line}");
        }
    }
}
