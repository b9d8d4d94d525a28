//! A run of inline content, such as the text of a paragraph, with white space as a browser shows it.

use super::escape::{Place, push_word};

/// Inline content. A newline in its text is a line break; other white space is a single space.
#[derive(Default)]
pub(super) struct Line {
    text: String,
    /// White space that is written before the next content.
    space: bool,
    /// The end of the last emphasis and its marker, which the next one with the same marker continues.
    closed: Option<(usize, &'static str)>,
}

impl Line {
    /// Its length so far, in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Appends text as the page has it, without characters that only say where a word may be divided.
    pub(super) fn push_text(&mut self, text: &str, place: Place) {
        if text.contains(['\u{200b}', '\u{feff}', '\u{ad}']) {
            return self.push_text(&text.replace(['\u{200b}', '\u{feff}', '\u{ad}'], ""), place);
        }
        let mut rest = text;
        loop {
            let trimmed = rest.trim_start_matches(is_space);
            self.space |= trimmed.len() < rest.len();
            if trimmed.is_empty() {
                return;
            }
            let end = trimmed.find(is_space).unwrap_or(trimmed.len());
            self.flush_space();
            push_word(&mut self.text, &trimmed[..end], place, end < trimmed.len());
            rest = &trimmed[end..];
        }
    }

    /// Appends Markdown as it is.
    pub(super) fn push_raw(&mut self, markdown: &str) {
        if !markdown.is_empty() {
            self.flush_space();
            self.text.push_str(markdown);
        }
    }

    /// Appends a link or an image. An exclamation mark before a link would make an image of it.
    ///
    /// Some pages have the same link twice, one for narrow screens.
    pub(super) fn push_link(&mut self, markdown: &str) {
        if self.text.ends_with(markdown) && markdown.len() > 20 {
            return;
        }
        self.flush_space();
        if markdown.starts_with('[') && self.text.ends_with('!') {
            self.text.insert(self.text.len() - 1, '\\');
        }
        self.text.push_str(markdown);
    }

    /// Appends white space.
    pub(super) fn push_space(&mut self) {
        self.space = true;
    }

    /// Appends white space if a word or a link is directly before.
    pub(super) fn separate(&mut self) {
        self.space |= self.text.ends_with(|c: char| c.is_alphanumeric() || c == ')');
    }

    /// Appends a line break.
    pub(super) fn push_break(&mut self) {
        self.space = false;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Appends other content in markers, such as `**`. Space at its ends is written outside of them.
    pub(super) fn push_marked(&mut self, marker: &'static str, content: Self) {
        let text = content.text;
        let breaks = text.len() - text.trim_end_matches('\n').len();
        let text = text.trim_end_matches('\n');
        if text.is_empty() {
            self.space |= content.space;
            return;
        }
        let leading = text.len() - text.trim_start_matches(' ').len();
        self.space |= leading > 0;
        if self.closed == Some((self.text.len(), marker)) && !self.space {
            self.text.truncate(self.text.len() - marker.len());
        } else {
            self.flush_space();
            self.text.push_str(marker);
        }
        // A blank line would end the emphasis.
        self.text.push_str(&text[leading..].replace('\n', " "));
        self.text.push_str(marker);
        self.closed = Some((self.text.len(), marker));
        (0..breaks).for_each(|_| self.push_break());
        self.space |= content.space;
    }

    /// The text, and whether white space is before it and after it.
    pub(super) fn into_parts(self) -> (String, bool, bool) {
        let trimmed = self.text.trim_start_matches(' ').len() < self.text.len();
        (self.text.trim_matches(['\n', ' ']).to_owned(), trimmed, self.space)
    }

    /// The paragraphs: two line breaks and more begin a new one.
    pub(super) fn into_paragraphs(self) -> Vec<String> {
        let mut paragraphs: Vec<String> = Vec::new();
        let mut blank = true;
        for line in self.text.split('\n').map(|line| line.trim_matches(' ')) {
            match (line.is_empty(), blank) {
                (true, _) => blank = true,
                (false, true) => {
                    paragraphs.push(line.to_owned());
                    blank = false;
                }
                (false, false) => {
                    if let Some(last) = paragraphs.last_mut() {
                        last.push('\n');
                        last.push_str(line);
                    }
                }
            }
        }
        paragraphs
    }

    fn flush_space(&mut self) {
        if self.space && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        // A line that holds only leading space keeps it for the caller, who may have text before it.
        if self.space && self.text.is_empty() {
            self.text.push(' ');
        }
        self.space = false;
    }
}

/// White space that HTML collapses, and no-break spaces, which mean nothing to a model.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c' | '\u{a0}')
}
