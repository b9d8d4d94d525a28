//! Tests of names that cannot be shown as they are, with every tool.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use toolc::testing::assert_reply;
use toolc_catalog::file::{FileTools, patch, read_file, search_files, write_file};

use crate::fixture::{Fixture, fixture, value};

/// Names of files, and how they are shown.
const NAMES: [(&[u8], &str); 6] = [
    (b"a\nb.txt", r"a\x0ab.txt"),
    (b"caf\\xe9.txt", r"caf\x5cxe9.txt"),
    (b"caf\xe9.txt", r"caf\xe9.txt"),
    (b"d\xff/e\x1b.txt", r"d\xff/e\x1b.txt"),
    (b"plain\\name.txt", r"plain\name.txt"),
    (b"~/x.txt", "./~/x.txt"),
];

fn with_names() -> Fixture {
    let f = fixture();
    for (name, _) in NAMES {
        let path = f.dir.path().join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "needle\n").unwrap();
    }
    f
}

fn search(f: &Fixture, path: &str, target: search_files::Target) -> toolc::Value {
    let (pattern, output_mode) = match target {
        search_files::Target::Files => ("*.txt".to_owned(), search_files::OutputMode::Content),
        search_files::Target::Content => ("needle".to_owned(), search_files::OutputMode::FilesOnly),
    };
    let path = path.to_owned();
    let args =
        search_files::Args { pattern, target, path, file_glob: None, output_mode, context: 0, limit: 50, offset: 0 };
    value(f.handlers.search_files(args, &f.call()))["files"].take()
}

#[test]
fn every_tool_shows_and_accepts_one_form() {
    let f = with_names();
    let shown: Vec<_> = NAMES.iter().map(|(_, shown)| *shown).collect();
    let sorted = |mut found: toolc::Value| {
        let mut found: Vec<_> =
            found.as_array_mut().unwrap().iter_mut().map(|name| name.as_str().unwrap().to_owned()).collect();
        found.sort();
        found
    };
    let mut expected: Vec<_> = shown.iter().map(|&name| name.to_owned()).collect();
    expected.sort();
    assert_eq!(sorted(search(&f, ".", search_files::Target::Files)), expected);
    assert_eq!(sorted(search(&f, ".", search_files::Target::Content)), expected);
    for (name, shown) in NAMES {
        let call = f.call();
        let path = || shown.to_owned();
        let read = value(f.handlers.read_file(read_file::Args { path: path(), offset: 1, limit: 1, column: 1 }, &call));
        assert_eq!(read["path"], shown);
        let write = write_file::Args { path: path(), content: "one\n".into() };
        assert_eq!(value(f.handlers.write_file(write, &call))["path"], shown);
        let (old_string, new_string) = (Some("one".into()), Some("two".into()));
        let replace = patch::Args {
            mode: patch::Mode::Replace,
            path: Some(path()),
            old_string,
            new_string,
            replace_all: false,
            patch: None,
        };
        let result = value(f.handlers.patch(replace, &call));
        assert_eq!(result["files"][0]["path"], shown);
        // The reported difference, with other lines, is a patch.
        let diff = result["files"][0]["diff"].as_str().unwrap();
        let changed = diff.replace("-one\n+two\n", "-two\n+three\n");
        let apply = patch::Args {
            mode: patch::Mode::Patch,
            path: None,
            old_string: None,
            new_string: None,
            replace_all: false,
            patch: Some(changed),
        };
        assert_eq!(value(f.handlers.patch(apply, &call))["files"][0]["path"], shown);
        assert_eq!(std::fs::read_to_string(f.dir.path().join(OsStr::from_bytes(name))).unwrap(), "three\n");
        assert_eq!(search(&f, shown, search_files::Target::Files), serde_json::json!([shown]));
    }
}

#[test]
fn errors_show_names_in_this_form() {
    let f = with_names();
    let read = |path: &str| {
        f.handlers.read_file(read_file::Args { path: path.into(), offset: 1, limit: 1, column: 1 }, &f.call())
    };
    assert_reply!(read(r"a\x0ac.txt"), Err(NotFound, r"did you mean `a\x0ab.txt`?"));
    assert_reply!(read(r"d\xff"), Err(Failed, r"`d\xff` is a directory; it contains `e\x1b.txt`"));
    assert_reply!(read(r"d\xff/f\x1b.txt"), Err(NotFound, r"did you mean `d\xff/e\x1b.txt`?"));
    assert_reply!(read(r"absent\x0a"), Err(NotFound, r"`absent\x0a` does not exist"));
    assert_reply!(read(r"a\x00b"), Err(Failed, r"failed to read `a\x00b`"));
}
