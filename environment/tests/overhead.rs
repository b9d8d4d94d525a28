//! How long a trivial command takes in an environment, next to the program of the command line that reaches the same place. Prints medians
//! and ratios of one run: `cargo xtask soak containers` and `cargo xtask soak ssh` measure docker and SSH.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolc_environment::{
    ContainerKind, Environment, Exit, HiddenFolder, Kind, Launch, Local, LocalKind, Output, Program, Site, SshKind,
};
use toolc_test_support::ssh::Server;
use toolc_test_support::{Missing, skip, wait_until};

/// How often each command runs.
const ROUNDS: usize = 25;
/// The most that an environment may take, as a multiple of the fastest program of the command line.
const MAX_RATIO: f64 = 10.0;

/// The most that hiding a folder from a command may take, on a machine that also does other work.
const MAX_MORE: Duration = Duration::from_millis(50);

/// A way to run a trivial command.
type Way<'w> = (&'static str, Box<dyn Fn() + 'w>);

fn in_environment(name: &'static str, environment: Arc<dyn Environment>) -> Way<'static> {
    let run = move || {
        let running =
            environment.start(Launch::new(Program::Shell("true".to_owned()), Output::None)).expect("it starts");
        let outcome = running.wait(&|| false).expect("no error").expect("it ends");
        assert_eq!(outcome.exit, Exit::Code(0));
    };
    (name, Box::new(run))
}

fn by_program<'w>(name: &'static str, program: &'w str, arguments: Vec<String>) -> Way<'w> {
    let run = move || {
        let status = Command::new(program).args(&arguments).stdin(Stdio::null()).status().expect("it starts");
        assert!(status.success(), "{program} fails");
    };
    (name, Box::new(run))
}

fn make(kind: &impl Kind, directory: &Path) -> Arc<dyn Environment> {
    kind.make(&Site { directory, host_home: None, leases: None }).expect("it can be made")
}

/// Runs all ways in turn, so that a busy moment meets all of them. Prints the medians, and returns them.
fn measure(ways: &[Way<'_>]) -> Vec<Duration> {
    let mut times = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in ways.iter().zip(&mut times) {
            let started = Instant::now();
            run();
            times.push(started.elapsed());
        }
    }
    let medians: Vec<Duration> = times.iter_mut().map(|times| *times.select_nth_unstable(ROUNDS / 2).1).collect();
    for ((name, _), median) in ways.iter().zip(&medians) {
        let ratio = median.as_secs_f64() / medians[0].as_secs_f64();
        println!("{name}: {:.1} ms, {ratio:.2} times the first", median.as_secs_f64() * 1000.0);
    }
    medians
}

/// Checks that the second way takes little longer than the first. Returns the medians.
fn check(ways: &[Way<'_>]) -> Vec<Duration> {
    let medians = measure(ways);
    let ratio = medians[1].as_secs_f64() / medians[0].as_secs_f64();
    assert!(ratio < MAX_RATIO, "`{}` takes {ratio:.1} times as long as `{}`", ways[1].0, ways[0].0);
    medians
}

#[test]
fn a_trivial_command_on_this_machine_takes_little_longer_than_the_shell() {
    let arguments = ["-c", "true"].map(str::to_owned).to_vec();
    let folder = TempDir::new().expect("failed to make a folder");
    let mut ways = vec![by_program("sh -c true", "sh", arguments), in_environment("local", Arc::new(Local::new("/")))];
    if HiddenFolder::check_available().is_ok() {
        let kind = LocalKind::default().hiding(HiddenFolder::new(folder.path()));
        ways.push(in_environment("local, with a hidden folder", make(&kind, Path::new("/"))));
    }
    let medians = check(&ways);
    let more = medians.get(2).map(|hidden| hidden.saturating_sub(medians[1]));
    assert!(more.is_none_or(|more| more < MAX_MORE), "hiding a folder takes {more:?}");
}

#[test]
fn a_trivial_command_in_a_container_takes_little_longer_than_docker_exec() {
    let Ok(image) = std::env::var("TOOLC_TEST_IMAGE") else {
        return skip("there is no engine with an image for tests", "`cargo xtask soak containers`");
    };
    let kind = ContainerKind::new(&*image);
    let name = format!("toolc-overhead-{}", std::process::id());
    let run = ["run", "--detach", "--rm", "--network", "none", "--name", &name, &image, "sleep", "600"];
    assert!(Command::new("docker").args(run).stdout(Stdio::null()).status().expect("it starts").success());
    let arguments = ["exec", &name, "sh", "-c", "true"].map(str::to_owned).to_vec();
    let folder = TempDir::new().expect("failed to make a folder");
    let ways = [by_program("docker exec", "docker", arguments), in_environment("docker", make(&kind, folder.path()))];
    check(&ways);
    let _ = Command::new("docker").args(["rm", "--force", &name]).stdout(Stdio::null()).status();
}

#[test]
fn a_trivial_command_over_ssh_takes_little_longer_than_a_shared_connection() {
    let Ok(server) = Server::start().inspect_err(Missing::skip) else { return };
    let folder = TempDir::new().expect("failed to make a folder");
    let socket = folder.path().join("socket");
    let options = |control: String| -> Vec<String> {
        let known = format!("UserKnownHostsFile={}", server.file("known_hosts").display());
        let key = server.file("key").display().to_string();
        let port = server.port.to_string();
        [
            "-F",
            "none",
            "-o",
            &known,
            "-o",
            "BatchMode=yes",
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            &control,
            "-i",
            &key,
            "-p",
            &port,
            "127.0.0.1",
        ]
        .map(str::to_owned)
        .to_vec()
    };
    let shared = options(format!("ControlPath={}", socket.display()));
    let mut master =
        Command::new("ssh").args(["-M", "-N"]).args(&shared).stdin(Stdio::null()).spawn().expect("it starts");
    wait_until("a connection", || socket.exists());
    let with_line = |options: Vec<String>| options.into_iter().chain(["sh -c true".to_owned()]).collect();
    let ways = [
        by_program("ssh with a shared connection", "ssh", with_line(shared)),
        in_environment(
            "ssh, the environment",
            make(
                &SshKind::new("127.0.0.1", server.file("known_hosts")).port(server.port).key(server.file("key")),
                folder.path(),
            ),
        ),
        by_program("ssh with a connection of its own", "ssh", with_line(options("ControlPath=none".to_owned()))),
    ];
    let medians = check(&ways);
    assert!(medians[1] < medians[2], "a shared connection is of use: {medians:?}");
    master.kill().expect("it runs");
    master.wait().expect("it ends");
}
