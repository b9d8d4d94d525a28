//! Reads the value of an entry as the type that its key expects, and mends it if YAML reads it otherwise or not at all.

use std::ops::Range;

use crate::entries::{self, Entry};
use crate::envelope::short;
use crate::note::{Code, Notes};
use crate::source::Source;
use crate::words;
use crate::yaml::{Kind, Node, is_converted, quoted};

/// Reads values, and reports what it guesses.
pub(crate) struct Mender<'a, 'n> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) notes: &'n mut Notes,
}

impl Mender<'_, '_> {
    /// Reads a text, or `None` if there is none. A key with `prose` holds sentences, in which `#` is rarely a comment.
    pub(crate) fn text(&mut self, entry: &Entry, is_prose: bool) -> Option<String> {
        let raw = &self.source.text[entry.value.clone()];
        let Some(node) = &entry.node else {
            let (code, at) = words::cause(raw);
            return self.as_written(entry, code, entry.value.start + at);
        };
        let text = match &node.kind {
            _ if node.is_null() && !node.mark.is_stray() => return self.behind_hash(entry, raw),
            Kind::List(items) => return self.list_as_text(entry, items),
            Kind::Map(_) => {
                let code = if node.flow { Code::ReservedStart } else { Code::MapForText };
                return self.as_written(entry, code, entry.head);
            }
            Kind::Scalar { .. } if node.mark.is_stray() => {
                return self.as_written(entry, Code::ReservedStart, entry.value.start);
            }
            Kind::Scalar { text, plain: true } => return self.plain(entry, node, text.trim(), is_prose),
            Kind::Scalar { text, plain: false } => text.trim().to_owned(),
        };
        if text.is_empty() && words::meant(raw).chars().any(char::is_alphanumeric) {
            return self.as_written(entry, Code::UnreadableText, entry.value.start);
        }
        Some(text).filter(|text| !text.is_empty())
    }

    /// Reads a value that YAML takes for a comment: `description: #1 choice`.
    fn behind_hash(&mut self, entry: &Entry, raw: &str) -> Option<String> {
        let is_text = raw.starts_with('#') && !raw.starts_with("# ");
        if is_text { self.as_written(entry, Code::CommentInValue, entry.value.start) } else { None }
    }

    /// Reads a plain scalar of YAML. Its comment may belong to the text.
    fn plain(&mut self, entry: &Entry, node: &Node, text: &str, is_prose: bool) -> Option<String> {
        let source = self.source;
        let end = source.text[..node.range.end].trim_end().len().max(node.range.start);
        let rest = source.text[end..].split(['\n', '\r']).next().unwrap_or_default();
        let comment = rest.trim_start();
        if entry.is_fixable && comment.starts_with('#') {
            let at = end + rest.len() - comment.len();
            if !words::is_comment(&source.text[node.range.start..at], comment.trim_end(), is_prose) {
                return self.as_written(entry, Code::CommentInValue, at);
            }
        }
        if let Some(inner) = words::without_smart_quotes(text) {
            let inner = inner.to_owned();
            self.guess(entry, Code::SmartQuotes, node.range.start, &inner, node.range.start..end);
            return Some(inner);
        }
        if is_converted(text) {
            let message = format!("`{}` is read as text; put it in quotes for other readers", short(text));
            self.report(entry, Code::NotQuoted, node.range.start, message, node.range.start..end, text);
        }
        Some(text.to_owned())
    }

    fn list_as_text(&mut self, entry: &Entry, items: &[Node]) -> Option<String> {
        let texts: Option<Vec<&str>> = items.iter().map(|item| item.scalar().map(str::trim)).collect();
        let Some(texts) = texts else { return self.as_written(entry, Code::ListForText, entry.head) };
        let are_sentences = texts.iter().all(|text| text.ends_with(['.', '!', '?']));
        let text = texts.join(if are_sentences { " " } else { ", " });
        self.guess(entry, Code::ListForText, entry.head, &text, entry.value.clone());
        Some(text).filter(|text| !text.is_empty())
    }

    /// Takes the text of a value as it is written.
    fn as_written(&mut self, entry: &Entry, code: Code, at: usize) -> Option<String> {
        let text = words::meant(&self.source.text[entry.value.clone()]);
        self.guess(entry, code, at, &text, entry.value.clone());
        Some(text).filter(|text| !text.is_empty())
    }

    /// Reports a guessed text.
    fn guess(&mut self, entry: &Entry, code: Code, at: usize, text: &str, range: Range<usize>) {
        let message = format!("{} It is read as the text `{}`; put it in quotes", code.explanation(), short(text));
        self.report(entry, code, at, message, range, text);
    }

    /// Adds a note whose fix writes a text in quotes.
    fn report(&mut self, entry: &Entry, code: Code, at: usize, message: String, range: Range<usize>, text: &str) {
        let place = self.source.place(at);
        if !entry.is_fixable {
            return self.notes.add(place, code, message);
        }
        let fixed = spaced(self.source, range.start, &quoted(text));
        self.notes.fix(place, code, message, range, &fixed);
    }

    /// Reads a list of tools: a text with spaces or commas, or a list.
    pub(crate) fn tools(&mut self, entry: &Entry) -> Vec<String> {
        let keys = |pairs: &[(Node, Node)]| {
            pairs.iter().filter_map(|(key, _)| key.scalar().map(str::to_owned)).collect::<Vec<_>>()
        };
        let (code, texts) = match entry.node.as_ref().filter(|node| !node.mark.is_stray()).map(|node| &node.kind) {
            Some(Kind::List(items)) => (
                Some(Code::AllowedToolsForm),
                items.iter().filter_map(|item| item.scalar().map(str::to_owned)).collect(),
            ),
            Some(Kind::Map(pairs)) => (Some(Code::MapForText), keys(pairs)),
            Some(Kind::Scalar { .. }) | None => (None, self.text(entry, false).into_iter().collect::<Vec<_>>()),
        };
        let joined = texts.join("\n");
        let tools = words::tools(&joined);
        let is_form = code.is_none() && tools.join(" ").split_whitespace().eq(joined.split_whitespace());
        if !is_form && !tools.is_empty() {
            let text = tools.join(" ");
            let message = format!("expected tools with spaces between them; write `{}`", short(&text));
            self.report(
                entry,
                code.unwrap_or(Code::AllowedToolsForm),
                entry.value.start,
                message,
                entry.value.clone(),
                &text,
            );
        }
        tools
    }

    /// Reads a value of any type. One that cannot be mended is left out.
    pub(crate) fn tree(&mut self, entry: &Entry) -> Option<Node> {
        if let Some(node) = &entry.node {
            return Some(node.clone());
        }
        let raw = &self.source.text[entry.value.clone()];
        let first = raw.lines().next().unwrap_or_default().trim();
        if !first.is_empty() && !first.starts_with(['{', '[', '|', '>', '#']) {
            let text = self.text(entry, false).unwrap_or_default();
            return Some(Node::text(text, entry.value.clone()));
        }
        let lines = Source::new(raw);
        let edits: Vec<Edit> = (0..lines.lines.len()).flat_map(|index| Edit::of_line(&lines, index)).collect();
        let mended = edited(raw, &edits);
        let Some(mut node) = entries::node(&mended, 0) else {
            self.left_out(entry);
            return None;
        };
        let mended = Source::new(&mended);
        // Edits keep the lines, and change columns.
        node.place(&|at| {
            let line = mended.line_of(at);
            let original = lines.lines.get(line).map_or(raw.len()..raw.len(), |line| line.start..line.end);
            let column = at.saturating_sub(mended.start(line));
            entry.value.start + (original.start + column).min(original.end)
        });
        for edit in edits {
            let at = entry.value.start + edit.range.start;
            let range = at..entry.value.start + edit.range.end;
            let message = format!("{} It is read as `{}`", edit.code.explanation(), short(&edit.text));
            self.notes.fix(self.source.place(at), edit.code, message, range, &edit.text);
        }
        Some(node)
    }

    /// Reports a value that nothing mends. The fix turns its lines into comments, so that the rest can be read.
    fn left_out(&mut self, entry: &Entry) {
        let range = self.source.range(entry.lines.clone());
        let lines = entry.lines.clone().map(|index| self.source.line(index));
        let comments = lines.fold(String::new(), |text, line| text + "# " + line + "\n");
        let message =
            format!("YAML cannot read the value of `{}`; it is left out, the fix turns it into a comment", entry.key);
        self.notes.fix(entry.place, Code::UnreadableValue, message, range, &comments);
    }
}

/// Adds a space if the text follows a colon.
pub(crate) fn spaced(source: &Source<'_>, start: usize, text: &str) -> String {
    if source.text[..start].ends_with([' ', '\t']) { text.to_owned() } else { format!(" {text}") }
}

/// A change of one line of a nested value.
struct Edit {
    range: Range<usize>,
    text: String,
    code: Code,
}

impl Edit {
    /// Returns the changes that make a line readable: spaces for tabs, and quotes around a text.
    fn of_line(lines: &Source<'_>, index: usize) -> impl Iterator<Item = Self> + use<> {
        let (line, start) = (lines.line(index), lines.start(index));
        let indent = line.len() - line.trim_start().len();
        let spaces = line[..indent].contains(|c| c != ' ').then(|| {
            let text = line[..indent].chars().map(|c| if c == '\t' { "  " } else { " " }).collect();
            Self { range: start..start + indent, text, code: Code::OddSpace }
        });
        let quotes = if index > 0 { Self::quotes(line, indent, start) } else { None };
        spaces.into_iter().chain(quotes)
    }

    fn quotes(line: &str, indent: usize, start: usize) -> Option<Self> {
        let mut at = indent;
        while line[at..].starts_with("- ") {
            at = line.len() - line[at + 1..].trim_start().len();
        }
        let key_end = line[at..].find(": ").filter(|end| !line[at..at + end].contains(char::is_whitespace));
        let value_at = key_end.map_or(at, |end| at + end + 2);
        let value = line[value_at..].trim_end();
        let is_item = at > indent || key_end.is_some();
        if !is_item || value.trim().is_empty() || entries::node(value, 0).is_some_and(|node| !node.mark.is_stray()) {
            return None;
        }
        let text = quoted(&words::meant(value));
        Some(Self { range: start + value_at..start + value_at + value.len(), text, code: words::cause(value).0 })
    }
}

/// Applies the edits of lines.
fn edited(raw: &str, edits: &[Edit]) -> String {
    let (mut text, mut at) = (String::with_capacity(raw.len()), 0);
    for edit in edits {
        text.push_str(&raw[at..edit.range.start]);
        text.push_str(&edit.text);
        at = edit.range.end;
    }
    text.push_str(&raw[at..]);
    text
}
