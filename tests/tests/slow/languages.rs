//! The runtimes in Python and TypeScript: their own tests, random rows of vectors, and the checkers of types on the modules that gen writes.
//!
//! `TOOLC_TOOLS` sets how many random tools the rows are about. A tool has about thirty cases.

#[path = "../../vectors/mod.rs"]
mod vectors;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use toolc_test_support::packages;

use crate::python::in_tests;

pub(crate) const MYPY: &str = "mypy==2.4.1\n";
pub(crate) const PYRIGHT: &str = "pyright@1.1.414\n";
/// The random tools of the rows, and the tools of one run of the generator.
const TOOLS: usize = 100;
const PER_RUN: usize = 100;

/// The path of a folder of the repository.
pub(crate) fn folder(name: &str) -> PathBuf {
    in_tests("..").join(name)
}

/// Returns random rows of vectors, and rows of calls of the leaderboard, if its data can be had.
fn rows() -> String {
    let tools = std::env::var("TOOLC_TOOLS").map_or(TOOLS, |count| count.parse().expect("TOOLC_TOOLS is a number"));
    let seed: u64 = std::env::var("TOOLC_SEED").map_or(2, |seed| seed.parse().expect("TOOLC_SEED is a number"));
    let mut rows = String::new();
    for (run, seed) in (0..tools.div_ceil(PER_RUN)).zip(seed..) {
        for row in vectors::random((tools - run * PER_RUN).min(PER_RUN), seed) {
            let _ = writeln!(rows, "{row}");
        }
    }
    for (compilation, sent) in crate::bfcl::calls_of_others().unwrap_or_default() {
        if let Some(catalog) = compilation.catalog {
            let _ = writeln!(rows, "{}", vectors::reading::of_only_tool(&catalog, sent));
        }
    }
    rows
}

/// Runs a program with a text as its input. Returns what it prints, or the error.
fn run_with(command: &mut Command, input: &str) -> Result<String, String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().expect("it was asked for");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()));
        child.wait_with_output()
    });
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(text) }
}

/// Returns the interpreter of Python, or `None` if there is none.
pub(crate) fn python() -> Option<PathBuf> {
    let name = if cfg!(windows) { "python" } else { "python3" };
    let check = "import sys; sys.exit(sys.version_info < (3, 10))";
    match packages::run(Command::new(name).args(["-c", check])) {
        Ok(_) => Some(name.into()),
        Err(why) => {
            packages::missing("no Python from 3.10", &why);
            None
        }
    }
}

/// Returns the packages that a `package.json` asks for, one a line. Those of a folder are left out.
fn wanted_packages(path: &str, key: &str) -> Result<String, String> {
    let package = fs::read_to_string(folder(path)).map_err(|error| error.to_string())?;
    let package: serde_json::Value = serde_json::from_str(&package).map_err(|error| error.to_string())?;
    let mut lines = String::new();
    for (name, version) in package[key].as_object().into_iter().flatten() {
        if let Some(version) = version.as_str().filter(|version| !version.starts_with("file:")) {
            let _ = writeln!(lines, "{name}@{version}");
        }
    }
    Ok(lines)
}

/// Returns a copy of `typescript/` with the packages that it is developed with, compiled; `None` if they cannot be installed.
pub(crate) fn typescript() -> Option<&'static Path> {
    static BUILT: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
        let installed =
            packages::npm("runtime-typescript", &wanted_packages("typescript/package.json", "devDependencies")?)?;
        // Its tests find the vectors from there, as in the repository.
        let copy = installed.join("typescript");
        copy_folder(&folder("typescript"), &copy);
        copy_folder(&in_tests("vectors"), &installed.join("tests/vectors"));
        copy_folder(&folder("docs/export"), &installed.join("docs/export"));
        packages::run(
            Command::new("node")
                .arg(installed.join("node_modules/typescript/bin/tsc"))
                .args(["-p", "."])
                .current_dir(&copy),
        )?;
        Ok(copy)
    });
    match &*BUILT {
        Ok(folder) => Some(folder),
        Err(why) => {
            packages::missing("no TypeScript for its runtime", why);
            None
        }
    }
}

/// Copies the files of a folder, except for installed packages and compiled files.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    copy(from, to, &["node_modules", "dist"]);
}

/// Copies the files of a folder, except in folders with these names.
pub(crate) fn copy(from: &Path, to: &Path, except: &[&str]) {
    fs::create_dir_all(to).expect("the folder can be made");
    for entry in fs::read_dir(from).expect("the folder exists") {
        let entry = entry.expect("the folder can be read");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() && !except.iter().any(|name| entry.file_name() == *name) {
            copy(&path, &target, except);
        } else if path.is_file() {
            fs::copy(&path, &target).expect("the file can be copied");
        }
    }
}

#[test]
fn the_vectors_of_other_languages_are_up_to_date() {
    for (name, text) in vectors::files() {
        let written = fs::read_to_string(vectors::folder().join(name)).unwrap_or_default();
        let line = text.lines().zip(written.lines()).position(|(now, before)| now != before);
        assert!(
            text == written,
            "tests/vectors/{name} differs in line {}: run `cargo run -p toolc-tests --example vectors`",
            line.unwrap_or_else(|| text.lines().count().min(written.lines().count())) + 1
        );
    }
}

#[test]
fn the_modules_of_the_examples_are_up_to_date() {
    for (examples, module) in [
        ("python/examples", "shop/__init__.py"),
        ("python/examples", "shop/client.py"),
        ("typescript/examples", "src/notes-tools/index.ts"),
    ] {
        let copied = tempfile::tempdir().expect("there is a folder for temporary files");
        copy_folder(&folder(examples), copied.path());
        let root = copied.path().to_str().expect("the path is Unicode");
        let (status, _, err) = toolc_codegen::cli::capture(["--root", root, "gen"]);
        assert_eq!(status, 0, "{err}");
        let read = |folder: &Path| fs::read_to_string(folder.join(module)).expect("the module exists");
        assert!(
            read(copied.path()) == read(&folder(examples)),
            "{examples}/{module} is out of date: run `cargo xtask gen --root {examples}`"
        );
    }
}

#[test]
fn the_runtime_in_python_passes_its_tests() {
    let Some(python) = python() else { return };
    let mut command = Command::new(python);
    command.args(["-m", "unittest", "discover", "--start-directory", "tests"]).env("PYTHONPATH", "src");
    packages::run(command.current_dir(folder("python"))).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn the_runtime_in_python_reads_random_arguments_as_rust_does() {
    let Some(python) = python() else { return };
    let mut command = Command::new(python);
    command.arg("tests/differential.py").current_dir(folder("python"));
    run_with(&mut command, &rows()).unwrap_or_else(|differences| panic!("{differences}"));
}

#[test]
fn the_adapters_in_python_fit_the_libraries_of_vendors() {
    let folder = folder("python");
    let requirements =
        fs::read_to_string(folder.join("tests/libraries/requirements.txt")).expect("the file is committed");
    let interpreter = match packages::python("libraries-of-vendors", &requirements) {
        Ok(interpreter) => interpreter,
        Err(why) => return packages::missing("no libraries of vendors", &why),
    };
    let mut command = Command::new(interpreter);
    command.args(["-m", "unittest", "discover", "--start-directory", "tests/libraries"]).current_dir(folder);
    packages::run(&mut command).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn the_runtime_in_typescript_passes_its_tests_and_checks() {
    let Some(folder) = typescript() else { return };
    let tests = fs::read_dir(folder.join("test")).expect("there are tests").filter_map(|entry| {
        let path = entry.ok()?.path();
        path.to_str()?.ends_with(".test.js").then_some(path)
    });
    let mut command = Command::new("node");
    command.arg("--test").args(tests).current_dir(folder);
    packages::run(&mut command).unwrap_or_else(|why| panic!("{why}"));
    for (program, args) in [
        ("typescript/bin/tsc", ["-p", "tsconfig.core.json"]),
        ("typescript/bin/tsc", ["-p", "tsconfig.test.json"]),
        ("eslint/bin/eslint.js", ["--max-warnings=0", "."]),
    ] {
        let program = folder.join("../node_modules").join(program);
        let mut command = Command::new("node");
        packages::run(command.arg(program).args(args).current_dir(folder)).unwrap_or_else(|why| panic!("{why}"));
    }
}

#[test]
fn the_adapters_in_typescript_fit_the_libraries_of_vendors() {
    let Some(runtime) = typescript() else { return };
    let wanted = wanted_packages("typescript/test/libraries/package.json", "dependencies");
    let installed = match wanted.and_then(|wanted| packages::npm("libraries-typescript", &wanted)) {
        Ok(installed) => installed,
        Err(why) => return packages::missing("no libraries of vendors", &why),
    };
    let package = installed.join("node_modules/@toolc/runtime");
    copy_folder(runtime, &package);
    copy(&runtime.join("dist"), &package.join("dist"), &[]);
    // The tests find the vectors, the examples and the guide from there, as in the repository.
    let copy = installed.join("typescript");
    copy_folder(runtime, &copy);
    copy_folder(&in_tests("vectors"), &installed.join("tests/vectors"));
    fs::create_dir_all(installed.join("docs")).expect("the folder can be made");
    let guide = "docs/languages-typescript.md";
    fs::copy(folder(guide), installed.join(guide)).expect("the guide can be copied");
    let tests = copy.join("test/libraries");
    let node = |args: &[&str]| {
        packages::run(Command::new("node").args(args).current_dir(&tests)).unwrap_or_else(|why| panic!("{why}"));
    };
    node(&["prepare.js"]);
    node(&["../../../node_modules/typescript/bin/tsc", "-p", "."]);
    let compiled = fs::read_dir(tests.join("dist")).expect("the tests are compiled").filter_map(|entry| {
        let path = entry.ok()?.path();
        path.to_str().filter(|path| path.ends_with(".test.js")).map(str::to_owned)
    });
    let compiled: Vec<String> = compiled.collect();
    assert!(!compiled.is_empty());
    node(&iter::once("--test").chain(compiled.iter().map(String::as_str)).collect::<Vec<_>>());
}

#[test]
fn the_runtime_in_typescript_reads_random_arguments_as_rust_does() {
    let Some(folder) = typescript() else { return };
    let mut command = Command::new("node");
    command.arg("scripts/compare.js").current_dir(folder);
    run_with(&mut command, &rows()).unwrap_or_else(|differences| panic!("{differences}"));
}

/// Writes the modules of the golden project in both languages to a copy of it, and returns the copy.
fn generated() -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("there is a folder for temporary files");
    copy_folder(&in_tests("projects/golden"), copy.path());
    let root = copy.path().to_str().expect("the path is Unicode");
    let args = ["--root", root, "gen", "--python", "python/golden", "--typescript", "typescript/golden"];
    let (status, _, err) = toolc_codegen::cli::capture(args);
    assert_eq!(status, 0, "{err}");
    copy
}

#[test]
fn the_generated_module_in_python_is_clean_and_loads() {
    let checkers = packages::python("mypy", MYPY).and_then(|mypy| Ok((mypy, packages::npm("pyright", PYRIGHT)?)));
    let (interpreter, pyright) = match checkers {
        Ok(checkers) => checkers,
        Err(why) => return packages::missing("no mypy and pyright", &why),
    };
    let (project, sources) = (generated(), folder("python/src"));
    let module = project.path().join("python");
    let run = |args: &[&str]| {
        let mut command = Command::new(&interpreter);
        command.args(args).env("MYPYPATH", &sources).env("PYTHONPATH", &sources).current_dir(&module);
        packages::run(&mut command).unwrap_or_else(|why| panic!("{why}"))
    };
    for version in ["3.10", "3.14"] {
        run(&["-m", "mypy", "--strict", "--python-version", version, "golden"]);
    }
    let settings = serde_json::json!({
        "include": ["golden"], "extraPaths": [sources], "typeCheckingMode": "strict", "pythonVersion": "3.10",
    });
    fs::write(module.join("pyrightconfig.json"), settings.to_string()).expect("the folder can be written to");
    let mut command = Command::new("node");
    command.arg(pyright.join("node_modules/pyright/index.js")).current_dir(&module);
    packages::run(&mut command).unwrap_or_else(|why| panic!("{why}"));
    let program = "import golden; print(len(golden.catalog.turn('openai').definitions))";
    assert!(run(&["-c", program]).parse::<usize>().expect("a number") > 20);
}

/// Calls tools through the client in Python, as a server of MCP returns their results: only objects are values.
const PYTHON_CLIENT: &str = r#"
from golden import client
texts = {"only_code": "[1, 2]", "return_maybe": "null", "return_word": "[1]", "count_words": '{"a": 1}'}
client.connect(lambda tool, arguments: texts[tool])
assert client.only_code(2) == [1, 2]
assert client.return_maybe(False) == None
assert client.return_word() == "[1]", "a result that can be a text stays one"
assert client.count_words({"first": "a"}) == {"a": 1}
texts["only_code"] = "[1, "
try:
    client.only_code(2)
except client.ToolError as error:
    assert "the result of `only_code` must be JSON" in str(error), error
else:
    raise AssertionError("a text that is not JSON is an error")
"#;

#[test]
fn the_generated_client_in_python_reads_results_that_arrive_as_text() {
    let Some(python) = python() else { return };
    let project = generated();
    let mut command = Command::new(python);
    command.args(["-c", PYTHON_CLIENT]).env("PYTHONPATH", folder("python/src"));
    command.current_dir(project.path().join("python"));
    packages::run(&mut command).unwrap_or_else(|why| panic!("{why}"));
}

/// Calls tools through the client in TypeScript, as [`PYTHON_CLIENT`] does, with nested objects whose defaults are left out.
const TYPESCRIPT_CLIENT: &str = r#"
import { type Client, client } from "./index.ts";
export async function results(texts: Record<string, unknown>): Promise<unknown[]> {
  const tools: Client = client(async (tool) => texts[tool]);
  const numbers: (number | bigint)[] = await tools.only_code({ count: 2 });
  const maybe: { id: number | bigint } | null = await tools.return_maybe({ found: false });
  const counts: Record<string, number | bigint> = await tools.count_words({ texts: { first: "a" } });
  return [numbers, maybe, counts, await tools.return_word({}), await tools.every_default({ record: { name: "a" }, records: [{ id: 1 }] })];
}
"#;

#[test]
fn the_generated_module_in_typescript_is_clean_and_loads() {
    let Some(runtime) = typescript() else { return };
    let project = generated();
    let module = project.path().join("typescript");
    // As an installed package.
    let installed = module.join("node_modules/@toolc/runtime");
    copy_folder(runtime, &installed);
    copy(&runtime.join("dist"), &installed.join("dist"), &[]);
    let settings = serde_json::json!({
        "compilerOptions": {
            "strict": true, "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "module": "nodenext", "target": "es2022",
            "types": [], "rootDir": "golden", "outDir": "out", "skipLibCheck": false, "rewriteRelativeImportExtensions": true,
        },
        "include": ["golden"],
    });
    fs::write(module.join("tsconfig.json"), settings.to_string()).expect("the folder can be written to");
    fs::write(module.join("package.json"), r#"{"type":"module"}"#).expect("the folder can be written to");
    let node = |args: &[&std::ffi::OsStr]| {
        packages::run(Command::new("node").args(args).current_dir(&module)).unwrap_or_else(|why| panic!("{why}"))
    };
    fs::write(module.join("golden/calls.ts"), TYPESCRIPT_CLIENT).expect("the folder can be written to");
    let compiler = runtime.join("../node_modules/typescript/bin/tsc");
    node(&[compiler.as_os_str(), "-p".as_ref(), ".".as_ref()]);
    let program = "import { catalog } from './out/index.js'; console.log(catalog.turn('openai').definitions.length)";
    let printed = node(&["--input-type=module".as_ref(), "--eval".as_ref(), program.as_ref()]);
    assert!(printed.parse::<usize>().expect("a number") > 20);
    let program = "import { results } from './out/calls.js'; \
        const texts = { only_code: '[1,9007199254740993]', return_maybe: 'null', count_words: { a: 1 }, return_word: '[1]' }; \
        const [numbers, maybe, counts, word] = await results(texts); \
        console.log(numbers[1] === 9007199254740993n, maybe, counts.a, word); \
        await results({ ...texts, only_code: '[1,' }).catch((error) => console.log(String(error)))";
    let printed = node(&["--input-type=module".as_ref(), "--eval".as_ref(), program.as_ref()]);
    let (values, error) = printed.split_once('\n').expect("two lines");
    assert_eq!(values, "true null 1 [1]");
    assert!(error.starts_with("ToolError: the result of `only_code` must be JSON"), "{error}");
}

/// Compares the definitions of each toolset with those that the runtime makes from `compiled.json`, and prints what was compared.
const COMPARISON: &str = r#"
import json, pathlib, sys
from toolc import Catalog
bundle = pathlib.Path(sys.argv[1])
document = json.loads((bundle / "compiled.json").read_text("utf-8"))
catalog = Catalog.parse((bundle / "compiled.json").read_text("utf-8"))
for dialect in document["dialects"]:
    for path in sorted((bundle / "schemas" / dialect / "toolsets").glob("*.json")):
        turn = catalog.turn(dialect, toolsets=[path.stem])
        if not turn.hidden:
            assert turn.definitions == json.loads(path.read_text("utf-8")), (dialect, path.stem)
            print(dialect, path.stem)
"#;

#[test]
fn a_bundle_is_read_by_the_runtime_in_python() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let bundle = folder.path().join("bundle");
    let (root, out) = (in_tests("projects/golden"), bundle.to_str().expect("the path is Unicode"));
    for options in [&[][..], &["--toolset", "less", "--toolset", "lib"]] {
        let args = [&["--root", root.to_str().expect("the path is Unicode"), "export", out], options].concat();
        let (status, _, err) = toolc_codegen::cli::capture(args);
        assert_eq!(status, 0, "{err}");
        let mut command = Command::new(&python);
        command.args(["-c", COMPARISON, out]).env("PYTHONPATH", in_tests("../python/src"));
        let compared = packages::run(&mut command).unwrap_or_else(|why| panic!("{why}"));
        assert!(compared.lines().count() > 5, "{compared}");
    }
}
