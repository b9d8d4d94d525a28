//! The `patch` tool: finds a text in a file, replaces it, and returns the difference.
//!
//! [`endings`] normalizes line endings, [`find`] finds the old text, [`indent`] adapts the indentation of the new text, and
//! [`failure`] writes the errors for the model. Only this module reads and writes files.

mod endings;
mod failure;
mod find;
mod indent;

use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use similar::TextDiff;
use toolc::{Call, ErrorKind, ToolError, ToolOutput, ToolResult};
use toolc_catalog::file::patch::Args;

use self::endings::{NormalizedText, to_lf};
use self::find::{Edit, Search};
use crate::FileHandlers;
use crate::access::{AccessLog, Knowledge};
use crate::version::FileVersion;
use crate::{atomic_write, open, sniff};

/// The maximum size of a file, in bytes: it is edited in memory.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// The maximum number of characters of the difference.
const MAX_DIFF_CHARS: usize = 20_000;
const BOM: &str = "\u{feff}";

#[derive(Serialize)]
struct Patched {
    path: String,
    replacements: usize,
    /// How exactly the old text matched: see [`find::Comparison::description`].
    matched: &'static str,
    diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

pub(super) fn patch(handlers: &FileHandlers, args: &Args, call: &Call<'_>) -> ToolResult {
    if args.old_string.is_empty() {
        return Err(ToolError::new("old_string is empty: give the text to replace"));
    }
    if args.old_string == args.new_string {
        return Err(ToolError::new("old_string and new_string are equal: there is nothing to change"));
    }
    let path = handlers.workspace.locate(&args.path)?;
    handlers.guard.check(&handlers.workspace, &path)?;
    let _lock = handlers.lock_writes();
    let (text, meta) = load(handlers, &path)?;
    atomic_write::existing(&handlers.workspace, &path)?;
    let shown = handlers.workspace.show(&path);
    let (bom, body) = text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 });
    let normalized = NormalizedText::new(body);
    let (old, new) = (to_lf(&args.old_string), to_lf(&args.new_string));
    let search = Search { text: normalized.normalized(), old: &old, new: &new, all: args.replace_all };
    let found = search.run().map_err(|failure| failure.explain(&search, &shown))?;
    let edits: Vec<_> = found.edits.into_iter().map(|edit| normalized.to_original(edit)).collect();
    let changed = apply(body, &edits);
    if changed == body {
        return Err(ToolError::new(format!("this edit does not change `{shown}`: nothing was written")));
    }
    let log = call.state::<AccessLog>();
    let version = FileVersion::new(&meta);
    let warning = log.warning(&path, Some(version));
    let knows_all = log.knowledge(&path, version) == Knowledge::Whole;
    let new = atomic_write::save(&path, Some(&meta), [bom, &changed].concat().as_bytes())
        .map_err(|error| open::explain(&handlers.workspace, &path, "write", &error))?;
    log.note_write(&path, Some(FileVersion::new(&new)), knows_all);
    let diff = diff(&shown, body, &changed);
    ToolOutput::json(&Patched {
        path: shown,
        replacements: edits.len(),
        matched: found.comparison.description(),
        diff,
        warning,
    })
}

/// Reads a file. Fails if it is not UTF-8 text, or too large.
fn load(handlers: &FileHandlers, path: &Path) -> Result<(String, Metadata), ToolError> {
    let shown = handlers.workspace.show(path);
    let refused =
        |reason: String| ToolError::with_kind(ErrorKind::Refused, format!("failed to edit `{shown}`: {reason}"));
    let too_large = || refused(format!("it is larger than {} MiB; edit it with a script", MAX_BYTES >> 20));
    let (file, meta) = open::regular(&handlers.workspace, path)?;
    if meta.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| open::explain(&handlers.workspace, path, "read", &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    if let Some(format) = sniff::binary_format(&bytes[..bytes.len().min(sniff::SAMPLE)]) {
        return Err(refused(format!("it is not text but {format}")));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        refused("it is not valid UTF-8, and writing it back would damage it; convert it first".to_owned())
    })?;
    Ok((text, meta))
}

/// Applies edits, which are in the order of the text and do not overlap.
fn apply(text: &str, edits: &[Edit]) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut copied = 0;
    for edit in edits {
        changed.push_str(&text[copied..edit.range.start]);
        changed.push_str(&edit.new);
        copied = edit.range.end;
    }
    changed.push_str(&text[copied..]);
    changed
}

/// Returns a unified diff without carriage returns.
fn diff(path: &str, old: &str, new: &str) -> String {
    // After a second, accept a difference that is not minimal: a minimal one can take minutes.
    let diff = TextDiff::configure().timeout(Duration::from_secs(1)).diff_lines(old, new);
    let path = path.trim_start_matches('/');
    let mut text = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string().replace('\r', "");
    if let Some((cut, _)) = text.char_indices().nth(MAX_DIFF_CHARS) {
        text.truncate(text[..cut].rfind('\n').map_or(cut, |at| at + 1));
        text.push_str("… [the rest of the difference is left out]\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use toolc::testing::assert_reply;
    use toolc_catalog::file::FileTools;

    use super::*;
    use crate::fixture::{Fixture, fixture, value};

    fn patch(f: &Fixture, old: &str, new: &str, all: bool) -> ToolResult {
        let (old_string, new_string) = (old.into(), new.into());
        f.handlers.patch(Args { path: "a.txt".into(), old_string, new_string, replace_all: all }, &f.call())
    }

    #[test]
    fn a_patch_returns_the_difference() {
        let f = fixture();
        f.put("a.txt", "one\ntwo\nthree\n");
        let patched = value(patch(&f, "two", "2", false));
        assert_eq!(f.get("a.txt"), "one\n2\nthree\n");
        assert_eq!(patched["diff"], "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
        assert_eq!((&patched["replacements"], &patched["matched"]), (&1.into(), &"exact".into()));
        let patched = value(patch(&f, "  one\n  2\n", "  1\n    2\n", false));
        assert_eq!((f.get("a.txt"), &patched["matched"]), ("1\n  2\nthree\n".into(), &"indentation adjusted".into()));
    }

    #[test]
    fn line_endings_and_the_byte_order_mark_are_kept() {
        let f = fixture();
        f.put("a.txt", "\u{feff}one\r\ntwo\r\n");
        let patched = value(patch(&f, "one\ntwo", "1\n2\n3", false));
        assert_eq!(f.get("a.txt"), "\u{feff}1\r\n2\r\n3\r\n");
        assert!(!patched["diff"].as_str().unwrap().contains(['\r', '\u{feff}']));
        patch(&f, "1\n", "0\n", false).unwrap();
        assert_eq!(f.get("a.txt"), "\u{feff}0\r\n2\r\n3\r\n");
    }

    #[test]
    fn occurrences_that_differ_only_in_line_endings_are_ambiguous() {
        let f = fixture();
        f.put("a.txt", "a\nb\na\r\nb\r\n");
        assert_reply!(patch(&f, "a\nb", "x", false), Err(Failed, "occurs 2 times"));
        patch(&f, "a\r\nb\r\n", "x\n", true).unwrap();
        assert_eq!(f.get("a.txt"), "x\nx\r\n");
    }

    #[test]
    fn failures_write_nothing_and_have_a_reason() {
        let f = fixture();
        let text = "fn a() {\n    go();\n}\nfn b() {\n    go();\n}\n";
        f.put("a.txt", text);
        let before = fs::metadata(f.dir.path().join("a.txt")).unwrap().modified().unwrap();
        let several = patch(&f, "go();", "stop();", false).unwrap_err();
        assert!(several.message().contains("occurs 2 times in `a.txt` (line 2, 5)"), "{several}");
        let not_found = patch(&f, "fn b() {\n    went();\n}", "x", false).unwrap_err();
        assert_eq!(not_found.kind(), ErrorKind::NotFound);
        assert!(not_found.message().contains("     4|fn b() {\n     5|    go();\n"), "{not_found}");
        assert_reply!(patch(&f, "gone", "fn b()", false), Err(NotFound, "perhaps this edit was made before"));
        assert!(patch(&f, "", "x", false).is_err() && patch(&f, "go", "go", true).is_err());
        assert_eq!(f.get("a.txt"), text);
        assert_eq!(fs::metadata(f.dir.path().join("a.txt")).unwrap().modified().unwrap(), before);
    }

    #[test]
    fn replace_all_replaces_every_occurrence() {
        let f = fixture();
        f.put("a.txt", "x x\nx\n");
        assert_eq!(value(patch(&f, "x", "yy", true))["replacements"], 3);
        assert_eq!(f.get("a.txt"), "yy yy\nyy\n");
    }

    #[test]
    fn unreadable_large_and_protected_files_are_refused() {
        let f = fixture();
        f.put("a.txt", b"caf\xe9\n");
        assert_eq!(patch(&f, "caf", "tea", false).unwrap_err().kind(), ErrorKind::Refused);
        f.put("a.txt", "x".repeat((8 << 20) + 1));
        assert_eq!(patch(&f, "x", "y", true).unwrap_err().kind(), ErrorKind::Refused);
        fs::remove_file(f.dir.path().join("a.txt")).unwrap();
        assert_eq!(patch(&f, "x", "y", true).unwrap_err().kind(), ErrorKind::NotFound);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", f.dir.path().join("a.txt")).unwrap();
            assert_eq!(patch(&f, "root", "toor", false).unwrap_err().kind(), ErrorKind::Refused);
        }
    }

    #[test]
    fn concurrent_edits_are_all_kept() {
        let f = fixture();
        f.put("a.txt", (0..16).map(|i| format!("<{i}>")).collect::<Vec<_>>().join("\n"));
        std::thread::scope(|scope| {
            for i in 0..16 {
                let f = &f;
                scope.spawn(move || patch(f, &format!("<{i}>"), "done", false).unwrap());
            }
        });
        assert_eq!(f.get("a.txt"), ["done"; 16].join("\n"));
    }

    #[test]
    fn a_long_difference_is_shortened() {
        let f = fixture();
        f.put("a.txt", "line\n".repeat(10_000));
        let diff = value(patch(&f, "line", "other", true))["diff"].as_str().unwrap().to_owned();
        assert!(diff.len() < MAX_DIFF_CHARS + 100 && diff.ends_with("left out]\n"));
    }
}
