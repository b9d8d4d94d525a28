//! Processes in the background, and the tool `process`.

use std::sync::{Arc, Mutex, mpsc};

use super::*;
use crate::background::processes::MAX_RUNNING;

#[test]
fn a_process_is_started_polled_and_ended() {
    let f = fixture();
    let started = value(f.terminal(terminal::Args {
        background: true,
        ..args("echo begun; while read x; do echo got $x; done; sleep 600")
    }));
    assert_eq!((&started["session_id"], &started["output"]), (&json!("proc_1"), &json!("begun\n")));
    assert_eq!((&started["exit_code"], &started["timed_out"]), (&Value::Null, &json!(false)));
    assert!(started["pid"].as_u64().unwrap() > 0);
    f.submit("proc_1", "one");
    f.write("proc_1", "tw");
    f.write("proc_1", "o\n");
    assert_eq!(f.wait_for("proc_1", "two"), "begun\ngot one\ngot two\n");
    assert_eq!(f.act(Action::Poll, "proc_1")["output"], "got one\ngot two\n", "since the last look");
    assert_eq!(f.act(Action::Poll, "proc_1")["output"], "");
    let list = f.act(Action::List, "");
    let [process] = &list["processes"].as_array().unwrap()[..] else { panic!("{list}") };
    assert_eq!((&process["session_id"], &process["status"]), (&json!("proc_1"), &json!("running")));
    assert!(process["command"].as_str().unwrap().starts_with("echo begun;"));
    let killed = f.act(Action::Kill, "proc_1");
    assert_eq!((&killed["process"]["status"], &killed["process"]["signal"]), (&json!("killed"), &json!("SIGTERM")));
    assert_eq!(f.act(Action::Kill, "proc_1")["process"]["status"], "killed");
    assert!(!is_alive(&started["pid"].to_string()));
}

#[test]
fn a_host_sees_what_runs_in_a_task() {
    let f = fixture();
    assert_eq!(RunningProcess::of_task(f.caller.task()), []);
    let (first, second) = (f.start("sleep 600", |_| {}), f.start("sleep 601", |_| {}));
    f.act(Action::Kill, &first);
    let [running] = &RunningProcess::of_task(f.caller.task())[..] else { panic!("one process runs") };
    assert_eq!((&running.session_id, &*running.command), (&second, "sleep 601"));
    assert!(running.started.elapsed().is_ok_and(|age| age < Duration::from_mins(10)));
}

#[test]
fn a_process_that_ends_at_once_is_reported_at_once() {
    let f = fixture();
    let ended = value(f.terminal(terminal::Args { background: true, ..args("echo no >&2; exit 3") }));
    assert_eq!((&ended["exit_code"], &ended["output"]), (&json!(3), &json!("no\n")));
    let poll = f.act(Action::Poll, "proc_1");
    assert_eq!(
        (&poll["process"]["status"], &poll["process"]["exit_code"], &poll["output"]),
        (&json!("exited"), &json!(3), &json!(""))
    );
}

#[test]
fn waiting_ends_with_the_process_or_the_time() {
    let f = fixture();
    let id = f.start("sleep 0.5; echo end; exit 4", |_| {});
    let waited = f.act(Action::Wait, &id);
    assert_eq!((&waited["output"], &waited["timed_out"]), (&json!("end\n"), &json!(false)));
    assert_eq!(waited["process"]["exit_code"], 4);
    let id = f.start("echo x; sleep 600", |_| {});
    let waited = value(f.process(Action::Wait, &id, |args| args.timeout = 1));
    assert_eq!((&waited["timed_out"], &waited["process"]["status"]), (&json!(true), &json!("running")));
    assert!(waited["note"].as_str().unwrap().contains("still runs after 1 s"));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| f.process(Action::Wait, &id, |_| {}));
        std::thread::sleep(Duration::from_millis(50));
        f.caller.cancel();
        let error = waiting.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    });
}

#[test]
fn a_timeout_ends_a_process() {
    let f = fixture();
    let id = f.start("sleep 600", |args| args.timeout = Some(1));
    let waited = f.act(Action::Wait, &id);
    assert_eq!((&waited["process"]["status"], &waited["timed_out"]), (&json!("timed_out"), &json!(false)));
}

#[test]
fn the_output_is_paged_by_lines() {
    let f = fixture();
    let id = f.start("seq 1 500; sleep 600", |_| {});
    f.wait_for(&id, "\n500\n");
    let page = |offset: Option<i64>, limit: i64| {
        value(f.process(Action::Log, &id, |args| (args.offset, args.limit) = (offset, limit)))
    };
    let last = page(None, 2);
    assert_eq!(
        (&last["output"], &last["first_line"], &last["total_lines"]),
        (&json!("499\n500\n"), &json!(498), &json!(500))
    );
    assert_eq!(page(Some(0), 3)["output"], "1\n2\n3\n");
    assert_eq!(page(Some(499), 3)["output"], "500\n");
    let error = f.process(Action::Log, &id, |args| args.offset = Some(500)).unwrap_err();
    assert_eq!((error.kind(), error.message().contains("500 lines")), (ErrorKind::InvalidArguments, true));
}

#[test]
fn mistakes_are_explained() {
    let f = fixture();
    let error = |action, id: &str| f.process(action, id, |_| {}).unwrap_err();
    assert!(error(Action::Poll, "").message().contains("`session_id` is required for `poll`"));
    let unknown = error(Action::Poll, "proc_9");
    assert_eq!(unknown.kind(), ErrorKind::NotFound);
    assert!(unknown.message().contains("no process was started"), "{unknown}");
    let id = f.start("exit 0", |_| {});
    f.act(Action::Wait, &id);
    assert!(error(Action::Kill, "x").message().contains("are proc_1"));
    assert_eq!(error(Action::Write, &id).kind(), ErrorKind::InvalidArguments);
    let ended = f.process(Action::Submit, &id, |args| args.data = Some("x".to_owned())).unwrap_err();
    assert!(ended.message().contains("has ended: nothing was written"), "{ended}");
    assert!(error(Action::Close, &id).message().contains("has ended"));
    let id = f.start("exec <&-; sleep 600", |_| {});
    let mut refused = None;
    wait_until("the error", || {
        refused = f.process(Action::Write, &id, |args| args.data = Some("x".to_owned())).err();
        refused.is_some()
    });
    assert!(refused.unwrap().message().contains("closed its input"));
    let id = f.start("sleep 600", |_| {});
    let much = "x".repeat(2 << 20);
    let error = f.process(Action::Write, &id, |args| args.data = Some(much)).unwrap_err();
    assert!(error.message().contains("does not read its input"), "{error}");
}

#[test]
fn closing_the_input_ends_what_reads_it() {
    let f = fixture();
    for pty in [false, true] {
        let id = f.start("cat; echo end", |args| args.pty = pty);
        f.write(&id, "text");
        f.act(Action::Close, &id);
        let waited = f.act(Action::Wait, &id);
        assert_eq!(waited["process"]["exit_code"], 0, "{waited}");
    }
}

#[test]
fn tasks_see_only_their_own_processes_which_end_with_them() {
    let f = fixture();
    let other = Caller::new();
    let start = terminal::Args { background: true, ..args("sleep 600 & echo $!; sleep 601; exit") };
    let started = f.handlers.terminal(start, &other.call("terminal")).unwrap();
    let (pid, child) = (started.pid.unwrap().to_string(), started.output);
    assert!(is_alive(&pid) && is_alive(&child));
    assert_eq!(f.act(Action::List, ""), json!({"processes": []}));
    assert_eq!(f.process(Action::Kill, "proc_1", |_| {}).unwrap_err().kind(), ErrorKind::NotFound);
    drop(other);
    assert!(!is_alive(&pid));
    wait_until("the end of the child", || !is_alive(&child));
}

#[test]
fn a_host_can_keep_processes_after_their_task() {
    let f = fixture_with(TerminalHandlers::keep_after_task);
    let left = f.output("sleep 600 > /dev/null 2>&1 & echo $!");
    let start = terminal::Args { background: true, ..args("sleep 600") };
    let pid = f.terminal(start).unwrap().pid.unwrap().to_string();
    let Fixture { handlers, dir: _dir, caller } = f;
    drop(caller);
    assert!(is_alive(&pid));
    wait_until("the end of what a command in the foreground has left", || !is_alive(&left));
    drop(handlers);
    assert!(!is_alive(&pid));
}

#[test]
fn the_number_of_processes_is_limited() {
    let f = fixture();
    for _ in 1..MAX_RUNNING {
        f.start("exec sleep 600", |_| {});
    }
    let last = f.start("exec sleep 600", |_| {});
    let error = f.terminal(terminal::Args { background: true, ..args("touch ran") }).unwrap_err();
    assert!(
        error.message().contains("64 processes already run")
            && error.message().contains("proc_1 (`exec sleep 600`), proc_2"),
        "{error}"
    );
    let other = Caller::new();
    let refused =
        f.handlers.terminal(terminal::Args { background: true, ..args("touch ran") }, &other.call("terminal"));
    assert!(refused.unwrap_err().message().contains("Other tasks have started them"));
    assert!(!f.path().join("ran").exists());
    f.act(Action::Kill, &last);
    wait_until("a free place", || f.terminal(terminal::Args { background: true, ..args("true") }).is_ok());
}

#[test]
fn processes_that_have_ended_are_kept_for_a_while_and_not_all_of_them() {
    let f = fixture();
    for _ in 0..66 {
        let id = f.start("exit 0", |_| {});
        f.act(Action::Wait, &id);
    }
    let running = f.start("sleep 600", |_| {});
    let listed = |f: &Fixture| {
        let list = f.act(Action::List, "");
        let ids = list["processes"].as_array().unwrap().iter().map(|process| process["session_id"].clone());
        ids.collect::<Vec<_>>()
    };
    // An end is reported on another thread.
    wait_until("64 that have ended", || listed(&f).len() == 65);
    assert_eq!((&listed(&f)[0], listed(&f).last()), (&json!("proc_3"), Some(&json!(running))));
    let mut host = HostProcesses::default();
    assert_eq!(host.kept, Duration::from_mins(30));
    host.kept = Duration::from_millis(500);
    let f = fixture_with(|handlers| TerminalHandlers { processes: Arc::new(host), ..handlers });
    let (ended, running) = (f.start("exit 0", |_| {}), f.start("sleep 600", |_| {}));
    wait_until("the end", || f.process(Action::Poll, &ended, |_| {}).is_err());
    assert_eq!(f.process(Action::Poll, &ended, |_| {}).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(listed(&f), [json!(running)]);
}

#[test]
fn the_host_gets_the_events_that_the_model_has_asked_for() {
    let (sender, events) = mpsc::channel();
    let f = fixture_with(|handlers| handlers.on_event(move |event| sender.send(event.clone()).unwrap()));
    let quiet = f.start("echo ready; exit 1", |_| {});
    f.act(Action::Wait, &quiet);
    let id = f.start("echo starting; echo is ready; sleep 0.2; printf 'Password: '; exit 2", |args| {
        args.notify_on_complete = true;
        args.watch_patterns = Some(vec!["ready".to_owned(), "Password".to_owned()]);
    });
    let next = || {
        let event = events.recv_timeout(LIMIT).unwrap();
        assert_eq!((&*event.task, &event.session_id), ("test", &id));
        event
    };
    let first = next();
    assert_eq!(first.kind, ProcessEventKind::Matched { pattern: "ready".to_owned(), line: "is ready".to_owned() });
    assert!(first.to_string().ends_with("has printed a line with `ready`: is ready"), "{first}");
    assert_eq!(
        next().kind,
        ProcessEventKind::Matched { pattern: "Password".to_owned(), line: "Password: ".to_owned() }
    );
    let last = next();
    assert_eq!(last.kind, ProcessEventKind::Ended { exit_code: Some(2), signal: None });
    assert_eq!(f.act(Action::Poll, &id)["matches"], json!(["is ready", "Password: "]));
    assert!(events.recv_timeout(Duration::from_millis(50)).is_err(), "not those of the other process");
}

#[test]
fn a_burst_of_matches_is_muted() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&events);
    let f = fixture_with(|handlers| handlers.on_event(move |event| kept.lock().unwrap().push(event.kind.clone())));
    let id = f.start("yes | head -n 1000", |args| args.watch_patterns = Some(vec!["y".to_owned()]));
    let waited = f.act(Action::Wait, &id);
    let events = events.lock().unwrap();
    assert_eq!((events.len(), events.last()), (9, Some(&ProcessEventKind::Muted)));
    assert!(waited["note"].as_str().unwrap().contains("no longer reported"), "{waited}");
}

#[test]
fn a_host_without_events_says_so_and_a_panic_of_its_function_is_ignored() {
    let f = fixture();
    let started = f.terminal(terminal::Args { background: true, notify_on_complete: true, ..args("true") }).unwrap();
    assert!(started.note.unwrap().contains("does not deliver notifications"));
    let f = fixture_with(|handlers| handlers.on_event(|_| panic!("expected by the test")));
    let id = f.start("echo x; echo y; exit 3", |args| {
        args.notify_on_complete = true;
        args.watch_patterns = Some(vec!["x".to_owned()]);
    });
    assert_eq!(f.act(Action::Wait, &id)["process"]["exit_code"], 3);
    assert_eq!(f.act(Action::Log, &id)["output"], "x\ny\n");
}

#[test]
fn the_screen_of_a_terminal_is_what_a_person_sees() {
    let f = fixture();
    let id = f.start("printf 'old\\033[2J\\033[3;5Hhere'; read x; echo; stty size; sleep 600", |args| args.pty = true);
    let screen = f.wait_for_screen(&id, "here");
    assert_eq!(screen, "\n\n    here");
    f.submit(&id, "typed");
    let screen = f.wait_for_screen(&id, "40 120");
    assert!(screen.contains("heretyped") && !screen.contains("old"), "{screen}");
    let log = f.act(Action::Log, &id)["output"].as_str().unwrap().to_owned();
    assert!(log.contains("old\n\n\n    heretyped") && !log.contains('\u{1b}'), "{log:?}");
    wait_until("the interruption", || {
        // A shell that is about to start a program can miss one. It is an error if the process has ended.
        let _ = f.process(Action::Write, &id, |args| args.data = Some("\u{3}".to_owned()));
        f.act(Action::Poll, &id)["process"]["status"] != "running"
    });
    assert_eq!(f.act(Action::Poll, &id)["process"]["signal"], "SIGINT");
}

/// The memory of this process in bytes.
#[cfg(target_os = "linux")]
fn memory() -> usize {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// The size of each output can be set with `TOOLC_MEGABYTES`.
#[cfg(target_os = "linux")]
#[test]
fn much_output_of_many_processes_takes_little_memory() {
    let megabytes: usize = std::env::var("TOOLC_MEGABYTES").map_or(2, |number| number.parse().unwrap());
    let f = fixture();
    let before = memory();
    let command = format!(
        "(sleep 600 & echo $!) > child-$$; yes 'a line of text' | head -c {megabytes}000000; echo; echo end; sleep 601; exit"
    );
    let ids: Vec<String> = (0..10).map(|n| f.start(&command, |args| args.pty = n == 0)).collect();
    std::thread::scope(|scope| {
        for id in &ids {
            let f = &f;
            scope.spawn(move || {
                let started = Instant::now();
                loop {
                    let poll = f.act(Action::Poll, id);
                    assert!(poll["output"].as_str().unwrap().len() < 60_000);
                    let log = value(f.process(Action::Log, id, |args| args.limit = 2));
                    if log["output"].as_str().unwrap().ends_with("end\n") {
                        break;
                    }
                    assert!(started.elapsed() < LIMIT * 10, "{id}");
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
        }
    });
    let used = memory().saturating_sub(before);
    assert!(used < 100 << 20, "{} MB", used >> 20);
    let children: Vec<String> =
        fs::read_dir(f.path()).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    let list = f.act(Action::List, "");
    let pids: Vec<String> =
        list["processes"].as_array().unwrap().iter().map(|process| process["pid"].to_string()).collect();
    assert_eq!((children.len(), pids.len()), (10, 10));
    assert!(children.iter().chain(&pids).all(|id| is_alive(id)));
    std::thread::scope(|scope| {
        for id in &ids {
            let f = &f;
            scope.spawn(move || f.act(Action::Kill, id));
        }
    });
    assert!(!pids.iter().any(|id| is_alive(id)), "no zombie");
    wait_until("the end of all children", || !children.iter().any(|id| is_alive(id)));
    eprintln!("{megabytes} MB each: {} MB of memory", used >> 20);
}

#[test]
fn a_progress_bar_in_the_background_leaves_its_last_state() {
    let f = fixture();
    let bar = "echo start; for n in 1 2 3; do printf '\\r%s0%%' $n; done; read x; printf '\\r100%%\\nend\\n'; read y";
    for pty in [false, true] {
        let id = f.start(bar, |args| {
            args.pty = pty;
            args.watch_patterns = Some(vec!["10%".to_owned()]);
        });
        assert_eq!(f.wait_for(&id, "30%").replace('\r', ""), "start\n30%");
        f.submit(&id, "");
        let all = f.wait_for(&id, "end");
        assert!(all.starts_with("start\n100%\nend") || (pty && all.starts_with("start\n30%\n100%\nend")), "{all}");
        assert_eq!(f.act(Action::Poll, &id)["matches"][0], "10%", "each state is watched");
        f.act(Action::Kill, &id);
    }
}
