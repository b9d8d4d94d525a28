//! Splits a document in Markdown into what it says, the code that it shows, and what it does not display.

use std::ops::Range;

use crate::quoting::{Around, CODE};
use crate::unit::{Unit, Voice};

/// A part of a document.
pub(crate) struct Part {
    pub(crate) kind: PartKind,
    pub(crate) unit: Unit,
    pub(crate) around: Around,
}

/// The kinds of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// A heading, a paragraph, an item of a list, or a row of a table.
    Prose,
    /// A block of code with the first word after its fence.
    Code(String),
    /// Code in a sentence. The flag says whether it runs when the document is loaded: `` !`command` ``.
    Inline(bool),
    /// A comment.
    Comment,
}

/// A document.
#[derive(Default)]
pub(crate) struct Document {
    /// The place of the front matter, without its marks.
    pub(crate) front: Option<Range<usize>>,
    /// The text before the first heading below the title.
    pub(crate) intro: String,
    pub(crate) parts: Vec<Part>,
}

/// A line with its start in the file, without its end.
type Line<'t> = (usize, &'t str);

struct Reader<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
    headings: Vec<(usize, String)>,
    lead: String,
    paragraph: Vec<Line<'t>>,
    document: Document,
}

/// Reads a document.
pub(crate) fn read(text: &str) -> Document {
    let lines = text.split_inclusive('\n').scan(0, |start, line| {
        let own = *start;
        *start += line.len();
        Some((own, line.trim_end_matches(['\n', '\r'])))
    });
    let mut reader = Reader {
        lines: lines.collect(),
        at: 0,
        headings: Vec::new(),
        lead: String::new(),
        paragraph: Vec::new(),
        document: Document::default(),
    };
    reader.front_matter(text);
    while reader.at < reader.lines.len() {
        reader.line();
    }
    reader.end_paragraph();
    let mut document = reader.document;
    document.look_around();
    document
}

/// The maximum length of the text at the beginning of a document that is kept, in bytes.
const MAX_INTRO: usize = 2000;

impl Document {
    /// Adds what comes after each block of code, and the beginning of the document.
    fn look_around(&mut self) {
        let is_heading = |part: &Part| part.kind == PartKind::Prose && part.unit.text.trim_start().starts_with('#');
        let is_section = |part: &&Part| is_heading(part) && part.unit.text.trim_start().starts_with("##");
        let before = self.parts.iter().take_while(|part| !is_section(part));
        for part in before.filter(|part| part.kind == PartKind::Prose) {
            if self.intro.len() < MAX_INTRO {
                self.intro.push_str(&part.unit.text);
                self.intro.push('\n');
            }
        }
        let mut after = String::new();
        for part in self.parts.iter_mut().rev() {
            match part.kind {
                PartKind::Code(_) => part.around.after = std::mem::take(&mut after),
                PartKind::Prose if is_heading(part) => after.clear(),
                PartKind::Prose => after.clone_from(&part.unit.text),
                PartKind::Inline(_) | PartKind::Comment => {}
            }
        }
    }
}

impl<'t> Reader<'t> {
    fn front_matter(&mut self, text: &str) {
        let is_mark = |line: &str| line.trim_end() == "---" || line.trim_end() == "...";
        let first = self.lines.iter().position(|(_, line)| !line.trim().trim_start_matches('\u{feff}').is_empty());
        let Some(first) = first.filter(|first| self.lines[*first].1.trim_start_matches('\u{feff}').trim_end() == "---")
        else {
            return;
        };
        let Some(last) = self.lines[first + 1..].iter().position(|(_, line)| is_mark(line)).map(|at| first + 1 + at)
        else {
            return;
        };
        let start = self.lines[first].0 + self.lines[first].1.len();
        self.document.front = Some(start.min(text.len())..self.lines[last].0);
        self.at = last + 1;
    }

    fn around(&self) -> Around {
        let heading = self.headings.iter().rfind(|(level, _)| *level >= 2).map(|(_, text)| text.clone());
        Around { heading: heading.unwrap_or_default(), lead: self.lead.clone(), ..Around::default() }
    }

    fn line(&mut self) {
        let (start, line) = self.lines[self.at];
        let plain = line.trim_start_matches([' ', '\t', '>']);
        let body = plain.trim_start_matches(['-', '*', '+']).trim_start();
        let fence = [plain, body].into_iter().find(|text| text.starts_with("```") || text.starts_with("~~~"));
        if let Some(fence) = fence.filter(|fence| !fence.trim_start_matches('`').contains('`')) {
            self.end_paragraph();
            self.fence(fence);
            return;
        }
        if let Some(open) = comment_start(line) {
            self.comment(start, line, open);
            return;
        }
        self.at += 1;
        if plain.is_empty() {
            self.end_paragraph();
            return;
        }
        let is_indented = (line.starts_with("    ") || line.starts_with('\t')) && self.paragraph.is_empty();
        if is_indented && !is_item(plain) {
            self.indented();
            return;
        }
        let level = plain.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&level) && plain[level..].starts_with(' ') {
            self.end_paragraph();
            let title = plain[level..].trim().trim_end_matches('#').trim().to_owned();
            self.headings.retain(|(other, _)| *other < level);
            self.headings.push((level, title));
            self.paragraph.push((start, line));
            self.end_paragraph();
            self.lead.clear();
            return;
        }
        if is_hidden_definition(plain) {
            self.end_paragraph();
            self.push(PartKind::Comment, Unit::of_lines([(start, line)], Voice::Runs));
            return;
        }
        if is_item(plain) || plain.starts_with('|') {
            self.end_paragraph();
        }
        self.paragraph.push((start, line));
    }

    fn push(&mut self, kind: PartKind, unit: Unit) {
        let around = self.around();
        self.document.parts.push(Part { kind, unit, around });
    }

    /// Ends a paragraph: a part of prose, with the code in its sentences.
    fn end_paragraph(&mut self) {
        if self.paragraph.is_empty() {
            return;
        }
        let lines = std::mem::take(&mut self.paragraph);
        let unit = Unit::of_lines(lines.iter().copied(), Voice::Runs);
        for (range, is_loaded) in inline_code(&unit.text) {
            let code = Unit::at(&unit.text[range.clone()], unit.place(range.start), Voice::Runs);
            let around = Around { lead: sentence(&unit.text, &range), ..self.around() };
            self.document.parts.push(Part { kind: PartKind::Inline(is_loaded), unit: code, around });
        }
        let text = unit.text.clone();
        self.push(PartKind::Prose, unit);
        self.lead = text;
    }

    /// Reads a block between fences.
    fn fence(&mut self, fence: &str) {
        let mark = fence.chars().next().unwrap_or('`');
        let length = fence.chars().take_while(|letter| *letter == mark).count();
        let info = fence.trim_start_matches(mark).trim();
        let language = info.split([' ', ',', '{', '\t', ':']).find(|word| !word.is_empty()).unwrap_or_default();
        let language = language.trim_start_matches('.').trim_end_matches('}').to_ascii_lowercase();
        let quote = self.lines[self.at].1.trim_start().starts_with('>');
        let mut content = Vec::new();
        self.at += 1;
        while let Some(&(start, line)) = self.lines.get(self.at) {
            self.at += 1;
            let plain = line.trim_start_matches([' ', '\t', '>']);
            let marks = plain.chars().take_while(|letter| *letter == mark).count();
            if marks >= length && plain[marks..].trim().is_empty() {
                break;
            }
            let skipped = if quote { line.len() - line.trim_start_matches(['>', ' ']).len() } else { 0 };
            content.push((start + skipped, &line[skipped..]));
        }
        self.push(PartKind::Code(language), Unit::of_lines(content, Voice::Runs));
    }

    /// Reads a block whose lines are indented.
    fn indented(&mut self) {
        self.at -= 1;
        let mut content = Vec::new();
        while let Some(&(start, line)) = self.lines.get(self.at) {
            let is_part = line.starts_with("    ") || line.starts_with('\t') || line.trim().is_empty();
            if !is_part || comment_start(line).is_some() || line.trim_start().starts_with("```") {
                break;
            }
            content.push((start, line));
            self.at += 1;
        }
        if content.is_empty() {
            self.at += 1;
            return;
        }
        let unit = Unit::of_lines(content.iter().copied(), Voice::Runs);
        // In a list, this is the text of an item.
        self.push(PartKind::Code(String::new()), unit.clone());
        self.push(PartKind::Prose, unit);
    }

    /// Reads a comment, which can have several lines.
    fn comment(&mut self, start: usize, line: &'t str, open: usize) {
        if open > 0 {
            self.paragraph.push((start, &line[..open]));
        }
        let mut content: Vec<Line<'t>> = Vec::new();
        let (mut from, mut rest) = (start + open + 4, &line[open + 4..]);
        loop {
            if let Some(close) = rest.find("-->") {
                content.push((from, &rest[..close]));
                let after = &rest[close + 3..];
                // What comes after the comment is read as a line of its own.
                self.lines[self.at] = (from + close + 3, after);
                if after.is_empty() {
                    self.at += 1;
                }
                break;
            }
            content.push((from, rest));
            self.at += 1;
            match self.lines.get(self.at) {
                Some(&(next, line)) => (from, rest) = (next, line),
                None => break,
            }
        }
        self.push(PartKind::Comment, Unit::of_lines(content, Voice::Runs));
    }
}

/// Returns where a comment begins in a line, outside of code.
fn comment_start(line: &str) -> Option<usize> {
    let open = line.find("<!--")?;
    let is_code = line[..open].matches('`').count() % 2 == 1;
    (!is_code).then_some(open)
}

/// Returns whether a line is a definition of a link that is used as a comment: `[//]: # (text)`.
fn is_hidden_definition(line: &str) -> bool {
    let Some((label, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once("]:")) else { return false };
    let rest = rest.trim_start();
    !label.contains(']') && (rest.starts_with('#') || rest.starts_with("<>") || rest.matches('"').count() >= 2)
}

/// Returns whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("+ ")
        || digits > 0 && line[digits..].starts_with(['.', ')']) && line[digits + 1..].starts_with(' ')
}

/// The maximum length of code in a sentence.
const MAX_INLINE: usize = 4096;

/// Returns the code in a paragraph, and whether it runs when the document is loaded.
fn inline_code(text: &str) -> Vec<(Range<usize>, bool)> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(open) = text[at..].find('`').map(|open| at + open) {
        let marks = bytes[open..].iter().take_while(|byte| **byte == b'`').count();
        let start = open + marks;
        let mark = &text[open..start];
        // The same number of marks closes it.
        let mut next = start;
        let close = loop {
            let window = text.ceil_char_boundary((start + MAX_INLINE).min(text.len()));
            let Some(close) = text.get(next..window).and_then(|rest| rest.find(mark)).map(|close| next + close) else {
                break None;
            };
            let run = bytes[close..].iter().take_while(|byte| **byte == b'`').count();
            if run == marks {
                break Some(close);
            }
            next = close + run;
        };
        let Some(close) = close else {
            at = start;
            continue;
        };
        found.push((start..close, open > 0 && bytes[open - 1] == b'!'));
        at = close + marks;
    }
    found
}

/// Returns the text of the sentence around a place, with the sentence before it.
fn sentence(text: &str, range: &Range<usize>) -> String {
    const MAX: usize = 400;
    let start = text.floor_char_boundary(range.start.saturating_sub(MAX));
    let end = text.ceil_char_boundary((range.end + MAX / 2).min(text.len()));
    let before = &text[start..range.start];
    let before = before.rfind(". ").map_or(before, |at| &before[at + 2..]);
    let after = &text[range.end..end];
    let after = after.find(". ").map_or(after, |at| &after[..at]);
    format!("{before}{CODE}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(PartKind, String)> {
        read(text).parts.into_iter().map(|part| (part.kind, part.unit.text.trim().to_owned())).collect()
    }

    #[test]
    fn a_document_has_prose_code_and_comments() {
        let found = kinds("---\nname: x\n---\n# T\n\nRun `ls`:\n\n```bash\nls\n```\na <!-- b\nc --> d\n[//]: # (e)\n");
        let expected = [
            (PartKind::Prose, "# T"),
            (PartKind::Inline(false), "ls"),
            (PartKind::Prose, "Run `ls`:"),
            (PartKind::Code("bash".to_owned()), "ls"),
            (PartKind::Comment, "b\nc"),
            (PartKind::Prose, "a \n d"),
            (PartKind::Comment, "[//]: # (e)"),
        ];
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn parts_know_their_places() {
        let text = "a\n\n> ```sh\n> rm x\n> ```\n";
        let document = read(text);
        let part =
            document.parts.iter().find(|part| matches!(part.kind, PartKind::Code(_))).expect("the block is found");
        assert_eq!(&text[part.unit.place(0)..][..4], "rm x");
    }
}
