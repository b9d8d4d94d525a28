//! `gen --watch` and `lint --watch`, as processes: they run again after each change, survive every state of a project, and end on
//! Ctrl-C.

#![cfg(unix)]

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tempfile::TempDir;

/// The environment variable with the command line, which is set in the process that watches: one argument a line.
const ARGS: &str = "TOOLC_TEST_WATCH_ARGS";

/// Runs the command line in the process that watches; does nothing otherwise.
#[test]
fn runs_the_command_that_watches() {
    if let Some(args) = std::env::var_os(ARGS) {
        let args = args.into_string().expect("text");
        let code = toolc_codegen::cli::main_with(std::iter::once("xtask").chain(args.lines()).map(OsString::from));
        // Without the test harness, which would print as well.
        std::process::exit(i32::from(code != ExitCode::SUCCESS));
    }
}

/// A project, and a process that watches it.
struct Watched {
    folder: TempDir,
    child: Child,
    lines: Receiver<String>,
}

impl Watched {
    fn start(args: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let root = folder.path().to_str().expect("text").to_owned();
        let args = [&["--root", &root], args].concat().join("\n");
        let mut child = Command::new(std::env::current_exe().expect("a path"));
        child.args(["--exact", "watch::runs_the_command_that_watches", "--nocapture"]).env(ARGS, args);
        write(&folder, "manifests/toolsets/every.toml", "name = \"every\"\ndescription = \"All.\"\n");
        write(&folder, "toolc.toml", "dialects = [\"openai\"]\n");
        write(&folder, "manifests/tools/one.toml", &tool("one"));
        fs::create_dir(folder.path().join("target")).expect("failed to make a folder");
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("failed to start");
        let (send, lines) = channel();
        let (out, err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        let forward = send.clone();
        std::thread::spawn(move || {
            BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| forward.send(line))
        });
        std::thread::spawn(move || {
            BufReader::new(err).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        Self { folder, child, lines }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.folder, path, text);
    }

    /// Waits for the summary of the next run. Returns what was printed up to it, and the summary without its times.
    fn next(&self) -> (String, String) {
        let mut text = String::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_mins(1)).unwrap_or_else(|_| panic!("no summary: {text}"));
            if let Some((_, summary)) = line.split_once("Z] ").filter(|_| line.starts_with('[')) {
                let (summary, time) = summary.rsplit_once("; ").expect("it ends with a time");
                assert!(time.ends_with(" ms"), "{line}");
                return (text, summary.to_owned());
            }
            text += &line;
            text += "\n";
        }
    }

    /// Waits until `text` and the next lines contain `part`. Errors and summaries come on different streams, in any order.
    fn until(&self, mut text: String, part: &str) -> String {
        while !text.contains(part) {
            let line = self.lines.recv_timeout(Duration::from_mins(1));
            text += &line.unwrap_or_else(|_| panic!("no {part}: {text}"));
            text += "\n";
        }
        text
    }

    fn summary(&self) -> String {
        self.next().1
    }

    /// Asserts that no run follows within some polls.
    fn assert_quiet(&self) {
        let line = self.lines.recv_timeout(Duration::from_millis(1_200));
        assert!(line.is_err(), "{line:?}");
    }

    /// Sends the signal of Ctrl-C, and returns whether it ended the process. A parent that ignores this signal, such as a shell
    /// that runs the tests in the background, passes that on: then another signal is sent.
    fn interrupt(mut self) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored =
            status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
        let (name, number) = if ignored.unwrap_or(0) & 0b10 == 0 { ("INT", 2) } else { ("TERM", 15) };
        toolc_test_support::send_signal(name, self.child.id());
        self.child.wait().expect("it ends").signal() == Some(number)
    }
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("failed to make a folder");
    fs::write(path, text).expect("failed to write");
}

fn tool(name: &str) -> String {
    format!("name = \"{name}\"\ntoolset = \"every\"\ndescription = \"Return the number {name}.\"\n")
}

#[test]
fn gen_runs_again_after_each_change_and_ends_on_ctrl_c() {
    let watched = Watched::start(&["gen", "--watch"]);
    let first = watched.summary();
    assert!(first.starts_with("start: ") && first.ends_with(" written, 0 removed; no findings"), "{first}");
    assert!(watched.path("generated/schemas/openai/tools/one.json").exists());
    watched.assert_quiet();

    // Only what has changed is written.
    watched.write("manifests/tools/one.toml", &format!("# A comment.\n{}", tool("one")));
    let summary = watched.summary();
    assert!(summary.starts_with("manifests/tools/one.toml: 1 of ") && summary.ends_with("; no findings"), "{summary}");

    // A new file, in a new folder, and a file that an editor saves by renaming.
    watched.write("manifests/commands/rules.toml", "name = \"rules\"\n");
    let (text, summary) = watched.next();
    assert_eq!(summary, "manifests/commands/rules.toml: nothing written; 2 errors, 0 warnings", "{text}");
    let text = watched.until(text, "--> ");
    assert!(text.contains("error[C004]"), "in full: {text}");
    fs::remove_dir_all(watched.path("manifests/commands")).expect("failed to remove");
    assert!(watched.summary().contains(" of "), "it continues after an error");

    // A misspelt extension is an error until the file is gone.
    watched.write("manifests/tools/two.tmol", &tool("two"));
    assert!(watched.summary().starts_with("manifests/tools/two.tmol: nothing written; 1 error"));
    fs::remove_file(watched.path("manifests/tools/two.tmol")).expect("failed to remove");
    assert!(watched.summary().ends_with("; no findings"));

    watched.write("manifests/tools/.one.toml.swp", "half a fi");
    watched.write("manifests/tools/4913", "");
    watched.assert_quiet();
    watched.write("new", &tool("one").replace("Return", "Report"));
    fs::rename(watched.path("new"), watched.path("manifests/tools/one.toml")).expect("failed to rename");
    assert!(watched.summary().starts_with("manifests/tools/one.toml: "));
    let shown = fs::read_to_string(watched.path("generated/schemas/openai/tools/one.json")).expect("written");
    assert!(shown.contains("Report the number"), "{shown}");
    assert!(watched.interrupt());
}

#[test]
fn a_project_that_disappears_may_come_back() {
    let watched = Watched::start(&["gen", "--watch"]);
    watched.summary();
    fs::rename(watched.path("manifests"), watched.path("away")).expect("failed to rename");
    let (text, summary) = watched.next();
    assert!(summary.starts_with("manifests/tools/one.toml and 1 other file: failed"), "{summary}");
    watched.until(text, "error: failed to read ");
    watched.assert_quiet();
    fs::rename(watched.path("away"), watched.path("manifests")).expect("failed to rename");
    assert!(watched.summary().ends_with(" written, 0 removed; no findings"));
    // Several changes at once are one run.
    for name in ["two", "three", "four"] {
        watched.write(&format!("manifests/tools/{name}.toml"), &tool(name));
    }
    let summary = watched.summary();
    assert!(summary.starts_with("manifests/tools/four.toml and 2 other files: "), "{summary}");
    watched.assert_quiet();
    assert!(watched.interrupt());
}

#[test]
fn lint_runs_again_after_each_change() {
    let watched = Watched::start(&["lint", "--watch"]);
    assert_eq!(watched.summary(), "start: no findings");
    let with_parameter = format!("{}[params.x]\ntype = \"string\"\n", tool("one"));
    watched.write("manifests/tools/one.toml", &with_parameter);
    let (text, summary) = watched.next();
    assert_eq!(summary, "manifests/tools/one.toml: 0 errors, 1 warning");
    watched.until(text, "warning[M001]");
    watched.write("toolc.toml", "dialects = [\"openai\"]\n[lint]\nM001 = \"deny\"\n");
    assert_eq!(watched.summary(), "toolc.toml: 1 error, 0 warnings");
    assert!(!watched.path("generated").exists());
    assert!(watched.interrupt());
}

#[test]
fn a_baseline_is_watched_and_does_not_count_as_a_change_when_it_is_first_read() {
    let watched = Watched::start(&["lint", "--watch"]);
    assert_eq!(watched.summary(), "start: no findings");
    watched.write("base.json", "{ \"version\": 1, \"findings\": [] }");
    watched.write("toolc.toml", "dialects = [\"openai\"]\nbaseline = \"base.json\"\n");
    assert_eq!(watched.summary(), "toolc.toml: no findings");
    watched.assert_quiet();
    watched.write("base.json", "{ \"version\": 1,   \"findings\": [] }");
    assert_eq!(watched.summary(), "base.json: no findings");
    watched.assert_quiet();
    assert!(watched.interrupt());
}

#[test]
fn watching_ends_if_the_output_is_closed() {
    let mut watched = Watched::start(&["lint", "--watch"]);
    watched.summary();
    // The reading ends of the pipes are closed when their threads end: after a line that cannot be sent.
    watched.lines = channel().1;
    for round in 0..40 {
        watched.write("manifests/tools/one.toml", &format!("# {round}\n{}", tool("one")));
        std::thread::sleep(Duration::from_millis(500));
        if let Some(status) = watched.child.try_wait().expect("it can be waited for") {
            assert!(status.success(), "{status}");
            return;
        }
    }
    let _ = watched.child.kill();
    panic!("it still runs");
}
