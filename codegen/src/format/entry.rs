//! Entries of tables, and the comments around them.

use toml_edit::{Key, Value};

use super::key::{comments_before, dotted};
use super::value;

/// A key, possibly dotted, and a value that is not a table with a header.
pub(super) struct Entry<'t> {
    pub(super) path: Vec<&'t Key>,
    pub(super) value: &'t Value,
}

impl Entry<'_> {
    /// Writes the entry with its comments. `is_inner`: another entry precedes it, so an empty line between them is kept.
    pub(super) fn write(&self, out: &mut String, is_inner: bool) {
        write_comments(out, comments_before(&self.path), is_inner);
        let start = out.len();
        *out += &dotted(&self.path);
        *out += " = ";
        let used = out[start..].chars().count();
        value::write(out, self.value, used, "");
        comment(out, self.value.decor().suffix().and_then(|text| text.as_str()).unwrap_or_default());
        out.push('\n');
    }
}

/// Writes the comments in white space, one per line. Consecutive empty lines become one. Empty lines before the first comment are
/// kept only if `keep_first_empty_line`.
pub(super) fn write_comments(out: &mut String, space: &str, keep_first_empty_line: bool) {
    let mut lines = space.split('\n');
    // The text after the last line break is the indentation of the next key.
    let last = lines.next_back().unwrap_or_default().trim();
    let mut keep_empty_line = keep_first_empty_line;
    for line in lines.map(str::trim).chain((!last.is_empty()).then_some(last)) {
        if !line.is_empty() {
            *out += line;
        }
        if !line.is_empty() || (keep_empty_line && !out.ends_with("\n\n")) {
            out.push('\n');
        }
        keep_empty_line |= !line.is_empty();
    }
}

/// Writes the comment at the end of a line.
pub(super) fn comment(out: &mut String, space: &str) {
    let comment = space.trim();
    if !comment.is_empty() {
        *out += " ";
        *out += comment;
    }
}
