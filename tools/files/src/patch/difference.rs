//! The unified differences in a result.

use std::time::Duration;

use similar::TextDiff;

use super::endings::to_lf;
use super::split_bom;

/// The maximum number of characters of all differences in a result.
const MAX_CHARS: usize = 20_000;

/// Writes differences with a limit on their length.
#[derive(Debug)]
pub(super) struct Differences {
    /// The number of remaining characters.
    remaining: usize,
}

impl Default for Differences {
    fn default() -> Self {
        Self { remaining: MAX_CHARS }
    }
}

impl Differences {
    /// Returns the difference between two files. Each is a path and a text, or `None` if the file does not exist. Differences in line endings
    /// and byte order marks are ignored.
    pub(super) fn unified(&mut self, old: Option<(&str, &str)>, new: Option<(&str, &str)>) -> String {
        let header = |file: Option<(&str, &str)>, prefix: &str| match file {
            None => "/dev/null".to_owned(),
            // An absolute path gets no prefix.
            Some((path, _)) if path.starts_with('/') => path.to_owned(),
            Some((path, _)) => format!("{prefix}/{path}"),
        };
        let text =
            |file: Option<(&'_ str, &'_ str)>| to_lf(split_bom(file.map_or("", |(_, text)| text)).1).into_owned();
        let (old_text, new_text) = (text(old), text(new));
        let old_lines: Vec<_> = old_text.split_inclusive('\n').collect();
        let new_lines: Vec<_> = new_text.split_inclusive('\n').collect();
        // After a second, accept a difference that is not minimal: a minimal one can take minutes.
        let diff = TextDiff::configure()
            .timeout(Duration::from_secs(1))
            .newline_terminated(true)
            .diff_slices(&old_lines, &new_lines);
        let mut text = diff.unified_diff().header(&header(old, "a"), &header(new, "b")).to_string();
        match text.char_indices().nth(self.remaining) {
            Some((cut, _)) => {
                text.truncate(text[..cut].rfind('\n').map_or(0, |at| at + 1));
                text.push_str("… [the rest of the difference is left out]\n");
                self.remaining = 0;
            }
            None => self.remaining -= text.chars().count(),
        }
        text
    }
}
