//! The name and the description of a skill, as far as the hub needs them.
//!
//! The hub shows them and chooses a folder. Reading a skill for a model, with all its keys and mistakes, is the work of another crate.

/// The name and the description at the beginning of `SKILL.md`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heading {
    /// The name. Empty if it is missing.
    pub name: String,
    /// The description, on one line. Empty if it is missing.
    pub description: String,
}

impl Heading {
    /// Reads the keys `name` and `description` between the first two lines `---`. What cannot be read is left empty.
    pub fn read(text: &str) -> Self {
        let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines().map(str::trim_end);
        if lines.next() != Some("---") {
            return Self::default();
        }
        let lines: Vec<&str> = lines.take_while(|line| *line != "---" && *line != "...").collect();
        Self { name: value(&lines, "name"), description: value(&lines, "description") }
    }
}

/// Returns the value of a key at the top level, and of the indented lines below it.
fn value(lines: &[&str], key: &str) -> String {
    let starts = |line: &&str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let Some(at) = lines.iter().position(starts) else { return String::new() };
    let first = lines[at].split_once(':').map_or("", |(_, value)| value.trim());
    let below = lines[at + 1..].iter().take_while(|line| line.is_empty() || line.starts_with([' ', '\t']));
    let below = below.map(|line| line.trim());
    // `>` and `|`, perhaps with a sign or a number, begin a block.
    let is_block = first.starts_with(['>', '|']) && first.len() <= 3;
    let first = if is_block { "" } else { first };
    let words: Vec<&str> = std::iter::once(first).chain(below).flat_map(str::split_whitespace).collect();
    let text = words.join(" ");
    if is_block { text } else { unquoted(&text) }
}

/// Removes the quotes of a YAML scalar, or the comment after a plain one.
fn unquoted(text: &str) -> String {
    if let Some(inner) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        return inner.replace("''", "'");
    }
    if let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        return inner.replace("\\\"", "\"").replace("\\\\", "\\");
    }
    text.split_once(" #").map_or(text, |(value, _)| value.trim_end()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_read_in_the_forms_that_authors_write() {
        for (text, name, description) in [
            ("---\nname: pdf\ndescription: Reads PDF files\n---\nname: x\n", "pdf", "Reads PDF files"),
            ("\u{feff}---\r\nname: \"pdf\"\r\ndescription: 'It''s good'\r\n---\r\n", "pdf", "It's good"),
            ("---\ndescription: >-\n  Two\n  lines\n\nname: a # a comment\n---", "a", "Two lines"),
            (
                "---\nname: a\ndescription: Use when: always, \"now\"\n  or later\n...\n",
                "a",
                "Use when: always, \"now\" or later",
            ),
            ("---\nmetadata:\n  name: other\nnames: x\n---\n", "", ""),
            ("---\nname: a\n", "a", ""),
            ("# Title\nname: a\n", "", ""),
            ("", "", ""),
        ] {
            let expected = Heading { name: name.to_owned(), description: description.to_owned() };
            assert_eq!(Heading::read(text), expected, "{text:?}");
        }
    }
}
