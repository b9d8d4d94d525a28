//! Splits a front matter into its top-level keys with their values: as YAML, or line by line if it is not YAML.

use std::ops::Range;

use crate::envelope::short;
use crate::key::{KeyLine, key_line, known};
use crate::note::{Code, Notes};
use crate::source::Source;
use crate::yaml::{self, Kind, Node};

/// A key of the front matter with its value.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The key, in the spelling of the format if the format has it.
    pub(crate) key: String,
    /// Whether the format has the key.
    pub(crate) is_known: bool,
    /// The line and column of the key.
    pub(crate) place: (usize, usize),
    /// The byte of the key.
    pub(crate) head: usize,
    /// The lines of the entry.
    pub(crate) lines: Range<usize>,
    /// The bytes of the value.
    pub(crate) value: Range<usize>,
    /// The value, if YAML can read it.
    pub(crate) node: Option<Node>,
    /// Whether fixes may replace the value: it is not inside a mapping in flow style.
    pub(crate) is_fixable: bool,
}

/// Splits the front matter. Returns `None`, with a note, if it contains no key.
pub(crate) fn split(source: &Source<'_>, lines: Range<usize>, notes: &mut Notes) -> Option<Vec<Entry>> {
    let block = source.range(lines.clone());
    if let Some(line) = lines.clone().find(|index| source.line(*index).starts_with("<<<<<<< ")) {
        notes.add(
            (line + 1, 1),
            Code::MergeConflict,
            "expected a key, and there is the marker of a merge conflict; resolve the conflict",
        );
        return None;
    }
    let parsed = yaml::parse(&source.text[block.clone()]).map(|mut node| {
        node.place(&|at| at + block.start);
        node
    });
    let entries = match parsed {
        Ok(Node { kind: Kind::Map(pairs), flow, .. }) if pairs.iter().all(|(key, _)| key.scalar().is_some()) => {
            of_pairs(source, pairs, lines.end, flow, notes)
        }
        Err(fault) if fault.is_bound => {
            let line = source.line_of(block.start + fault.offset);
            let key = (lines.start..=line)
                .rev()
                .find(|index| key_line(source.line(*index)).is_some_and(|key| key.indent == 0));
            let line = if fault.message.contains("alias") { line } else { key.unwrap_or(line) };
            notes.add((line + 1, 1), Code::TooLarge, format!("the front matter is refused: {}", fault.message));
            return None;
        }
        parsed => {
            let entries = of_lines(source, lines.clone(), notes);
            if entries.iter().all(|entry| !entry.is_known) {
                let found = parsed.map_or_else(|fault| fault.message, |_| "a text or a list".into());
                let message =
                    format!("expected `name: ...` and `description: ...`, each on its line, and there is: {found}");
                notes.add((lines.start.max(1), 1), Code::MissingFrontMatter, message);
                return None;
            }
            entries
        }
    };
    Some(without_duplicates(source, entries, notes))
}

/// Returns the entries of a YAML mapping.
fn of_pairs(source: &Source<'_>, pairs: Vec<(Node, Node)>, end: usize, flow: bool, notes: &mut Notes) -> Vec<Entry> {
    let starts: Vec<usize> = pairs.iter().map(|(key, _)| source.line_of(key.range.start)).collect();
    // Lines can be changed one by one if each begins with a key.
    let begins = |key: &Node, line: usize| source.text[source.start(line)..key.range.start].trim_start().is_empty();
    let is_explicit = |index: usize| source.line(index) == "?" || source.line(index).starts_with("? ");
    let is_by_line = !flow
        && !(starts.first().copied().unwrap_or(end)..end).any(is_explicit)
        && starts.windows(2).all(|pair| pair[0] < pair[1])
        && pairs.iter().zip(&starts).all(|((key, _), line)| begins(key, *line));
    let mut entries = Vec::with_capacity(pairs.len());
    for (index, (key, node)) in pairs.into_iter().enumerate() {
        let written = key.scalar().unwrap_or_default().to_owned();
        let first = starts[index];
        let next = starts.get(index + 1).copied().unwrap_or(end).max(first + 1);
        let line = source.line(first);
        let start = key.range.start;
        let place = source.place(start);
        let mut entry = match key_line(line) {
            Some(head) if is_by_line => at_line(source, head, first..next, "", notes),
            _ => {
                let format_key = known(&written);
                if let Some(known) = format_key.filter(|known| *known != written) {
                    let message = format!("expected the key `{known}`, and there is `{written}`");
                    notes.add(place, Code::KeySpelling, message);
                }
                let key = format_key.map_or_else(|| written.clone(), str::to_owned);
                let value = node.range.clone();
                Entry {
                    key,
                    is_known: format_key.is_some(),
                    place,
                    head: start,
                    lines: first..next,
                    value,
                    node: None,
                    is_fixable: false,
                }
            }
        };
        // YAML takes `name = a: b` for the key `name = a`.
        let is_key = entry.key == written || known(&written) == Some(entry.key.as_str());
        entry.node = if is_key { Some(node) } else { self::node(&source.text[entry.value.clone()], entry.value.start) };
        entries.push(entry);
    }
    entries
}

/// Returns the entries of a text that YAML cannot read.
fn of_lines(source: &Source<'_>, lines: Range<usize>, notes: &mut Notes) -> Vec<Entry> {
    let first = lines.clone().find_map(|index| Some((index, key_line(source.line(index))?.indent)));
    let (base, base_text) = first.map_or((0, ""), |(index, indent)| (indent, &source.line(index)[..indent]));
    // An indent of tabs cannot be kept.
    let is_spaces = base_text.bytes().all(|byte| byte == b' ');
    let base_text = if is_spaces { base_text } else { "" };
    let mut heads: Vec<(usize, KeyLine)> = Vec::new();
    for index in lines.clone() {
        let line = source.line(index);
        let indent = line.len() - line.trim_start().len();
        let before = heads.last().map(|(index, key)| source.line(*index).get(key.value..).unwrap_or_default().trim());
        match key_line(line) {
            Some(mut key) if key.indent == base => {
                if !is_spaces {
                    key.quirk = Some((Code::KeyIndent, "a tab before it".into()));
                }
                heads.push((index, key));
            }
            Some(mut key) if key.is_known && (indent < base || before.is_none_or(is_whole)) => {
                let plural = if indent == 1 { "" } else { "s" };
                key.quirk = key.quirk.or(Some((Code::KeyIndent, format!("{indent} column{plural} of space"))));
                heads.push((index, key));
            }
            _ if heads.is_empty() && !line.trim().is_empty() && !line.trim_start().starts_with('#') => {
                let start = source.start(index) + indent;
                let message = format!("expected a key, and there is `{}`; it is left out", short(line));
                notes.fix(source.place(start), Code::StrayLine, message, start..start, "# ");
            }
            _ => {}
        }
    }
    let starts: Vec<usize> = heads.iter().map(|(index, _)| *index).chain([lines.end]).collect();
    let entries = heads.into_iter().zip(&starts[1..]).map(|((first, head), next)| {
        let mut entry = at_line(source, head, first..*next, base_text, notes);
        entry.node = node(&source.text[entry.value.clone()], entry.value.start);
        entry
    });
    entries.collect()
}

/// Returns whether a value is complete on the line of its key, so that no nested keys follow.
fn is_whole(value: &str) -> bool {
    !value.is_empty() && !value.starts_with(['|', '>', '{', '[', '#'])
}

/// Returns the entry of some lines, and reports what is unusual about its key. `indent` comes before the keys.
fn at_line(source: &Source<'_>, head: KeyLine, mut lines: Range<usize>, indent: &str, notes: &mut Notes) -> Entry {
    let first = lines.start;
    let start = source.start(first);
    let value_start = start + head.value;
    // Blank lines and comments at the end belong to the next key.
    let is_content = |index: &usize| {
        *index == first || !matches!(source.line(*index).trim_start().bytes().next(), None | Some(b'#'))
    };
    let last = lines.rfind(is_content).unwrap_or(first);
    let value = value_start..source.lines[last].end.max(value_start);
    let place = source.place(start + head.indent);
    if let Some((code, found)) = head.quirk {
        let message = format!("expected `{}: `, and there is {found}", head.key);
        let (key_start, indent) = if code == Code::KeyIndent { (start, indent) } else { (start + head.indent, "") };
        notes.fix(place, code, message, key_start..value_start, &format!("{indent}{}: ", head.key));
    }
    Entry {
        key: head.key,
        is_known: head.is_known,
        place,
        head: start + head.indent,
        lines: first..last + 1,
        value,
        node: None,
        is_fixable: true,
    }
}

/// Reads a value on its own. `start` is its place in the text.
pub(crate) fn node(value: &str, start: usize) -> Option<Node> {
    const HEAD: &str = "k: ";
    let mut root = yaml::parse(&format!("{HEAD}{value}")).ok()?;
    root.place(&|at| (at + start).saturating_sub(HEAD.len()));
    match root.kind {
        Kind::Map(mut pairs) if pairs.len() == 1 => pairs.pop().map(|(_, node)| node),
        _ => None,
    }
}

/// Keeps the last value of each key that is not empty.
fn without_duplicates(source: &Source<'_>, entries: Vec<Entry>, notes: &mut Notes) -> Vec<Entry> {
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        let Some(at) = kept.iter().position(|other| other.key == entry.key) else {
            kept.push(entry);
            continue;
        };
        let is_empty = |entry: &Entry| entry.node.as_ref().map_or(entry.value.is_empty(), Node::is_null);
        let (place, other) = (entry.place, kept[at].place.0);
        let dropped = if is_empty(&entry) && !is_empty(&kept[at]) {
            entry
        } else {
            // The order is the order of the values that are used.
            kept.push(entry);
            kept.remove(at)
        };
        let used = if dropped.place == place { other } else { place.0 };
        let value = |entry: &Entry| source.text.get(entry.value.clone()).unwrap_or_default().trim().to_owned();
        let last = kept.iter().find(|entry| entry.key == dropped.key).map(value);
        // Which of two different values is meant is a decision of the author.
        let is_lost = !is_empty(&dropped) && last.is_some_and(|last| last != value(&dropped));
        let message = format!("the key `{}` is also in line {other}; the value in line {used} is used", dropped.key);
        if dropped.is_fixable && !is_lost {
            notes.fix(place, Code::DuplicateKey, message, source.range(dropped.lines), "");
        } else {
            notes.add(place, Code::DuplicateKey, message);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::Strictness;

    type Pairs = Vec<(String, String)>;

    fn read(text: &str) -> (Pairs, Vec<(usize, Code)>) {
        let source = Source::new(text);
        let mut notes = Notes::new(Strictness::Use);
        let entries = split(&source, 0..source.lines.len(), &mut notes).unwrap_or_default();
        let pairs = entries.into_iter().map(|entry| (entry.key, text[entry.value].to_owned())).collect();
        (pairs, notes.sorted().into_iter().map(|note| (note.line, note.code)).collect())
    }

    fn pairs(pairs: &[(&str, &str)]) -> Pairs {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn yaml_and_damaged_yaml_split_into_the_same_entries() {
        let expected = pairs(&[("name", "a"), ("description", "b\n  c"), ("metadata", "\n  x: y")]);
        let text = "name: a\ndescription: b\n  c\n\n# comment\nmetadata:\n  x: y\n";
        assert_eq!(read(text), (expected.clone(), vec![]));
        let damaged = text.to_owned() + "license: a: b\n";
        let mut with_license = expected;
        with_license.extend(pairs(&[("license", "a: b")]));
        assert_eq!(read(&damaged), (with_license, vec![]));
    }

    #[test]
    fn keys_at_another_indent_are_found() {
        let (entries, notes) = read("name: a\n  description: b\nmetadata:\n  name: c\n");
        assert_eq!(entries, pairs(&[("name", "a"), ("description", "b"), ("metadata", "\n  name: c")]));
        assert_eq!(notes, [(2, Code::KeyIndent)]);
        assert_eq!(read("- name: a\n- description: b\n").0, pairs(&[("name", "a"), ("description", "b")]));
    }

    #[test]
    fn the_last_value_of_a_duplicate_key_is_used_unless_it_is_empty() {
        assert_eq!(read("name: a\nname: b\n"), (pairs(&[("name", "b")]), vec![(2, Code::DuplicateKey)]));
        assert_eq!(read("name: a\nName:\n").0, pairs(&[("name", "a")]));
    }

    #[test]
    fn only_a_value_that_occurs_twice_is_removed_by_a_fix() {
        for (text, is_fixed) in
            [("name: a\nname: a\n", true), ("name: a\nname:\n", true), ("name: a\nname: b\n", false)]
        {
            let source = Source::new(text);
            let mut notes = Notes::new(Strictness::Check);
            split(&source, 0..source.lines.len(), &mut notes);
            let notes = notes.sorted();
            let note = notes.iter().find(|note| note.code == Code::DuplicateKey).expect("the key occurs twice");
            assert_eq!(note.fix.is_some(), is_fixed, "{text}");
        }
    }

    #[test]
    fn a_text_without_keys_of_the_format_is_refused() {
        assert_eq!(read("just a text\n"), (vec![], vec![(1, Code::StrayLine), (1, Code::MissingFrontMatter)]));
        assert_eq!(read("- a\n- b\n").0, []);
    }
}
