//! Unified diffs, as `diff -u` and git write them, and as models write them: with wrong or missing line numbers.

use toolc::ToolError;
use toolc_workspace::names::escape_bytes;

use super::{Cursor, hunk_header};
use crate::patch::change::{ChangeKind, FileChange, Hunk, Op};

/// The parsed header lines of a file, which are before its hunks.
#[derive(Debug, Default)]
struct Header {
    /// The names in the line `diff --git`.
    git: Option<(String, String)>,
    /// The name after `---`.
    old: Option<Name>,
    /// The name after `+++`.
    new: Option<Name>,
    rename: (Option<String>, Option<String>),
    is_new: bool,
    is_deleted: bool,
}

/// A name in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    /// `/dev/null`, for a file that does not exist.
    Null,
    File(String),
}

impl Name {
    fn file(self) -> Option<String> {
        match self {
            Name::Null => None,
            Name::File(name) => Some(name),
        }
    }
}

pub(super) fn parse<'a>(cursor: &mut Cursor<'a>, path: Option<&str>) -> Result<Vec<FileChange<'a>>, ToolError> {
    let mut changes = Vec::new();
    // Text before the first file, such as the message of a commit, is skipped.
    let mut skips_text = true;
    while let Some(line) = cursor.peek() {
        if starts_file(cursor) {
            let header = header(cursor)?;
            let hunks = hunks(cursor)?;
            changes.push(header.into_change(hunks, cursor)?);
            skips_text = false;
        } else if line.starts_with("@@") {
            let Some(path) = path.filter(|_| changes.is_empty()) else {
                cursor.next();
                return Err(cursor.error("a hunk without a file; write `--- a/FILE` and `+++ b/FILE` before it"));
            };
            let kind = ChangeKind::Update { hunks: hunks(cursor)?, move_to: None, sequential: false };
            changes.push(FileChange { path: path.to_owned(), kind });
            skips_text = false;
        } else {
            cursor.next();
            // `-- ` is the signature line that git writes after the last hunk, followed by the version of git.
            skips_text |= line == "-- ";
            if !skips_text && !line.trim().is_empty() {
                return Err(
                    cursor.error("this line is not part of a hunk; lines of a hunk begin with a space, `+` or `-`")
                );
            }
        }
    }
    Ok(changes)
}

/// Returns whether the next line begins the changes of a file.
fn starts_file(cursor: &Cursor<'_>) -> bool {
    let starts = |count: usize, prefix: &str| cursor.ahead(count).is_some_and(|line| line.starts_with(prefix));
    starts(0, "diff --git ") || starts(0, "--- ") && starts(1, "+++ ")
}

fn header(cursor: &mut Cursor<'_>) -> Result<Header, ToolError> {
    let mut header = Header::default();
    let mut mode = None;
    let start = cursor.number();
    while let Some(line) = cursor.peek() {
        let is_second = cursor.number() > start && line.starts_with("diff --git ");
        if line.starts_with("@@") || is_second || line.trim().is_empty() || line == "-- " {
            break;
        }
        cursor.next();
        let rest = |prefix: &str| line.strip_prefix(prefix);
        let is_known = |prefixes: &[&str]| prefixes.iter().any(|prefix| line.starts_with(prefix));
        if let Some(names) = rest("diff --git ") {
            header.git = git_names(names);
        } else if let Some(name) = rest("--- ") {
            header.old = Some(file_name(name, cursor)?);
        } else if let Some(name) = rest("+++ ") {
            header.new = Some(file_name(name, cursor)?);
            break;
        } else if let Some(name) = rest("rename from ") {
            header.rename.0 = file_name(name, cursor)?.file();
        } else if let Some(name) = rest("rename to ") {
            header.rename.1 = file_name(name, cursor)?.file();
        } else if let Some(mode) = rest("new file mode ") {
            if mode.trim() != "100644" {
                return Err(cursor.error(
                    "only regular files can be created; write `new file mode 100644`, and create links and executable files with a command",
                ));
            }
            header.is_new = true;
        } else if is_known(&["deleted file mode "]) {
            header.is_deleted = true;
        } else if let Some(old) = rest("old mode ") {
            mode = Some(old);
        } else if let Some(new) = rest("new mode ") {
            if mode != Some(new) {
                return Err(cursor.error("permissions cannot be changed by a patch; omit this line, and use a command"));
            }
        } else if is_known(&["copy from ", "copy to "]) {
            return Err(
                cursor.error("files cannot be copied by a patch; give the content of the new file, from `/dev/null`")
            );
        } else if is_known(&["GIT binary patch", "Binary files "]) {
            return Err(cursor.error("binary files cannot be patched"));
        } else if !is_known(&["index ", "similarity index ", "dissimilarity index "]) {
            return Err(
                cursor.error("this line is not part of a header; after `---` and `+++`, a hunk begins with `@@`")
            );
        }
    }
    Ok(header)
}

impl Header {
    fn into_change<'a>(self, hunks: Vec<Hunk<'a>>, cursor: &Cursor<'_>) -> Result<FileChange<'a>, ToolError> {
        let is_rename = self.rename.0.is_some() && self.rename.1.is_some();
        let (old, new) = match (self.old, self.new) {
            (Some(old), Some(new)) => without_prefixes(old.file(), new.file()),
            // Renamed and empty files have no hunks.
            _ if is_rename => self.rename,
            _ => match self.git {
                Some((old, new)) => {
                    let (old, new) = without_prefixes(Some(old), Some(new));
                    (old.filter(|_| !self.is_new), new.filter(|_| !self.is_deleted))
                }
                None => (None, None),
            },
        };
        match (old, new) {
            (None, None) => Err(cursor.error("the file has no name; write `--- a/FILE` and `+++ b/FILE`")),
            (None, Some(path)) => match content_of_new_file(&hunks) {
                Some(content) => Ok(FileChange { path, kind: ChangeKind::Create { content } }),
                None => Err(cursor.error(format_args!("`{path}` is a new file, so each of its lines begins with `+`"))),
            },
            (Some(path), None) => Ok(FileChange { path, kind: ChangeKind::Delete { hunks: Some(hunks) } }),
            (Some(_), Some(new)) if hunks.is_empty() && !is_rename => {
                Err(cursor.error(format_args!("`{new}` has no hunks; a hunk begins with `@@`")))
            }
            (Some(old), Some(new)) => {
                // Without a rename, the name after `---` may be the name of a copy, such as `x.orig`.
                let (path, move_to) = if is_rename { (old, Some(new)) } else { (new, None) };
                Ok(FileChange { path, kind: ChangeKind::Update { hunks, move_to, sequential: false } })
            }
        }
    }
}

/// Returns the content of a new file, or `None` if a hunk has old lines.
fn content_of_new_file(hunks: &[Hunk<'_>]) -> Option<String> {
    let mut content = String::new();
    for hunk in hunks {
        for (op, line) in &hunk.lines {
            if *op != Op::Add {
                return None;
            }
            content.push_str(line);
            content.push('\n');
        }
        if hunk.new_unterminated {
            content.pop();
        }
    }
    Some(content)
}

/// Reads the hunks of a file.
fn hunks<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Hunk<'a>>, ToolError> {
    let mut hunks = Vec::new();
    while let Some(header) = cursor.peek().and_then(hunk_header) {
        cursor.next();
        let mut hunk = Hunk { patch_line: cursor.number(), start: header.start, ..Hunk::default() };
        hunk.anchors.extend(header.anchor);
        hunk_lines(cursor, &mut hunk, header.counts)?;
        if hunk.lines.is_empty() {
            return Err(cursor.error("the hunk has no lines"));
        }
        hunks.push(hunk);
    }
    Ok(hunks)
}

/// Reads the lines of a hunk. Their counts are often wrong in a patch that a model wrote, so the counts only distinguish lines of the hunk
/// from the header of the next file.
fn hunk_lines<'a>(
    cursor: &mut Cursor<'a>,
    hunk: &mut Hunk<'a>,
    counts: Option<(usize, usize)>,
) -> Result<(), ToolError> {
    let (mut old, mut new) = (0_usize, 0_usize);
    // The number of trailing blank lines that lack the leading space of a context line. They may separate hunks.
    let mut blank_lines = 0;
    while let Some(line) = cursor.peek() {
        let is_complete = counts.is_none_or(|(old_count, new_count)| old >= old_count && new >= new_count);
        // A removed line that begins with `-- `, followed by an added one that begins with `++ `, looks like a header. If only one
        // removed and one added line are missing, they are these two and not a header.
        let completes_the_hunk = counts == Some((old + 1, new + 1));
        let is_file = starts_file(cursor)
            && (is_complete
                || line.starts_with("diff --git ")
                || !completes_the_hunk && cursor.ahead(2).is_some_and(|line| line.starts_with("@@")));
        if line.starts_with("@@") || is_file || is_complete && line == "-- " {
            break;
        }
        let (op, text) = match line.chars().next() {
            None => (Op::Keep, line),
            Some(' ') => (Op::Keep, &line[1..]),
            Some('-') => (Op::Remove, &line[1..]),
            Some('+') => (Op::Add, &line[1..]),
            Some('\\') => {
                hunk.mark_unterminated();
                cursor.next();
                continue;
            }
            _ if is_complete => break,
            _ => {
                cursor.next();
                return Err(cursor.error("lines of a hunk begin with a space, `+` or `-`"));
            }
        };
        cursor.next();
        blank_lines = if line.is_empty() { blank_lines + 1 } else { 0 };
        old += usize::from(op != Op::Add);
        new += usize::from(op != Op::Remove);
        hunk.lines.push((op, text));
    }
    let superfluous = counts.map_or(blank_lines, |(count, _)| old.saturating_sub(count).min(blank_lines));
    // An empty line at the end of the patch comes from its final newline.
    let at_end = usize::from(cursor.peek().is_none() && blank_lines > 0);
    hunk.truncate_by(superfluous.max(at_end));
    Ok(())
}

/// Reads the name after `---` or `+++`.
fn file_name(text: &str, cursor: &Cursor<'_>) -> Result<Name, ToolError> {
    let name = if text.starts_with('"') {
        unquote(text).ok_or_else(|| cursor.error("the quoted name is not complete"))?.0
    } else {
        // A time may follow, after a tab.
        text.split('\t').next().unwrap_or_default().trim_end().to_owned()
    };
    match &*name {
        "" => Err(cursor.error("the name is missing")),
        "/dev/null" => Ok(Name::Null),
        _ => Ok(Name::File(name)),
    }
}

/// Reads the two names of a line `diff --git`, if they can be separated.
fn git_names(text: &str) -> Option<(String, String)> {
    let text = text.trim_end();
    if text.starts_with('"') {
        let (old, rest) = unquote(text)?;
        let rest = rest.strip_prefix(' ')?;
        let new = if rest.starts_with('"') { unquote(rest)?.0 } else { rest.to_owned() };
        return Some((old, new));
    }
    // A name may contain blanks, but without a rename both are equal after `a/` and `b/`.
    let mut splits = text.match_indices(' ').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let both = splits.find(|(old, new)| old.strip_prefix("a/").is_some_and(|old| new.strip_prefix("b/") == Some(old)));
    both.map(|(old, new)| (old.to_owned(), new.to_owned()))
}

/// Removes the prefixes `a/` and `b/`, unless only one of the names has its prefix.
fn without_prefixes(old: Option<String>, new: Option<String>) -> (Option<String>, Option<String>) {
    let without = |name: &Option<String>, prefix: &str| match name {
        None => Some(None),
        Some(name) => name.strip_prefix(prefix).map(|rest| Some(rest.to_owned())),
    };
    match (without(&old, "a/"), without(&new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

/// Parses a quoted name, in which git escapes bytes as C does. Returns the name, escaped like names in tool results, and the text after it.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('"')?;
    let mut bytes = Vec::new();
    loop {
        let end = rest.find(['"', '\\'])?;
        bytes.extend_from_slice(&rest.as_bytes()[..end]);
        let is_escape = rest.as_bytes()[end] == b'\\';
        rest = &rest[end + 1..];
        if !is_escape {
            return Some((escape_bytes(&bytes), rest));
        }
        let escaped = rest.chars().next()?;
        let (byte, len) = match escaped {
            'a' => (7, 1),
            'b' => (8, 1),
            't' => (b'\t', 1),
            'n' => (b'\n', 1),
            'v' => (11, 1),
            'f' => (12, 1),
            'r' => (b'\r', 1),
            '"' => (b'"', 1),
            '\\' => (b'\\', 1),
            '0'..='3' => (u8::from_str_radix(rest.get(..3)?, 8).ok()?, 3),
            _ => return None,
        };
        bytes.push(byte);
        rest = &rest[len..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::change::Op::{Add, Keep, Remove};

    fn parse_all(patch: &str) -> Result<Vec<FileChange<'_>>, ToolError> {
        super::super::parse(patch, None)
    }

    fn hunks_of<'a, 'p>(change: &'a FileChange<'p>) -> &'a [Hunk<'p>] {
        match &change.kind {
            ChangeKind::Update { hunks, .. } => hunks,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_and_hunks_are_read() {
        let patch = "diff -u a/x b/x\n--- a/x\t2026-01-01\n+++ b/x\n@@ -1,3 +1,3 @@ section\n a\n-b\n+c\n\n\
                     @@ -9 +9 @@\n-d\n\\ No newline at end of file\n+e\n--- y\n+++ y\n@@\n-f\n";
        let changes = parse_all(patch).unwrap();
        assert_eq!(changes.iter().map(|change| &*change.path).collect::<Vec<_>>(), ["x", "y"]);
        let hunks = hunks_of(&changes[0]);
        assert_eq!(hunks[0].lines, [(Keep, "a"), (Remove, "b"), (Add, "c"), (Keep, "")]);
        assert_eq!((hunks[0].patch_line, hunks[0].start), (4, Some(1)));
        assert_eq!(hunks[1].lines, [(Remove, "d"), (Add, "e")]);
        assert!(hunks[1].old_unterminated && !hunks[1].new_unterminated);
        assert_eq!(hunks_of(&changes[1])[0].lines, [(Remove, "f")]);
    }

    #[test]
    fn correct_counts_tell_a_hunk_line_from_a_file_header() {
        let patch = "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1,1 +1,1 @@\n-c\n+d\n e\n\n";
        let changes = parse_all(patch).unwrap();
        assert_eq!(hunks_of(&changes[0])[0].lines, [(Remove, "a"), (Add, "b")]);
        assert_eq!(hunks_of(&changes[1])[0].lines, [(Remove, "c"), (Add, "d"), (Keep, "e")]);
        let sql = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n--- old comment\n+++ new comment\n@@ -9 +9 @@\n-c\n+d\n";
        let changes = parse_all(sql).unwrap();
        assert_eq!(changes.len(), 1);
        assert_eq!(hunks_of(&changes[0])[0].lines[1..], [(Remove, "-- old comment"), (Add, "++ new comment")]);
    }

    #[test]
    fn files_of_git_are_created_deleted_and_renamed() {
        let patch = "From 0123 Mon Sep 17\nSubject: x\n---\n 3 files changed\n\n\
             diff --git a/new b/new\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n\
             diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\
             diff --git a/from it b/to it\nsimilarity index 100%\nrename from from it\nrename to to it\n\
             diff --git a/empty one b/empty one\nnew file mode 100644\nindex 0..0\n-- \n2.39.0\n";
        let changes = parse_all(patch).unwrap();
        let kinds: Vec<_> = changes.iter().map(|change| (&*change.path, &change.kind)).collect();
        let moved = ChangeKind::Update { hunks: vec![], move_to: Some("to it".into()), sequential: false };
        assert_eq!(kinds[0], ("new", &ChangeKind::Create { content: "a\nb\n".into() }));
        assert!(matches!(kinds[1], ("old", ChangeKind::Delete { hunks: Some(hunks) }) if hunks.len() == 1));
        assert_eq!(kinds[2], ("from it", &moved));
        assert_eq!(kinds[3], ("empty one", &ChangeKind::Create { content: String::new() }));
    }

    #[test]
    fn names_keep_real_folders_and_lose_quotes() {
        let path = |old: &str, new: &str| {
            let patch = format!("--- {old}\n+++ {new}\n@@\n-a\n+b\n");
            parse_all(&patch).unwrap().remove(0).path
        };
        assert_eq!(path("a/x y", "b/x y"), "x y");
        assert_eq!(path("a/x", "a/x"), "a/x");
        assert_eq!(path("x.orig", "x"), "x");
        assert_eq!(path("/srv/x", "/srv/x"), "/srv/x");
        assert_eq!(path(r#""a/caf\303\251\t\"x\\""#, r#""b/caf\303\251\t\"x\\""#), "café\\x09\"x\\");
        assert_eq!(path(r#""a/caf\351""#, r#""b/caf\351""#), r"caf\xe9");
    }

    #[test]
    fn what_cannot_be_applied_is_an_error_with_advice() {
        for (patch, problem) in [
            ("--- a/x\n+++ b/x\n", "`x` has no hunks"),
            ("diff --git a/x b/x\nfoo\n", "after `---` and `+++`, a hunk begins with `@@`"),
            ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\nb\n", "line 5 of the patch: lines of a hunk begin with"),
            (
                "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nThat is all.\n",
                "line 6 of the patch: this line is not part of a hunk",
            ),
            ("--- a/x\n+++ b/x\n@@\n@@\n", "the hunk has no lines"),
            ("--- /dev/null\n+++ /dev/null\n@@\n-a\n", "the file has no name"),
            ("--- \n+++ b/x\n@@\n-a\n", "the name is missing"),
            ("--- /dev/null\n+++ b/x\n@@\n a\n+b\n", "each of its lines begins with `+`"),
            ("--- \"a/x\n+++ b/x\n@@\n-a\n", "the quoted name is not complete"),
            ("@@ -1 +1 @@\n-a\n+b\n", "a hunk without a file"),
            ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "permissions cannot be changed"),
            ("diff --git a/x b/x\nnew file mode 120000\n", "only regular files can be created"),
            ("diff --git a/x b/y\ncopy from x\ncopy to y\n", "files cannot be copied"),
            ("diff --git a/x b/x\nindex 1..2\nGIT binary patch\n", "binary files cannot be patched"),
            ("diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n", "binary files cannot be patched"),
            ("diff --git a/x b/y\n", "the file has no name"),
        ] {
            let error = parse_all(patch).unwrap_err();
            assert!(error.message().contains(problem), "{patch}\n{error}");
        }
    }
}
