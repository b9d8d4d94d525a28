//! What programs that mean harm can do in each kind of environment, as one table, which `docs/environments.md` shows.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, mkfifoat};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;
use toolc_environment::{Environment, Kind, Launch, LocalKind, Output, Program, SandboxKind, Site};
use toolc_test_support::programs::INSTALL;
use toolc_test_support::{skip, wait_until};

use crate::kinds::sandbox;
use crate::text::Text;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(2);
/// The number of processes that a sandbox of these tests may have, and the number that a fork bomb tries.
const MAX_PROCESSES: u32 = 60;
const BOMB: u32 = 200;
const BOMB_NAME: &str = "start any number of processes (a fork bomb)";

/// What is attempted.
struct Attempt {
    name: &'static str,
    script: Script,
    /// Returns whether it has happened, from the text that the script has printed.
    has_happened: fn(&Scene, &str) -> bool,
    local: Verdict,
    sandbox: Verdict,
}

#[derive(Clone, Copy)]
enum Script {
    Shell(&'static str),
    Python(&'static str),
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Possible,
    /// It depends on the user and the settings of the system, so that a test cannot expect it.
    IfAllowed,
    Impossible,
}
use Verdict::{IfAllowed, Impossible, Possible};

impl Verdict {
    fn words(self) -> &'static str {
        match self {
            Possible => "possible",
            IfAllowed => "possible if the user and the system allow it",
            Impossible => "not possible",
        }
    }
}

const ATTEMPTS: &[Attempt] = &[
    Attempt {
        name: "write a file outside of the directory of the task",
        script: Script::Shell("echo x > \"$OUTSIDE/written\""),
        has_happened: |scene, _| scene.outside.path().join("written").exists(),
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "change an installed program",
        script: Script::Shell("test -w /usr/bin/env && echo happened"),
        has_happened: printed,
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: "read a private key of the user",
        script: Script::Shell("cat \"$OUTSIDE/.ssh/id_ed25519\""),
        has_happened: |_, text| text.contains(KEY),
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "read the hashes of passwords (`/etc/shadow`)",
        script: Script::Shell("cat /etc/shadow > /dev/null && echo happened"),
        has_happened: printed,
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: "read the environment variables of the host",
        script: Script::Shell("test -n \"$CARGO_MANIFEST_DIR\" && echo happened"),
        has_happened: printed,
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "connect to a TCP service of this machine",
        script: Script::Python("socket.create_connection(('127.0.0.1', int(os.environ['TCP'])), 5)"),
        has_happened: |scene, _| scene.tcp.accept().is_ok(),
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "send a UDP packet",
        script: Script::Python(
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(os.environ['UDP'])))",
        ),
        has_happened: |scene, _| scene.udp.recv(&mut [0; 8]).is_ok(),
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "connect to an abstract Unix socket",
        script: Script::Python("socket.socket(socket.AF_UNIX).connect('\\0' + os.environ['ABSTRACT'])"),
        has_happened: |scene, _| scene.abstract_socket.accept().is_ok(),
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "connect to a Unix socket outside of the directory, such as Docker's",
        script: Script::Python("socket.socket(socket.AF_UNIX).connect(os.environ['OUTSIDE'] + '/socket')"),
        has_happened: |scene, _| scene.socket.accept().is_ok(),
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "see the processes of the host",
        script: Script::Shell(
            "for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $file | grep -qx \"sleep $VICTIM_MARK \" && echo happened; done 2> /dev/null",
        ),
        has_happened: printed,
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "read the keys that the kernel keeps for the user (`keyctl`)",
        // Asks for the number of the keyring of the session.
        script: Script::Python(
            "call = 250 if os.uname().machine == 'x86_64' else 219\nif ctypes.CDLL(None).syscall(call, 0, -3, 1) > 0: print('happened')",
        ),
        has_happened: printed,
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: "open a socket to the hypervisor (vsock)",
        script: Script::Python("socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM); print('happened')"),
        has_happened: printed,
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: "set the set-user-ID bit of a file, so that others run it with the rights of this user",
        script: Script::Python(
            "open('made', 'w').close()\n\
             try: os.chmod('made', 0o4755)\n\
             except OSError: pass\n\
             try: os.open('opened', os.O_CREAT | os.O_WRONLY, 0o4755)\n\
             except OSError: pass\n\
             made = [name for name in ('made', 'opened') if os.path.exists(name)]\n\
             if any(os.stat(name).st_mode & 0o4000 for name in made): print('happened')",
        ),
        has_happened: printed,
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "debug another process (ptrace)",
        // PTRACE_ATTACH, and PTRACE_DETACH.
        script: Script::Python(
            "libc = ctypes.CDLL(None, use_errno=True)\nif libc.ptrace(16, int(os.environ['VICTIM']), 0, 0) == 0:\n    print('happened')\n    \
             os.waitpid(int(os.environ['VICTIM']), 0x40000000)\n    libc.ptrace(17, int(os.environ['VICTIM']), 0, 0)",
        ),
        has_happened: printed,
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: "type into the terminal of the host (TIOCSTI on `/dev/tty`)",
        script: Script::Python("fcntl.ioctl(open('/dev/tty', 'w'), termios.TIOCSTI, b'x'); print('happened')"),
        has_happened: printed,
        local: Impossible,
        sandbox: Impossible,
    },
    Attempt {
        name: "write to a terminal of this machine by its path",
        script: Script::Python("open(os.environ['TERMINAL'], 'w').write('x'); print('happened')"),
        has_happened: printed,
        local: Possible,
        sandbox: Impossible,
    },
    Attempt {
        name: "mount a file system",
        script: Script::Shell("unshare -m mount -t tmpfs none \"$PWD\" && echo happened"),
        has_happened: printed,
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: "make a user namespace, to get rights over it",
        script: Script::Shell("unshare -Ur true && echo happened"),
        has_happened: printed,
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: "change a setting of the kernel (`/proc/sys`)",
        script: Script::Python(
            "path = '/proc/sys/kernel/printk_ratelimit'\nold = open(path).read()\nopen(path, 'w').write(old)\nprint('happened')",
        ),
        has_happened: printed,
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: BOMB_NAME,
        script: Script::Python(
            "started = 0\nfor _ in range(200):\n    try:\n        pid = os.fork()\n    except OSError:\n        break\n    if pid == 0:\n        \
             time.sleep(600)\n    started += 1\nprint(started)\nsys.stdout.flush()\nos.killpg(0, 9)",
        ),
        has_happened: |_, text| text.trim().parse() == Ok(BOMB),
        local: IfAllowed,
        sandbox: Impossible,
    },
    Attempt {
        name: "leave a daemon behind that outlives the task",
        script: Script::Shell("setsid -f nohup env -i sh -c 'exec 9> life; sleep 600' > /dev/null 2>&1; exec 8< life"),
        has_happened: |scene, _| {
            wait_until("the start of the daemon", || scene.life_is_on());
            scene.environment.clean_up();
            thread::sleep(Duration::from_millis(100));
            let started = Instant::now();
            while scene.life_is_on() && started.elapsed() < Duration::from_secs(20) {
                thread::sleep(Duration::from_millis(20));
            }
            scene.life_is_on()
        },
        local: Impossible,
        sandbox: Impossible,
    },
    Attempt {
        name: "kill a process of the host",
        script: Script::Shell("kill -9 \"$VICTIM\""),
        has_happened: |scene, _| {
            let mut victim = scene.victim.lock().unwrap();
            thread::sleep(Duration::from_millis(100));
            victim.try_wait().expect("no error").is_some()
        },
        local: Possible,
        sandbox: Impossible,
    },
];

/// What a script finds, apart from its environment.
struct Scene {
    environment: Arc<dyn Environment>,
    directory: TempDir,
    outside: TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    socket: UnixListener,
    abstract_socket: UnixListener,
    abstract_name: String,
    victim: Mutex<Child>,
    terminal: (OwnedFd, PathBuf),
    life: File,
}

/// A part of the private key.
const KEY: &str = "b3BlbnNzaC1rZXktdjEAAAAA";
/// The time that the victim sleeps, by which a script recognises it.
const VICTIM_MARK: &str = "9876543";

fn printed(_: &Scene, text: &str) -> bool {
    text.lines().any(|line| line == "happened")
}

impl Scene {
    fn new(kind: &dyn Kind) -> Self {
        let folder = || TempDir::new().expect("failed to make a folder");
        let (directory, outside) = (folder(), folder());
        let path = directory.path().canonicalize().expect("it exists");
        let keys = outside.path().join(".ssh");
        fs::create_dir(&keys).expect("failed to make a folder");
        fs::write(keys.join("id_ed25519"), KEY).expect("failed to write");
        let tcp = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
        tcp.set_nonblocking(true).expect("failed to configure");
        let udp = UdpSocket::bind("127.0.0.1:0").expect("failed to listen");
        udp.set_nonblocking(true).expect("failed to configure");
        let socket = UnixListener::bind(outside.path().join("socket")).expect("failed to listen");
        socket.set_nonblocking(true).expect("failed to configure");
        let abstract_name = format!("toolc-attempt-{}-{}", std::process::id(), tcp.local_addr().unwrap().port());
        let address = SocketAddr::from_abstract_name(&abstract_name).expect("a name");
        let abstract_socket = UnixListener::bind_addr(&address).expect("failed to listen");
        abstract_socket.set_nonblocking(true).expect("failed to configure");
        let victim = Command::new("sleep").arg(VICTIM_MARK).spawn().expect("failed to start");
        mkfifoat(CWD, path.join("life"), Mode::RWXU).expect("failed to make a pipe");
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).expect("a small number");
        let life = OpenOptions::new().read(true).custom_flags(flags).open(path.join("life")).expect("failed to open");
        let environment = kind.make(&Site { directory: &path, host_home: None, leases: None }).expect("it can be made");
        Self {
            environment,
            directory,
            outside,
            tcp,
            udp,
            socket,
            abstract_socket,
            abstract_name,
            victim: Mutex::new(victim),
            terminal: terminal(),
            life,
        }
    }

    /// Returns whether a process has the pipe `life` open.
    fn life_is_on(&self) -> bool {
        match (&self.life).read(&mut [0]) {
            Ok(read) => read > 0,
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }

    /// Runs a script, and returns what it has printed.
    fn run(&self, script: Script) -> String {
        let program = match script {
            Script::Shell(line) => Program::Shell(line.to_owned()),
            Script::Python(code) => {
                let imports = "import ctypes, fcntl, os, signal, socket, sys, termios, time";
                Program::Command("/usr/bin/python3".into(), vec!["-c".into(), format!("{imports}\n{code}").into()])
            }
        };
        let text = Text::default();
        let mut launch = Launch::new(program, Output::Merged(Box::new(text.clone())));
        let victim = self.victim.lock().unwrap().id().to_string();
        launch.variables = [
            ("OUTSIDE", self.outside.path().to_str().unwrap()),
            ("TCP", &self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP", &self.udp.local_addr().unwrap().port().to_string()),
            ("ABSTRACT", &self.abstract_name),
            ("VICTIM", &victim),
            ("VICTIM_MARK", VICTIM_MARK),
            ("TERMINAL", self.terminal.1.to_str().unwrap()),
        ]
        .map(|(name, value)| (name.into(), Some(value.into())))
        .to_vec();
        let running = self.environment.start(launch).expect("failed to start");
        let started = Instant::now();
        running.wait(&|| started.elapsed() > LIMIT).expect("no error").expect("it ends");
        running.release();
        text.get()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let victim = self.victim.get_mut().unwrap();
        let _ = victim.kill();
        let _ = victim.wait();
        assert!(self.directory.path().exists());
    }
}

/// Returns a terminal of this machine, and its path.
fn terminal() -> (OwnedFd, PathBuf) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("failed to open a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("failed to open a terminal");
    let path = ptsname(&terminal, Vec::new()).expect("it has a name").into_string().expect("a path");
    (terminal, path.into())
}

/// Tries everything in environments of a kind.
fn check(kind: &dyn Kind, expected: fn(&Attempt) -> Verdict) {
    if !Path::new("/usr/bin/python3").exists() {
        return skip("`/usr/bin/python3` is missing", format!("{INSTALL}, or the Debian package `python3`"));
    }
    let mut failures = Vec::new();
    for attempt in ATTEMPTS {
        let scene = Scene::new(kind);
        let text = scene.run(attempt.script);
        let result = if (attempt.has_happened)(&scene, &text) { Possible } else { Impossible };
        if expected(attempt) != IfAllowed && expected(attempt) != result {
            failures.push(format!("{}: {result:?}: {text}", attempt.name));
        }
    }
    assert!(failures.is_empty(), "in `{}`: {failures:#?}", kind.name());
}

#[test]
fn attempts_in_local() {
    check(&LocalKind::default(), |attempt| attempt.local);
}

#[test]
fn attempts_in_a_sandbox() {
    let kind = SandboxKind::default().max_processes(MAX_PROCESSES);
    match sandbox(&kind) {
        Err(missing) => missing.skip(),
        Ok(promises) if !promises.limited_processes => {
            skip("a fork bomb: the number of processes cannot be limited", "root, or a cgroup of this user");
            check(&kind, |attempt| if attempt.name == BOMB_NAME { IfAllowed } else { attempt.sandbox });
        }
        Ok(_) => check(&kind, |attempt| attempt.sandbox),
    }
}

#[test]
fn the_guide_shows_the_table() {
    let mut table = String::from("| attempt | `local` | `sandbox` |\n|---|---|---|\n");
    for Attempt { name, local, sandbox, .. } in ATTEMPTS {
        table.push_str(&format!("| {name} | {} | {} |\n", local.words(), sandbox.words()));
    }
    let guide = fs::read_to_string("../docs/environments.md").expect("failed to read the guide");
    assert!(guide.contains(&table), "the guide must contain this table:\n{table}");
}

#[test]
fn a_task_that_kills_everything_in_its_sandbox_gets_a_new_one() {
    let kind = SandboxKind::default();
    if let Err(missing) = sandbox(&kind) {
        return missing.skip();
    }
    let scene = Scene::new(&kind);
    scene.run(Script::Shell("kill -9 -1"));
    wait_until("a new sandbox", || scene.run(Script::Shell("echo again")) == "again\n");
}
