//! A server of OpenSSH on this machine, as the user of the tests. `TOOLC_TEST_SSHD` names the program, if it is not that of the system.

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolc_process::{Process, RunningProcess, Sink};

use crate::folder::target_folder;
use crate::programs::find;
use crate::skip::Missing;

/// The time limit for the start.
const LIMIT: Duration = Duration::from_mins(1);
/// Starts the server $1 with the configuration $2 as root, in a mount namespace that has the user and the folder that it needs then, and
/// the list of users $3. Nothing of that is seen on the machine.
const AS_ROOT: &str = r#"
mount -t tmpfs none /run && mkdir /run/sshd && mount --bind "$3" /etc/passwd && exec "$1" -D -e -f "$2"
"#;

/// A user that an [open](Server::start_open) server accepts without a key, as gateways accept a token.
pub const TOKEN: &str = "tok3n4tests";

/// A running server. Dropping it, or the end of this process, ends it.
pub struct Server {
    process: RunningProcess,
    /// The folder with its keys and the home of its user.
    pub folder: TempDir,
    /// Its port on `127.0.0.1`.
    pub port: u16,
}

/// The messages of the server, which the tests do not read.
#[derive(Debug)]
struct Log;

impl Sink for Log {
    fn push(&mut self, _: &[u8]) -> bool {
        true
    }
}

/// Returns the server of this process, or why there is none.
pub fn server() -> Result<&'static Server, Missing> {
    static SERVER: OnceLock<Result<Server, Missing>> = OnceLock::new();
    SERVER.get_or_init(Server::start).as_ref().map_err(Clone::clone)
}

fn program() -> Result<PathBuf, Missing> {
    let named = env::var_os("TOOLC_TEST_SSHD").map(PathBuf::from);
    named.or_else(|| find("sshd")).ok_or_else(|| Missing::program("sshd"))
}

impl Server {
    /// Starts a server.
    pub fn start() -> Result<Self, Missing> {
        Self::start_with("PasswordAuthentication no\nPermitRootLogin prohibit-password\n")
    }

    /// Starts a server that accepts the user [`TOKEN`]. Needs root.
    pub fn start_open() -> Result<Self, Missing> {
        if !rustix::process::getuid().is_root() {
            return Err(Missing::new("a server of SSH with a user of its own needs root", "run the tests as root"));
        }
        Self::start_with("PasswordAuthentication yes\nPermitEmptyPasswords yes\nPermitRootLogin yes\n")
    }

    fn start_with(settings: &str) -> Result<Self, Missing> {
        let program = program()?;
        find("ssh-keygen").ok_or_else(|| Missing::program("ssh-keygen"))?;
        let folder = TempDir::new_in(target_folder()).expect("failed to make a folder");
        for name in ["host", "other-host", "key", "other-key"] {
            let mut command = Command::new("ssh-keygen");
            command.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.path().join(name));
            assert!(command.status().is_ok_and(|status| status.success()), "ssh-keygen fails");
        }
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("home")).expect("failed to make a folder");
        fs::copy(path("key.pub"), path("authorized_keys")).expect("failed to copy");
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("failed to listen").port();
        let file = |name: &str| format!("\"{}\"", path(name).display());
        let config = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nStrictModes no\nUsePAM no\n\
             KbdInteractiveAuthentication no\nAcceptEnv *\n{settings}",
            file("host"),
            file("authorized_keys")
        );
        fs::write(path("config"), config).expect("failed to write");
        let known = |name: &str| {
            let key = fs::read_to_string(path(name)).expect("failed to read");
            format!("[127.0.0.1]:{port} {key}")
        };
        fs::write(path("known_hosts"), known("host.pub")).expect("failed to write");
        fs::write(path("changed_hosts"), known("other-host.pub")).expect("failed to write");
        let mut process = Process::new(command(&program, folder.path()));
        let _ = process.output(Log).expect("a pipe");
        let failed = |what: &str, error: io::Error| {
            Missing::new(format!("`{}` {what}: {error}", program.display()), "a machine on which `sshd` runs")
        };
        let process = process.start().map_err(|error| failed("cannot be started", error))?;
        let server = Self { process, folder, port };
        server.wait().map_err(|error| failed("does not answer", error))?;
        Ok(server)
    }

    /// Waits until it answers.
    fn wait(&self) -> io::Result<()> {
        let started = Instant::now();
        loop {
            let answer = TcpStream::connect(("127.0.0.1", self.port)).and_then(|mut stream| {
                let mut start = [0; 4];
                stream.read_exact(&mut start)?;
                Ok(start)
            });
            match answer {
                Ok(start) if start == *b"SSH-" => return Ok(()),
                Err(error) if started.elapsed() > LIMIT || self.process.outcome()?.is_some() => return Err(error),
                _ => thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Returns a file of the server.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Returns the command that runs the server.
fn command(program: &Path, folder: &Path) -> Command {
    let config = folder.join("config");
    if !rustix::process::getuid().is_root() {
        let mut command = Command::new(program);
        command.args(["-D", "-e", "-f"]).arg(config);
        return command;
    }
    let users = fs::read_to_string("/etc/passwd").expect("failed to read");
    let others = users.lines().filter(|line| !line.starts_with("root:") && !line.starts_with("sshd:"));
    let others = others.fold(String::new(), |text, line| text + line + "\n");
    let users = format!(
        "root:x:0:0:root:{0}:/bin/sh\n{TOKEN}::0:0:token:{0}:/bin/sh\nsshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n{others}",
        folder.join("home").display()
    );
    let users_file = folder.join("passwd");
    fs::write(&users_file, users).expect("failed to write");
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", AS_ROOT, "sh"]).arg(program).arg(config).arg(users_file);
    command
}
