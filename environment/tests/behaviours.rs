//! What every environment does. Each behaviour is tried in each environment.
#![cfg(unix)]

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolc_environment::{
    EndReason, Environment, Exit, Input, Launch, Local, OnEnd, Outcome, Output, Program, Running, Sink, TerminalSize,
};

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// An environment to try.
struct Subject {
    name: &'static str,
    /// Returns whether it can be tried on this machine.
    is_available: fn() -> bool,
    /// Makes an environment whose directory is this folder.
    make: fn(&Path) -> Box<dyn Environment>,
}

const ENVIRONMENTS: &[Subject] =
    &[Subject { name: "local", is_available: || true, make: |folder| Box::new(Local::new(folder)) }];

/// What is expected, in words and as a test.
type Behaviour = (&'static str, fn(&Try));

/// What is expected of all of them.
const BEHAVIOURS: &[Behaviour] = &[
    ("a shell line runs in the directory", shell_line),
    ("a program gets its arguments unchanged", arguments),
    ("another directory", other_directory),
    ("a directory that does not exist", missing_directory),
    ("variables are set and removed", variables),
    ("both streams in order", merged),
    ("both streams apart", apart),
    ("input in one piece", input_bytes),
    ("input piece by piece", open_input),
    ("no input", no_input),
    ("exit codes and signals", exits),
    ("a program that does not exist", missing_program),
    ("waiting stops", waiting_stops),
    ("an end ends all processes", end),
    ("dropping ends all processes", drop_ends),
    ("a sink that refuses output", refused_output),
    ("the end is reported", reported_end),
    ("a terminal", terminal),
    ("released processes run on until the end of the environment", release),
    ("cleaning up ends everything, and nothing starts after it", clean_up),
    ("many at the same time", many),
];

#[test]
fn every_environment_behaves_the_same() {
    let mut failures = Vec::new();
    for Subject { name: environment, is_available, make } in ENVIRONMENTS {
        if !is_available() {
            eprintln!("skipped: `{environment}` cannot be tried on this machine");
            continue;
        }
        for (name, behaviour) in BEHAVIOURS {
            let folder = TempDir::new().expect("failed to make a folder");
            let path = folder.path().canonicalize().expect("it exists");
            let subject = Try { environment: make(&path), folder: path };
            if catch_unwind(AssertUnwindSafe(|| behaviour(&subject))).is_err() {
                failures.push(format!("{environment}: {name}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// An environment and its directory.
struct Try {
    environment: Box<dyn Environment>,
    folder: PathBuf,
}

/// Output that a test reads while the program runs.
#[derive(Debug, Default, Clone)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Sink for Text {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.lock().unwrap().extend(bytes);
        true
    }
}

impl Text {
    fn get(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        wait_until(&format!("`{text}` in the output"), || self.get().contains(text));
    }
}

#[track_caller]
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < LIMIT, "waited too long for {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn line(text: &str) -> Program {
    Program::Shell(text.to_owned())
}

impl Try {
    /// Starts a program with merged output.
    fn start(&self, program: Program, set: impl FnOnce(&mut Launch)) -> (Box<dyn Running>, Text) {
        let text = Text::default();
        let mut launch = Launch::new(program, Output::Merged(Box::new(text.clone())));
        set(&mut launch);
        (self.environment.start(launch).expect("failed to start"), text)
    }

    /// Runs a program to its end.
    fn run(&self, program: Program, set: impl FnOnce(&mut Launch)) -> (Outcome, String) {
        let (running, text) = self.start(program, set);
        (wait(&*running), text.get())
    }
}

fn wait(running: &dyn Running) -> Outcome {
    let started = Instant::now();
    running.wait(&|| started.elapsed() > LIMIT).expect("no error").expect("it ends")
}

fn is_alive(id: &str) -> bool {
    let id = rustix::process::Pid::from_raw(id.trim().parse().expect("a process id")).expect("not zero");
    rustix::process::test_kill_process(id).is_ok()
}

fn shell_line(it: &Try) {
    let (outcome, text) = it.run(line("pwd; echo x > file"), |_| {});
    let expected = Outcome { exit: Exit::Code(0), reason: EndReason::Exited, left_running: false };
    assert_eq!((outcome, text), (expected, format!("{}\n", it.folder.display())));
    assert!(it.folder.join("file").exists());
    assert_eq!(it.environment.directory(), it.folder);
    assert!(!it.environment.name().is_empty());
}

fn arguments(it: &Try) {
    let arguments = ["%s|", "a b", "", "$HOME", "it's", "\"", "é", "*", "a\nb"];
    let command = Program::Command("printf".into(), arguments.map(Into::into).to_vec());
    assert_eq!(it.run(command, |_| {}).1, "a b||$HOME|it's|\"|é|*|a\nb|");
}

fn other_directory(it: &Try) {
    std::fs::create_dir(it.folder.join("sub")).expect("failed to make a folder");
    for directory in [PathBuf::from("sub"), it.folder.join("sub")] {
        let (_, text) = it.run(line("pwd"), |launch| launch.directory = Some(directory));
        assert_eq!(text, format!("{}/sub\n", it.folder.display()));
    }
}

fn missing_directory(it: &Try) {
    let mut launch = Launch::new(line("echo"), Output::None);
    launch.directory = Some("missing".into());
    assert_eq!(it.environment.start(launch).expect_err("it does not exist").kind(), ErrorKind::NotFound);
}

fn variables(it: &Try) {
    let (_, text) = it.run(line("echo \"$A|$B|${PATH-none}|${C-none}\""), |launch| {
        let set = |name: &str, value: Option<&str>| (name.into(), value.map(Into::into));
        launch.variables = vec![
            set("A", Some("first")),
            set("A", Some("a b\n$X")),
            set("B", Some("é")),
            set("C", Some("c")),
            set("C", None),
        ];
    });
    let (start, rest) = text.split_once("|é|").expect("the variables");
    let (path, last) = rest.split_once('|').expect("the variables");
    assert_eq!((start, last), ("a b\n$X", "none\n"));
    assert!(path.contains('/'), "{path}");
}

fn merged(it: &Try) {
    assert_eq!(it.run(line("for i in 1 2 3; do echo $i; echo e$i >&2; done"), |_| {}).1, "1\ne1\n2\ne2\n3\ne3\n");
}

fn apart(it: &Try) {
    let (stdout, stderr) = (Text::default(), Text::default());
    let output = Output::Apart { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()) };
    let running = it.environment.start(Launch::new(line("echo out; echo err >&2"), output)).expect("failed to start");
    wait(&*running);
    assert_eq!((stdout.get(), stderr.get()), ("out\n".to_owned(), "err\n".to_owned()));
}

fn input_bytes(it: &Try) {
    let bytes = b"line\0\n".repeat(50_000);
    let (outcome, text) = it.run(line("wc -c"), |launch| launch.input = Input::Bytes(bytes.clone()));
    assert_eq!((outcome.exit, text.trim()), (Exit::Code(0), "300000"));
    let (outcome, _) = it.run(line("exit 2"), |launch| launch.input = Input::Bytes(bytes));
    assert_eq!(outcome.exit, Exit::Code(2), "it need not read them");
}

fn open_input(it: &Try) {
    let (running, text) = it.start(line("while read x; do echo got $x; done"), |launch| launch.input = Input::Open);
    running.write(b"one\ntw").expect("it reads");
    text.wait_for("got one\n");
    running.write(b"o\n").expect("it reads");
    text.wait_for("got two\n");
    assert_eq!(running.outcome().expect("no error"), None);
    running.close_input().expect("it is open");
    wait(&*running);
    assert_eq!(running.write(b"x").expect_err("it is closed").kind(), ErrorKind::BrokenPipe);
}

fn no_input(it: &Try) {
    let (running, text) = it.start(line("cat; echo end"), |_| {});
    assert_eq!(running.write(b"x").expect_err("no input").kind(), ErrorKind::Unsupported);
    wait(&*running);
    assert_eq!(text.get(), "end\n");
}

fn exits(it: &Try) {
    let exit = |text: &str| it.run(line(text), |_| {}).0.exit;
    assert_eq!(
        [exit("exit 7"), exit("kill -9 $$"), exit("missing-program")],
        [Exit::Code(7), Exit::Signal(9), Exit::Code(127)]
    );
}

fn missing_program(it: &Try) {
    let launch = Launch::new(Program::Command("missing-program".into(), Vec::new()), Output::None);
    assert_eq!(it.environment.start(launch).expect_err("it does not exist").kind(), ErrorKind::NotFound);
}

fn waiting_stops(it: &Try) {
    let (running, _) = it.start(line("sleep 600"), |_| {});
    let calls = Mutex::new(0);
    let stop = || {
        *calls.lock().unwrap() += 1;
        *calls.lock().unwrap() == 3
    };
    assert_eq!(running.wait(&stop).expect("no error"), None);
    assert_eq!(running.outcome().expect("no error"), None);
}

/// Starts a program with a child, both of which ignore SIGTERM. Returns the ids of both.
fn stubborn(it: &Try) -> (Box<dyn Running>, [String; 2]) {
    let (running, text) =
        it.start(line("trap '' TERM; echo $$; sh -c 'trap \"\" TERM; echo $$; sleep 600; exit' & wait; exit"), |_| {});
    wait_until("two ids", || text.get().lines().count() == 2);
    let text = text.get();
    let ids: Vec<&str> = text.lines().collect();
    (running, [ids[0].to_owned(), ids[1].to_owned()])
}

fn end(it: &Try) {
    let (running, ids) = stubborn(it);
    let outcome = running.end().expect("no error");
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(9), EndReason::Stopped));
    assert_eq!(running.outcome().expect("no error"), Some(outcome));
    wait_until("the end", || !ids.iter().any(|id| is_alive(id)));
}

fn drop_ends(it: &Try) {
    let (running, ids) = stubborn(it);
    assert!(ids.iter().all(|id| is_alive(id)));
    drop(running);
    wait_until("the end", || !ids.iter().any(|id| is_alive(id)));
}

fn refused_output(it: &Try) {
    #[derive(Debug)]
    struct Refuse;
    impl Sink for Refuse {
        fn push(&mut self, _: &[u8]) -> bool {
            false
        }
    }
    let launch = Launch::new(line("echo; sleep 600"), Output::Merged(Box::new(Refuse)));
    let running = it.environment.start(launch).expect("failed to start");
    assert_eq!(wait(&*running).reason, EndReason::OutputLimit);
}

fn reported_end(it: &Try) {
    let (sender, reports) = mpsc::channel();
    let (running, _) = it.start(line("exit 5"), |launch| {
        launch.on_end = Some(OnEnd(Box::new(move |outcome| sender.send(*outcome).expect("the test waits"))));
    });
    let outcome = wait(&*running);
    assert_eq!(reports.recv_timeout(LIMIT), Ok(outcome));
}

fn terminal(it: &Try) {
    let abilities = it.environment.abilities();
    let start = |text: &str| {
        let screen = Text::default();
        let size = TerminalSize { rows: 20, columns: 90 };
        let output = Output::Terminal { size, screen: Box::new(screen.clone()) };
        it.environment.start(Launch::new(line(text), output)).map(|running| (running, screen))
    };
    if !abilities.terminal {
        assert_eq!(start("exit").expect_err("it cannot").kind(), ErrorKind::Unsupported);
        return;
    }
    let (running, screen) =
        start("test -t 0 -a -t 1 -a -t 2 && stty size; echo $TERM; read x; stty size; cat").expect("it can");
    screen.wait_for("xterm-256color");
    assert!(screen.get().contains("20 90"), "{}", screen.get());
    running.resize(TerminalSize { rows: 21, columns: 91 }).expect("it has a terminal");
    running.write(b"\n").expect("it reads");
    screen.wait_for("21 91");
    running.close_input().expect("it has an input");
    assert_eq!(wait(&*running).exit, Exit::Code(0));
}

fn release(it: &Try) {
    let (running, text) = it.start(line("sh -c 'echo $$; while echo; do sleep 0.01; done' & exit 0"), |_| {});
    text.wait_for("\n");
    let outcome = wait(&*running);
    let id = text.get().lines().next().expect("an id").to_owned();
    assert!(outcome.left_running);
    running.release();
    let length = text.get().len();
    thread::sleep(Duration::from_millis(200));
    assert!(is_alive(&id), "its output is read, so that it does not end");
    assert_eq!(text.get().len(), length, "its output is discarded");
    it.environment.clean_up();
    wait_until("the end", || !is_alive(&id));
}

fn clean_up(it: &Try) {
    let (running, ids) = stubborn(it);
    it.environment.clean_up();
    wait_until("the end", || !ids.iter().any(|id| is_alive(id)));
    assert_eq!(running.outcome().expect("no error").map(|outcome| outcome.reason), Some(EndReason::Stopped));
    assert!(it.environment.start(Launch::new(line("echo"), Output::None)).is_err());
    it.environment.clean_up();
}

fn many(it: &Try) {
    thread::scope(|scope| {
        let runs: Vec<_> =
            (0..20).map(|n| scope.spawn(move || it.run(line(&format!("echo {n}; exit {n}")), |_| {}))).collect();
        for (n, run) in (0..).zip(runs) {
            let (outcome, text) = run.join().expect("no panic");
            assert_eq!((outcome.exit, text), (Exit::Code(n), format!("{n}\n")));
        }
    });
}
