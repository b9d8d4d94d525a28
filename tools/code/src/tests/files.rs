//! Scripts in an environment without channels, whose messages are files.

use std::os::unix::fs::PermissionsExt as _;

use super::remote::RemoteKind;
use super::*;

fn remote(limits: Limits) -> Option<Fixture> {
    let it = fixture_in(|all| all.with_kind(RemoteKind).by_default("remote"), limits, |session| session)?;
    std::fs::create_dir(it.path().join("tmp")).unwrap();
    Some(it)
}

impl Fixture {
    /// Returns the names in the folder for temporary files.
    fn temporary(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path().join("tmp")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Returns the folder of the one interpreter.
    #[track_caller]
    fn mailbox(&self) -> PathBuf {
        let names = self.temporary();
        let [folder] = &names[..] else { panic!("{names:?}") };
        folder.clone()
    }
}

#[test]
fn scripts_call_tools_over_files_as_over_a_channel() {
    let Some(it) = remote(Limits::default()) else { return };
    it.write("a.txt", "one\ntwo\n");
    let value = it.run("print('out')\nx = toolc_tools.read_file('a.txt', limit='1', offset=None)\n(x['lines'], 'é')");
    assert_eq!((&value["result"], &value["stdout"]), (&json!("(1, 'é')"), &json!("out\n")), "{value:#}");
    assert_eq!(it.error("toolc_tools.read_file('missing.txt')")[0], "ToolError");
    let [_, text] = it.error("toolc_tools.process()");
    assert_eq!(text, "scripts cannot call `process`: call it directly");
    assert_eq!(it.result("x['lines']"), "1", "the state lasts");
    let long = it.result("len(toolc_tools.write_file('b.txt', 'x' * 1_000_000) and open('b.txt').read())");
    assert_eq!(long, "1000000");
    let value = it.run("print('a' * 10_000_000)");
    assert!(value["stdout"].as_str().unwrap().contains("9950001 bytes left out"), "{value:#}");
}

#[test]
fn fifty_calls_from_ten_threads_get_their_own_results_over_files() {
    let Some(it) = remote(Limits::default()) else { return };
    for n in 0..10 {
        it.write(&format!("{n}.txt"), &format!("text {n}\n"));
    }
    let value = it.run(
        "from concurrent.futures import ThreadPoolExecutor\n\
         def read(n):\n\
         \x20   try: return toolc_tools.read_file(f'{n % 10}.txt', limit=n + 1)['content'].endswith(f'|text {n % 10}\\n')\n\
         \x20   except toolc_tools.ToolError as error: return str(error)\n\
         results = list(ThreadPoolExecutor(10).map(read, range(51)))\n\
         results.count(True), [r for r in results if r is not True]",
    );
    let expected = "(50, ['a script can make at most 50 calls: this one was not made'])";
    assert_eq!((&value["result"], &value["calls"]), (&json!(expected), &json!(50)), "{value:#}");
    // All but the last messages are gone: 51 answers after the script itself, and the end of the script after 51 calls.
    let entries = std::fs::read_dir(it.mailbox()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["in-52", "out-53"]);
}

#[test]
fn the_folder_is_private_and_ends_with_the_interpreter() {
    let Some(it) = remote(Limits::default()) else { return };
    // A message has its name a moment before its temporary file is gone.
    let code = "import os\n[n for root, _, names in os.walk('tmp') for n in names if not n.startswith('.toolc-')]";
    assert_eq!(it.result(code), "['in-1']", "only the script");
    let mode = std::fs::metadata(it.mailbox()).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o700);
    let first = it.mailbox();
    it.harness.call("execute_code", json!({ "code": "1", "reset": true })).value();
    wait_until("the removal of the folder", || !first.exists());
    let Fixture { harness, dir } = it;
    drop(harness);
    let temporary = dir.path().join("tmp");
    wait_until("the removal of the folder", || std::fs::read_dir(&temporary).unwrap().next().is_none());
}

#[test]
fn an_interpreter_whose_folder_is_gone_ends() {
    let Some(it) = remote(Limits::default()) else { return };
    let id = it.result("import os\nos.getpid()");
    std::fs::remove_dir_all(it.mailbox()).unwrap();
    wait_until("the end of the interpreter", || !is_alive(&id));
    let ran = it.run("1");
    // The host notices the end a moment later, or when it sends the script.
    let is_noted = ran["note"].as_str().is_some_and(|note| note.ends_with("the previous interpreter had ended"));
    assert!(is_noted || ran["error"]["type"] == "InterpreterEnded", "{ran}");
}

#[test]
fn wrong_files_end_the_interpreter() {
    let Some(it) = remote(Limits { time: Duration::from_secs(100), ..Limits::default() }) else { return };
    std::fs::write(it.path().join("secret"), r#"{"type":"done","run":2,"result":"read","error":null}"#).unwrap();
    let next =
        "import os, time\nhost = toolc_tools._run.__self__\nc = host.connection\nnext = f'{c.path}/out-{c.sent + 1}'\n";
    for (code, kind, expected) in [
        ("open(next, 'w').write('{}')", "ProtocolError", "has sent a message that the protocol does not define"),
        ("open(next, 'wb').write(b'[' * 100_000)", "ProtocolError", "that the protocol does not define"),
        (
            "open(next, 'wb').truncate(1 << 40)",
            "ProtocolError",
            "has sent a message of 8388609 bytes, and the maximum is 8388608",
        ),
        ("os.symlink(os.path.abspath('secret'), next)", "ProtocolError", "cannot be read: not a regular file"),
        ("os.mkfifo(next)", "ProtocolError", "cannot be read: not a regular file"),
        ("os.mkdir(next)", "ProtocolError", "cannot be read: not a regular file"),
        ("host.send({'type': 'ready', 'version': [3, 11]})", "ProtocolError", "a message at the wrong time"),
        ("os._exit(3)", "InterpreterEnded", "(exit code 3)"),
    ] {
        let id = it.result("import os\nx = 1\nos.getpid()");
        let [found, text] = it.error(&format!("{next}{code}\ntime.sleep(600)"));
        assert!(found == kind && text.contains(expected), "{code}: {found}: {text}");
        wait_until("the end of the interpreter", || !is_alive(&id));
        wait_until("the removal of the folder", || it.temporary().is_empty());
    }
    assert_eq!(it.error("x")[0], "NameError");
}

#[test]
fn an_answer_that_cannot_be_written_ends_the_interpreter() {
    let Some(it) = remote(Limits::default()) else { return };
    it.write("a.txt", "one\n");
    let code = "c = toolc_tools._run.__self__.connection\n\
        import os\nos.mkdir(f'{c.path}/in-{c.received + 1}')\ntoolc_tools.read_file('a.txt')";
    let [kind, text] = it.error(code);
    // It depends on which of them notices the folder first.
    let expected = if kind == "ProtocolError" { "cannot be reached: " } else { "(exit code 1)" };
    assert!(text.contains(expected), "{kind}: {text}");
}

#[test]
fn time_limits_and_cancellation_hold_over_files() {
    let Some(it) = remote(Limits { time: Duration::from_secs(4), ..Limits::default() }) else { return };
    let value = it.run("import os\nprint(os.getpid(), flush=True)\nwhile True: pass");
    assert_eq!(value["error"]["type"], "Timeout", "{value:#}");
    let id = value["stdout"].as_str().unwrap().to_owned();
    wait_until("the end of the interpreter", || !is_alive(&id));
    let value = it.run("toolc_tools.terminal('echo $$ > id; exec sleep 600')");
    assert_eq!(value["error"]["type"], "Timeout", "{value:#}");
    let id = std::fs::read_to_string(it.path().join("id")).unwrap();
    wait_until("the end of the command", || !is_alive(&id));
    wait_until("the removal of the folders", || it.temporary().is_empty());
}
