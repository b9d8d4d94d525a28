//! Finds the front matter in a file: what comes before it, the lines that open and close it, and the body.

use std::ops::Range;

use crate::key::key_line;
use crate::note::{Code, Notes};
use crate::source::Source;
use crate::yaml;

/// The most lines before the front matter.
const MAX_LINES_BEFORE: usize = 40;
/// The most bytes of a front matter. Front matters in the wild have 4 KB at most.
pub(crate) const MAX_BYTES: usize = 64 << 10;

/// Where the front matter is.
#[derive(Debug, PartialEq)]
pub(crate) struct Envelope {
    /// Its lines, without those that open and close it.
    pub(crate) lines: Range<usize>,
    /// The byte where the body begins.
    pub(crate) body: usize,
}

/// Finds the front matter. Returns `None`, with a note, if the file has none.
pub(crate) fn find(source: &Source<'_>, notes: &mut Notes) -> Option<Envelope> {
    let Some(opening) = Opening::find(source) else {
        let is_toml = source.line(0).trim_end() == "+++";
        let found = if is_toml { ", and the file begins with TOML" } else { "" };
        let message = format!(
            "expected a line `---` at the beginning of the file, then the keys `name` and `description`, then a line `---`{found}"
        );
        notes.add((1, 1), Code::MissingFrontMatter, message);
        return None;
    };
    opening.report(source, notes);
    let closing = Closing::find(source, &opening);
    let mut lines = opening.first..closing.line;
    closing.report(source, &opening, notes);
    let bytes = source.range(lines.clone()).len();
    if bytes > MAX_BYTES {
        let message =
            format!("expected at most {MAX_BYTES} bytes of front matter, and there are {bytes}; move text to the body");
        notes.add((longest_entry(source, lines) + 1, 1), Code::TooLarge, message);
        return None;
    }
    let after = source.line_of(closing.body)..source.lines.len();
    let mut after = after.filter(|index| source.lines[*index].start >= closing.body && !is_blank(source, *index));
    if let (Some(second), Some(key)) = (after.next(), after.next())
        && is_exact_fence(source.line(second))
        && is_known_key(source.line(key))
    {
        notes.add(
            (second + 1, 1),
            Code::SecondFrontMatter,
            "a second front matter follows; it belongs to the body, delete one of them",
        );
    }
    for is_last in [false, true] {
        let mut inside = lines.clone();
        let found = if is_last {
            inside.rfind(|index| !is_blank(source, *index))
        } else {
            inside.find(|index| !is_blank(source, *index))
        };
        let Some(index) = found.filter(|index| is_code_fence(source.line(*index))) else { continue };
        let range = source.range(index..index + 1);
        notes.fix(
            (index + 1, 1),
            Code::CodeFence,
            "a code fence is inside the front matter; delete the line",
            range,
            "",
        );
        lines = if is_last { lines.start..index } else { index + 1..lines.end };
    }
    Some(Envelope { lines, body: closing.body })
}

/// Returns the line of the key with the longest value.
fn longest_entry(source: &Source<'_>, lines: Range<usize>) -> usize {
    let keys = lines.clone().filter(|index| key_line(source.line(*index)).is_some_and(|key| key.indent == 0));
    let mut keys: Vec<usize> = keys.collect();
    keys.push(lines.end);
    let longest = keys.windows(2).max_by_key(|pair| source.range(pair[0]..pair[1]).len());
    longest.map_or(lines.start, |pair| pair[0])
}

fn is_blank(source: &Source<'_>, index: usize) -> bool {
    source.line(index).trim().is_empty()
}

fn is_code_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// Returns whether a line separates the front matter, such as `---` or `----`. Editors that correct typography make a long dash of it.
fn is_fence(line: &str) -> bool {
    let line = line.trim();
    let is_dash = |c: char| matches!(c, '-' | '‐' | '‑' | '–' | '—' | '―' | '−');
    if !line.is_empty() && line.chars().all(is_dash) {
        return line.len() > 1;
    }
    let rest = line.strip_prefix("---").map(str::trim_start);
    rest.is_some_and(|rest| matches!(rest, "yaml" | "yml") || rest.starts_with('#'))
}

fn is_exact_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// Returns whether a line begins with a key that the format defines.
fn is_known_key(line: &str) -> bool {
    key_line(line).is_some_and(|key| key.is_known)
}

/// Returns whether keys begin at a line, and the description is among them before the next blank line.
fn is_described(source: &Source<'_>, index: usize) -> bool {
    let mut lines =
        (index..source.lines.len()).map(|index| source.line(index)).take_while(|line| !line.trim().is_empty());
    is_known_key(source.line(index)) && lines.any(|line| key_line(line).is_some_and(|key| key.key == "description"))
}

/// The beginning of the front matter.
struct Opening {
    /// The line that opens it, or `None` if it is missing.
    line: Option<usize>,
    /// The first line of the front matter.
    first: usize,
    /// The first line of a code fence around the front matter.
    code: Option<usize>,
    /// Lines before it that are not blank.
    before: Vec<usize>,
}

impl Opening {
    fn find(source: &Source<'_>) -> Option<Self> {
        let (mut code, mut before, mut in_html) = (None, Vec::new(), false);
        for index in 0..source.lines.len().min(MAX_LINES_BEFORE) {
            let line = source.line(index).trim();
            let is_comment = in_html || line.starts_with("<!--") || line.starts_with('#');
            in_html = (in_html || line.starts_with("<!--")) && !line.contains("-->");
            if line.is_empty() {
                continue;
            }
            if is_comment {
                before.push(index);
                continue;
            }
            let next =
                (index + 1..source.lines.len()).find(|index| !is_blank(source, *index)).map(|index| source.line(index));
            if is_fence(line)
                && (before.is_empty() || next.is_some_and(|next| is_known_key(next) || is_code_fence(next)))
            {
                return Some(Self { line: Some(index), first: index + 1, code, before });
            }
            if is_described(source, index)
                && before.iter().all(|before| source.line(*before).trim_start().starts_with(['#', '<']))
            {
                return Some(Self { line: None, first: index, code, before });
            }
            if is_code_fence(line) && code.is_none() && before.is_empty() {
                code = Some(index);
            } else {
                before.push(index);
            }
        }
        None
    }

    /// Returns whether a line of a code fence opens the front matter.
    fn is_code(&self) -> bool {
        self.line.is_none() && self.code.is_some()
    }

    /// Reports everything that differs from one line `---` at the beginning of the file. One fix mends it all: it turns text before the
    /// front matter into comments, so that nothing is lost.
    fn report(&self, source: &Source<'_>, notes: &mut Notes) {
        let start = source.text.len() - source.text.trim_start_matches('\u{feff}').len();
        let range = start..source.range(self.first..self.first).start.max(start);
        let comments = self.before.iter().map(|index| match source.line(*index) {
            line if line.starts_with('#') => format!("{line}\n"),
            line => format!("# {line}\n"),
        });
        let fixed = format!("---\n{}", comments.collect::<String>());
        let mut faults: Vec<(usize, Code, String)> = Vec::new();
        let first_line = self.line.unwrap_or(self.first);
        if let Some(code) = self.code {
            let message =
                format!("expected `---`, and `{}` begins a code fence; delete the fence", source.line(code).trim());
            faults.push((code, Code::CodeFence, message));
        }
        if let Some(before) = self.before.first() {
            let message =
                "text comes before the front matter; move it to the body, or into the front matter as a comment";
            faults.push((*before, Code::TextBefore, message.into()));
        } else if first_line > 0 && self.code.is_none() {
            faults.push((0, Code::TextBefore, "blank lines come before the front matter; delete them".into()));
        }
        match self.line {
            None if !self.is_code() => {
                let message = format!(
                    "expected `---`, and there is `{}`; add a line `---` before it",
                    short(source.line(self.first))
                );
                faults.push((self.first, Code::MissingOpening, message));
            }
            Some(line) if !is_exact_fence(source.line(line)) => faults.push((line, Code::OddFence, odd(source, line))),
            _ => {}
        }
        let mut fix = Some(fixed);
        for (line, code, message) in faults {
            match fix.take() {
                Some(text) => notes.fix((line + 1, 1), code, message, range.clone(), &text),
                None => notes.add((line + 1, 1), code, message),
            }
        }
    }
}

fn odd(source: &Source<'_>, line: usize) -> String {
    format!("expected `---`, and there is `{}`; write `---` at the beginning of the line", short(source.line(line)))
}

/// Returns the beginning of a text for a message.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 40;
    let text = text.trim();
    text.char_indices().nth(MOST).map_or_else(|| text.to_owned(), |(at, _)| format!("{}…", &text[..at]))
}

/// The end of the front matter.
struct Closing {
    /// The line after the last one of the front matter: the one that closes it, if `found`.
    line: usize,
    found: bool,
    /// The byte where the body begins.
    body: usize,
}

impl Closing {
    fn find(source: &Source<'_>, opening: &Opening) -> Self {
        let rest = opening.first..source.lines.len();
        let is_odd =
            |line: &str| is_fence(line) || line.trim_end() == "..." || (opening.is_code() && is_code_fence(line));
        let exact =
            rest.clone().find(|index| is_exact_fence(source.line(*index)) || source.line(*index).trim_end() == "...");
        let odd = rest.clone().find(|index| is_odd(source.line(*index)));
        let is_yaml = |end: usize| yaml_of(source, opening.first..end);
        let fence = match (exact, odd) {
            (Some(exact), Some(odd)) if odd < exact && !is_yaml(exact) => Some(odd),
            (Some(exact), _) => Some(exact),
            (None, odd) => odd,
        };
        let end_of_keys = end_of_keys(source, opening.first..fence.unwrap_or(rest.end));
        let (line, found) = match (fence, end_of_keys) {
            (Some(fence), None) => (fence, true),
            (Some(fence), Some(_)) if is_yaml(fence) => (fence, true),
            (_, Some(end)) => (end, false),
            (None, None) => (rest.end, false),
        };
        Self { line, found, body: source.range(line..line + usize::from(found)).end }
    }

    fn report(&self, source: &Source<'_>, opening: &Opening, notes: &mut Notes) {
        let next = (self.line..source.lines.len()).find(|index| !is_blank(source, *index));
        let place = (next.map_or(source.lines.len(), |index| index + 1), 1);
        let range = source.range(self.line..self.line + usize::from(self.found));
        if !self.found {
            let text = if source.text[..range.start].ends_with(['\n', '\r']) { "---\n" } else { "\n---\n" };
            notes.fix(place, Code::MissingClosing, "expected a line `---` after the front matter; add it", range, text);
        } else if !is_exact_fence(source.line(self.line)) {
            let is_code = opening.is_code() && is_code_fence(source.line(self.line));
            let code = if is_code { Code::CodeFence } else { Code::OddFence };
            notes.fix(place, code, odd(source, self.line), range, "---\n");
        }
        if opening.code.is_none() || opening.is_code() && self.found && is_code_fence(source.line(self.line)) {
            return;
        }
        // The end of the code fence: after the front matter if it holds only that, else at the end of the file.
        let after = self.line + usize::from(self.found)..source.lines.len();
        let first = after.clone().find(|index| !is_blank(source, *index));
        let last = after.clone().rfind(|index| !is_blank(source, *index));
        let fences = after.filter(|index| is_code_fence(source.line(*index))).count();
        let end = [first, last]
            .into_iter()
            .flatten()
            .find(|index| matches!(source.line(*index).trim(), "```" | "~~~" | "````"));
        if let (Some(end), 1) = (end, fences % 2) {
            let message = "the code fence around the front matter ends here; delete the line";
            notes.fix((end + 1, 1), Code::CodeFence, message, source.range(end..end + 1), "");
        }
    }
}

/// Returns whether lines are a YAML mapping with keys of one word.
fn yaml_of(source: &Source<'_>, lines: Range<usize>) -> bool {
    let range = source.range(lines);
    // A sentence with a colon is YAML, too, but its key has several words.
    let is_key = |key: &yaml::Node| key.scalar().is_some_and(|key| !key.contains(char::is_whitespace));
    let is_map =
        |node: yaml::Node| matches!(node.kind, yaml::Kind::Map(pairs) if pairs.iter().all(|(key, _)| is_key(key)));
    range.len() <= MAX_BYTES && yaml::parse(&source.text[range]).is_ok_and(is_map)
}

/// Returns the line after the last key and its value, if text follows that does not look like front matter: a paragraph or a heading
/// after a blank line.
fn end_of_keys(source: &Source<'_>, lines: Range<usize>) -> Option<usize> {
    let (mut end, mut after_blank, mut has_keys) = (lines.start, false, false);
    for index in lines.clone() {
        let line = source.line(index);
        let key = key_line(line);
        if line.trim().is_empty() {
            after_blank = true;
            continue;
        }
        // "Note: ..." begins a paragraph, too.
        let is_key =
            key.as_ref().is_some_and(|key| !after_blank || key.is_known || !key.key.starts_with(char::is_uppercase));
        let is_inside = line.starts_with([' ', '\t']) || (!after_blank && !line.starts_with('#'));
        if is_key || is_inside {
            (end, has_keys) = (index + 1, has_keys || is_key);
        } else if !line.starts_with('#') {
            return has_keys.then_some(end);
        }
        after_blank = false;
    }
    let has_heading = (end..lines.end).any(|index| source.line(index).starts_with('#') && is_blank(source, index - 1));
    (has_keys && has_heading).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::{Strictness, apply};

    type Found = (String, String, Vec<(usize, Code)>);

    /// Returns the front matter, the body, and the notes, after a check of the fixes.
    fn found(text: &str) -> Option<Found> {
        let read = |text: &str| {
            let source = Source::new(text);
            let mut notes = Notes::new(Strictness::Use);
            let envelope = find(&source, &mut notes);
            let notes = notes.sorted();
            envelope.map(|envelope| {
                (text[source.range(envelope.lines)].to_owned(), text[envelope.body..].to_owned(), notes)
            })
        };
        let (front, body, notes) = read(text)?;
        let fixed = apply(text, &notes);
        let (_, _, left) = read(&fixed).unwrap_or_else(|| panic!("nothing is found after the fixes:\n{fixed}"));
        assert_eq!(left, [], "after the fixes:\n{fixed}");
        Some((front, body, notes.into_iter().map(|note| (note.line, note.code)).collect()))
    }

    #[test]
    fn the_front_matter_is_between_two_lines() {
        assert_eq!(found("---\nname: a\n---\nbody\n---\n"), Some(("name: a\n".into(), "body\n---\n".into(), vec![])));
        assert_eq!(found("---\r\nname: a\r\n--- \r\nbody").unwrap().1, "body");
        assert_eq!(found("# Title\n\nText\n"), None);
        assert_eq!(found("Text\n\n---\n\nmore\n"), None, "a thematic break");
    }

    #[test]
    fn text_before_the_front_matter_is_noted() {
        for (before, line, code) in [
            ("\n\n", 1, Code::TextBefore),
            ("<!-- generated\n by x -->\n", 1, Code::TextBefore),
            ("\n# Title\n\n", 2, Code::TextBefore),
            ("Some text.\n\n", 1, Code::TextBefore),
            ("```yaml\n", 1, Code::CodeFence),
        ] {
            let (front, body, notes) = found(&format!("{before}---\nname: a\n---\nbody\n")).unwrap();
            assert_eq!((front.as_str(), body.as_str()), ("name: a\n", "body\n"), "{before}");
            assert_eq!(notes, [(line, code)], "{before}");
        }
    }

    #[test]
    fn odd_and_missing_fences_are_guessed() {
        for (text, notes) in [
            ("----\nname: a\n---\nbody\n", vec![(1, Code::OddFence)]),
            ("---\nname: a\n...\nbody\n", vec![(3, Code::OddFence)]),
            ("---\nname: a\n —\nbody\n", vec![(3, Code::OddFence)]),
            ("description: a\n---\nbody\n", vec![(1, Code::MissingOpening)]),
            ("---\nname: a\n\nbody\n", vec![(4, Code::MissingClosing)]),
            ("---\nname: a\n\n# Title\n\nbody\n\n---\n\nmore\n", vec![(4, Code::MissingClosing)]),
            ("---\nname: a", vec![(2, Code::MissingClosing)]),
            ("```yaml\ndescription: a\n```\nbody\n", vec![(1, Code::CodeFence), (3, Code::CodeFence)]),
            ("```markdown\n---\nname: a\n---\nbody\n```\n", vec![(1, Code::CodeFence), (6, Code::CodeFence)]),
            ("---\n```yaml\nname: a\n```\n---\nbody\n", vec![(2, Code::CodeFence), (4, Code::CodeFence)]),
        ] {
            let (front, body, found) = found(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (front.trim().trim_start_matches("description").trim_start_matches("name"), found),
                (": a", notes),
                "{text}"
            );
            assert_eq!(body.contains("body"), text.contains("body"), "{text}");
        }
    }

    #[test]
    fn dashes_inside_a_text_do_not_close_the_front_matter() {
        let (front, _, notes) = found("---\ndescription: |\n  one\n  ---\n  two\nname: a\n---\nbody\n").unwrap();
        assert!(front.ends_with("name: a\n") && notes.is_empty(), "{front}");
    }
}
