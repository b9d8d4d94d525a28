//! A docker engine for tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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

/// A running engine. Dropping it ends it.
pub(crate) struct Engine {
    daemon: Child,
    socket: PathBuf,
    programs: PathBuf,
}

impl Engine {
    /// Starts an engine that has an image for tests.
    pub(crate) fn start() -> Result<Self, String> {
        let packages = debian::unpack("engine", PACKAGES, "usr/sbin/dockerd")?;
        let libraries = packages.libraries();
        let Unpacked { folder, root } = packages;
        // The path of a socket is short.
        let socket = std::env::temp_dir().join(format!("toolc-engine-{}.sock", std::process::id()));
        let log = File::create(folder.join("log")).map_err(|error| error.to_string())?;
        let daemon = Command::new("dockerd")
            .args(["--iptables=false", "--bridge=none", "--ip-forward=false", "--storage-driver=vfs"])
            .arg("--data-root")
            .arg(folder.join("data"))
            .arg("--exec-root")
            .arg(folder.join("run"))
            .arg("--pidfile")
            .arg(folder.join("pid"))
            .arg("--host")
            .arg(format!("unix://{}", socket.display()))
            .env("PATH", path(&root))
            .env("LD_LIBRARY_PATH", libraries)
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(|error| error.to_string())?)
            .stderr(log)
            .spawn()
            .map_err(|error| format!("failed to start dockerd: {error}"))?;
        let engine = Self { daemon, socket, programs: root.clone() };
        let started = Instant::now();
        while !engine.docker(&["version"]).output().is_ok_and(|output| output.status.success()) {
            if started.elapsed() > LIMIT {
                return Err(format!("dockerd does not answer: see {}", folder.join("log").display()));
            }
            thread::sleep(Duration::from_millis(200));
        }
        let image = folder.join("image");
        run(Command::new("sh").args(["-c", MAKE_IMAGE, "sh"]).arg(&image).arg(root.join("bin/busybox")))?;
        let import = r#"tar -C "$1" -c . | docker import -c "ENV PATH=/bin" - "$2""#;
        let mut command = Command::new("sh");
        command.args(["-c", import, "sh"]).arg(&image).arg(IMAGE).envs(engine.variables());
        run(&mut command)?;
        Ok(engine)
    }

    /// Returns the environment variables of tests that use the engine.
    pub(crate) fn variables(&self) -> Variables {
        vec![
            ("DOCKER_HOST", format!("unix://{}", self.socket.display())),
            ("PATH", path(&self.programs)),
            ("TOOLC_TEST_IMAGE", IMAGE.to_owned()),
        ]
    }

    fn docker(&self, args: &[&str]) -> Command {
        let mut command = Command::new("docker");
        command.args(args).envs(self.variables());
        command
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It ends the containers, too.
        let _ = Command::new("kill").arg(self.daemon.id().to_string()).status();
        let _ = self.daemon.wait();
        let _ = fs::remove_file(&self.socket);
    }
}

fn path(root: &Path) -> String {
    let own = std::env::var("PATH").unwrap_or_default();
    format!("{0}/usr/bin:{0}/usr/sbin:{own}", root.display())
}
