//! A docker engine for tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use toolc_test_support::programs::find;

use crate::debian::{self, Unpacked, Variables, run};

/// The packages. `iptables` is needed although no network is made.
const PACKAGES: &[&str] = &[
    "busybox-static",
    "containerd",
    "docker.io",
    "iptables",
    "libip4tc2",
    "libip6tc2",
    "libnetfilter-conntrack3",
    "libnfnetlink0",
    "libnftnl11",
    "libxtables12",
    "runc",
];
/// The time limit for the start of the engine.
const LIMIT: Duration = Duration::from_mins(1);
/// The image: busybox with a link for each of its programs.
const IMAGE: &str = "toolc-test:busybox";
/// Makes the files of the image in the folder $1 from the program $2.
const MAKE_IMAGE: &str = r#"
set -e
rm -rf "$1"
mkdir -p "$1/bin" "$1/tmp" "$1/root" "$1/etc"
chmod 1777 "$1/tmp"
cp "$2" "$1/bin/busybox"
for name in $("$2" --list); do [ "$name" = busybox ] || ln -s busybox "$1/bin/$name"; done
echo root:x:0:0:root:/root:/bin/sh > "$1/etc/passwd"
"#;

/// A running engine. Dropping it ends it, unless it ran before.
pub(crate) struct Engine {
    daemon: Option<Daemon>,
}

/// An engine that was started for tests.
struct Daemon {
    process: Child,
    socket: PathBuf,
    programs: PathBuf,
}

impl Engine {
    /// Returns an engine that has an image for tests: that of this machine if it answers, otherwise a new one, which needs root.
    ///
    /// # Errors
    /// If neither is possible.
    pub(crate) fn start() -> Result<Self, String> {
        let of_machine = Self { daemon: None };
        if let Some(busybox) = find("busybox").filter(|_| of_machine.answers()) {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/engine");
            fs::create_dir_all(&folder).map_err(|error| format!("failed to make {}: {error}", folder.display()))?;
            of_machine.import(&folder.join("image"), &busybox)?;
            return Ok(of_machine);
        }
        let packages = debian::unpack("engine", PACKAGES, "usr/sbin/dockerd")?;
        let mut engine = Self { daemon: Some(Daemon::start(&packages)?) };
        engine.wait(&packages)?;
        engine.import(&packages.folder.join("image"), &packages.root.join("bin/busybox"))?;
        Ok(engine)
    }

    /// Returns the environment variables of tests that use the engine.
    pub(crate) fn variables(&self) -> Variables {
        let mut variables = vec![("TOOLC_TEST_IMAGE", IMAGE.to_owned())];
        if let Some(Daemon { socket, programs, .. }) = &self.daemon {
            variables.push(("DOCKER_HOST", format!("unix://{}", socket.display())));
            variables.push(("PATH", path(programs)));
        }
        variables
    }

    fn answers(&self) -> bool {
        let mut command = Command::new("docker");
        command.arg("version").envs(self.variables());
        command.output().is_ok_and(|output| output.status.success())
    }

    /// Waits until it answers.
    fn wait(&mut self, packages: &Unpacked) -> Result<(), String> {
        let started = Instant::now();
        while !self.answers() {
            let daemon = self.daemon.as_mut().expect("it was started");
            let has_ended = !matches!(daemon.process.try_wait(), Ok(None));
            if has_ended || started.elapsed() > LIMIT {
                let what = if has_ended { "has ended (it needs root)" } else { "does not answer" };
                return Err(format!("dockerd {what}: see {}", packages.folder.join("log").display()));
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    /// Makes an image from the programs of busybox, by way of this folder.
    fn import(&self, folder: &Path, busybox: &Path) -> Result<(), String> {
        run(Command::new("sh").args(["-c", MAKE_IMAGE, "sh"]).arg(folder).arg(busybox))?;
        let import = r#"tar -C "$1" -c . | docker import -c "ENV PATH=/bin" - "$2""#;
        run(Command::new("sh").args(["-c", import, "sh"]).arg(folder).arg(IMAGE).envs(self.variables()))
    }
}

impl Daemon {
    fn start(packages: &Unpacked) -> Result<Self, String> {
        let Unpacked { folder, root } = packages;
        // The path of a socket is short.
        let socket = std::env::temp_dir().join(format!("toolc-engine-{}.sock", std::process::id()));
        let log = File::create(folder.join("log")).map_err(|error| error.to_string())?;
        let process = Command::new("dockerd")
            .args(["--iptables=false", "--bridge=none", "--ip-forward=false", "--storage-driver=vfs"])
            .arg("--data-root")
            .arg(folder.join("data"))
            .arg("--exec-root")
            .arg(folder.join("run"))
            .arg("--pidfile")
            .arg(folder.join("pid"))
            .arg("--host")
            .arg(format!("unix://{}", socket.display()))
            .env("PATH", path(root))
            .env("LD_LIBRARY_PATH", packages.libraries())
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(|error| error.to_string())?)
            .stderr(log)
            .spawn()
            .map_err(|error| format!("failed to start dockerd: {error}"))?;
        Ok(Self { process, socket, programs: root.clone() })
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It ends the containers, too.
        let _ = Command::new("sh").args(["-c", "kill \"$0\"", &self.process.id().to_string()]).status();
        let _ = self.process.wait();
        let _ = fs::remove_file(&self.socket);
    }
}

fn path(root: &Path) -> String {
    let own = std::env::var("PATH").unwrap_or_default();
    format!("{0}/usr/bin:{0}/usr/sbin:{own}", root.display())
}
