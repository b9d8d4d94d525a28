//! Environments on another machine, which is this one: a real server of OpenSSH.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolc_environment::{
    EndReason, Environment, Exit, HostKeys, Input, Kind as _, Launch, Leases, OnEnd, Outcome, Output, Program,
    Resource, Running, Site, SshKind, TerminalSize,
};
use toolc_test_support::ssh::{Server, server};
use toolc_test_support::{Missing, skip, wait_until};

use crate::kinds::AsKind as _;
use crate::text::Text;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(1);
/// The folder of the host that a test starts.
const FOLDER: &str = "TOOLC_TEST_FOLDER";

/// Returns the server, or `None` if there is none.
fn reachable() -> Option<&'static Server> {
    server().inspect_err(Missing::skip).ok()
}

fn make(kind: &SshKind) -> Arc<dyn Environment> {
    kind.make(&Site { directory: Path::new("/"), host_home: None, leases: None }).expect("it can be made")
}

/// Returns an environment with a directory of its own.
fn environment(server: &Server) -> (TempDir, Arc<dyn Environment>) {
    let folder = TempDir::new().expect("failed to make a folder");
    let environment = make(&server.kind().directory(folder.path()));
    (folder, environment)
}

fn start(environment: &dyn Environment, line: &str) -> (Box<dyn Running>, Text) {
    let text = Text::default();
    let output = Output::Merged(Box::new(text.clone()));
    let launch = Launch::new(Program::Shell(line.to_owned()), output);
    (environment.start(launch).expect("failed to start"), text)
}

fn run(environment: &dyn Environment, line: &str) -> (Outcome, String) {
    let (running, text) = start(environment, line);
    let started = Instant::now();
    let outcome = running.wait(&|| started.elapsed() > LIMIT).expect("no error").expect("it ends");
    (outcome, text.get())
}

/// Returns the processes of this machine whose command line has all these parts.
fn processes(parts: &[&str]) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("there are processes").flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_it = |id: &u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        parts.iter().all(|part| line.contains(part))
    };
    ids.filter(|id| *id != std::process::id() && is_it(id)).collect()
}

fn kill(id: u32) {
    let id = rustix::process::Pid::from_raw(id.try_into().expect("a process id")).expect("a process id");
    rustix::process::kill_process(id, rustix::process::Signal::KILL).expect("it runs");
}

/// Kills the connections of the environment whose socket is in a folder that begins with this, as a network that fails does.
fn lose_connection(server: &Server) {
    let port = format!("Port={}", server.port);
    let own = format!("toolc-ssh-{}-", std::process::id());
    let masters = processes(&["ssh", "-M -N", &port, &own]);
    assert!(!masters.is_empty(), "there is a connection");
    masters.into_iter().for_each(kill);
}

/// Tests that lose connections or count processes have a server of their own, so that they do not disturb others.
fn own_server() -> Option<Server> {
    Server::start().inspect_err(Missing::skip).ok()
}

fn refusal(kind: &SshKind) -> (ErrorKind, String) {
    let error = kind.check().expect_err("it is refused");
    (error.kind(), error.to_string())
}

fn fingerprint(server: &Server) -> String {
    let output = Command::new("ssh-keygen").arg("-lf").arg(server.file("host.pub")).output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).split(' ').nth(1).expect("a fingerprint").to_owned()
}

#[test]
fn an_unknown_host_key_is_refused_and_named_unless_the_host_accepts_new_ones() {
    let Some(server) = reachable() else { return };
    let folder = TempDir::new().expect("failed to make a folder");
    let known = folder.path().join("new folder/known hosts");
    let kind = SshKind::new("127.0.0.1", &known).port(server.port).key(server.file("key"));
    let (error, text) = refusal(&kind);
    assert_eq!(error, ErrorKind::PermissionDenied);
    assert!(text.contains(&format!("it is ssh-ed25519 {}", fingerprint(server))), "{text}");
    assert!(text.contains(&format!("ssh-keyscan -p {} 127.0.0.1 >> '{}'", server.port, known.display())), "{text}");
    assert!(!known.exists(), "nothing was accepted");
    let accepting = kind.clone().host_keys(HostKeys::AcceptNew);
    accepting.check().expect("it is accepted");
    kind.check().expect("it is known now");
    // Accepting new keys does not accept changed ones.
    fs::copy(server.file("changed_hosts"), &known).expect("failed to copy");
    for kind in [accepting, kind] {
        let (error, text) = refusal(&kind);
        assert_eq!(error, ErrorKind::PermissionDenied);
        assert!(text.contains("has changed") && text.contains(&fingerprint(server)), "{text}");
        assert!(text.contains(&format!("ssh-keygen -R '[127.0.0.1]:{}'", server.port)), "{text}");
    }
}

#[test]
fn each_reason_why_no_connection_can_be_made_is_named() {
    let Some(server) = reachable() else { return };
    let (error, text) = refusal(&server.kind().key(server.file("other-key")));
    assert_eq!(error, ErrorKind::PermissionDenied);
    assert!(text.contains("does not accept the key") && text.contains("other-key"), "{text}");
    let (_, text) = refusal(&server.kind().user("missing-user"));
    assert!(text.contains("`missing-user@[127.0.0.1]:"), "{text}");
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("failed to listen");
    let port = free.local_addr().expect("it is bound").port();
    drop(free);
    let (error, text) = refusal(&server.kind().port(port));
    assert_eq!(error, ErrorKind::ConnectionRefused);
    assert!(text.contains("check the host and the port"), "{text}");
    let kind = SshKind::new("no-such-host.invalid", server.file("known_hosts"));
    assert!(refusal(&kind).1.contains("has no address"), "{}", refusal(&kind).1);
    let (error, text) = refusal(&server.kind().directory("missing"));
    assert_eq!(error, ErrorKind::NotFound);
    assert!(text.contains("the directory `missing` does not exist on `[127.0.0.1]:"), "{text}");
}

#[test]
fn the_directory_is_that_of_the_other_machine() {
    let Some(server) = reachable() else { return };
    let home = make(&server.kind());
    assert_eq!(run(&*home, "pwd; [ \"$PWD\" -ef \"$HOME\" ] && echo home").1.lines().last(), Some("home"));
    let name = format!("toolc-test-{}", std::process::id());
    let below = home.directory().join(&name);
    fs::create_dir(&below).expect("failed to make a folder");
    for directory in [name.clone(), format!("~/{name}"), below.display().to_string()] {
        assert_eq!(make(&server.kind().directory(directory)).directory(), below);
    }
    fs::remove_dir(below).expect("failed to remove");
}

#[test]
fn no_variable_of_this_machine_is_sent() {
    let Some(server) = reachable() else { return };
    // The server accepts every variable, and the configuration file sends them all.
    let file = TempDir::new().expect("failed to make a folder");
    let config = file.path().join("config");
    fs::write(
        &config,
        "SendEnv *\nForwardAgent yes\nPermitLocalCommand yes\nLocalCommand touch \"LEFT\"\n"
            .replace("LEFT", &file.path().join("left").display().to_string()),
    )
    .expect("failed to write");
    let environment = make(&server.kind().config_file(&config));
    let (_, text) = run(&*environment, "env");
    let expected = ["HOME", "LOGNAME", "PATH", "PWD", "SHELL", "SSH_CLIENT", "SSH_CONNECTION", "TOOLC_PROGRAM", "USER"];
    // `TOOLC_INSIDE_TOOL` says that a tool has started `ssh`.
    let others = ["LANG", "LC_ALL", "MAIL", "OLDPWD", "SHLVL", "TOOLC_INSIDE_TOOL", "_"];
    let names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let sent: Vec<_> = names.iter().filter(|name| !expected.contains(name) && !others.contains(name)).collect();
    // Nothing that only this process has.
    assert!(env::var_os("CARGO_MANIFEST_DIR").is_some() && !text.contains("CARGO_MANIFEST_DIR="), "{sent:?}");
    if rustix::process::getuid().is_root() {
        assert!(sent.is_empty(), "{sent:?}");
    }
    assert!(!text.contains("SSH_AUTH_SOCK"), "the agent is not forwarded");
    assert!(!file.path().join("left").exists(), "no command of the configuration runs here");
    let variables = environment.variables().expect("they are known");
    assert!(variables.iter().any(|(name, _)| name == "SSH_CONNECTION"), "{variables:?}");
}

#[test]
fn after_a_lost_connection_the_next_command_works() {
    let Some(server) = own_server() else { return };
    let (_folder, environment) = environment(&server);
    let (running, text) = start(&*environment, "echo begun; sleep 1; echo more; sleep 600");
    wait_until("the start", || text.get().contains("begun"));
    lose_connection(&server);
    // It writes to a connection that is gone, which ends it.
    let error = running.wait(&|| false).expect_err("the outcome is unknown").to_string();
    assert!(error.contains("the connection to the program was lost"), "{error}");
    assert!(error.contains("the program has ended"), "{error}");
    for _ in 0..3 {
        assert_eq!(run(&*environment, "echo again").1, "again\n");
    }
    // The connection is shared again.
    let port = format!("Port={}", server.port);
    assert_eq!(processes(&["ssh", "-M -N", &port]).len(), 1);
}

#[test]
fn a_program_that_outlives_its_connection_is_found_and_ended() {
    let Some(server) = own_server() else { return };
    let (folder, environment) = environment(&server);
    let ended = Arc::new(Mutex::new(None));
    let report = Arc::clone(&ended);
    let text = Text::default();
    let mut launch = Launch::new(
        Program::Shell("echo begun; i=0; while :; do i=$((i + 1)); echo $i > count; sleep 0.1; done".to_owned()),
        Output::Merged(Box::new(text.clone())),
    );
    launch.on_end = Some(OnEnd(Box::new(move |outcome| *report.lock().unwrap() = Some(*outcome))));
    let running = environment.start(launch).expect("failed to start");
    let (other, _) = start(&*environment, "exec env -i sleep 600");
    wait_until("the start", || text.get().contains("begun"));
    lose_connection(&server);
    let count = || fs::read_to_string(folder.path().join("count")).unwrap_or_default();
    let before = count();
    wait_until("it runs on", || count() != before);
    thread::sleep(Duration::from_secs(1));
    assert_eq!(running.outcome().expect("it can be asked"), None, "it is found over a new connection");
    let outcome = running.end().expect("it is ended");
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(9), EndReason::Stopped));
    let after = count();
    thread::sleep(Duration::from_millis(500));
    assert_eq!(count(), after, "it has ended");
    wait_until("the end is reported", || *ended.lock().unwrap() == Some(outcome));
    // A program without the variable is found by its session.
    assert_eq!(other.outcome().expect("it can be asked"), None);
    assert_eq!(other.end().expect("it is ended").reason, EndReason::Stopped);
}

#[test]
fn cleaning_up_ends_what_has_lost_its_connection() {
    let Some(server) = own_server() else { return };
    let (folder, environment) = environment(&server);
    let (running, text) = start(&*environment, "echo begun; while :; do date +%N > count; sleep 0.1; done");
    wait_until("the start", || text.get().contains("begun"));
    lose_connection(&server);
    let count = || fs::read_to_string(folder.path().join("count")).unwrap_or_default();
    let before = count();
    wait_until("it runs on", || count() != before);
    environment.clean_up();
    let after = count();
    thread::sleep(Duration::from_millis(500));
    assert_eq!(count(), after, "it has ended");
    drop(running);
    // Only the process of the server that listens is left.
    let port = format!("Port={}", server.port);
    assert_eq!(processes(&["ssh", &port]), [0; 0]);
}

#[test]
fn the_folder_with_the_sockets_is_removed_also_after_a_program_was_released() {
    let Some(server) = own_server() else { return };
    let (_folder, environment) = environment(&server);
    let (running, text) = start(&*environment, "sleep 600 & echo begun");
    wait_until("the start", || text.get().contains("begun"));
    running.release();
    let port = format!("Port={}", server.port);
    let connection = processes(&["ssh", "-M -N", &port])[0];
    let line = fs::read(format!("/proc/{connection}/cmdline")).expect("it runs");
    let line = String::from_utf8_lossy(&line).into_owned();
    let socket = line.split('\0').find_map(|word| word.strip_prefix("ControlPath=\"")).expect("it has a socket");
    let sockets = Path::new(socket.trim_end_matches('"')).parent().expect("it is in a folder");
    assert_eq!(fs::metadata(sockets).expect("it exists").permissions().mode() & 0o777, 0o700);
    drop(environment);
    assert!(!sockets.exists(), "{}", sockets.display());
}

#[test]
fn a_timeout_on_a_terminal_ends_the_remote_processes() {
    let Some(server) = reachable() else { return };
    let (folder, environment) = environment(server);
    let screen = Text::default();
    let output = Output::Terminal { size: TerminalSize { rows: 24, columns: 80 }, screen: Box::new(screen.clone()) };
    let line = "trap '' HUP; (trap '' HUP; while :; do date +%N > count; sleep 0.1; done) & echo begun; wait";
    let running = environment.start(Launch::new(Program::Shell(line.to_owned()), output)).expect("failed to start");
    wait_until("the start", || screen.get().contains("begun"));
    assert_eq!(running.wait(&|| true).expect("no error"), None);
    running.end().expect("it is ended");
    let count = || fs::read_to_string(folder.path().join("count")).unwrap_or_default();
    let after = count();
    thread::sleep(Duration::from_millis(500));
    assert_eq!(count(), after, "it has ended");
    assert!(!screen.get().contains("closed"), "ssh shows no message: {}", screen.get());
}

#[test]
fn what_is_typed_is_never_a_command_for_ssh() {
    let Some(server) = reachable() else { return };
    let (_folder, environment) = environment(server);
    let screen = Text::default();
    let output = Output::Terminal { size: TerminalSize { rows: 24, columns: 80 }, screen: Box::new(screen.clone()) };
    let running = environment
        .start(Launch::new(Program::Shell("echo begun; read x; echo \"got $x\"".to_owned()), output))
        .expect("failed to start");
    wait_until("the start", || screen.get().contains("begun"));
    // With its usual settings, `ssh` would close the connection.
    running.write(b"\r~.\r").expect("it reads");
    wait_until("the answer", || screen.get().contains("got"));
    let (second, text) = start_with_input(&*environment, "cat");
    second.write(b"\n~.\n").expect("it reads");
    second.close_input().expect("it is open");
    wait_until("the end", || second.outcome().expect("no error").is_some());
    assert_eq!(text.get(), "\n~.\n");
}

fn start_with_input(environment: &dyn Environment, line: &str) -> (Box<dyn Running>, Text) {
    let text = Text::default();
    let mut launch = Launch::new(Program::Shell(line.to_owned()), Output::Merged(Box::new(text.clone())));
    launch.input = Input::Open;
    (environment.start(launch).expect("failed to start"), text)
}

#[test]
fn many_commands_at_the_same_time_share_few_connections() {
    let Some(server) = own_server() else { return };
    let (_folder, environment) = environment(&server);
    let commands: usize = env::var("TOOLC_COMMANDS").map_or(20, |commands| commands.parse().expect("a number"));
    let started: Vec<_> =
        (0..commands).map(|n| start(&*environment, &format!("echo {n}; read x; sleep 600"))).collect();
    for (n, (_, text)) in started.iter().enumerate() {
        wait_until("the output", || text.get() == format!("{n}\n"));
    }
    let port = format!("Port={}", server.port);
    // Eight sessions each, one of which is that of the guard.
    assert_eq!(processes(&["ssh", "-M -N", &port]).len(), (commands + 1).div_ceil(8));
    let began = Instant::now();
    thread::scope(|scope| {
        for (running, _) in &started {
            scope.spawn(|| running.end().expect("it is ended"));
        }
    });
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
}

#[test]
fn messages_of_the_login_shell_are_not_output() {
    let Some(server) = own_server() else { return };
    if !rustix::process::getuid().is_root() {
        return skip("only root can choose the shell of the user", "run the tests as root");
    }
    let shell = server.file("shell");
    fs::write(&shell, "#!/bin/sh\necho welcome\necho warning >&2\nexec /bin/sh \"$@\"\n").expect("failed to write");
    fs::set_permissions(&shell, fs::Permissions::from_mode(0o755)).expect("failed to change");
    let users = fs::read_to_string(server.file("passwd")).expect("failed to read");
    // The file is mounted, so it is changed in place.
    fs::write(server.file("passwd"), users.replacen("/bin/sh", shell.to_str().expect("UTF-8"), 1))
        .expect("failed to write");
    let (_folder, environment) = environment(&server);
    assert_eq!(run(&*environment, "echo out; echo err >&2").1, "out\nerr\n");
    let (stdout, stderr) = (Text::default(), Text::default());
    let output = Output::Apart { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()) };
    let launch = Launch::new(Program::Shell("echo out; echo err >&2".to_owned()), output);
    let running = environment.start(launch).expect("failed to start");
    running.wait(&|| false).expect("no error");
    assert_eq!((stdout.get(), stderr.get()), ("out\n".to_owned(), "err\n".to_owned()));
    let files = environment.files();
    assert_eq!(files.list(environment.directory(), 10).expect("it can be read"), [""; 0]);
}

/// Not a test: a host that starts a program in the background, says so, and waits.
#[test]
#[ignore = "the host that another test starts"]
fn a_host() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let port = fs::read_to_string(folder.join("port")).expect("failed to read").parse().expect("a port");
    let kind = SshKind::new("127.0.0.1", folder.join("known_hosts")).port(port).key(folder.join("key"));
    let leases = Arc::new(Leases::new(folder.join("leases")));
    let site = Site { directory: Path::new("/"), host_home: None, leases: Some(&leases) };
    let kind = kind.directory(folder).grace(Duration::from_secs(1));
    let environment = kind.make(&site).expect("it can be made");
    let (_running, text) = start(&*environment, "echo begun; while :; do date +%N > count; sleep 0.1; done");
    wait_until("the start", || text.get().contains("begun"));
    println!("\nready");
    thread::sleep(LIMIT);
}

#[test]
fn a_killed_host_leaves_nothing_behind() {
    let Some(server) = own_server() else { return };
    fs::write(server.file("port"), server.port.to_string()).expect("failed to write");
    let mut host = Command::new(env::current_exe().expect("this is a program"));
    host.args(["ssh::a_host", "--exact", "--ignored", "--nocapture"]).env(FOLDER, server.folder.path());
    let mut host = host.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("failed to start");
    let mut lines = BufReader::new(host.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "ready"), "it has no environment");
    host.kill().expect("failed to kill");
    host.wait().expect("failed to wait");
    // On the other machine.
    let count = || fs::read_to_string(server.file("count")).unwrap_or_default();
    wait_until("the end of the program", || {
        let before = count();
        thread::sleep(Duration::from_millis(500));
        count() == before
    });
    // On this machine.
    let port = format!("Port={}", server.port);
    wait_until("the end of the connections", || processes(&["ssh", &port]).is_empty());
    let (removed, problems) = Leases::new(server.file("leases")).clean_up();
    assert!(problems.is_empty(), "{problems:?}");
    assert!(matches!(&removed[..], [Resource::Folder(_)]), "{removed:?}");
}
