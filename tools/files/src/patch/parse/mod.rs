//! Parses a patch in one of three formats: a unified diff, blocks of old and new text, or the format that begins with
//! `*** Begin Patch`.
//!
//! Nothing is guessed: a line that does not belong to the format is an error.

mod blocks;
mod envelope;
mod unified;

use toolc::ToolError;

use super::change::FileChange;

/// The lines of a patch, read one after another.
#[derive(Debug)]
struct Cursor<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

/// Returns the changes that `patch` describes. Its lines end in `\n`. Parts that do not name a file change `default_file`.
pub(super) fn parse<'a>(patch: &'a str, default_file: Option<&str>) -> Result<Vec<FileChange<'a>>, ToolError> {
    let mut cursor = Cursor::new(patch);
    let first = cursor.lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let changes = if first.trim_end() == envelope::BEGIN || envelope::is_file_header(first) {
        envelope::parse(&mut cursor)
    } else if cursor.lines.iter().any(|line| blocks::is_start(line)) {
        blocks::parse(&mut cursor, default_file)
    } else if cursor.lines.iter().any(|line| line.starts_with("--- ") || line.starts_with("diff --git "))
        || first.starts_with("@@")
    {
        unified::parse(&mut cursor, default_file)
    } else {
        return Err(ToolError::new(
            "the format of the patch is unknown. Give a unified diff (`--- a/FILE`, `+++ b/FILE`, `@@ -1,3 +1,4 @@`), or blocks \
             (a line with the path, `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`), or \
             `*** Begin Patch`, `*** Update File: FILE`, `@@` and `*** End Patch`. Nothing was written.",
        ));
    }?;
    if changes.is_empty() {
        return Err(ToolError::new("the patch changes no file; nothing was written"));
    }
    Ok(changes)
}

impl<'a> Cursor<'a> {
    /// Returns a cursor over the lines of a patch, without a code fence around it.
    fn new(patch: &'a str) -> Self {
        let mut lines: Vec<_> = patch.split('\n').collect();
        let is_blank = |line: &&str| line.trim().is_empty();
        let first = lines.iter().position(|line| !is_blank(line));
        let last = lines.iter().rposition(|line| !is_blank(line));
        if let (Some(first), Some(last)) = (first, last)
            && first < last
            && lines[first].starts_with("```")
            && lines[last].trim_end() == "```"
        {
            // A blank line in its place keeps the line numbers.
            lines[first] = "";
            lines.truncate(last);
        }
        Self { lines, at: 0 }
    }

    fn peek(&self) -> Option<&'a str> {
        self.ahead(0)
    }

    /// Returns the line that is `count` lines after the next one.
    fn ahead(&self, count: usize) -> Option<&'a str> {
        self.lines.get(self.at + count).copied()
    }

    fn next(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    /// Returns the number of the line that was last read, from 1.
    fn number(&self) -> usize {
        self.at
    }

    /// Returns an error about the line that was last read.
    fn error(&self, problem: impl std::fmt::Display) -> ToolError {
        ToolError::new(format!("line {} of the patch: {problem}. Nothing was written.", self.number()))
    }
}

/// The parsed header line of a hunk.
#[derive(Debug, Default, PartialEq, Eq)]
struct HunkHeader<'a> {
    /// The number of the first line in the old file.
    start: Option<usize>,
    /// The numbers of old and new lines in the hunk.
    counts: Option<(usize, usize)>,
    /// A line that the file has before the hunk.
    anchor: Option<&'a str>,
}

/// Reads `@@ -1,3 +1,4 @@ section`, `@@ anchor` and `@@`. Returns `None` if the line does not begin with `@@`.
fn hunk_header(line: &str) -> Option<HunkHeader<'_>> {
    let rest = line.strip_prefix("@@")?.trim();
    if let Some(header) = numbers(rest) {
        return Some(header);
    }
    let anchor = rest.strip_suffix("@@").unwrap_or(rest).trim();
    Some(HunkHeader { anchor: (!anchor.is_empty() && anchor != "...").then_some(anchor), ..HunkHeader::default() })
}

fn numbers(text: &str) -> Option<HunkHeader<'_>> {
    let (old, rest) = text.strip_prefix('-')?.split_once(' ')?;
    let rest = rest.trim_start().strip_prefix('+')?;
    let new = rest.split([' ', '@']).next()?;
    let range = |range: &str| {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let ((start, old), (_, new)) = (range(old)?, range(new)?);
    Some(HunkHeader { start: Some(start), counts: Some((old, new)), anchor: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_hunks_are_read() {
        let with_numbers =
            |start, old, new| Some(HunkHeader { start: Some(start), counts: Some((old, new)), anchor: None });
        assert_eq!(hunk_header("@@ -12,3 +14,5 @@ fn main() {"), with_numbers(12, 3, 5));
        assert_eq!(hunk_header("@@ -1 +1 @@"), with_numbers(1, 1, 1));
        assert_eq!(hunk_header("@@ -0,0 +1,2 @@"), with_numbers(0, 0, 2));
        let with_anchor = |anchor| Some(HunkHeader { anchor, ..HunkHeader::default() });
        assert_eq!(hunk_header("@@ fn main() {"), with_anchor(Some("fn main() {")));
        assert_eq!(hunk_header("@@ class A @@"), with_anchor(Some("class A")));
        assert_eq!(hunk_header("@@"), with_anchor(None));
        assert_eq!(hunk_header("@@ ... @@"), with_anchor(None));
        assert_eq!(hunk_header(" @@"), None);
    }

    #[test]
    fn an_unknown_form_is_explained() {
        for patch in ["", "\n\n", "change a to b", "+++ b/x", "*** Start Patch\n", "- a\n+ b\n"] {
            let error = parse(patch, None).unwrap_err();
            assert!(error.message().contains("the format of the patch is unknown"), "{patch}: {error}");
        }
    }

    #[test]
    fn a_code_fence_is_left_out() {
        let patch = "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n";
        assert_eq!(parse(patch, None).unwrap()[0].path, "x");
    }
}
