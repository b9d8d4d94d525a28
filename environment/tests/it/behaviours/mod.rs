//! What every environment does. Each behaviour is tried in each environment.

mod files;

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolc_environment::{
    DirectoryChanged, EndReason, Environment, Exit, Input, Kind as _, Launch, Local, OnEnd, Outcome, Output, Program,
    Running, SandboxKind, Shell, Sink, Site, TerminalSize,
};
use toolc_test_support::apptainer::Recorder;
#[cfg(feature = "daytona")]
use toolc_test_support::daytona;
use toolc_test_support::{Missing, modal, programs, ssh, wait_until};

use crate::kinds::{AsKind as _, container, sandbox};
use crate::text::Text;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// An environment to try.
struct Subject {
    name: &'static str,
    /// Returns why it cannot be tried on this machine.
    why_not: fn() -> Option<Missing>,
    /// Makes an environment whose directory is this folder.
    make: fn(&Path) -> Arc<dyn Environment>,
}

const ENVIRONMENTS: &[Subject] = &[
    Subject { name: "local", why_not: || None, make: |folder| Arc::new(Local::new(folder)) },
    Subject {
        name: "sandbox",
        why_not: || sandbox(&SandboxKind::default()).err(),
        make: |folder| {
            SandboxKind::default()
                .make(&Site { directory: folder, host_home: None, leases: None })
                .expect("it can be made")
        },
    },
    Subject {
        name: "docker",
        why_not: || container().err(),
        make: |folder| {
            let kind = container().expect("it was there");
            kind.make(&Site { directory: folder, host_home: None, leases: None }).expect("it can be made")
        },
    },
    Subject {
        name: "apptainer, recorded",
        why_not: || None,
        make: |folder| {
            static RECORDER: LazyLock<Recorder> = LazyLock::new(Recorder::new);
            RECORDER.kind().make(&Site { directory: folder, host_home: None, leases: None }).expect("it can be made")
        },
    },
    Subject {
        name: "ssh",
        why_not: || ssh::server().err(),
        make: |folder| {
            let kind = ssh::server().expect("it was there").kind().directory(folder);
            kind.make(&Site { directory: Path::new("/"), host_home: None, leases: None }).expect("it can be made")
        },
    },
    #[cfg(feature = "daytona")]
    Subject {
        name: "daytona",
        why_not: || daytona::service().err(),
        make: |folder| {
            let kind = daytona::service().expect("it was there").kind().directory(folder).max_sandboxes(100);
            kind.make(&Site { directory: Path::new("/"), host_home: None, leases: None }).expect("it can be made")
        },
    },
    Subject {
        name: "modal",
        why_not: || modal::python().err(),
        make: |folder| {
            static SERVICE: LazyLock<modal::Service> =
                LazyLock::new(|| modal::Service::start(modal::python().expect("it was there"), &[]));
            // The sandboxes of the stand-in see all files of this machine.
            let kind = SERVICE.kind().directory(folder).max_sandboxes(100);
            kind.make(&Site { directory: folder, host_home: None, leases: None }).expect("it can be made")
        },
    },
];

/// What is expected, in words and as a test.
type Behaviour = (&'static str, fn(&Try));

/// What is expected of all of them.
const BEHAVIOURS: &[Behaviour] = &[
    ("a shell line runs in the directory", shell_line),
    ("a program gets its arguments unchanged", arguments),
    ("another directory", other_directory),
    ("a directory that does not exist", missing_directory),
    ("a directory whose place a link has taken", replaced_directory),
    ("variables are set and removed", variables),
    ("both streams in order", merged),
    ("both streams apart", apart),
    ("input in one piece", input_bytes),
    ("input piece by piece", open_input),
    ("no input", no_input),
    ("a channel in both directions", channel),
    ("exit codes and signals", exits),
    ("a program that does not exist", missing_program),
    ("waiting stops", waiting_stops),
    ("an end ends all processes", end),
    ("dropping ends all processes", drop_ends),
    ("a sink that refuses output", refused_output),
    ("the end is reported", reported_end),
    ("a terminal", terminal),
    ("released processes continue until they are ended", release),
    ("cleaning up ends everything, and nothing starts after it", clean_up),
    ("many at the same time", many),
];

#[test]
fn every_environment_behaves_the_same() {
    check_all(ENVIRONMENTS, BEHAVIOURS);
}

/// Tries each behaviour in each environment.
fn check_all<'a>(environments: impl IntoIterator<Item = &'a Subject>, behaviours: &[Behaviour]) {
    let mut failures = Vec::new();
    for Subject { name: environment, why_not, make } in environments {
        if let Some(missing) = why_not() {
            missing.skip();
            continue;
        }
        for (name, behaviour) in behaviours {
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
    environment: Arc<dyn Environment>,
    folder: PathBuf,
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

/// A pipe in the directory of a subject, which a process has open as long as it lives. Process ids are not valid outside of some
/// environments.
struct Life(File);

impl Life {
    /// Makes a pipe, which a process opens with `exec 9> NAME`.
    fn new(it: &Try, name: &str) -> Self {
        let path = it.folder.join(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).expect("failed to make a pipe");
        let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).expect("a small number");
        Self(OpenOptions::new().read(true).custom_flags(nonblocking).open(path).expect("failed to open"))
    }

    /// Returns whether a process has the pipe open.
    fn is_on(&self) -> bool {
        match (&self.0).read(&mut [0]) {
            Ok(read) => read > 0,
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }
}

fn shell_line(it: &Try) {
    let (outcome, text) = it.run(line("pwd; echo x > file"), |_| {});
    let expected = Outcome { exit: Exit::Code(0), reason: EndReason::Exited, left_running: false };
    assert_eq!((outcome, text), (expected, format!("{}\n", it.folder.display())));
    assert!(it.folder.join("file").exists());
    let shell = it.run(line("echo ${BASH_VERSION:+bash} $0"), |_| {}).1;
    let expected = if it.environment.shell() == Shell::Bash { "bash bash\n" } else { "sh" };
    assert!(shell.trim_start().starts_with(expected), "{shell}");
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

fn replaced_directory(it: &Try) {
    std::fs::create_dir_all(it.folder.join("other/in")).expect("failed to make a folder");
    std::fs::create_dir_all(it.folder.join("line\n")).expect("failed to make a folder");
    symlink("other", it.folder.join("place")).expect("failed to make a link");
    for (directory, runs) in
        [("other/in", true), ("line\n", true), ("place", false), ("place/in", false), ("place/..", false)]
    {
        let mut launch = Launch::new(line("echo x > ran"), Output::None);
        launch.directory = Some(it.folder.join(directory));
        // A sandbox notices it when it has started the shell.
        let started = it.environment.start(launch);
        let outcome = started.and_then(|running| running.wait(&|| false));
        let has_run = matches!(&outcome, Ok(Some(outcome)) if outcome.exit == Exit::Code(0));
        let is_told = match &outcome {
            Ok(outcome) => outcome.is_some_and(|outcome| outcome.exit == Exit::Code(125)),
            Err(error) => DirectoryChanged::is(error),
        };
        assert!(has_run == runs && is_told != runs, "{directory:?}: {outcome:?}");
        let file = it.folder.join(directory).join("ran");
        assert_eq!(std::fs::remove_file(file).is_ok(), runs, "{directory:?}");
    }
    let identity = |name: &str| {
        let found = it.environment.files().metadata(&it.folder.join(name)).expect("the folder exists");
        found.identity.expect("it has an identity")
    };
    let (old, other) = (identity("other/in"), identity("other"));
    for (identity, runs) in [(old, true), (other, false)] {
        let mut launch = Launch::new(line("echo x > ran"), Output::None);
        launch.directory = Some(it.folder.join("other/in"));
        launch.identity = Some(identity);
        let outcome = it.environment.start(launch).and_then(|running| running.wait(&|| false));
        assert_eq!(std::fs::remove_file(it.folder.join("other/in/ran")).is_ok(), runs, "{outcome:?}");
        assert!(runs || outcome.as_ref().is_ok() || outcome.as_ref().is_err_and(DirectoryChanged::is), "{outcome:?}");
    }
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

fn channel(it: &Try) {
    use std::io::{Read as _, Write as _};
    // Reads from its standard input, and answers there.
    let script = "import socket; it = socket.socket(fileno=0); it.sendall(it.recv(100).upper()); it.recv(1)";
    let command = Program::Command("python3".into(), vec!["-c".into(), script.into()]);
    let mut launch = Launch::new(command, Output::None);
    launch.input = Input::Channel;
    let running = match it.environment.start(launch) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Missing::program("python3").skip();
        }
        started if !it.environment.abilities().channel => {
            assert_eq!(started.expect_err("it cannot").kind(), ErrorKind::Unsupported);
            return;
        }
        started => started.expect("failed to start"),
    };
    let mut channel = running.channel().expect("it has a channel");
    channel.write_all(b"to and fro").expect("it reads");
    let mut answer = [0; 10];
    channel.read_exact(&mut answer).expect("it answers");
    assert_eq!(&answer, b"TO AND FRO");
    assert_eq!(running.outcome().expect("no error"), None);
    channel.close();
    assert_eq!(wait(&*running).exit, Exit::Code(0));
    let (without, _) = it.start(line("exit"), |_| {});
    assert_eq!(without.channel().expect_err("no channel").kind(), ErrorKind::Unsupported);
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

/// Starts a program with a child, both of which ignore SIGTERM.
fn stubborn(it: &Try) -> (Box<dyn Running>, [Life; 2]) {
    let lives = ["parent", "child"].map(|name| Life::new(it, name));
    let child = "trap '' TERM; exec 9> child; echo; sleep 600; exit";
    let (running, text) = it.start(
        Program::Command(
            "sh".into(),
            vec!["-c".into(), "trap '' TERM; sh -c \"$0\" & exec 9> parent; echo; wait; exit".into(), child.into()],
        ),
        |_| {},
    );
    wait_until("two processes", || text.get().lines().count() == 2);
    assert!(lives.iter().all(Life::is_on));
    (running, lives)
}

fn end(it: &Try) {
    let (running, text) = it.start(line("echo begun; exec sleep 600"), |_| {});
    text.wait_for("begun");
    running.end().expect("no error");
    assert_eq!(text.get(), "begun\n", "nothing but the program writes");
    let (running, lives) = stubborn(it);
    let outcome = running.end().expect("no error");
    // In some environments, the program is a child of another one, which a first signal ends.
    assert!(matches!(outcome.exit, Exit::Signal(9 | 15)), "{outcome:?}");
    assert_eq!(outcome.reason, EndReason::Stopped);
    assert_eq!(running.outcome().expect("no error"), Some(outcome));
    wait_until("the end", || !lives.iter().any(Life::is_on));
}

fn drop_ends(it: &Try) {
    let (running, lives) = stubborn(it);
    drop(running);
    wait_until("the end", || !lives.iter().any(Life::is_on));
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
    let (running, screen) = start(
        "test -t 0 -a -t 1 -a -t 2 && stty size; echo $TERM; read x; echo got $x; \
         while [ \"$(stty size)\" = '20 90' ]; do sleep 0.1; done; stty size; cat",
    )
    .expect("it can");
    screen.wait_for("xterm-256color");
    assert!(screen.get().contains("20 90"), "{}", screen.get());
    running.write(b"this\n").expect("it reads");
    screen.wait_for("got this");
    // The command that reaches the environment may lose a change while it starts.
    let sizes = (1..).map(|more| TerminalSize { rows: 20 + more, columns: 90 + more });
    let is_shown = |size: &TerminalSize| screen.get().contains(&format!("{} {}", size.rows, size.columns));
    let mut set = Vec::new();
    for size in sizes.take(100) {
        running.resize(size).expect("it has a terminal");
        set.push(size);
        thread::sleep(Duration::from_millis(200));
        if set.iter().any(is_shown) {
            break;
        }
    }
    assert!(set.iter().any(is_shown), "{}", screen.get());
    running.close_input().expect("it has an input");
    assert_eq!(wait(&*running).exit, Exit::Code(0));
}

fn release(it: &Try) {
    let life = Life::new(it, "life");
    let (running, text) = it.start(line("sh -c 'exec 9> life; while echo; do sleep 0.01; done' & exit 0"), |_| {});
    text.wait_for("\n");
    let outcome = wait(&*running);
    assert!(outcome.left_running);
    running.release();
    let length = text.get().len();
    thread::sleep(Duration::from_millis(200));
    assert!(life.is_on(), "its output is read, so that it does not end");
    assert_eq!(text.get().len(), length, "its output is discarded");
    it.environment.end_released();
    wait_until("the end", || !life.is_on());
    let (running, text) =
        it.start(line("sh -c 'exec 9> life; echo; exec sleep 600' > /dev/null & echo; exec 9< life"), |_| {});
    text.wait_for("\n");
    wait(&*running);
    running.release();
    wait_until("the start", || life.is_on());
    it.environment.clean_up();
    wait_until("the end", || !life.is_on());
}

fn clean_up(it: &Try) {
    let (running, lives) = stubborn(it);
    it.environment.clean_up();
    wait_until("the end", || !lives.iter().any(Life::is_on));
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
