//! The calls that scripts make.

use std::sync::{Arc, Mutex};

use toolc::hooks::{CallInfo, Hook, HookAction};
use toolc::{CallResponse, ToolError};

use super::*;

#[test]
fn results_of_tools_are_python_values() {
    let Some(it) = fixture() else { return };
    it.write("a.txt", "one\ntwo\n");
    let value = it.run(
        "from toolc_tools import read_file, write_file\n\
         text = read_file('a.txt', limit=1)\n\
         written = write_file(path='b.txt', content='x' * text['total_lines'])\n\
         (text['content'], text['truncated'], toolc_tools.terminal('cat b.txt')['output'])",
    );
    assert_eq!((&value["result"], &value["calls"]), (&json!("('     1|one\\n', True, 'xx')"), &json!(3)));
    assert_eq!(it.result("toolc_tools.search_files(pattern='two')['matches'][0]['lines']"), "['2:two']");
}

#[test]
fn a_failed_call_raises_an_error_with_its_kind_and_its_problems() {
    let Some(it) = fixture() else { return };
    let error = "\ntry: f()\nexcept toolc_tools.ToolError as error: print(error.kind, error, error.problems, sep='|')";
    let run = |code: &str| it.run(&format!("f = lambda: {code}{error}"))["stdout"].as_str().unwrap().to_owned();
    assert!(run("toolc_tools.read_file('missing.txt')").starts_with("not_found|"));
    let invalid = run("toolc_tools.read_file('a', limit='many')");
    assert!(invalid.starts_with("invalid_arguments|") && invalid.contains("'path': '/limit'"), "{invalid}");
    let value = it.run("toolc_tools.read_file('missing.txt')");
    assert_eq!((&value["error"]["type"], &value["calls"]), (&json!("ToolError"), &json!(1)));
    assert_eq!(value["error"]["traceback"], json!(["line 1, in <module>: toolc_tools.read_file('missing.txt')"]));
}

#[test]
fn arguments_are_repaired_like_those_of_a_model() {
    let Some(it) = fixture() else { return };
    it.write("a.txt", "one\ntwo\n");
    assert_eq!(it.result("toolc_tools.read_file('a.txt', limit='1', offset=None)['lines']"), "1");
    assert_eq!(it.error("toolc_tools.read_file({1, 2})")[0], "TypeError");
    assert_eq!(it.error("toolc_tools.read_file('a.txt', limit=float('nan'))")[0], "ValueError");
    let [kind, text] = it.error("toolc_tools.read_file(b'a.txt')");
    assert!(kind == "TypeError" && text.contains("bytes"), "{text}");
    let [kind, _] = it.error("x = []\nx.append(x)\ntoolc_tools.read_file(x)");
    assert_eq!(kind, "ValueError");
    let [kind, text] = it.error("x = 'a'\nfor _ in range(900): x = [x]\ntoolc_tools.read_file(x)");
    assert!(kind == "ToolError" || kind == "RecursionError", "{kind}: {text}");
}

#[test]
fn a_tool_that_the_session_lacks_is_refused_as_for_the_model() {
    let Some(it) = fixture_with(Limits::default(), |session| session.enable(["code"]).enable(["file"])) else { return };
    let by_model = it.harness.call("web_search", "{}");
    let by_model: Value = serde_json::from_str(&by_model.response().json).unwrap();
    let by_script =
        "try: toolc_tools.web_search('x')\nexcept toolc_tools.ToolError as e: print(e.kind); str(e)\nstr(e)";
    let [_, text] = it.error("toolc_tools.web_search(query='x')");
    assert_eq!(json!(text), by_model["error"]);
    assert!(it.run(by_script)["stdout"].as_str().unwrap().starts_with("unknown_tool"));
    // Granted tools that are not marked, tools of others, and the tool itself.
    assert!(it.error("toolc_tools.terminal('echo')")[1].contains("unknown tool `terminal`"));
    let Some(it) = fixture() else { return };
    for tool in ["process", "execute_code"] {
        let [kind, text] = it.error(&format!("toolc_tools.{tool}()"));
        assert_eq!([kind, text], ["ToolError".to_owned(), format!("scripts cannot call `{tool}`: call it directly")]);
    }
    assert_eq!(it.error("toolc_tools._hidden")[0], "AttributeError");
}

#[test]
fn a_script_can_make_fifty_calls() {
    let Some(it) = fixture() else { return };
    it.write("a.txt", "one\n");
    let value = it.run("n = 0\nfor _ in range(60):\n    toolc_tools.read_file('a.txt', limit=_ + 1)\n    n += 1");
    assert_eq!(value["error"]["message"], "a script can make at most 50 calls: this one was not made");
    assert_eq!((&value["calls"], it.result("n")), (&json!(50), "50".to_owned()));
    assert_eq!(it.result("toolc_tools.read_file('a.txt')['lines']"), "1", "the next script has its own");
}

#[test]
fn calls_from_ten_threads_get_their_own_results() {
    let Some(it) = fixture() else { return };
    for n in 0..10 {
        it.write(&format!("{n}.txt"), &format!("text {n}\n"));
    }
    let value = it.run(
        "from concurrent.futures import ThreadPoolExecutor\n\
         def both(n):\n\
         \x20   read = toolc_tools.read_file(f'{n}.txt')['content']\n\
         \x20   return read.endswith(f'|text {n}\\n'), toolc_tools.terminal(f'echo {n}')['output'] == f'{n}\\n'\n\
         with ThreadPoolExecutor(10) as pool: all(map(all, pool.map(both, range(10))))\n\
         all(map(all, ThreadPoolExecutor(10).map(both, range(10))))",
    );
    assert_eq!((&value["result"], &value["calls"]), (&json!("True"), &json!(40)), "{value:#}");
}

/// Records which calls overlap.
#[derive(Default)]
struct Overlaps(Mutex<(Vec<String>, usize)>);

impl Hook for Overlaps {
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        let mut state = self.0.lock().unwrap();
        if call.tool() == "terminal" {
            state.1 += 1;
            let running = state.1;
            state.0.push(format!("{running} at once"));
        }
        Ok(HookAction::Continue)
    }

    fn after_call(&self, call: &CallInfo<'_>, _: &CallResponse) -> Result<(), ToolError> {
        if call.tool() == "terminal" {
            self.0.lock().unwrap().1 -= 1;
        }
        Ok(())
    }
}

#[test]
fn calls_of_tools_that_may_not_overlap_run_one_after_the_other() {
    let overlaps = Arc::new(Overlaps::default());
    let hook = Arc::clone(&overlaps);
    let Some(it) = fixture_with(Limits::default(), |session| session.hook(hook)) else { return };
    it.run(
        "from concurrent.futures import ThreadPoolExecutor\n\
         list(ThreadPoolExecutor(10).map(lambda n: toolc_tools.terminal('sleep 0.02'), range(10)))",
    );
    assert_eq!(overlaps.0.lock().unwrap().0, ["1 at once"; 10]);
}

/// Blocks writing, and records all calls with their ids.
#[derive(Default)]
struct NoWriting(Mutex<Vec<String>>);

impl Hook for NoWriting {
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        self.0.lock().unwrap().push(format!("{} {}", call.tool(), call.id()));
        let is_allowed = call.tool() != "write_file";
        Ok(if is_allowed { HookAction::Continue } else { HookAction::Block("read only".to_owned()) })
    }
}

#[test]
fn hooks_see_the_calls_of_scripts_and_can_block_them() {
    let hook = Arc::new(NoWriting::default());
    let shared = Arc::clone(&hook);
    let Some(it) = fixture_with(Limits::default(), |session| session.hook(shared)) else { return };
    assert_eq!(it.error("toolc_tools.write_file('a.txt', 'x')")[1], "the host blocked the call: read only");
    assert_eq!(*hook.0.lock().unwrap(), ["execute_code call_1", "write_file call_1"]);
    assert!(!it.path().join("a.txt").exists());
}

#[test]
fn a_call_after_the_end_of_its_script_is_refused() {
    let Some(it) = fixture() else { return };
    let late = "import threading, time\n\
        outcome = []\n\
        def late():\n\
        \x20   while toolc_host_runs(): time.sleep(0.005)\n\
        \x20   try: toolc_tools.read_file('a.txt')\n\
        \x20   except toolc_tools.ToolError as error: outcome.append(str(error))\n\
        host = toolc_tools._run.__self__\n\
        toolc_host_runs = lambda: host.run is not None\n\
        thread = threading.Thread(target=late, daemon=True)\n\
        thread.start()";
    assert_eq!(it.run(late).get("error"), None);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(it.result("thread.join(30)\noutcome"), "['tools can be called only while a script runs']");
}

#[test]
fn a_forked_process_cannot_call_tools() {
    let Some(it) = fixture() else { return };
    let value = it.run(
        "import os\n\
         if os.fork() == 0:\n\
         \x20   try: toolc_tools.read_file('a.txt')\n\
         \x20   except toolc_tools.ToolError as error: print(error)\n\
         \x20   os._exit(0)\n\
         os.wait()[1]",
    );
    assert_eq!(value["stdout"], "a forked process cannot call tools: call them from the script itself\n", "{value:#}");
    // A fork that reaches the end of the script ends there.
    assert_eq!(it.result("pid = os.fork()\nstatus = os.wait()[1] if pid else None\nstatus"), "0");
    assert_eq!(it.result("status"), "0");
}
