//! Unsafe code is in one file.

use std::fs;
use std::path::Path;

use ignore::WalkBuilder;
use regex::Regex;

/// The file, which starts commands in sessions of their own.
const FILE: &str = "process/src/tree/isolate.rs";

/// Returns whether Rust code is unsafe or allows unsafe code.
fn is_unsafe(code: &str) -> bool {
    let pattern = r"\bunsafe\s*(\{|fn\b|impl\b|trait\b|extern\b|\()|\(\s*unsafe_code\b";
    Regex::new(pattern).expect("the pattern is valid").is_match(code)
}

#[test]
fn unsafe_code_is_in_one_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the folder exists");
    let files =
        WalkBuilder::new(&root).require_git(false).hidden(false).build().flatten().map(ignore::DirEntry::into_path);
    let sources = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let found: Vec<String> = sources
        .filter(|path| is_unsafe(&fs::read_to_string(path).unwrap_or_default()))
        .map(|path| path.strip_prefix(&root).expect("the file is in the folder").display().to_string())
        .filter(|path| !path.ends_with("tests/it/unsafe_code.rs"))
        .collect();
    assert_eq!(found, [FILE]);
}

#[test]
fn unsafe_code_is_recognised() {
    for code in [
        "unsafe { f() }",
        "unsafe fn f() {}",
        "unsafe impl Send for T {}",
        "#[unsafe(no_mangle)]",
        "#[allow(unsafe_code)]",
    ] {
        assert!(is_unsafe(code), "{code}");
    }
    for code in ["// unsafe code", "[\"unsafe\"]", "unsafe_count()"] {
        assert!(!is_unsafe(code), "{code}");
    }
}
