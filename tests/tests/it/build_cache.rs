//! The build cache of gen saves work and never changes the output.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toolc_codegen::build_cache::Digests;
use toolc_codegen::cli::capture;
use toolc_codegen::compile;
use toolc_codegen::emit::drafts;
use toolc_codegen::lower::lower;
use toolc_codegen::source::Sources;
use toolc_tests::fixture;

/// Returns the digest of the inputs and the text of each part of each generated file, or `None` if there are errors.
fn output(files: &[(String, String)]) -> Option<BTreeMap<(String, usize), (u64, String)>> {
    let sources = Sources::from_memory(files.iter().cloned());
    let catalog = compile(&sources).catalog?;
    let lowered = lower(&catalog);
    let digests = Digests::new(&sources, &lowered);
    let drafts = drafts(&lowered);
    let parts = drafts.iter().flat_map(|draft| draft.parts.iter().enumerate().map(move |part| (draft, part)));
    Some(
        parts.map(|(draft, (at, part))| ((draft.path.clone(), at), (digests.get(&part.inputs), part.text()))).collect(),
    )
}

/// Manifests that affect the files of other manifests: by requirements, by names and by how tools run.
const MANIFESTS: &str = r#"
--- manifests/facts.toml
[facts.off]
default = false
description = "Never."
--- manifests/env.toml
[env.KEY]
description = "A key."
--- manifests/toolsets/one.toml
name = "one"
description = "One."
includes = ["two"]
--- manifests/toolsets/two.toml
name = "two"
description = "Two."
tags = ["x"]
[requires]
env = ["KEY"]
--- manifests/tools/a.toml
name = "a"
toolset = "one"
description = "A{% if tools.b %} with b{% endif %}{% if tools.c %}: {{ available('c') }}{% endif %}."
--- manifests/tools/b.toml
name = "b"
toolset = "two"
description = "B."
[requires]
when = "facts.off"
--- manifests/tools/c.toml
name = "c"
toolset = "two"
description = "C."
[params.x]
type = "string"
description = "X."
[dialect.openai]
name = "sea"
--- manifests/tools/d.toml
name = "d"
toolset = "one"
execution = "agent"
description = "D."
[requires]
check = true
--- manifests/tools/e.toml
name = "e"
toolset = "two"
emoji = "E"
description = "E."
[requires]
tools = ["b"]
"#;

#[test]
fn parts_with_equal_inputs_have_equal_text() {
    let files: Vec<_> = fixture::owned_files(MANIFESTS).collect();
    let before = output(&files).expect("the project has no errors");
    let (mut unchanged, mut changed_parts) = (0, 0);
    // Remove each line, and change each string.
    for (index, (path, text)) in files.iter().enumerate() {
        for (at, line) in text.lines().enumerate() {
            for other in [None, Some(line.replacen('"', "\"x", 1))] {
                let lines = text.lines().enumerate();
                let lines = lines.filter_map(|(index, line)| if index == at { other.as_deref() } else { Some(line) });
                let mut changed = files.clone();
                changed[index].1 = lines.collect::<Vec<_>>().join("\n");
                let Some(after) = output(&changed) else { continue };
                for (file, (digest, text)) in &after {
                    match before.get(file) {
                        Some((same, old)) if same == digest => {
                            let difference = text.lines().zip(old.lines()).find(|(new, old)| new != old);
                            assert!(text == old, "{path}, {line}: {file:?} differs with equal inputs: {difference:?}");
                            unchanged += 1;
                        }
                        Some((_, old)) if text != old => changed_parts += 1,
                        _ => {}
                    }
                }
            }
        }
    }
    assert!(
        unchanged > changed_parts && changed_parts > 20,
        "{unchanged} parts have equal inputs, {changed_parts} have other text"
    );
}

const PROJECT: &str = r#"
--- manifests/tools/greet.toml
name = "greet"
toolset = "home"
description = "Greets the user."
--- manifests/toolsets/home.toml
name = "home"
description = "Everything."
"#;

/// Creates a project with one tool and a `target` folder, in which gen keeps its cache.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    for (path, text) in fixture::files(PROJECT) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("the path has a folder")).expect("failed to make a folder");
        fs::write(path, text).expect("failed to write");
    }
    fs::create_dir(folder.path().join("target")).expect("failed to make a folder");
    folder
}

fn xtask(root: &Path, args: &[&str]) -> String {
    let root = root.display().to_string();
    let (_, out, errors) = capture(["--root", &root].iter().chain(args).copied());
    out + &errors
}

fn cache_file(root: &Path) -> PathBuf {
    stored(root, "cache").expect("gen stored its cache")
}

fn stored(root: &Path, extension: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(root.join("target/toolc")).ok()?;
    let paths = entries.map(|entry| entry.expect("failed to read a folder").path());
    paths.into_iter().find(|path| path.extension().is_some_and(|found| found == extension))
}

#[test]
fn gen_and_lint_share_what_they_found_and_runs_of_other_rules_keep_nothing() {
    let folder = project();
    let root = folder.path();
    let tool = root.join("manifests/tools/greet.toml");
    let text = fs::read_to_string(&tool).expect("failed to read").replace("Greets the user.", "Greets the user. ");
    fs::write(&tool, text).expect("failed to write");
    xtask(root, &["lint", "--only", "M003"]);
    assert_eq!(stored(root, "findings"), None);
    let first = xtask(root, &["lint"]);
    assert!(first.contains("warning"), "{first}");
    let file = stored(root, "findings").expect("lint stored what it found");
    let kept = fs::read(&file).expect("failed to read");
    xtask(root, &["gen"]);
    xtask(root, &["gen", "--check"]);
    xtask(root, &["lint", "--warn", "M021"]);
    assert_eq!(fs::read(&file).expect("failed to read"), kept);
    assert_eq!(xtask(root, &["lint"]), first);
}

/// Edits a file so that its length and the time of its last change stay the same.
fn forge(path: &Path, from: &str, to: &str) {
    let modified = fs::metadata(path).and_then(|about| about.modified()).expect("failed to read when it was modified");
    let forged = fs::read_to_string(path).expect("failed to read").replace(from, to);
    fs::write(path, forged).expect("failed to write");
    let file = fs::File::options().append(true).open(path).expect("failed to open");
    file.set_modified(modified).expect("failed to set when it was modified");
}

#[test]
fn gen_copies_cached_parts_of_a_file_and_gen_check_compares_each() {
    let folder = project();
    let root = folder.path();
    let tool = |name: &str, text: &str| {
        let manifest = format!("name = \"{name}\"\ntoolset = \"home\"\ndescription = \"{text}\"\n");
        fs::write(root.join(format!("manifests/tools/{name}.toml")), manifest).expect("failed to write");
    };
    tool("call", "Calls the user.");
    tool("meet", "Meets the user.");
    xtask(root, &["gen"]);
    let catalog = root.join("generated/catalog.json");
    forge(&catalog, "Greets", "Meets!");
    tool("call", "Calls the user by name.");
    tool("meet", "Meets a user.");
    xtask(root, &["gen"]);
    let text = fs::read_to_string(&catalog).expect("failed to read");
    for description in ["Calls the user by name.", "Meets! the user.", "Meets a user."] {
        assert!(text.contains(description), "{text}");
    }
    assert!(xtask(root, &["gen", "--check"]).contains("stale: generated/catalog.json"));
    // One more part, so that no cached part is at its place.
    tool("bow", "Bows to the user.");
    xtask(root, &["gen"]);
    assert!(xtask(root, &["gen", "--check"]).contains("up to date"));
}

#[test]
fn gen_skips_cached_parts_and_gen_check_reads_every_file() {
    let folder = project();
    let root = folder.path();
    xtask(root, &["gen"]);
    forge(&root.join("generated/schemas/openai/tools/greet.json"), "Greets", "Meets!");
    assert!(xtask(root, &["gen"]).contains("0 of"), "the file was written again");
    assert!(xtask(root, &["gen", "--check"]).contains("stale: generated/schemas/openai/tools/greet.json"));

    fs::remove_file(cache_file(root)).expect("failed to remove the cache");
    assert!(xtask(root, &["gen"]).contains("1 of"), "the file was not restored");
    assert!(xtask(root, &["gen", "--check"]).contains("up to date"));
}

#[test]
fn gen_repairs_damaged_output_and_a_damaged_cache() {
    let folder = project();
    let root = folder.path();
    xtask(root, &["gen"]);
    let path = root.join("generated/rust/home.rs");
    let whole = fs::read(cache_file(root)).expect("failed to read the cache");
    let assert_repaired = |what: &str| {
        xtask(root, &["gen"]);
        assert!(xtask(root, &["gen", "--check"]).contains("up to date"), "{what}");
    };
    fs::write(&path, "// nothing").expect("failed to write");
    assert_repaired("edited");
    fs::remove_file(&path).expect("failed to remove");
    assert_repaired("removed");
    fs::remove_file(&path).and_then(|()| fs::create_dir(&path)).expect("failed to put a folder there");
    assert_repaired("a folder");
    let beyond = String::from_utf8_lossy(&whole).replace('\t', &format!(" 1 1 {}\t", u64::MAX));
    for (what, bytes) in [
        ("a truncated cache", &whole[..whole.len() / 2]),
        ("not text", &[0xff; 64]),
        ("an old cache", &whole),
        ("parts beyond the file", beyond.as_bytes()),
    ] {
        fs::write(cache_file(root), bytes).expect("failed to write");
        assert_repaired(what);
    }
}
