//! What scripts print and return, and the errors in them.

use super::*;

#[test]
fn a_script_returns_its_output_and_the_value_of_its_last_expression() {
    let Some(it) = fixture() else { return };
    let value = it.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\n[1, 'é']");
    let expected = json!({ "stdout": "out\n", "stderr": "err\n", "result": "[1, 'é']", "calls": 0 });
    let without_duration = |mut value: Value| {
        assert!(value.as_object_mut().unwrap().remove("duration_ms").is_some());
        value
    };
    assert_eq!(without_duration(value), expected);
    assert_eq!(without_duration(it.run("x = 1\nNone")), json!({ "stdout": "", "calls": 0 }));
    assert_eq!(without_duration(it.run("# nothing")), json!({ "stdout": "", "calls": 0 }));
}

#[test]
fn state_lasts_until_the_interpreter_is_reset() {
    let Some(it) = fixture() else { return };
    it.run("import os\nx = [1]\ndef f(): return x\nos.mkdir('sub')\nos.chdir('sub')");
    assert_eq!(it.result("x.append(2)\nf()"), "[1, 2]");
    assert_eq!(it.result("_ + [os.path.basename(os.getcwd())]"), "[1, 2, 'sub']");
    let value = it.harness.call("execute_code", json!({ "code": "x", "reset": true })).value();
    assert_eq!(value["error"]["type"], "NameError", "{value:#}");
    assert!(value.get("note").is_none(), "the model has asked for it: {value:#}");
    assert_eq!(it.result("import os; os.path.realpath('.')"), format!("{:?}", it.path()).replace('"', "'"));
}

#[test]
fn an_exception_is_shown_with_the_lines_of_the_scripts_that_led_to_it() {
    let Some(it) = fixture() else { return };
    it.run("import json\ndef parse(text):\n    return json.loads(text)");
    let value = it.run("print('before')\nparse('{')");
    let error = &value["error"];
    assert_eq!((&value["stdout"], &error["type"]), (&json!("before\n"), &json!("json.decoder.JSONDecodeError")));
    assert_eq!(
        error["traceback"],
        json!(["line 2, in <module>: parse('{')", "line 3, in parse: return json.loads(text)"])
    );
    let deep = it.run("def f(): f()\nf()");
    assert_eq!(deep["error"]["type"], "RecursionError");
    assert_eq!(deep["error"]["traceback"].as_array().unwrap().len(), 21, "{deep:#}");
    assert_eq!(
        it.error("class Odd(Exception):\n    def __str__(self): raise self\nraise Odd"),
        ["Odd", "the exception has no text"]
    );
}

#[test]
fn wrong_syntax_is_reported_with_its_line_and_nothing_is_run() {
    let Some(it) = fixture() else { return };
    let value = it.run("print('before')\nif True print()");
    assert_eq!((&value["stdout"], &value["error"]["type"]), (&json!(""), &json!("SyntaxError")));
    assert_eq!(value["error"]["traceback"], json!(["line 2: if True print()"]));
    assert_eq!(it.error("a = '\0'")[0], it.error("compile('\\0', '', 'exec')")[0]);
    assert_eq!(it.result("1"), "1");
}

#[test]
fn an_exit_ends_the_script_and_not_the_interpreter() {
    let Some(it) = fixture() else { return };
    let value = it.run("import sys\nx = 5\nsys.exit()\nprint('not reached')");
    assert_eq!((value.get("error"), &value["stdout"]), (None, &json!("")));
    assert_eq!(it.error("sys.exit('no input')"), ["SystemExit", "no input"]);
    assert_eq!(it.result("x"), "5");
}

#[test]
fn only_the_beginning_and_the_end_of_long_output_are_returned() {
    let Some(it) = fixture() else { return };
    let value = it.run(
        "import sys\nfor _ in range(1000): print('a' * 9_999)\nprint('last')\nprint('e' * 20_000, file=sys.stderr)",
    );
    let (stdout, stderr) = (value["stdout"].as_str().unwrap(), value["stderr"].as_str().unwrap());
    assert!(stdout.len() < 50_100 && stdout.starts_with("aaa") && stdout.ends_with("\nlast\n"), "{}", stdout.len());
    assert!(stdout.contains("\n... 9950005 bytes left out ...\n"), "{}", &stdout[19_990..20_060]);
    assert!(stderr.len() < 10_100 && stderr.contains("\n... 10001 bytes left out ...\n"), "{}", stderr.len());
    let long = it.result("'x' * 1_000_000");
    assert!(long.len() < 10_100 && long.ends_with("... (1000002 characters)"), "{}", long.len());
    assert_eq!(it.run("print('next')")["stdout"], "next\n");
}

#[test]
fn output_of_programs_and_of_broken_text_is_returned() {
    let Some(it) = fixture() else { return };
    let value = it.run("import os, subprocess\nsubprocess.run(['sh', '-c', 'echo program; echo error >&2'])\nprint('\\udce9')\nos.write(1, b'\\xff\\n')");
    assert_eq!(value["stdout"], "program\n\\udce9\n\u{fffd}\n");
    assert_eq!((&value["stderr"], &value["result"]), (&json!("error\n"), &json!("2")));
    assert_eq!(it.error("raise ValueError('\\udce9')"), ["ValueError", "?"]);
}

#[test]
fn standard_input_is_empty_for_scripts_and_their_programs() {
    let Some(it) = fixture() else { return };
    assert_eq!(it.result("import subprocess, sys\n(sys.stdin.read(), subprocess.run(['cat']).returncode)"), "('', 0)");
    assert_eq!(it.error("input()")[0], "EOFError");
    let sockets = "print(subprocess.run(['sh', '-c', 'ls -l /proc/self/fd'], capture_output=True, text=True).stdout.count('socket'))";
    assert_eq!(it.run(sockets)["stdout"], "0\n", "the connection to the host is not inherited");
}

#[test]
fn credentials_are_not_among_the_variables() {
    let Some(it) = fixture() else { return };
    // Cargo sets the one; the other is set for the interpreter's parent, which is this process.
    assert_eq!(it.result("import os\n'PATH' in os.environ"), "True");
    let is_credential = |name: &str| !ChildVariables::default().passes(name, "x");
    let names = it.run("print(*os.environ, sep='\\n')")["stdout"].as_str().unwrap().to_owned();
    assert_eq!(names.lines().filter(|name| is_credential(name)).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn modules_of_the_working_directory_can_be_imported() {
    let Some(it) = fixture() else { return };
    it.write("helper_of_test.py", "value = 7");
    it.write("json.py", "raise Exception('shadows the standard library')");
    assert_eq!(it.result("import json, helper_of_test\nhelper_of_test.value"), "7");
}

#[test]
fn a_call_without_code_is_refused() {
    let Some(it) = fixture() else { return };
    for arguments in [json!({}), json!({ "code": "" }), json!({ "code": {} }), json!({ "code": "1", "lang": "js" })] {
        assert_eq!(it.failure(&arguments)[0], "invalid_arguments", "{arguments}");
    }
}
