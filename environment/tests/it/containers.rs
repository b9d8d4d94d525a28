//! Containers of a real engine. `TOOLC_TEST_IMAGE` names an image that it has; `cargo xtask soak containers` starts one.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolc_environment::{ContainerKind, Environment, Kind as _, Launch, Leases, Output, Program, Resource, Site};
use toolc_test_support::{Missing, wait_until};

use crate::kinds::container;
use crate::text::Text;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(2);
/// The folder of the host that the tests start.
const FOLDER: &str = "TOOLC_TEST_FOLDER";

/// Returns the kind for tests, or `None` if there is no engine with an image.
fn kind() -> Option<ContainerKind> {
    container().inspect_err(Missing::skip).ok()
}

fn folder() -> TempDir {
    TempDir::new().expect("failed to make a folder")
}

fn make(kind: &ContainerKind, directory: &Path, leases: Option<&Arc<Leases>>) -> Arc<dyn Environment> {
    kind.make(&Site { directory, host_home: None, leases }).expect("it can be made")
}

/// Runs a line, and returns its output.
fn run(environment: &dyn Environment, line: &str) -> String {
    let text = Text::default();
    let output = Output::Merged(Box::new(text.clone()));
    let running = environment.start(Launch::new(Program::Shell(line.to_owned()), output)).expect("failed to start");
    let started = Instant::now();
    running.wait(&|| started.elapsed() > LIMIT).expect("no error").expect("it ends");
    let bytes = text.bytes();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn containers() -> Vec<String> {
    let output = Command::new("docker").args(["ps", "--all", "--format", "{{.Names}}"]).output().expect("docker runs");
    String::from_utf8_lossy(&output.stdout).lines().map(ToOwned::to_owned).collect()
}

/// What is attempted in a container, as lines that print `done` if it succeeds.
const ATTEMPTS: &[(&str, &str)] = &[
    ("read the file of another task", "cat \"$OUTSIDE/secret\" && echo done"),
    ("read it by the path of the parent folder", "cat \"../${OUTSIDE##*/}/secret\" && echo done"),
    ("read it by the root of the first process", "cat \"/proc/1/root$OUTSIDE/secret\" && echo done"),
    ("follow a link to it", "ln -s \"$OUTSIDE/secret\" link && cat link && echo done"),
    ("write next to the directory", "echo x > \"$OUTSIDE/new\" && echo done"),
    ("read the hashes of passwords of the machine", "grep -q '^root:[$*!]' /etc/shadow && echo done"),
    ("see the processes of the machine", "[ \"$(ls -d /proc/[0-9]* | wc -l)\" -gt 12 ] && echo done"),
    ("kill a process of the machine", "kill -0 \"$HOST\" && echo done"),
    ("end the first process", "kill -KILL 1; kill -0 1 && false; echo; [ ! -d /proc/1 ] && echo done"),
    ("reach the engine by its socket", "ls /var/run/docker.sock /run/docker.sock && echo done"),
    ("have a network device", "ip link | grep -v LOOPBACK | grep -q '^[0-9]' && echo done"),
    ("connect to a service of the machine", "nc -w 2 127.0.0.1 \"$PORT\" < /dev/null && echo done"),
    ("connect to another machine", "nc -w 2 192.0.2.1 80 < /dev/null && echo done"),
    ("mount a file system", "mount -t tmpfs none /mnt && echo done"),
    ("make a device", "mknod disk b 8 0 && echo done"),
    ("read a disk", "head -c 1 /dev/sda /dev/vda && echo done"),
    ("change a setting of the kernel", "echo x > /proc/sys/kernel/hostname && echo done"),
    ("change the name of the machine", "hostname other && echo done"),
    ("load code into the kernel", "insmod /tmp/x.ko && echo done"),
    ("change the owner of a file", "touch own && chown 1234 own && echo done"),
    ("get rights by a program with setuid", "grep -q 'NoNewPrivs:.*0' /proc/self/status && echo done"),
    ("have a capability", "grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo done"),
    ("make a namespace", "unshare -U true && echo done"),
    ("read the memory of the machine", "head -c 1 /proc/kcore && echo done"),
    ("restart the machine", "echo b > /proc/sysrq-trigger && echo done"),
];

#[test]
fn programs_in_a_container_do_not_reach_the_machine() {
    let Some(kind) = kind() else { return };
    let (folder, outside) = (folder(), folder());
    fs::write(outside.path().join("secret"), "secret").expect("failed to write");
    let service = std::net::TcpListener::bind("127.0.0.1:0").expect("failed to listen");
    let port = service.local_addr().expect("it is bound").port();
    let environment = make(&kind, folder.path(), None);
    let before = format!("OUTSIDE='{}' HOST={} PORT={port}; ", outside.path().display(), std::process::id());
    let succeeded: Vec<_> = ATTEMPTS
        .iter()
        .filter(|(_, line)| run(&*environment, &format!("{before}{{ {line}; }} 2> /dev/null")).contains("done"))
        .map(|(name, _)| name)
        .collect();
    assert!(succeeded.is_empty(), "{succeeded:#?}");
    // A line that does no harm succeeds.
    assert!(run(&*environment, "echo x > file && cat file && echo done").contains("done"));
    assert_eq!(fs::read_to_string(folder.path().join("file")).expect("it exists"), "x\n");
    assert!(!outside.path().join("new").exists());
}

#[test]
fn the_processes_and_the_memory_of_a_container_are_limited() {
    let Some(kind) = kind() else { return };
    let folder = folder();
    let environment = make(&kind.max_processes(30).max_memory(64 << 20), folder.path(), None);
    let bomb = "i=0; while [ $i -lt 100 ]; do sleep 5 & i=$((i + 1)); done; ls -d /proc/[0-9]* | wc -l";
    let text = run(&*environment, &format!("{{ {bomb}; }} 2>&1; true"));
    let most = text.lines().filter_map(|line| line.trim().parse::<u32>().ok()).max().unwrap_or_default();
    assert!(most <= 30, "{text}");
    let environment = make(&kind_with_little_memory(), folder.path(), None);
    let text = run(&*environment, "x=0123456789; while :; do x=$x$x; done; echo survived");
    assert!(!text.contains("survived"), "{text}");
}

fn kind_with_little_memory() -> ContainerKind {
    kind().expect("it was there").max_memory(32 << 20)
}

#[test]
fn many_tasks_have_containers_at_the_same_time() {
    let Some(kind) = kind() else { return };
    let tasks = env::var("TOOLC_TASKS").map_or(3, |tasks| tasks.parse().expect("a number"));
    let folders: Vec<TempDir> = (0..tasks).map(|_| folder()).collect();
    thread::scope(|scope| {
        for folder in &folders {
            let kind = &kind;
            scope.spawn(move || {
                let environment = make(kind, folder.path(), None);
                let name = folder.path().file_name().expect("a name").to_str().expect("UTF-8");
                assert_eq!(run(&*environment, "echo ${PWD##*/} > name; cat name").trim(), name);
                assert_eq!(run(&*environment, "ls -A /tmp | grep -c '^[.]tmp'").trim(), "1", "it sees no other task");
                environment.clean_up();
            });
        }
    });
}

/// Not a test: a host that makes a container, says so, and waits for the end of its input.
#[test]
#[ignore = "the host that another test starts"]
fn a_host() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let kind = kind().expect("there is an engine");
    let leases = Arc::new(Leases::new(folder.join("leases")));
    let directory = folder.join(format!("task-{}", std::process::id()));
    fs::create_dir(&directory).expect("failed to make a folder");
    let environment = make(&kind, &directory, Some(&leases));
    println!("\ncontainer: {}", run(&*environment, "echo ready").trim());
    let mut line = String::new();
    while std::io::stdin().read_line(&mut line).expect("failed to read") > 0 {
        println!("\nanswer: {}", run(&*environment, "echo alive").trim());
        line.clear();
    }
}

#[test]
fn a_killed_host_leaves_no_container_and_other_hosts_keep_theirs() {
    if kind().is_none() {
        return;
    }
    let folder = folder();
    let start = || {
        let mut host = Command::new(env::current_exe().expect("this is a program"));
        host.args(["containers::a_host", "--exact", "--ignored", "--nocapture"]).env(FOLDER, folder.path());
        let mut host = host.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("failed to start");
        let mut lines = BufReader::new(host.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.starts_with("container: ready")), "it has no container");
        (host, lines)
    };
    let is_of = |host: u32| move |name: &String| name.starts_with(&format!("toolc-{host}-"));
    let (mut killed, _) = start();
    let (mut other, mut answers) = start();
    assert_eq!(containers().iter().filter(|name| is_of(killed.id())(name)).count(), 1);
    killed.kill().expect("failed to kill");
    killed.wait().expect("failed to wait");
    wait_until("the end of the container", || !containers().iter().any(is_of(killed.id())));
    // The next host removes what is left, such as the folder for temporary files. It takes nothing from the other host.
    let leases = Leases::new(folder.path().join("leases"));
    let (removed, problems) = leases.clean_up();
    assert!(problems.is_empty(), "{problems:?}");
    let of_killed = format!("-{}-", killed.id());
    assert!(
        !removed.is_empty() && removed.iter().all(|resource| resource.to_string().contains(&of_killed)),
        "{removed:?}"
    );
    assert!(removed.iter().any(|resource| matches!(resource, Resource::Folder(_))), "{removed:?}");
    assert_eq!(containers().iter().filter(|name| is_of(other.id())(name)).count(), 1);
    let mut input = other.stdin.take().expect("a pipe");
    writeln!(input).expect("it reads");
    assert!(answers.any(|line| line == "answer: alive"), "its container still works");
    drop(input);
    assert!(other.wait().expect("failed to wait").success());
    assert!(!containers().iter().any(is_of(other.id())), "a host that ends removes its container");
}
