//! Line endings out of the way. A model writes `\n` whatever the file has, so the search runs on a text with
//! nothing else, and what it finds is carried back to the file as it is.

use std::borrow::Cow;
use std::ops::Range;

use super::find::Edit;

/// A text and its like with `\n` for every `\r\n`.
#[derive(Debug)]
pub(super) struct Unified<'a> {
    original: &'a str,
    text: Cow<'a, str>,
    /// Where in `text` the newlines are that were `\r\n`, ascending.
    shortened: Vec<usize>,
    /// How most lines end; `None` if there is but one line.
    usual: Option<&'static str>,
}

impl<'a> Unified<'a> {
    pub(super) fn new(original: &'a str) -> Self {
        let text = lf(original);
        let shortened: Vec<_> = original.match_indices("\r\n").enumerate().map(|(nth, (at, _))| at - nth).collect();
        let newlines = text.matches('\n').count();
        let usual = (newlines > 0).then_some(if 2 * shortened.len() > newlines { "\r\n" } else { "\n" });
        Self { original, text, shortened, usual }
    }

    /// The text with `\n` alone.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The same edit in the original: new lines end as those that they replace, or else as most do.
    pub(super) fn carry_back(&self, edit: Edit) -> Edit {
        let place = self.original_of(&edit.place);
        let ending = first_ending(&self.original[place.clone()]).or(self.usual);
        let new = if ending == Some("\r\n") { edit.new.replace('\n', "\r\n") } else { edit.new };
        Edit { place, new }
    }

    fn original_of(&self, place: &Range<usize>) -> Range<usize> {
        // A `\r` belongs to its newline: before that newline it does not count yet, after it it does.
        let original = |at: usize| at + self.shortened.partition_point(|&newline| newline < at);
        original(place.start)..original(place.end)
    }
}

/// The text with `\n` for every `\r\n`.
pub(super) fn lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

fn first_ending(text: &str) -> Option<&'static str> {
    let at = text.find('\n')?;
    Some(if text[..at].ends_with('\r') { "\r\n" } else { "\n" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(original: &str, old: &str, new: &str) -> String {
        let unified = Unified::new(original);
        let at = unified.text().find(old).unwrap();
        let edit = unified.carry_back(Edit { place: at..at + old.len(), new: new.to_owned() });
        [&original[..edit.place.start], &edit.new, &original[edit.place.end..]].concat()
    }

    #[test]
    fn an_edit_goes_to_the_same_place_with_its_neighbours_endings() {
        assert_eq!(edit("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n");
        assert_eq!(edit("a\r\nb\r\nc\r\n", "b", "x\ny"), "a\r\nx\r\ny\r\nc\r\n");
        assert_eq!(edit("a\r\nb\r\n", "\nb", ""), "a\r\n", "no half of a line ending is left");
        assert_eq!(edit("a\r\nb\r\n", "a\n", ""), "b\r\n");
        assert_eq!(edit("a\nb\n", "b", "x\ny"), "a\nx\ny\n");
        assert_eq!(edit("a", "a", "x\ny"), "x\ny");
    }

    #[test]
    fn mixed_endings_stay_where_they_are() {
        let mixed = "a\nb\r\nc\r\nd\ne\n";
        assert_eq!(edit(mixed, "b\nc", "x\ny"), "a\nx\r\ny\r\nd\ne\n");
        assert_eq!(edit(mixed, "d\ne", "x\ny"), "a\nb\r\nc\r\nx\ny\n");
        assert_eq!(edit(mixed, "e", "x\ny"), "a\nb\r\nc\r\nd\nx\ny\n", "as most lines end");
        assert_eq!(edit("a\rb\r\r\nc", "b\r\nc", "x\ny"), "a\rx\r\ny", "a lone return is a character");
    }
}
