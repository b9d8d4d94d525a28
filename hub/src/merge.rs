//! Differences of files, and merging by lines.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices_deadline};

/// How long a comparison may look for a short result. After it, the result is still right.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A part of the base that one side has changed: its lines, and the new ones.
#[derive(Debug, Clone)]
struct Edit<'t> {
    base: Range<usize>,
    new: Vec<&'t str>,
}

/// Returns a file with the changes of both sides. `None` if both have changed the same or adjacent lines, and not equally.
pub(crate) fn merge(base: &str, local: &str, upstream: &str) -> Option<String> {
    let lines = |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
    let (base, local, upstream) = (lines(base), lines(local), lines(upstream));
    let base: Vec<&str> = base.iter().map(String::as_str).collect();
    let local: Vec<&str> = local.iter().map(String::as_str).collect();
    let upstream: Vec<&str> = upstream.iter().map(String::as_str).collect();
    let mut edits = edits(&base, &local);
    edits.extend(self::edits(&base, &upstream));
    edits.sort_by_key(|edit| (edit.base.start, edit.base.end));
    let (mut merged, mut done, mut last): (String, usize, Option<Edit<'_>>) = (String::new(), 0, None);
    for edit in edits {
        if let Some(before) = &last {
            if before.base == edit.base && before.new == edit.new {
                continue;
            }
            // Adjacent edits conflict, too: their order would be a guess.
            if edit.base.start <= before.base.end {
                return None;
            }
        }
        merged.extend(base[done..edit.base.start].iter().copied());
        merged.extend(edit.new.iter().copied());
        done = edit.base.end;
        last = Some(edit);
    }
    merged.extend(base[done..].iter().copied());
    Some(merged)
}

fn edits<'t>(base: &[&'t str], new: &[&'t str]) -> Vec<Edit<'t>> {
    let ops = capture_diff_slices_deadline(Algorithm::Myers, base, new, Some(Instant::now() + TIMEOUT));
    let changed = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed.map(|op| Edit { base: op.old_range(), new: new[op.new_range()].to_vec() }).collect()
}

/// Returns the differences of a file as a unified diff. `None` for a missing file.
pub(crate) fn diff(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let texts = [before, after].map(|bytes| bytes.map_or(Some(""), |bytes| str::from_utf8(bytes).ok()));
    let [Some(old), Some(new)] = texts else {
        let size =
            |bytes: Option<&[u8]>| bytes.map_or_else(|| "missing".to_owned(), |bytes| format!("{} bytes", bytes.len()));
        return format!("{path}: not a text: {} -> {}\n", size(before), size(after));
    };
    let name =
        |side: &str, bytes: Option<&[u8]>| bytes.map_or_else(|| "/dev/null".to_owned(), |_| format!("{side}/{path}"));
    let diff = TextDiff::configure().timeout(TIMEOUT).diff_lines(old, new);
    diff.unified_diff().context_radius(3).header(&name("a", before), &name("b", after)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_different_lines_are_merged() {
        let base = "1\n2\n3\n4\n5\n6\n7\n";
        for (local, upstream, merged) in [
            (base, base, Some(base)),
            ("0\n1\n2\n3\n4\n5\n6\n7\n", base, Some("0\n1\n2\n3\n4\n5\n6\n7\n")),
            ("1\nX\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\nY\n7\n", Some("1\nX\n3\n4\n5\nY\n7\n")),
            ("1\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\n6\n7\n8\n", Some("1\n3\n4\n5\n6\n7\n8\n")),
            // Both have made the same change.
            ("1\nX\n3\n4\n5\n6\n7\n", "1\nX\n3\n4\n5\n6\n8\n", Some("1\nX\n3\n4\n5\n6\n8\n")),
            ("1\nX\n3\n4\n5\n6\n7\n", "1\nY\n3\n4\n5\n6\n7\n", None),
            // Adjacent lines.
            ("1\nX\n3\n4\n5\n6\n7\n", "1\n2\nY\n4\n5\n6\n7\n", None),
            // Both have added something at the end.
            ("1\n2\n3\n4\n5\n6\n7\na\n", "1\n2\n3\n4\n5\n6\n7\nb\n", None),
            ("1\n2\n3\n4\n5\n6\n7", "0\n2\n3\n4\n5\n6\n7\n", Some("0\n2\n3\n4\n5\n6\n7")),
            ("", "1\n2\n3\n4\n5\n6\n8\n", None),
        ] {
            assert_eq!(merge(base, local, upstream).as_deref(), merged, "{local:?} {upstream:?}");
            assert_eq!(merge(base, upstream, local).as_deref(), merged, "{upstream:?} {local:?}");
        }
        assert_eq!(merge("", "a", "b"), None);
        assert_eq!(merge("a\r\nb\r\n", "a\r\nb\r\nc\r\n", "a\r\nb\r\n").as_deref(), Some("a\r\nb\r\nc\r\n"));
    }

    /// Whatever two sides have changed, each line that only one of them has added is in the result.
    #[test]
    fn a_merge_loses_no_added_line() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((seed >> 33) % below).expect("it is small")
        };
        let mut merged = 0;
        for round in 0..2_000 {
            let base: Vec<String> = (0..12).map(|_| format!("{}\n", random(6))).collect();
            let mut edited = |name: &str| {
                let mut lines = base.clone();
                let added = format!("{name}{round}\n");
                lines.insert(random(13), added.clone());
                (lines.concat(), added)
            };
            let ((local, one), (upstream, other)) = (edited("local"), edited("upstream"));
            let Some(text) = merge(&base.concat(), &local, &upstream) else { continue };
            merged += 1;
            let mut rest: Vec<&str> = text.split_inclusive('\n').collect();
            rest.retain(|line| *line != one && *line != other);
            assert_eq!(rest.concat(), base.concat());
            assert_eq!(text.split_inclusive('\n').count(), 14);
        }
        assert!(merged > 1_000, "{merged}");
    }

    #[test]
    fn differences_are_shown_by_lines() {
        assert_eq!(diff("a", Some(b"1\n2\n"), Some(b"1\n3\n")), "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n");
        assert!(diff("a", None, Some(b"1\n")).starts_with("--- /dev/null\n+++ b/a\n"));
        assert_eq!(diff("a", Some(&[0xff]), None), "a: not a text: 1 bytes -> missing\n");
    }
}
