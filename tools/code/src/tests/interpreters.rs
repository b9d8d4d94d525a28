//! The interpreters of several tasks.

use super::*;

#[test]
fn an_idle_interpreter_is_ended_without_another_call() {
    let limits = Limits { idle: Duration::from_millis(300), ..Limits::default() };
    let Some(it) = fixture_with(limits, |session| session) else { return };
    let id = it.result("import os\nos.getpid()");
    wait_until("the end of the interpreter", || !is_alive(&id));
    let note = it.run("1")["note"].as_str().unwrap().to_owned();
    assert!(note.ends_with("the previous interpreter was idle for too long"), "{note}");
    assert!(it.run("1").get("note").is_none());
}

#[test]
fn a_script_that_runs_longer_than_the_idle_time_is_not_ended() {
    let limits = Limits { idle: Duration::from_millis(200), ..Limits::default() };
    let Some(it) = fixture_with(limits, |session| session) else { return };
    assert_eq!(it.result("import time\ntime.sleep(1)\n7"), "7");
}

#[test]
fn each_task_has_an_interpreter_that_ends_with_it() {
    let Some(it) = fixture() else { return };
    let (one, other) = (Task::new("one"), Task::new("other"));
    let id = |task: &Task| it.run_in(task, "import os\nx = os.getpid()\nx")["result"].as_str().unwrap().to_owned();
    let ids = [id(&one), id(&other)];
    assert_ne!(ids[0], ids[1]);
    drop(one);
    wait_until("the end of the interpreter", || !is_alive(&ids[0]));
    assert_eq!(it.run_in(&other, "x")["result"], ids[1].as_str());
}

#[test]
fn an_idle_interpreter_makes_room_for_another_task() {
    let limits = Limits { interpreters: 2, ..Limits::default() };
    let Some(it) = fixture_with(limits, |session| session) else { return };
    let tasks = ["one", "two", "three"].map(Task::new);
    let ids = [0, 1, 2].map(|n| it.run_in(&tasks[n], "import os\nos.getpid()")["result"].as_str().unwrap().to_owned());
    assert_eq!(ids.iter().map(|id| is_alive(id)).collect::<Vec<_>>(), [false, true, true]);
    let note = it.run_in(&tasks[0], "1")["note"].as_str().unwrap().to_owned();
    assert!(note.ends_with("because other tasks needed one"), "{note}");
}

#[test]
fn interpreters_that_run_scripts_are_not_ended_for_others() {
    let limits = Limits { interpreters: 1, ..Limits::default() };
    let Some(it) = fixture_with(limits, |session| session) else { return };
    let (busy, other) = (Task::new("busy"), Task::new("other"));
    let error = |task: &Task| {
        let response = it.harness.send(&ToolCall::new("execute_code", r#"{"code": "1"}"#).with_task(task));
        serde_json::from_str::<Value>(&response.response().json).unwrap()["error"].as_str().unwrap().to_owned()
    };
    std::thread::scope(|scope| {
        let code = "import os, time\nopen('begun', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.01)\n5";
        let running = scope.spawn(|| it.run_in(&busy, code));
        wait_until("the script", || it.path().join("begun").exists());
        assert!(error(&other).starts_with("1 interpreters of this host run scripts of other tasks: nothing was run"));
        assert!(error(&busy).starts_with("another script of this task is running: nothing was run"));
        it.write("go", "");
        assert_eq!(running.join().unwrap()["result"], "5");
    });
    assert_eq!(it.run_in(&other, "1")["result"], "1");
}

#[test]
fn interpreters_end_with_their_handlers() {
    let Some(it) = fixture() else { return };
    let id = it.result("import os\nos.getpid()");
    drop(it);
    wait_until("the end of the interpreter", || !is_alive(&id));
}
