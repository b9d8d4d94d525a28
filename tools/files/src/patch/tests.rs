//! Tests of the tool `patch`, in both modes.

use std::fs;

use toolc::testing::assert_reply;
use toolc_catalog::file::{FileTools, read_file};

use super::*;
use crate::access::AccessLog;
use crate::fixture::{Fixture, fixture, value};

fn patch(f: &Fixture, old: &str, new: &str, all: bool) -> Result<Returns, ToolError> {
    f.handlers.patch(replacing("a.txt", old, new, all), &f.call())
}

fn replacing(path: &str, old: &str, new: &str, replace_all: bool) -> Args {
    let (path, old_string, new_string) = (Some(path.into()), Some(old.into()), Some(new.into()));
    Args { mode: Mode::Replace, path, old_string, new_string, replace_all, patch: None }
}

fn applying(patch: &str) -> Args {
    let patch = Some(patch.to_owned());
    Args { mode: Mode::Patch, path: None, old_string: None, new_string: None, replace_all: false, patch }
}

/// Applies a patch.
fn apply_patch(f: &Fixture, patch: &str) -> Result<Returns, ToolError> {
    f.handlers.patch(applying(patch), &f.call())
}

/// Returns the only file of a result.
#[track_caller]
fn file(result: Result<Returns, ToolError>) -> serde_json::Value {
    let mut files = value(result)["files"].take();
    assert_eq!(files.as_array().unwrap().len(), 1);
    files[0].take()
}

#[test]
fn a_patch_returns_the_difference() {
    let f = fixture();
    f.put("a.txt", "one\ntwo\nthree\n");
    let patched = file(patch(&f, "two", "2", false));
    assert_eq!(f.get("a.txt"), "one\n2\nthree\n");
    assert_eq!(patched["diff"], "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    assert_eq!((&patched["replacements"], &patched["matched"]), (&1.into(), &"exact".into()));
    let patched = file(patch(&f, "  one\n  2\n", "  1\n    2\n", false));
    assert_eq!((f.get("a.txt"), &patched["matched"]), ("1\n  2\nthree\n".into(), &"indentation adjusted".into()));
}

#[test]
fn line_endings_and_the_byte_order_mark_are_kept() {
    let f = fixture();
    f.put("a.txt", "\u{feff}one\r\ntwo\r\n");
    let patched = file(patch(&f, "one\ntwo", "1\n2\n3", false));
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
    assert_reply!(patch(&f, "gone", "fn b()", false), Err(NotFound, "perhaps this edit has already been made"));
    assert!(patch(&f, "", "x", false).is_err() && patch(&f, "go", "go", true).is_err());
    assert_eq!(f.get("a.txt"), text);
    assert_eq!(fs::metadata(f.dir.path().join("a.txt")).unwrap().modified().unwrap(), before);
}

#[test]
fn replace_all_replaces_every_occurrence() {
    let f = fixture();
    f.put("a.txt", "x x\nx\n");
    assert_eq!(file(patch(&f, "x", "yy", true))["replacements"], 3);
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
            scope.spawn(move || match i % 2 {
                0 => patch(f, &format!("<{i}>"), "done", false).unwrap(),
                _ => apply_patch(f, &format!("--- a/a.txt\n+++ b/a.txt\n@@\n-<{i}>\n+done\n")).unwrap(),
            });
        }
    });
    assert_eq!(f.get("a.txt"), ["done"; 16].join("\n"));
}

#[test]
fn a_long_difference_is_shortened() {
    let f = fixture();
    f.put("a.txt", "line\n".repeat(10_000));
    let diff = file(patch(&f, "line", "other", true))["diff"].as_str().unwrap().to_owned();
    assert!(diff.len() < 20_000 + 100 && diff.ends_with("left out]\n"));
}

#[test]
fn missing_and_contradictory_parameters_are_explained() {
    let f = fixture();
    f.put("a.txt", "one\n");
    let replace = || replacing("a.txt", "one", "two", false);
    for (args, advice) in [
        (Args { path: None, ..replace() }, "needs `path`"),
        (Args { path: Some(String::new()), ..replace() }, "needs `path`"),
        (Args { old_string: None, ..replace() }, "needs `old_string`"),
        (Args { new_string: None, ..replace() }, "needs `new_string`"),
        (Args { patch: Some("*** Begin Patch".into()), ..replace() }, "set `mode` to `patch`"),
        (Args { mode: Mode::Patch, ..replace() }, "set `mode` to `replace`"),
        (Args { replace_all: true, ..applying("*** Begin Patch") }, "set `mode` to `replace`"),
        (applying(""), "needs `patch`"),
    ] {
        assert_reply!(f.handlers.patch(args, &f.call()), Err(Failed, advice));
    }
    assert_eq!(f.get("a.txt"), "one\n");
    // A model that fills in all parameters.
    let (path, empty) = (Some("a.txt".to_owned()), Some(String::new()));
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@\n-one\n+two\n";
    let args = Args { path, old_string: empty.clone(), new_string: empty, ..applying(diff) };
    f.handlers.patch(args, &f.call()).unwrap();
    assert_eq!(f.get("a.txt"), "two\n");
}

#[test]
fn a_patch_without_old_and_new_text_needs_no_mode() {
    let f = fixture();
    f.put("a.txt", "one\n");
    let args = Args { mode: Mode::Replace, ..applying("--- a/a.txt\n+++ b/a.txt\n@@\n-one\n+two\n") };
    f.handlers.patch(args, &f.call()).unwrap();
    assert_eq!(f.get("a.txt"), "two\n");
}

#[test]
fn a_path_limits_a_patch_to_its_file() {
    let f = fixture();
    f.put("a.txt", "one\n");
    f.put("b.txt", "one\n");
    let given = |patch: &str| f.handlers.patch(Args { path: Some("./a.txt".into()), ..applying(patch) }, &f.call());
    given("@@ -1 +1 @@\n-one\n+two\n").unwrap();
    given("<<<<<<< SEARCH\ntwo\n=======\nthree\n>>>>>>> REPLACE\n").unwrap();
    assert_eq!(f.get("a.txt"), "three\n");
    assert_reply!(given("--- a/b.txt\n+++ b/b.txt\n@@\n-one\n+two\n"), Err(Failed, "omit `path`"));
    let moved = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: c.txt\n*** End Patch\n";
    assert_reply!(given(moved), Err(Failed, "omit `path`"));
}

#[test]
fn a_patch_changes_several_files() {
    let f = fixture();
    f.put("src/a.rs", "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    one();\n}\n");
    f.put("old.txt", "gone\n");
    f.put("moved.txt", "x\ny\n");
    let patch = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -100,2 +100,3 @@\n     one();\n\
                 +    more();\n     two();\n@@ -7,2 +8,2 @@ fn b() {\n-    one();\n+    three();\n }\n\
                 --- /dev/null\n+++ b/new/dir/file.txt\n@@ -0,0 +1,2 @@\n+first\n+last\n\\ No newline at end of file\n\
                 --- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
                 diff --git a/moved.txt b/to/here.txt\nrename from moved.txt\nrename to to/here.txt\n\
                 --- a/moved.txt\n+++ b/to/here.txt\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n";
    let result = value(apply_patch(&f, patch));
    assert_eq!(f.get("src/a.rs"), "fn a() {\n    one();\n    more();\n    two();\n}\n\nfn b() {\n    three();\n}\n");
    assert_eq!((f.get("new/dir/file.txt"), f.get("to/here.txt")), ("first\nlast".into(), "x\nz\n".into()));
    assert!(!f.dir.path().join("old.txt").exists() && !f.dir.path().join("moved.txt").exists());
    let files = result["files"].as_array().unwrap();
    let actions: Vec<_> =
        files.iter().map(|file| (file["path"].as_str().unwrap(), file["action"].as_str().unwrap())).collect();
    let expected =
        [("src/a.rs", "modified"), ("new/dir/file.txt", "created"), ("old.txt", "deleted"), ("to/here.txt", "moved")];
    assert_eq!(actions, expected);
    assert_eq!((&files[0]["replacements"], &files[0]["matched"]), (&2.into(), &"exact".into()));
    assert_eq!(files[3]["from"], "moved.txt");
    assert_eq!(
        files[1]["diff"],
        "--- /dev/null\n+++ b/new/dir/file.txt\n@@ -0,0 +1,2 @@\n+first\n+last\n\\ No newline at end of file\n"
    );
    assert_eq!(files[2]["diff"], "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n");
    assert_eq!(files[3]["diff"], "--- a/moved.txt\n+++ b/to/here.txt\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n");
}

#[test]
fn every_form_of_a_patch_is_applied() {
    let f = fixture();
    let patches = [
        "--- a/a.txt\n+++ b/a.txt\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n@@ -4 +4 @@\n-d\n+D\n",
        "a.txt\n<<<<<<< SEARCH\nb\nc\n=======\nb\nC\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nd\n=======\nD\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n*** Update File: a.txt\n@@ b\n-c\n+C\n@@\n-d\n+D\n*** End of File\n*** End Patch\n",
    ];
    for patch in patches {
        f.put("a.txt", "a\nb\nc\nd\n");
        let file = file(apply_patch(&f, patch));
        assert_eq!((f.get("a.txt"), &file["replacements"]), ("a\nb\nC\nD\n".into(), &2.into()), "{patch}");
    }
    let create = "new.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n";
    assert_eq!(file(apply_patch(&f, create))["action"], "created");
    assert_reply!(apply_patch(&f, create), Err(Failed, "which exists already"));
}

#[test]
fn blocks_apply_one_after_another() {
    let f = fixture();
    f.put("a.txt", "a\n");
    let patch =
        "a.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n";
    apply_patch(&f, patch).unwrap();
    assert_eq!(f.get("a.txt"), "c\n");
    f.put("a.txt", "a\n");
    let second = apply_patch(&f, &patch.replace("\nb\n=======", "\nx\n=======")).unwrap_err();
    assert!(second.message().contains("Hunk 2 of `a.txt` (line 7 of the patch)"), "{second}");
    assert_eq!(f.get("a.txt"), "a\n");
}

#[test]
fn a_patch_that_fails_in_one_place_changes_nothing() {
    let f = fixture();
    f.put("a.txt", "one\ntwo\n");
    f.put("b.txt", "let value = compute(1);\nlet other = 2;\n");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n\
                 --- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-let value = compute(2);\n+let value = 3;\n@@ -2 +2 @@\n-let other = 3;\n";
    let error = apply_patch(&f, patch).unwrap_err();
    for part in [
        "nothing was written",
        "Hunk 1 of `b.txt` (line 12 of the patch): these lines are not in the file:\n       let value = compute(2);",
        "The closest lines of the file are these:\n     1|let value = compute(1);",
        "Hunk 2 of `b.txt` (line 15 of the patch): these lines are not in the file:\n       let other = 3;",
    ] {
        assert!(error.message().contains(part), "{part}\n{error}");
    }
    assert_eq!((f.get("a.txt"), f.dir.path().join("new.txt").exists()), ("one\ntwo\n".into(), false));
}

#[test]
fn files_that_were_written_are_restored_if_another_cannot_be() {
    let f = fixture();
    f.put("a.txt", "one\n");
    f.handlers
        .read_file(read_file::Args { path: "a.txt".into(), offset: 1, limit: 500, column: 1 }, &f.call())
        .unwrap();
    // The directory of the third file is the second file.
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: d/x\n+x\n*** Add File: d/x/y\n+y\n\
                 *** End Patch\n";
    let error = apply_patch(&f, patch).unwrap_err();
    assert!(error.message().contains("`d/x/y`") && error.message().contains("are restored"), "{error}");
    assert_eq!(fs::read_dir(f.dir.path()).unwrap().count(), 1);
    assert_eq!(f.get("a.txt"), "one\n");
    let file = file(patch_one(&f, "one", "two"));
    assert_eq!(file.get("warning"), None, "restoring a file does not count as a change by another program");
}

fn patch_one(f: &Fixture, old: &str, new: &str) -> Result<Returns, ToolError> {
    patch(f, old, new, false)
}

#[test]
fn places_are_decided_by_context_and_then_by_numbers() {
    let f = fixture();
    let text = "start\n".to_owned() + &"x\n    go();\ny\n".repeat(3);
    let hunk = |header: &str| format!("--- a/a.txt\n+++ b/a.txt\n{header}\n-    go();\n+    stop();\n");
    let changed_line = |patch: &str| {
        f.put("a.txt", &text);
        apply_patch(&f, patch).map(|_| f.get("a.txt").lines().position(|line| line == "    stop();").unwrap() + 1)
    };
    assert_eq!(changed_line(&hunk("@@ -3 +3 @@")).unwrap(), 3);
    assert_eq!(changed_line(&hunk("@@ -5 +5 @@")).unwrap(), 6);
    assert_eq!(changed_line(&hunk("@@ -900 +900 @@")).unwrap(), 9);
    let error = changed_line(&hunk("@@ -0 +0 @@").replace("-0 +0", "-0,1 +0,1")).unwrap();
    assert_eq!(error, 3);
    let several = changed_line(&hunk("@@")).unwrap_err();
    assert!(several.message().contains("occur several times (line 3, 6, 9)"), "{several}");
    f.put("a.txt", "go\nx\ngo\n");
    let tie = apply_patch(&f, "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-go\n+stop\n").unwrap_err();
    assert!(tie.message().contains("several times (line 1, 3)"), "{tie}");
    // The second hunk is as far from its number as the first.
    f.put("a.txt", "\n\n\nhead\ngo\nx\ngo\ny\ngo\n");
    apply_patch(&f, "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-head\n+Head\n@@ -4 +4 @@\n-go\n+stop\n").unwrap();
    assert_eq!(f.get("a.txt"), "\n\n\nHead\ngo\nx\nstop\ny\ngo\n");
}

#[test]
fn anchors_narrow_the_place_down() {
    let f = fixture();
    let text =
        "class A:\n    def f():\n        pass\n    def g():\n        pass\nclass B:\n    def f():\n        pass\n";
    let update = |lines: &str| {
        f.put("a.txt", text);
        let patch = format!("*** Begin Patch\n*** Update File: a.txt\n{lines}\n*** End Patch\n");
        apply_patch(&f, &patch).map(|_| f.get("a.txt").lines().position(|line| line.contains('1')).unwrap() + 1)
    };
    assert_eq!(update("@@ class B:\n@@ def f():\n-        pass\n+        return 1").unwrap(), 8);
    assert_eq!(update("@@ def g():\n-        pass\n+        return 1").unwrap(), 5);
    assert_eq!(update("@@ class B:\n     def f():\n-        pass\n+        return 1").unwrap(), 8);
    assert_eq!(update("@@ def g():\n+        x = 1").unwrap(), 5, "only new lines");
    assert_eq!(update("@@\n+# 1\n*** End of File").unwrap(), 9);
    assert_eq!(update("@@\n class B:\n@@\n-        pass\n+        return 1").unwrap(), 8, "a hunk without a change");
    for (lines, problem) in [
        ("@@ class C:\n-        pass\n+1", "no line of the file contains the text `class C:`"),
        ("@@\n-        pass\n+1", "occur several times (line 3, 5, 8)"),
        ("@@\n+1", "the hunk has only new lines"),
        ("@@\n class A:", "the hunk neither adds nor removes a line"),
        ("@@\n-class A:\n+1\n@@\n-class A:\n+2", "part of another hunk"),
    ] {
        let error = update(lines).unwrap_err();
        assert!(error.message().contains(problem), "{error}");
    }
}

#[test]
fn blanks_and_indentation_of_hunks_are_adapted() {
    let f = fixture();
    f.put("a.txt", "fn f() {\n\tif x { \n\t\ty();\n\t}\n}\n");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n fn f() {\n     if x {\n         y();\n+        z();\n";
    let file = file(apply_patch(&f, patch));
    assert_eq!(f.get("a.txt"), "fn f() {\n\tif x { \n\t\ty();\n\t\tz();\n\t}\n}\n", "unchanged lines stay as they are");
    assert_eq!(file["matched"], "indentation adjusted");
}

#[test]
fn a_missing_final_newline_is_kept_unless_the_patch_changes_it() {
    let f = fixture();
    let result = |text: &str, lines: &str| {
        f.put("a.txt", text);
        apply_patch(&f, &format!("--- a/a.txt\n+++ b/a.txt\n@@\n{lines}")).unwrap();
        f.get("a.txt")
    };
    let marker = "\\ No newline at end of file\n";
    assert_eq!(result("a\nb", "-b\n+c\n"), "a\nc");
    assert_eq!(result("a\nb", " b\n+c\n"), "a\nb\nc");
    assert_eq!(result("a\nb", "-b\n"), "a\n");
    assert_eq!(result("a\nb\n", "-b\n+c\n"), "a\nc\n");
    assert_eq!(result("a\nb", &format!("-b\n{marker}+c\n")), "a\nc\n");
    assert_eq!(result("a\nb", &format!("-b\n{marker}+b\n")), "a\nb\n");
    assert_eq!(result("a\r\nb\r\n", &format!("-b\n+c\n{marker}")), "a\r\nc");
    assert_eq!(result("a\nb", &format!("-b\n{marker}+c\n{marker}")), "a\nc");
    assert_eq!(result("", "+a\n"), "a\n");
}

#[test]
fn deleting_needs_the_content_or_a_task_that_knows_it() {
    let f = fixture();
    f.put("a.txt", "one\ntwo\n");
    let delete = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n";
    assert_reply!(apply_patch(&f, delete), Err(Refused, "refused to delete `a.txt`: this task has not read it"));
    let partly = "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
    assert_reply!(apply_patch(&f, partly), Err(Failed, "not all of its lines are in the patch"));
    assert_eq!(f.get("a.txt"), "one\ntwo\n");
    f.handlers
        .read_file(read_file::Args { path: "a.txt".into(), offset: 1, limit: 500, column: 1 }, &f.call())
        .unwrap();
    assert_eq!(file(apply_patch(&f, delete))["action"], "deleted");
    assert_reply!(apply_patch(&f, delete), Err(NotFound, "`a.txt` does not exist"));
    assert!(
        value(apply_patch(&f, "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch"))["files"][0]
            .get("warning")
            .is_none()
    );
}

#[test]
fn files_of_a_patch_must_not_conflict() {
    let f = fixture();
    f.put("a.txt", "a\n");
    f.put("b.txt", "b\n");
    for (sections, problem) in [
        ("*** Update File: a.txt\n*** Move to: b.txt\n", "`b.txt`, which exists already"),
        ("*** Update File: a.txt\n*** Move to: c/\n", "names a directory"),
        ("*** Update File: a.txt\n*** Move to: c\n*** Update File: b.txt\n*** Move to: ./c\n", "the path of two files"),
        ("*** Add File: c\n+x\n*** Add File: ./c\n+y\n", "occurs twice"),
        ("*** Add File: c/\n+x\n", "names a directory"),
        ("*** Add File: a.txt\n+x\n", "which exists already"),
        ("*** Update File: a.txt\n@@\n-a\n+a\n", "does not change `a.txt`"),
    ] {
        let error = apply_patch(&f, &format!("*** Begin Patch\n{sections}*** End Patch\n")).unwrap_err();
        assert!(error.message().contains(problem), "{sections}{error}");
        assert_eq!((f.get("a.txt"), f.get("b.txt")), ("a\n".into(), "b\n".into()));
        assert_eq!(fs::read_dir(f.dir.path()).unwrap().count(), 2, "{sections}");
    }
    let many: Vec<_> = (0..101).map(|i| format!("*** Add File: {i}\n+x\n")).collect();
    assert_reply!(
        apply_patch(&f, &format!("*** Begin Patch\n{}*** End Patch\n", many.concat())),
        Err(Refused, "101 files")
    );
    let same = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+1\n*** Update File: ./a.txt\n@@\n+2\n*** End of File\n*** End Patch";
    assert_eq!(file(apply_patch(&f, same))["replacements"], 2);
    assert_eq!(f.get("a.txt"), "1\n2\n");
}

#[cfg(unix)]
#[test]
fn links_and_protected_paths_are_refused() {
    use std::os::unix::fs::symlink;
    let f = fixture();
    f.put("real", "a\n");
    symlink("real", f.dir.path().join("link")).unwrap();
    let section = |section: &str| apply_patch(&f, &format!("*** Begin Patch\n{section}*** End Patch\n"));
    assert_reply!(section("*** Delete File: link\n"), Err(Refused, "is a symbolic link"));
    assert_reply!(section("*** Update File: link\n*** Move to: x\n"), Err(Refused, "is a symbolic link"));
    section("*** Update File: link\n@@\n-a\n+b\n").unwrap();
    assert_eq!(f.get("real"), "b\n");
    for protected in [
        "*** Add File: /etc/toolc-test\n+x\n",
        "*** Delete File: /etc/passwd\n",
        "*** Update File: real\n*** Move to: /etc/toolc-test\n",
        "*** Update File: real\n@@\n-b\n+c\n*** Add File: .ssh/authorized_keys\n+x\n",
    ] {
        assert_reply!(section(protected), Err(Refused));
    }
    assert_eq!(f.get("real"), "b\n");
}

#[cfg(unix)]
#[test]
fn a_moved_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let f = fixture();
    f.put("run.sh", "x\n");
    fs::set_permissions(f.dir.path().join("run.sh"), PermissionsExt::from_mode(0o750)).unwrap();
    apply_patch(&f, "*** Begin Patch\n*** Update File: run.sh\n*** Move to: bin/run.sh\n*** End Patch\n").unwrap();
    assert_eq!(fs::metadata(f.dir.path().join("bin/run.sh")).unwrap().permissions().mode() & 0o777, 0o750);
}

#[test]
fn a_patch_warns_about_changes_by_other_programs() {
    let f = fixture();
    f.put("a.txt", "one\n");
    f.handlers
        .read_file(read_file::Args { path: "a.txt".into(), offset: 1, limit: 500, column: 1 }, &f.call())
        .unwrap();
    f.put("a.txt", "one\ntwo\n");
    let patched = file(apply_patch(&f, "--- a/a.txt\n+++ b/a.txt\n@@\n-one\n+1\n"));
    assert!(patched["warning"].as_str().unwrap().contains("changed this file"));
    let log = f.call().state::<AccessLog>();
    let access = log.file(&f.locate("a.txt").unwrap()).unwrap();
    assert_eq!((access.writes, access.is_whole), (1, false), "the task does not know the line that was added");
}

#[test]
fn new_syntax_errors_are_reported_for_each_file() {
    let f = fixture();
    f.put("a.json", "{\n  \"a\": 1\n}\n");
    f.put("b.toml", "a = = 1\nb = 2\n");
    let patch = "--- a/a.json\n+++ b/a.json\n@@\n-  \"a\": 1\n+  \"a\": 2,\n--- a/b.toml\n+++ b/b.toml\n@@\n-b = 2\n+b = 3\n\
                 --- /dev/null\n+++ b/c.yaml\n@@ -0,0 +1 @@\n+a: [\n";
    let result = value(apply_patch(&f, patch));
    assert_eq!(result["files"][0]["syntax"]["line"], 3);
    assert_eq!(result["files"][1].get("syntax"), None, "the error was there before");
    assert_eq!(result["files"][2]["syntax"]["language"], "yaml");
    let fixed = file(f.handlers.patch(replacing("a.json", "2,", "2", false), &f.call()));
    assert_eq!(fixed.get("syntax"), None);
    let broken = file(f.handlers.patch(replacing("a.json", "2", "", false), &f.call()));
    assert_eq!(broken["syntax"]["line"], 3);
}

/// Files with every kind of lines, and the same edit in a text that has two spaces per level and `\n`.
const STYLES: [(&str, &str); 6] = [
    ("fn f() {\n    if x {\n        a();\n    }\n}\n", "fn f() {\n    if x {\n        b();\n        c();\n    }\n}\n"),
    ("fn f() {\n\tif x {\n\t\ta();\n\t}\n}\n", "fn f() {\n\tif x {\n\t\tb();\n\t\tc();\n\t}\n}\n"),
    ("fn f() {\n  if x {\n    a();\n  }\n}\n", "fn f() {\n  if x {\n    b();\n    c();\n  }\n}\n"),
    (
        "fn f() {\r\n    if x {\r\n        a();\r\n    }\r\n}\r\n",
        "fn f() {\r\n    if x {\r\n        b();\r\n        c();\r\n    }\r\n}\r\n",
    ),
    (
        "\u{feff}fn f() {\r\n\tif x {\r\n\t\ta();\r\n\t}\r\n}",
        "\u{feff}fn f() {\r\n\tif x {\r\n\t\tb();\r\n\t\tc();\r\n\t}\r\n}",
    ),
    (
        "\u{feff}fn f() {\n    if x {\r\n        a();\r\n    }\n}\n",
        "\u{feff}fn f() {\n    if x {\r\n        b();\r\n        c();\r\n    }\n}\n",
    ),
];

#[test]
fn every_mode_and_form_keeps_endings_marks_and_indentation() {
    let f = fixture();
    let hunk = " fn f() {\n   if x {\n-    a();\n+    b();\n+    c();\n   }\n";
    let patches = [
        format!("--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,5 @@\n{hunk}"),
        format!("--- a/a.txt\r\n+++ b/a.txt\r\n@@ -1,4 +1,5 @@\r\n{}", hunk.replace('\n', "\r\n")),
        format!("*** Begin Patch\n*** Update File: a.txt\n@@\n{hunk}*** End Patch\n"),
        "a.txt\n<<<<<<< SEARCH\n  if x {\n    a();\n=======\n  if x {\n    b();\n    c();\n>>>>>>> REPLACE\n"
            .to_owned(),
    ];
    for (before, after) in STYLES {
        for patch in &patches {
            f.put("a.txt", before);
            apply_patch(&f, patch).unwrap_or_else(|error| panic!("{before:?}\n{patch}\n{error}"));
            assert_eq!(f.get("a.txt"), after, "{patch}");
        }
        f.put("a.txt", before);
        patch(&f, "  if x {\n    a();\n", "  if x {\n    b();\n    c();\n", false).unwrap();
        assert_eq!(f.get("a.txt"), after);
    }
}

#[test]
fn a_created_file_has_the_lines_of_the_patch() {
    let f = fixture();
    apply_patch(&f, "*** Begin Patch\r\n*** Add File: a.txt\r\n+a\r\n+b\r\n*** End Patch\r\n").unwrap();
    assert_eq!(f.get("a.txt"), "a\nb\n");
}

#[test]
fn line_numbers_of_a_result_are_refused_unless_the_file_has_them() {
    let f = fixture();
    let refused = "begins with a line number and a bar";
    f.put("a.txt", "x = 1\ny = 2\n");
    let replaced = |old: &str, new: &str| {
        let args = Args {
            old_string: Some(old.into()),
            new_string: Some(new.into()),
            mode: Mode::Replace,
            path: Some("a.txt".into()),
            replace_all: false,
            patch: None,
        };
        f.handlers.patch(args, &f.call())
    };
    assert_reply!(replaced("     1|x = 1", "x = 3"), Err(Refused, refused));
    assert_reply!(replaced("x = 1\ny = 2", "     1|x = 3\n     2|y = 2"), Err(Refused, refused));
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-x = 1\n+     1|x = 3\n y = 2\n";
    assert_reply!(f.handlers.patch(applying(diff), &f.call()), Err(Refused, refused));
    let new = "*** Begin Patch\n*** Add File: b.txt\n+     1|x\n+     2|y\n*** End Patch\n";
    assert_reply!(f.handlers.patch(applying(new), &f.call()), Err(Refused, refused));
    assert_eq!(f.get("a.txt"), "x = 1\ny = 2\n");
    f.put("a.txt", "     1|x = 1\n     2|y = 2\n");
    replaced("     1|x = 1", "     1|x = 3").unwrap();
    assert_eq!(f.get("a.txt"), "     1|x = 3\n     2|y = 2\n");
}
