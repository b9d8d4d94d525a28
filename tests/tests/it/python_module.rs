//! The Python module with the functions of tools: it compiles, its types are correct, and its functions make the calls that they say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use toolc_test_support::packages;
use toolc_test_support::programs::has;

/// The modules that gen has written.
const MODULES: [&str; 2] = ["generated/python/tools.py", "tests/projects/golden/generated/python/tools.py"];

/// The checker of types.
const MYPY: &str = "mypy==1.18.2\n";

fn path(module: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(module)
}

/// Runs Python with a script and a module. `None` if there is no Python.
fn python(script: &str, module: &str) -> Option<Output> {
    if !has("python3") {
        return None;
    }
    let mut command = Command::new("python3");
    command.args(["-I", "-X", "utf8", "-c", script]).arg(path(module)).stdin(Stdio::null()).output().ok()
}

#[track_caller]
fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_module_of_the_shipped_tools_compiles() {
    // Python 3.8 is the oldest version that is supported.
    let script = "\
import ast, sys
tree = ast.parse(open(sys.argv[1], encoding='utf-8').read(), feature_version=(3, 8))
functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith('_')]
assert len(functions) > 3
for function in functions:
    assert ast.get_docstring(function), function.name
names = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
assert len(names) == len(set(names)), names
";
    for module in MODULES {
        let Some(output) = python(script, module) else { return };
        assert_success(&output);
    }
}

#[test]
fn the_types_of_the_module_are_correct() {
    let python = match packages::python("mypy", MYPY) {
        Ok(python) => python,
        Err(why) => return packages::missing("no `mypy`", &why),
    };
    for module in MODULES {
        let cache = tempfile::TempDir::new().expect("failed to make a folder");
        let mut command = Command::new(&python);
        command.args(["-m", "mypy", "--strict", "--no-incremental", "--cache-dir"]).arg(cache.path()).arg(path(module));
        let output = command.output().expect("it has just run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn functions_have_the_types_of_their_schemas() {
    let shipped = fs::read_to_string(path(MODULES[0])).expect("gen has written it");
    let golden = fs::read_to_string(path(MODULES[1])).expect("gen has written it");
    let expected = [
        (&shipped, "def read_file(path: str, offset: int = 1, column: int = 1, limit: int = 500) -> ReadFileResult:"),
        (&shipped, "    total_lines: int | None\n"),
        (&shipped, "    hint: NotRequired[str]\n"),
        (&golden, "def return_list() -> list[ReturnListResultItem]:"),
        (&golden, "def return_maybe(found: bool) -> ReturnMaybeResult | None:"),
        (&golden, "def return_sort(as_: int | str) -> int | str:"),
        (&golden, "level: Literal[1, 2, 3] = 2"),
        (&golden, "whole: int = 4,"),
        (&golden, "words: list[str] | None = None"),
        (&golden, "must_be_told: str | None, "),
        (&golden, "expression: float | str | EveryRefExpression3 | EveryRefExpression4 | None = None"),
        (&golden, "nest: list[Any] | None = None"),
    ];
    for (module, text) in expected {
        assert!(module.contains(text), "missing: {text}");
    }
    assert!(!shipped.contains("prefer read_file"), "a doc string names no tool that the session could lack");
}

#[test]
fn functions_make_the_calls_of_their_tools() {
    let script = "\
import sys
module = {}
exec(compile(open(sys.argv[1], encoding='utf-8').read(), sys.argv[1], 'exec'), module)
odd, types = module['Odd_Names'], module['every_type']
try: odd('x')
except module['ToolError'] as error: assert 'connect' in str(error)
else: assert False
module['connect'](lambda tool, arguments: (tool, arguments))
assert odd('x', _2fa=True, gr__e=1.5) == ('Odd-Names', {'type': 'x', '2fa': True, 'größe': 1.5}), odd('x')
# A required parameter can be null; None for an optional one is not sent.
assert types(True, 1, None, word=None) == ('every_type', {'flag': True, 'count': 1, 'must_be_told': None})
assert module['depends'](first=None)[1].get('first', 'absent') == 'absent'
";
    let Some(output) = python(script, MODULES[1]) else { return };
    assert_success(&output);
}
