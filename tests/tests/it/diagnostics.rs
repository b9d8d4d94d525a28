//! Every diagnostic, as the author of a manifest sees it: for each mistake there is a project that has it and the same project
//! without it.
//!
//! `diagnostics/CODE-name/MISTAKE.txt` holds both, file by file below a line `--- broken PATH` or `--- fixed PATH`.
//! `MISTAKE.snap` next to it contains the rendered diagnostic. Files that a fixture does not contain come from
//! `diagnostics/base.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toolc_codegen::compile_with;
use toolc_codegen::diagnostic::codes;
use toolc_codegen::diagnostic::{Code, Renderer};
use toolc_codegen::lint::{Options, all_codes};
use toolc_codegen::source::Sources;
use toolc_tests::fixture;
use toolc_tests::random::Random;

/// Returns the folder of a code's fixtures.
fn folder(code: Code) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("diagnostics/{}-{}", code.id, code.name))
}

/// Returns the entries of a folder, or nothing if it does not exist.
fn paths(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.expect("failed to read a folder").path()).collect()
}

type Files = BTreeMap<String, String>;

/// A project without mistakes, for the files that a fixture does not contain.
const BASE: &str = include_str!("../../diagnostics/base.txt");

/// Returns the project of one version of a fixture, `broken` or `fixed`.
fn project(fixture: &str, version: &str) -> Files {
    let prefix = format!("{version} ");
    let select = |(path, text): (&str, &str)| Some((path.strip_prefix(&prefix)?.to_owned(), text.to_owned()));
    let files: Files = fixture::files(fixture).into_iter().filter_map(select).collect();
    assert!(!files.is_empty(), "the fixture has no {version} file");
    fixture::owned_files(BASE).chain(files).collect()
}

/// Returns the codes of all errors and of the findings of `rule`, and the diagnostics as text.
fn findings(rule: Code, files: impl IntoIterator<Item = (String, String)>) -> (Vec<Code>, String) {
    let sources = Sources::from_memory(files);
    let renderer = Renderer::new(&sources, false);
    let found = compile_with(&sources, &Options::only(rule)).diagnostics;
    let texts: Vec<String> = found.iter().map(|found| renderer.render(found)).collect();
    (found.iter().map(|found| found.code).collect(), texts.join("\n\n"))
}

#[test]
fn every_mistake_is_reported_as_its_snapshot_says_and_can_be_fixed() {
    let mut failures = String::new();
    for code in all_codes() {
        let mut fixtures = paths(&folder(code));
        fixtures.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
        if fixtures.is_empty() && code.is_fixed() {
            failures += &format!("\n{}: no fixture\n", folder(code).display());
        }
        for path in fixtures {
            let fixture = std::fs::read_to_string(&path).expect("failed to read");
            let (codes, texts) = findings(code, project(&fixture, "broken"));
            if codes.is_empty() || codes.iter().any(|found| *found != code) {
                failures += &format!("\n{}: expected only {}, got:\n{texts}\n", path.display(), code.id);
                continue;
            }
            let mistake = path.file_stem().expect("a file has a name").to_string_lossy();
            insta::with_settings!({
                snapshot_path => folder(code), prepend_module_to_snapshot => false, omit_expression => true,
            }, { insta::assert_snapshot!(&*mistake, texts) });

            let (_, texts) = findings(code, project(&fixture, "fixed"));
            if !texts.is_empty() {
                failures += &format!("\n{}: the fixed version has findings:\n{texts}\n", path.display());
            }
        }
    }
    assert_eq!(failures, "");
}

#[test]
fn every_fixture_belongs_to_a_code_and_every_snapshot_to_a_fixture() {
    let folders: BTreeSet<PathBuf> = all_codes().map(folder).collect();
    let mut found = paths(&Path::new(env!("CARGO_MANIFEST_DIR")).join("diagnostics"));
    found.retain(|path| path.is_dir());
    let unknown: Vec<_> = found.difference(&folders).collect();
    assert!(unknown.is_empty(), "folders without a code: {unknown:?}");
    let mut snapshots: BTreeSet<PathBuf> = folders.iter().flat_map(|folder| paths(folder)).collect();
    snapshots.retain(|path| path.extension().is_some_and(|extension| extension == "snap"));
    let orphans: Vec<_> = snapshots.iter().filter(|path| !path.with_extension("txt").exists()).collect();
    assert!(orphans.is_empty(), "snapshots without a fixture: {orphans:?}");
}

/// Several mistakes at once. Consequences of a mistake are not reported.
const SEVERAL_MISTAKES: &str = r#"
--- tools/slip.toml
name = "slip"
toolset = "fiel"
description = "Its home is misspelt."
--- tools/default.toml
name = "default"
toolset = "file"
description = "Its default is bad."

[params.count]
type = "integer"
description = "How many."
minimum = 1
default = 0
--- tools/torn.toml
name = "torn"
toolset = "file
description = "A quote is missing."
--- tools/renamed.toml
name = "another"
toolset = "file"
description = "It was renamed by half."
--- toolsets/file.toml
name = "file"
description = "Files."
--- toolsets/one.toml
name = "one"
description = "Includes two."
tools = ["torn", "renamed", "defualt"]
includes = ["two"]
--- toolsets/three.toml
name = "three"
description = "Includes one."
includes = ["one", "flie"]
--- toolsets/two.toml
name = "two"
description = "Includes three."
base = "three"
--- toolsets/well.toml
name = "well"
description = "Nothing is wrong with it."
includes = ["file"]
"#;

#[test]
fn one_run_reports_every_mistake_once() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    for (path, text) in fixture::files(SEVERAL_MISTAKES) {
        let path = folder.path().join("manifests").join(path);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("failed to make a folder");
        std::fs::write(path, text).expect("failed to write");
    }
    let root = folder.path().to_str().expect("a temporary folder's path is text");
    let (status, out, err) = toolc_codegen::cli::capture(["--root", root, "lint", "syntax"]);
    assert_eq!((status, err.as_str()), (1, ""));

    let out = out.replace(root, "ROOT");
    let codes = out.lines().filter_map(|line| Some(line.strip_prefix("error[")?.split_once(']')?.0));
    let places = out.lines().filter_map(|line| line.trim_start().strip_prefix("--> ROOT/manifests/"));
    let mut found: Vec<String> = codes.zip(places).map(|(code, place)| format!("{code} {place}")).collect();
    found.sort();
    assert_eq!(
        found,
        [
            "C001 tools/torn.toml:2:11",
            "C006 tools/renamed.toml:1:8",
            "C009 toolsets/one.toml:3:29",
            "C010 tools/slip.toml:2:11",
            "C010 toolsets/three.toml:3:20",
            "C011 toolsets/one.toml:4:13",
            "S003 tools/default.toml:9:11",
        ],
        "{out}"
    );
    assert!(out.ends_with("\n7 errors\n"), "{out}");
    insta::assert_snapshot!(out, @r#"
    error[S003]: this default violates its own schema
     --> ROOT/manifests/tools/default.toml:9:11
      |
    9 | default = 0
      |           ^ 0 is less than the minimum of 1
      |
      = help: change the default, or the schema around it

    error[C006]: the tool `another` is declared in a file named `renamed.toml`
     --> ROOT/manifests/tools/renamed.toml:1:8
      |
    1 | name = "another"
      |        ^^^^^^^^^ expected `renamed`, the file's stem
      |
      = help: rename the file to `another.toml`, or the tool to `renamed`

    error[C010]: unknown home toolset `fiel`
     --> ROOT/manifests/tools/slip.toml:2:11
      |
    2 | toolset = "fiel"
      |           ^^^^^^
      |
      = help: did you mean `file`?
      = help: or declare it in `manifests/toolsets/fiel.toml`

    error[C001]: invalid TOML: unclosed string
     --> ROOT/manifests/tools/torn.toml:2:11
      |
    2 | toolset = "file
      |           ^ opened here
      |
      = help: write `toolset = "file"`
      = help: fix this first: the rest of the file is not checked

    error[C009]: unknown tool `defualt`
     --> ROOT/manifests/toolsets/one.toml:3:29
      |
    3 | tools = ["torn", "renamed", "defualt"]
      |                             ^^^^^^^^^
      |
      = help: did you mean `default`?
      = help: list a tool that is added at run time in `[external]` in `toolc.toml`

    error[C011]: include cycle: one → two → three → one
     --> ROOT/manifests/toolsets/one.toml:4:13
      |
    4 | includes = ["two"]
      |             ^^^^^ `one` includes `two`
      |
     ::: ROOT/manifests/toolsets/two.toml:3:8
      |
    3 | base = "three"
      |        ------- `two` includes `three`
      |
     ::: ROOT/manifests/toolsets/three.toml:3:13
      |
    3 | includes = ["one", "flie"]
      |             ----- `three` includes `one`
      |
      = help: remove one of these

    error[C010]: unknown toolset `flie`
     --> ROOT/manifests/toolsets/three.toml:3:20
      |
    3 | includes = ["one", "flie"]
      |                    ^^^^^^
      |
      = help: did you mean `file`?

    7 errors
    "#);
}

#[test]
fn findings_do_not_depend_on_the_order_of_files() {
    let findings_of = |files: &[(&str, &str)]| {
        findings(codes::SYNTAX, files.iter().map(|(path, text)| (format!("manifests/{path}"), (*text).to_owned())))
    };
    let mut files = fixture::files(SEVERAL_MISTAKES);
    let expected = findings_of(&files);
    for seed in 0..20 {
        Random(seed).shuffle(&mut files);
        assert_eq!(findings_of(&files), expected, "seed {seed}");
    }
}
