//! A command cannot use the terminal of its host: neither write to it, nor answer the host's questions by typing into it.
#![cfg(unix)]

use std::env;
use std::fs::{self, File};
use std::io::{self, Read as _, pipe};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{ioctl_tiocsctty, setsid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use toolc_process::{Process, Sink};

/// The environment variable with the path of the program that tries to use the terminal.
const PROGRAM: &str = "TOOLC_TEST_PROGRAM";
/// The environment variable with the path of the file for the report of the test process that has a terminal.
const REPORT: &str = "TOOLC_TEST_REPORT";

#[derive(Debug, Default)]
struct All(Vec<u8>);

impl Sink for All {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.extend(bytes);
        true
    }
}

/// Runs in a separate process, whose controlling terminal is a new one.
#[test]
fn a_command_can_neither_write_to_the_terminal_nor_type_into_it() {
    if let (Some(program), Some(report)) = (env::var_os(PROGRAM), env::var_os(REPORT)) {
        return in_a_terminal(Path::new(&program), Path::new(&report));
    }
    let folder = tempfile::TempDir::new().expect("failed to make a folder");
    let [program, report] = ["terminal", "report"].map(|name| folder.path().join(name));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal.c");
    let compiled = Command::new("cc").arg("-o").arg(&program).arg(source).status().expect("failed to start `cc`");
    assert!(compiled.success());

    let (master, slave) = open_terminal();
    let stream = || Stdio::from(slave.try_clone().expect("failed to duplicate"));
    let mut test = Command::new(env::current_exe().expect("this is a program"));
    let name = "a_command_can_neither_write_to_the_terminal_nor_type_into_it";
    test.args([name, "--exact", "--nocapture"]).env(PROGRAM, &program).env(REPORT, &report);
    test.stdin(stream()).stdout(stream()).stderr(stream());
    let mut child = test.spawn().expect("failed to start");
    // Both have the terminal open.
    drop((test, slave));
    let mut shown = Vec::new();
    // Reading a terminal that no process has open is an error on Linux.
    let _ = File::from(master).read_to_end(&mut shown);
    let shown = String::from_utf8_lossy(&shown);
    assert!(child.wait().expect("failed to wait").success(), "{shown}");

    let report = fs::read_to_string(&report).expect("the process writes its report");
    let (inherited, isolated) = report.split_once("---\n").expect("two reports");
    // Without isolation, the program finds the terminal as `/dev/tty` and as an open descriptor. Whether it can type depends
    // on the system.
    assert!(inherited.starts_with("/dev/tty: open\nterminal: written, "), "{inherited}");
    assert!(shown.contains("by the command"), "{shown}");
    assert_eq!(isolated, "/dev/tty: none\n");
    let written = inherited.matches("terminal: written").count();
    assert_eq!(shown.matches("by the command").count(), written, "{shown}");
}

fn open_terminal() -> (OwnedFd, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("failed to open a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("failed to unlock the terminal");
    fcntl_setfd(&master, FdFlags::CLOEXEC).expect("failed to set the flag");
    let path = ptsname(&master, Vec::new()).expect("the terminal has a name");
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(path, flags, Mode::empty()).expect("failed to open the terminal");
    (master, slave)
}

/// Runs the program twice: as any child, and as a command.
fn in_a_terminal(program: &Path, report: &Path) {
    setsid().expect("failed to start a session");
    ioctl_tiocsctty(io::stdin()).expect("failed to get the terminal");
    // A descriptor that children inherit.
    let terminal = File::options().read(true).write(true).open("/dev/tty").expect("this process has a terminal");
    fcntl_setfd(&terminal, FdFlags::empty()).expect("failed to set the flag");

    let (mut reader, writer) = pipe().expect("failed to make a pipe");
    let mut inherited = Command::new(program);
    inherited.stdin(Stdio::null()).stdout(writer.try_clone().expect("failed to duplicate")).stderr(writer);
    let status = inherited.status().expect("failed to start the program");
    drop(inherited);
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("the program writes text");
    assert!(status.success());

    let mut process = Process::new(Command::new(program));
    let output = process.output(All::default()).expect("failed to make a pipe");
    let outcome = process.run(None, || false).expect("failed to start the program");
    assert!(outcome.status.success());
    text += "---\n";
    text += &String::from_utf8(output.take().0).expect("the program writes text");
    fs::write(report, text).expect("failed to write");
}
