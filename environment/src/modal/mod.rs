//! Sandboxes of Modal, a service on the network.
//!
//! Modal has only a gRPC API, which its SDK for Python supports. So a Python program (`hold.py`) makes the sandbox of an environment and keeps
//! the connection to it. The client is a second, small program (`run.py`), which requests `hold.py` to run a program in the sandbox.
//!
//! `hold.py` ends the sandbox when its input ends, which is a pipe of this process. If `hold.py` is killed together with this process, the
//! clean-up of the lease ends the sandbox, or Modal ends it after a time limit.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use toolc_process::{Process, RunningProcess};

use crate::command;
use crate::copy::Copies;
use crate::lease::resource_name;
use crate::modal_sdk::{ModalSdk, last_line, needed_variables, not_started};
use crate::own::OwnFolder;
use crate::remote::{self, Client, Place, Remote, RemoteEnvironment, Streams, Text, as_text};
use crate::{Environment, Kind, Leases, Local, Program, Promises, Resource, Site};

/// The client, which requests `hold.py` to run a program.
const RUN: &str = include_str!("run.py");
/// The line that `hold.py` prints when programs can run.
const READY: &[u8] = b"ready\n";
/// The time limit for making a sandbox. Modal may have to build the image first.
const LIMIT: Duration = Duration::from_mins(10);
/// How long to wait for the end of a sandbox.
const END_LIMIT: Duration = Duration::from_secs(15);
/// A script that makes the directory `$1`, and prints its real path.
const DIRECTORY: &str = r#"mkdir -p -- "$1" && cd -- "$1" && pwd -P"#;

/// The kind of sandboxes of Modal: their image, and their limits.
///
/// A sandbox has no files of this machine, not even the directory of the task. Programs have no network unless
/// [`network`](Self::network) allows it.
#[derive(Debug, Clone)]
pub struct ModalKind {
    sdk: ModalSdk,
    app: String,
    image: Option<String>,
    directory: PathBuf,
    lifetime: Duration,
    network: bool,
    gpu: Option<String>,
    max_memory: u64,
    max_processors: f64,
    max_sandboxes: u32,
    copies: Option<Copies>,
    /// The number of running sandboxes of this process. Clones share it.
    running: Arc<AtomicU32>,
}

/// The kind of sandboxes with Modal's default image, in the app `toolc`.
impl Default for ModalKind {
    fn default() -> Self {
        Self {
            sdk: ModalSdk::default(),
            app: "toolc".to_owned(),
            image: None,
            directory: "/root/work".into(),
            lifetime: Duration::from_hours(2),
            network: false,
            gpu: None,
            max_memory: 2 << 30,
            max_processors: 2.0,
            max_sandboxes: 8,
            copies: None,
            running: Arc::default(),
        }
    }
}

impl ModalKind {
    /// The name of this kind.
    pub const NAME: &str = "modal";

    /// Sets the Python that has the SDK of Modal, `python3` by default.
    #[must_use]
    pub fn python(mut self, python: impl Into<PathBuf>) -> Self {
        self.sdk.python = python.into();
        self
    }

    /// Sets the app of Modal to which the sandboxes belong, `toolc` by default. It is made if it does not exist.
    #[must_use]
    pub fn app(self, app: impl Into<String>) -> Self {
        Self { app: app.into(), ..self }
    }

    /// Sets the image, which must have a POSIX shell with the usual programs. The default is Modal's default image, with Debian and Python.
    #[must_use]
    pub fn image(self, image: impl Into<String>) -> Self {
        Self { image: Some(image.into()), ..self }
    }

    /// Sets the directory in which programs run by default, `/root/work` by default. It is made in the sandbox.
    #[must_use]
    pub fn directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), ..self }
    }

    /// Sets the maximum lifetime of a sandbox, two hours by default. After it, Modal ends the sandbox even if programs run in it.
    #[must_use]
    pub fn lifetime(self, lifetime: Duration) -> Self {
        Self { lifetime, ..self }
    }

    /// Sets whether programs have Modal's network, which reaches the Internet.
    #[must_use]
    pub fn network(self, network: bool) -> Self {
        Self { network, ..self }
    }

    /// Sets the type of GPU that a sandbox has, and how many, such as `A100` or `H100:2`. By default, a sandbox has none.
    #[must_use]
    pub fn gpu(self, gpu: impl Into<String>) -> Self {
        Self { gpu: Some(gpu.into()), ..self }
    }

    /// Sets the memory that a sandbox may use, in bytes, 2 GiB by default.
    #[must_use]
    pub fn max_memory(self, max_memory: u64) -> Self {
        Self { max_memory, ..self }
    }

    /// Sets how many processors a sandbox may use, 2 by default.
    #[must_use]
    pub fn max_processors(self, number: f64) -> Self {
        Self { max_processors: number, ..self }
    }

    /// Sets the maximum number of sandboxes that run in the app at a time, 8 by default.
    #[must_use]
    pub fn max_sandboxes(self, max_sandboxes: u32) -> Self {
        Self { max_sandboxes, ..self }
    }

    /// Sets the address of the service, `https://api.modal.com` by default.
    #[must_use]
    pub fn url(self, url: impl Into<OsString>) -> Self {
        self.variable("MODAL_SERVER_URL", url)
    }

    /// Sets a variable for the SDK of Modal, such as `MODAL_PROFILE`, in addition to the variables of this process whose names begin with `MODAL_`.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.sdk.variables.push((name.into(), value.into()));
        self
    }

    /// Sets the files that are copied into a new sandbox, and out of it when it ends.
    #[must_use]
    pub fn copies(self, copies: Copies) -> Self {
        Self { copies: Some(copies), ..self }
    }
}

impl Leases {
    /// Sets the Python and the token with which abandoned sandboxes of Modal are ended.
    #[must_use]
    pub fn modal(self, kind: ModalKind) -> Self {
        self.with_modal_sdk(kind.sdk)
    }
}

impl Kind for ModalKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises { isolated: !self.network, limited_processes: false }
    }

    /// Checks that Python has the SDK, and that Modal accepts the token.
    fn check(&self) -> io::Result<Promises> {
        self.sdk.output(&["check".as_ref()]).map(|_| self.promises())
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if self.app.starts_with('-') || self.app.is_empty() || !self.app.bytes().all(is_plain) {
            let text =
                format!("`{}` cannot be the name of an app of Modal: use letters, digits, `-`, `_` and `.`", self.app);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let permit = Permit::new(self)?;
        let name = resource_name();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let until = now.saturating_add(LIMIT).saturating_add(self.lifetime).as_secs();
        site.add(&Resource::ModalSandbox { name: name.clone(), app: self.app.clone(), until })?;
        let own = OwnFolder::new(Self::NAME, site.leases)?;
        let socket = own.path().join("socket");
        let holder = start(self, &name, &socket)?;
        let sandbox = Sandbox { kind: self.clone(), name, socket, holder: Mutex::new(Some((holder, permit))) };
        let remote = Remote::new(sandbox, Local::for_clients(needed_variables().collect()), remote::prefix());
        let environment = RemoteEnvironment::new(self, remote, own, site.leases);
        let directory = make_directory(&environment, &self.directory)?;
        Ok(Arc::new(environment.begin_in(directory)?.with_copies(self.copies.as_ref())?))
    }
}

/// A permit for one of the sandboxes that this process may have. Dropping it allows another sandbox.
#[derive(Debug)]
struct Permit(Arc<AtomicU32>);

impl Permit {
    fn new(kind: &ModalKind) -> io::Result<Self> {
        let max = kind.max_sandboxes;
        let add = |running| (running < max).then_some(running + 1);
        match kind.running.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add) {
            Ok(_) => Ok(Self(Arc::clone(&kind.running))),
            Err(running) => {
                let text = format!(
                    "this program has {running} sandboxes of Modal, and `environment.modal.max_sandboxes` is {max}: end a task, or \
                     raise the limit"
                );
                Err(io::Error::new(io::ErrorKind::QuotaExceeded, text))
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A sandbox, reached through `run.py`.
#[derive(Debug)]
struct Sandbox {
    kind: ModalKind,
    name: String,
    /// The socket of `hold.py`.
    socket: PathBuf,
    /// The process of `hold.py`, and the permit for the sandbox. `None` after the sandbox has ended.
    holder: Mutex<Option<(RunningProcess, Permit)>>,
}

/// Makes the directory of the task in the sandbox, and returns its real path.
fn make_directory(environment: &RemoteEnvironment, directory: &Path) -> io::Result<PathBuf> {
    let failed = |reason: &dyn fmt::Display| {
        let shown = directory.display();
        io::Error::other(format!("the directory `{shown}` cannot be made in the sandbox of Modal: {reason}"))
    };
    let text = directory.to_str().ok_or_else(|| failed(&"its path is not UTF-8"))?;
    let output = environment.output(&["sh", "-c", DIRECTORY, "toolc", text]).map_err(|error| failed(&error))?;
    let path = String::from_utf8(output).map_err(|_| failed(&"its real path is not UTF-8"))?;
    Ok(PathBuf::from(path.strip_suffix('\n').unwrap_or(&path)))
}

/// Starts `hold.py`, and waits until it has a sandbox.
fn start(kind: &ModalKind, name: &str, socket: &Path) -> io::Result<RunningProcess> {
    let memory = kind.max_memory >> 20;
    let mut arguments: Vec<OsString> = vec!["hold".into()];
    for (option, value) in [
        ("--socket", socket.into()),
        ("--app", kind.app.clone().into()),
        ("--name", name.into()),
        ("--timeout", kind.lifetime.as_secs().to_string().into()),
        ("--processors", kind.max_processors.to_string().into()),
        ("--memory", memory.to_string().into()),
        ("--max-sandboxes", kind.max_sandboxes.to_string().into()),
    ] {
        arguments.extend([option.into(), value]);
    }
    for (option, value) in [("--image", &kind.image), ("--gpu", &kind.gpu)] {
        if let Some(value) = value {
            arguments.extend([option.into(), value.into()]);
        }
    }
    if kind.network {
        arguments.push("--network".into());
    }
    let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    let mut process = Process::new(kind.sdk.command(&arguments));
    let (output, errors) = (Text::default(), Text::default());
    let _ = (process.stdout(output.clone())?, process.stderr(errors.clone())?);
    process.input()?;
    let shown = kind.sdk.python.display().to_string();
    let process = process.start().map_err(|error| not_started(&command::not_started(&shown, &error)))?;
    let started = Instant::now();
    let is_ready = || output.contains(READY);
    let ended = process.wait_unless(|| is_ready() || started.elapsed() > LIMIT)?;
    if is_ready() {
        return Ok(process);
    }
    let reason = match ended {
        Some(_) => last_line(&String::from_utf8_lossy(&errors.take())),
        None => format!("the sandbox did not start within {LIMIT:?}"),
    };
    let _ = process.close_input();
    let _ = process.wait_timeout(END_LIMIT);
    Err(io::Error::other(format!("Modal cannot make a sandbox: {reason}")))
}

impl Place for Sandbox {
    fn client(&self, words: Vec<OsString>, streams: Streams) -> io::Result<Client> {
        let streams = match streams {
            Streams { terminal: true, .. } => "terminal",
            Streams { input: true, .. } => "input",
            Streams { .. } => "none",
        };
        let mut arguments: Vec<OsString> = ["-I", "-S", "-c", RUN].map(OsString::from).to_vec();
        arguments.extend([self.socket.clone().into(), streams.into()]);
        arguments.extend(as_text(words));
        Ok(Client { program: Program::Command(self.kind.sdk.python.clone().into(), arguments), on_end: None })
    }

    fn passes_size(&self) -> bool {
        false
    }

    fn end(&self, _: &Remote) {
        let holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((holder, _permit)) = holder else { return };
        let _ = holder.close_input();
        let ended = holder.wait_timeout(END_LIMIT);
        if !matches!(ended, Ok(Some(outcome)) if outcome.status.success()) {
            drop(holder);
            let _ = self.kind.sdk.remove(&self.kind.app, &self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_without_the_sdk_is_told_what_to_install() {
        let error = ModalKind::default().python("/nowhere/python3").check().expect_err("it does not exist");
        assert!(error.to_string().contains("environment.modal.python"), "{error}");
        // Python does not look for the SDK there.
        let without = ModalKind::default().variable("HOME", "/nowhere");
        let Err(error) = without.check() else { return };
        let text = error.to_string();
        let remedies = ["-m pip install modal", "MODAL_TOKEN_ID", "set `environment.modal.python`"];
        assert!(remedies.iter().any(|remedy| text.contains(remedy)), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }

    #[test]
    fn only_some_variables_are_passed_to_the_sdk() {
        let command = ModalKind::default().variable("MODAL_PROFILE", "x").sdk.command(&[]);
        let names: Vec<&OsStr> = command.get_envs().filter_map(|(name, value)| value.map(|_| name)).collect();
        assert!(names.contains(&"MODAL_PROFILE".as_ref()) && names.contains(&"PATH".as_ref()), "{names:?}");
        let is_expected = |name: &&OsStr| ["PATH", "HOME"].contains(&name.to_str().unwrap_or_default());
        let others: Vec<_> = names.iter().filter(|name| !is_expected(name)).collect();
        assert!(others.iter().all(|name| name.as_encoded_bytes().starts_with(b"MODAL_")), "{others:?}");
    }
}
