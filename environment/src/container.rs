//! Docker containers, controlled by the command line of docker.
//!
//! A container belongs to one environment. Its first process waits for the end of its input, which is a pipe of this process. If this
//! process ends for any reason, the container ends with all its processes. If the container remains nevertheless, the clean-up of its
//! lease removes it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolc_process::{Process, RunningProcess};

use crate::command::not_started;
use crate::docker::{DOCKER, output, remove};
use crate::lease::resource_name;
use crate::own::OwnFolder;
use crate::place;
use crate::remote::{self, Client, Place, Remote, RemoteEnvironment, Streams, Text, as_text};
use crate::{Environment, Kind, Local, Program, Promises, Resource, Site};

/// The time limit for making a container.
const LIMIT: Duration = Duration::from_mins(2);
/// The default maximum number of processes and threads in a container.
const MAX_PROCESSES: u32 = 2_048;
/// The default maximum memory of a container, in bytes.
const MAX_MEMORY: u64 = 2 << 30;
/// The first process of the container, which waits for the end of its input. Meanwhile, the shell reaps orphaned processes. Shells
/// connect the input of a background command to `/dev/null`, so `cat` gets the input as descriptor 3.
const WAIT: &str = "exec 3<&0; echo ready; cat <&3 > /dev/null & exec 3<&-; wait; exit";
/// The line that the first process prints when it runs.
const READY: &[u8] = b"ready\n";

/// The kind of Docker containers: their image, and their limits.
///
/// Programs in such a container have no capabilities, cannot gain privileges, and have no network unless [`network`](Self::network) allows it. The
/// directory of the task has the path that it has on this machine.
#[derive(Debug, Clone)]
pub struct ContainerKind {
    image: String,
    network: bool,
    read_only: bool,
    max_processes: u32,
    max_memory: u64,
    max_processors: Option<u32>,
}

impl ContainerKind {
    /// The name of this kind.
    pub const NAME: &str = "docker";

    /// Creates the kind that runs programs in containers of an image, which must have a POSIX shell with the usual programs.
    pub fn new(image: impl Into<String>) -> Self {
        Self {
            image: image.into(),
            network: false,
            read_only: false,
            max_processes: MAX_PROCESSES,
            max_memory: MAX_MEMORY,
            max_processors: None,
        }
    }

    /// Sets whether programs can use docker's default network, through which they can reach services of this machine.
    #[must_use]
    pub fn network(self, network: bool) -> Self {
        Self { network, ..self }
    }

    /// Sets whether programs can write only to the directory of the task and to `/tmp`.
    #[must_use]
    pub fn read_only(self, read_only: bool) -> Self {
        Self { read_only, ..self }
    }

    /// Sets the maximum number of processes and threads of a container, 2,048 by default.
    #[must_use]
    pub fn max_processes(self, max_processes: u32) -> Self {
        Self { max_processes, ..self }
    }

    /// Sets the memory that a container may use, in bytes, 2 GiB by default.
    #[must_use]
    pub fn max_memory(self, max_memory: u64) -> Self {
        Self { max_memory, ..self }
    }

    /// Sets how many processors a container may use. By default, there is no limit.
    #[must_use]
    pub fn max_processors(self, number: u32) -> Self {
        Self { max_processors: Some(number), ..self }
    }

    /// Returns the arguments of `run` for a container.
    fn arguments(&self, name: &str, directory: &Path, own: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = ["run", "--rm", "--interactive", "--pull", "never", "--name", name]
            .into_iter()
            .chain([
                "--cap-drop",
                "ALL",
                "--security-opt",
                "no-new-privileges",
                "--ipc",
                "private",
                "--hostname",
                "container",
            ])
            .map(Into::into)
            .collect();
        let mut option = |name: &str, value: &OsStr| arguments.extend([name.into(), value.to_owned()]);
        option("--pids-limit", self.max_processes.to_string().as_ref());
        let memory = self.max_memory.to_string();
        option("--memory", memory.as_ref());
        // The limit includes swap, so the container has none.
        option("--memory-swap", memory.as_ref());
        if let Some(number) = self.max_processors {
            option("--cpus", number.to_string().as_ref());
        }
        if !self.network {
            option("--network", "none".as_ref());
        }
        // The files that programs create in the directory must belong to this user.
        let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
        option("--user", format!("{}:{}", user.as_raw(), group.as_raw()).as_ref());
        if !user.is_root() {
            // The image may have no entry for this user.
            option("--env", "HOME=/tmp".as_ref());
        }
        if self.read_only {
            option("--tmpfs", "/tmp:mode=1777".as_ref());
        }
        for folder in [directory, own] {
            let (source, target) = (OsStr::new("type=bind,source="), OsStr::new(",target="));
            let mount: OsString = [source, folder.as_os_str(), target, folder.as_os_str()].into_iter().collect();
            option("--mount", &mount);
        }
        option("--workdir", directory.as_os_str());
        option("--entrypoint", "sh".as_ref());
        if self.read_only {
            arguments.push("--read-only".into());
        }
        arguments.extend([&self.image, "-c", WAIT].map(Into::into));
        arguments
    }
}

impl Kind for ContainerKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises { isolated: !self.network, limited_processes: true }
    }

    /// Checks that docker answers and has the image.
    fn check(&self) -> io::Result<Promises> {
        output(&["version", "--format", "{{.Server.Version}}"]).map_err(|error| {
            let text = format!(
                "docker cannot be used: {error}. Check that docker is installed and runs, and that this user may use it"
            );
            io::Error::new(error.kind(), text)
        })?;
        output(&["image", "inspect", "--format", "{{.Id}}", &self.image]).map_err(|_| {
            let text = format!("docker does not have the image `{0}`: run `docker pull {0}`", self.image);
            io::Error::new(io::ErrorKind::NotFound, text)
        })?;
        Ok(self.promises())
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        let directory = place::directory(site, "container")?;
        place::check_characters(&directory, b",\"\n", "a comma, a quote or a line break")?;
        let name = resource_name();
        site.add(&Resource::Container(name.clone()))?;
        let own = OwnFolder::new(Self::NAME, site.leases)?;
        let folder = own.path().to_owned();
        let holder = start(self, &name, &self.arguments(&name, &directory, &folder))?;
        let container = Container { name, holder: Mutex::new(Some(holder)) };
        let remote = Remote::new(container, Local::new("/"), remote::prefix());
        let mut environment = RemoteEnvironment::new(self, remote, own, site.leases);
        environment.temporary_folder = Some(folder);
        Ok(Arc::new(environment.begin_in(directory)?))
    }
}

/// A container, reached through `docker exec`.
#[derive(Debug)]
struct Container {
    name: String,
    /// The command `docker run`. The container ends when its input is closed.
    holder: Mutex<Option<RunningProcess>>,
}

/// Starts a container, and waits until its first process runs.
fn start(kind: &ContainerKind, name: &str, arguments: &[OsString]) -> io::Result<RunningProcess> {
    let mut command = Command::new(DOCKER);
    command.args(arguments).current_dir("/");
    let mut process = Process::new(command);
    let (output, errors) = (Text::default(), Text::default());
    let _ = (process.stdout(output.clone())?, process.stderr(errors.clone())?);
    process.input()?;
    let process = process.start().map_err(|error| not_started(DOCKER, &error))?;
    let started = Instant::now();
    let is_ready = || output.contains(READY);
    process.wait_unless(|| is_ready() || started.elapsed() > LIMIT)?;
    if is_ready() {
        return Ok(process);
    }
    let message = String::from_utf8_lossy(&errors.take()).trim().to_owned();
    drop(process);
    let _ = remove(name);
    let message = if message.is_empty() { format!("the container did not start within {LIMIT:?}") } else { message };
    // A missing image is the usual reason, but the messages of the engines differ.
    let advice = kind.check().err().map_or_else(String::new, |error| format!(". {error}"));
    Err(io::Error::other(format!("docker cannot make a container: {message}{advice}")))
}

impl Place for Container {
    fn client(&self, words: Vec<OsString>, streams: Streams) -> io::Result<Client> {
        let mut arguments: Vec<OsString> = vec!["exec".into()];
        if streams.input {
            arguments.push("--interactive".into());
        }
        if streams.terminal {
            arguments.push("--tty".into());
        }
        arguments.push((&self.name).into());
        arguments.extend(as_text(words));
        Ok(Client { program: Program::Command(DOCKER.into(), arguments), on_end: None })
    }

    fn end(&self, _: &Remote) {
        // The container ends when the holder is dropped.
        let holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _ = remove(&self.name);
        drop(holder);
    }
}
