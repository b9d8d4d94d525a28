//! `toolc::__gen` is for generated code and the compiler: it may change with every version. Other crates use the public modules.

use std::fs;
use std::path::Path;

use ignore::WalkBuilder;

/// The name of the module.
const MODULE: &str = concat!("__", "gen");
/// The folders that may use it.
const FOLDERS: &[&str] = &["codegen", "fuzz", "generated", "lower", "runtime", "tests"];

#[test]
fn only_generated_code_and_the_compiler_use_the_hidden_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the folder exists");
    let files = WalkBuilder::new(&root).require_git(false).build().flatten().map(ignore::DirEntry::into_path);
    let mut uses = 0;
    let mut found = Vec::new();
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let text = fs::read_to_string(&path).expect("a source file can be read");
        if !text.contains(MODULE) {
            continue;
        }
        uses += 1;
        let path = path.strip_prefix(&root).expect("the file is in the folder");
        if !FOLDERS.iter().any(|folder| path.starts_with(folder)) {
            found.push(path.display().to_string());
        }
    }
    assert_eq!(found, [""; 0], "these use `toolc::{MODULE}`");
    assert!(uses > FOLDERS.len(), "the search finds the uses of the compiler");
}
