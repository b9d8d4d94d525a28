//! The host of a test: this test program, started again. It runs one call, and executes the commands in its input.

use std::env;
use std::fs;
use std::io::{BufRead as _, stdin};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use toolc::cancel::CancelHandle;
use toolc::{Dialect, Registry, ToolCall};
use toolc_plugins::Plugins;

use crate::ends::survivors::HostFolder;
use crate::ends::{HANG, SCRIPT};

/// The tool, in the environment of the process.
const TOOL: &str = "TOOLC_TEST_TOOL";
/// The arguments of the call.
const ARGUMENTS: &str = "TOOLC_TEST_ARGUMENTS";

/// Tools that run a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Terminal,
    Plugin,
}

impl Tool {
    pub(crate) const ALL: [Self; 2] = [Self::Terminal, Self::Plugin];

    /// Returns the name of the tool, and the arguments of a call that runs for ten minutes, with a time limit in seconds.
    pub(crate) fn call(self, place: &HostFolder, limit: u64) -> (&'static str, String) {
        match self {
            Self::Terminal => ("terminal", terminal(&format!("{SCRIPT}{HANG}"), limit)),
            Self::Plugin => {
                write_plugin(place.path(), limit);
                ("hang", "{}".to_owned())
            }
        }
    }
}

/// Returns the arguments of `terminal`.
pub(crate) fn terminal(command: &str, timeout: u64) -> String {
    serde_json::json!({ "command": command, "timeout": timeout }).to_string()
}

/// The longest time limit of a call, in seconds.
pub(crate) const LONGEST: u64 = 600;

/// Writes a plugin with a tool that has this time limit, in seconds, into `folder`.
pub(crate) fn write_plugin(folder: &Path, limit: u64) {
    let tool = format!("name = \"hang\"\ntoolset = \"hang\"\ndescription = \"Hang.\"\ntimeout = \"{limit}s\"\n");
    for (path, text) in [
        ("plugin.toml", "executable = \"run\"\n".to_owned()),
        ("run", format!("#!/bin/sh\n{SCRIPT}{HANG}")),
        ("manifests/tools/hang.toml", tool),
        ("manifests/toolsets/hang.toml", "name = \"hang\"\ndescription = \"Hangs.\"\n".to_owned()),
    ] {
        let path = folder.join("plugins/hang").join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("failed to make a folder");
        fs::write(&path, text).expect("failed to write");
        for path in path.ancestors().take_while(|path| *path != folder) {
            fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("failed to set the mode");
        }
    }
}

/// Starts a host in `place` that runs one call.
pub(crate) fn start(place: &HostFolder, tool: &str, arguments: &str) -> Child {
    prepare(place, tool, arguments).spawn().expect("failed to start the host")
}

pub(crate) fn prepare(place: &HostFolder, tool: &str, arguments: &str) -> Command {
    let mut host = Command::new(env::current_exe().expect("this is a program"));
    host.args(["ends::role::run_a_call", "--exact", "--ignored", "--nocapture"]).current_dir(place.path());
    host.env(TOOL, tool).env(ARGUMENTS, arguments);
    host.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    host
}

/// Returns the standard input of a host, to which the test writes.
pub(crate) fn input(host: &mut Child) -> ChildStdin {
    host.stdin.take().expect("the stream is piped")
}

/// Not a test: the host that the tests start.
#[test]
#[ignore = "the host that the other tests start"]
fn run_a_call() {
    let (Ok(tool), Ok(arguments)) = (env::var(TOOL), env::var(ARGUMENTS)) else { return };
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools()).expect("names are unique");
    let plugins = Plugins::new().folder("plugins");
    for report in plugins.load(&registry) {
        assert!(!report.is_broken(), "{report}");
    }
    let turn = Arc::new(registry.session().build().expect("a session").turn_blocking(Dialect::OpenAi));
    let (cancel, panics) = (CancelHandle::new(), channel());
    let call = {
        // The task, and with it what the command leaves in the background, ends with the last turn: not before this process.
        let (turn, cancel) = (Arc::clone(&turn), cancel.clone());
        move || {
            let response = turn.call_blocking(&ToolCall::new(&tool, &arguments).with_cancel(&cancel));
            println!("\nresponse: {}", response.json);
        }
    };
    thread::spawn(call);
    let read = move || {
        for line in stdin().lock().lines() {
            match line.expect("failed to read").as_str() {
                "cancel" => cancel.cancel(),
                "panic" => panics.0.send("ordered by the test").expect("the host waits"),
                "abort" => std::process::abort(),
                other => unreachable!("{other}"),
            }
        }
        // The end of input ends the host in the ordinary way.
        std::process::exit(0);
    };
    thread::spawn(read);
    panic!("{}", panics.1.recv().expect("the other thread does not end before this process"));
}
