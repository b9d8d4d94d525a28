//! The `patch` tool: finds the place, replaces it, shows the difference.
//!
//! [`find`] says where the old text stands and [`indent`] how the new text is shifted, both without regard to
//! line endings, which are [`endings`]' business; [`miss`] words what went wrong. Only here is a file read or
//! written.

mod endings;
mod find;
mod indent;
mod miss;

use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use similar::TextDiff;
use toolc::{Call, ErrorKind, ToolError, ToolOutput, ToolResult};
use toolc_catalog::file::patch::Args;

use self::endings::{Unified, lf};
use self::find::{Edit, Search};
use crate::FileHandlers;
use crate::staleness::{FileVersion, KnownFiles};
use crate::{atomic_write, open, sniff};

/// Bytes of a file that is edited in memory.
const LARGEST: u64 = 8 * 1024 * 1024;
/// Characters of the difference that are shown.
const LONGEST_DIFF: usize = 20_000;
const BOM: &str = "\u{feff}";

#[derive(Serialize)]
struct Patched {
    path: String,
    replacements: usize,
    /// How closely the old text matched.
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
    let _lock = handlers.write_lock();
    let (text, meta) = load(handlers, &path)?;
    atomic_write::existing(&handlers.workspace, &path)?;
    let shown = handlers.workspace.show(&path);
    let (bom, body) = text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 });
    let unified = Unified::new(body);
    let (old, new) = (lf(&args.old_string), lf(&args.new_string));
    let search = Search { text: unified.text(), old: &old, new: &new, all: args.replace_all };
    let found = search.run().map_err(|miss| miss.explain(&search, &shown))?;
    let edits: Vec<_> = found.edits.into_iter().map(|edit| unified.carry_back(edit)).collect();
    let changed = apply(body, &edits);
    if changed == body {
        return Err(ToolError::new(format!("`{shown}` already is as this edit would make it: nothing was written")));
    }
    let known = call.state::<KnownFiles>();
    let warning = known.warning(&path, Some(FileVersion::of(&meta)));
    let new = atomic_write::save(&path, Some(&meta), [bom, &changed].concat().as_bytes())
        .map_err(|error| open::explain(&handlers.workspace, &path, "write", &error))?;
    known.note(&path, FileVersion::of(&new));
    let diff = diff(&shown, body, &changed);
    ToolOutput::json(&Patched { path: shown, replacements: edits.len(), matched: found.how.word(), diff, warning })
}

/// The whole file, if it is text and not too large.
fn load(handlers: &FileHandlers, path: &Path) -> Result<(String, Metadata), ToolError> {
    let shown = handlers.workspace.show(path);
    let refused = |why: String| ToolError::with_kind(ErrorKind::Refused, format!("failed to edit `{shown}`: {why}"));
    let too_large = || refused(format!("it is larger than {} MiB; edit it with a script", LARGEST >> 20));
    let (file, meta) = open::regular(&handlers.workspace, path)?;
    if meta.len() > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| open::explain(&handlers.workspace, path, "read", &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large());
    }
    if let Some(what) = sniff::binary(&bytes[..bytes.len().min(sniff::SAMPLE)]) {
        return Err(refused(format!("it is not text but {what}")));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        refused("it is not valid UTF-8, and writing it back would damage it; convert it first".to_owned())
    })?;
    Ok((text, meta))
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        changed.push_str(&text[done..edit.place.start]);
        changed.push_str(&edit.new);
        done = edit.place.end;
    }
    changed.push_str(&text[done..]);
    changed
}

fn diff(path: &str, old: &str, new: &str) -> String {
    // A poorer difference after a second, rather than a perfect one after minutes.
    let diff = TextDiff::configure().timeout(Duration::from_secs(1)).diff_lines(old, new);
    let path = path.trim_start_matches('/');
    let mut text = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string().replace('\r', "");
    if let Some((cut, _)) = text.char_indices().nth(LONGEST_DIFF) {
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
    fn the_difference_is_shown() {
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
    fn line_endings_and_byte_order_mark_stay() {
        let f = fixture();
        f.put("a.txt", "\u{feff}one\r\ntwo\r\n");
        let patched = value(patch(&f, "one\ntwo", "1\n2\n3", false));
        assert_eq!(f.get("a.txt"), "\u{feff}1\r\n2\r\n3\r\n");
        assert!(!patched["diff"].as_str().unwrap().contains(['\r', '\u{feff}']));
        patch(&f, "1\n", "0\n", false).unwrap();
        assert_eq!(f.get("a.txt"), "\u{feff}0\r\n2\r\n3\r\n");
    }

    #[test]
    fn places_that_differ_in_line_endings_alone_are_not_guessed_between() {
        let f = fixture();
        f.put("a.txt", "a\nb\na\r\nb\r\n");
        assert_reply!(patch(&f, "a\nb", "x", false), Err(Failed, "stands 2 times"));
        patch(&f, "a\r\nb\r\n", "x\n", true).unwrap();
        assert_eq!(f.get("a.txt"), "x\nx\r\n");
    }

    #[test]
    fn failures_write_nothing_and_say_why() {
        let f = fixture();
        let text = "fn a() {\n    go();\n}\nfn b() {\n    go();\n}\n";
        f.put("a.txt", text);
        let before = fs::metadata(f.dir.path().join("a.txt")).unwrap().modified().unwrap();
        let several = patch(&f, "go();", "stop();", false).unwrap_err();
        assert!(several.message().contains("stands 2 times in `a.txt` (line 2, 5)"), "{several}");
        let nowhere = patch(&f, "fn b() {\n    went();\n}", "x", false).unwrap_err();
        assert_eq!(nowhere.kind(), ErrorKind::NotFound);
        assert!(nowhere.message().contains("     4|fn b() {\n     5|    go();\n"), "{nowhere}");
        assert_reply!(patch(&f, "gone", "fn b()", false), Err(NotFound, "perhaps this edit was made before"));
        assert!(patch(&f, "", "x", false).is_err() && patch(&f, "go", "go", true).is_err());
        assert_eq!(f.get("a.txt"), text);
        assert_eq!(fs::metadata(f.dir.path().join("a.txt")).unwrap().modified().unwrap(), before);
    }

    #[test]
    fn every_place_on_request() {
        let f = fixture();
        f.put("a.txt", "x x\nx\n");
        assert_eq!(value(patch(&f, "x", "yy", true))["replacements"], 3);
        assert_eq!(f.get("a.txt"), "yy yy\nyy\n");
    }

    #[test]
    fn what_cannot_be_written_back_is_refused() {
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
    fn edits_at_once_are_all_kept() {
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
    fn a_long_difference_is_cut() {
        let f = fixture();
        f.put("a.txt", "line\n".repeat(10_000));
        let diff = value(patch(&f, "line", "other", true))["diff"].as_str().unwrap().to_owned();
        assert!(diff.len() < LONGEST_DIFF + 100 && diff.ends_with("left out]\n"));
    }
}
