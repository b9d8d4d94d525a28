//! One entry of a table, and the comments around it.

use toml_edit::{Key, Value};

use super::value;

/// A key, or several joined by dots, and a value that is not a table with a header.
pub(super) struct Entry<'t> {
    pub(super) path: Vec<&'t Key>,
    pub(super) value: &'t Value,
}

impl Entry<'_> {
    /// `is_inner`: an entry precedes it, so that an empty line may separate them.
    pub(super) fn write(&self, out: &mut String, is_inner: bool) {
        lead(out, self.comments(), is_inner);
        let start = out.len();
        *out += &dotted(&self.path);
        *out += " = ";
        let used = out[start..].chars().count();
        value::write(out, self.value, used, "");
        comment(out, self.value.decor().suffix().and_then(|text| text.as_str()).unwrap_or_default());
        out.push('\n');
    }

    /// The comments before its first key.
    pub(super) fn comments(&self) -> &str {
        let decor = self.path.last().map(|key| key.leaf_decor());
        decor.and_then(|decor| decor.prefix()?.as_str()).unwrap_or_default()
    }
}

/// Keys as they are written, with dots between them.
pub(super) fn dotted(path: &[&Key]) -> String {
    path.iter().map(|key| key.display_repr()).collect::<Vec<_>>().join(".")
}

/// The comments in white space, a line each; of several empty lines in a row one is left, and before the first one only
/// where that is `apart` from something.
pub(super) fn lead(out: &mut String, space: &str, apart: bool) {
    let mut lines = space.split('\n');
    // Behind the last line break is what the next key is indented by.
    let last = lines.next_back().unwrap_or_default().trim();
    let mut is_apart = apart;
    for line in lines.map(str::trim).chain((!last.is_empty()).then_some(last)) {
        if !line.is_empty() {
            *out += line;
        }
        if !line.is_empty() || (is_apart && !out.ends_with("\n\n")) {
            out.push('\n');
        }
        is_apart |= !line.is_empty();
    }
}

/// The comment at the end of a line.
pub(super) fn comment(out: &mut String, space: &str) {
    let comment = space.trim();
    if !comment.is_empty() {
        *out += " ";
        *out += comment;
    }
}
