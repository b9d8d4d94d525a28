//! Commands in the foreground.

use super::*;

fn with_timeout(f: &Fixture, command: &str, seconds: i64) -> Value {
    value(f.terminal(terminal::Args { timeout: Some(seconds), ..args(command) }))
}

#[test]
fn output_of_both_streams_is_in_order() {
    let f = fixture();
    let ran = f.run("echo one; echo two >&2; echo three; exit 3");
    assert_eq!((&ran["output"], &ran["exit_code"]), (&json!("one\ntwo\nthree\n"), &json!(3)));
    assert_eq!((&ran["timed_out"], ran.get("signal"), ran.get("note")), (&json!(false), None, None));
    assert_eq!(f.run("cat; printf '\\033[31mred\\033[0m\\377'")["output"], "red\u{fffd}", "no input");
    let killed = f.run("kill -9 $$");
    assert_eq!((&killed["exit_code"], &killed["signal"]), (&Value::Null, &json!("SIGKILL")));
}

#[test]
fn standard_error_can_be_apart() {
    let f = fixture();
    let apart = terminal::Args { separate_output: true, ..args("echo out; echo err >&2") };
    let ran = value(f.terminal(apart));
    assert_eq!((&ran["output"], &ran["stderr"]), (&json!("out\n"), &json!("err\n")));
    assert_eq!(f.run("echo").get("stderr"), None);
}

#[test]
fn a_command_runs_in_the_given_directory() {
    let f = fixture();
    fs::create_dir(f.path().join("sub")).unwrap();
    fs::write(f.path().join("sub/x"), "").unwrap();
    let list = |workdir: &str| f.terminal(terminal::Args { workdir: Some(workdir.into()), ..args("ls") });
    assert_eq!(value(list("sub"))["output"], "x\n");
    assert_eq!(f.output("ls"), "sub\n");
    for missing in ["sub/x", "none"] {
        let error = list(missing).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.message().contains("nothing was run"), "{error}");
    }
}

#[test]
fn a_command_can_run_on_a_terminal() {
    let f = fixture();
    let ran =
        value(f.terminal(terminal::Args { pty: true, ..args("test -t 0 && test -t 1 && stty size; cd /usr; exit 2") }));
    assert_eq!((&ran["output"], &ran["exit_code"], &ran["directory"]), (&json!("40 120\n"), &json!(2), &json!("/usr")));
}

#[test]
fn a_timeout_ends_all_processes_of_a_command() {
    let f = fixture();
    // The shell, a child and a grandchild, all of which ignore SIGTERM.
    let ran = with_timeout(&f, "trap '' TERM; echo begun; (trap '' TERM; sleep 61; echo no) & sleep 62; sleep 63", 1);
    assert_eq!((&ran["output"], &ran["timed_out"]), (&json!("begun\n"), &json!(true)));
    assert_eq!(ran["signal"], "SIGKILL");
    let terminated = with_timeout(&f, "sleep 64", 1);
    assert_eq!(terminated["signal"], "SIGTERM");
}

#[test]
fn a_long_timeout_is_for_the_background() {
    let f = fixture();
    let error = f.terminal(terminal::Args { timeout: Some(601), ..args("touch ran") }).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArguments);
    assert!(error.message().contains("set background"), "{error}");
    assert!(!f.path().join("ran").exists());
    assert_eq!(with_timeout(&f, "exit 0", 600)["exit_code"], 0);
}

#[test]
fn parameters_that_contradict_each_other_are_refused() {
    let f = fixture();
    let background = || terminal::Args { background: true, ..args("touch ran") };
    for args in [
        terminal::Args { separate_output: true, ..background() },
        terminal::Args { notify_on_complete: true, ..args("touch ran") },
        terminal::Args { watch_patterns: Some(vec!["x".to_owned()]), ..args("touch ran") },
        terminal::Args { pty: true, separate_output: true, ..args("touch ran") },
    ] {
        let error = f.terminal(args).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArguments);
        assert!(error.message().ends_with("nothing was run"), "{error}");
    }
    assert!(!f.path().join("ran").exists());
}

#[test]
fn cancelling_a_call_stops_its_command() {
    let f = fixture();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| f.terminal(args("touch begun; sleep 65")));
        wait_until("the start", || f.path().join("begun").exists());
        f.caller.cancel();
        assert_eq!(call.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    });
}

#[test]
fn long_output_is_shortened() {
    let f = fixture();
    let ran = with_timeout(&f, "yes", 1);
    assert_eq!(ran["timed_out"], true);
    let output = ran["output"].as_str().unwrap();
    assert!(output.starts_with("y\ny\n") && output.contains("characters left out"));
    assert!((50_000..50_100).contains(&output.chars().count()));
}

#[test]
fn what_a_command_has_left_running_does_not_delay_the_result() {
    let f = fixture();
    let ran = f.run("(sleep 3; echo late; touch alive) & echo done");
    assert_eq!((&ran["output"], &ran["exit_code"]), (&json!("done\n"), &json!(0)));
    assert!(ran["note"].as_str().unwrap().contains("still has the output open"));
    // The process goes on running, and its output does not end it.
    wait_until("its end", || f.path().join("alive").exists());
    let quiet = f.run("sleep 2 > /dev/null 2>&1 & echo done");
    assert_eq!(quiet.get("note"), None, "the output is redirected");
}

#[test]
fn what_a_command_has_left_running_ends_with_its_task() {
    let f = fixture();
    let id = f.output("sleep 600 > /dev/null 2>&1 & echo $!");
    assert!(is_alive(&id));
    f.caller.task().end();
    wait_until("its end", || !is_alive(&id));
}

#[test]
fn closed_output_does_not_end_the_command() {
    let ran = fixture().run("exec >&- 2>&-; sleep 0.3; exit 4");
    assert_eq!((&ran["exit_code"], &ran["output"]), (&json!(4), &json!("")));
    assert!(ran["duration_ms"].as_u64().unwrap() >= 300);
}

#[cfg(target_os = "linux")]
#[test]
fn a_detached_or_stopped_process_does_not_outlast_the_timeout() {
    let f = fixture();
    let detached = with_timeout(&f, "setsid sh -c 'sleep 3; touch alive' & sleep 65", 1);
    let stopped = with_timeout(&f, "kill -STOP $$; echo no", 1);
    assert!(detached["timed_out"] == true && stopped["timed_out"] == true);
    assert_eq!(stopped["output"], "");
    std::thread::sleep(Duration::from_secs(3));
    assert!(!f.path().join("alive").exists());
}

#[test]
fn a_command_that_cannot_start_is_explained() {
    let f = fixture();
    let error = |command: String| f.terminal(args(&command)).unwrap_err();
    let long = error("#".repeat(8 << 20));
    assert!(long.message().contains("put long input into a file"), "{long}");
    assert!(error("a\0b".to_owned()).message().contains("NUL"));
}

#[test]
fn git_does_not_ask_for_credentials() {
    assert_eq!(fixture().output("echo $GIT_TERMINAL_PROMPT"), "0\n");
}

#[test]
fn a_program_that_wants_an_editor_or_a_pager_ends_at_once() {
    let f = fixture();
    for command in ["$EDITOR file", "$VISUAL file", "$GIT_EDITOR file", "eval \"$GIT_SEQUENCE_EDITOR\" file"] {
        let ran = f.run(command);
        assert_eq!((&ran["exit_code"], &ran["timed_out"]), (&json!(1), &json!(false)), "{command}");
    }
    for variable in ["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"] {
        assert_eq!(f.output(&format!("echo text | ${variable}")), "text\n", "{variable}");
    }
    if f.run("git --version")["exit_code"] == json!(0) {
        let git = "git -c core.editor=vim -c user.name=a -c user.email=a@example.org";
        let committed = f.run(&format!("git init -q . && echo x > x && git add x && {git} commit"));
        assert_eq!((&committed["exit_code"], &committed["timed_out"]), (&json!(1), &json!(false)));
        assert!(committed["output"].as_str().unwrap().contains("using either -m or -F"), "{committed}");
    }
    assert_eq!(f.output("export GIT_EDITOR=true"), "");
}

#[test]
fn a_program_that_waits_for_keys_on_its_own_screen_is_named_at_the_time_limit() {
    let f = fixture();
    let note = |command: &str| with_timeout(&f, command, 1)["note"].as_str().unwrap().to_owned();
    assert!(note("printf '\\033[?1049h~\\n'; sleep 60").contains("waited for keys"));
    assert!(note("printf '\\033[?1049h~\\033[?1049l'; sleep 60").contains("use a longer timeout"));
}

#[test]
fn a_full_disk_is_noted_once() {
    let mut f = fixture();
    f.handlers.disk_space = |_| Some(DiskSpace { total: 100_000_000_000, free: 2_000_000_000 });
    let note = f.run("true")["note"].as_str().unwrap().to_owned();
    assert!(note.contains("almost full: 2000 MB (2 %)"), "{note}");
    assert_eq!(f.run("true").get("note"), None);
    f.handlers.disk_space = |_| Some(DiskSpace { total: 100_000_000_000, free: 50_000_000_000 });
    assert_eq!(f.run("true").get("note"), None);
    f.handlers.disk_space = |_| Some(DiskSpace { total: 2_000_000_000, free: 900_000_000 });
    assert!(f.run("true").get("note").is_some(), "again after it was not full");
}
