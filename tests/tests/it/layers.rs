//! The modules of a crate are layers: each imports only from modules that are listed before it, so that imports have no cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of `codegen/src`, lowest first. `lib` stands for the items that `lib.rs` defines.
const CODEGEN: &[&str] = &[
    "failure",
    "project",
    "names",
    "source",
    "diagnostic",
    "text",
    "conditional_json",
    "schema",
    "markdown",
    "manifest",
    "format",
    "dialects",
    "catalog",
    "check",
    "lower",
    "lint",
    "docs",
    "emit",
    "build_cache",
    "write",
    "lib",
    "fix",
    "report",
    "cli",
];

/// The modules of `runtime/src`, lowest first. `fakes` contains test doubles for unit tests.
const RUNTIME: &[&str] = &[
    "sorted",
    "vec_map",
    "panics",
    "text",
    "data",
    "result",
    "args",
    "run",
    "call",
    "observe",
    "index",
    "provider",
    "stamp",
    "registration",
    "availability",
    "registry",
    "render",
    "session",
    "explain",
    "search",
    "dispatch",
    "wire",
    "lib",
    "__gen",
    "testing",
    "fakes",
];

/// The files of a crate: relative path and text.
type Files = BTreeMap<String, String>;

#[test]
fn codegen_imports_only_from_lower_layers() {
    assert_eq!(violations(&read("codegen/src"), CODEGEN), [""; 0]);
}

#[test]
fn the_runtime_imports_only_from_lower_layers() {
    assert_eq!(violations(&read("runtime/src"), RUNTIME), [""; 0]);
}

fn read(folder: &str) -> Files {
    let mut files = Files::new();
    add_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder), "", &mut files);
    files
}

fn add_files(folder: &Path, prefix: &str, files: &mut Files) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = format!("{prefix}{}", path.file_name().expect("an entry has a name").to_string_lossy());
        if path.is_dir() {
            add_files(&path, &format!("{name}/"), files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.insert(name, fs::read_to_string(&path).expect("the file can be read"));
        }
    }
}

/// Returns a message for each import of a module that is not listed before the importing one, and for each unlisted module.
fn violations(files: &Files, layers: &[&str]) -> Vec<String> {
    let modules: BTreeSet<&str> = files.keys().map(|file| top(file)).collect();
    let rank = |module: &str| layers.iter().position(|layer| *layer == module);
    let mut found: Vec<String> = Vec::new();
    for module in &modules {
        if rank(module).is_none() {
            found.push(format!("`{module}` is missing from the list of layers"));
        }
    }
    for layer in layers.iter().filter(|layer| !modules.contains(*layer)) {
        found.push(format!("unknown module `{layer}`"));
    }
    for (file, text) in files.iter().filter(|(file, _)| !is_test(file)) {
        let own = top(file);
        for (line, name) in imports(file, text) {
            let target = if modules.contains(name.as_str()) { name.as_str() } else { "lib" };
            if target != own && rank(target) >= rank(own) {
                found.push(format!("{file}:{line}: `{own}` imports `{name}`, which is not below it"));
            }
        }
    }
    found
}

/// Returns the top-level module of a file.
fn top(file: &str) -> &str {
    let first = file.split('/').next().unwrap_or(file);
    first.strip_suffix(".rs").unwrap_or(first)
}

fn is_test(file: &str) -> bool {
    file.ends_with("/tests.rs") || file.contains("/tests/")
}

/// Returns the names that a file refers to by `crate::` or `super::`, with their lines.
fn imports(file: &str, text: &str) -> Vec<(usize, String)> {
    let depth = match file.strip_suffix("/mod.rs") {
        Some(folder) => folder.split('/').count(),
        None if file == "lib.rs" => 0,
        None => file.split('/').count(),
    };
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let without_comments = |line: &str| {
        let is_comment = line.trim_start().starts_with("//");
        if is_comment { String::new() } else { line.split(" // ").next().unwrap_or_default().to_owned() }
    };
    let code: String = text.lines().flat_map(|line| [without_comments(line), "\n".to_owned()]).collect();
    let mut found = Vec::new();
    let ups = "super::".repeat(depth);
    for prefix in ["crate::", ups.as_str()].into_iter().filter(|prefix| !prefix.is_empty()) {
        for (at, _) in code.match_indices(prefix) {
            let before = code[..at].chars().next_back();
            let is_path = before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_' && letter != ':');
            if is_path {
                let line = 1 + code[..at].matches('\n').count();
                found.extend(heads(&code[at + prefix.len()..]).into_iter().map(|name| (line, name)));
            }
        }
    }
    found
}

/// Returns the first name of a path, or of each path of a group: `a::b` has `a`, `{a::{b, c}, d}` has `a` and `d`.
fn heads(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    };
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut start, mut heads) = (0, 0, Vec::new());
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                heads.push(name(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                heads.push(name(&group[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    heads.retain(|name| !name.is_empty());
    heads
}

#[test]
fn an_import_from_a_higher_layer_is_found() {
    let files = |text: &str| -> Files {
        let files = [("lib.rs", ""), ("low.rs", ""), ("middle/mod.rs", ""), ("middle/part.rs", text), ("high.rs", "")];
        files.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
    };
    let layers = ["low", "middle", "lib", "high"];
    let found = |text: &str| violations(&files(text), &layers);
    for text in [
        "use crate::low::Value;",
        "use super::other;\nuse crate::{low::{self, Value}, middle};",
        "/// See [`high`](crate::high).\nfn f() {} // crate::high",
        "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::high;\n}\n",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
    for text in [
        "use crate::high::Value;",
        "use crate::{\n    low,\n    high::Value,\n};",
        "fn f() -> crate::high::Value {}",
        "use super::super::high;",
        "macro_rules! m { () => { $crate::high::f() } }",
    ] {
        let found = found(text);
        assert!(found.len() == 1 && found[0].contains("`middle` imports `high`"), "{text}: {found:?}");
    }
    let found = found("use crate::compile;");
    assert!(found.len() == 1 && found[0].contains("`middle` imports `compile`"), "{found:?}");
}

#[test]
fn every_module_is_in_the_list_of_layers() {
    let files: Files = [("a.rs".to_owned(), String::new()), ("b.rs".to_owned(), String::new())].into();
    assert_eq!(violations(&files, &["a"]), ["`b` is missing from the list of layers"]);
    assert_eq!(violations(&files, &["a", "b", "c"]), ["unknown module `c`"]);
}
