//! A terminal with the program in it, and a person who types.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

/// A limit that is only reached when a test fails.
const LIMIT: Duration = Duration::from_secs(30);

/// The program in a terminal.
pub(crate) struct InTerminal {
    person: File,
    /// The other side, which the program has as its terminal.
    terminal: OwnedFd,
    before: Termios,
    child: Child,
    shown: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
    result: JoinHandle<String>,
}

/// What is left when the program has ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// What the person saw.
    pub(crate) shown: String,
    /// What went to standard output, which is not a terminal.
    pub(crate) out: String,
}

impl InTerminal {
    /// Starts `toolc` in a new terminal, in which the person has already typed `typed`.
    pub(crate) fn start(folder: &Path, args: &[&str], typed: &str) -> Self {
        Self::start_with(folder, args, typed, &[])
    }

    /// Starts `toolc` with these environment variables.
    pub(crate) fn start_with(folder: &Path, args: &[&str], typed: &str, variables: &[(&str, &str)]) -> Self {
        let person =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("failed to open a terminal");
        grantpt(&person).and_then(|()| unlockpt(&person)).expect("failed to unlock the terminal");
        let path = ptsname(&person, Vec::new()).expect("the terminal has a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let terminal = rustix::fs::open(path, flags, Mode::empty()).expect("failed to open the terminal");
        let size = Winsize { ws_col: 80, ws_row: 24, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("failed to set the size");
        let before = tcgetattr(&terminal).expect("the terminal has attributes");
        let mut person = File::from(person);
        person.write_all(typed.as_bytes()).expect("failed to type");

        let stream = || Stdio::from(terminal.try_clone().expect("failed to duplicate"));
        // The terminal on standard input becomes that of the new session.
        let mut command = Command::new("setsid");
        command.args(["--ctty", env!("CARGO_BIN_EXE_toolc")]).args(args).current_dir(folder);
        command.env("TOOLC_HOME", folder.join("home")).env("XDG_CONFIG_HOME", folder.join("config"));
        command.env("XDG_CACHE_HOME", folder.join("cache")).env_remove("TOOLC_APPROVAL").env("TERM", "xterm");
        command.envs(variables.iter().copied());
        command.stdin(stream()).stderr(stream()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("failed to start `setsid`");
        drop(command);
        let mut out = child.stdout.take().expect("a pipe");
        let result = thread::spawn(move || {
            let mut text = String::new();
            out.read_to_string(&mut text).expect("the output is text");
            text
        });
        let shown = Arc::new(Mutex::new(Vec::new()));
        let mut screen = person.try_clone().expect("failed to duplicate");
        let all = Arc::clone(&shown);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading a terminal that no process has open is an error on Linux.
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                all.lock().expect("no panic").extend(&bytes[..length]);
            }
        });
        Self { person, terminal, before, child, shown, reader, result }
    }

    /// Returns the id of the program's process.
    pub(crate) fn id(&self) -> u32 {
        // `setsid` becomes the program, because it does not lead a group.
        self.child.id()
    }

    /// Returns what is shown so far.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().expect("no panic")).into_owned()
    }

    /// Waits until a text is shown for the `count`th time.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str, count: usize) {
        let started = Instant::now();
        while self.shown().matches(text).count() < count {
            assert!(started.elapsed() < LIMIT, "{text:?} is missing: {}", self.shown());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the `count`th question, and presses keys.
    #[track_caller]
    pub(crate) fn answer(&mut self, count: usize, keys: &str) {
        self.wait_for("[n]", count);
        // The program may still throw away what is typed while it writes the question.
        thread::sleep(Duration::from_millis(200));
        self.press(keys);
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.person.write_all(keys.as_bytes()).expect("failed to type");
    }

    /// Returns whether the program has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("failed to look").is_some()
    }

    /// Waits for the end of the program. Checks that the terminal is as it was.
    #[track_caller]
    pub(crate) fn end(mut self) -> Ended {
        let started = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("failed to wait") {
                Some(status) => break status,
                None if started.elapsed() > LIMIT => {
                    let _ = self.child.kill();
                    panic!("the program does not end: {}", self.shown());
                }
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        let after = tcgetattr(&self.terminal).expect("the terminal has attributes");
        assert_eq!(format!("{after:?}"), format!("{:?}", self.before), "the terminal is restored");
        drop(self.terminal);
        self.reader.join().expect("no panic");
        let shown = String::from_utf8_lossy(&self.shown.lock().expect("no panic")).into_owned();
        Ended { status, shown, out: self.result.join().expect("no panic") }
    }
}

impl Ended {
    /// Returns the result of a call.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {:?} {}", self.out, self.shown))
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}
