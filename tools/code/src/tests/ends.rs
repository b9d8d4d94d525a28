//! Scripts and interpreters that are ended early.

use std::sync::mpsc;

use super::*;

fn short(seconds: u64) -> Limits {
    Limits { time: Duration::from_secs(seconds), ..Limits::default() }
}

#[test]
fn a_script_that_takes_too_long_is_ended_with_its_processes() {
    let Some(it) = fixture_with(short(2), |session| session) else { return };
    let code = "import subprocess, time\nx = 1\n\
        print(subprocess.Popen(['sleep', '600']).pid, flush=True)\n\
        while True: pass";
    let value = it.run(code);
    assert_eq!(value["error"]["type"], "Timeout", "{value:#}");
    assert!(value["error"]["message"].as_str().unwrap().starts_with("the script exceeded its time limit of 2s"));
    let id = value["stdout"].as_str().unwrap().to_owned();
    wait_until("the end of the process", || !is_alive(&id));
    let next = it.run("x");
    assert_eq!(next["error"]["type"], "NameError", "{next:#}");
    assert!(
        next["note"].as_str().unwrap().ends_with("the previous interpreter was ended with its last script"),
        "{next:#}"
    );
    assert!(it.run("1").get("note").is_none());
}

#[test]
fn output_of_what_an_earlier_script_left_running_has_a_note() {
    let Some(it) = fixture() else { return };
    let code = "import os, time\n\
        if os.fork() == 0:\n\
        \x20   while not os.path.exists('go'): time.sleep(0.01)\n\
        \x20   print('late', flush=True)\n\
        \x20   open('printed', 'w').close()\n\
        \x20   os._exit(0)\n\
        print('own')";
    let [go, printed] = ["go", "printed"].map(|name| it.path().join(name));
    // The output is read on another thread. If that is slow, the output counts as that of the next script.
    wait_until("the note", || {
        let first = it.run(code);
        assert_eq!((&first["stdout"], first.get("note")), (&json!("own\n"), None));
        std::fs::write(&go, "").unwrap();
        wait_until("the late output", || printed.exists());
        std::fs::remove_file(&go).unwrap();
        std::fs::remove_file(&printed).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let next = it.run("1");
        assert_eq!(next["stdout"], "late\n", "{next:#}");
        next.get("note").is_some_and(|note| note.as_str().unwrap().contains("processes of earlier scripts"))
    });
}

#[test]
fn a_call_that_takes_too_long_ends_with_its_script() {
    let Some(it) = fixture_with(short(2), |session| session) else { return };
    let value = it.run("toolc_tools.terminal('echo $$ > id; exec sleep 600')");
    assert_eq!(value["error"]["type"], "Timeout", "{value:#}");
    let id = std::fs::read_to_string(it.path().join("id")).unwrap();
    wait_until("the end of the command", || !is_alive(&id));
}

#[test]
fn a_cancelled_script_is_ended() {
    let Some(it) = fixture() else { return };
    let task = Task::new("errand");
    let arguments = json!({ "code": "import os, time\nopen('id', 'w').write(str(os.getpid()))\ntime.sleep(600)" });
    let (sender, responses) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let response = it.harness.send(&ToolCall::new("execute_code", &arguments.to_string()).with_task(&task));
            sender.send(response.response().json.clone()).unwrap();
        });
        let id = it.path().join("id");
        wait_until("the script", || std::fs::read_to_string(&id).is_ok_and(|text| !text.is_empty()));
        task.cancel();
        let json = responses.recv_timeout(LIMIT).unwrap();
        assert!(json.contains(r#""kind":"cancelled""#), "{json}");
        let id = std::fs::read_to_string(&id).unwrap();
        wait_until("the end of the interpreter", || !is_alive(&id));
    });
    let arguments = json!({ "code": "1" }).to_string();
    let next = ToolCall::new("execute_code", &arguments).with_task(&task);
    // The cancelled call is answered before its script has given up the interpreter.
    wait_until("the next script of the task", || it.harness.send(&next).response().json.contains(r#""result":"1""#));
}

#[test]
fn an_interpreter_that_ends_is_reported_with_its_exit_code() {
    let Some(it) = fixture() else { return };
    it.run("x = 1");
    let value = it.run("print('before', flush=True)\nimport os\nos._exit(3)");
    assert_eq!((&value["stdout"], &value["error"]["type"]), (&json!("before\n"), &json!("InterpreterEnded")));
    let text = value["error"]["message"].as_str().unwrap();
    assert!(text.contains("(exit code 3)") && text.contains("state of the task's scripts is lost"), "{text}");
    let killed = it.error("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)");
    assert!(killed[1].contains("(signal 9)"), "{}", killed[1]);
    assert_eq!(it.error("x")[0], "NameError");
}

#[test]
fn an_interpreter_that_ends_between_scripts_is_replaced_with_a_note() {
    let Some(it) = fixture() else { return };
    // A script can begin before the host notices the end. Then it fails, and the next one has another note.
    wait_until("a note", || {
        let id = it.result("import os, threading\nthreading.Timer(0.1, lambda: os._exit(1)).start()\nos.getpid()");
        wait_until("the end of the interpreter", || !is_alive(&id));
        it.run("1")
            .get("note")
            .is_some_and(|note| note.as_str().unwrap().ends_with("the previous interpreter had ended"))
    });
}

/// Returns the connection to the host.
const SOCKET: &str = "s = toolc_tools._run.__self__.connection.socket\n";

#[test]
fn a_script_that_does_not_speak_the_protocol_is_ended() {
    let Some(it) = fixture() else { return };
    let cases = [
        ("s.sendall(b'GET / HTTP/1.1\\r\\n\\r\\n')", "a message of 1195725856 bytes"),
        ("s.sendall(b'\\0\\0\\0\\x02{}')", "a message that the protocol does not define"),
        ("s.sendall(b'\\0\\1\\0\\0' + b'[' * 65536)", "a message that the protocol does not define"),
        ("s.sendall(b'\\0\\0\\0\\1\\xff')", "a message that the protocol does not define"),
        ("toolc_tools._run.__self__.send({'type': 'ready', 'version': [3, 11]})", "a message at the wrong time"),
        (
            "toolc_tools._run.__self__.send({'type': 'done', 'run': 99, 'result': None, 'error': None})",
            "at the wrong time",
        ),
    ];
    for (code, expected) in cases {
        let id = it.result("import os\nx = 1\nos.getpid()");
        let [kind, text] = it.error(&format!("{SOCKET}{code}\nimport time\ntime.sleep(600)"));
        assert!(kind == "ProtocolError" && text.contains(expected), "{code}: {text}");
        wait_until("the end of the interpreter", || !is_alive(&id));
    }
    assert_eq!(it.error("x")[0], "NameError");
}

#[test]
fn a_script_that_closes_the_connection_is_ended() {
    let Some(it) = fixture() else { return };
    let [kind, text] = it.error(&format!("{SOCKET}import socket, time\ns.shutdown(socket.SHUT_RDWR)\ntime.sleep(600)"));
    assert!(kind == "InterpreterEnded" && text.contains("the interpreter ended while the script ran"), "{text}");
}

#[test]
fn a_flood_of_calls_is_answered_within_bounds() {
    let Some(it) = fixture_with(short(60), |session| session) else { return };
    let code = "host = toolc_tools._run.__self__\n\
        for id in range(100_000, 102_000):\n\
        \x20   host.send({'type': 'call', 'id': id, 'run': host.run, 'tool': 'read_file', 'arguments': '{'})\n\
        try: toolc_tools.read_file('a.txt')\n\
        except toolc_tools.ToolError as error: print(error)";
    let value = it.run(code);
    let expected = "a script can make at most 50 calls: this one was not made\n";
    assert_eq!((&value["stdout"], &value["calls"]), (&json!(expected), &json!(50)), "{value:#}");
}

#[test]
fn a_daemon_lives_until_the_interpreter_ends() {
    let Some(it) = fixture() else { return };
    let code = "import os, time\n\
        if os.fork() == 0:\n\
        \x20   os.setsid()\n\
        \x20   if os.fork() > 0: os._exit(0)\n\
        \x20   open('id.part', 'w').write(str(os.getpid()))\n\
        \x20   os.rename('id.part', 'id')\n\
        \x20   for fd in (1, 2): os.close(fd)\n\
        \x20   time.sleep(600)\n\
        \x20   os._exit(0)\n\
        os.wait()[1]";
    assert_eq!(it.result(code), "0");
    let file = it.path().join("id");
    wait_until("the daemon", || file.exists());
    let id = std::fs::read_to_string(&file).unwrap();
    assert_eq!(it.result("1 + 1"), "2");
    assert!(is_alive(&id));
    it.harness.call("execute_code", json!({ "code": "1", "reset": true })).value();
    wait_until("the end of the daemon", || !is_alive(&id));
}

#[test]
fn calls_that_still_run_at_the_end_of_a_script_are_cancelled() {
    let Some(it) = fixture_with(short(60), |session| session) else { return };
    let value = it.run(
        "import threading, time\n\
         for _ in range(12): threading.Thread(target=lambda: toolc_tools.terminal('sleep 600'), daemon=True).start()\n\
         time.sleep(0.2)\n\
         'ended'",
    );
    assert_eq!(value["result"], "'ended'", "{value:#}");
}
