//! The modules of a crate are layers: each imports only from modules that are listed before it. Within a module, the imports of
//! its files have no cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of `codegen/src`, lowest first. `lib` stands for the items that `lib.rs` defines.
const CODEGEN: &[&str] = &[
    "visible",
    "failure",
    "timings",
    "project",
    "names",
    "source",
    "diagnostic",
    "text",
    "conditional_json",
    "schema",
    "markdown",
    "manifest",
    "document",
    "format",
    "dialects",
    "catalog",
    "commands",
    "check",
    "lower",
    "lint",
    "emit",
    "build_cache",
    "write",
    "lib",
    "docs",
    "fix",
    "report",
    "scaffold",
    "cli",
];

/// The modules of `runtime/src`, lowest first. `fakes` contains test doubles for unit tests.
const RUNTIME: &[&str] = &[
    "sorted",
    "vec_map",
    "panics",
    "text",
    "typescript",
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

/// The modules of `commands/src`, lowest first.
const COMMANDS: &[&str] = &[
    "span",
    "work",
    "characters",
    "certainty",
    "words",
    "doubt",
    "syntax",
    "scripts",
    "programs",
    "reading",
    "exact",
    "flags",
    "unfold",
    "passwords",
    "rules",
    "judge",
    "lib",
];

#[test]
fn the_reader_of_commands_imports_only_from_lower_layers() {
    assert_eq!(violations(&read("commands/src"), COMMANDS), [""; 0]);
}

#[test]
fn imports_between_files_have_no_cycle() {
    for folder in [
        "codegen/src",
        "runtime/src",
        "commands/src",
        "cli/src",
        "plugins/src",
        "mcp/src",
        "process/src",
        "environment/src",
    ] {
        assert_eq!(cycles(&read(folder)), [""; 0], "{folder}");
    }
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
    let paths = paths(file, text).into_iter();
    let heads = paths.filter_map(|(line, path)| Some((line, path.into_iter().next()?)));
    let mut heads: Vec<(usize, String)> = heads.collect();
    heads.dedup();
    heads
}

/// Returns the paths from the root of the crate that a file refers to by `crate::` or `super::`, with their lines.
fn paths(file: &str, text: &str) -> Vec<(usize, Vec<String>)> {
    let module = module_path(file);
    let text = text.split("\nmod tests {").next().unwrap_or_default();
    let without_comments = |line: &str| {
        let is_comment = line.trim_start().starts_with("//");
        if is_comment { String::new() } else { line.split(" // ").next().unwrap_or_default().to_owned() }
    };
    let code: String = text.lines().flat_map(|line| [without_comments(line), "\n".to_owned()]).collect();
    let mut found = Vec::new();
    let mut add = |at: usize, prefix: &[&str], path: &str| {
        let before = code[..at].chars().next_back();
        if before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_' && letter != ':') {
            let line = 1 + code[..at].matches('\n').count();
            let prefix: Vec<String> = prefix.iter().map(|&name| name.to_owned()).collect();
            add_paths(path, &prefix, &mut |path| found.push((line, path)));
        }
    };
    for (at, prefix) in code.match_indices("crate::") {
        add(at, &[], &code[at + prefix.len()..]);
    }
    for (at, _) in code.match_indices("super::") {
        let mut rest = &code[at..];
        let mut ups = 0;
        while let Some(shorter) = rest.strip_prefix("super::") {
            (rest, ups) = (shorter, ups + 1);
        }
        if let Some(depth) = module.len().checked_sub(ups) {
            add(at, &module[..depth], rest);
        }
    }
    found.sort();
    found
}

/// Returns the path of a file's module.
fn module_path(file: &str) -> Vec<&str> {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" { Vec::new() } else { path.split('/').collect() }
}

/// Expands the beginning of `text`, a path or a group of paths: `a::{b, c::d}` is `a::b` and `a::c::d`. Returns the rest.
fn add_paths<'t>(text: &'t str, prefix: &[String], add: &mut dyn FnMut(Vec<String>)) -> &'t str {
    let mut text = text.trim_start();
    if let Some(group) = text.strip_prefix('{') {
        text = group.trim_start();
        while !text.is_empty() && !text.starts_with('}') {
            let rest = add_paths(text, prefix, add).trim_start();
            // Another token, such as `as` or `*`: the rest up to the next item.
            let end = rest.find([',', '}']).unwrap_or(rest.len());
            text = rest[end..].strip_prefix(',').unwrap_or(&rest[end..]).trim_start();
        }
        return text.strip_prefix('}').unwrap_or(text);
    }
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = [prefix, &[name.to_owned()]].concat();
    match rest.strip_prefix("::") {
        Some(rest) if !name.is_empty() => add_paths(rest, &path, add),
        _ => {
            add(if name.is_empty() || name == "self" { prefix.to_vec() } else { path });
            rest
        }
    }
}

/// Returns each cycle of imports between the files of a crate, as text.
fn cycles(files: &Files) -> Vec<String> {
    let file_of = |path: &[String]| -> Option<&str> {
        let candidates = (1..=path.len()).rev().flat_map(|length| {
            let path = path[..length].join("/");
            [format!("{path}.rs"), format!("{path}/mod.rs")]
        });
        candidates.into_iter().find_map(|file| files.get_key_value(&file)).map(|(file, _)| file.as_str())
    };
    let names: Vec<&str> = files.keys().map(String::as_str).filter(|file| !is_test(file)).collect();
    let position = |file: &str| names.binary_search(&file).expect("targets are not tests");
    let edges = |file: usize| {
        let file = names[file];
        let mut targets = BTreeMap::new();
        for (line, path) in paths(file, &files[file]) {
            if let Some(target) = file_of(&path).filter(|target| *target != file && !is_test(target)) {
                targets.entry(position(target)).or_insert(line);
            }
        }
        targets.into_iter().collect()
    };
    let text = |cycle: Vec<(usize, usize)>| {
        let steps: Vec<String> = cycle.iter().map(|(file, line)| format!("{}:{line}", names[*file])).collect();
        steps.join(" -> ")
    };
    toolc::__gen::graph::cycles(0..names.len(), edges).into_iter().map(text).collect()
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

#[test]
fn a_cycle_of_imports_between_files_is_found() {
    let found = |texts: [&str; 3]| {
        let files = ["lib.rs", "part/mod.rs", "part/one.rs", "part/two.rs"].into_iter();
        let texts = [""].into_iter().chain(texts);
        cycles(&files.zip(texts).map(|(path, text)| (path.to_owned(), text.to_owned())).collect())
    };
    assert_eq!(found(["mod one;\nmod two;", "use super::two::Two;", "use crate::{part::Part};"]), [""; 0]);
    assert_eq!(
        found(["", "use super::two::{self, Two};", "fn f() {}\nuse crate::{part::one::{A, B as C}};"]),
        ["part/one.rs:1 -> part/two.rs:2"]
    );
    assert_eq!(found(["use crate::part::two::Two;", "", "use super::Part;"]), ["part/mod.rs:1 -> part/two.rs:1"]);
}
