//! Handlers in Python and TypeScript that a host in Rust runs: the project in `projects/programs` with its real programs.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc::{Call, Dialect, Env, Registry, ToolCall, ToolOutput, ToolResult, Turn};
use toolc_test_support::packages;
use toolc_tests::programs::{Handlers, LocalTools, NotesProgram, TextsProgram, local, provider};

use crate::languages::{MYPY, PYRIGHT, copy, copy_folder, folder, python, typescript};
use crate::python::in_tests;

/// The handlers in Rust.
struct Local;

impl LocalTools for Local {
    fn where_am_i(&self, _: local::where_am_i::Args, _: &Call<'_>) -> ToolResult {
        ToolOutput::json(&std::process::id())
    }
}

/// Returns a copy of the project.
fn project() -> TempDir {
    let copied = tempfile::tempdir().expect("there is a folder for temporary files");
    copy_folder(&in_tests("projects/programs"), copied.path());
    copied
}

/// Returns a turn of a host of the project in a folder.
fn host(project: &Path) -> Turn {
    let sources = folder("python/src").into_os_string().into_string().expect("the path is Unicode");
    let env = Env::process().with_var("PYTHONPATH", sources).with_var("NOTES_KEY", "the-secret-key");
    let registry = Registry::new();
    let handlers = Handlers { local: Local, notes: NotesProgram::new(project), texts: TextsProgram::new(project) };
    registry.add(provider(handlers)).expect("the names are unique");
    registry.session().env(env).build().expect("the session is valid").turn_blocking(Dialect::OpenAi)
}

/// Returns a project with a toolset whose program `new tool` has written.
fn scaffolded(language: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let toolsets = folder.path().join("manifests/toolsets");
    fs::create_dir_all(&toolsets).expect("the folder can be made");
    let toolset = format!("name = \"notes\"\ndescription = \"Keep notes.\"\nlanguage = \"{language}\"\n");
    fs::write(toolsets.join("notes.toml"), toolset).expect("the file can be written");
    let root = folder.path().to_str().expect("the path is Unicode");
    let (status, _, err) = toolc_codegen::cli::capture(["--root", root, "new", "tool", "add_note"]);
    assert_eq!(status, 0, "{err}");
    folder
}

/// Installs the runtime in TypeScript in a project.
fn install(runtime: &Path, project: &Path) {
    let installed = project.join("typescript/node_modules/@toolc/runtime");
    copy_folder(runtime, &installed);
    copy(&runtime.join("dist"), &installed.join("dist"), &[]);
}

/// Compiles the programs in TypeScript of a project.
fn compile(runtime: &Path, project: &Path) -> Result<String, String> {
    let compiler = runtime.join("../node_modules/typescript/bin/tsc");
    packages::run(Command::new("node").arg(compiler).args(["-p", "typescript"]).current_dir(project))
}

fn call(turn: &Turn, tool: &str, arguments: &Value) -> Value {
    let response = turn.call_blocking(&ToolCall::new(tool, &arguments.to_string()));
    serde_json::from_str(&response.json).expect("a response is JSON")
}

/// Returns the error of a call.
fn error(turn: &Turn, tool: &str, arguments: &Value) -> String {
    call(turn, tool, arguments)["error"].as_str().expect("the call fails").to_owned()
}

#[test]
fn handlers_in_python_get_valid_arguments_and_return_typed_results() {
    if python().is_none() {
        return;
    }
    let (project, rust) = (project(), json!(std::process::id()));
    let turn = host(project.path());
    assert_eq!(call(&turn, "where_am_i", &json!({})), rust);
    let kept = json!({ "text": "Buy tea", "tags": [], "priority": "normal" });
    let reply = call(&turn, "add_note", &json!({ "text": "Buy tea", "due": null }));
    assert_eq!(reply, json!({ "number": 1, "kept": kept }));
    let about = json!({ "name": "tea", "parts": [{ "name": "leaf" }] });
    let reply = call(
        &turn,
        "add_note",
        &json!({ "text": "Ä\u{2028}", "tags": "today", "due": "12", "about": about, "password": "x", "more": true }),
    );
    let kept = json!({
        "text": "Ä\u{2028}", "tags": ["today"], "priority": "normal", "due": 12, "about": about, "password": "x", "more": true,
    });
    assert_eq!(reply["kept"], kept);
    assert_eq!(call(&turn, "add_note", &json!({ "text": "x", "about": 7 }))["kept"]["about"], 7);
    let refused = error(&turn, "add_note", &json!({ "priority": "urgent" }));
    assert!(refused.contains("/text") && refused.contains("/priority"), "{refused}");
}

/// Prints the time of a call in a program, next to one of a handler in Rust.
#[test]
#[ignore = "it measures"]
fn the_time_of_a_call_in_a_program() {
    const CALLS: u32 = 2000;
    let project = project();
    let turn = host(project.path());
    let median = |tool: &str, arguments: &Value| {
        call(&turn, tool, arguments);
        let mut times: Vec<_> = (0..CALLS)
            .map(|_| {
                let begin = std::time::Instant::now();
                call(&turn, tool, arguments);
                begin.elapsed()
            })
            .collect();
        times.sort();
        times[times.len() / 2]
    };
    let (rust, python) = (median("where_am_i", &json!({})), median("add_note", &json!({ "text": "Buy tea" })));
    println!("median of {CALLS} calls: {rust:?} in Rust, {python:?} in Python");
}

#[test]
fn errors_of_a_program_have_their_kind_and_fields_without_secrets() {
    if python().is_none() {
        return;
    }
    let project = project();
    let turn = host(project.path());
    let fail = |how: &str| call(&turn, "fail_note", &json!({ "how": how }));
    let expected = json!({ "error": "there is no such note", "kind": "not_found", "number": 7, "log": ["a", "b"] });
    assert_eq!(fail("error"), expected);
    assert_eq!(fail("exception"), json!({ "error": "the file is broken", "kind": "failed" }));
    let expected = json!({ "error": "the key [secret] is wrong", "kind": "failed", "key": "[secret]" });
    assert_eq!(fail("key"), expected);
}

#[test]
fn a_result_that_the_manifest_does_not_allow_is_an_error_of_its_call() {
    if python().is_none() {
        return;
    }
    let project = project();
    let turn = host(project.path());
    assert_eq!(
        error(&turn, "fail_note", &json!({ "how": "result" })),
        "the result of the program of the toolset `notes` does not match `returns` in the manifest of `fail_note`: /1: expected integer, \
         got \"two\""
    );
    let large = error(&turn, "fail_note", &json!({ "how": "large" }));
    assert!(large.contains("at most 200000 are allowed"), "{large}");
    assert_eq!(call(&turn, "add_note", &json!({ "text": "the program still runs" }))["number"], 1);
}

#[test]
fn a_program_is_started_by_the_first_call_and_again_after_it_has_ended_and_ends_with_its_handlers() {
    if python().is_none() {
        return;
    }
    let project = project();
    let turn = host(project.path());
    let wait = || call(&turn, "wait_note", &json!({}));
    let first = wait();
    let second = wait();
    assert_eq!((&first["process"], &first["waited"], &second["waited"]), (&second["process"], &json!(1), &json!(2)));
    let ended = error(&turn, "fail_note", &json!({ "how": "exit" }));
    assert!(ended.contains("ended during the call: exit status 7"), "{ended}");
    let third = wait();
    assert!(third["process"] != first["process"] && third["waited"] == 1, "{third}");
    let process = format!("/proc/{}", third["process"]);
    let is_linux = cfg!(target_os = "linux");
    assert!(!is_linux || Path::new(&process).exists());
    drop(turn);
    toolc_test_support::wait_until("the program has ended", || !Path::new(&process).exists());
}

#[test]
fn calls_of_one_program_run_at_the_same_time() {
    if python().is_none() {
        return;
    }
    let project = project();
    let turn = host(project.path());
    let processes: Vec<Value> = std::thread::scope(|scope| {
        let calls: Vec<_> =
            (0..8).map(|_| scope.spawn(|| call(&turn, "wait_note", &json!({ "seconds": 0.2 })))).collect();
        calls.into_iter().map(|call| call.join().expect("it does not panic")["process"].clone()).collect()
    });
    assert!(processes.iter().all(|process| *process == processes[0] && process.is_u64()), "{processes:?}");
}

#[test]
fn handlers_in_typescript_get_valid_arguments_and_return_typed_results() {
    let Some(runtime) = typescript() else { return };
    let project = project();
    install(runtime, project.path());
    compile(runtime, project.path()).unwrap_or_else(|why| panic!("{why}"));
    let turn = host(project.path());
    assert_eq!(call(&turn, "count_words", &json!({ "text": "three small words" })), json!(3));
    assert_eq!(call(&turn, "split_text", &json!({ "text": 12.5, "separator": "." })), json!(["12", "5"]));
    assert_eq!(call(&turn, "split_text", &json!({ "text": "a b" })), json!(["a", "b"]));
    let expected = json!({ "error": "the text is empty", "kind": "refused", "characters": 0 });
    assert_eq!(call(&turn, "count_words", &json!({ "text": "" })), expected);
    let program = project.path().join("typescript/texts.ts");
    let text = fs::read_to_string(&program).expect("the program can be read");
    fs::write(&program, text.replace("  split_text:", "  split_texts:")).expect("the program can be written");
    let errors = compile(runtime, project.path()).expect_err("a handler is missing");
    assert!(errors.contains("split_text"), "{errors}");
    let new = scaffolded("typescript");
    install(runtime, new.path());
    for file in ["tsconfig.json", "package.json"] {
        fs::copy(project.path().join("typescript").join(file), new.path().join("typescript").join(file))
            .expect("it can be copied");
    }
    compile(runtime, new.path()).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn type_checkers_of_python_accept_the_program_and_name_a_missing_handler() {
    let checkers = packages::python("mypy", MYPY).and_then(|mypy| Ok((mypy, packages::npm("pyright", PYRIGHT)?)));
    let (interpreter, pyright) = match checkers {
        Ok(checkers) => checkers,
        Err(why) => return packages::missing("no mypy and pyright", &why),
    };
    let (project, sources) = (project(), folder("python/src"));
    let module = project.path().join("python");
    let settings = json!({ "include": ["notes.py"], "extraPaths": [sources], "typeCheckingMode": "strict" });
    fs::write(module.join("pyrightconfig.json"), settings.to_string()).expect("the folder can be written to");
    let mypy_in = |module: &Path| {
        let mut command = Command::new(&interpreter);
        command.args(["-m", "mypy", "--strict", "notes.py"]).env("MYPYPATH", &sources).current_dir(module);
        packages::run(&mut command)
    };
    let mypy = || mypy_in(&module);
    mypy_in(&scaffolded("python").path().join("python")).unwrap_or_else(|why| panic!("{why}"));
    let pyright = || {
        let mut command = Command::new("node");
        packages::run(command.arg(pyright.join("node_modules/pyright/index.js")).current_dir(&module))
    };
    mypy().and_then(|_| pyright()).unwrap_or_else(|why| panic!("{why}"));
    let program = module.join("notes.py");
    let text = fs::read_to_string(&program).expect("the program can be read");
    fs::write(&program, text.replace("def wait_note(", "def wait_notes(")).expect("the program can be written");
    for errors in [mypy(), pyright()] {
        let errors = errors.expect_err("a handler is missing");
        assert!(errors.contains("wait_note") && errors.contains("NotesTools"), "{errors}");
    }
}
