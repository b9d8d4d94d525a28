//! Parses blocks of old and new text. The line before a block is the path of its file.

use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, capture_diff_slices_deadline};
use toolc::ToolError;

use super::Cursor;
use crate::patch::change::{ChangeKind, FileChange, Hunk, Op};

const DIVIDER: &str = "=======";

/// Returns whether the line begins a block.
pub(super) fn is_start(line: &str) -> bool {
    is_marker(line, '<', "SEARCH")
}

fn is_end(line: &str) -> bool {
    is_marker(line, '>', "REPLACE")
}

fn is_marker(line: &str, symbol: char, word: &str) -> bool {
    let rest = line.trim_start_matches(symbol);
    (5..=9).contains(&(line.len() - rest.len())) && rest.trim() == word
}

pub(super) fn parse<'a>(cursor: &mut Cursor<'a>, path: Option<&str>) -> Result<Vec<FileChange<'a>>, ToolError> {
    let mut changes: Vec<FileChange<'a>> = Vec::new();
    let mut path = path.map(str::to_owned);
    // A path for which no block has followed yet.
    let mut pending_path: Option<&str> = None;
    while let Some(line) = cursor.next() {
        if line.trim().is_empty() || line.starts_with("```") {
            continue;
        }
        if !is_start(line) {
            if let Some(path) = pending_path {
                return Err(cursor.error(format_args!("expected `<<<<<<< SEARCH` after the path `{path}`")));
            }
            if is_end(line) || line.trim_end() == DIVIDER {
                return Err(cursor.error("this marker is not in a block; a block begins with `<<<<<<< SEARCH`"));
            }
            let name = line.trim().trim_matches('`');
            pending_path = Some(name);
            path = Some(name.to_owned());
            continue;
        }
        let Some(path) = &path else {
            return Err(cursor.error("the block has no file; write its path on the line before"));
        };
        pending_path = None;
        let block = block(cursor)?;
        let previous = changes.last_mut().filter(|last| last.path == *path);
        match (block, previous.map(|change| &mut change.kind)) {
            (Block::Edit(hunk), Some(ChangeKind::Update { hunks, .. })) => hunks.push(hunk),
            (Block::Edit(hunk), _) => {
                let kind = ChangeKind::Update { hunks: vec![hunk], move_to: None, sequential: true };
                changes.push(FileChange { path: path.clone(), kind });
            }
            (Block::Create(content), _) => {
                changes.push(FileChange { path: path.clone(), kind: ChangeKind::Create { content } });
            }
        }
    }
    match pending_path {
        Some(path) => Err(cursor.error(format_args!("expected `<<<<<<< SEARCH` after the path `{path}`"))),
        None => Ok(changes),
    }
}

enum Block<'a> {
    Edit(Hunk<'a>),
    /// A block without old lines: the content of a new file.
    Create(String),
}

/// Reads a block after its first line.
fn block<'a>(cursor: &mut Cursor<'a>) -> Result<Block<'a>, ToolError> {
    let number = cursor.number();
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut is_new = false;
    loop {
        let Some(line) = cursor.next() else {
            let missing = if is_new { ">>>>>>> REPLACE" } else { DIVIDER };
            return Err(cursor.error(format_args!("the block that begins at line {number} has no `{missing}`")));
        };
        let is_divider = line.trim_end() == DIVIDER;
        match (is_divider, is_new) {
            (false, true) if is_end(line) => break,
            (false, _) if is_start(line) || is_end(line) => {
                return Err(cursor.error(format_args!("the block that begins at line {number} is not complete here")));
            }
            (true, true) => {
                return Err(cursor.error(format_args!(
                    "the block has a second `{DIVIDER}`, so its parts are not clear; use a unified diff for this change"
                )));
            }
            (true, false) => is_new = true,
            (false, true) => new.push(line),
            (false, false) => old.push(line),
        }
    }
    if old.is_empty() {
        return Ok(Block::Create(new.iter().flat_map(|line| [line, "\n"]).collect()));
    }
    Ok(Block::Edit(Hunk { patch_line: number, lines: difference(&old, &new), ..Hunk::default() }))
}

/// Returns the lines of both parts, and whether each line is kept, removed or added.
fn difference<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(Op, &'a str)> {
    let deadline = Instant::now() + Duration::from_secs(1);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(deadline));
    let changes = ops.iter().flat_map(|op| op.iter_changes(old, new));
    changes
        .map(|change| {
            let op = match change.tag() {
                ChangeTag::Equal => Op::Keep,
                ChangeTag::Delete => Op::Remove,
                ChangeTag::Insert => Op::Add,
            };
            (op, change.value())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::change::Op::{Add, Keep, Remove};

    #[test]
    fn blocks_are_read() {
        let patch = "`src/a.rs`\n```rust\n<<<<<<< SEARCH\na\nb\n=======\na\nc\n>>>>>>> REPLACE\n```\n\n<<<<<<< SEARCH\nd\n=======\n\
                     >>>>>>> REPLACE\nnew.txt\n<<<<< SEARCH\n=======\nx\n>>>>> REPLACE\n";
        let changes = super::super::parse(patch, None).unwrap();
        let ChangeKind::Update { hunks, sequential: true, .. } = &changes[0].kind else { panic!("{changes:?}") };
        assert_eq!(hunks[0].lines, [(Keep, "a"), (Remove, "b"), (Add, "c")]);
        assert_eq!((hunks[0].patch_line, hunks[1].lines.as_slice()), (3, [(Remove, "d")].as_slice()));
        assert_eq!(
            changes[1],
            FileChange { path: "new.txt".into(), kind: ChangeKind::Create { content: "x\n".into() } }
        );
        let named = super::super::parse("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", Some("given")).unwrap();
        assert_eq!(named[0].path, "given");
    }

    #[test]
    fn incomplete_and_ambiguous_blocks_are_errors() {
        for (patch, problem) in [
            ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", "write its path on the line before"),
            ("x\n<<<<<<< SEARCH\na\n=======\nb\n", "has no `>>>>>>> REPLACE`"),
            ("x\n<<<<<<< SEARCH\na\n", "has no `=======`"),
            ("x\n<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\n", "is not complete here"),
            ("x\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "is not complete here"),
            ("x\n<<<<<<< SEARCH\na\n=======\nTitle\n=======\n>>>>>>> REPLACE\n", "a second `=======`"),
            ("x\ny\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n", "expected `<<<<<<< SEARCH` after the path `x`"),
            ("x\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\ny\n", "expected `<<<<<<< SEARCH` after the path `y`"),
            ("x\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n=======\n", "not in a block"),
        ] {
            let error = super::super::parse(patch, None).unwrap_err();
            assert!(error.message().contains(problem), "{patch}\n{error}");
        }
    }
}
