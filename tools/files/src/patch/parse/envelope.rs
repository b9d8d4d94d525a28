//! Parses the format that begins with `*** Begin Patch`: sections that add, update and delete files, with hunks that have no line numbers.

use toolc::ToolError;

use super::{Cursor, hunk_header};
use crate::patch::change::{ChangeKind, FileChange, Hunk, Op};

pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE_FILE: &str = "*** Move File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Returns whether the line begins a section.
pub(super) fn is_file_header(line: &str) -> bool {
    [ADD, DELETE, UPDATE, MOVE_FILE].iter().any(|prefix| line.starts_with(prefix))
}

pub(super) fn parse<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<FileChange<'a>>, ToolError> {
    let mut changes = Vec::new();
    let mut has_begun = false;
    let mut is_complete = false;
    while let Some(line) = cursor.next() {
        let line = line.trim_end();
        if line.is_empty() {
            continue;
        }
        if is_complete {
            return Err(cursor.error(format_args!("text after `{END}`; give one patch, and nothing after it")));
        }
        if let Some(path) = line.strip_prefix(ADD) {
            changes.push(FileChange {
                path: parse_path(path, cursor)?,
                kind: ChangeKind::Create { content: content(cursor) },
            });
        } else if let Some(path) = line.strip_prefix(DELETE) {
            changes.push(FileChange { path: parse_path(path, cursor)?, kind: ChangeKind::Delete { hunks: None } });
        } else if let Some(path) = line.strip_prefix(UPDATE) {
            let path = parse_path(path, cursor)?;
            let kind = update(cursor)?;
            changes.push(FileChange { path, kind });
        } else if let Some(paths) = line.strip_prefix(MOVE_FILE) {
            let Some((old, new)) = paths.split_once(" -> ") else {
                return Err(cursor.error(format_args!("expected `{MOVE_FILE} OLD -> NEW`")));
            };
            let kind =
                ChangeKind::Update { hunks: Vec::new(), move_to: Some(parse_path(new, cursor)?), sequential: false };
            changes.push(FileChange { path: parse_path(old, cursor)?, kind });
        } else if line == END {
            is_complete = true;
        } else if line == BEGIN && !has_begun && changes.is_empty() {
            has_begun = true;
        } else {
            return Err(cursor.error(format_args!(
                "expected `{ADD} PATH`, `{UPDATE} PATH`, `{DELETE} PATH` or `{END}`; lines of a new file begin with `+`"
            )));
        }
    }
    if has_begun && !is_complete {
        return Err(cursor.error(format_args!("the patch does not end with `{END}`, so it may be incomplete")));
    }
    Ok(changes)
}

fn parse_path(text: &str, cursor: &Cursor<'_>) -> Result<String, ToolError> {
    match text.trim() {
        "" => Err(cursor.error("the path is missing")),
        name => Ok(name.to_owned()),
    }
}

/// Reads the lines of a new file.
fn content(cursor: &mut Cursor<'_>) -> String {
    let mut content = String::new();
    while let Some(line) = cursor.peek().and_then(|line| line.strip_prefix('+')) {
        cursor.next();
        content.push_str(line);
        content.push('\n');
    }
    content
}

fn update<'a>(cursor: &mut Cursor<'a>) -> Result<ChangeKind<'a>, ToolError> {
    let mut move_to = None;
    if let Some(target) = cursor.peek().and_then(|line| line.strip_prefix(MOVE)) {
        cursor.next();
        move_to = Some(parse_path(target, cursor)?);
    }
    let mut hunks: Vec<Hunk<'a>> = Vec::new();
    let mut hunk: Option<Hunk<'a>> = None;
    let mut blank_lines = 0;
    let mut finish = |hunk: Option<Hunk<'a>>, blank_lines: usize| {
        let Some(mut hunk) = hunk else { return true };
        // Blank lines at the end only separate hunks and sections.
        hunk.truncate_by(blank_lines);
        let has_lines = !hunk.lines.is_empty();
        hunks.push(hunk);
        has_lines
    };
    while let Some(line) = cursor.peek() {
        if line.starts_with("*** ") && line.trim_end() != END_OF_FILE {
            break;
        }
        cursor.next();
        if let Some(header) = hunk_header(line) {
            match &mut hunk {
                // Several lines `@@ anchor` in a row narrow the place down.
                Some(current) if current.lines.is_empty() => current.anchors.extend(header.anchor),
                _ => {
                    finish(hunk.take(), blank_lines);
                    let mut new = Hunk { patch_line: cursor.number(), start: header.start, ..Hunk::default() };
                    new.anchors.extend(header.anchor);
                    hunk = Some(new);
                }
            }
            blank_lines = 0;
            continue;
        }
        if hunk.is_none() && line.trim().is_empty() {
            continue;
        }
        let current = hunk.get_or_insert_with(|| Hunk { patch_line: cursor.number(), ..Hunk::default() });
        if line.trim_end() == END_OF_FILE {
            current.truncate_by(blank_lines);
            current.at_end = true;
            blank_lines = 0;
            continue;
        }
        blank_lines = if line.is_empty() { blank_lines + 1 } else { 0 };
        current.lines.push(hunk_line(line, cursor)?);
    }
    if !finish(hunk.take(), blank_lines) {
        return Err(cursor.error("the hunk has no lines"));
    }
    if hunks.is_empty() && move_to.is_none() {
        return Err(cursor.error("the file has no hunks; a hunk begins with `@@`, its lines with a space, `+` or `-`"));
    }
    Ok(ChangeKind::Update { hunks, move_to, sequential: false })
}

/// Reads a line of a hunk. An empty line counts as an unchanged line.
fn hunk_line<'a>(line: &'a str, cursor: &Cursor<'_>) -> Result<(Op, &'a str), ToolError> {
    match line.chars().next() {
        None => Ok((Op::Keep, line)),
        Some(' ') => Ok((Op::Keep, &line[1..])),
        Some('-') => Ok((Op::Remove, &line[1..])),
        Some('+') => Ok((Op::Add, &line[1..])),
        _ => Err(cursor.error("lines of a hunk begin with a space, `+` or `-`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::change::Op::{Add, Keep, Remove};

    #[test]
    fn sections_and_hunks_are_read() {
        let patch = "*** Begin Patch\n*** Add File: new.txt\n+a\n+\n+b\n\n*** Update File: src/x.rs\n*** Move to: src/y.rs\n\
                     @@ class A\n@@   fn f\n keep\n-old\n+new\n\n@@\n-x\n*** End of File\n*** Delete File: gone\n*** Move File: a b -> c d\n*** End Patch\n";
        let changes = super::super::parse(patch, None).unwrap();
        assert_eq!(
            changes[0],
            FileChange { path: "new.txt".into(), kind: ChangeKind::Create { content: "a\n\nb\n".into() } }
        );
        assert_eq!(changes[2], FileChange { path: "gone".into(), kind: ChangeKind::Delete { hunks: None } });
        let moved = ChangeKind::Update { hunks: vec![], move_to: Some("c d".into()), sequential: false };
        assert_eq!(changes[3], FileChange { path: "a b".into(), kind: moved });
        let ChangeKind::Update { hunks, move_to, .. } = &changes[1].kind else { panic!("{changes:?}") };
        assert_eq!((&*changes[1].path, move_to.as_deref()), ("src/x.rs", Some("src/y.rs")));
        assert_eq!(hunks[0].anchors, ["class A", "fn f"]);
        assert_eq!(hunks[0].lines, [(Keep, "keep"), (Remove, "old"), (Add, "new")]);
        assert_eq!((hunks[1].lines.as_slice(), hunks[1].at_end), ([(Remove, "x")].as_slice(), true));
    }

    #[test]
    fn the_first_hunk_needs_no_header() {
        let changes = super::super::parse("*** Update File: x\n a\n\n-b\n+c\n", None).unwrap();
        let ChangeKind::Update { hunks, .. } = &changes[0].kind else { panic!("{changes:?}") };
        assert_eq!(hunks[0].lines, [(Keep, "a"), (Keep, ""), (Remove, "b"), (Add, "c")]);
    }

    #[test]
    fn what_does_not_belong_to_the_form_is_an_error() {
        for (patch, problem) in [
            ("*** Begin Patch\n*** Update File: x\n@@\n-a\n", "does not end with `*** End Patch`"),
            ("*** Begin Patch\n*** Update File: x\n*** End Patch\n", "the file has no hunks"),
            ("*** Begin Patch\n*** Update File: x\n@@ fn f\n*** End Patch\n", "the hunk has no lines"),
            ("*** Begin Patch\n*** Update File:\n@@\n-a\n*** End Patch\n", "the path is missing"),
            ("*** Begin Patch\n*** Update File: x\n@@\n-a\nb\n*** End Patch\n", "line 5 of the patch: lines of a hunk"),
            ("*** Begin Patch\n*** Add File: x\na\n*** End Patch\n", "lines of a new file begin with `+`"),
            (
                "*** Begin Patch\n*** Copy File: x\n*** End Patch\n",
                "line 2 of the patch: expected `*** Add File: PATH`",
            ),
            ("*** Begin Patch\n*** Move File: x\n*** End Patch\n", "expected `*** Move File: OLD -> NEW`"),
            ("*** Begin Patch\n*** Delete File: x\n*** End Patch\nDone.\n", "text after `*** End Patch`"),
        ] {
            let error = super::super::parse(patch, None).unwrap_err();
            assert!(error.message().contains(problem), "{patch}\n{error}");
        }
        let empty = super::super::parse("*** Begin Patch\n*** End Patch\n", None).unwrap_err();
        assert!(empty.message().contains("changes no file"), "{empty}");
    }
}
