//! Programs in the background: their status, input, terminal and end.
#![cfg(unix)]

use std::io::ErrorKind;
use std::process::Command;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use toolc_process::{EndReason, Process, RunningProcess, Sink, TerminalSize};
use toolc_test_support::wait_until;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// Output that a test reads while the program runs.
#[derive(Debug, Default, Clone)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Sink for Shared {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.lock().unwrap().extend(bytes);
        true
    }
}

impl Shared {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        wait_until(&format!("`{text}` in the output"), || self.text().contains(text));
    }
}

fn shell(line: &str) -> Process {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    Process::new(command)
}

/// Starts a line with open input.
fn start(line: &str) -> (RunningProcess, Shared) {
    let (mut process, output) = (shell(line), Shared::default());
    process.output(output.clone()).expect("failed to make a pipe");
    process.input().expect("failed to make a pipe");
    (process.start().expect("failed to start a shell"), output)
}

/// Starts a program on a terminal.
fn on_terminal(program: &str, args: &[&str]) -> (RunningProcess, Shared) {
    let mut command = Command::new(program);
    command.args(args).env("TERM", "xterm").env_remove("ENV").env("PS1", "$ ");
    let (mut process, output) = (Process::new(command), Shared::default());
    process.terminal(TerminalSize { rows: 30, columns: 100 }, output.clone()).expect("failed to open a terminal");
    (process.start().expect("failed to start"), output)
}

fn is_alive(id: &str) -> bool {
    let id = rustix::process::Pid::from_raw(id.trim().parse().expect("a process id")).expect("not zero");
    rustix::process::test_kill_process(id).is_ok()
}

#[test]
fn the_outcome_is_known_when_the_program_has_ended() {
    let (process, output) = start("read line; echo \"got $line\"; exit 3");
    assert_eq!(process.outcome().expect("no error"), None);
    assert_eq!(process.wait_timeout(Duration::from_millis(30)).expect("no error"), None);
    process.write(b"it\n").expect("the program reads");
    let outcome = process.wait_timeout(LIMIT).expect("no error").expect("it ends");
    assert_eq!((outcome.status.code(), outcome.reason, outcome.left_running), (Some(3), EndReason::Exited, false));
    assert_eq!(output.text(), "got it\n", "all output has been read");
    assert_eq!(process.outcome().expect("no error"), Some(outcome));
    assert_eq!(process.end().expect("no error"), outcome, "ending it again changes nothing");
    assert_eq!(process.write(b"more").expect_err("it has ended").kind(), ErrorKind::BrokenPipe);
}

#[test]
fn a_program_that_ends_by_itself_leaves_no_zombie() {
    let (process, _) = start("exit 0");
    // Without a call of any method.
    let id = process.id().to_string();
    wait_until("the end", || !is_alive(&id));
}

#[test]
fn the_end_is_reported_once_however_the_program_ends() {
    let started = |line: &str| {
        let (sender, reports) = mpsc::channel();
        let mut process = shell(line);
        process.on_end(move |outcome| sender.send((outcome.status.code(), outcome.reason)).expect("the test waits"));
        (process.start().expect("failed to start"), reports)
    };
    let (_process, reports) = started("exit 4");
    assert_eq!(reports.recv_timeout(LIMIT), Ok((Some(4), EndReason::Exited)));
    assert!(reports.recv_timeout(LIMIT).is_err());
    let (process, reports) = started("exec sleep 600");
    process.end().expect("no error");
    assert_eq!(reports.recv_timeout(LIMIT), Ok((None, EndReason::Stopped)));
    let (process, reports) = started("exec sleep 600");
    drop(process);
    assert_eq!(reports.recv_timeout(LIMIT), Ok((None, EndReason::Stopped)));
}

#[test]
fn a_panic_of_the_report_is_ignored() {
    let mut process = shell("exit 5");
    process.on_end(|_| panic!("expected by the test"));
    let process = process.start().expect("failed to start");
    let outcome = process.wait_timeout(LIMIT).expect("no error").expect("it ends");
    assert_eq!(outcome.status.code(), Some(5));
}

#[test]
fn several_threads_end_and_wait_at_the_same_time() {
    let (process, _) = start("trap '' TERM; (trap '' TERM; sleep 601; exit) & sleep 602; exit");
    thread::scope(|scope| {
        let waiting = scope.spawn(|| process.wait_timeout(LIMIT).expect("no error"));
        let ending: Vec<_> = (0..4).map(|_| scope.spawn(|| process.end().expect("no error"))).collect();
        let outcome = waiting.join().expect("no panic").expect("it ends");
        assert_eq!(outcome.reason, EndReason::Stopped);
        assert!(ending.into_iter().all(|ended| ended.join().expect("no panic") == outcome));
    });
}

/// Starts a shell that exits and leaves a process, and returns the id of that.
fn leaving() -> (RunningProcess, String) {
    let (process, output) = start("sh -c 'echo $$; exec > /dev/null 2>&1; sleep 600; exit' & exit 0");
    output.wait_for("\n");
    let left = output.text();
    process.wait_timeout(LIMIT).expect("no error").expect("it ends");
    assert!(is_alive(&left));
    (process, left)
}

#[test]
fn what_a_program_has_left_ends_with_its_handle() {
    let (process, left) = leaving();
    process.end().expect("no error");
    wait_until("the end of what was left", || !is_alive(&left));
    let (process, left) = leaving();
    drop(process);
    wait_until("the end of what was left", || !is_alive(&left));
}

#[test]
fn what_is_released_runs_on_until_it_is_ended() {
    let (process, left) = leaving();
    let released = process.release();
    assert!(is_alive(&left) && released.is_running());
    released.end().expect("no error");
    wait_until("the end of what was left", || !is_alive(&left));
    assert!(!released.is_running());

    let (process, output) = start("echo $$; exec sleep 600");
    output.wait_for("\n");
    let released = process.release();
    assert!(is_alive(&output.text()) && released.is_running());
    released.end().expect("no error");
    assert!(!is_alive(&output.text()));
}

#[test]
fn a_program_that_does_not_read_its_input_never_blocks_the_caller() {
    let (process, _) = start("sleep 600");
    let chunk = vec![b'x'; 100_000];
    let (started, mut written) = (Instant::now(), 0);
    let error = loop {
        match process.write(&chunk) {
            Ok(()) => written += chunk.len(),
            Err(error) => break error,
        }
        assert!(written < 2 << 20, "the queue is bounded");
    };
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    assert!(error.to_string().contains("does not read its input"), "{error}");
    assert!(written >= 900_000 && started.elapsed() < LIMIT / 4, "{written} bytes in {:?}", started.elapsed());
    process.end().expect("no error");

    let (process, _) = start("exec <&-; sleep 600");
    let mut result = Ok(());
    wait_until("the error", || {
        result = process.write(b"x");
        result.is_err()
    });
    assert_eq!(result.expect_err("an error").kind(), ErrorKind::BrokenPipe);
    let closed = shell("exit").start().expect("failed to start");
    assert_eq!(closed.write(b"x").expect_err("no input").kind(), ErrorKind::Unsupported);
}

#[test]
fn closing_the_input_ends_what_a_program_reads() {
    let (process, output) = start("cat; echo end");
    let text = "a line\n".repeat(10_000);
    process.write(text.as_bytes()).expect("the program reads");
    process.close_input().expect("it has an input");
    process.wait_timeout(LIMIT).expect("no error").expect("it ends");
    assert_eq!(output.text(), text + "end\n");
    assert_eq!(process.write(b"x").expect_err("it is closed").kind(), ErrorKind::BrokenPipe);
}

#[test]
fn a_sink_that_refuses_output_ends_a_program_in_the_background() {
    #[derive(Debug, Default)]
    struct Nothing;
    impl Sink for Nothing {
        fn push(&mut self, _: &[u8]) -> bool {
            false
        }
    }
    let mut process = shell("echo; sleep 600");
    let _output = process.output(Nothing).expect("failed to make a pipe");
    let process = process.start().expect("failed to start");
    let outcome = process.wait_timeout(LIMIT).expect("no error").expect("it ends");
    assert_eq!(outcome.reason, EndReason::OutputLimit);
}

#[test]
fn all_output_is_in_the_sink_when_the_outcome_is_known() {
    /// Takes long for what arrives first, as on a busy machine.
    #[derive(Debug, Clone)]
    struct Slow(Shared);
    impl Sink for Slow {
        fn push(&mut self, bytes: &[u8]) -> bool {
            if self.0.text().is_empty() {
                thread::sleep(Duration::from_secs(1));
            }
            self.0.push(bytes)
        }
    }
    for line in ["echo first; sleep 0.2; echo last", "sleep 60 & echo first; sleep 0.2; echo last"] {
        let (mut process, output) = (shell(line), Shared::default());
        process.output(Slow(output.clone())).expect("failed to make a pipe");
        let process = process.start().expect("failed to start a shell");
        let outcome = process.wait_timeout(LIMIT).expect("no error").expect("the shell ends");
        assert_eq!((output.text(), outcome.left_running), ("first\nlast\n".to_owned(), line.contains('&')), "{line}");
    }
}

#[test]
fn a_program_runs_on_a_terminal_of_its_own() {
    let (process, output) =
        on_terminal("sh", &["-c", "tty; stty size; echo typed > /dev/tty; trap 'stty size' WINCH; read a; read b"]);
    output.wait_for("typed");
    let text = output.text();
    assert!(text.starts_with("/dev/") && text.contains("30 100\r\n"), "{text}");
    process.resize(TerminalSize { rows: 40, columns: 120 }).expect("it has a terminal");
    process.write(b"\n").expect("it reads");
    output.wait_for("40 120");
    process.end().expect("no error");
    let (without, _) = start("exit");
    assert_eq!(without.resize(TerminalSize::default()).expect_err("no terminal").kind(), ErrorKind::Unsupported);
}

#[test]
fn what_is_typed_is_seen_and_interrupts() {
    let (process, output) = on_terminal("sh", &[]);
    output.wait_for("$ ");
    process.write(b"echo $((6 * 7))\n").expect("it reads");
    output.wait_for("42\r\n");
    process.write(b"sleep 600; echo never\n").expect("it reads");
    output.wait_for("sleep 600");
    thread::sleep(Duration::from_millis(200));
    process.write(b"\x03").expect("it reads");
    output.wait_for("^C");
    // The terminal drops what is typed before the shell has handled the signal.
    thread::sleep(Duration::from_millis(500));
    process.write(b"echo status $((100 + $?))\n").expect("it reads");
    output.wait_for("status 230");
    assert!(!output.text().contains("\nnever"), "{}", output.text());
    process.close_input().expect("it has an input");
    let outcome = process.wait_timeout(LIMIT).expect("no error").expect("the shell ends at the end of its input");
    assert_eq!((outcome.status.code(), outcome.reason), (Some(0), EndReason::Exited), "the status of the last command");
}

#[test]
fn the_end_of_input_is_typed_also_within_a_line() {
    for text in ["", "line\n", "no newline"] {
        let (process, output) = on_terminal("sh", &["-c", "stty -echo; echo ready; cat; echo end"]);
        output.wait_for("ready");
        process.write(text.as_bytes()).expect("it reads");
        process.close_input().expect("it has an input");
        process.wait_timeout(LIMIT).expect("no error").unwrap_or_else(|| panic!("{text:?} does not end"));
        assert_eq!(output.text().replace("\r\n", "\n"), format!("ready\n{text}end\n"));
    }
}

#[test]
fn programs_on_a_terminal_end_with_their_children() {
    let (process, output) = on_terminal(
        "sh",
        &["-c", "trap '' HUP TERM; sh -c 'trap \"\" HUP TERM; echo $$; sleep 600; exit' & wait; exit"],
    );
    output.wait_for("\n");
    let child = output.text();
    assert!(is_alive(&child));
    drop(process);
    wait_until("the end of the child", || !is_alive(&child));
}

#[test]
fn many_programs_print_much_and_are_ended_in_parallel() {
    /// Keeps only the number of bytes.
    #[derive(Debug, Default, Clone)]
    struct Count(Arc<Mutex<usize>>);
    impl Sink for Count {
        fn push(&mut self, bytes: &[u8]) -> bool {
            *self.0.lock().unwrap() += bytes.len();
            true
        }
    }
    let started: Vec<_> = (0..10)
        .map(|_| {
            let count = Count::default();
            let mut process = shell("(yes & echo $!; yes) | head -c 20000000; echo end; sleep 600");
            process.output(count.clone()).expect("failed to make a pipe");
            (process.start().expect("failed to start"), count)
        })
        .collect();
    for (_, count) in &started {
        wait_until("the output", || *count.0.lock().unwrap() >= 20_000_004);
    }
    let ids: Vec<String> = started.iter().map(|(process, _)| process.id().to_string()).collect();
    let began = Instant::now();
    thread::scope(|scope| {
        for (process, _) in started {
            scope.spawn(move || process.end().expect("no error"));
        }
    });
    assert!(began.elapsed() < LIMIT / 2);
    assert!(ids.iter().all(|id| !is_alive(id)));
}
