//! Sandboxes of Modal, with its SDK and a stand-in for the service. `TOOLC_TEST_MODAL` names a Python that has the SDK; `cargo xtask soak
//! modal` installs it.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolc_environment::{Environment, Input, Kind as _, Launch, Leases, ModalKind, Output, Program, Resource, Site};
use toolc_test_support::modal::{self, Service};
use toolc_test_support::{Missing, wait_until};

use crate::kinds::AsKind as _;
use crate::text::Text;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(2);
/// The folder of the host that a test starts.
const FOLDER: &str = "TOOLC_TEST_FOLDER";

/// Starts a stand-in, or returns `None` if there is no SDK.
fn service(arguments: &[&str]) -> Option<Service> {
    let python = modal::python().inspect_err(Missing::skip).ok()?;
    Some(Service::start(python, arguments))
}

/// Makes a sandbox whose directory is this folder of the machine, which the stand-in shows to all programs.
fn try_make(kind: &ModalKind, folder: &Path, leases: Option<&Arc<Leases>>) -> std::io::Result<Arc<dyn Environment>> {
    kind.clone().directory(folder).make(&Site { directory: folder, host_home: None, leases })
}

fn make(kind: &ModalKind, folder: &Path) -> Arc<dyn Environment> {
    try_make(kind, folder, None).expect("it can be made")
}

fn folder() -> TempDir {
    TempDir::new().expect("failed to make a folder")
}

/// Runs a line with an input, and returns its output.
fn run_with(environment: &dyn Environment, line: &str, input: Vec<u8>) -> Vec<u8> {
    let text = Text::default();
    let mut launch = Launch::new(Program::Shell(line.to_owned()), Output::Merged(Box::new(text.clone())));
    launch.input = Input::Bytes(input);
    let running = environment.start(launch).expect("failed to start");
    let started = Instant::now();
    let ended = running.wait(&|| started.elapsed() > LIMIT);
    let bytes = text.bytes();
    let last = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(200)..]);
    ended.unwrap_or_else(|error| panic!("{error}: {last}")).unwrap_or_else(|| panic!("it does not end: {last}"));
    bytes
}

fn run(environment: &dyn Environment, line: &str) -> String {
    String::from_utf8_lossy(&run_with(environment, line, Vec::new())).into_owned()
}

#[test]
fn a_sandbox_has_the_limits_of_its_kind_and_no_secret() {
    let Some(service) = service(&[]) else { return };
    let folder = folder();
    let kind = service.kind().app("one.app").image("docker.io/library/debian:12").lifetime(Duration::from_secs(77));
    let kind = kind.max_memory(512 << 20).max_processors(1.5);
    let environment = make(&kind, folder.path());
    let created = service.said("created").concat();
    for part in [
        r#""app": "ap-one.app", "timeout": 77, "network": "BLOCKED", "secrets": 0"#,
        r#""milli_cpu": [125, 1500], "memory_mb": [128, 512], "gpu": ["", 0]"#,
    ] {
        assert!(created.contains(part), "{created}");
    }
    assert!(service.said("image").concat().contains("FROM docker.io/library/debian:12"));
    // The stand-in reports variables that are sent with a program.
    let variables = run(&*environment, "env");
    assert!(variables.contains("MODAL_SANDBOX_ID=sb-"), "{variables}");
    assert!(!variables.contains("as-test") && !variables.contains("TOOLC_TEST_MODAL"), "{variables}");
    assert_eq!(service.said("variables"), [""; 0]);
    drop(environment);
    assert_eq!(service.said("ended").len(), 1);
    let _networked = make(&service.kind().network(true), folder.path());
    assert!(service.said("created")[1].contains(r#""network": "OPEN""#));
    for (at, gpu, seen) in [(2, "A100", r#""gpu": ["A100", 1]"#), (3, "h100:2", r#""gpu": ["H100", 2]"#)] {
        let with_gpu = make(&service.kind().gpu(gpu), folder.path());
        assert!(service.said("created")[at].contains(seen), "{:?}", service.said("created"));
        // The SDK makes such a sandbox by another request, and its programs run the same.
        assert_eq!(run(&*with_gpu, "echo $((1 + 1))"), "2\n");
    }
    assert_eq!(service.said("unknown"), [""; 0], "the stand-in knows all calls");
}

#[test]
fn any_bytes_arrive_unchanged() {
    let Some(service) = service(&[]) else { return };
    let folder = folder();
    let environment = make(&service.kind(), folder.path());
    let megabytes: usize = env::var("TOOLC_MEGABYTES").map_or(5, |megabytes| megabytes.parse().expect("a number"));
    let bytes: Vec<u8> = (0..=255).cycle().take(megabytes * 1_000_000 + 1).collect();
    assert!(run_with(&*environment, "cat", bytes.clone()) == bytes);
}

#[test]
fn an_unavailable_service_is_asked_again() {
    // The SDK itself asks four times.
    let Some(service) = service(&["--unavailable", "5"]) else { return };
    let folder = folder();
    let environment = make(&service.kind(), folder.path());
    assert_eq!(run(&*environment, "echo done"), "done\n");
    drop(environment);
    assert_eq!((service.said("created").len(), service.said("ended").len()), (1, 1));
}

#[test]
fn failures_say_what_to_do_and_no_secret() {
    let Some(service) = service(&[]) else { return };
    let kind = service.kind();
    kind.check().expect("it is all there");
    let fails = |name: &str, value: &str| {
        let text = kind.clone().variable(name, value).check().expect_err("it cannot work").to_string();
        assert_eq!(text.lines().count(), 1, "{text}");
        text
    };
    let none = kind.clone().variable("MODAL_TOKEN_ID", "").variable("MODAL_TOKEN_SECRET", "").check();
    let unknown = fails("MODAL_TOKEN_SECRET", "as-wrong");
    for text in [&none.expect_err("there is none").to_string(), &unknown] {
        assert!(text.contains("modal token new") && text.contains("MODAL_TOKEN_SECRET"), "{text}");
    }
    assert!(!unknown.contains("as-wrong") && !unknown.contains("ak-test"), "{unknown}");
    let text = fails("MODAL_SERVER_URL", "http://127.0.0.1:1");
    assert!(text.contains("Modal cannot be reached"), "{text}");
    let folder = folder();
    let text = try_make(&kind.clone().app("two words"), folder.path(), None).expect_err("no such app").to_string();
    assert!(text.contains("cannot be the name of an app"), "{text}");
    let text = try_make(&kind, Path::new("/proc/x"), None).expect_err("it is not a folder").to_string();
    assert!(text.contains("`/proc/x` cannot be made"), "{text}");
    assert_eq!(service.said("created").len(), service.said("ended").len(), "a sandbox without use is ended");
}

#[test]
fn the_number_of_sandboxes_is_limited() {
    let Some(service) = service(&[]) else { return };
    let folder = folder();
    let kind = service.kind().max_sandboxes(2);
    let (first, _second) = (make(&kind, folder.path()), make(&kind, folder.path()));
    let refused = |kind: &ModalKind| try_make(kind, folder.path(), None).expect_err("it is one too many").to_string();
    let text = refused(&kind);
    assert!(text.contains("this program has 2 sandboxes") && text.contains("max_sandboxes"), "{text}");
    // Another program counts those of the app.
    let text = refused(&service.kind().max_sandboxes(2));
    assert!(text.contains("has 2 running sandboxes") && text.contains("max_sandboxes"), "{text}");
    first.clean_up();
    let _third = make(&kind, folder.path());
}

#[test]
fn a_sandbox_that_has_reached_its_time_limit_is_told() {
    let Some(service) = service(&[]) else { return };
    let folder = folder();
    let environment = make(&service.kind().lifetime(Duration::from_secs(5)), folder.path());
    wait_until("the end", || service.said("ended").len() == 1);
    let launch = Launch::new(Program::Shell("true".to_owned()), Output::None);
    let text = environment.start(launch).expect_err("it has ended").to_string();
    assert!(text.contains("the sandbox has ended") && text.contains("environment.modal.max_minutes"), "{text}");
}

#[test]
fn a_lease_ends_the_sandbox_of_a_host_that_was_killed() {
    let Some(service) = service(&[]) else { return };
    let folder = folder();
    let _environment = make(&service.kind().app("other"), folder.path());
    let created = service.said("created").concat();
    let name = created.split('"').find(|part| part.starts_with("toolc-")).expect("a name").to_owned();
    let write = |until: u64| {
        let line = Resource::ModalSandbox { name: name.clone(), app: "other".to_owned(), until };
        fs::create_dir_all(folder.path().join("leases")).expect("failed to make a folder");
        fs::write(folder.path().join("leases/4711-0"), format!("{line}\n")).expect("failed to write");
        line
    };
    let leases = Leases::new(folder.path().join("leases")).modal(service.kind());
    write(1);
    assert_eq!(leases.clean_up(), (Vec::new(), Vec::new()), "Modal has ended it");
    assert_eq!(service.said("ended"), [""; 0]);
    let line = write(u64::MAX);
    assert_eq!(leases.clean_up(), (vec![line], Vec::new()));
    assert_eq!(service.said("ended").len(), 1);
    write(u64::MAX);
    assert_eq!(leases.clean_up(), (Vec::new(), Vec::new()), "it has ended");
}

/// Not a test: a host that makes a sandbox, says so, and waits for the end of its input.
#[test]
#[ignore = "the host that another test starts"]
fn a_host() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let kind = ModalKind::default().python(modal::python().expect("it is there"));
    let leases = Arc::new(Leases::new(folder.join("leases")));
    let directory = folder.join(format!("task-{}", std::process::id()));
    let environment = try_make(&kind, &directory, Some(&leases)).expect("it can be made");
    println!("\nsandbox: {}", run(&*environment, "echo ready").trim());
    let mut line = String::new();
    while std::io::stdin().read_line(&mut line).expect("failed to read") > 0 {
        println!("\nanswer: {}", run(&*environment, "echo alive").trim());
        line.clear();
    }
}

#[test]
fn a_killed_host_leaves_no_sandbox_and_other_hosts_keep_theirs() {
    let Some(service) = service(&[]) else { return };
    let folder = folder();
    let start = || {
        let mut host = Command::new(env::current_exe().expect("this is a program"));
        host.args(["modal::a_host", "--exact", "--ignored", "--nocapture"]).env(FOLDER, folder.path());
        let host = host.envs(service.variables()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut host = host.spawn().expect("failed to start");
        let mut lines = BufReader::new(host.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.starts_with("sandbox: ready")), "it has no sandbox");
        (host, lines)
    };
    let ended =
        |host: &Child| !service.said(&format!("\"toolc-{}-", host.id())).iter().all(|line| line.contains("created"));
    let (mut killed, _) = start();
    let (mut other, mut answers) = start();
    assert!(!ended(&killed) && !ended(&other));
    killed.kill().expect("failed to kill");
    killed.wait().expect("failed to wait");
    // The guardian gives the process that keeps the sandbox a second to end it. The lease ends it otherwise, and removes its folder.
    thread::sleep(Duration::from_secs(2));
    let (removed, problems) = Leases::new(folder.path().join("leases")).modal(service.kind()).clean_up();
    assert!(problems.is_empty(), "{problems:?}");
    let of_killed = format!("-{}-", killed.id());
    assert!(removed.iter().all(|resource| resource.to_string().contains(&of_killed)), "{removed:?}");
    assert!(removed.iter().any(|resource| matches!(resource, Resource::Folder(_))), "{removed:?}");
    assert!(ended(&killed) && !ended(&other));
    let mut input = other.stdin.take().expect("a pipe");
    writeln!(input).expect("it reads");
    assert!(answers.any(|line| line == "answer: alive"), "its sandbox still works");
    drop(input);
    assert!(other.wait().expect("failed to wait").success());
    assert!(ended(&other), "a host that ends removes its sandbox");
}
