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

/// Returns the text of a `SKILL.md` with another name. `None` if it has no name of its own.
pub(super) fn renamed(text: &str, name: &str) -> Option<String> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    if first.strip_prefix('\u{feff}').unwrap_or(first).trim_end() != "---" {
        return None;
    }
    let (mut new, mut is_done, mut is_name) = (first.to_owned(), false, false);
    let mut lines = lines.peekable();
    while let Some(line) = lines.next_if(|line| !["---", "..."].contains(&line.trim_end())) {
        // The name may have further lines, which are indented.
        is_name = if is_name { line.starts_with([' ', '\t']) } else { !is_done && starts(line, "name") };
        if !is_name {
            new += line;
        } else if !is_done {
            let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
            new += &format!("name: {name}{end}");
            is_done = true;
        }
    }
    new.extend(lines);
    is_done.then_some(new)
}

/// Returns whether a line begins with a key at the top level.
fn starts(line: &str, key: &str) -> bool {
    line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// Returns the value of a key at the top level, and of the indented lines below it.
fn value(lines: &[&str], key: &str) -> String {
    let Some(at) = lines.iter().position(|line| starts(line, key)) else { return String::new() };
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
    fn only_the_name_at_the_beginning_is_replaced() {
        for (text, new) in [
            ("---\nname: a\ndescription: b\n---\nname: c\n", Some("---\nname: x\ndescription: b\n---\nname: c\n")),
            (
                "\u{feff}---\r\nname: >\r\n  a\r\n  b\r\nlicense: MIT\r\n---\r\n",
                Some("\u{feff}---\r\nname: x\r\nlicense: MIT\r\n---\r\n"),
            ),
            ("---\nmetadata:\n  name: a\nnames: b\nname: c", Some("---\nmetadata:\n  name: a\nnames: b\nname: x")),
            ("---\ndescription: b\n---\nname: c\n", None),
            ("name: a\n", None),
            ("", None),
        ] {
            assert_eq!(renamed(text, "x").as_deref(), new, "{text:?}");
        }
    }

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
